#include "src/sql/parse/parser.h"

#include <fmt/format.h>

#include <charconv>

#include "src/base/status_macros.h"
#include "src/sql/parse/advice.h"
#include "src/sql/parse/parser_internal.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::parse {
namespace {

using enum TokenType;

struct TerminalName {
  TokenType type;
  const char* name;
};
constexpr TerminalName kTerminalNames[] = {
    {kEnd, "EOF"},
    {kName, "NAME"},
    {kString, "STRING_LITERAL"},
    {kInteger, "NUMBER"},
    {kLeftParen, "LPAREN"},
    {kRightParen, "RPAREN"},
    {kComma, "COMMA"},
    {kDot, "DOT"},
    {kAsterisk, "ASTERISK"},
    {kEqual, "EQ"},
    {kLeftSquare, "LSQUARE"},
    {kRightSquare, "RSQUARE"},
};

}  // namespace

std::string Terminal::Name() const {
  if (type == kKeyword) return std::string(KeywordText(keyword));
  for (const TerminalName& entry : kTerminalNames) {
    if (entry.type == type) return entry.name;
  }
  return "TOKEN";
}

Parser::Parser(std::string_view sql, std::vector<Token> tokens)
    : sql_(sql), tokens_(std::move(tokens)) {
  // '?' are numbered here, because the expression rules may read a token twice.
  int32_t next = 0;
  for (Token& token : tokens_) {
    if (token.type != kBind) continue;
    if (token.text.empty()) token.text = std::to_string(++next);
  }
}

bool Parser::Accept(Terminal terminal) {
  if (!Is(terminal)) return false;
  ++at_;
  return true;
}

bool Parser::AcceptBoth(Keyword first, Keyword second) {
  if (!Is(first) || !IsAhead(1, second)) return false;
  at_ += 2;
  return true;
}

std::string Parser::TokenText(const Token& token) const {
  if (token.type == kEnd) return "<EOF>";
  if (token.type == kString || token.type == kQuotedName) return token.text;
  return SourceText(token.position, token.end);
}

