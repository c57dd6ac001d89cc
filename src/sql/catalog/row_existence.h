// By which cells a row of HBase is a row of a table.
#ifndef BENNU_SRC_SQL_CATALOG_ROW_EXISTENCE_H_
#define BENNU_SRC_SQL_CATALOG_ROW_EXISTENCE_H_

#include <map>
#include <set>

#include "bennu/bytes.h"
#include "src/sql/catalog/table.h"

namespace bennu::sql::catalog {

// Adds what tells whether a row is there to the columns of a scan or a Get, to which nothing is to
// be added afterwards. Rows that SQL writes have the empty cell, whatever else is in them. Those
// below a mapped view are written by others: there any cell of the view's families makes a row, so
// that these families are read whole. Source: Phoenix's BaseResultIterators, on MAPPED.
void AddExistence(const TableMeta& table, std::map<Bytes, std::set<Bytes>>* columns);

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_ROW_EXISTENCE_H_
