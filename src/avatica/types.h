// Phoenix's types and values in Avatica's words.
// Source: phoenix-avatica spec section 3.
#ifndef BENNU_SRC_AVATICA_TYPES_H_
#define BENNU_SRC_AVATICA_TYPES_H_

#include <string>

#include "bennu/status.h"
#include "src/avatica/messages.h"
#include "src/sql/types/column_origin.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"

namespace bennu::avatica {

// The types as clients know them, by JDBC's and by Phoenix's numbers. JSON, BSON and
// VARBINARY_ENCODED, which no client knows, are shown as the types that their values are told as.
int32_t KnownJdbcTypeId(sql::TypeId type);
int32_t KnownPhoenixTypeId(sql::TypeId type);

// How values of this type are told in rows.
pb::Rep ValueRep(sql::TypeId type);

// A column of a result. 'ordinal' counts from 0.
pb::ColumnMetaData DescribeColumn(size_t ordinal, const std::string& label,
                                  const sql::DataType& type, bool nullable,
                                  const sql::ColumnOrigin& origin = {});
// A parameter; 'ordinal' counts from 0. kNull: the statement does not say its type.
pb::AvaticaParameter DescribeParameter(size_t ordinal, const sql::DataType& type);

// A parameter's value. 'wanted': the type that it is for, which tells what a number of a moment or
// an array without element type means. 2004: it is not bound. InvalidArgument: it is no value of
// the kind that it says it is.
Result<sql::Value> ToValue(const pb::TypedValue& value, const sql::DataType& wanted);

// The same the other way round, for a client.
Result<pb::TypedValue> FromValue(const sql::Value& value);

}  // namespace bennu::avatica

#endif  // BENNU_SRC_AVATICA_TYPES_H_
