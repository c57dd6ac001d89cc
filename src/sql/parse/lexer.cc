#include <fmt/format.h>

#include <array>
#include <optional>

#include "src/base/ascii.h"
#include "src/base/status_macros.h"
#include "src/base/unicode_case.h"
#include "src/sql/parse/parser.h"
#include "src/sql/parse/token.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::parse {
namespace {

constexpr std::string_view kKeywordTexts[] = {"",
#define BENNU_KEYWORD_TEXT(word) #word,
                                              BENNU_SQL_KEYWORDS(BENNU_KEYWORD_TEXT)
#undef BENNU_KEYWORD_TEXT
};
constexpr size_t kKeywordCount = std::size(kKeywordTexts);
constexpr size_t kKeywordLengthMax = 24;  // COLUMN_QUALIFIER_COUNTER

constexpr uint32_t HashWord(std::string_view word) {
  uint32_t hash = 2166136261u;
  for (char c : word) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619u;
  return hash ^ (hash >> 15);
}

// Open addressing; four slots for each word keep probes short.
constexpr size_t kSlots = 1024;
static_assert(kKeywordCount * 4 < kSlots && kKeywordCount < 256);
constexpr std::array<uint8_t, kSlots> MakeKeywordTable() {
  std::array<uint8_t, kSlots> table{};
  for (size_t i = 1; i < kKeywordCount; ++i) {
    size_t slot = HashWord(kKeywordTexts[i]) % kSlots;
    while (table[slot] != 0) slot = (slot + 1) % kSlots;
    table[slot] = static_cast<uint8_t>(i);
  }
  return table;
}
constexpr std::array<uint8_t, kSlots> kKeywordTable = MakeKeywordTable();

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Length of the UTF-8 sequence that begins with 'c'.
size_t SequenceLength(char c) {
  const uint8_t b = static_cast<uint8_t>(c);
  if (b < 0x80) return 1;
  if (b < 0xe0) return 2;
  return b < 0xf0 ? 3 : 4;
}

class Lexer {
 public:
  explicit Lexer(std::string_view sql) : sql_(sql) {}

  Result<std::vector<Token>> Run() {
    tokens_.reserve(sql_.size() / 5 + 8);
    for (;;) {
      SkipBlanksAndComments();
      if (at_ >= sql_.size()) break;
      RETURN_IF_ERROR(LexOne());
      if (tokens_.size() > kTokensMax) return TooManyTokens();
    }
    start_ = sql_.size();
    Add(TokenType::kEnd).end =
        static_cast<int32_t>(drops_literal_ ? start_ : unterminated_.value_or(start_));
    return std::move(tokens_);
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0'; }

  static Status TooManyTokens() {
    return MakeSqlError(601,
                        fmt::format("A statement of more than {} words and signs.", kTokensMax), -1,
                        "bind parameters, or load rows with `bennu load`");
  }

  Token& Add(TokenType type) {
    Token& token = tokens_.emplace_back();
    token.type = type;
    token.position = static_cast<int32_t>(start_);
    token.end = static_cast<int32_t>(at_);
    return token;
  }

  void SkipBlanksAndComments() {
    while (at_ < sql_.size()) {
      if (IsSpace(Peek())) {
        ++at_;
      } else if ((Peek() == '-' && Peek(1) == '-') || (Peek() == '/' && Peek(1) == '/')) {
        while (at_ < sql_.size() && sql_[at_] != '\n') ++at_;
      } else if (Peek() == '/' && Peek(1) == '*' && Peek(2) != '+') {
        const size_t close = sql_.find("*/", at_ + 2);
        at_ = close == std::string_view::npos ? sql_.size() : close + 2;
      } else {
        return;
      }
    }
  }

  Status LexOne() {
    start_ = at_;
    const char c = Peek();
    if (c == '\'') return LexString();
    if (c == '"') return LexQuotedName();
    if ((c == 'x' || c == 'X' || c == 'b' || c == 'B') && Peek(1) == '\'') return LexBinary();
    if (IsLetter(c)) return LexWord();
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) return LexNumber();
    if (c == '/' && Peek(1) == '*') return LexHint();
    // Of a slice a[1:] Phoenix too sees the parameter only.
    if (c == ':' && (IsDigit(Peek(1)) || Peek(1) == ']')) return LexNumberedBind();
    return LexOperator();
  }

  // U+0080 and above may stand behind a name's first letter, but for U+2002 and U+FFFF and beyond.
  bool IsWideLetter(size_t at) const {
    const uint8_t b = static_cast<uint8_t>(at < sql_.size() ? sql_[at] : '\0');
    if (b < 0xc2 || b >= 0xf0) return false;
    const size_t length = SequenceLength(sql_[at]);
    if (at + length > sql_.size()) return false;
    for (size_t i = 1; i < length; ++i) {
      if ((static_cast<uint8_t>(sql_[at + i]) & 0xc0) != 0x80) return false;
    }
    return sql_.substr(at, 3) != "\xe2\x80\x82" && sql_.substr(at, 3) != "\xef\xbf\xbf";
  }

