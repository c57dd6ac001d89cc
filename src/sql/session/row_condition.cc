#include "src/sql/session/row_condition.h"

#include <vector>

#include "bennu/filter.h"

namespace bennu::sql::session {

Table::Condition Unchanged(ByteView key, const Row& row, std::span<const ColumnName> columns) {
  Table::Condition condition;
  condition.row = key;
  if (row.Find(columns[0].first, columns[0].second) == nullptr) {
    condition.family = columns[0].first;
    condition.qualifier = columns[0].second;
    condition.expect_absent = true;
    return condition;
  }
  // One value says it all where no other column counts: only a row that is there has it.
  const ColumnName& only = columns[columns.size() - 1];
  const Cell* const cell = row.Find(only.first, only.second);
  if (columns.size() <= 2 && cell != nullptr && !cell->value_view().empty()) {
    condition.family = only.first;
    condition.qualifier = only.second;
    condition.value = cell->value_view();
    return condition;
  }
  std::vector<FilterPtr> tests;
  for (const auto& [family, qualifier] : columns) {
    const Cell* const was = row.Find(family, qualifier);
    ColumnTest test;
    test.family = family;
    test.qualifier = qualifier;
    // A column without a value passes as one that is missing; no value equals null.
    test.filter_if_missing = was != nullptr;
    test.comparator =
        was != nullptr ? NewBinaryComparator(Bytes(was->value_view())) : NewNullComparator();
    tests.push_back(NewSingleColumnValueFilter(std::move(test)));
  }
  condition.filter = NewFilterList(FilterListOp::kMustPassAll, std::move(tests));
  return condition;
}

}  // namespace bennu::sql::session
