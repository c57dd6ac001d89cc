#include "src/sql/bind/expression_binder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include "src/base/status_macros.h"
#include "src/sql/expr/function_advice.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/functions/registry.h"
#include "src/sql/parse/literal.h"
#include "src/sql/types/array.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::bind {
namespace {

Status Unsupported(std::string_view what, int32_t position, std::string hint = "") {
  return MakeUncodedSqlError(fmt::format("{} not supported yet", what), position, std::move(hint));
}

const DataType kVarchar = {TypeId::kVarchar};

bool IsText(const BoundExpr& expr) {
  return expr.is_constant() && IsString(expr.type.id) && !expr.constant.is_null();
}

bool IsRowFunction(std::string_view name) {
  return name == parse::kStoredRowKey || name == "ROWKEY_BYTES_STRING" || name == "ROW_SIZE" ||
         name == "RAW_ROW_SIZE";
}

}  // namespace

Result<DataType> TypeOf(const parse::TypeSpec& spec) {
  std::string name = spec.name;
  if (spec.is_array) name += " ARRAY";
  const std::optional<TypeId> id = TypeByName(name);
  if (!id.has_value()) {
    const std::string_view meant = TypeOfOtherSystem(spec.name);
    return MakeSqlError(201, fmt::format("Unsupported sql type: {}", name), spec.position,
                        meant.empty() ? "" : fmt::format("write {}", meant));
  }
  DataType type{*id};
  if (spec.length >= 0) type.max_length = spec.length;
  if (*id == TypeId::kDecimal && spec.length >= 0) type.scale = std::max(spec.scale, 0);
  return type;
}

ComparisonOp ComparisonOf(parse::CompareOp op) {
  switch (op) {
    case parse::CompareOp::kEqual: return ComparisonOp::kEqual;
    case parse::CompareOp::kNotEqual: return ComparisonOp::kNotEqual;
    case parse::CompareOp::kLess: return ComparisonOp::kLess;
    case parse::CompareOp::kLessOrEqual: return ComparisonOp::kLessOrEqual;
    case parse::CompareOp::kGreater: return ComparisonOp::kGreater;
    case parse::CompareOp::kGreaterOrEqual: return ComparisonOp::kGreaterOrEqual;
  }
  return ComparisonOp::kEqual;
}

Status CheckCondition(const Expr& expr) {
  if (expr.type.id == TypeId::kBoolean || expr.type.id == TypeId::kNull) return Status::Ok();
  return SqlTypeMismatch(TypeId::kBoolean, expr.type.id, ToText(expr));
}

ExpressionBinder::ExpressionBinder(Scope* scope, Parameters* parameters)
    : scope_(scope), parameters_(parameters) {}

Result<ExprPtr> ExpressionBinder::Bind(const parse::Expr& expr, Place place) {
  return BindTyped(expr, place, kVarchar);
}

Result<ExprPtr> ExpressionBinder::BindTyped(const parse::Expr& expr, Place place,
                                            const DataType& wanted, bool compared) {
  place_ = place;
  only_truth_counts_ = place == Place::kWhere || place == Place::kOn;
  aggregation_ = nullptr;
  root_ = &expr;
  return BindNodeOrParameter(expr, wanted, compared);
}

Result<ExprPtr> ExpressionBinder::BindAggregated(const parse::Expr& expr, Place place,
                                                 Aggregation* aggregation) {
  place_ = place;
  only_truth_counts_ = false;
  aggregation_ = aggregation;
  root_ = &expr;
  return BindNodeOrParameter(expr, kVarchar);
}

