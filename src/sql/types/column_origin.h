// ColumnOrigin: where a column of a result comes from, as JDBC's ResultSetMetaData tells it.
#ifndef BENNU_SRC_SQL_TYPES_COLUMN_ORIGIN_H_
#define BENNU_SRC_SQL_TYPES_COLUMN_ORIGIN_H_

#include <string>

namespace bennu::sql {

struct ColumnOrigin {
  std::string name;  // without the alias: of the column, or the expression's text; empty: the label
  std::string table;  // the alias, or the full name of the table; empty: of none, or of several
  bool case_sensitive = false;  // the name or alias
};

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_TYPES_COLUMN_ORIGIN_H_
