// Operators, from OR down to unary minus. Phoenix's order is its own: '+' binds loosest of the
// arithmetic operators, then '-', then '||', then '*', '/' and '%'.
#include <fmt/format.h>
#include <algorithm>

#include "src/base/status_macros.h"
#include "src/sql/parse/parser_internal.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::parse {
namespace {

using enum TokenType;

std::optional<CompareOp> CompareOpOf(TokenType type) {
  switch (type) {
    case kEqual: return CompareOp::kEqual;
    case kNotEqual: return CompareOp::kNotEqual;
    case kLess: return CompareOp::kLess;
    case kLessOrEqual: return CompareOp::kLessOrEqual;
    case kGreater: return CompareOp::kGreater;
    case kGreaterOrEqual: return CompareOp::kGreaterOrEqual;
    default: return std::nullopt;
  }
}

ExprPtr MakeBinary(ExprKind kind, ExprPtr left, ExprPtr right) {
  auto expr = std::make_unique<Expr>(kind, left->position);
  expr->end = right->end;
  expr->height = std::max(left->height, right->height) + 1;
  expr->children.push_back(std::move(left));
  expr->children.push_back(std::move(right));
  return expr;
}

}  // namespace

bool Parser::StartsExpression(const Token& token) {
  switch (token.type) {
    case kName:
    case kQuotedName:
    case kString:
    case kBinary:
    case kInteger:
    case kDecimal:
    case kDouble:
    case kBind:
    case kLeftParen:
    case kMinus: return true;
    case kKeyword: break;
    default: return false;
  }
  switch (token.keyword) {
    case Keyword::kNOT:
    case Keyword::kCASE:
    case Keyword::kCAST:
    case Keyword::kEXISTS:
    case Keyword::kARRAY:
    case Keyword::kNEXT:
    case Keyword::kCURRENT:
    case Keyword::kNULL:
    case Keyword::kTRUE:
    case Keyword::kFALSE: return true;
    default: return false;
  }
}

// The original accepts an expression only if a token comes next that some rule wants there; an
// operator that is left over makes it look for a parenthesis instead.
bool Parser::FollowsExpression(const Token& token) {
  switch (token.type) {
    case kEnd:
    case kName:
    case kQuotedName:
    case kComma:
    case kRightParen:
    case kRightSquare:
    case kSemicolon: return true;
    case kKeyword: break;
    default: return false;
  }
  switch (token.keyword) {
    case Keyword::kNOT:
    case Keyword::kIN:
    case Keyword::kIS:
    case Keyword::kLIKE:
    case Keyword::kILIKE:
    case Keyword::kBETWEEN:
    case Keyword::kNULL:
    case Keyword::kTRUE:
    case Keyword::kFALSE:
    case Keyword::kCASE:
    case Keyword::kCAST:
    case Keyword::kEXISTS: return false;
    default: return true;
  }
}

void Parser::DeferError(Status error) {
  if (!deferred_.has_value()) deferred_ = std::move(error);
}

Status Parser::CheckDeferredError() {
  if (expression_depth_ > 0 || !deferred_.has_value()) return Status::Ok();
  return *deferred_;
}

Result<ExprPtr> Parser::ParseExpr() {
  const Nesting nesting(this);
  RETURN_IF_ERROR(CheckDepth());
  ASSIGN_OR_RETURN(ExprPtr first, ParseAnd());
  if (!Is(Keyword::kOR)) return first;
  auto expr = std::make_unique<Expr>(ExprKind::kOr, first->position);
  expr->children.push_back(std::move(first));
  while (Accept(Keyword::kOR)) {
    ASSIGN_OR_RETURN(ExprPtr next, ParseAnd());
    expr->children.push_back(std::move(next));
  }
  return Finish(std::move(expr));
}

Result<ExprPtr> Parser::ParseAnd() {
  ASSIGN_OR_RETURN(ExprPtr first, ParseNot());
  if (!Is(Keyword::kAND)) return first;
  auto expr = std::make_unique<Expr>(ExprKind::kAnd, first->position);
  expr->children.push_back(std::move(first));
  while (Accept(Keyword::kAND)) {
    ASSIGN_OR_RETURN(ExprPtr next, ParseNot());
    expr->children.push_back(std::move(next));
  }
  return Finish(std::move(expr));
}

Result<ExprPtr> Parser::ParseNot() {
  const size_t start = at_;
  const auto known = failed_.find(start);
  if (known != failed_.end()) return known->second;
  ++expression_depth_;
  Result<ExprPtr> result = ParseNotUncached();
  --expression_depth_;
  if (!result.ok()) {
    failed_.emplace(start, result.status());
    return result;
  }
  RETURN_IF_ERROR(CheckDeferredError());
  return result;
}

