// IndexAccess: a table's rows as one of its indexes has them.
//
// A SELECT is bound to the names of its tables whatever is read for them; with an IndexAccess the
// columns that it uses become those of the index. Immutable, shared by any number of threads.
#ifndef BENNU_SRC_SQL_BIND_INDEX_ACCESS_H_
#define BENNU_SRC_SQL_BIND_INDEX_ACCESS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/sql/catalog/table.h"
#include "src/sql/types/type.h"

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

  std::shared_ptr<const catalog::TableMeta> table;
  std::shared_ptr<const catalog::TableMeta> index;
  std::vector<int32_t> columns;  // by column of the table: that of the index; -1: it has none
  std::vector<KeyPart> key;      // by key column of the index
  // By column of the table's key: its place in the key of the index. Empty: the index lacks one of
  // them, which the table got later, so that its rows cannot tell those of the table apart.
  std::vector<uint32_t> table_key;
  bool has_expressions = false;
};

// Corruption: the index does not fit the table.
Result<std::shared_ptr<const IndexAccess>> AccessOf(
    std::shared_ptr<const catalog::TableMeta> table,
    std::shared_ptr<const catalog::TableMeta> index);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_INDEX_ACCESS_H_
