#include "src/shell/parser.h"

#include <fmt/format.h>

#include <utility>

#include "src/base/status_macros.h"
#include "src/shell/token.h"

namespace bennu::shell {

namespace {

using Kind = Expression::Kind;

// Deeper than anybody types, and far from the end of the stack.
constexpr size_t kDepthMax = 200;

ExpressionPtr Make(Kind kind) {
  auto expression = std::make_unique<Expression>();
  expression->kind = kind;
  return expression;
}

ExpressionPtr MakeLiteral(Value value) {
  ExpressionPtr literal = Make(Kind::kLiteral);
  literal->value = std::move(value);
  return literal;
}

std::string Describe(const Token& token) {
  switch (token.kind) {
    case Token::Kind::kEnd: return "the end";
    case Token::Kind::kNewline: return "the end of the statement";
    case Token::Kind::kLiteral: return token.value.Inspect();
    case Token::Kind::kLabel: return token.text + ":";
    default: return "'" + token.text + "'";
  }
}

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  // Sets *complete to false when the text ends where it cannot.
  Result<std::vector<ExpressionPtr>> Run(bool* complete) {
    std::vector<ExpressionPtr> statements;
    while (true) {
      while (Current().kind == Token::Kind::kNewline) Advance();
      if (AtEnd()) return statements;
      auto statement = ParseExpression();
      if (statement.ok() && !AtEnd() && Current().kind != Token::Kind::kNewline) {
        statement = Unexpected();
      }
      if (!statement.ok()) {
        *complete = !ran_out_;
        return std::move(statement).status();
      }
      statements.push_back(std::move(*statement));
    }
  }

 private:
  const Token& Current() const { return tokens_[at_]; }
  const Token& Following() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  bool AtEnd() const { return Current().kind == Token::Kind::kEnd; }
  void Advance() {
    if (!AtEnd()) ++at_;
  }
  // Line ends mean nothing behind an operator and inside brackets.
  void SkipNewlines() {
    while (Current().kind == Token::Kind::kNewline) Advance();
  }
  bool Accept(std::string_view punctuation) {
    if (!Current().Is(punctuation)) return false;
    Advance();
    return true;
  }
  Status Unexpected() {
    if (AtEnd()) ran_out_ = true;
    return InvalidArgument("syntax error, unexpected " + Describe(Current()));
  }

  Result<ExpressionPtr> ParseExpression() {
    if (++depth_ > kDepthMax) return InvalidArgument("syntax error, too deeply nested");
    auto expression = ParseInner();
    --depth_;
    return expression;
  }

  Result<ExpressionPtr> ParseInner() {
    if (Current().kind == Token::Kind::kName && Following().Is("=")) return ParseAssignment();
    ASSIGN_OR_RETURN(ExpressionPtr left, ParseTerm());
    while (Current().Is("+")) {
      Advance();
      SkipNewlines();
      ExpressionPtr sum = Make(Kind::kAdd);
      ASSIGN_OR_RETURN(ExpressionPtr right, ParseTerm());
      sum->parts.push_back(std::move(left));
      sum->parts.push_back(std::move(right));
      left = std::move(sum);
    }
    return left;
  }

  Result<ExpressionPtr> ParseAssignment() {
    ExpressionPtr assignment = Make(Kind::kAssign);
    assignment->name = Current().text;
    Advance();
    Advance();
    SkipNewlines();
    ASSIGN_OR_RETURN(ExpressionPtr value, ParseExpression());
    assignment->parts.push_back(std::move(value));
    return assignment;
  }

  Result<ExpressionPtr> ParseTerm() {
    ASSIGN_OR_RETURN(ExpressionPtr term, ParsePrimary());
    while (Current().Is(".")) {
      Advance();
      SkipNewlines();
      if (Current().kind != Token::Kind::kName) return Unexpected();
      ASSIGN_OR_RETURN(ExpressionPtr call, ParseCall());
      if (call->kind == Kind::kName) call->kind = Kind::kCall;
      call->receiver = std::move(term);
      term = std::move(call);
    }
    return term;
  }

  Result<ExpressionPtr> ParsePrimary() {
    const Token& token = Current();
    switch (token.kind) {
      case Token::Kind::kLiteral: return ParseLiteral();
      case Token::Kind::kName: return ParseCall();
      case Token::Kind::kConstant: {
        ExpressionPtr constant = Make(Kind::kConstant);
        constant->name = token.text;
        Advance();
        return constant;
      }
      default: break;
    }
    if (token.Is("-")) return ParseNegation();
    if (token.Is("[")) return ParseArray();
    if (token.Is("{")) return ParseHash();
    if (token.Is("(")) {
      Advance();
      SkipNewlines();
      ASSIGN_OR_RETURN(ExpressionPtr inner, ParseExpression());
      SkipNewlines();
      if (!Accept(")")) return Unexpected();
      return inner;
    }
    return Unexpected();
  }

  // Strings that stand side by side are one.
  Result<ExpressionPtr> ParseLiteral() {
    Value value = Current().value;
    Advance();
    Bytes* const text = value.As<Bytes>();
    while (text != nullptr && Current().kind == Token::Kind::kLiteral &&
           Current().value.As<Bytes>() != nullptr) {
      *text += *Current().value.As<Bytes>();
      Advance();
    }
    return MakeLiteral(std::move(value));
  }

