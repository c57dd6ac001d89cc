#include "src/sql/bind/change_binder.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/assign.h"
#include "src/sql/bind/expression_parts.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/table_builder.h"
#include "src/sql/catalog/view.h"
#include "src/sql/expr/function_advice.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::bind {
namespace {

using catalog::ColumnMeta;
using catalog::TableMeta;
using TablePtr = std::shared_ptr<const TableMeta>;

Result<TablePtr> TableNamed(const parse::QualifiedName& name, const BindContext& context) {
  const std::string& schema = name.qualifier.empty() ? context.default_schema : name.qualifier.text;
  return context.catalog->GetTable(schema, name.name.text, name.position(), context.as_of,
                                   context.tenant);
}

Result<TablePtr> TableToChange(const parse::QualifiedName& name, const BindContext& context) {
  ASSIGN_OR_RETURN(TablePtr table, TableNamed(name, context));
  // A view that shows rows by more than constants.
  if (table->is_view() && table->view_type != catalog::ViewType::kUpdatable) {
    return MakeSqlError(505, "tableName=" + table->FullName(), name.position());
  }
  // Statistics are thrown away like this.
  const bool is_system = table->is_system() && table->name != "STATS";
  if (is_system || table->type == catalog::TableType::kIndex) {
    return MakeSqlError(1010, "tableName=" + table->FullName(), name.position());
  }
  if (context.check_indexes != nullptr) {
    RETURN_IF_ERROR(WithPosition(context.check_indexes(*table), name.position()));
    return table;
  }
  ASSIGN_OR_RETURN(const bool has_indexes, context.catalog->HasIndexes(*table));
  if (has_indexes) {
    return MakeUncodedSqlError(
        "table " + table->FullName() + " has indexes, which this store cannot keep in step with it",
        name.position());
  }
  return table;
}

// ---------------------------------------------------------------- UPSERT

Result<TablePtr> AddDynamicColumns(TablePtr table,
                                   const std::vector<parse::ColumnDef>& definitions) {
  std::vector<ColumnMeta> dynamic;
  for (const parse::ColumnDef& definition : definitions) {
    if (definition.type.name.empty()) continue;
    ASSIGN_OR_RETURN(ColumnMeta column, catalog::BuildColumn(definition, catalog::DdlContext{}));
    dynamic.push_back(std::move(column));
  }
  if (dynamic.empty()) return table;
  ASSIGN_OR_RETURN(TableMeta extended, table->WithDynamicColumns(dynamic));
  return std::make_shared<const TableMeta>(std::move(extended));
}

Result<BoundTarget> BindTarget(const parse::Upsert& statement, const BindContext& context) {
  BoundTarget target;
  ASSIGN_OR_RETURN(TablePtr table, TableToChange(statement.table, context));
  ASSIGN_OR_RETURN(target.table, AddDynamicColumns(std::move(table), statement.columns));
  if (context.as_of != kLatestTimestamp && target.table->row_timestamp_column >= 0) {
    return MakeSqlError(901, "tableName=" + target.table->FullName());
  }
  target.named = !statement.columns.empty();
  for (const parse::ColumnDef& definition : statement.columns) {
    ASSIGN_OR_RETURN(const uint32_t column, FindColumn(*target.table, definition.name));
    target.columns.push_back(column);
  }
  for (uint32_t i = 0; !target.named && i < target.table->columns.size(); ++i) {
    if (!target.table->columns[i].hidden) target.columns.push_back(i);
  }
  return target;
}

Status BindAssignments(const parse::Upsert& statement, const BindContext& context,
                       BoundUpsert* result) {
  const TableMeta& table = *result->target.table;
  const int64_t position = statement.table.position();
  if (table.immutable_rows) return MakeSqlError(1219, "tableName=" + table.FullName(), position);
  if (context.as_of != kLatestTimestamp) {
    return MakeSqlError(1223, "tableName=" + table.FullName(), position);
  }
  std::set<uint32_t> assigned;
  for (const parse::Assignment& assignment : statement.assignments) {
    ASSIGN_OR_RETURN(const uint32_t column, FindColumn(table, assignment.column));
    const std::string detail = "columnName=" + table.FullName() + "." + table.columns[column].name;
    const int64_t place = assignment.column.position();
    if (table.columns[column].is_key()) return MakeSqlError(1218, detail, place);
    if (!assigned.insert(column).second) return MakeSqlError(1221, detail, place);
    if (HasAggregate(*assignment.value)) return MakeSqlError(1222, detail, place);
    if (NamesSequence(*assignment.value)) return MakeSqlError(1205, detail, place);
    result->assignments.push_back({column, assignment.value.get()});
  }
  return Status::Ok();
}

// The values of VALUES, one after another.
class ValuesBinder {
 public:
  explicit ValuesBinder(BoundUpsert* result) : result_(*result) {}

