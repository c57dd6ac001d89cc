// Tokens of Phoenix SQL and the lexer that makes them. Source: phoenix-sql.md section 1.
#ifndef BENNU_SRC_SQL_PARSE_TOKEN_H_
#define BENNU_SRC_SQL_PARSE_TOKEN_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"

// Reserved words: none of them can be an identifier unless quoted.
// clang-format off
#define BENNU_SQL_KEYWORDS(X) \
  X(SELECT) X(FROM) X(WHERE) X(NOT) X(AND) X(OR) X(NULL) X(TRUE) X(FALSE) X(LIKE) X(ILIKE) \
  X(AS) X(OUTER) X(ON) X(OFF) X(IN) X(GROUP) X(HAVING) X(ORDER) X(BY) X(ASC) X(DESC) X(NULLS) \
  X(LIMIT) X(FIRST) X(LAST) X(CASE) X(WHEN) X(THEN) X(ELSE) X(END) X(EXISTS) X(IS) X(DISTINCT) \
  X(JOIN) X(INNER) X(LEFT) X(RIGHT) X(FULL) X(BETWEEN) X(UPSERT) X(INTO) X(VALUES) X(DELETE) \
  X(CREATE) X(DROP) X(PRIMARY) X(KEY) X(ALTER) X(COLUMN) X(SESSION) X(TABLE) X(SCHEMA) \
  X(SCHEMAS) X(ADD) X(SPLIT) X(EXPLAIN) X(VIEW) X(IF) X(CONSTRAINT) X(TABLES) X(CDC) X(PRE) \
  X(POST) X(CHANGE) X(IDX_MUTATIONS) X(DATA_ROW_STATE) X(LATEST) X(ALL) X(INDEX) X(INCLUDE) \
  X(WITHIN) X(SET) X(CAST) X(ACTIVE) X(USABLE) X(UNUSABLE) X(DISABLE) X(REBUILD) X(ARRAY) \
  X(SEQUENCE) X(START) X(WITH) X(INCREMENT) X(NEXT) X(CURRENT) X(VALUE) X(FOR) X(CACHE) \
  X(LOCAL) X(ANY) X(SOME) X(MINVALUE) X(MAXVALUE) X(CYCLE) X(CASCADE) X(UPDATE) X(UPDATE_ONLY) \
  X(STATISTICS) X(COLUMNS) X(TRACE) X(ASYNC) X(SAMPLING) X(TABLESAMPLE) X(UNION) X(FUNCTION) \
  X(TO) X(TEMPORARY) X(RETURNS) X(USING) X(JAR) X(DEFAULTVALUE) X(CONSTANT) X(REPLACE) X(LIST) \
  X(JARS) X(ROW_TIMESTAMP) X(ENCODED_QUALIFIER) X(COLUMN_QUALIFIER_COUNTER) X(USE) X(OFFSET) \
  X(FETCH) X(DECLARE) X(CURSOR) X(OPEN) X(CLOSE) X(ROW) X(ROWS) X(ONLY) X(EXECUTE) X(UPGRADE) \
  X(DEFAULT) X(DUPLICATE) X(IGNORE) X(IMMUTABLE) X(GRANT) X(REVOKE) X(SHOW) X(UNCOVERED) \
  X(REGIONS) X(NOVERIFY) X(RETURNING)
// clang-format on

namespace bennu::sql::parse {

enum class TokenType : uint8_t {
  kEnd,
  kName,        // text: upper-cased
  kQuotedName,  // text: as it is, without quotes
  kKeyword,
  kString,   // text: escapes resolved
  kBinary,   // text: the bytes of X'…' or B'…'
  kInteger,  // text: digits
  kDecimal,
  kDouble,
  kBind,  // text: digits of :n, empty for ?
  kHint,  // text: between /*+ and */
  kLeftParen,
  kRightParen,
  kLeftSquare,
  kRightSquare,
  kComma,
  kDot,
  kSemicolon,
  kAsterisk,
  kPlus,
  kMinus,
  kSlash,
  kPercent,
  kConcat,
  kEqual,
  kDoubleEqual,  // lexed and refused everywhere
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
};

enum class Keyword : uint8_t {
  kNone,
#define BENNU_DECLARE_KEYWORD(word) k##word,
  BENNU_SQL_KEYWORDS(BENNU_DECLARE_KEYWORD)
#undef BENNU_DECLARE_KEYWORD
};

struct Token {
  TokenType type = TokenType::kEnd;
  Keyword keyword = Keyword::kNone;
  int32_t position = 0;  // byte offset of the first character
  // Byte offset behind the last; of kEnd, where a text begins that is not ended, else 'position'.
  int32_t end = 0;
  std::string text;
};

// kNone when 'upper' is no reserved word.
Keyword FindKeyword(std::string_view upper);
std::string_view KeywordText(Keyword keyword);

// Breaks 'sql' into tokens; the last one is kEnd. Error 601: a character that SQL has no use for,
// or a broken binary literal. As the original does, an unterminated string swallows the rest of the
// text, so that the parser meets the end of it.
Result<std::vector<Token>> Tokenize(std::string_view sql);

// "line 1, column 8" of a byte offset, both counted from 1, columns in UTF-16 units.
std::string DescribePlace(std::string_view sql, int32_t position);

// As Java's toUpperCase in the root locale.
std::string UpperCaseName(std::string_view text);

}  // namespace bennu::sql::parse

#endif  // BENNU_SRC_SQL_PARSE_TOKEN_H_
