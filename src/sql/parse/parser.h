// Text to syntax tree. Knows no catalog: names and types are the binder's.
//
// Errors carry Phoenix's codes as its ANTLR parser chooses them: 601 no rule fits, 602 a token is
// missing, 603 one too many, 604 a token where another must stand; all with the place in the text
// and, where a newcomer's intent can be guessed, a hint. Depth and size of what is taken are
// bounded, so hostile text cannot exhaust the stack. Functions without state: thread-safe.
// Source: phoenix-sql.md section 2.
#ifndef BENNU_SRC_SQL_PARSE_PARSER_H_
#define BENNU_SRC_SQL_PARSE_PARSER_H_

#include <string_view>

#include "bennu/status.h"
#include "src/sql/parse/ast.h"

namespace bennu::sql::parse {

// Longest statement in bytes; longer ones are refused (an INSERT of a whole file belongs into
// binds).
inline constexpr size_t kStatementBytesMax = 64u << 20;
// Most words and signs of a statement: what bounds the memory of its tree.
inline constexpr size_t kTokensMax = 4u << 20;
// Deepest nesting of parentheses, sub-queries and operators. A level costs about 2.5 KiB of stack
// in an unoptimised build, so that the worst tree needs 1 MiB.
inline constexpr int kNestingDepthMax = 400;
// Highest tree of an expression: a sum or a product nests one level for each operand, and what
// walks over trees takes up to 3 KiB of stack for a level in an instrumented build.
inline constexpr int kExpressionHeightMax = 1000;

// Parses one statement; a single ';' at its end is allowed. The tree owns everything.
Result<Statement> ParseStatement(std::string_view sql);

// Parses a text that is one expression: an index column of the catalog, a view's condition, a
// column default, a conditional TTL.
Result<ExprPtr> ParseExpression(std::string_view text);

}  // namespace bennu::sql::parse

#endif  // BENNU_SRC_SQL_PARSE_PARSER_H_