  Status BindRow(const parse::ExprList& row) {
    const bool sequences =
        std::any_of(row.begin(), row.end(), [](const auto& expr) { return NamesSequence(*expr); });
    for (uint32_t i = 0; i < row.size(); ++i) RETURN_IF_ERROR(BindValue(*row[i], i, sequences));
    if (sequences) EndGroup();
    return Status::Ok();
  }

  void EndGroup() {
    if (!group_.empty()) result_.computed.push_back(std::exchange(group_, {}));
  }

 private:
  Status BindValue(const parse::Expr& expr, uint32_t value, bool beside_sequence) {
    const ColumnMeta& column = result_.target.ColumnOf(value);
    if (const parse::Expr* name = FindColumnIn(expr)) {
      return MakeSqlError(204, "", name->position, AdviceFor(*name));
    }
    if (HasAggregate(expr)) return MakeSqlError(204, "", expr.position);
    if (parse::IsRow(expr)) {
      return MakeSqlError(203, "a row value for " + column.name, expr.position);
    }
    if (expr.kind == parse::ExprKind::kBind) {
      const auto index = static_cast<uint32_t>(expr.bind_index - 1);
      result_.parameter_values[index] = static_cast<int32_t>(value);
      Add(BoundValue::Kind::kParameter, index, -1);
      return Status::Ok();
    }
    ASSIGN_OR_RETURN(const std::optional<Value> literal, LiteralOf(expr));
    if (literal.has_value()) {
      Add(BoundValue::Kind::kConstant, result_.constants.size(), -1);
      return WithPosition(EncodeAssigned(*literal, column, &result_.constants.emplace_back()),
                          expr.position);
    }
    Add(BoundValue::Kind::kComputed, computed_count_++, expr.position);
    group_.push_back({&expr, value, beside_sequence});
    return Status::Ok();
  }

  // For a column's name among the values: what was meant.
  std::string AdviceFor(const parse::Expr& name) const {
    if (result_.target.table->FindColumn(name.column.text, name.position).ok()) {
      return "what is computed from the row goes into ON DUPLICATE KEY UPDATE, or UPSERT ... "
             "SELECT";
    }
    std::string function = BareFunctionAdvice(name.column.text);
    return function.empty() ? "a text is written in single quotes" : function;
  }

  void Add(BoundValue::Kind kind, size_t index, int64_t position) {
    result_.values.push_back({kind, static_cast<uint32_t>(index), position});
  }

  BoundUpsert& result_;
  std::vector<ComputedValue> group_;
  size_t computed_count_ = 0;
};

Status BindValues(const parse::Upsert& statement, int32_t bind_count, BoundUpsert* result) {
  result->value_count = statement.rows[0].size();
  for (const parse::ExprList& row : statement.rows) {
    RETURN_IF_ERROR(
        CheckValueCount(result->target, row.size(), row.empty() ? -1 : row[0]->position));
    if (row.size() != result->value_count) {
      return MakeSqlError(1020, "all rows must have as many values as the first one");
    }
  }
  result->parameter_values.assign(static_cast<size_t>(bind_count), -1);
  result->values.reserve(statement.rows.size() * result->value_count);
  ValuesBinder binder(result);
  for (const parse::ExprList& row : statement.rows) RETURN_IF_ERROR(binder.BindRow(row));
  binder.EndGroup();
  return Status::Ok();
}

// The only view that a query reads; null when it reads something else.
Result<TablePtr> ViewRead(const parse::Select& select, const BindContext& context) {
  const bool single = select.from.size() == 1 && select.union_all.empty() &&
                      select.from[0]->kind == parse::TableRefKind::kNamed;
  if (!single) return TablePtr();
  return TableNamed(select.from[0]->name, context);
}

// A column that the view read holds to the same constant as the view written to holds 'column'.
bool IsHeldColumn(const parse::Expr& expr, const TableMeta* view, const ColumnMeta& column) {
  if (view == nullptr || expr.kind != parse::ExprKind::kColumn) return false;
  const Result<uint32_t> found = view->FindColumn(expr.column.text);
  return found.ok() && view->columns[*found].view_constant == column.view_constant &&
         view->columns[*found].type == column.type;
}

// A column that the view holds to a constant takes nothing else, and of a column of the query that
// may vary Phoenix does not find out what it gives.
Status CheckViewColumns(const parse::Select& select, const BoundTarget& target,
                        const BindContext& context) {
  if (!target.table->is_view()) return Status::Ok();
  ASSIGN_OR_RETURN(const auto view, ViewRead(select, context));
  bool star = false;
  for (size_t i = 0; i < select.items.size(); ++i) {
    star = star || select.items[i].expr->kind == parse::ExprKind::kStar;
    if (!star && i >= target.columns.size()) break;
    // All columns of the same view.
    if (star && view != nullptr && view->key() == target.table->key()) break;
    const parse::Expr& item = *select.items[i].expr;
    const bool varies = star || FindColumnIn(item) != nullptr;
    const size_t end = star ? target.columns.size() : i + 1;
    for (size_t c = i; varies && c < end; ++c) {
      const ColumnMeta& column = target.ColumnOf(c);
      if (!column.view_constant.empty() && !column.hidden &&
          (star || !IsHeldColumn(item, view.get(), column))) {
        return MakeSqlError(1046, "columnName=" + column.name, select.position);
      }
    }
  }
  return Status::Ok();
}

// VALUES may name a column of no key twice, and the last value counts, as in Phoenix; SELECT may
// not.
Status CheckNamedOnce(const BoundTarget& target, int64_t position) {
  for (size_t i = 0; target.named && i < target.columns.size(); ++i) {
    const ColumnMeta& column = target.ColumnOf(i);
    const auto end = target.columns.begin() + static_cast<std::ptrdiff_t>(i);
    if (column.key_position >= 0 ||
        std::find(target.columns.begin(), end, target.columns[i]) == end)
      continue;
    return MakeSqlError(514, "columnName=" + target.table->FullName() + "." + column.name,
                        position);
  }
  return Status::Ok();
}

// ---------------------------------------------------------------- DELETE

// Which rows a view or a tenant sees may be a part of what names whole keys; else it is for the
// query to find out.
Result<std::optional<KeyPoints>> MatchPoints(const parse::Expr& where, const TableMeta& table) {
  const std::string& alias = table.name;
  ASSIGN_OR_RETURN(parse::ExprPtr condition, catalog::ConditionOf(table, /*with_expired=*/true));
  if (condition == nullptr) return KeyPoints::Match(where, table, alias);
  const parse::ExprPtr both =
      catalog::JoinConditions(where.Clone(), catalog::NormalizeCondition(std::move(condition)));
  return KeyPoints::Match(*both, table, alias);
}

}  // namespace