// The original first looks whether a whole condition can be read here; if not it takes
// [NOT] '(' expression ')' and reports what is wrong with that. Most of its messages about a
// missing LPAREN come from there.
Result<ExprPtr> Parser::ParseNotUncached() {
  const int32_t begin = position();
  const bool negated = Accept(Keyword::kNOT);
  const size_t start = at_;
  Result<ExprPtr> inner = ParseBoolean();
  if (!inner.ok() || !FollowsExpression(Current())) {
    const bool bad_operator = inner.ok() && Is(kDoubleEqual);
    if (beyond_bound_) return inner;
    at_ = start;
    if (!Accept(kLeftParen)) {
      const Status error = MismatchError(start, kLeftParen, StartsExpression(tokens_[start]));
      if (bad_operator) return WithHint(error, "compare with a single =");
      return error;
    }
    inner = ParseExpr();
    if (!inner.ok()) return inner;
    RETURN_IF_ERROR(Expect(kRightParen));
  }
  if (!negated) return inner;
  auto expr = std::make_unique<Expr>(ExprKind::kNot, begin);
  expr->children.push_back(std::move(inner).value());
  return Finish(std::move(expr));
}

Result<ExprPtr> Parser::ParseBoolean() {
  if (Is(Keyword::kEXISTS)) return ParseExists();
  ASSIGN_OR_RETURN(ExprPtr value, ParseValue());
  const std::optional<CompareOp> compare = CompareOpOf(Current().type);
  if (compare.has_value()) return ParseComparison(std::move(value), *compare);
  if (Accept(Keyword::kIS)) {
    auto expr = std::make_unique<Expr>(ExprKind::kIsNull, value->position);
    expr->negated = Accept(Keyword::kNOT);
    RETURN_IF_ERROR(Expect(Keyword::kNULL));
    expr->children.push_back(std::move(value));
    return Finish(std::move(expr));
  }
  const size_t ahead = Is(Keyword::kNOT) ? 1 : 0;
  const Keyword word = Ahead(ahead).keyword;
  switch (word) {
    case Keyword::kLIKE:
    case Keyword::kILIKE: at_ += ahead; return ParseLike(std::move(value), ahead == 1);
    case Keyword::kBETWEEN: at_ += ahead; return ParseBetween(std::move(value), ahead == 1);
    case Keyword::kIN: at_ += ahead; return ParseIn(std::move(value), ahead == 1);
    default: return value;
  }
}

Result<ExprPtr> Parser::ParseSubqueryInParentheses() {
  ExprPtr expr = MakeExpr(ExprKind::kSubquery);
  RETURN_IF_ERROR(Expect(kLeftParen, {Keyword::kSELECT}));
  ASSIGN_OR_RETURN(expr->subquery, ParseSelect());
  RETURN_IF_ERROR(Expect(kRightParen));
  return Finish(std::move(expr));
}

Result<ExprPtr> Parser::ParseComparison(ExprPtr left, CompareOp op) {
  ++at_;
  auto expr = std::make_unique<Expr>(ExprKind::kComparison, left->position);
  expr->compare = op;
  ExprPtr right;
  if (Is(kLeftParen) && IsAhead(1, Keyword::kSELECT)) {
    ASSIGN_OR_RETURN(right, ParseSubqueryInParentheses());
  } else if (Is(Keyword::kALL) || Is(Keyword::kANY)) {
    expr->quantifier = Is(Keyword::kALL) ? Quantifier::kAll : Quantifier::kAny;
    ++at_;
    if (Is(kLeftParen) && IsAhead(1, Keyword::kSELECT)) {
      ASSIGN_OR_RETURN(right, ParseSubqueryInParentheses());
    } else {
      RETURN_IF_ERROR(Expect(kLeftParen));
      ASSIGN_OR_RETURN(right, ParseValue());
      RETURN_IF_ERROR(Expect(kRightParen));
    }
  } else {
    ASSIGN_OR_RETURN(right, ParseValue());
  }
  expr->children.push_back(std::move(left));
  expr->children.push_back(std::move(right));
  return Finish(std::move(expr));
}

Result<ExprPtr> Parser::ParseLike(ExprPtr value, bool negated) {
  auto expr = std::make_unique<Expr>(ExprKind::kLike, value->position);
  expr->negated = negated;
  expr->case_insensitive = Is(Keyword::kILIKE);
  ++at_;
  ASSIGN_OR_RETURN(ExprPtr pattern, ParseValue());
  expr->children.push_back(std::move(value));
  expr->children.push_back(std::move(pattern));
  return Finish(std::move(expr));
}

Result<ExprPtr> Parser::ParseBetween(ExprPtr value, bool negated) {
  ++at_;
  auto expr = std::make_unique<Expr>(ExprKind::kBetween, value->position);
  expr->negated = negated;
  ASSIGN_OR_RETURN(ExprPtr low, ParseValue());
  RETURN_IF_ERROR(Expect(Keyword::kAND));
  ASSIGN_OR_RETURN(ExprPtr high, ParseValue());
  expr->children.push_back(std::move(value));
  expr->children.push_back(std::move(low));
  expr->children.push_back(std::move(high));
  return Finish(std::move(expr));
}

