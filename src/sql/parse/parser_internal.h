// The recursive-descent parser; one method per rule, spread over parse_*.cc by subject.
// Private to this folder. One thread, one statement.
#ifndef BENNU_SRC_SQL_PARSE_PARSER_INTERNAL_H_
#define BENNU_SRC_SQL_PARSE_PARSER_INTERNAL_H_

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/sql/parse/ast.h"
#include "src/sql/parse/parser.h"
#include "src/sql/parse/token.h"

namespace bennu::sql::parse {

// A kind of token that a rule may ask for.
struct Terminal {
  Terminal(TokenType type_in) : type(type_in) {}  // NOLINT(google-explicit-constructor)
  Terminal(Keyword keyword_in)                    // NOLINT(google-explicit-constructor)
      : type(TokenType::kKeyword), keyword(keyword_in) {}

  bool Matches(const Token& token) const { return token.type == type && token.keyword == keyword; }
  std::string Name() const;  // as messages name it: LPAREN, EOF, BY

  TokenType type;
  Keyword keyword = Keyword::kNone;
};

template <typename T>
Result<Statement::Node> ToNode(Result<T> statement) {
  if (!statement.ok()) return std::move(statement).status();
  return Statement::Node(std::move(statement).value());
}

class Parser {
 public:
  Parser(std::string_view sql, std::vector<Token> tokens);

  Result<Statement> ParseWholeStatement();
  Result<ExprPtr> ParseWholeExpression();

 private:
  // ---- tokens (parser.cc)
  const Token& Current() const { return tokens_[at_]; }
  const Token& Ahead(size_t count) const {
    return tokens_[std::min(at_ + count, tokens_.size() - 1)];
  }
  // A word of our own that Phoenix does not reserve.
  bool IsWord(size_t ahead, std::string_view word) const {
    return Ahead(ahead).type == TokenType::kName && Ahead(ahead).text == word;
  }
  bool Is(Terminal terminal) const { return terminal.Matches(Current()); }
  bool IsAhead(size_t count, Terminal terminal) const { return terminal.Matches(Ahead(count)); }
  bool Accept(Terminal terminal);
  bool AcceptBoth(Keyword first, Keyword second);
  // Takes the token or fails as ANTLR's match does: 603 when the token behind is the one asked for,
  // 602 when the current one is among 'follow', 604 otherwise.
  Status Expect(Terminal terminal, std::initializer_list<Terminal> follow = {});
  Status ExpectEnd();
  Status ExpectBoth(Keyword first, Keyword second);
  Status MismatchError(size_t at, Terminal expected, bool may_follow) const;
  // 601 at the current token: no rule begins with it.
  Status NoViable(std::string hint = "") const;
  std::string TokenText(const Token& token) const;
  int32_t position() const { return Current().position; }
  int32_t previous_end() const { return at_ == 0 ? 0 : tokens_[at_ - 1].end; }
  std::string SourceText(int32_t begin, int32_t end) const;

  // ---- names and small parts (parser.cc)
  bool IsName(size_t ahead = 0) const;
  Result<Name> ParseName();
  Result<QualifiedName> ParseQualifiedName();
  Result<QualifiedName> ParseTableName();  // of a sequence too
  Result<QualifiedName> ParseNewTableName();
  Result<QualifiedName> ParseColumnName();  // of a column that is made, or written
  Result<TypeSpec> ParseTypeSpec();
  Result<std::string> ParseString();
  Result<int64_t> ParseNumber(int64_t max);
  Result<std::vector<Property>> ParseProperties();
  Result<Property> ParseProperty();
  Result<bool> ParseIfNotExists();
  Result<bool> ParseIfExists();
  std::vector<Hint> ParseHints();

  // ---- expressions (parse_expression.cc)
  Result<ExprPtr> ParseExpr();  // OR
  Result<ExprPtr> ParseAnd();
  Result<ExprPtr> ParseNot();
  Result<ExprPtr> ParseNotUncached();
  Result<ExprPtr> ParseBoolean();
  Result<ExprPtr> ParseValue();  // +
  Result<ExprPtr> ParseChain(ExprKind kind, TokenType op, Result<ExprPtr> (Parser::*next)());
  Result<ExprPtr> ParseSubtract();
  Result<ExprPtr> ParseConcat();
  Result<ExprPtr> ParseMultiply();
  Result<ExprPtr> ParseNegate();
  Result<ExprPtr> ParseComparison(ExprPtr left, CompareOp op);
  Result<ExprPtr> ParseIn(ExprPtr value, bool negated);
  Result<ExprPtr> ParseBetween(ExprPtr value, bool negated);
  Result<ExprPtr> ParseLike(ExprPtr value, bool negated);
  Result<ExprPtr> ParseExists();
  Result<ExprList> ParseExprList();
  Result<ExprPtr> ParseSubqueryInParentheses();
  bool AtExpressionStart() const { return StartsExpression(Current()); }
  static bool StartsExpression(const Token& token);
  static bool FollowsExpression(const Token& token);
  // Called where an expression has been read to its end, outside any other: reports what the
  // original finds only after the syntax was accepted.
  Status CheckDeferredError();
  void DeferError(Status error);

