#include "src/sql/catalog/view.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/parse/parser.h"
#include "src/sql/parse/sql_text.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql::catalog {
namespace {

using parse::CompareOp;
using parse::Expr;
using parse::ExprKind;
using parse::ExprPtr;

// Functions that make a condition depend on rows though it names no column.
bool IsAggregate(const Expr& expr) {
  static constexpr std::array<std::string_view, 5> kNames = {"COUNT", "SUM", "AVG", "MIN", "MAX"};
  return expr.kind == ExprKind::kFunction &&
         (expr.within_group ||
          std::find(kNames.begin(), kNames.end(), expr.function_name) != kNames.end());
}

CompareOp Mirrored(CompareOp op) {
  switch (op) {
    case CompareOp::kLess: return CompareOp::kGreater;
    case CompareOp::kLessOrEqual: return CompareOp::kGreaterOrEqual;
    case CompareOp::kGreater: return CompareOp::kLess;
    case CompareOp::kGreaterOrEqual: return CompareOp::kLessOrEqual;
    default: return op;
  }
}

ExprPtr MakeComparison(CompareOp op, ExprPtr left, ExprPtr right) {
  auto comparison = std::make_unique<Expr>(ExprKind::kComparison, left->position);
  comparison->compare = op;
  comparison->children.push_back(std::move(left));
  comparison->children.push_back(std::move(right));
  return comparison;
}

ExprPtr NormalizeBetween(ExprPtr between) {
  ExprPtr value_again = between->children[0]->Clone();
  auto both = std::make_unique<Expr>(ExprKind::kAnd, between->position);
  both->children.push_back(NormalizeCondition(MakeComparison(
      CompareOp::kLessOrEqual, std::move(between->children[1]), std::move(value_again))));
  both->children.push_back(NormalizeCondition(MakeComparison(
      CompareOp::kLessOrEqual, std::move(between->children[0]), std::move(between->children[2]))));
  if (!between->negated) return both;
  auto negation = std::make_unique<Expr>(ExprKind::kNot, between->position);
  negation->children.push_back(std::move(both));
  return negation;
}

// Collects what the parts of a condition say.
class Analyzer {
 public:
  Analyzer(const TableMeta& table, const ConstantEvaluator& evaluate)
      : table_(table), evaluate_(evaluate) {}

  Result<ViewCondition> Analyze(const Expr& condition) {
    RETURN_IF_ERROR(AddReferences(condition));
    RETURN_IF_ERROR(AddPart(condition));
    result_.equalities = result_.constants;
    if (!result_.updatable) result_.constants.clear();
    return std::move(result_);
  }

 private:
  Status AddReferences(const Expr& expr) {
    if (expr.kind == ExprKind::kColumn) {
      ASSIGN_OR_RETURN(const uint32_t column, ResolveColumn(expr, table_));
      result_.referenced.push_back(column);
    }
    for (const ExprPtr& child : expr.children) {
      if (child != nullptr) RETURN_IF_ERROR(AddReferences(*child));
    }
    return Status::Ok();
  }

  Status AddPart(const Expr& part) {
    switch (part.kind) {
      case ExprKind::kRowValue:
        if (part.children.size() == 1) return AddPart(*part.children[0]);
        break;
      case ExprKind::kAnd:
        for (const ExprPtr& child : part.children) RETURN_IF_ERROR(AddPart(*child));
        return Status::Ok();
      case ExprKind::kComparison:
        if (part.compare == CompareOp::kEqual && part.quantifier == parse::Quantifier::kNone) {
          return AddEquality(*part.children[0], *part.children[1]);
        }
        break;
      case ExprKind::kInList:
        if (!part.negated && part.children.size() == 2) {
          return AddEquality(*part.children[0], *part.children[1]);
        }
        break;
      // A column that is to be NULL needs nothing to be filled in.
      case ExprKind::kIsNull:
        if (!part.negated && part.children[0]->kind == ExprKind::kColumn) {
          return AddColumn(*part.children[0]);
        }
        break;
      case ExprKind::kColumn: return AddColumn(part);  // a BOOLEAN
      default: break;
    }
    result_.updatable = false;
    return Status::Ok();
  }

  // A column with a DEFAULT is to Phoenix an expression over it.
  static bool IsPlain(const ColumnMeta& column) {
    return column.is_key() || column.default_text.empty();
  }