std::string Parser::SourceText(int32_t begin, int32_t end) const {
  return std::string(sql_.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
}

Status Parser::MismatchError(size_t at, Terminal expected, bool may_follow) const {
  const Token& token = tokens_[at];
  const Token& behind = tokens_[std::min(at + 1, tokens_.size() - 1)];
  const std::string place = DescribePlace(sql_, token.position);
  if (expected.Matches(behind) && token.type != kEnd) {
    return MakeSqlError(603,
                        fmt::format("Expecting \"{}\", got \"{}\" at {}.", expected.Name(),
                                    TokenText(token), place),
                        token.position);
  }
  if (may_follow) {
    return MakeSqlError(602, fmt::format("\"{}\" at {}.", expected.Name(), place), token.position);
  }
  return MakeSqlError(
      604,
      fmt::format("Expecting \"{}\", got \"{}\" at {}.", expected.Name(), TokenText(token), place),
      token.position);
}

Status Parser::Expect(Terminal terminal, std::initializer_list<Terminal> follow) {
  if (Accept(terminal)) return Status::Ok();
  // Behind the end of the statement everything may follow, so a leftover token means a missing end.
  bool may_follow = terminal.type == kEnd;
  for (const Terminal& candidate : follow) {
    may_follow |= candidate.Matches(Current());
    // A quoted name may stand wherever a name may.
    may_follow |= candidate.type == kName && Current().type == kQuotedName;
  }
  return MismatchError(at_, terminal, may_follow);
}

Status Parser::ExpectBoth(Keyword first, Keyword second) {
  RETURN_IF_ERROR(Expect(first, {second}));
  return Expect(second);
}

Status Parser::NoViable(std::string hint) const {
  const Token& token = Current();
  return MakeSqlError(601,
                      fmt::format("Encountered \"{}\" at {}.", TokenText(token),
                                  DescribePlace(sql_, token.position)),
                      token.position, std::move(hint));
}

Status Parser::CheckDepth() {
  if (depth_ <= kNestingDepthMax) return Status::Ok();
  return BeyondBound(fmt::format("Nested more than {} levels deep", kNestingDepthMax));
}

Status Parser::BeyondBound(std::string_view what) {
  beyond_bound_ = true;
  return MakeSqlError(601, fmt::format("{} at {}.", what, DescribePlace(sql_, position())),
                      position());
}

bool Parser::IsName(size_t ahead) const {
  const TokenType type = Ahead(ahead).type;
  return type == kName || type == kQuotedName;
}

Result<Name> Parser::ParseName() {
  if (!IsName()) return NoViable();
  Name name;
  name.text = Current().text;
  name.quoted = Current().type == kQuotedName;
  name.position = position();
  ++at_;
  return name;
}

Result<QualifiedName> Parser::ParseQualifiedName() {
  QualifiedName result;
  ASSIGN_OR_RETURN(result.name, ParseName());
  if (Accept(kDot)) {
    result.qualifier = std::move(result.name);
    ASSIGN_OR_RETURN(result.name, ParseName());
  }
  return result;
}

namespace {

// HBase would take what is before a colon for a namespace.
Status CheckColon(const QualifiedName& table) {
  for (const Name* name : {&table.qualifier, &table.name}) {
    if (name->text.find(':') == std::string::npos) continue;
    return MakeSqlError(601, "Table or schema name cannot contain colon", name->position);
  }
  return Status::Ok();
}

}  // namespace

Result<QualifiedName> Parser::ParseTableName() {
  ASSIGN_OR_RETURN(QualifiedName result, ParseQualifiedName());
  RETURN_IF_ERROR(CheckColon(result));
  if (!result.name.text.empty()) return result;
  return MakeSqlError(1012, "tableName=" + result.ToString(), result.name.position);
}

Result<QualifiedName> Parser::ParseNewTableName() {
  ASSIGN_OR_RETURN(QualifiedName result, ParseQualifiedName());
  RETURN_IF_ERROR(CheckColon(result));
  if (!result.name.text.empty()) return result;
  return MakeSqlError(218, "SYSTEM.CATALOG.TABLE_NAME may not be null", result.name.position);
}

// A column named "" would have the table's own row in SYSTEM.CATALOG, and the empty column's cell.
Result<QualifiedName> Parser::ParseColumnName() {
  ASSIGN_OR_RETURN(QualifiedName result, ParseQualifiedName());
  if (!result.name.text.empty()) return result;
  return MakeSqlError(
      601, fmt::format("Empty identifier at {}.", DescribePlace(sql_, result.name.position)),
      result.name.position);
}

Result<int64_t> Parser::ParseNumber(int64_t max) {
  const Token& token = Current();
  if (token.type != kInteger) return MismatchError(at_, kInteger, false);
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(token.text.data(), token.text.data() + token.text.size(), number);
  if (error != std::errc() || end != token.text.data() + token.text.size() || number > max) {
    return MakeSqlError(601,
                        fmt::format("Number {} at {} is greater than {}.", token.text,
                                    DescribePlace(sql_, token.position), max),
                        token.position);
  }
  ++at_;
  return number;
}

Result<TypeSpec> Parser::ParseTypeSpec() {
  TypeSpec type;
  type.position = position();
  ASSIGN_OR_RETURN(const Name name, ParseName());
  type.name = UpperCaseName(name.text);
  if (Accept(kLeftParen)) {
    ASSIGN_OR_RETURN(const int64_t length, ParseNumber(INT32_MAX));
    type.length = static_cast<int32_t>(length);
    if (Accept(kComma)) {
      ASSIGN_OR_RETURN(const int64_t scale, ParseNumber(INT32_MAX));
      type.scale = static_cast<int32_t>(scale);
    }
    RETURN_IF_ERROR(Expect(kRightParen));
  }
  if (Accept(Keyword::kARRAY)) type.is_array = true;
  if (Accept(kLeftSquare)) {
    type.is_array = true;
    if (Is(kInteger)) {
      ASSIGN_OR_RETURN(const int64_t size, ParseNumber(INT32_MAX));
      type.array_size = static_cast<int32_t>(size);
    }
    RETURN_IF_ERROR(Expect(kRightSquare));
  }
  return type;
}

Result<std::string> Parser::ParseString() {
  if (!Is(kString)) return MismatchError(at_, kString, false);
  return tokens_[at_++].text;
}

Result<Property> Parser::ParseProperty() {
  Property property;
  property.position = position();
  ASSIGN_OR_RETURN(const QualifiedName name, ParseQualifiedName());
  property.family = name.qualifier.text;
  property.name = name.name.quoted ? name.name.text : UpperCaseName(name.name.text);
  RETURN_IF_ERROR(Expect(kEqual, {kName, kString, kInteger, kDecimal}));
  if (IsName() && !IsAhead(1, kString)) {
    ExprPtr word = MakeExpr(ExprKind::kColumn);
    ASSIGN_OR_RETURN(word->column, ParseName());
    property.value = Finish(std::move(word));
    return property;
  }
  if (!AtLiteral()) return NoViable();
  ASSIGN_OR_RETURN(property.value, ParseLiteral());
  RETURN_IF_ERROR(CheckDeferredError());
  return property;
}

Result<std::vector<Property>> Parser::ParseProperties() {
  std::vector<Property> properties;
  do {
    ASSIGN_OR_RETURN(Property property, ParseProperty());
    properties.push_back(std::move(property));
  } while (Accept(kComma));
  return properties;
}

Result<bool> Parser::ParseIfNotExists() {
  if (!Accept(Keyword::kIF)) return false;
  RETURN_IF_ERROR(Expect(Keyword::kNOT, {Keyword::kEXISTS}));
  RETURN_IF_ERROR(Expect(Keyword::kEXISTS, {kName}));
  return true;
}

Result<bool> Parser::ParseIfExists() {
  if (!Accept(Keyword::kIF)) return false;
  RETURN_IF_ERROR(Expect(Keyword::kEXISTS, {kName}));
  return true;
}

// Words that are no hints at all are kept here and ignored by the planner.
std::vector<Hint> Parser::ParseHints() {
  std::vector<Hint> hints;
  if (!Is(kHint)) return hints;
  const std::string text = Current().text;
  ++at_;
  Result<std::vector<Token>> words = Tokenize(text);
  if (!words.ok()) return hints;
  int parentheses = 0;
  TokenType before = kEnd;
  for (const Token& token : *words) {
    if (token.type == kLeftParen) {
      ++parentheses;
    } else if (token.type == kRightParen) {
      --parentheses;
    } else if (token.type != kEnd && token.type != kComma && token.type != kDot) {
      if (parentheses <= 0) {
        hints.push_back({token.text, {}});
      } else if (!hints.empty()) {
        std::vector<std::string>& arguments = hints.back().arguments;
        if (before == kDot && !arguments.empty()) {
          arguments.back() += "." + token.text;
        } else {
          arguments.push_back(token.text);
        }
      }
    }
    before = token.type;
  }
  return hints;
}

// Phoenix passes over a text that is not ended where the statement would do without it.
Status Parser::ExpectEnd() {
  RETURN_IF_ERROR(Expect(kEnd));
  const Token& end = tokens_.back();
  if (end.end == end.position) return Status::Ok();
  return MakeSqlError(
      601, fmt::format("The text that begins at {} is not ended.", DescribePlace(sql_, end.end)),
      end.end);
}

Result<Statement> Parser::ParseWholeStatement() {
  ASSIGN_OR_RETURN(Statement::Node node, ParseNode());
  Accept(kSemicolon);
  RETURN_IF_ERROR(ExpectEnd());
  Statement statement;
  statement.node = std::move(node);
  statement.bind_count = bind_count_;
  return statement;
}

Result<ExprPtr> Parser::ParseWholeExpression() {
  ASSIGN_OR_RETURN(ExprPtr expr, ParseExpr());
  RETURN_IF_ERROR(ExpectEnd());
  return expr;
}

namespace {

Status CheckSize(std::string_view sql) {
  if (sql.size() <= kStatementBytesMax) return Status::Ok();
  return MakeSqlError(
      601, fmt::format("Statement of {} bytes is longer than {}.", sql.size(), kStatementBytesMax));
}

}  // namespace

namespace {

// The refusal of 'sql' with a hint, unless it has one or there is none.
Status Advise(std::string_view sql, const Status& error) {
  const SqlError* const refusal = error.sql_error();
  if (refusal == nullptr || !refusal->hint.empty()) return error;
  if (refusal->code < 601 || refusal->code > 604) return error;
  return WithHint(error, SyntaxAdvice(sql, static_cast<int32_t>(refusal->position)));
}

Result<Statement> ParseUnadvised(std::string_view sql) {
  ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(sql));
  return Parser(sql, std::move(tokens)).ParseWholeStatement();
}

}  // namespace

Result<Statement> ParseStatement(std::string_view sql) {
  RETURN_IF_ERROR(CheckSize(sql));
  Result<Statement> statement = ParseUnadvised(sql);
  if (!statement.ok()) return Advise(sql, statement.status());
  return statement;
}

Result<ExprPtr> ParseExpression(std::string_view text) {
  RETURN_IF_ERROR(CheckSize(text));
  ASSIGN_OR_RETURN(std::vector<Token> tokens, Tokenize(text));
  return Parser(text, std::move(tokens)).ParseWholeExpression();
}

}  // namespace bennu::sql::parse