ExprPtr ExpressionBinder::MakeParameterOf(const parse::Expr& bind, const DataType& wanted,
                                          bool compared) {
  const auto index = static_cast<size_t>(bind.bind_index - 1);
  std::vector<DataType>& types = parameters_->types;
  if (types.size() <= index) {
    types.resize(index + 1);
    parameters_->compared.resize(index + 1, true);
  }
  const DataType type = wanted.id == TypeId::kNull ? kVarchar : wanted;
  types[index] = type;
  // It may stand in several places.
  if (!compared) parameters_->compared[index] = false;
  if (index < parameters_->values.size() && !Fits(parameters_->values[index], type, compared)) {
    return MakeConstant(parameters_->values[index], bind.position);
  }
  return MakeParameter(index, type, bind.position);
}

Result<ExprPtr> ExpressionBinder::BindNodeOrParameter(const parse::Expr& expr,
                                                      const DataType& wanted, bool compared) {
  if (expr.kind == parse::ExprKind::kBind) return MakeParameterOf(expr, wanted, compared);
  return BindNode(expr);
}

Result<std::vector<ExprPtr>> ExpressionBinder::BindAll(const parse::ExprList& list, size_t from) {
  std::vector<ExprPtr> bound;
  for (size_t i = from; i < list.size(); ++i) {
    ASSIGN_OR_RETURN(ExprPtr item, BindNodeOrParameter(*list[i], kVarchar));
    bound.push_back(std::move(item));
  }
  return bound;
}

Result<const parse::Expr*> ExpressionBinder::ResolveAlias(const parse::Expr& expr) {
  if (aliases_ == nullptr || expr.kind != parse::ExprKind::kColumn || !expr.table.empty()) {
    return &expr;
  }
  for (const auto& [name, tree] : *aliases_) {
    if (name != expr.column.text) continue;
    Result<uint32_t> column = scope_->Resolve(expr);
    if (!column.ok()) return tree;
    if (tree->kind == parse::ExprKind::kColumn) {
      Result<uint32_t> aliased = scope_->Resolve(*tree);
      if (aliased.ok() && *aliased == *column) return &expr;
    }
    return MakeSqlError(502, fmt::format("columnName={}", name), expr.position,
                        "a column and an alias have this name; choose another alias");
  }
  return &expr;
}

Result<ExprPtr> ExpressionBinder::BindNode(const parse::Expr& expr) {
  using parse::ExprKind;
  const bool kept = expr.kind == ExprKind::kAnd || expr.kind == ExprKind::kOr ||
                    expr.kind == ExprKind::kRowValue || expr.kind == ExprKind::kInList;
  const bool outer = std::exchange(only_truth_counts_, only_truth_counts_ && kept);
  Result<ExprPtr> bound = BindKind(expr);
  only_truth_counts_ = outer;
  return bound;
}