  Status AddColumn(const Expr& expr) {
    ASSIGN_OR_RETURN(const uint32_t index, ResolveColumn(expr, table_));
    result_.updatable = result_.updatable && IsPlain(table_.columns[index]);
    return Status::Ok();
  }

  Status AddEquality(const Expr& left, const Expr& right) {
    const bool rows = left.kind == ExprKind::kRowValue && right.kind == ExprKind::kRowValue &&
                      left.children.size() == right.children.size();
    if (rows) {
      for (size_t i = 0; i < left.children.size(); ++i) {
        RETURN_IF_ERROR(AddEquality(*left.children[i], *right.children[i]));
      }
      return Status::Ok();
    }
    if (left.kind != ExprKind::kColumn || !IsConstantCondition(right)) {
      result_.updatable = false;
      return Status::Ok();
    }
    ASSIGN_OR_RETURN(const uint32_t index, ResolveColumn(left, table_));
    const ColumnMeta& column = table_.columns[index];
    Bytes encoded;
    if (!IsPlain(column) || !EncodeConstant(right, column, &encoded)) {
      result_.updatable = false;
      return Status::Ok();
    }
    if (!encoded.empty()) result_.constants.emplace_back(index, std::move(encoded));
    return Status::Ok();
  }

  // False when the value is not always the same, or none that the column can have.
  bool EncodeConstant(const Expr& expr, const ColumnMeta& column, Bytes* encoded) {
    if (!evaluate_) return false;
    const auto value = evaluate_(expr);
    if (!value.ok()) return false;
    if (value->is_null()) return true;
    const auto coerced = Coerce(*value, column.type, column.name);
    return coerced.ok() && Encode(*coerced, column.type, column.sort_order, encoded).ok();
  }

