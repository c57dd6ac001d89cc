#include "src/sql/parse/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "src/sql/parse/token.h"

namespace bennu::sql::parse {
namespace {

using enum TokenType;

using Advice = std::pair<std::string_view, std::string_view>;  // by a word in upper case

// By a statement's first word.
constexpr std::array kStatements = {
    Advice{"INSERT", "rows are written with UPSERT INTO ... VALUES (...)"},
    Advice{"REPLACE", "rows are written with UPSERT INTO ... VALUES (...)"},
    Advice{"MERGE", "use UPSERT ... SELECT, or UPSERT ... ON DUPLICATE KEY UPDATE"},
    Advice{"TRUNCATE", "use DELETE FROM to remove all rows"},
    Advice{"WITH", "WITH queries are not supported; use a sub-query in FROM"},
    Advice{"BEGIN",
           "a change is committed when it is acknowledged; the shell has !autocommit off, "
           "then !commit and !rollback"},
    Advice{"START",
           "a change is committed when it is acknowledged; the shell has !autocommit off, "
           "then !commit and !rollback"},
    Advice{"COMMIT", "the shell has !commit, after !autocommit off"},
    Advice{"ROLLBACK", "the shell has !rollback, after !autocommit off"},
    Advice{"DESC", "the shell has !describe TABLE; SHOW CREATE TABLE gives the statement"},
    Advice{"DESCRIBE", "the shell has !describe TABLE; SHOW CREATE TABLE gives the statement"},
    Advice{"VALUES", "write SELECT 1, 2; several rows by UNION ALL"},
    Advice{"SET", "there are no variables; properties are set when a store or a server is opened"},
    Advice{"COPY", "files are loaded with the command bennu load"},
    Advice{"LOAD", "files are loaded with the command bennu load"},
    Advice{"IMPORT", "files are loaded with the command bennu load"},
    Advice{"ANALYZE", "use UPDATE STATISTICS"},
    Advice{"VACUUM", "the store looks after itself; bennu shell has major_compact"},
    Advice{"LIST", "SHOW TABLES lists tables"},
    Advice{"ADD", "write ALTER TABLE t ADD column type"},
    Advice{"PRAGMA", "there are no pragmas; properties are set when a store or a server is opened"},
};
// By a word in an expression that looks like a call.
constexpr std::array kCalls = {
    Advice{"LEFT", "write SUBSTR(text, 1, count)"},
    Advice{"RIGHT", "write SUBSTR(text, -count)"},
    Advice{"REPLACE", "write REGEXP_REPLACE(text, pattern, replacement)"},
    Advice{"EXTRACT", "write YEAR(d), MONTH(d), DAYOFMONTH(d), HOUR(d), MINUTE(d) or SECOND(d)"},
    Advice{"IF", "write CASE WHEN condition THEN value ELSE value END"},
    Advice{"COLUMNS", "name the columns, or write *"},
};
// By a word that stands where the statement could end.
constexpr std::array kClauses = {
    Advice{"OVER",
           "there are no window functions; use GROUP BY in a sub-query, or FIRST_VALUE and "
           "LAST_VALUE with WITHIN GROUP"},
    Advice{"INTERSECT", "use a condition with IN (SELECT ...) or EXISTS"},
    Advice{"EXCEPT", "use a condition with NOT IN (SELECT ...) or NOT EXISTS"},
    Advice{"MINUS", "use a condition with NOT IN (SELECT ...) or NOT EXISTS"},
    Advice{"QUALIFY", "there are no window functions; use a sub-query"},
    Advice{"WINDOW", "there are no window functions"},
    Advice{"FILTER", "write SUM(CASE WHEN condition THEN value END)"},
    Advice{"RETURNING", "RETURNING comes behind a DELETE or UPSERT of one row"},
    Advice{"PIVOT", "write one CASE expression for each column"},
    Advice{"NATURAL", "write JOIN ... ON a.k = b.k"},
    Advice{"CROSS", "write FROM a, b"},
    Advice{"USING", "write ON a.k = b.k"},
    Advice{"AUTO_INCREMENT", "use a sequence: CREATE SEQUENCE s, then NEXT VALUE FOR s"},
    Advice{"AUTOINCREMENT", "use a sequence: CREATE SEQUENCE s, then NEXT VALUE FOR s"},
    Advice{"IDENTITY", "use a sequence: CREATE SEQUENCE s, then NEXT VALUE FOR s"},
    Advice{"REFERENCES", "there are no foreign keys; leave it out"},
    Advice{"UNIQUE", "only the primary key is unique; leave it out"},
    Advice{"PRECISION", "the type is DOUBLE"},
    Advice{"CHECK", "there are no conditions on columns; leave it out"},
    Advice{"PARTITION", "rows are spread over regions by their keys: SPLIT ON or SALT_BUCKETS"},
    Advice{"DATABASE", "a store is a directory; within it there are schemas: CREATE SCHEMA"},
    Advice{"DATABASES", "a store is a directory; within it there are schemas: SHOW SCHEMAS"},
    Advice{"RENAME", "names cannot be changed; make a new table, and UPSERT ... SELECT into it"},
    Advice{"MODIFY", "columns can be added and dropped; their types stay"},
    Advice{"PLAN", "write EXPLAIN, or EXPLAIN ANALYZE, before the statement"},
};

// Words that begin a part of a statement and are seldom meant as names.
constexpr std::array kStructure = {
    Keyword::kSELECT, Keyword::kFROM,   Keyword::kWHERE,  Keyword::kGROUP, Keyword::kORDER,
    Keyword::kHAVING, Keyword::kLIMIT,  Keyword::kOFFSET, Keyword::kUNION, Keyword::kJOIN,
    Keyword::kON,     Keyword::kVALUES, Keyword::kCASE,   Keyword::kWHEN,  Keyword::kTHEN,
    Keyword::kELSE,   Keyword::kEND,    Keyword::kAND,    Keyword::kOR,    Keyword::kNOT,
    Keyword::kAS,     Keyword::kIN,     Keyword::kIS,     Keyword::kNULL,  Keyword::kBETWEEN,
    Keyword::kLIKE,   Keyword::kDELETE, Keyword::kUPSERT};
// Behind these a name comes, and nothing else.
constexpr std::array kBeforeNames = {Keyword::kFROM,   Keyword::kJOIN,   Keyword::kINTO,
                                     Keyword::kTABLE,  Keyword::kVIEW,   Keyword::kSCHEMA,
                                     Keyword::kCOLUMN, Keyword::kEXISTS, Keyword::kSEQUENCE,
                                     Keyword::kAS,     Keyword::kINDEX};

template <typename List, typename Value>
bool Contains(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::string Find(std::span<const Advice> advices, std::string_view word) {
  for (const auto& [known, advice] : advices) {
    if (known == word) return std::string(advice);
  }
  return "";
}

// The statement's words and signs around the place of an error.
class Place {
 public:
  Place(std::string_view sql, std::vector<Token> tokens, int32_t position)
      : sql_(sql), tokens_(std::move(tokens)) {
    while (at_ + 1 < tokens_.size() && tokens_[at_].position < position) ++at_;
  }

  std::string Advise() const {
    if (const std::string quote = Quote(); !quote.empty()) return quote;
    if (at_ == 0) return OfStatement();
    if (IsWord(0, "LIST") || IsWord(0, "ADD")) return Find(kStatements, Word(0));
    if (IsWord(0, "CREATE") && IsWord(1, "OR")) {
      return "drop it first, with IF EXISTS; or write CREATE ... IF NOT EXISTS";
    }
    if (IsWord(0, "CREATE") && IsWord(at_, "AS")) {
      return "create the table with its columns, then UPSERT INTO ... SELECT";
    }
    if (const std::string definition = OfDefinition(); !definition.empty()) return definition;
    if (IsWord(0, "UPDATE")) {
      return "rows are changed with UPSERT INTO ... VALUES or UPSERT ... SELECT";
    }
    std::string advice = Before();
    if (advice.empty() && IsSign(at_ + 1, kLeftParen)) advice = Find(kCalls, Word(at_));
    if (advice.empty()) advice = Find(kClauses, Word(at_));
    // Words that are not reserved were taken for an alias.
    if (advice.empty() && IsSign(at_ - 1, kName)) advice = Find(kClauses, Word(at_ - 1));
    if (advice.empty()) advice = Behind();
    if (advice.empty()) advice = Parentheses();
    if (advice.empty() && IsMeantAsName()) {
      advice = fmt::format("{0} is a reserved word; as a name write \"{0}\" in double quotes",
                           Word(at_));
    }
    return advice;
  }

 private:
  // In upper case; empty for signs and what is quoted.
  std::string Word(size_t at) const {
    if (at >= tokens_.size()) return "";
    const Token& token = tokens_[at];
    if (token.type != kName && token.type != kKeyword) return "";
    return UpperCaseName(sql_.substr(static_cast<size_t>(token.position),
                                     static_cast<size_t>(token.end - token.position)));
  }
  bool IsWord(size_t at, std::string_view word) const { return Word(at) == word; }
  bool IsSign(size_t at, TokenType type) const {
    return at < tokens_.size() && tokens_[at].type == type;
  }

  std::string OfStatement() const {
    std::string advice = Find(kStatements, Word(0));
    if (!advice.empty()) return advice;
    if (IsSign(0, kLeftParen)) {
      if (const std::string sets = SetOperator(0); !sets.empty()) return sets;
    }
    if (IsSign(0, kDot)) return "commands of the shell begin with ! or \\; !help lists them";
    return "statements begin with SELECT, UPSERT, DELETE, CREATE, ALTER, DROP, EXPLAIN, SHOW ...";
  }

  // CREATE, ALTER and DROP: what other systems have there.
  std::string OfDefinition() const {
    const bool create = IsWord(0, "CREATE");
    const bool alter = IsWord(0, "ALTER");
    if (!create && !alter && !IsWord(0, "DROP")) return "";
    if (IsWord(at_, "PRIMARY") && create) {
      return "write CONSTRAINT pk PRIMARY KEY (...) behind the last column";
    }
    if (alter && (IsWord(at_, "PRIMARY") || IsWord(at_, "CONSTRAINT"))) {
      return "a table keeps the key that it was created with; ADD column type PRIMARY KEY appends "
             "a column to it";
    }
    if (alter && IsWord(at_ - 1, "ADD") && IsWord(at_, "COLUMN")) {
      return "write ADD column type, without the word COLUMN";
    }
    if (alter && IsWord(at_ - 1, "DROP")) return "write DROP COLUMN column";
    if (alter && IsWord(at_, "ALTER")) return "columns can be added and dropped; their types stay";
    if (IsWord(0, "DROP") && IsWord(1, "COLUMN")) return "write ALTER TABLE t DROP COLUMN column";
    if (create && IsWord(1, "INDEX") && IsWord(at_, "ON")) {
      return "an index needs a name: CREATE INDEX name ON table (columns)";
    }
    if (create && IsWord(at_, "UNIQUE") && IsWord(at_ + 1, "INDEX")) {
      return "only the primary key is unique; CREATE INDEX makes one that finds rows";
    }
    if (at_ > 2 && IsWord(at_, "IF")) {
      return fmt::format("write {} {} IF {}EXISTS before the name", Word(0), Word(1),
                         create ? "NOT " : "");
    }
    return "";
  }

  // Between queries from 'from' on.
  std::string SetOperator(size_t from) const {
    for (size_t i = from; i < tokens_.size(); ++i) {
      for (const std::string_view word : {"INTERSECT", "EXCEPT", "MINUS"}) {
        if (!IsWord(i, word)) continue;
        size_t behind = i + 1;
        while (IsSign(behind, kLeftParen)) ++behind;
        if (IsWord(behind, "SELECT")) return Find(kClauses, word);
      }
    }
    return "";
  }

  // A refused expression has its place at its beginning: what stands behind it tells more.
  std::string Behind() const {
    for (size_t i = at_; i < tokens_.size(); ++i) {
      if (IsWord(i, "INTERVAL") && !IsSign(i + 1, kLeftParen)) {
        return "dates are moved by days: d + 7, d - 1.0 / 24";
      }
      if (IsWord(i, "DOUBLE") && IsWord(i + 1, "PRECISION")) return "the type is DOUBLE";
      if (!IsSign(i + 1, kLeftParen)) continue;
      if (IsWord(i, "POSITION") && Holds(i + 1, "IN")) return "write INSTR(text, part)";
      if (IsWord(i, "SUBSTRING") && Holds(i + 1, "FROM")) {
        return "write SUBSTR(text, start, count)";
      }
      if (IsWord(i, "TRIM") && Holds(i + 1, "FROM")) {
        return "write TRIM(text), LTRIM(text) or RTRIM(text), which remove blanks; other "
               "characters with REGEXP_REPLACE";
      }
    }
    return SetOperator(at_);
  }

  // Whether a word stands between a parenthesis and its end, in no further ones, and not far behind
  // it: a statement may have many such places.
  bool Holds(size_t open, std::string_view word) const {
    constexpr size_t kNear = 100;
    int depth = 0;
    for (size_t i = open; i < std::min(tokens_.size(), open + kNear); ++i) {
      if (IsSign(i, kLeftParen)) ++depth;
      if (IsSign(i, kRightParen) && --depth == 0) return false;
      if (depth == 1 && IsWord(i, word)) return true;
    }
    return false;
  }

  // What the words before the place tell.
  std::string Before() const {
    if (IsWord(at_, "TOP") || IsWord(at_ - 1, "TOP")) return "write LIMIT at the query's end";
    if (at_ >= 2 && IsWord(at_ - 2, "LIMIT") && IsSign(at_, kComma)) {
      return "write LIMIT count OFFSET first";
    }
    if (IsWord(at_ - 1, "DISTINCT") && IsWord(at_, "ON")) {
      return "use GROUP BY, with FIRST_VALUE ... WITHIN GROUP for the other columns";
    }
    if (IsWord(at_ - 1, "ROWS") || IsWord(at_ - 1, "ROW")) return "write FETCH FIRST n ROWS ONLY";
    for (size_t i = 0; i < at_; ++i) {
      if (IsWord(i, "INFORMATION_SCHEMA")) {
        return "SHOW TABLES lists tables; SYSTEM.CATALOG holds them and their columns";
      }
    }
    if (IsWord(at_, "FOR") && IsWord(at_ + 1, "UPDATE")) {
      return "rows are not locked by reading them; leave FOR UPDATE out";
    }
    if (IsWord(at_ - 1, "NOT") && IsWord(at_, "EXISTS")) {
      return "a sub-query follows in parentheses: NOT EXISTS (SELECT ...)";
    }
    if (IsWord(at_ - 1, "BY") && IsWord(at_, "ALL")) return "name the columns";
    // Taken for the alias of the table before it.
    for (const std::string_view join : {"NATURAL", "CROSS"}) {
      for (size_t i = 0; i < at_; ++i) {
        if (IsWord(i, join) && IsWord(i + 1, "JOIN")) return Find(kClauses, join);
      }
    }
    if (IsWord(0, "SHOW") && at_ == 1) return "SHOW TABLES, SCHEMAS or CREATE TABLE name";
    return "";
  }

  // 'it's'
  std::string Quote() const {
    for (size_t i = 0; i < at_; ++i) {
      const bool runs_on = tokens_[i].end == tokens_[i + 1].position;
      if (IsSign(i, kString) && runs_on && !Word(i + 1).empty()) {
        return "a quote within a text is written twice: 'it''s'";
      }
    }
    return "";
  }

  std::string Parentheses() const {
    int open = 0;
    for (const Token& token : tokens_) {
      if (token.type == kLeftParen) ++open;
      if (token.type == kRightParen && --open < 0) return "this ) has no ( before it";
    }
    return open > 0 ? "a parenthesis is opened and not closed" : "";
  }

  bool IsMeantAsName() const {
    const Token& token = tokens_[at_];
    if (token.type != kKeyword) return false;
    const Token& before = tokens_[at_ - 1];
    if (before.type == kDot) return true;
    if (before.type == kKeyword && Contains(kBeforeNames, before.keyword)) return true;
    const bool listed = before.type == kComma || before.type == kLeftParen;
    if (listed && IsWord(0, "CREATE")) return true;  // a column
    if (Contains(kStructure, token.keyword) || IsSign(at_ + 1, kLeftParen)) return false;
    return listed || before.type == kKeyword;
  }

  const std::string_view sql_;
  const std::vector<Token> tokens_;
  size_t at_ = 0;
};

// Of a character that SQL has no use for.
std::string SignAdvice(std::string_view rest) {
  if (rest.starts_with("::")) return "write CAST(value AS type)";
  if (rest.starts_with(":")) return "parameters are written ? or :1";
  if (rest.starts_with("~")) return "write REGEXP_SUBSTR(text, pattern) IS NOT NULL";
  if (rest.starts_with("`")) return "names are quoted by double quotes";
  if (rest.starts_with("$")) return "parameters are written ? or :1";
  return "";
}

}  // namespace

std::string SyntaxAdvice(std::string_view sql, int32_t position) {
  if (position < 0 || static_cast<size_t>(position) > sql.size()) return "";
  auto tokens = Tokenize(sql);
  if (!tokens.ok()) return SignAdvice(sql.substr(static_cast<size_t>(position)));
  return Place(sql, std::move(tokens).value(), position).Advise();
}

}  // namespace bennu::sql::parse