Status CheckValueCount(const BoundTarget& target, size_t values, int64_t position) {
  const size_t columns = target.columns.size();
  if (values == columns || (!target.named && values < columns)) return Status::Ok();
  return MakeSqlError(1020,
                      "Numbers of columns: " + std::to_string(columns) + ". Number of values: " +
                          std::to_string(values) + " tableName=" + target.table->FullName(),
                      position);
}

Result<uint32_t> FindColumn(const TableMeta& table, const parse::QualifiedName& name) {
  return name.qualifier.empty()
             ? table.FindColumn(name.name.text, name.position())
             : table.FindColumn(name.qualifier.text, name.name.text, name.position());
}

Result<BoundUpsert> BindUpsert(const parse::Upsert& statement, const BindContext& context,
                               int32_t bind_count) {
  BoundUpsert result;
  ASSIGN_OR_RETURN(result.target, BindTarget(statement, context));
  result.select = statement.select.get();
  result.returning = statement.returning;
  if (result.select != nullptr) {
    RETURN_IF_ERROR(CheckNamedOnce(result.target, statement.table.position()));
    RETURN_IF_ERROR(CheckViewColumns(*result.select, result.target, context));
    return result;
  }
  result.on_duplicate = statement.on_duplicate;
  if (result.on_duplicate != parse::OnDuplicateKey::kNone) {
    RETURN_IF_ERROR(BindAssignments(statement, context, &result));
  }
  RETURN_IF_ERROR(BindValues(statement, bind_count, &result));
  return result;
}

Result<BoundDelete> BindDelete(const parse::Delete& statement, const BindContext& context) {
  BoundDelete result;
  ASSIGN_OR_RETURN(result.table, TableToChange(statement.table, context));
  result.takes_first = statement.limit != nullptr || !statement.order_by.empty();
  if (statement.where != nullptr && statement.limit == nullptr) {
    ASSIGN_OR_RETURN(result.points, MatchPoints(*statement.where, *result.table));
  }
  return result;
}

parse::Select SelectKeys(const parse::Delete& statement) {
  parse::Select select;
  select.hints = statement.hints;
  auto key = std::make_unique<parse::Expr>(parse::ExprKind::kFunction, -1);
  key->function_name = parse::kStoredRowKey;
  select.items.push_back(parse::SelectItem{std::move(key), {}});
  auto from = std::make_unique<parse::TableRef>();
  from->name = statement.table;
  from->position = statement.table.position();
  select.from.push_back(std::move(from));
  if (statement.where != nullptr) select.where = statement.where->Clone();
  for (const parse::OrderItem& item : statement.order_by) select.order_by.push_back(item.Clone());
  if (statement.limit != nullptr) select.limit = statement.limit->Clone();
  return select;
}

}  // namespace bennu::sql::bind
