// From CREATE INDEX to the index that it asks for: its key is what is indexed, then the columns of
// the table's key that are not. Source: phoenix-storage.md sections 3.2 and 6.1;
// MetaDataClient.createIndex of 5.3.
#ifndef BENNU_SRC_SQL_CATALOG_INDEX_BUILDER_H_
#define BENNU_SRC_SQL_CATALOG_INDEX_BUILDER_H_

#include <string>
#include <string_view>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/table_builder.h"
#include "src/sql/parse/ast.h"

namespace bennu::sql::catalog {

// The error for an index that is to have this CONSISTENCY.
Status ConsistencyUnsupported(std::string_view consistency, int64_t position);

// The index over 'table', whose HBase table looks like 'storage'. Errors: 302 a type that no key
// can hold; 303, 304 its condition; 504 columns; 514; 520, 521, 522 expressions; 1005 an array
// before other columns; 1088; 10949 an option that follows the table's.
Result<NewTable> BuildIndex(const parse::CreateIndex& statement, const DdlContext& context,
                            const TableMeta& table, const TableDescriptor& storage);

// An index's copy of 'column' of its table, without its qualifier: for those that it includes.
ColumnMeta IncludedColumn(const ColumnMeta& column);

// An index's copy of a column of its table's key, of the type that it has there.
ColumnMeta IndexKeyColumn(const ColumnMeta& column);

// An expression over 'table' as the catalog keeps it: columns without their table, with their
// family unless it is the default one. 'alias': what the columns may be qualified with instead.
std::string IndexExpressionText(const TableMeta& table, const parse::Expr& expr,
                                std::string_view alias = {});

// "F:C", ":K": what an index calls a column of its table.
std::string IndexColumnName(const ColumnMeta& column);
// The column of 'table' that an index calls so; -1: none, as it is an expression or is gone.
int32_t ColumnOfIndexName(const TableMeta& table, std::string_view name);

// The type of an index's key column that holds values of 'type'. A value of fixed width that may be
// NULL needs one of varying width, and binary one that can tell where it ends unless it is 'last'.
DataType IndexKeyType(const DataType& type, bool nullable, bool last);

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_INDEX_BUILDER_H_
