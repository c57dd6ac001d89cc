#include "tests/sql/expr/test_binder.h"

#include "src/base/status_macros.h"

namespace bennu::sql {
namespace {

using parse::Expr;
using parse::ExprKind;

std::vector<Value>* g_literals = nullptr;  // not null: literals become slots

Result<std::vector<BoundExprPtr>> BindAll(const parse::ExprList& list, size_t begin,
                                          const TestScope& scope) {
  std::vector<BoundExprPtr> bound;
  for (size_t i = begin; i < list.size(); ++i) {
    ASSIGN_OR_RETURN(BoundExprPtr child, BindForTest(*list[i], scope));
    bound.push_back(std::move(child));
  }
  return bound;
}

Result<BoundExprPtr> BindChain(const Expr& e, ArithmeticOp op, const TestScope& scope) {
  ASSIGN_OR_RETURN(std::vector<BoundExprPtr> parts, BindAll(e.children, 0, scope));
  BoundExprPtr left = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) {
    ASSIGN_OR_RETURN(left, MakeArithmetic(op, left, parts[i], e.position));
  }
  return left;
}

Result<BoundExprPtr> BindCase(const Expr& e, const TestScope& scope) {
  ASSIGN_OR_RETURN(std::vector<BoundExprPtr> parts, BindAll(e.children, 0, scope));
  size_t i = e.has_operand ? 1 : 0;
  const size_t end = parts.size() - (e.has_else ? 1 : 0);
  std::vector<CaseBranch> branches;
  for (; i + 1 < end; i += 2) {
    BoundExprPtr when = parts[i];
    if (e.has_operand) {
      ASSIGN_OR_RETURN(when, MakeCompare(ComparisonOp::kEqual, parts[0], when, e.position));
    }
    branches.push_back({when, parts[i + 1]});
  }
  return MakeCase(std::move(branches), e.has_else ? parts.back() : nullptr, e.position);
}

Result<BoundExprPtr> BindComparison(const Expr& e, const TestScope& scope) {
  const auto op = static_cast<ComparisonOp>(e.compare);
  if (e.children[0]->kind == ExprKind::kRowValue) {
    ASSIGN_OR_RETURN(auto left, BindAll(e.children[0]->children, 0, scope));
    ASSIGN_OR_RETURN(auto right, BindAll(e.children[1]->children, 0, scope));
    return MakeRowCompare(op, std::move(left), std::move(right), e.position);
  }
  ASSIGN_OR_RETURN(std::vector<BoundExprPtr> c, BindAll(e.children, 0, scope));
  return MakeCompare(op, c[0], c[1], e.position);
}

Result<DataType> BindType(const parse::TypeSpec& spec) {
  const std::optional<TypeId> id = TypeByName(spec.name);
  if (!id.has_value()) return SqlIllegalData("Unsupported sql type: " + spec.name);
  DataType type{*id};
  if (spec.length >= 0) type.max_length = spec.length;
  if (spec.scale >= 0) type.scale = spec.scale;
  return type;
}

Result<BoundExprPtr> BindSimple(const Expr& e, std::vector<BoundExprPtr> c) {
  switch (e.kind) {
    case ExprKind::kFunction:
      return MakeFunction(e.function_name, std::move(c), e.position, 1700000000000);
    case ExprKind::kCast: {
      ASSIGN_OR_RETURN(const DataType type, BindType(e.cast_type));
      return MakeCast(c[0], type, e.position);
    }
    case ExprKind::kInList: {
      BoundExprPtr value = c[0];
      c.erase(c.begin());
      return MakeIn(value, std::move(c), e.negated, e.position);
    }
    case ExprKind::kBetween: return MakeBetween(c[0], c[1], c[2], e.negated, e.position);
    case ExprKind::kLike: return MakeLike(c[0], c[1], e.negated, e.case_insensitive, e.position);
    case ExprKind::kIsNull: return MakeIsNull(c[0], e.negated, e.position);
    case ExprKind::kAnd: return MakeAnd(std::move(c), e.position);
    case ExprKind::kOr: return MakeOr(std::move(c), e.position);
    case ExprKind::kNot: return MakeNot(c[0], e.position);
    case ExprKind::kConcat: return MakeConcat(std::move(c), e.position);
    case ExprKind::kNegate: return MakeNegate(c[0], e.position);
    default: return Internal("not for this binder: " + parse::ToText(e));
  }
}

}  // namespace

Result<BoundExprPtr> BindForTest(const Expr& e, const TestScope& scope) {
  switch (e.kind) {
    case ExprKind::kLiteral: {
      ASSIGN_OR_RETURN(Value value, parse::LiteralValue(e));
      if (g_literals != nullptr && value.type().id != TypeId::kNull) {
        g_literals->push_back(value);
        return MakeSlot(g_literals->size() - 1, value.type(), "L");
      }
      return MakeConstant(std::move(value), e.position);
    }
    case ExprKind::kColumn: {
      const auto found = scope.find(e.column.text);
      if (found == scope.end()) {
        return MakeSqlError(504, "columnName=" + e.column.text, e.position);
      }
      return MakeSlot(found->second.first, found->second.second, e.column.text, true, e.position);
    }
    case ExprKind::kBind:
      return MakeParameter(static_cast<size_t>(e.bind_index - 1), {TypeId::kInteger}, e.position);
    case ExprKind::kCase: return BindCase(e, scope);
    case ExprKind::kComparison: return BindComparison(e, scope);
    case ExprKind::kAdd: return BindChain(e, ArithmeticOp::kAdd, scope);
    case ExprKind::kSubtract: return BindChain(e, ArithmeticOp::kSubtract, scope);
    case ExprKind::kMultiply: return BindChain(e, ArithmeticOp::kMultiply, scope);
    case ExprKind::kDivide: return BindChain(e, ArithmeticOp::kDivide, scope);
    case ExprKind::kModulo: return BindChain(e, ArithmeticOp::kModulo, scope);
    default: break;
  }
  ASSIGN_OR_RETURN(std::vector<BoundExprPtr> children, BindAll(e.children, 0, scope));
  return BindSimple(e, std::move(children));
}

Result<BoundExprPtr> BindLiteralsAsSlots(const parse::Expr& expr, std::vector<Value>* literals) {
  g_literals = literals;
  Result<BoundExprPtr> bound = BindForTest(expr);
  g_literals = nullptr;
  return bound;
}

Result<BoundExprPtr> BindTextForTest(std::string_view text, const TestScope& scope) {
  ASSIGN_OR_RETURN(const parse::ExprPtr expr, parse::ParseExpression(text));
  return BindForTest(*expr, scope);
}

}  // namespace bennu::sql