  const TableMeta& table_;
  const ConstantEvaluator& evaluate_;
  ViewCondition result_;
};

bool IsExcluded(const std::vector<ExcludedColumn>& excluded, const ColumnMeta& column) {
  return std::any_of(excluded.begin(), excluded.end(), [&](const ExcludedColumn& dropped) {
    return dropped.family == column.family && dropped.name == column.name &&
           column.timestamp <= dropped.timestamp;
  });
}

// The parent's columns that the view still has, then its own.
void InheritColumns(const TableMeta& parent, TableMeta* view) {
  const bool diverged = view->base_column_count == kDivergedColumns;
  std::vector<ColumnMeta> own = std::move(view->columns);
  view->columns.clear();
  for (ColumnMeta column : parent.columns) {
    if (diverged && !column.is_key() && column.timestamp > view->timestamp) continue;
    if (IsExcluded(view->excluded, column)) continue;
    const auto same = std::find_if(own.begin(), own.end(), [&](const ColumnMeta& mine) {
      return mine.family == column.family && mine.name == column.name;
    });
    if (same != own.end()) own.erase(same);  // written by a client that copied them
    column.derived = true;
    view->columns.push_back(std::move(column));
  }
  for (ColumnMeta& column : own) view->columns.push_back(std::move(column));
  for (size_t i = 0; i < view->columns.size(); ++i) {
    view->columns[i].ordinal = static_cast<int32_t>(i) + 1;
  }
}

Status ApplyCondition(const ConstantEvaluator& evaluate, TableMeta* view) {
  if (view->view_condition.empty()) return Status::Ok();
  ASSIGN_OR_RETURN(const ExprPtr condition, parse::ParseExpression(view->view_condition));
  const auto analyzed = AnalyzeCondition(*condition, *view, evaluate);
  if (!analyzed.ok()) {
    // A column of the condition was dropped: the view means nothing any more.
    if (IsSqlError(analyzed.status(), 504) || IsSqlError(analyzed.status(), 1001)) {
      return MakeSqlError(1012, "tableName=" + view->FullName());
    }
    return analyzed.status();
  }
  for (const auto& [column, value] : analyzed->constants) {
    view->columns[column].view_constant = value;
  }
  for (const auto& [column, value] : analyzed->equalities) {
    view->columns[column].equal_to = value;
  }
  for (const uint32_t column : analyzed->referenced) view->columns[column].view_referenced = true;
  return Status::Ok();
}

ExprPtr BooleanLiteral(bool value) {
  auto literal = std::make_unique<Expr>(ExprKind::kLiteral, -1);
  literal->literal = value ? parse::LiteralKind::kTrue : parse::LiteralKind::kFalse;
  return literal;
}

// A row of which the condition is unknown has not expired.
ExprPtr NotExpired(ExprPtr expired) {
  auto choice = std::make_unique<Expr>(ExprKind::kCase, -1);
  choice->has_else = true;
  choice->children.push_back(std::move(expired));
  choice->children.push_back(BooleanLiteral(false));
  choice->children.push_back(BooleanLiteral(true));
  return choice;
}

Status CheckTtlExpr(const Expr& expr, const TableMeta& table) {
  if (IsAggregate(expr)) return MakeSqlError(542, "", expr.position);
  if (expr.kind == ExprKind::kColumn) RETURN_IF_ERROR(ResolveColumn(expr, table).status());
  for (const ExprPtr& child : expr.children) {
    if (child != nullptr) RETURN_IF_ERROR(CheckTtlExpr(*child, table));
  }
  return Status::Ok();
}

bool NamesColumn(const Expr& expr, const TableMeta& table, uint32_t column) {
  if (expr.kind == ExprKind::kColumn) {
    const auto found = ResolveColumn(expr, table);
    return found.ok() && *found == column;
  }
  return std::any_of(expr.children.begin(), expr.children.end(), [&](const ExprPtr& child) {
    return child != nullptr && NamesColumn(*child, table, column);
  });
}

void CollectParts(const Expr& condition, std::set<std::string>* texts) {
  if (condition.kind == ExprKind::kRowValue && condition.children.size() == 1) {
    return CollectParts(*condition.children[0], texts);
  }
  if (condition.kind != ExprKind::kAnd) {
    texts->insert(parse::ToSqlText(condition));
    return;
  }
  for (const ExprPtr& child : condition.children) CollectParts(*child, texts);
}

// What is left between the ANDs of 'condition' that does not stand in 'texts', too.
ExprPtr WithoutParts(ExprPtr condition, const std::set<std::string>& texts) {
  if (condition->kind == ExprKind::kRowValue && condition->children.size() == 1) {
    return WithoutParts(std::move(condition->children[0]), texts);
  }
  if (condition->kind != ExprKind::kAnd) {
    return texts.contains(parse::ToSqlText(*condition)) ? nullptr : std::move(condition);
  }
  ExprPtr rest;
  for (ExprPtr& child : condition->children) {
    rest = JoinConditions(std::move(rest), WithoutParts(std::move(child), texts));
  }
  return rest;
}

ExprPtr WithoutParts(ExprPtr condition, const Expr& known) {
  std::set<std::string> texts;
  CollectParts(known, &texts);
  return WithoutParts(std::move(condition), texts);
}

// The tenant as a literal of the column's type; null when it cannot be one.
ExprPtr TenantLiteral(const std::string& tenant, const DataType& type) {
  auto literal = std::make_unique<Expr>(ExprKind::kLiteral, -1);
  literal->text = tenant;
  literal->literal = parse::LiteralKind::kString;
  if (IsString(type.id)) return literal;
  if (!IsNumeric(type.id) || tenant.find_first_not_of("-0123456789.eE") != std::string::npos) {
    return nullptr;
  }
  auto number = parse::ParseExpression(tenant);
  return number.ok() ? std::move(number).value() : nullptr;
}

}  // namespace

// ---------------------------------------------------------------- conditions

ExprPtr JoinConditions(ExprPtr first, ExprPtr second) {
  if (first == nullptr) return second;
  if (second == nullptr) return first;
  auto both = std::make_unique<Expr>(ExprKind::kAnd, -1);
  both->children.push_back(std::move(first));
  both->children.push_back(std::move(second));
  return both;
}

ExprPtr NormalizeCondition(ExprPtr condition) {
  for (ExprPtr& child : condition->children) {
    if (child != nullptr) child = NormalizeCondition(std::move(child));
  }
  switch (condition->kind) {
    case ExprKind::kRowValue:
      if (condition->children.size() == 1) return std::move(condition->children[0]);
      return condition;
    case ExprKind::kBetween: return NormalizeBetween(std::move(condition));
    case ExprKind::kComparison:
      if (condition->quantifier == parse::Quantifier::kNone &&
          IsConstantCondition(*condition->children[0]) &&
          !IsConstantCondition(*condition->children[1])) {
        std::swap(condition->children[0], condition->children[1]);
        condition->compare = Mirrored(condition->compare);
      }
      return condition;
    default: return condition;
  }
}

