// Small questions that the planners share.
#ifndef BENNU_SRC_SQL_PLAN_PLAN_PARTS_H_
#define BENNU_SRC_SQL_PLAN_PLAN_PARTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/sql/bind/bound_query.h"
#include "src/sql/plan/sort_field.h"
#include "src/sql/types/type.h"

namespace bennu::sql::plan {

struct IndexedTable;

bool HasHint(const bind::BoundSelect& select, std::string_view name);
// Null for no conditions.
Result<bind::ExprPtr> AllOf(std::vector<bind::ExprPtr> conditions);
Result<bind::ExprPtr> AllOf(const std::vector<const bind::Conjunct*>& conditions);
// Those of WHERE that are about this source alone; -1: about several. They live as long as
// 'select'.
std::vector<const bind::Conjunct*> ConditionsOn(const bind::BoundSelect& select, int32_t source);

// Conditions on the rows of an index, before and behind the look-up in its table. Null: none.
struct FilterParts {
  bind::ExprPtr before;
  bind::ExprPtr behind;
};
// What needs only the index stands before the look-up, so that fewer rows are looked up. 'filter'
// may be null.
Result<FilterParts> SplitFilter(const IndexedTable& indexed, const bind::ExprPtr& filter);

std::vector<DataType> TypesOf(const std::vector<bind::Output>& outputs);
std::vector<SortField> FieldsOf(const std::vector<bind::OrderField>& order);

}  // namespace bennu::sql::plan

#endif  // BENNU_SRC_SQL_PLAN_PLAN_PARTS_H_
