// Which columns of its table an index is made of.
#ifndef BENNU_SRC_SQL_CATALOG_INDEX_COLUMNS_H_
#define BENNU_SRC_SQL_CATALOG_INDEX_COLUMNS_H_

#include "src/sql/catalog/table.h"

namespace bennu::sql::catalog {

// Whether an expression of the index's key, or its WHERE, names the column of 'table'. Without it
// the index cannot be; of one that it only covers it can. Pure.
bool IsIndexMadeOf(const TableMeta& index, const TableMeta& table, const ColumnMeta& column);

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_INDEX_COLUMNS_H_
