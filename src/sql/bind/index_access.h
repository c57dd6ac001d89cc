// IndexAccess: a table's rows as one of its indexes has them.
//
// A SELECT is bound to the names of its tables whatever is read for them; with an IndexAccess the
// columns that it uses become those of the index. Immutable, shared by any number of threads.
#ifndef BENNU_SRC_SQL_BIND_INDEX_ACCESS_H_
#define BENNU_SRC_SQL_BIND_INDEX_ACCESS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/catalog/table.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"

namespace bennu::sql::bind {

struct IndexAccess {
  // What a column of the index's key holds.
  struct KeyPart {
    DataType type;  // of the values, however they are stored
    bool nullable = true;
    // The expression, in the catalog's words; empty for a column of the table.
    std::string expression;
    std::string text;  // as results and plans show the expression
  };
  // Where a column of the table's key is found for a row of the index.
  struct TableKeyPart {
    int32_t place = -1;  // in the key of the index; -1: the index lacks it
    Bytes held;          // what the table's key then has in all rows of the index
  };

  std::shared_ptr<const catalog::TableMeta> table;
  std::shared_ptr<const catalog::TableMeta> owner;  // whose index it is: see AccessOf
  std::shared_ptr<const catalog::TableMeta> index;
  std::vector<int32_t> columns;  // by column of the table: that of the index; -1: it has none
  std::vector<KeyPart> key;      // by key column of the index
  // Of a view: the value that a column has in all rows of the index, which lacks the column; by
  // column of the table. Empty when no column has one.
  std::vector<std::optional<Value>> held;
  // The part of the view's condition that all rows of the index meet; empty: none is known.
  std::string implied;
  // By column of the table's key. Empty: rows of the index do not tell whose they are, and are not
  // to be read. One of the columns is found nowhere, since the table got it later, or a JSON
  // document stands in front, whose bytes hold what would end it in a key.
  std::vector<TableKeyPart> table_key;
  bool has_expressions = false;
};

// 'owner': whose index it is, the table itself or what it was made over. Corruption: the index does
// not fit the table.
Result<std::shared_ptr<const IndexAccess>> AccessOf(
    std::shared_ptr<const catalog::TableMeta> table,
    std::shared_ptr<const catalog::TableMeta> index,
    std::shared_ptr<const catalog::TableMeta> owner);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_INDEX_ACCESS_H_
