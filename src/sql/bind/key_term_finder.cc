#include "src/sql/bind/key_term_finder.h"

#include <algorithm>
#include <utility>

#include "src/sql/expr/function_def.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/types/coerce.h"

namespace bennu::sql::bind {
namespace {

// A CAST that keeps every value of a whole number.
bool Widens(const BoundExpr& expr) {
  if (expr.kind != BoundKind::kCast || expr.children[0]->kind != BoundKind::kSlot) return false;
  const TypeId from = expr.children[0]->type.id;
  const TypeId to = expr.type.id;
  if (!IsIntegral(from) || IsUnsigned(from) != IsUnsigned(to)) return false;
  return IsIntegral(to) && FixedWidth(expr.type) > FixedWidth(expr.children[0]->type);
}

CompareOp KeyOp(parse::CompareOp op) {
  switch (op) {
    case parse::CompareOp::kEqual: return CompareOp::kEqual;
    case parse::CompareOp::kNotEqual: return CompareOp::kNotEqual;
    case parse::CompareOp::kLess: return CompareOp::kLess;
    case parse::CompareOp::kLessOrEqual: return CompareOp::kLessOrEqual;
    case parse::CompareOp::kGreater: return CompareOp::kGreater;
    case parse::CompareOp::kGreaterOrEqual: return CompareOp::kGreaterOrEqual;
  }
  return CompareOp::kEqual;
}

CompareOp Loosened(CompareOp op) {
  if (op == CompareOp::kLess) return CompareOp::kLessOrEqual;
  if (op == CompareOp::kGreater) return CompareOp::kGreaterOrEqual;
  return op;
}

// A text by which LIKE is an equality.
bool IsPlainPattern(const parse::Expr& pattern) {
  return pattern.kind == parse::ExprKind::kLiteral &&
         pattern.literal == parse::LiteralKind::kString && !pattern.text.empty() &&
         pattern.text.find_first_of("%_\\") == std::string::npos;
}

}  // namespace

KeyTermFinder::KeyTermFinder(Scope* scope, uint32_t source, ExpressionBinder* binder,
                             std::vector<ExprPtr>* operands)
    : scope_(scope), source_(source), binder_(binder), operands_(operands) {}

std::optional<uint32_t> KeyTermFinder::KeyColumn(const parse::Expr& expr) {
  if (expr.kind == parse::ExprKind::kRowValue && expr.children.size() == 1) {
    return KeyColumn(*expr.children[0]);
  }
  if (expr.kind != parse::ExprKind::kColumn) {
    if (const auto indexed = scope_->IndexedExpression(expr); indexed.has_value()) {
      return KeyColumnOfSlot(*indexed);
    }
    return UnchangedKeyColumn(expr);
  }
  const Result<uint32_t> number = scope_->Resolve(expr);
  return number.ok() ? KeyColumnOfSlot(*number) : std::nullopt;
}

// A function that leaves its column as it is: FLOOR of a whole number, CAST to the column's type or
// a wider one.
std::optional<uint32_t> KeyTermFinder::UnchangedKeyColumn(const parse::Expr& expr) {
  const bool may_be =
      expr.kind == parse::ExprKind::kFunction || expr.kind == parse::ExprKind::kCast;
  if (!may_be || expr.children.empty() || expr.children[0]->kind != parse::ExprKind::kColumn) {
    return std::nullopt;
  }
  const Result<ExprPtr> bound = binder_->BindTyped(expr, ExpressionBinder::Place::kWhere,
                                                   {TypeId::kVarchar}, /*compared=*/true);
  if (!bound.ok()) return std::nullopt;
  const BoundExpr& column = Widens(**bound) ? *(*bound)->children[0] : **bound;
  if (column.kind != BoundKind::kSlot) return std::nullopt;
  return KeyColumnOfSlot(column.slot);
}

std::optional<uint32_t> KeyTermFinder::KeyColumnOfSlot(uint32_t number) const {
  const Slot& slot = scope_->slots()[number];
  if (slot.source != source_ || Scope::IsPseudoColumn(slot.column)) return std::nullopt;
  const catalog::ColumnMeta& column = source().read().columns[slot.column];
  if (!column.is_key()) return std::nullopt;
  return static_cast<uint32_t>(column.key_position);
}

std::optional<uint32_t> KeyTermFinder::Operand(const parse::Expr& expr, uint32_t key_column) {
  Result<ExprPtr> bound = binder_->BindTyped(expr, ExpressionBinder::Place::kWhere,
                                             source().KeyType(key_column), /*compared=*/true);
  if (!bound.ok()) return std::nullopt;
  return AddOperand(std::move(bound).value(), key_column);
}

std::optional<uint32_t> KeyTermFinder::AddOperand(ExprPtr bound, uint32_t key_column) {
  if (!bound->deterministic) return std::nullopt;
  const TypeId type = bound->type.id;
  if (type != TypeId::kNull &&
      !CommonComparisonType(source().KeyType(key_column), bound->type).has_value()) {
    return std::nullopt;
  }
  std::vector<size_t> slots;
  CollectSlots(*bound, &slots);
  if (!slots.empty()) return std::nullopt;
  operands_->push_back(std::move(bound));
  return static_cast<uint32_t>(operands_->size() - 1);
}

std::optional<KeyTerm> KeyTermFinder::Compare(const parse::Expr& left, parse::CompareOp op,
                                              const parse::Expr& right) {
  if (op == parse::CompareOp::kNotEqual) return std::nullopt;
  KeyTerm term;
  if (const auto column = KeyColumn(left); column.has_value()) {
    const auto operand = Operand(right, *column);
    if (!operand.has_value()) return std::nullopt;
    term.column = *column;
    term.op = KeyOp(op);
    term.operands = {*operand};
    return term;
  }
  const auto column = KeyColumn(right);
  if (!column.has_value()) {
    if (left.kind == parse::ExprKind::kFunction) return CompareFunction(left, KeyOp(op), right);
    return CompareFunction(right, Mirror(KeyOp(op)), left);
  }
  const auto operand = Operand(left, *column);
  if (!operand.has_value()) return std::nullopt;
  term.column = *column;
  term.op = Mirror(KeyOp(op));
  term.operands = {*operand};
  return term;
}

std::optional<KeyTerm> KeyTermFinder::FunctionOfKey(const parse::Expr& expr) {
  if (expr.kind != parse::ExprKind::kFunction || expr.children.empty()) return std::nullopt;
  const auto column = KeyColumn(*expr.children[0]);
  if (!column.has_value()) return std::nullopt;
  const DataType& type = source().KeyType(*column);
  const Result<ExprPtr> bound =
      binder_->BindTyped(expr, ExpressionBinder::Place::kWhere, type, /*compared=*/true);
  if (!bound.ok() || (*bound)->kind != BoundKind::kFunction) return std::nullopt;
  const BoundExpr& function = **bound;
  KeyTerm term;
  term.column = *column;
  if (const auto rounding = MomentRoundingOf(function); rounding.has_value()) {
    term.kind = KeyTerm::Kind::kRounded;
    term.rounding = *rounding;
    return term;
  }
  if (function.function->name != "SUBSTR" || !IsString(type.id)) return std::nullopt;
  const BoundExpr& start = *function.children[1];
  const BoundExpr& length = *function.children[2];
  // The first character is number 0 and number 1.
  if (!start.is_constant() || start.is_null_constant() || !length.is_constant()) {
    return std::nullopt;
  }
  if (start.constant.int64() != 0 && start.constant.int64() != 1) return std::nullopt;
  term.kind = KeyTerm::Kind::kStart;
  if (!length.is_null_constant()) term.length = length.constant.int64();
  return term;
}

std::optional<KeyTerm> KeyTermFinder::CompareFunction(const parse::Expr& left, CompareOp op,
                                                      const parse::Expr& right) {
  std::optional<KeyTerm> term = FunctionOfKey(left);
  if (!term.has_value()) return std::nullopt;
  // A parameter is of the function's type, which is another one.
  const bool bound = right.kind == parse::ExprKind::kBind;
  if (bound && IsTimestamp(source().KeyType(term->column).id)) return std::nullopt;
  const auto operand = Operand(right, term->column);
  if (!operand.has_value()) return std::nullopt;
  term->op = op;
  term->operands = {*operand};
  return term;
}

KeyTermFinder::Terms KeyTermFinder::FindRow(const parse::Expr& left, parse::CompareOp op,
                                            const parse::Expr& right, bool* exact) {
  Terms terms;
  *exact = false;
  if (!parse::IsRow(left) || op == parse::CompareOp::kNotEqual) return terms;
  if (op == parse::CompareOp::kEqual) {
    if (!parse::IsRow(right) || left.children.size() != right.children.size()) return terms;
    *exact = true;
    for (size_t i = 0; i < left.children.size(); ++i) {
      auto term = Compare(*left.children[i], op, *right.children[i]);
      *exact &= term.has_value();
      if (!term.has_value()) continue;
      term->null_is_equal = true;
      terms.push_back(*std::move(term));
    }
    return terms;
  }
  const size_t right_count = parse::IsRow(right) ? right.children.size() : 1;
  const size_t count = std::min(left.children.size(), right_count);
  KeyTerm term;
  term.kind = KeyTerm::Kind::kRowCompare;
  term.op = KeyOp(op);
  for (size_t i = 0; i < count; ++i) {
    const parse::Expr& value =
        right.kind == parse::ExprKind::kRowValue ? *right.children[i] : right;
    const auto column = KeyColumn(*left.children[i]);
    if (!column.has_value()) break;
    if (i > 0 && *column != term.column + i) break;
    const auto operand = Operand(value, *column);
    if (!operand.has_value()) break;
    const DataType& type = source().KeyType(*column);
    ExprPtr& bound = operands_->back();
    Result<ExprPtr> rounded = RoundForRow(ComparisonOf(op), type, std::move(bound));
    if (!rounded.ok()) {
      operands_->pop_back();
      break;
    }
    bound = std::move(rounded).value();
    if (i == 0) term.column = *column;
    term.operands.push_back(*operand);
  }
  if (term.operands.empty()) return terms;
  term.column_count = static_cast<uint32_t>(term.operands.size());
  *exact = term.operands.size() == left.children.size() && count == right_count;
  if (!*exact) term.op = Loosened(term.op);
  // Below a row there may be a NULL as well, which a comparison leaves out.
  const bool below =
      term.op == bennu::sql::CompareOp::kLess || term.op == bennu::sql::CompareOp::kLessOrEqual;
  if (term.column_count == 1 && !below) term.kind = KeyTerm::Kind::kCompare;
  terms.push_back(std::move(term));
  return terms;
}

KeyTermFinder::Terms KeyTermFinder::FindComparison(const parse::Expr& expr, bool* exact) {
  *exact = false;
  if (expr.quantifier != parse::Quantifier::kNone) return FindAny(expr);
  const parse::Expr& left = *expr.children[0];
  const parse::Expr& right = *expr.children[1];
  if (parse::IsRow(left) || parse::IsRow(right)) return FindRow(left, expr.compare, right, exact);
  auto term = Compare(left, expr.compare, right);
  if (!term.has_value()) return {};
  *exact = true;
  return {*std::move(term)};
}

// column = ANY(ARRAY[…]); the condition itself stays.
KeyTermFinder::Terms KeyTermFinder::FindAny(const parse::Expr& expr) {
  const parse::Expr& array = *expr.children[1];
  if (expr.quantifier != parse::Quantifier::kAny || expr.compare != parse::CompareOp::kEqual ||
      array.kind != parse::ExprKind::kArray) {
    return {};
  }
  const auto column = KeyColumn(*expr.children[0]);
  if (!column.has_value()) return {};
  KeyTerm term;
  term.kind = KeyTerm::Kind::kIn;
  term.column = *column;
  for (const parse::ExprPtr& element : array.children) {
    const auto operand = Operand(*element, *column);
    if (!operand.has_value()) return {};
    term.operands.push_back(*operand);
  }
  return {std::move(term)};
}

KeyTermFinder::Terms KeyTermFinder::FindBetween(const parse::Expr& expr, bool* exact) {
  *exact = false;
  if (expr.negated) return {};
  Terms terms;
  bool low_exact = false;
  bool high_exact = false;
  const parse::Expr& value = *expr.children[0];
  if (parse::IsRow(value)) {
    terms = FindRow(value, parse::CompareOp::kGreaterOrEqual, *expr.children[1], &low_exact);
    Terms high = FindRow(value, parse::CompareOp::kLessOrEqual, *expr.children[2], &high_exact);
    *exact = low_exact && high_exact;
    terms.insert(terms.end(), high.begin(), high.end());
    return terms;
  }
  auto low = Compare(value, parse::CompareOp::kGreaterOrEqual, *expr.children[1]);
  auto high = Compare(value, parse::CompareOp::kLessOrEqual, *expr.children[2]);
  *exact = low.has_value() && high.has_value();
  if (low.has_value()) terms.push_back(*std::move(low));
  if (high.has_value()) terms.push_back(*std::move(high));
  return terms;
}

KeyTermFinder::Terms KeyTermFinder::FindIn(const parse::Expr& expr, bool* exact) {
  *exact = false;
  if (expr.negated) return {};
  if (parse::IsRow(*expr.children[0])) return FindRowIn(expr, exact);
  const auto column = KeyColumn(*expr.children[0]);
  if (!column.has_value()) return FindFunctionIn(expr, exact);
  KeyTerm term;
  term.kind = KeyTerm::Kind::kIn;
  term.column = *column;
  for (size_t i = 1; i < expr.children.size(); ++i) {
    ExprPtr constant = binder_->ConstantMember(expr, i);
    const auto operand = constant != nullptr ? AddOperand(std::move(constant), *column)
                                             : Operand(*expr.children[i], *column);
    if (!operand.has_value()) return {};
    term.operands.push_back(*operand);
  }
  *exact = true;
  return {std::move(term)};
}

KeyTermFinder::Terms KeyTermFinder::FindFunctionIn(const parse::Expr& expr, bool* exact) {
  const parse::Expr& function = *expr.children[0];
  const std::optional<KeyTerm> of_key = FunctionOfKey(function);
  if (!of_key.has_value()) return {};
  KeyTerm either;
  either.kind = KeyTerm::Kind::kOr;
  either.column = of_key->column;
  for (size_t i = 1; i < expr.children.size(); ++i) {
    const auto operand = Operand(*expr.children[i], of_key->column);
    if (!operand.has_value()) return {};
    either.children.push_back(*of_key);
    either.children.back().operands = {*operand};
  }
  *exact = true;
  return {std::move(either)};
}

KeyTermFinder::Terms KeyTermFinder::FindRowIn(const parse::Expr& expr, bool* exact) {
  const parse::ExprList& row = expr.children[0]->children;
  // Places of the components in key order; they must stand side by side in the key.
  std::vector<std::pair<uint32_t, size_t>> places;
  for (size_t i = 0; i < row.size(); ++i) {
    const auto column = KeyColumn(*row[i]);
    if (!column.has_value()) return {};
    places.emplace_back(*column, i);
  }
  std::sort(places.begin(), places.end());
  for (size_t i = 1; i < places.size(); ++i) {
    if (places[i].first != places[0].first + i) return {};
  }
  KeyTerm term;
  term.kind = KeyTerm::Kind::kRowIn;
  term.column = places[0].first;
  term.column_count = static_cast<uint32_t>(places.size());
  for (size_t i = 1; i < expr.children.size(); ++i) {
    const parse::Expr& values = *expr.children[i];
    if (values.kind != parse::ExprKind::kRowValue || values.children.size() != row.size()) {
      return {};
    }
    for (const auto& [column, place] : places) {
      const auto operand = Operand(*values.children[place], column);
      if (!operand.has_value()) return {};
      term.operands.push_back(*operand);
    }
  }
  *exact = true;
  return {std::move(term)};
}

KeyTermFinder::Terms KeyTermFinder::FindOr(const parse::Expr& expr, bool* exact) {
  KeyTerm either;
  either.kind = KeyTerm::Kind::kOr;
  *exact = false;
  bool all_exact = true;
  for (const parse::ExprPtr& child : expr.children) {
    if (IsNever(*child)) continue;
    bool child_exact = false;
    Terms terms = Find(*child, &child_exact);
    all_exact &= child_exact;
    // Each branch must speak of the one column.
    if (terms.empty()) return {};
    for (const KeyTerm& term : terms) {
      if (term.column_count != 1) return {};
      if (term.column != terms[0].column) return {};
    }
    if (either.children.empty()) either.column = terms[0].column;
    if (terms[0].column != either.column) return {};
    if (terms.size() == 1) {
      either.children.push_back(std::move(terms[0]));
    } else {
      KeyTerm all;
      all.kind = KeyTerm::Kind::kAnd;
      all.column = either.column;
      all.children = std::move(terms);
      either.children.push_back(std::move(all));
    }
  }
  if (either.children.empty()) return {};
  *exact = all_exact;
  return {std::move(either)};
}

// A branch that is true of no row, as it is written: a part of it is FALSE, or asks whether a NOT
// NULL column of the key is NULL.
bool KeyTermFinder::IsNever(const parse::Expr& condition) {
  const auto never = [this](const parse::ExprPtr& child) { return IsNever(*child); };
  const parse::ExprList& children = condition.children;
  switch (condition.kind) {
    case parse::ExprKind::kLiteral: return condition.literal == parse::LiteralKind::kFalse;
    case parse::ExprKind::kAnd: return std::any_of(children.begin(), children.end(), never);
    case parse::ExprKind::kOr: return std::all_of(children.begin(), children.end(), never);
    case parse::ExprKind::kRowValue: return children.size() == 1 && IsNever(*children[0]);
    case parse::ExprKind::kIsNull: {
      if (condition.negated) return false;
      const auto column = KeyColumn(*children[0]);
      return column.has_value() && !source().KeyIsNullable(*column);
    }
    default: return false;
  }
}

KeyTermFinder::Terms KeyTermFinder::Find(const parse::Expr& condition, bool* exact) {
  *exact = false;
  switch (condition.kind) {
    case parse::ExprKind::kComparison: return FindComparison(condition, exact);
    case parse::ExprKind::kBetween: return FindBetween(condition, exact);
    case parse::ExprKind::kInList: return FindIn(condition, exact);
    case parse::ExprKind::kOr: return FindOr(condition, exact);
    case parse::ExprKind::kAnd: {
      Terms all;
      *exact = true;
      for (const parse::ExprPtr& child : condition.children) {
        bool child_exact = false;
        Terms terms = Find(*child, &child_exact);
        *exact &= child_exact;
        all.insert(all.end(), terms.begin(), terms.end());
      }
      return all;
    }
    case parse::ExprKind::kLike: {
      if (condition.negated || condition.case_insensitive) return {};
      if (IsPlainPattern(*condition.children[1])) {
        auto term =
            Compare(*condition.children[0], parse::CompareOp::kEqual, *condition.children[1]);
        if (!term.has_value()) return {};
        *exact = true;
        return {*std::move(term)};
      }
      const auto column = KeyColumn(*condition.children[0]);
      if (!column.has_value()) return {};
      const auto operand = Operand(*condition.children[1], *column);
      if (!operand.has_value()) return {};
      *exact = true;
      KeyTerm term;
      term.kind = KeyTerm::Kind::kLike;
      term.column = *column;
      term.operands = {*operand};
      return {std::move(term)};
    }
    case parse::ExprKind::kIsNull: {
      const auto column = KeyColumn(*condition.children[0]);
      if (!column.has_value()) return {};
      *exact = true;
      KeyTerm term;
      term.kind = condition.negated ? KeyTerm::Kind::kIsNotNull : KeyTerm::Kind::kIsNull;
      term.column = *column;
      return {std::move(term)};
    }
    case parse::ExprKind::kRowValue:
      if (condition.children.size() == 1) return Find(*condition.children[0], exact);
      return {};
    default: return {};
  }
}

}  // namespace bennu::sql::bind
