#include "src/sql/plan/index_chooser.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/table_expressions.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/expr/evaluate.h"
#include "src/sql/parse/parser.h"
#include "src/sql/plan/implication.h"
#include "src/sql/plan/index_cost.h"
#include "src/sql/plan/plan_parts.h"
#include "src/sql/plan/row_order.h"

namespace bennu::sql::plan {
namespace {

using bind::BoundSelect;
using bind::KeyTerm;

// What WHERE says of one column of the key.
enum class Bounds : uint8_t { kNone, kOneSide, kBothSides, kPoints };

Bounds BoundsOf(const std::vector<KeyTerm>& terms, uint32_t column) {
  bool below = false;
  bool above = false;
  for (const KeyTerm& term : terms) {
    if (column < term.column || column >= term.column + term.column_count) continue;
    switch (term.kind) {
      case KeyTerm::Kind::kIn:
      case KeyTerm::Kind::kRowIn:
      case KeyTerm::Kind::kIsNull: return Bounds::kPoints;
      case KeyTerm::Kind::kCompare:
        if (term.op == CompareOp::kEqual) return Bounds::kPoints;
        break;
      case KeyTerm::Kind::kOr:
        if (std::all_of(term.children.begin(), term.children.end(), [](const KeyTerm& child) {
              return child.kind == KeyTerm::Kind::kCompare && child.op == CompareOp::kEqual;
            })) {
          return Bounds::kPoints;
        }
        below = above = true;
        break;
      case KeyTerm::Kind::kAnd:
      case KeyTerm::Kind::kLike:
      case KeyTerm::Kind::kStart:
      case KeyTerm::Kind::kRounded: below = above = true; break;
      case KeyTerm::Kind::kIsNotNull:
      case KeyTerm::Kind::kRowCompare: break;
    }
    const bool ranges =
        term.kind == KeyTerm::Kind::kCompare || term.kind == KeyTerm::Kind::kRowCompare;
    if (ranges && (term.op == CompareOp::kLess || term.op == CompareOp::kLessOrEqual)) above = true;
    if (ranges && (term.op == CompareOp::kGreater || term.op == CompareOp::kGreaterOrEqual)) {
      below = true;
    }
    if (term.kind == KeyTerm::Kind::kIsNotNull) below = true;
  }
  if (below && above) return Bounds::kBothSides;
  return below || above ? Bounds::kOneSide : Bounds::kNone;
}

// Columns of the key in front of those that the index is of: its number and the tenant.
uint32_t PrefixColumns(const catalog::TableMeta& table) {
  if (!table.is_index()) return 0;
  return (table.is_view_index() ? 1 : 0) + (table.multi_tenant ? 1 : 0);
}

// What the key of a view has more of such columns than that of its index: columns that the view
// holds to constants, which the index leaves out, less the index's number where it is one of them.
int64_t KeyColumnsLeftOut(const BoundSelect& select, size_t source) {
  const bind::Source& read = select.sources[source];
  if (!read.table->shares_its_table() || read.access == nullptr) return 0;
  int64_t held = 0;
  for (const uint32_t column : read.access->table->key_columns) {
    const catalog::ColumnMeta& of_view = read.access->table->columns[column];
    held += of_view.view_constant.empty() || of_view.hidden ? 0 : 1;
  }
  return held - (read.table->is_view_index() ? 1 : 0);
}

// How many columns of the key, from the first on, have conditions; behind a range that is open none
// counts any more.
uint32_t BoundColumns(const BoundSelect& select, size_t source) {
  const size_t count = select.sources[source].table->key_columns.size();
  uint32_t bound = 0;
  while (bound < count) {
    const Bounds bounds = BoundsOf(select.terms[source], bound);
    if (bounds == Bounds::kNone) break;
    ++bound;
    if (bounds == Bounds::kOneSide) break;
  }
  return bound;
}

bool NamesWholeKeys(const BoundSelect& select, size_t source) {
  const size_t count = select.sources[source].table->key_columns.size();
  for (uint32_t i = 0; i < count; ++i) {
    if (BoundsOf(select.terms[source], i) != Bounds::kPoints) return false;
  }
  return true;
}

bool NeedsNoSort(const BoundSelect& select) {
  if (select.order.empty()) return true;
  if (select.aggregated || select.distinct) return OrderOfGroups(select).is_wanted;
  return DirectionOfOrder(select, false) != KeyDirection::kAny;
}

// Columns that are looked up in the table.
int64_t MissingColumns(const BoundSelect& select, size_t source) {
  return std::count_if(select.slots.begin(), select.slots.end(), [&](const bind::Slot& slot) {
    return slot.source == source && slot.column == bind::Scope::kMissingColumn;
  });
}

int64_t ColumnsBesideKey(const catalog::TableMeta& table) {
  return static_cast<int64_t>(table.columns.size() - table.key_columns.size());
}

// With its schema or without.
bool IsNameOf(std::string_view name, const catalog::TableMeta& table) {
  return name == table.name || name == table.FullName();
}

// The place of the source's index in the INDEX hint for the source; -1: it is not named.
int64_t PlaceInHint(const BoundSelect& select, size_t source) {
  const bind::Source& read = select.sources[source];
  if (read.access == nullptr) return -1;
  for (const parse::Hint& hint : select.hints) {
    if (hint.name != "INDEX" || hint.arguments.empty()) continue;
    const std::string& table = hint.arguments[0];
    if (table != read.alias && !IsNameOf(table, *read.access->table)) continue;
    for (size_t i = 1; i < hint.arguments.size(); ++i) {
      if (IsNameOf(hint.arguments[i], *read.access->index)) return static_cast<int64_t>(i);
    }
  }
  return -1;
}

// The condition of a partial index over the slots of the SELECT. Null: it names a column that the
// SELECT does not.
Result<bind::ExprPtr> ConditionOver(const BoundSelect& select, size_t source,
                                    const std::shared_ptr<const catalog::TableMeta>& table,
                                    const catalog::TableMeta& index) {
  ASSIGN_OR_RETURN(const parse::ExprPtr tree, parse::ParseExpression(index.index_where));
  bind::TableExpressions expressions(table, bind::TableExpressions::Names::kOfCatalog);
  ASSIGN_OR_RETURN(const bind::ExprPtr condition, expressions.BindCondition(*tree));
  std::vector<int32_t> slots;
  for (const bind::Slot& slot : expressions.slots()) {
    slots.push_back(select.sources[source].slot_of_column[slot.column]);
    if (slots.back() < 0) return bind::ExprPtr();
  }
  const std::function<bind::ExprPtr(const bind::ExprPtr&)> renumber =
      [&](const bind::ExprPtr& expr) -> bind::ExprPtr {
    auto copy = std::make_shared<bind::Expr>(*expr);
    if (copy->kind == BoundKind::kSlot) copy->slot = static_cast<size_t>(slots[copy->slot]);
    for (bind::ExprPtr& child : copy->children) child = renumber(child);
    return copy;
  };
  return renumber(condition);
}

bool IsSubqueryValue(const bind::Expr& expr) {
  if (expr.kind == BoundKind::kParameter && expr.slot >= EvalContext::kSubqueryBase) return true;
  return std::any_of(expr.children.begin(), expr.children.end(),
                     [](const bind::ExprPtr& child) { return IsSubqueryValue(*child); });
}

// A condition compares with what a subquery gives.
bool HasSubqueryValues(const BoundSelect& select) {
  return std::any_of(select.where.begin(), select.where.end(),
                     [](const bind::Conjunct& each) { return IsSubqueryValue(*each.expr); });
}

bool HasConditionOn(const BoundSelect& select, size_t slot) {
  return std::any_of(select.where.begin(), select.where.end(), [&](const bind::Conjunct& each) {
    std::vector<size_t> slots;
    CollectSlots(*each.expr, &slots);
    return std::find(slots.begin(), slots.end(), slot) != slots.end();
  });
}

// Every row that the SELECT wants is in the index.
Result<bool> HasAllWantedRows(const BoundSelect& select, size_t source,
                              const std::shared_ptr<const catalog::TableMeta>& table,
                              const catalog::TableMeta& index) {
  if (index.index_where.empty()) return true;
  ASSIGN_OR_RETURN(const bind::ExprPtr condition, ConditionOver(select, source, table, index));
  if (condition == nullptr) return false;
  std::vector<const bind::Expr*> known;
  for (const bind::Conjunct* conjunct : ConditionsOn(select, static_cast<int32_t>(source))) {
    known.push_back(conjunct->expr.get());
  }
  return Follows(known, *condition);
}

}  // namespace

Result<bind::Accesses> IndexChooser::CandidatesFor(const BoundSelect& select, size_t source) {
  bind::Accesses candidates;
  const bind::Source& read = select.sources[source];
  if (read.table == nullptr || read.hidden) return candidates;
  if (read.table->indexes.empty() && !read.table->shares_index_table()) return candidates;
  if (select.never || read.sample_percent < 100) return candidates;
  // OFFSET names the key of what is to be read, whatever the hints say.
  const bool wants_index = !select.offset_refused.ok();
  if (HasHint(select, "NO_INDEX") && !wants_index) return candidates;
  // These are about the table's own keys and cells.
  bool is_about_table = !select.offset_key.empty() || select.segment_start != nullptr ||
                        select.segment_stop != nullptr;
  for (size_t i = 0; i < select.slots.size(); ++i) {
    const bind::Slot& slot = select.slots[i];
    if (slot.source != source || !bind::Scope::IsPseudoColumn(slot.column)) continue;
    // The key that a DELETE wants of each row is made of the index's once the row is found.
    const bool can_be_made = finds_keys() && slot.column == bind::Scope::kRowKeyColumn;
    is_about_table = is_about_table || !can_be_made || HasConditionOn(select, i);
  }
  if (is_about_table || (NamesWholeKeys(select, source) && !wants_index)) return candidates;
  ASSIGN_OR_RETURN(const auto indexes, catalog_->IndexesFor(read.table));
  std::optional<bool> readable;  // all local indexes, which lie in the same regions
  for (const auto& [index, owner] : indexes) {
    if (!index->is_usable_index()) continue;
    const auto has_all = HasAllWantedRows(select, source, read.table, *index);
    if (!has_all.ok()) {
      // A view need not have all columns of what it was made over.
      if (owner != read.table) continue;
      return has_all.status();
    }
    if (!*has_all) continue;
    auto access = bind::AccessOf(read.table, index, owner);
    if (!access.ok()) {
      if (owner != read.table) continue;
      return access.status();
    }
    if ((*access)->table_key.empty()) continue;
    if (index->is_local_index()) {
      if (!readable.has_value()) {
        ASSIGN_OR_RETURN(readable, catalog::IsLocalIndexReadable(catalog_->connection(), *index));
      }
      if (!*readable) continue;
    }
    candidates.push_back(std::move(*access));
  }
  return candidates;
}

Result<bool> IndexChooser::IsPossible(const BoundSelect& select, size_t source) {
  const catalog::TableMeta& table = *select.sources[source].table;
  const bool uncovered = table.index_type == catalog::IndexType::kUncovered;
  const bool is_hinted = PlaceInHint(select, source) >= 0;
  if (!select.offset_refused.ok()) return false;
  if (!select.offset_key.empty() && !NeedsNoSort(select)) return false;
  // Only what is made for it, or is asked for it, leads to the table for what it lacks.
  const bool is_made_for_it = uncovered || table.is_local_index();
  if (MissingColumns(select, source) > 0 && !is_made_for_it && !is_hinted) return false;
  if (!select.offset_key.empty()) return true;
  // Looking up all rows of a table by way of an index takes longer than reading the table.
  // A change of another table reads the table unless a condition is answered by the index.
  const bool only_bound = uncovered || feeds_upsert();
  const uint32_t prefix = PrefixColumns(*select.sources[source].table);
  if (is_hinted) return true;
  if (only_bound && BoundColumns(select, source) <= prefix) return false;
  // The first rows of an order that the index has are found without those behind them.
  const bool first_rows = select.limited && !select.order.empty() && NeedsNoSort(select);
  if ((MissingColumns(select, source) == 0 && !uncovered) || first_rows) return true;
  ASSIGN_OR_RETURN(const bool slower, IsSlowerThanFullScan(select, source, catalog_->connection()));
  return !slower;
}

// Servers delete the rows of the table that they find there, which is quicker than to be told of
// them. With a LIMIT or subqueries they cannot.
bool IndexChooser::PrefersTable(const BoundSelect& select) const {
  if (HasHint(select, "USE_DATA_OVER_INDEX_TABLE")) return true;
  const bool by_servers = write_ != nullptr && write_->way == WriteWay::kFoundKeys &&
                          select.sources.size() == 1 && !HasSubqueryValues(select);
  if (!by_servers || HasHint(select, "USE_INDEX_OVER_DATA_TABLE")) return false;
  // Subqueries do not ask for keys.
  return std::any_of(select.slots.begin(), select.slots.end(), [](const bind::Slot& slot) {
    return slot.column == bind::Scope::kRowKeyColumn;
  });
}

bool IndexChooser::IsBetter(const BoundSelect& one, const BoundSelect& other, size_t source) {
  if (!other.offset_refused.ok()) return true;  // 'one' is possible
  const int64_t one_hinted = PlaceInHint(one, source);
  const int64_t other_hinted = PlaceInHint(other, source);
  if (one_hinted != other_hinted) {
    return one_hinted >= 0 && (other_hinted < 0 || one_hinted < other_hinted);
  }
  const bool single = one.sources.size() == 1;
  const auto points = std::make_pair(NamesWholeKeys(one, source), NamesWholeKeys(other, source));
  if (points.first != points.second) return points.first;
  if (single) {
    const auto unsorted = std::make_pair(NeedsNoSort(one), NeedsNoSort(other));
    if (unsorted.first != unsorted.second) return unsorted.first;
  }
  const int64_t one_bound = BoundColumns(one, source) + KeyColumnsLeftOut(one, source);
  const int64_t other_bound = BoundColumns(other, source) + KeyColumnsLeftOut(other, source);
  if (one_bound != other_bound) return one_bound > other_bound;
  if (single && ((one.aggregated && !one.groups.empty()) || one.distinct)) {
    const auto by_key = std::make_pair(OrderOfGroups(one).by_key, OrderOfGroups(other).by_key);
    if (by_key.first != by_key.second) return by_key.first;
  }
  const int64_t one_missing = MissingColumns(one, source);
  const int64_t other_missing = MissingColumns(other, source);
  if (one_missing != other_missing) return one_missing < other_missing;
  const bool table_first = PrefersTable(one);
  const catalog::TableMeta& one_table = *one.sources[source].table;
  const catalog::TableMeta& other_table = *other.sources[source].table;
  const bool both_indexes = one_table.is_index() && other_table.is_index();
  if (!table_first || both_indexes) {
    const int64_t one_columns = ColumnsBesideKey(one_table);
    const int64_t other_columns = ColumnsBesideKey(other_table);
    if (one_columns != other_columns) return one_columns < other_columns;
  }
  // Each region is looked into for what is asked of a local index.
  if (both_indexes) return !one_table.is_local_index() && other_table.is_local_index();
  return one_table.is_index() != table_first;
}

}  // namespace bennu::sql::plan