Result<ExprPtr> Parser::ParseIn(ExprPtr value, bool negated) {
  ++at_;
  const bool subquery = Is(kLeftParen) && IsAhead(1, Keyword::kSELECT);
  auto expr =
      std::make_unique<Expr>(subquery ? ExprKind::kInSubquery : ExprKind::kInList, value->position);
  expr->negated = negated;
  expr->children.push_back(std::move(value));
  if (subquery) {
    ASSIGN_OR_RETURN(ExprPtr select, ParseSubqueryInParentheses());
    expr->subquery = std::move(select->subquery);
  } else if (Is(kBind)) {
    ASSIGN_OR_RETURN(ExprPtr bind, ParseBind());
    expr->children.push_back(std::move(bind));
  } else {
    RETURN_IF_ERROR(Expect(kLeftParen));
    do {
      ASSIGN_OR_RETURN(ExprPtr element, ParseExpr());
      expr->children.push_back(std::move(element));
    } while (Accept(kComma));
    RETURN_IF_ERROR(Expect(kRightParen));
  }
  return Finish(std::move(expr));
}

Result<ExprPtr> Parser::ParseExists() {
  ExprPtr expr = MakeExpr(ExprKind::kExists);
  ++at_;
  ASSIGN_OR_RETURN(ExprPtr select, ParseSubqueryInParentheses());
  expr->subquery = std::move(select->subquery);
  return Finish(std::move(expr));
}

Result<ExprList> Parser::ParseExprList() {
  ExprList list;
  do {
    ASSIGN_OR_RETURN(ExprPtr expr, ParseExpr());
    list.push_back(std::move(expr));
  } while (Accept(kComma));
  return list;
}

Result<ExprPtr> Parser::ParseChain(ExprKind kind, TokenType op, Result<ExprPtr> (Parser::*next)()) {
  ASSIGN_OR_RETURN(ExprPtr first, (this->*next)());
  if (!Is(op)) return first;
  auto expr = std::make_unique<Expr>(kind, first->position);
  expr->children.push_back(std::move(first));
  while (Accept(op)) {
    ASSIGN_OR_RETURN(ExprPtr operand, (this->*next)());
    expr->children.push_back(std::move(operand));
  }
  expr = Finish(std::move(expr));
  if (kind != ExprKind::kConcat) expr->height += static_cast<int32_t>(expr->children.size()) - 2;
  RETURN_IF_ERROR(CheckHeight(*expr));
  return expr;
}

Result<ExprPtr> Parser::ParseValue() {
  return ParseChain(ExprKind::kAdd, kPlus, &Parser::ParseSubtract);
}
Result<ExprPtr> Parser::ParseSubtract() {
  return ParseChain(ExprKind::kSubtract, kMinus, &Parser::ParseConcat);
}
Result<ExprPtr> Parser::ParseConcat() {
  return ParseChain(ExprKind::kConcat, TokenType::kConcat, &Parser::ParseMultiply);
}

Result<ExprPtr> Parser::ParseMultiply() {
  ASSIGN_OR_RETURN(ExprPtr left, ParseNegate());
  while (true) {
    ExprKind kind;
    if (Is(kAsterisk)) {
      kind = ExprKind::kMultiply;
    } else if (Is(kSlash)) {
      kind = ExprKind::kDivide;
    } else if (Is(kPercent)) {
      kind = ExprKind::kModulo;
    } else {
      return left;
    }
    ++at_;
    ASSIGN_OR_RETURN(ExprPtr right, ParseNegate());
    left = MakeBinary(kind, std::move(left), std::move(right));
    RETURN_IF_ERROR(CheckHeight(*left));
  }
}

Result<ExprPtr> Parser::ParseNegate() {
  const int32_t begin = position();
  const bool negative = Accept(kMinus);
  ASSIGN_OR_RETURN(ExprPtr expr, ParseTerm());
  if (Accept(kLeftSquare)) {
    const Nesting nesting(this);
    RETURN_IF_ERROR(CheckDepth());
    ASSIGN_OR_RETURN(ExprPtr index, ParseValue());
    RETURN_IF_ERROR(Expect(kRightSquare));
    expr = MakeBinary(ExprKind::kArrayElement, std::move(expr), std::move(index));
    expr = Finish(std::move(expr));
  }
  if (!negative) return expr;
  auto negate = std::make_unique<Expr>(ExprKind::kNegate, begin);
  negate->children.push_back(std::move(expr));
  return Finish(std::move(negate));
}

ExprPtr Parser::Finish(ExprPtr expr) const {
  expr->end = previous_end();
  for (const ExprPtr& child : expr->children) {
    expr->height = std::max(expr->height, child->height + 1);
  }
  return expr;
}

Status Parser::CheckHeight(const Expr& expr) {
  if (expr.height <= kExpressionHeightMax) return Status::Ok();
  return BeyondBound(fmt::format("More than {} operators in one another", kExpressionHeightMax));
}

}  // namespace bennu::sql::parse
