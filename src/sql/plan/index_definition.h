// IndexDefinition: an index and its table, with what the index is made of bound to the table's
// columns. Immutable; shared by any number of threads.
#ifndef BENNU_SRC_SQL_PLAN_INDEX_DEFINITION_H_
#define BENNU_SRC_SQL_PLAN_INDEX_DEFINITION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/sql/bind/expr.h"
#include "src/sql/catalog/table.h"
#include "src/sql/plan/scan_column.h"
#include "src/sql/types/type.h"

namespace bennu::sql::plan {

// What stands in one column of the index's key.
struct IndexedPart {
  bind::ExprPtr expr;  // over the definition's slots
  DataType key_type;
  SortOrder order = SortOrder::kAsc;
};

// A column that the index repeats.
struct IncludedPart {
  // Where the table has it; of a single-cell table the element of the family's array.
  ScanColumn source;
  uint32_t column = 0;  // of the index
};

struct IndexDefinition {
  std::shared_ptr<const catalog::TableMeta> table;
  std::shared_ptr<const catalog::TableMeta> index;
  std::vector<IndexedPart> key;        // by key column
  std::vector<IncludedPart> included;  // in the order of HBase's columns in the index
  bind::ExprPtr condition;             // of a view, or a partial index; null: all rows are in it
  std::vector<ScanColumn> columns;     // fill in the slots from a row of the table
  std::vector<DataType> slot_types;
  // Of a view: behind the salt, what the keys of its rows begin with, as far as it is known. Rows
  // with other keys need not be such that the view's columns can be read from them.
  Bytes row_prefix;
  // The view has more columns in its key than the table below. Rows without them are none of its.
  bool has_longer_key = false;
  // Expires with its table's rows, so that rows that stay the same are written anew with them.
  bool expires = false;
};

// Errors: Corruption for a definition that does not fit its table.
Result<std::shared_ptr<const IndexDefinition>> DefineIndex(
    std::shared_ptr<const catalog::TableMeta> table,
    std::shared_ptr<const catalog::TableMeta> index);

// Where the table's rows are that the index may have: everywhere, or where the keys of a view's
// rows begin alike.
std::vector<RowRange> RowsToIndex(const IndexDefinition& definition);

// Adds the columns that the index is made of, and those by which a row of the table is there: see
// catalog::AddExistence.
void AddReadColumns(const IndexDefinition& definition, std::map<Bytes, std::set<Bytes>>* columns);

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_INDEX_DEFINITION_H_