Result<ExprPtr> ExpressionBinder::BindKind(const parse::Expr& original) {
  using parse::ExprKind;
  ASSIGN_OR_RETURN(const parse::Expr* const resolved, ResolveAlias(original));
  if (resolved != &original) {
    const Aliases* const aliases = std::exchange(aliases_, nullptr);
    Result<ExprPtr> bound = BindNode(*resolved);
    aliases_ = aliases;
    return bound;
  }
  const parse::Expr& expr = original;
  if (aggregation_ != nullptr) {
    ASSIGN_OR_RETURN(ExprPtr group, FindGroup(expr));
    if (group != nullptr) return group;
  }
  if (scope_ != nullptr && scope_->reads_expressions() && !expr.children.empty()) {
    const std::optional<uint32_t> indexed = scope_->IndexedExpression(expr);
    if (indexed.has_value()) return BindSlot(*indexed, expr);
  }
  switch (expr.kind) {
    case ExprKind::kLiteral: {
      ASSIGN_OR_RETURN(Value value, parse::LiteralValue(expr));
      return MakeConstant(std::move(value), expr.position);
    }
    case ExprKind::kBind: return MakeParameterOf(expr, kVarchar);
    case ExprKind::kColumn: return BindColumn(expr);
    case ExprKind::kFunction: return BindFunction(expr);
    case ExprKind::kCase: return BindCase(expr);
    case ExprKind::kCast: {
      ASSIGN_OR_RETURN(const DataType type, TypeOf(expr.cast_type));
      ASSIGN_OR_RETURN(ExprPtr value, BindNodeOrParameter(*expr.children[0], type));
      return MakeCast(std::move(value), type, expr.position);
    }
    case ExprKind::kInList: return BindIn(expr);
    case ExprKind::kBetween: return BindBetween(expr);
    case ExprKind::kComparison: return BindComparison(expr);
    case ExprKind::kLike: {
      ASSIGN_OR_RETURN(ExprPtr value, BindNodeOrParameter(*expr.children[0], kVarchar));
      ASSIGN_OR_RETURN(ExprPtr pattern, BindNodeOrParameter(*expr.children[1], kVarchar));
      if (value->type.id == TypeId::kChar && !expr.case_insensitive && IsText(*pattern)) {
        // Without a wildcard it is an equality, for which blanks at the end do not count.
        const std::optional<std::string> plain = LikePlainText(pattern->constant.bytes());
        // One that no value can be equal to leaves NULLs out, as <> does not.
        const bool never = plain.has_value() && value->type.max_length.has_value() &&
                           plain->size() > static_cast<size_t>(*value->type.max_length);
        if (plain.has_value() && !plain->empty() && !never) {
          const auto op = expr.negated ? ComparisonOp::kNotEqual : ComparisonOp::kEqual;
          return MakeCompare(op, std::move(value),
                             MakeConstant(Value::Varchar(*plain), pattern->position),
                             expr.position);
        }
      }
      return MakeLike(std::move(value), std::move(pattern), expr.negated, expr.case_insensitive,
                      expr.position);
    }
    case ExprKind::kIsNull: {
      ASSIGN_OR_RETURN(ExprPtr value, BindNodeOrParameter(*expr.children[0], kVarchar));
      const bool never = value->kind == BoundKind::kSlot && scope_ != nullptr &&
                         aggregation_ == nullptr && value->slot < kSequenceSlot &&
                         scope_->IsNeverNull(static_cast<uint32_t>(value->slot));
      if (never) return MakeConstant(Value::Bool(expr.negated), expr.position);
      return MakeIsNull(std::move(value), expr.negated, expr.position);
    }
    case ExprKind::kAnd: {
      ASSIGN_OR_RETURN(std::vector<ExprPtr> operands, BindAll(expr.children, 0));
      return MakeAnd(std::move(operands), expr.position);
    }
    case ExprKind::kOr: {
      ASSIGN_OR_RETURN(std::vector<ExprPtr> operands, BindAll(expr.children, 0));
      return MakeOr(std::move(operands), expr.position);
    }
    case ExprKind::kNot: {
      ASSIGN_OR_RETURN(ExprPtr operand, BindNodeOrParameter(*expr.children[0], {TypeId::kBoolean}));
      return MakeNot(std::move(operand), expr.position);
    }
    case ExprKind::kAdd:
    case ExprKind::kSubtract:
    case ExprKind::kMultiply:
    case ExprKind::kDivide:
    case ExprKind::kModulo: return BindArithmetic(expr);
    case ExprKind::kConcat: {
      ASSIGN_OR_RETURN(std::vector<ExprPtr> parts, BindAll(expr.children, 0));
      return MakeConcat(std::move(parts), expr.position);
    }
    case ExprKind::kNegate: {
      ASSIGN_OR_RETURN(ExprPtr value, BindNodeOrParameter(*expr.children[0], {TypeId::kDecimal}));
      return MakeNegate(std::move(value), expr.position);
    }
    case ExprKind::kRowValue:
      if (expr.children.size() == 1) return BindNode(*expr.children[0]);
      return Unsupported("a row value outside of comparisons is", expr.position);
    case ExprKind::kStar: return MakeSqlError(601, "Encountered \"*\"", expr.position);
    case ExprKind::kInSubquery:
    case ExprKind::kExists:
    case ExprKind::kSubquery: return BindSubquery(expr);
    case ExprKind::kArray: return BindArray(expr);
    case ExprKind::kArrayElement: return BindArrayElement(expr);
    case ExprKind::kSequence: return BindSequence(expr);
  }
  return Unsupported("this expression is", expr.position);
}