bool IsConstantCondition(const Expr& condition) {
  if (condition.kind == ExprKind::kColumn || condition.subquery != nullptr) return false;
  if (condition.kind == ExprKind::kSequence || IsAggregate(condition)) return false;
  return std::all_of(
      condition.children.begin(), condition.children.end(),
      [](const ExprPtr& child) { return child == nullptr || IsConstantCondition(*child); });
}

Result<uint32_t> ResolveColumn(const Expr& column, const TableMeta& table) {
  const std::string& qualifier = column.table.text;
  const bool of_table = qualifier == table.name && !table.HasFamily(qualifier);
  if (qualifier.empty() || of_table) {
    return table.FindColumn(column.column.text, column.position);
  }
  return table.FindColumn(qualifier, column.column.text, column.position);
}

Result<ViewCondition> AnalyzeCondition(const Expr& condition, const TableMeta& table,
                                       const ConstantEvaluator& evaluate) {
  return Analyzer(table, evaluate).Analyze(condition);
}

Result<std::string> ConditionOfStatement(const std::string& statement) {
  constexpr std::string_view kBegin = "SELECT * FROM ";
  constexpr std::string_view kWhere = " WHERE ";
  if (statement.empty()) return std::string();
  size_t at = statement.starts_with(kBegin) ? kBegin.size() : std::string::npos;
  // Names stand in quotes, and may hold anything else.
  while (at < statement.size() && statement[at] == '"') {
    at = statement.find('"', at + 1);
    if (at != std::string::npos && ++at < statement.size() && statement[at] == '.') ++at;
  }
  if (at == std::string::npos || statement.compare(at, kWhere.size(), kWhere) != 0) {
    return Corruption("SYSTEM.CATALOG: not a view's statement: " + statement);
  }
  return statement.substr(at + kWhere.size());
}

Result<bool> ConditionNames(const TableMeta& view, std::string_view family, std::string_view name) {
  if (view.view_condition.empty()) return false;
  const int32_t index = view.IndexOf(family, name);
  return index >= 0 && view.columns[static_cast<size_t>(index)].view_referenced;
}

Status CheckTtlCondition(const TableMeta& table) {
  ASSIGN_OR_RETURN(const ExprPtr condition, parse::ParseExpression(table.ttl_condition));
  if (table.families.size() > 1) return MakeSqlError(543, "tableName=" + table.FullName());
  RETURN_IF_ERROR(CheckTtlExpr(*condition, table));
  switch (condition->kind) {
    case ExprKind::kColumn: {
      ASSIGN_OR_RETURN(const uint32_t index, ResolveColumn(*condition, table));
      const ColumnMeta& column = table.columns[index];
      if (column.type.id == TypeId::kBoolean) return Status::Ok();
      return SqlTypeMismatch(TypeId::kBoolean, column.type.id, column.name);
    }
    case ExprKind::kLiteral:
      if (condition->literal == parse::LiteralKind::kTrue ||
          condition->literal == parse::LiteralKind::kFalse) {
        return Status::Ok();
      }
      [[fallthrough]];
    case ExprKind::kAdd:
    case ExprKind::kSubtract:
    case ExprKind::kMultiply:
    case ExprKind::kDivide:
    case ExprKind::kModulo:
    case ExprKind::kNegate:
    case ExprKind::kConcat:
      return MakeSqlError(203, "BOOLEAN for " + table.ttl_condition, condition->position);
    default: return Status::Ok();
  }
}

bool TtlConditionNames(const TableMeta& table, uint32_t column) {
  if (table.ttl_condition.empty()) return false;
  const auto condition = parse::ParseExpression(table.ttl_condition);
  return condition.ok() && NamesColumn(**condition, table, column);
}

Result<ExprPtr> IndexIdCondition(const TableMeta& index) {
  auto name = std::make_unique<Expr>(ExprKind::kColumn, -1);
  name->column = parse::Name{kIndexIdColumn, true, -1};
  ASSIGN_OR_RETURN(ExprPtr id, parse::ParseExpression(std::to_string(*index.view_index_id)));
  return MakeComparison(CompareOp::kEqual, std::move(name), std::move(id));
}

