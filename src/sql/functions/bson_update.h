// Changes of documents, for BSON_UPDATE_EXPRESSION. Private to this folder.
#ifndef BENNU_SRC_SQL_FUNCTIONS_BSON_UPDATE_H_
#define BENNU_SRC_SQL_FUNCTIONS_BSON_UPDATE_H_

#include "bennu/status.h"
#include "src/sql/types/bson.h"

namespace bennu::sql {

// Applies {"$SET": {"a.b": 1, …}, "$UNSET": {"c": null}, "$ADD": {"n": 5}, "$DELETE_FROM_SET": …},
// in this order. A new value may be {"$IF_NOT_EXISTS": {"a": 1}}, {"$ADD": ["a", 1]},
// {"$SUBTRACT": …} or {"$LIST_APPEND": …}. Error (uncoded): a way that leads nowhere, types that do
// not go together.
Status UpdateBson(const BsonValue& update, BsonValue* document);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_FUNCTIONS_BSON_UPDATE_H_