Result<ExprPtr> ExpressionBinder::BindColumn(const parse::Expr& expr) {
  if (scope_ == nullptr || scope_->sources().empty()) {
    return MakeSqlError(504, fmt::format("columnName={}", expr.column.text), expr.position,
                        BareFunctionAdvice(expr.column.text));
  }
  ASSIGN_OR_RETURN(const uint32_t number, scope_->Resolve(expr));
  return BindSlot(number, expr);
}

Result<ExprPtr> ExpressionBinder::BindSlot(uint32_t number, const parse::Expr& expr) {
  const Slot& slot = scope_->slots()[number];
  if (aggregation_ != nullptr) {
    if (place_ == Place::kHaving) return MakeSqlError(1019, "", expr.position);
    return MakeSqlError(1018, parse::ToText(*root_), expr.position,
                        "add it to GROUP BY or put it into an aggregate");
  }
  ExprPtr bound = MakeSlot(number, slot.type, slot.text, slot.nullable, expr.position);
  if (slot.order == SortOrder::kDesc) {
    auto descending = std::make_shared<Expr>(*bound);
    descending->descending = true;
    bound = std::move(descending);
  }
  return bound;
}

Result<ExprPtr> ExpressionBinder::FindGroup(const parse::Expr& expr) {
  if (expr.kind == parse::ExprKind::kLiteral || expr.kind == parse::ExprKind::kBind) {
    return ExprPtr();
  }
  for (size_t i = 0; i < aggregation_->groups.size(); ++i) {
    const ExprPtr& group = aggregation_->groups[i];
    bool same = false;
    if (expr.kind == parse::ExprKind::kColumn) {
      if (group->kind == BoundKind::kSlot) {
        ASSIGN_OR_RETURN(const uint32_t slot, scope_->Resolve(expr));
        same = group->slot == slot;
      }
    } else {
      same = parse::SameExpr(expr, *aggregation_->group_trees[i]);
    }
    if (same) return MakeSlot(i, group->type, ToText(*group), true, expr.position);
  }
  return ExprPtr();
}

Result<ExprPtr> ExpressionBinder::BindFunction(const parse::Expr& expr) {
  if (IsAggregateFunction(expr.function_name)) return BindAggregate(expr);
  if (expr.function_name == "PHOENIX_ROW_TIMESTAMP" && expr.children.empty() && scope_ != nullptr &&
      aggregation_ == nullptr) {
    ASSIGN_OR_RETURN(const uint32_t number, scope_->RowTimestampSlot());
    const Slot& slot = scope_->slots()[number];
    return MakeSlot(number, slot.type, slot.text, true, expr.position);
  }
  if (IsRowFunction(expr.function_name)) return BindRowFunction(expr);
  const FunctionDef* function = FindFunction(expr.function_name);
  // What is wrong with its arguments comes after that.
  if (function == nullptr) return MakeFunction(expr.function_name, {}, expr.position);
  std::vector<ExprPtr> arguments;
  for (size_t i = 0; i < expr.children.size(); ++i) {
    DataType wanted = kVarchar;
    if (i < function->arguments.size() && !function->arguments[i].types.empty()) {
      wanted = {function->arguments[i].types[0]};
    }
    ASSIGN_OR_RETURN(ExprPtr argument, BindNodeOrParameter(*expr.children[i], wanted));
    arguments.push_back(std::move(argument));
  }
  return MakeFunction(expr.function_name, std::move(arguments), expr.position,
                      parameters_->now_millis);
}