Result<ExprPtr> ConditionOf(const TableMeta& table, bool with_expired, const std::string& implied) {
  ExprPtr condition;
  if (!table.view_condition.empty()) {
    ASSIGN_OR_RETURN(condition, parse::ParseExpression(table.view_condition));
    if (!implied.empty()) {
      ASSIGN_OR_RETURN(const ExprPtr known, parse::ParseExpression(implied));
      condition = WithoutParts(std::move(condition), *known);
    }
  }
  if (!table.ttl_condition.empty() && !with_expired) {
    ASSIGN_OR_RETURN(ExprPtr expired, parse::ParseExpression(table.ttl_condition));
    condition = JoinConditions(std::move(condition), NotExpired(std::move(expired)));
  }
  if (table.is_view_index()) {
    ASSIGN_OR_RETURN(ExprPtr id, IndexIdCondition(table));
    condition = JoinConditions(std::move(id), std::move(condition));
  }
  if (table.rows_of_tenant.empty()) return condition;
  const ColumnMeta& column = table.key_column(table.is_view_index() ? 1 : 0);
  auto name = std::make_unique<Expr>(ExprKind::kColumn, -1);
  name->column = parse::Name{column.name, true, -1};
  ExprPtr tenant = MakeComparison(CompareOp::kEqual, std::move(name),
                                  TenantLiteral(table.rows_of_tenant, column.type));
  return JoinConditions(std::move(tenant), std::move(condition));
}

// ---------------------------------------------------------------- inheritance

Status InheritFromParent(const TableMeta& parent, const ConstantEvaluator& evaluate,
                         TableMeta* view) {
  InheritColumns(parent, view);
  view->base = parent.is_view() ? parent.base : parent.key();
  view->physical = parent.physical;
  view->namespace_mapped = parent.namespace_mapped;
  view->salt_buckets = parent.salt_buckets;
  view->encoding_bytes = parent.encoding_bytes;
  view->storage_scheme = parent.storage_scheme;
  view->default_family = parent.default_family;
  view->default_family_given = parent.default_family_given;
  view->immutable_rows = parent.immutable_rows;
  view->store_nulls = parent.store_nulls;
  view->disable_wal = parent.disable_wal;
  view->multi_tenant = parent.multi_tenant;
  view->append_only_schema = parent.append_only_schema;
  view->ttl_condition = parent.ttl_condition;
  view->base_expires = parent.base_expires || !parent.ttl.empty();
  view->last_ddl_timestamp = std::max(view->last_ddl_timestamp, parent.last_ddl_timestamp);
  view->counters.clear();
  ASSIGN_OR_RETURN(view->view_condition, ConditionOfStatement(view->view_statement));
  view->Finish();
  if (!parent.families.empty()) {
    view->empty_family = parent.empty_family;
    view->empty_qualifier = parent.empty_qualifier;
  }
  return ApplyCondition(evaluate, view);
}

Bytes RowPrefix(const TableMeta& view) {
  Bytes prefix;
  for (size_t i = 0; i < view.key_columns.size(); ++i) {
    const ColumnMeta& column = view.key_column(i);
    const Bytes& value = column.view_constant.empty() ? column.equal_to : column.view_constant;
    if (value.empty()) break;
    prefix += value;
    // Behind the last column of a key there may be no separator.
    if (i + 1 == view.key_columns.size()) break;
    prefix += view.key_schema.Separator(i, false);
  }
  return prefix;
}

Bytes RowKeyMatcher(const TableMeta& view) {
  Bytes matcher;
  int32_t last = -1;
  for (size_t i = 0; i < view.key_columns.size(); ++i) {
    const ColumnMeta& column = view.key_column(i);
    if (column.view_constant.empty()) continue;
    if (last >= 0) matcher += view.key_schema.Separator(static_cast<size_t>(last), false);
    matcher += column.view_constant;
    last = static_cast<int32_t>(i);
  }
  if (last >= 0 && view.key_column(static_cast<size_t>(last)).sort_order == SortOrder::kDesc) {
    matcher += view.key_schema.Terminator(static_cast<size_t>(last), false);
  }
  return matcher;
}

Result<TableMeta> ForTenant(const TableMeta& table, const std::string& tenant) {
  TableMeta seen = table;
  ColumnMeta& column = seen.columns[seen.key_columns[table.is_view_index() ? 1 : 0]];
  const auto value = ParseValue(tenant, DataType{column.type.id});
  if (TenantLiteral(tenant, column.type) == nullptr || !value.ok()) {
    return MakeSqlError(1041, "tableName=" + table.FullName());
  }
  column.view_constant.clear();
  // A tenant that is too long has no rows; writing for it fails.
  Status encoded = Encode(*value, column.type, column.sort_order, &column.view_constant);
  if (!encoded.ok()) column.view_constant = tenant;
  column.hidden = true;
  seen.rows_of_tenant = tenant;
  return seen;
}

}  // namespace bennu::sql::catalog
