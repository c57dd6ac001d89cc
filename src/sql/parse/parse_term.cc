// Literals, names, functions and the bracketed forms.
#include <fmt/format.h>

#include <charconv>

#include "src/base/status_macros.h"
#include "src/sql/parse/literal.h"
#include "src/sql/parse/parser_internal.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::parse {
namespace {

using enum TokenType;

constexpr int kBindsMax = 1 << 20;

}  // namespace

bool Parser::AtLiteral() const {
  switch (Current().type) {
    case kString:
    case kBinary:
    case kInteger:
    case kDecimal:
    case kDouble: return true;
    case kName: return IsAhead(1, kString);
    default: break;
  }
  return Is(Keyword::kNULL) || Is(Keyword::kTRUE) || Is(Keyword::kFALSE);
}

Result<ExprPtr> Parser::ParseLiteral() {
  if (Is(kName)) return ParseTypedLiteral();
  ExprPtr expr = MakeExpr(ExprKind::kLiteral);
  const Token& token = Current();
  switch (token.type) {
    case kString: expr->literal = LiteralKind::kString; break;
    case kBinary: expr->literal = LiteralKind::kBinary; break;
    case kInteger: expr->literal = LiteralKind::kInteger; break;
    case kDecimal: expr->literal = LiteralKind::kDecimal; break;
    case kDouble: expr->literal = LiteralKind::kDouble; break;
    default:
      if (Is(Keyword::kNULL)) {
        expr->literal = LiteralKind::kNull;
      } else if (Is(Keyword::kTRUE)) {
        expr->literal = LiteralKind::kTrue;
      } else if (Is(Keyword::kFALSE)) {
        expr->literal = LiteralKind::kFalse;
      } else {
        return NoViable();
      }
  }
  if (token.type != kKeyword) expr->text = token.text;
  ++at_;
  return Finish(std::move(expr));
}

// DATE '2020-01-01'. Whether the type takes one and the text fits is said only once the whole
// expression was read.
Result<ExprPtr> Parser::ParseTypedLiteral() {
  ExprPtr expr = MakeExpr(ExprKind::kLiteral);
  expr->literal = LiteralKind::kTyped;
  expr->type_name = Current().text;
  expr->text = Ahead(1).text;
  at_ += 2;
  expr = Finish(std::move(expr));
  Result<Value> value = LiteralValue(*expr);
  if (!value.ok()) DeferError(value.status());
  return expr;
}

Result<ExprPtr> Parser::ParseBind() {
  ExprPtr expr = MakeExpr(ExprKind::kBind);
  const std::string& digits = Current().text;
  int32_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || index < 1 || index > kBindsMax) {
    return MakeSqlError(601, fmt::format("Bind index {} is not in 1..{}.", digits, kBindsMax),
                        position());
  }
  ++at_;
  expr->bind_index = index;
  bind_count_ = std::max(bind_count_, index);
  return Finish(std::move(expr));
}

Result<ExprPtr> Parser::ParseTerm() {
  switch (Current().type) {
    case kBind: return ParseBind();
    case kName:
    case kQuotedName: return ParseNameTerm();
    case kLeftParen: return ParseParenthesized();
    default: break;
  }
  if (AtLiteral()) return ParseLiteral();
  switch (Current().keyword) {
    case Keyword::kARRAY: return ParseArray();
    case Keyword::kCASE: return ParseCase();
    case Keyword::kCAST: return ParseCast();
    case Keyword::kNEXT:
    case Keyword::kCURRENT: return ParseSequence();
    default: return NoViable();
  }
}

Result<ExprPtr> Parser::ParseNameTerm() {
  if (IsAhead(1, kLeftParen)) return ParseFunction();
  if (Is(kName) && IsAhead(1, kString)) return ParseTypedLiteral();
  return ParseColumn();
}

Result<ExprPtr> Parser::ParseColumn() {
  ExprPtr expr = MakeExpr(ExprKind::kColumn);
  ASSIGN_OR_RETURN(expr->column, ParseName());
  for (int parts = 1; parts < 3 && Is(kDot); ++parts) {
    ++at_;
    expr->schema = std::move(expr->table);
    expr->table = std::move(expr->column);
    ASSIGN_OR_RETURN(expr->column, ParseName());
  }
  return Finish(std::move(expr));
}

Result<ExprPtr> Parser::ParseFunction() {
  ExprPtr expr = MakeExpr(ExprKind::kFunction);
  expr->function_name = UpperCaseName(Current().text);
  at_ += 2;
  if (Is(kAsterisk) && IsAhead(1, kRightParen)) {
    if (expr->function_name != "COUNT") DeferError(NoViable());
    expr->star_argument = true;
    ++at_;
  } else if (!Is(kRightParen)) {
    expr->distinct = Accept(Keyword::kDISTINCT);
    if (!Is(kRightParen)) {
      if (!AtExpressionStart()) return NoViable();
      ASSIGN_OR_RETURN(expr->children, ParseExprList());
    }
  }
  RETURN_IF_ERROR(Expect(kRightParen));
  if (Is(Keyword::kWITHIN)) RETURN_IF_ERROR(ParseWithinGroup(expr.get()));
  return Finish(std::move(expr));
}