// What a function says of the row that is read, not of values in it.
Result<ExprPtr> ExpressionBinder::BindRowFunction(const parse::Expr& expr) {
  if (!expr.children.empty() || scope_ == nullptr) {
    return MakeSqlError(6001, fmt::format("functionName=[{}]", expr.function_name), expr.position);
  }
  const bool stored_key = expr.function_name == parse::kStoredRowKey;
  const bool is_key = stored_key || expr.function_name == "ROWKEY_BYTES_STRING";
  if (!is_key && place_ == Place::kSelect && !in_aggregate_) {
    return MakeUncodedSqlError(
        "ROW_SIZE() can only be an argument to an aggregation function in a select clause.",
        expr.position);
  }
  if (aggregation_ != nullptr) {
    return MakeSqlError(1018, parse::ToText(*root_), expr.position, "add it to GROUP BY");
  }
  if (is_key) {
    ASSIGN_OR_RETURN(const uint32_t key,
                     scope_->PseudoSlot(Scope::kRowKeyColumn, {TypeId::kVarbinary}, ""));
    ExprPtr slot = MakeSlot(key, {TypeId::kVarbinary}, "", false, expr.position);
    if (stored_key) return slot;
    return MakeFunction(expr.function_name, {std::move(slot)}, expr.position);
  }
  const DataType type = {TypeId::kUnsignedLong};
  const bool raw = expr.function_name == "RAW_ROW_SIZE";
  ASSIGN_OR_RETURN(const uint32_t size,
                   scope_->PseudoSlot(raw ? Scope::kRawRowSizeColumn : Scope::kRowSizeColumn, type,
                                      "ROW_SIZE()"));
  return MakeSlot(size, type, "ROW_SIZE()", false, expr.position);
}

Result<ExprPtr> ExpressionBinder::BindAggregate(const parse::Expr& expr) {
  if (aggregation_ == nullptr) {
    switch (place_) {
      case Place::kWhere:
      case Place::kOn: return MakeSqlError(1017, "", expr.position, "use HAVING");
      case Place::kGroupBy: return MakeSqlError(1016, parse::ToText(expr), expr.position);
      default:
        return MakeUncodedSqlError("Nested aggregate functions are not supported", expr.position);
    }
  }
  Aggregation* const aggregation = std::exchange(aggregation_, nullptr);
  auto* const sequences = std::exchange(sequences_, nullptr);
  const bool in_aggregate = std::exchange(in_aggregate_, true);
  auto bind_arguments = [&]() -> Result<AggregateCall> {
    ASSIGN_OR_RETURN(std::vector<ExprPtr> arguments, BindAll(expr.children, 0));
    WithinGroup within;
    within.ascending = expr.within_group_ascending;
    ASSIGN_OR_RETURN(within.order_by, BindAll(expr.within_group_order, 0));
    return sql::BindAggregate(expr.function_name, std::move(arguments), expr.star_argument,
                              expr.distinct, expr.within_group ? &within : nullptr, expr.position);
  };
  Result<AggregateCall> call = bind_arguments();
  aggregation_ = aggregation;
  sequences_ = sequences;
  in_aggregate_ = in_aggregate;
  if (!call.ok()) return call.status();
  size_t index = 0;
  while (index < aggregation->aggregates.size() &&
         aggregation->aggregates[index]->text != call->text) {
    ++index;
  }
  if (index == aggregation->aggregates.size()) {
    aggregation->aggregates.push_back(
        std::make_shared<const AggregateCall>(std::move(call).value()));
  }
  const AggregateCall& known = *aggregation->aggregates[index];
  return MakeSlot(aggregation->groups.size() + index, known.type, known.text, true, expr.position);
}

