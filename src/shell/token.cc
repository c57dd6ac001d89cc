#include "src/shell/token.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "src/base/ascii.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/base/utf8.h"

namespace bennu::shell {

namespace {

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || IsUpper(c) || c == '_'; }
bool IsNamePart(char c) { return IsNameStart(c) || IsDigit(c); }

// The value of a digit in bases up to 16, or 16.
unsigned DigitValue(char c) {
  if (IsDigit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return 16;
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  Result<TokenList> Run() {
    while (true) {
      const bool space = SkipBlanks();
      if (at_ == text_.size()) break;
      Token token;
      token.space_before = space;
      RETURN_IF_ERROR(Next(&token));
      if (list_.open_quote != 0) return std::move(list_);
      list_.tokens.push_back(std::move(token));
    }
    list_.tokens.emplace_back();
    return std::move(list_);
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  Status Refuse(std::string_view what) const {
    const auto line =
        1 + std::count(text_.begin(), text_.begin() + static_cast<ptrdiff_t>(at_), '\n');
    return InvalidArgument(fmt::format("syntax error, line {}: {}", line, what));
  }

  // Blanks, comments and line ends after a backslash.
  bool SkipBlanks() {
    const size_t start = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == '\\' && (Peek(1) == '\n' || (Peek(1) == '\r' && Peek(2) == '\n'))) {
        at_ += Peek(1) == '\n' ? 2 : 3;
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        break;
      }
    }
    return at_ > start;
  }

  Status Next(Token* token) {
    const char c = Peek();
    if (c == '\n' || c == ';') {
      ++at_;
      token->kind = Token::Kind::kNewline;
      return Status::Ok();
    }
    if (c == '\'' || c == '"') {
      ++at_;
      RETURN_IF_ERROR(String(c, token));
      return Status::Ok();
    }
    if (IsDigit(c)) return Number(token);
    if (c == ':' && (IsNameStart(Peek(1)) || Peek(1) == '"' || Peek(1) == '\'')) {
      return Symbol(token);
    }
    if (IsNameStart(c)) {
      Name(token);
      return Status::Ok();
    }
    return Punctuation(token);
  }

  // At the first character behind the quote.
  Status String(char quote, Token* token) {
    Bytes value;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        RETURN_IF_ERROR(quote == '"' ? Escape(&value) : PlainEscape(quote, &value));
      } else if (quote == '"' && text_[at_] == '#' && Peek(1) == '{') {
        return Refuse("\"#{…}\" inside a string is Ruby beyond this shell; put it together with +");
      } else {
        value.push_back(text_[at_++]);
      }
    }
    if (at_ == text_.size()) {
      list_.open_quote = quote;
      return Status::Ok();
    }
    ++at_;
    token->kind = Token::Kind::kLiteral;
    token->value = Value::String(value);
    return Status::Ok();
  }

  // In single quotes only the quote and the backslash can be escaped.
  Status PlainEscape(char quote, Bytes* value) {
    if (Peek() != quote && Peek() != '\\') value->push_back('\\');
    value->push_back(text_[at_++]);
    return Status::Ok();
  }

  // Up to 'count_max' digits of a number in 'base', none is an error.
  Status Digits(unsigned base, size_t count_max, uint32_t* number) {
    const size_t start = at_;
    *number = 0;
    while (at_ < start + count_max && at_ < text_.size() && DigitValue(text_[at_]) < base) {
      *number = *number * base + DigitValue(text_[at_++]);
    }
    return at_ > start ? Status::Ok() : Refuse("an escape without digits");
  }

  // In double quotes; behind the backslash.
  Status Escape(Bytes* value) {
    static constexpr std::string_view kLetters = "abtnvfrse0";
    static constexpr std::string_view kMeanings("\a\b\t\n\v\f\r \x1b\0", 10);
    const char c = Peek();
    uint32_t number = 0;
    if (c >= '0' && c <= '7') {
      RETURN_IF_ERROR(Digits(8, 3, &number));
      value->push_back(static_cast<char>(number));
      return Status::Ok();
    }
    ++at_;
    if (c == 'x') {
      RETURN_IF_ERROR(Digits(16, 2, &number));
      value->push_back(static_cast<char>(number));
    } else if (c == 'u') {
      const bool braces = Peek() == '{';
      if (braces) ++at_;
      RETURN_IF_ERROR(Digits(16, braces ? 6 : 4, &number));
      if (braces && Peek() != '}') return Refuse("\\u{…} without its end");
      if (braces) ++at_;
      if (number > 0x10ffff) return Refuse("no such character");
      AppendUtf8(number, value);
    } else if (c == '\n') {
      // A string that goes on in the next line.
    } else if (const size_t letter = kLetters.find(c); letter != std::string_view::npos) {
      value->push_back(kMeanings[letter]);
    } else {
      value->push_back(c);
    }
    return Status::Ok();
  }

  // Digits of 'base' with underscores between them.
  std::string Run(unsigned base) {
    std::string digits;
    while (DigitValue(Peek()) < base || (Peek() == '_' && DigitValue(Peek(1)) < base)) {
      if (Peek() != '_') digits.push_back(Peek());
      ++at_;
    }
    return digits;
  }

  Status Number(Token* token) {
    token->kind = Token::Kind::kLiteral;
    if (Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'X') && DigitValue(Peek(2)) < 16) {
      at_ += 2;
      return Integer(Run(16), 16, token);
    }
    std::string digits = Run(10);
    const bool exponent =
        (Peek() == 'e' || Peek() == 'E') &&
        (IsDigit(Peek(1)) || ((Peek(1) == '-' || Peek(1) == '+') && IsDigit(Peek(2))));
    const bool fraction = Peek() == '.' && IsDigit(Peek(1));
    if (!fraction && !exponent) return Integer(digits, 10, token);
    if (fraction) {
      ++at_;
      digits += "." + Run(10);
    }
    if (Peek() == 'e' || Peek() == 'E') {
      digits += 'e';
      ++at_;
      if (Peek() == '-' || Peek() == '+') {
        if (Peek() == '-') digits += '-';
        ++at_;
      }
      digits += Run(10);
    }
    double value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    token->value = Value(Value::Variant(value));
    return Status::Ok();
  }

  Status Integer(const std::string& digits, int base, Token* token) {
    int64_t value = 0;
    const auto done = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (done.ec != std::errc()) return Refuse("the number " + digits + " is beyond 64 bits");
    token->value = Value::Integer(value);
    return Status::Ok();
  }

  Status Symbol(Token* token) {
    ++at_;
    if (Peek() == '"' || Peek() == '\'') {
      const char quote = text_[at_++];
      RETURN_IF_ERROR(String(quote, token));
      if (list_.open_quote != 0) return Status::Ok();
      token->value = Value(Value::Variant(Value::Symbol{token->value.ToText()}));
      return Status::Ok();
    }
    token->kind = Token::Kind::kLiteral;
    token->value = Value(Value::Variant(Value::Symbol{Word()}));
    return Status::Ok();
  }

  std::string Word() {
    const size_t start = at_;
    while (IsNamePart(Peek())) ++at_;
    if ((Peek() == '?' || Peek() == '!') && Peek(1) != '=') ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  void Name(Token* token) {
    token->kind = IsUpper(Peek()) ? Token::Kind::kConstant : Token::Kind::kName;
    token->text = Word();
    if (Peek() == ':' && Peek(1) != ':') {
      ++at_;
      token->kind = Token::Kind::kLabel;
    }
  }

  Status Punctuation(Token* token) {
    token->kind = Token::Kind::kPunctuation;
    if (Peek() == '=' && Peek(1) == '>') {
      token->text = "=>";
    } else if (std::string_view("()[]{},=.+-").find(Peek()) != std::string_view::npos) {
      token->text = std::string(1, Peek());
    } else {
      return Refuse(fmt::format("'{}' is no part of this shell's language",
                                ToStringBinary(text_.substr(at_, 1))));
    }
    at_ += token->text.size();
    const char c = token->text[0];
    if (c == '(' || c == '[' || c == '{') ++list_.depth;
    if ((c == ')' || c == ']' || c == '}') && list_.depth-- == 0) {
      list_.depth = 0;
      return Refuse(fmt::format("unexpected '{}'", c));
    }
    return Status::Ok();
  }

  const std::string_view text_;
  size_t at_ = 0;
  TokenList list_;
};

}  // namespace

Result<TokenList> Tokenize(std::string_view text) { return Tokenizer(text).Run(); }

}  // namespace bennu::shell