Status Parser::ParseWithinGroup(Expr* function) {
  ++at_;
  RETURN_IF_ERROR(Expect(Keyword::kGROUP));
  RETURN_IF_ERROR(Expect(kLeftParen));
  RETURN_IF_ERROR(ExpectBoth(Keyword::kORDER, Keyword::kBY));
  function->within_group = true;
  ASSIGN_OR_RETURN(function->within_group_order, ParseExprList());
  function->within_group_ascending = !Is(Keyword::kDESC);
  if (!Accept(Keyword::kASC) && !Accept(Keyword::kDESC)) {
    return NoViable("WITHIN GROUP needs an explicit ASC or DESC");
  }
  return Expect(kRightParen);
}

Result<ExprPtr> Parser::ParseArray() {
  ExprPtr expr = MakeExpr(ExprKind::kArray);
  ++at_;
  RETURN_IF_ERROR(Expect(kLeftSquare));
  ASSIGN_OR_RETURN(expr->children, ParseExprList());
  RETURN_IF_ERROR(Expect(kRightSquare));
  return Finish(std::move(expr));
}

Result<ExprPtr> Parser::ParseCase() {
  ExprPtr expr = MakeExpr(ExprKind::kCase);
  ++at_;
  if (!Is(Keyword::kWHEN)) {
    expr->has_operand = true;
    ASSIGN_OR_RETURN(ExprPtr operand, ParseExpr());
    expr->children.push_back(std::move(operand));
  }
  do {
    RETURN_IF_ERROR(Expect(Keyword::kWHEN));
    ASSIGN_OR_RETURN(ExprPtr when, ParseExpr());
    RETURN_IF_ERROR(Expect(Keyword::kTHEN));
    ASSIGN_OR_RETURN(ExprPtr then, ParseExpr());
    expr->children.push_back(std::move(when));
    expr->children.push_back(std::move(then));
  } while (Is(Keyword::kWHEN));
  if (Accept(Keyword::kELSE)) {
    expr->has_else = true;
    ASSIGN_OR_RETURN(ExprPtr otherwise, ParseExpr());
    expr->children.push_back(std::move(otherwise));
  }
  RETURN_IF_ERROR(Expect(Keyword::kEND));
  return Finish(std::move(expr));
}

Result<ExprPtr> Parser::ParseCast() {
  ExprPtr expr = MakeExpr(ExprKind::kCast);
  ++at_;
  RETURN_IF_ERROR(Expect(kLeftParen));
  ASSIGN_OR_RETURN(ExprPtr value, ParseExpr());
  RETURN_IF_ERROR(Expect(Keyword::kAS));
  ASSIGN_OR_RETURN(expr->cast_type, ParseTypeSpec());
  RETURN_IF_ERROR(Expect(kRightParen));
  expr->children.push_back(std::move(value));
  return Finish(std::move(expr));
}

Result<ExprPtr> Parser::ParseParenthesized() {
  ExprPtr row = MakeExpr(ExprKind::kRowValue);
  ++at_;
  ASSIGN_OR_RETURN(row->children, ParseExprList());
  RETURN_IF_ERROR(Expect(kRightParen));
  if (row->children.size() == 1) return std::move(row->children[0]);
  return Finish(std::move(row));
}

Result<ExprPtr> Parser::ParseSequence() {
  ExprPtr expr = MakeExpr(ExprKind::kSequence);
  expr->sequence_op = Is(Keyword::kNEXT) ? SequenceOp::kNextValue : SequenceOp::kCurrentValue;
  if (!sequences_allowed_) {
    DeferError(MakeSqlError(601, "A sequence has no place in this statement.", position()));
  }
  ++at_;
  if (expr->sequence_op == SequenceOp::kNextValue && (Is(kInteger) || Is(kBind))) {
    expr->sequence_op = SequenceOp::kNextValues;
    Result<ExprPtr> count = Is(kBind) ? ParseBind() : ParseLiteral();
    ASSIGN_OR_RETURN(ExprPtr checked, std::move(count));
    expr->children.push_back(std::move(checked));
    RETURN_IF_ERROR(Expect(Keyword::kVALUES));
  } else {
    RETURN_IF_ERROR(Expect(Keyword::kVALUE));
  }
  RETURN_IF_ERROR(Expect(Keyword::kFOR));
  ASSIGN_OR_RETURN(expr->sequence, ParseTableName());
  return Finish(std::move(expr));
}

// LIMIT and OFFSET take a number or a bind only.
Result<ExprPtr> Parser::ParseLimitValue() {
  if (Is(kBind)) return ParseBind();
  if (!Is(kInteger)) return NoViable();
  return ParseLiteral();
}

}  // namespace bennu::sql::parse