Result<ExprPtr> ExpressionBinder::BindSequence(const parse::Expr& expr) {
  if (sequences_ == nullptr) {
    return MakeSqlError(1205, "tableName=" + expr.sequence.ToString(), expr.position);
  }
  const std::string& schema =
      expr.sequence.qualifier.empty() ? *default_schema_ : expr.sequence.qualifier.text;
  size_t index = 0;
  while (index < sequences_->size() && ((*sequences_)[index].schema != schema ||
                                        (*sequences_)[index].name != expr.sequence.name.text)) {
    ++index;
  }
  if (index == sequences_->size()) {
    sequences_->push_back(SequenceUse{schema, expr.sequence.name.text, false, {}});
  }
  const bool current = expr.sequence_op == parse::SequenceOp::kCurrentValue;
  if (!current) {
    ExprPtr count = MakeConstant(Value::Bigint(1), expr.position);
    if (expr.sequence_op == parse::SequenceOp::kNextValues) {
      ASSIGN_OR_RETURN(count, BindNodeOrParameter(*expr.children[0], {TypeId::kBigint}));
    }
    SequenceUse& use = (*sequences_)[index];
    use.next = true;
    if (std::none_of(use.counts.begin(), use.counts.end(),
                     [&](const ExprPtr& other) { return ToText(*other) == ToText(*count); })) {
      use.counts.push_back(std::move(count));
    }
  }
  return MakeSlot(kSequenceSlot + index, {TypeId::kBigint},
                  TextOfSequence((*sequences_)[index], current), false, expr.position);
}

Result<ExprPtr> ExpressionBinder::BindCase(const parse::Expr& expr) {
  size_t at = 0;
  const parse::Expr* operand = expr.has_operand ? expr.children[at++].get() : nullptr;
  const size_t pairs = (expr.children.size() - at) / 2;
  std::vector<CaseBranch> branches;
  DataType result = kVarchar;
  for (size_t i = 0; i < pairs; ++i, at += 2) {
    CaseBranch branch;
    if (operand == nullptr) {
      ASSIGN_OR_RETURN(branch.when, BindNodeOrParameter(*expr.children[at], {TypeId::kBoolean}));
    } else {
      ExprPtr left;
      ExprPtr right;
      RETURN_IF_ERROR(BindPair(*operand, *expr.children[at], true, &left, &right));
      ASSIGN_OR_RETURN(branch.when, MakeCompare(ComparisonOp::kEqual, std::move(left),
                                                std::move(right), expr.children[at]->position));
    }
    ASSIGN_OR_RETURN(branch.then, BindNodeOrParameter(*expr.children[at + 1], result));
    if (branch.then->type.id != TypeId::kNull) result = branch.then->type;
    branches.push_back(std::move(branch));
  }
  ExprPtr otherwise;
  if (expr.has_else) {
    ASSIGN_OR_RETURN(otherwise, BindNodeOrParameter(*expr.children.back(), result));
  }
  return MakeCase(std::move(branches), std::move(otherwise), expr.position);
}

Result<ExprPtr> ExpressionBinder::BindSubquery(const parse::Expr& expr) {
  if (subqueries_ == nullptr || (place_ != Place::kWhere && place_ != Place::kHaving)) {
    return Unsupported("subqueries outside WHERE and HAVING are", expr.position,
                       "write it as a join with a derived table");
  }
  const BindOperand operand = [this](const parse::Expr& tree, const DataType& wanted) {
    return BindNodeOrParameter(tree, wanted);
  };
  return subqueries_->BindInside(expr, operand, place_ == Place::kWhere);
}

Result<ExprPtr> ExpressionBinder::BindArray(const parse::Expr& expr) {
  // Parameters take the type of the first element that is none.
  std::vector<ExprPtr> elements(expr.children.size());
  DataType wanted = kVarchar;
  for (size_t i = expr.children.size(); i-- > 0;) {
    if (expr.children[i]->kind == parse::ExprKind::kBind) continue;
    ASSIGN_OR_RETURN(elements[i], BindNode(*expr.children[i]));
    if (elements[i]->type.id != TypeId::kNull) wanted = {elements[i]->type.id};
  }
  for (size_t i = 0; i < expr.children.size(); ++i) {
    if (elements[i] == nullptr) elements[i] = MakeParameterOf(*expr.children[i], wanted);
  }
  return MakeArrayOf(std::move(elements), expr.position);
}