  Status LexWord() {
    bool wide = false;
    while (at_ < sql_.size()) {
      const char c = sql_[at_];
      if (IsLetter(c) || IsDigit(c) || c == '_') {
        ++at_;
      } else if (IsWideLetter(at_)) {
        wide = true;
        at_ = std::min(at_ + SequenceLength(c), sql_.size());
      } else {
        break;
      }
    }
    std::string upper = UpperCaseName(sql_.substr(start_, at_ - start_));
    const Keyword keyword = wide ? Keyword::kNone : FindKeyword(upper);
    Token& token = Add(keyword == Keyword::kNone ? TokenType::kName : TokenType::kKeyword);
    token.keyword = keyword;
    token.text = std::move(upper);
    return Status::Ok();
  }

  Status LexQuotedName() {
    const size_t close = sql_.find('"', at_ + 1);
    if (close == std::string_view::npos) {
      at_ = sql_.size();
      return Status::Ok();  // the parser meets the end
    }
    at_ = close + 1;
    Add(TokenType::kQuotedName).text = std::string(sql_.substr(start_ + 1, close - start_ - 1));
    return Status::Ok();
  }

  Status LexNumber() {
    while (IsDigit(Peek())) ++at_;
    TokenType type = TokenType::kInteger;
    if (Peek() == '.') {
      ++at_;
      type = IsDigit(Peek()) ? TokenType::kDecimal : TokenType::kDouble;
      while (IsDigit(Peek())) ++at_;
    }
    if (Peek() == 'e' || Peek() == 'E') {
      const size_t sign = Peek(1) == '+' || Peek(1) == '-' ? 1 : 0;
      if (IsDigit(Peek(1 + sign))) {
        at_ += 1 + sign;
        while (IsDigit(Peek())) ++at_;
        type = TokenType::kDouble;
      }
    }
    Add(type).text = std::string(sql_.substr(start_, at_ - start_));
    return Status::Ok();
  }

  // A backslash keeps itself before % and _, which LIKE then sees; before any other character that
  // is no known escape it keeps itself too.
  Status LexString() {
    std::string text;
    ++at_;
    while (at_ < sql_.size()) {
      const char c = sql_[at_++];
      if (c == '\'') {
        if (Peek() != '\'') {
          Add(TokenType::kString).text = std::move(text);
          return Status::Ok();
        }
        text.push_back('\'');
        ++at_;
      } else if (c == '\\' && at_ < sql_.size()) {
        AppendEscape(sql_[at_++], &text);
      } else {
        text.push_back(c);
      }
    }
    unterminated_ = start_;
    return Status::Ok();  // the parser meets the end
  }

  static void AppendEscape(char c, std::string* text) {
    switch (c) {
      case 'n': text->push_back('\n'); return;
      case 't': text->push_back('\t'); return;
      case 'b': text->push_back('\b'); return;
      case 'f': text->push_back('\f'); return;
      case 'r': text->push_back('\r'); return;
      case '"':
      case '\'':
      case '\\': text->push_back(c); return;
      default: text->push_back('\\'); text->push_back(c);
    }
  }

  // X'0aff' 'bb' and B'01010101': blanks between digits, further quoted parts continue it.
  Status LexBinary() {
    const bool hex = sql_[at_] == 'x' || sql_[at_] == 'X';
    const int bits_per_digit = hex ? 4 : 1;
    std::string bytes;
    int pending_bits = 0;
    unsigned pending = 0;
    ++at_;
    do {
      ++at_;  // the opening quote
      for (; Peek() != '\''; ++at_) {
        if (at_ >= sql_.size()) {
          unterminated_ = start_;
          return Status::Ok();
        }
        if (IsSpace(sql_[at_])) continue;
        const int digit = HexDigit(sql_[at_]);
        if (digit < 0 || (!hex && digit > 1)) {
          // The original drops what it read so far, this character too, and goes on behind it: the
          // closing quote opens a text that is not meant.
          ++at_;
          drops_literal_ = true;
          return Status::Ok();
        }
        pending = (pending << bits_per_digit) | static_cast<unsigned>(digit);
        pending_bits += bits_per_digit;
        if (pending_bits == 8) {
          bytes.push_back(static_cast<char>(pending));
          pending_bits = 0;
          pending = 0;
        }
      }
      ++at_;  // the closing quote
    } while (ContinuesBinary());
    if (pending_bits != 0) {
      return MakeSqlError(601,
                          hex ? "Hex literals must have an even number of digits"
                              : "Binary literals must have a multiple of 8 digits",
                          Offset(start_));
    }
    Add(TokenType::kBinary).text = std::move(bytes);
    return Status::Ok();
  }