  // ---- terms (parse_term.cc)
  Result<ExprPtr> ParseTerm();
  Result<ExprPtr> ParseLiteral();  // also checks that there is one
  bool AtLiteral() const;
  Result<ExprPtr> ParseBind();
  Result<ExprPtr> ParseNameTerm();
  Result<ExprPtr> ParseTypedLiteral();
  Result<ExprPtr> ParseColumn();
  Result<ExprPtr> ParseFunction();
  Status ParseWithinGroup(Expr* function);
  Result<ExprPtr> ParseArray();
  Result<ExprPtr> ParseCase();
  Result<ExprPtr> ParseCast();
  Result<ExprPtr> ParseParenthesized();
  Result<ExprPtr> ParseSequence();
  Result<ExprPtr> ParseLimitValue();
  ExprPtr MakeExpr(ExprKind kind) const { return std::make_unique<Expr>(kind, position()); }
  ExprPtr Finish(ExprPtr expr) const;
  Status CheckHeight(const Expr& expr);

  // ---- queries (parse_query.cc)
  Result<std::unique_ptr<Select>> ParseSelect();
  Result<std::unique_ptr<Select>> ParseSingleSelect();
  Status ParseSelectTail(Select* select);
  Status ParseOffset(Select* select);
  Status ParseFetchFirst(Select* select);
  Status ParseSelectList(Select* select);
  Result<SelectItem> ParseSelectItem();
  Result<std::vector<OrderItem>> ParseOrderBy();
  Result<std::vector<TableRefPtr>> ParseFrom();
  Result<TableRefPtr> ParseJoinTree();
  Result<TableRefPtr> ParseTableFactor();
  Result<TableRefPtr> ParseNamedTable();
  static TableRefPtr CrossJoin(std::vector<TableRefPtr> tables);
  Result<QualifiedName> ParseQualifiedNameBeforeStar();
  Result<std::optional<JoinType>> ParseJoinWord();
  Status ParseAlias(Name* alias);
  Result<std::vector<ColumnDef>> ParseDynamicColumns();

  // ---- changes (parse_change.cc)
  Result<Upsert> ParseUpsert();
  Status ParseUpsertColumns(Upsert* upsert);
  Status ParseUpsertValues(Upsert* upsert);
  Status ParseOnDuplicateKey(Upsert* upsert);
  Result<Delete> ParseDelete();
  Result<bool> ParseReturning();

  // ---- definitions (parse_create.cc, parse_alter.cc)
  Result<Statement::Node> ParseCreate();
  Result<CreateTable> ParseCreateTable(bool immutable);
  Result<CreateView> ParseCreateView();
  Result<CreateIndex> ParseCreateIndex();
  Result<CreateCdc> ParseCreateCdc();
  Result<CreateSequence> ParseCreateSequence();
  Result<CreateSchema> ParseCreateSchema();
  Result<CreateFunction> ParseCreateFunction();
  Result<FunctionArgument> ParseFunctionArgument();
  Status ParseColumnsAndKey(std::vector<ColumnDef>* columns, std::optional<KeyConstraint>* key);
  std::string MisplacedTypeHint(const Name& name) const;
  std::string MisplacedRowTimestampHint(const ColumnDef& column) const;
  Result<ColumnDef> ParseColumnDef();
  Status ParseColumnDefault(ColumnDef* column);
  Status ParseColumnKey(ColumnDef* column);
  Result<KeyConstraint> ParseKeyConstraint();
  Result<ExprList> ParseSplits();
  Result<std::vector<QualifierCounter>> ParseQualifierCounters();
  Status ParseIndexColumns(CreateIndex* index);
  Result<Drop> ParseDrop();
  Result<Statement::Node> ParseAlter();
  Result<AlterTable> ParseAlterTable(bool is_view);
  Status ParseAddColumns(AlterTable* alter);
  Status ParseDropColumns(AlterTable* alter);
  Result<AlterIndex> ParseAlterIndex();
  Status ParseIndexAction(AlterIndex* alter);
  Result<AlterSession> ParseAlterSession();

  // ---- everything else (parse_other.cc)
  Result<Statement::Node> ParseNode();
  Result<Statement::Node> ParseKeywordStatement(Keyword keyword);
  Result<UseSchema> ParseUse();
  Result<UpdateStatistics> ParseUpdateStatistics();
  Result<Show> ParseShow();
  Result<CancelStatement> ParseCancelStatement();
  Result<CheckIndex> ParseCheckIndex();
  Result<Explain> ParseExplain();
  Result<Permission> ParsePermission(bool grant);
  Result<Utility> ParseTrace();
  Result<Utility> ParseJarList(UtilityKind kind);
  Result<DeclareCursor> ParseDeclareCursor();
  Result<FetchCursor> ParseFetchCursor();

  // Counts nesting; see CheckDepth.
  class Nesting {
   public:
    explicit Nesting(Parser* parser) : parser_(parser) { ++parser_->depth_; }
    ~Nesting() { --parser_->depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser* const parser_;
  };
  Status CheckDepth();
  // 601 for what is more or deeper than is taken. It is not mended by reading the text another way.
  Status BeyondBound(std::string_view what);

  const std::string_view sql_;
  std::vector<Token> tokens_;  // never empty: the last one is kEnd
  size_t at_ = 0;
  int depth_ = 0;
  bool beyond_bound_ = false;  // BeyondBound was said
  int expression_depth_ = 0;   // nesting of ParseNot
  int32_t bind_count_ = 0;
  bool sequences_allowed_ = true;
  std::optional<Status> deferred_;  // see CheckDeferredError
  // Failures of ParseNot by token index: what failed once is not tried again, so that nested
  // parentheses cost linear time although the rule is tried twice.
  std::map<size_t, Status> failed_;
};

}  // namespace bennu::sql::parse

#endif  // BENNU_SRC_SQL_PARSE_PARSER_INTERNAL_H_