  Result<ExpressionPtr> ParseNegation() {
    if (++depth_ > kDepthMax) return InvalidArgument("syntax error, too deeply nested");
    Advance();
    ExpressionPtr negation = Make(Kind::kNegate);
    auto operand = ParsePrimary();
    --depth_;
    if (!operand.ok()) return operand;
    negation->parts.push_back(std::move(*operand));
    return negation;
  }

  Result<ExpressionPtr> ParseArray() {
    Advance();
    ExpressionPtr array = Make(Kind::kArray);
    SkipNewlines();
    while (!Current().Is("]")) {
      ASSIGN_OR_RETURN(ExpressionPtr element, ParseExpression());
      array->parts.push_back(std::move(element));
      SkipNewlines();
      if (!Accept(",") && !Current().Is("]")) return Unexpected();
      SkipNewlines();
    }
    Advance();
    return array;
  }

  Result<ExpressionPtr> ParseHash() {
    Advance();
    ExpressionPtr hash = Make(Kind::kHash);
    SkipNewlines();
    while (!Current().Is("}")) {
      ASSIGN_OR_RETURN(ExpressionPtr key, ParseKeyOrValue());
      SkipNewlines();
      RETURN_IF_ERROR(ParsePair(std::move(key), hash.get()));
      SkipNewlines();
      if (!Accept(",") && !Current().Is("}")) return Unexpected();
      SkipNewlines();
    }
    Advance();
    return hash;
  }

  // An expression, or the symbol of a label.
  Result<ExpressionPtr> ParseKeyOrValue() {
    if (Current().kind != Token::Kind::kLabel) return ParseExpression();
    ExpressionPtr symbol = MakeLiteral(Value(Value::Variant(Value::Symbol{Current().text})));
    Advance();
    after_label_ = true;
    return symbol;
  }

  // Behind a key.
  Status ParsePair(ExpressionPtr key, Expression* hash) {
    if (!std::exchange(after_label_, false) && !Accept("=>")) return Unexpected();
    SkipNewlines();
    ASSIGN_OR_RETURN(ExpressionPtr value, ParseExpression());
    hash->parts.push_back(std::move(key));
    hash->parts.push_back(std::move(value));
    return Status::Ok();
  }

  // Whether the token can begin an argument of a call without parentheses.
  bool BeginsArgument() const {
    const Token& token = Current();
    switch (token.kind) {
      case Token::Kind::kLiteral:
      case Token::Kind::kName:
      case Token::Kind::kConstant:
      case Token::Kind::kLabel: return true;
      case Token::Kind::kPunctuation: break;
      default: return false;
    }
    if (token.Is("{")) return true;
    if (token.Is("[") || token.Is("(")) return token.space_before;
    // "put -1" has an argument, "a - 1" and "a -1" of a variable have none: there is no minus.
    return token.Is("-") && token.space_before && !Following().space_before;
  }

  // A name, with the arguments of a call where there are any.
  Result<ExpressionPtr> ParseCall() {
    ExpressionPtr call = Make(Kind::kName);
    call->name = Current().text;
    Advance();
    if (call->name == "nil") return MakeLiteral(Value());
    if (call->name == "true" || call->name == "false") {
      return MakeLiteral(Value::Boolean(call->name == "true"));
    }
    if (Current().Is("(") && !Current().space_before) {
      Advance();
      call->kind = Kind::kCall;
      SkipNewlines();
      if (Accept(")")) return call;
      RETURN_IF_ERROR(ParseArguments(call.get()));
      SkipNewlines();
      if (!Accept(")")) return Unexpected();
      return call;
    }
    if (!BeginsArgument()) return call;
    call->kind = Kind::kCall;
    RETURN_IF_ERROR(ParseArguments(call.get()));
    return call;
  }

  Status ParseArguments(Expression* call) {
    ExpressionPtr pairs;
    do {
      SkipNewlines();
      ASSIGN_OR_RETURN(ExpressionPtr argument, ParseKeyOrValue());
      if (after_label_ || Current().Is("=>")) {
        if (pairs == nullptr) pairs = Make(Kind::kHash);
        RETURN_IF_ERROR(ParsePair(std::move(argument), pairs.get()));
      } else if (pairs != nullptr) {
        return Unexpected();
      } else {
        call->parts.push_back(std::move(argument));
      }
    } while (Accept(","));
    if (pairs != nullptr) call->parts.push_back(std::move(pairs));
    return Status::Ok();
  }

  const std::vector<Token> tokens_;
  size_t at_ = 0;
  size_t depth_ = 0;
  bool after_label_ = false;  // the key before was written "KEY:"
  bool ran_out_ = false;      // the text ended where something had to follow
};

}  // namespace

Result<Parsed> Parse(std::string_view text) {
  ASSIGN_OR_RETURN(TokenList list, Tokenize(text));
  Parsed parsed;
  parsed.open_quote = list.open_quote;
  parsed.depth = list.depth;
  if (list.open_quote != 0) {
    parsed.complete = false;
    return parsed;
  }
  bool complete = true;
  Parser parser(std::move(list.tokens));
  auto statements = parser.Run(&complete);
  if (!statements.ok() && complete) return std::move(statements).status();
  parsed.complete = statements.ok();
  if (statements.ok()) parsed.statements = std::move(*statements);
  return parsed;
}

}  // namespace bennu::shell