  bool ContinuesBinary() {
    size_t next = at_;
    while (next < sql_.size() && IsSpace(sql_[next])) ++next;
    if (next >= sql_.size() || sql_[next] != '\'') return false;
    at_ = next;
    return true;
  }

  Status LexHint() {
    const size_t close = sql_.find("*/", at_ + 3);
    const size_t text_end = close == std::string_view::npos ? sql_.size() : close;
    at_ = close == std::string_view::npos ? sql_.size() : close + 2;
    Add(TokenType::kHint).text = std::string(sql_.substr(start_ + 3, text_end - start_ - 3));
    return Status::Ok();
  }

  Status LexNumberedBind() {
    ++at_;
    while (IsDigit(Peek())) ++at_;
    Add(TokenType::kBind).text = std::string(sql_.substr(start_ + 1, at_ - start_ - 1));
    return Status::Ok();
  }

  Status LexOperator() {
    const std::optional<TokenType> two = TwoCharacterOperator();
    if (two.has_value()) {
      at_ += 2;
      Add(*two);
      return Status::Ok();
    }
    const std::optional<TokenType> one = OneCharacterOperator();
    if (one.has_value()) {
      ++at_;
      Add(*one);
      return Status::Ok();
    }
    const std::string_view bad = sql_.substr(at_, SequenceLength(Peek()));
    return MakeSqlError(601, fmt::format("Unexpected char: '{}'", bad), Offset(at_),
                        Peek() == '`' ? "identifiers are quoted with double quotes: \"name\"" : "");
  }

  std::optional<TokenType> TwoCharacterOperator() const {
    const std::string_view two = sql_.substr(at_, 2);
    if (two == "||") return TokenType::kConcat;
    if (two == "<=") return TokenType::kLessOrEqual;
    if (two == ">=") return TokenType::kGreaterOrEqual;
    if (two == "<>" || two == "!=") return TokenType::kNotEqual;
    if (two == "==") return TokenType::kDoubleEqual;
    return std::nullopt;
  }

  std::optional<TokenType> OneCharacterOperator() const {
    switch (Peek()) {
      case '(': return TokenType::kLeftParen;
      case ')': return TokenType::kRightParen;
      case '[': return TokenType::kLeftSquare;
      case ']': return TokenType::kRightSquare;
      case ',': return TokenType::kComma;
      case '.': return TokenType::kDot;
      case ';': return TokenType::kSemicolon;
      case '*': return TokenType::kAsterisk;
      case '+': return TokenType::kPlus;
      case '-': return TokenType::kMinus;
      case '/': return TokenType::kSlash;
      case '%': return TokenType::kPercent;
      case '=': return TokenType::kEqual;
      case '<': return TokenType::kLess;
      case '>': return TokenType::kGreater;
      case '?': return TokenType::kBind;
      default: return std::nullopt;
    }
  }

  static int64_t Offset(size_t at) { return static_cast<int64_t>(at); }

  const std::string_view sql_;
  size_t at_ = 0;     // next byte to read
  size_t start_ = 0;  // first byte of the token being read
  bool drops_literal_ = false;
  std::optional<size_t> unterminated_;  // where a literal begins that is not ended
  std::vector<Token> tokens_;
};

}  // namespace

Keyword FindKeyword(std::string_view upper) {
  if (upper.size() < 2 || upper.size() > kKeywordLengthMax) return Keyword::kNone;
  for (size_t slot = HashWord(upper) % kSlots; kKeywordTable[slot] != 0;
       slot = (slot + 1) % kSlots) {
    if (kKeywordTexts[kKeywordTable[slot]] == upper) {
      return static_cast<Keyword>(kKeywordTable[slot]);
    }
  }
  return Keyword::kNone;
}

std::string_view KeywordText(Keyword keyword) {
  return kKeywordTexts[static_cast<size_t>(keyword)];
}

Result<std::vector<Token>> Tokenize(std::string_view sql) { return Lexer(sql).Run(); }

std::string DescribePlace(std::string_view sql, int32_t position) {
  int line = 1;
  int column = 1;
  const size_t end = std::min(sql.size(), static_cast<size_t>(std::max(position, 0)));
  for (size_t i = 0; i < end; ++i) {
    const uint8_t b = static_cast<uint8_t>(sql[i]);
    if (b == '\n') {
      ++line;
      column = 1;
    } else if ((b & 0xc0) != 0x80) {
      column += b >= 0xf0 ? 2 : 1;
    }
  }
  return fmt::format("line {}, column {}", line, column);
}

std::string UpperCaseName(std::string_view text) {
  std::string upper;
  upper.reserve(text.size());
  AppendUpperCase(text, &upper);
  return upper;
}

}  // namespace bennu::sql::parse