Result<ExprPtr> ExpressionBinder::BindArrayElement(const parse::Expr& expr) {
  std::vector<ExprPtr> arguments(2);
  ASSIGN_OR_RETURN(arguments[0], BindNodeOrParameter(*expr.children[0], {TypeId::kVarbinaryArray}));
  ASSIGN_OR_RETURN(arguments[1], BindNodeOrParameter(*expr.children[1], {TypeId::kInteger}));
  return MakeFunction("ARRAY_ELEM", std::move(arguments), expr.position);
}

// left op ANY(array), left op ALL(array).
Result<ExprPtr> ExpressionBinder::BindQuantified(const parse::Expr& expr) {
  const parse::Expr& value = *expr.children[0];
  const parse::Expr& list = *expr.children[1];
  ExprPtr left;
  ExprPtr array;
  if (value.kind == parse::ExprKind::kBind && list.kind != parse::ExprKind::kBind) {
    ASSIGN_OR_RETURN(array, BindNode(list));
    left = MakeParameterOf(value, IsArray(array->type.id) ? ElementType(array->type) : kVarchar);
  } else {
    ASSIGN_OR_RETURN(left, BindNodeOrParameter(value, kVarchar));
    const std::optional<TypeId> wanted = ArrayOf(left->type.id);
    ASSIGN_OR_RETURN(array, BindNodeOrParameter(list, {wanted.value_or(TypeId::kVarcharArray)}));
  }
  return MakeQuantified(ComparisonOf(expr.compare), std::move(left), std::move(array),
                        expr.quantifier == parse::Quantifier::kAll, expr.position);
}

Result<ExprPtr> ExpressionBinder::BindArithmetic(const parse::Expr& expr) {
  ArithmeticOp op = ArithmeticOp::kAdd;
  switch (expr.kind) {
    case parse::ExprKind::kSubtract: op = ArithmeticOp::kSubtract; break;
    case parse::ExprKind::kMultiply: op = ArithmeticOp::kMultiply; break;
    case parse::ExprKind::kDivide: op = ArithmeticOp::kDivide; break;
    case parse::ExprKind::kModulo: op = ArithmeticOp::kModulo; break;
    default: break;
  }
  ExprPtr result;
  ExprPtr second;
  const bool all_parameters = expr.children[0]->kind == parse::ExprKind::kBind &&
                              expr.children[1]->kind == parse::ExprKind::kBind;
  if (all_parameters) {
    result = MakeParameterOf(*expr.children[0], {TypeId::kDecimal});
    second = MakeParameterOf(*expr.children[1], {TypeId::kDecimal});
  } else {
    RETURN_IF_ERROR(BindPair(*expr.children[0], *expr.children[1], false, &result, &second));
  }
  ASSIGN_OR_RETURN(result, MakeArithmetic(op, std::move(result), std::move(second), expr.position));
  for (size_t i = 2; i < expr.children.size(); ++i) {
    ASSIGN_OR_RETURN(ExprPtr next, BindNodeOrParameter(*expr.children[i], result->type));
    const TypeId type = next->type.id;
    ASSIGN_OR_RETURN(result, MakeArithmetic(op, std::move(result), std::move(next), expr.position));
    // Phoenix takes a date away from the first operand alone: (d - 1) - d needs its parentheses.
    if (op == ArithmeticOp::kSubtract && IsDateTime(type)) {
      return MakeSqlError(203, std::string(TypeName(type)) + " for " + ToText(*result),
                          expr.position);
    }
  }
  return result;
}

}  // namespace bennu::sql::bind
