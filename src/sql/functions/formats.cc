// What of java.text.DecimalFormat and SimpleDateFormat TO_CHAR, TO_NUMBER and TO_DATE need.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "src/sql/functions/function_tables.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

// ---------------------------------------------------------------- numbers

struct NumberPattern {
  std::string prefix;
  std::string suffix;
  size_t integer_digits_min = 0;
  int32_t fraction_digits_min = 0;
  int32_t fraction_digits_max = 0;
  size_t group_size = 0;  // 0: no grouping
  bool percent = false;
};

NumberPattern ParseNumberPattern(std::string_view pattern) {
  NumberPattern result;
  bool in_number = false;
  bool in_fraction = false;
  bool grouped = false;
  for (size_t i = 0; i < pattern.size() && pattern[i] != ';'; ++i) {
    const char c = pattern[i];
    const bool digit = c == '0' || c == '#';
    if (digit || (c == ',' && !in_fraction) || (c == '.' && !in_fraction)) {
      in_number = true;
      if (c == '.') {
        in_fraction = true;
      } else if (c == ',') {
        grouped = true;
        result.group_size = 0;
      } else if (in_fraction) {
        ++result.fraction_digits_max;
        result.fraction_digits_min += c == '0' ? 1 : 0;
      } else {
        result.integer_digits_min += c == '0' ? 1 : 0;
        if (grouped) ++result.group_size;
      }
      continue;
    }
    if (c == '%') result.percent = true;
    if (c != '\'') (in_number ? result.suffix : result.prefix) += c;
  }
  return result;
}

std::string Group(const std::string& digits, size_t group_size) {
  if (group_size == 0) return digits;
  std::string grouped;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % group_size == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

}  // namespace

std::string FormatNumber(const Decimal& value, std::string_view text) {
  const NumberPattern pattern = ParseNumberPattern(text);
  Decimal number = value.Abs();
  if (pattern.percent) number = Decimal::Multiply(number, Decimal::FromInt64(100));
  number = number.SetScale(pattern.fraction_digits_max, Rounding::kHalfEven).value_or(number);
  const bool negative = value.sign() < 0 && !number.IsZero();
  const std::string digits = number.ToString();
  const size_t point = digits.find('.');
  std::string integer = digits.substr(0, point);
  std::string fraction = point == std::string::npos ? "" : digits.substr(point + 1);
  if (integer == "0") integer.clear();
  while (integer.size() < pattern.integer_digits_min) integer.insert(0, "0");
  while (fraction.size() > static_cast<size_t>(pattern.fraction_digits_min) &&
         fraction.back() == '0') {
    fraction.pop_back();
  }
  if (integer.empty() && fraction.empty()) integer = "0";
  std::string result = (negative ? "-" : "") + pattern.prefix + Group(integer, pattern.group_size);
  if (!fraction.empty()) result += '.' + fraction;
  return result + pattern.suffix;
}

std::optional<Decimal> ParseNumber(std::string_view text, std::string_view pattern_text) {
  const NumberPattern pattern = ParseNumberPattern(pattern_text);
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  if (!text.starts_with(pattern.prefix)) return std::nullopt;
  text.remove_prefix(pattern.prefix.size());
  if (!text.ends_with(pattern.suffix)) return std::nullopt;
  text.remove_suffix(pattern.suffix.size());
  std::string digits;
  for (char c : text) {
    if (c != ',' || pattern.group_size == 0) digits += c;
  }
  std::optional<Decimal> number = Decimal::Parse(digits);
  if (!number.has_value()) return std::nullopt;
  if (negative) number = number->Negate();
  if (pattern.percent) number = Decimal::Divide(*number, Decimal::FromInt64(100));
  return number;
}

// ---------------------------------------------------------------- dates

namespace {

constexpr std::string_view kMonths[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
constexpr std::string_view kWeekdays[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                          "Friday", "Saturday", "Sunday"};
constexpr std::string_view kDateLetters = "yMdHhkKmsSaEDzZ";

struct DateToken {
  char letter = 0;  // 0: literal text
  size_t width = 0;
  std::string text;
};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::vector<DateToken> SplitPattern(std::string_view pattern) {
  std::vector<DateToken> tokens;
  const auto add_literal = [&](char c) {
    if (tokens.empty() || tokens.back().letter != 0) tokens.emplace_back();
    tokens.back().text += c;
  };
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\'') {
      if (i + 1 < pattern.size() && pattern[i + 1] == '\'')
        add_literal(pattern[++i]);
      else
        for (++i; i < pattern.size() && pattern[i] != '\''; ++i) add_literal(pattern[i]);
    } else if (IsLetter(c)) {
      if (tokens.empty() || tokens.back().letter != c) tokens.push_back({c, 0, ""});
      ++tokens.back().width;
    } else {
      add_literal(c);
    }
  }
  return tokens;
}

std::string Pad(int64_t value, size_t width) { return fmt::format("{:0{}}", value, width); }

int64_t Weekday(const CivilTime& t) {
  const int64_t days = DaysFromCivil(t.year, t.month, t.day);
  return ((days + 3) % 7 + 7) % 7;  // Monday is 0
}

std::string FormatToken(const DateToken& token, const CivilTime& t) {
  switch (token.letter) {
    case 0: return token.text;
    case 'y': return token.width == 2 ? Pad(t.year % 100, 2) : Pad(t.year, token.width);
    case 'M':
      if (token.width >= 4) return std::string(kMonths[t.month - 1]);
      if (token.width == 3) return std::string(kMonths[t.month - 1].substr(0, 3));
      return Pad(t.month, token.width);
    case 'd': return Pad(t.day, token.width);
    case 'H': return Pad(t.hour, token.width);
    case 'k': return Pad(t.hour == 0 ? 24 : t.hour, token.width);
    case 'K': return Pad(t.hour % 12, token.width);
    case 'h': return Pad(t.hour % 12 == 0 ? 12 : t.hour % 12, token.width);
    case 'm': return Pad(t.minute, token.width);
    case 's': return Pad(t.second, token.width);
    case 'S': return Pad(t.millis, token.width);
    case 'a': return t.hour < 12 ? "AM" : "PM";
    case 'D':
      return Pad(DaysFromCivil(t.year, t.month, t.day) - DaysFromCivil(t.year, 1, 1) + 1,
                 token.width);
    case 'E': {
      const std::string_view name = kWeekdays[Weekday(t)];
      return std::string(token.width >= 4 ? name : name.substr(0, 3));
    }
    case 'z': return "GMT";
    default: return "+0000";
  }
}

// Index of the name that 'text' begins with, whole or by its first three letters; -1: none.
template <size_t N>
int TakeName(const std::string_view (&names)[N], std::string_view* text) {
  for (size_t i = 0; i < N; ++i) {
    for (const std::string_view name : {names[i], names[i].substr(0, 3)}) {
      if (text->starts_with(name)) {
        text->remove_prefix(name.size());
        return static_cast<int>(i);
      }
    }
  }
  return -1;
}

struct ParsedDate {
  CivilTime civil;
  bool pm = false;
  bool twelve_hours = false;
};

bool TakeNumber(std::string_view* text, size_t width_max, int64_t* number) {
  size_t width = 0;
  while (width < text->size() && width < width_max && (*text)[width] >= '0' &&
         (*text)[width] <= '9') {
    ++width;
  }
  if (width == 0) return false;
  std::from_chars(text->data(), text->data() + width, *number);
  text->remove_prefix(width);
  return true;
}

// Two digits of a year mean the century that is nearest, from 80 years back to 20 ahead.
int64_t FullYear(int64_t year, size_t pattern_width, size_t digits) {
  constexpr int64_t kPivot = 46;
  if (pattern_width != 2 || digits != 2) return year;
  return year < kPivot ? 2000 + year : 1900 + year;
}

void SetField(char letter, int64_t number, ParsedDate* date) {
  const auto value = static_cast<int32_t>(number);
  switch (letter) {
    case 'y': date->civil.year = number; return;
    case 'M': date->civil.month = value; return;
    case 'd': date->civil.day = value; return;
    case 'H': date->civil.hour = value; return;
    case 'k': date->civil.hour = value % 24; return;
    case 'K':
    case 'h':
      date->civil.hour = value % 12;
      date->twelve_hours = true;
      return;
    case 'm': date->civil.minute = value; return;
    case 's': date->civil.second = value; return;
    case 'S': date->civil.millis = value; return;
    default: return;
  }
}

bool ParseToken(const DateToken& token, bool number_follows, std::string_view* text,
                ParsedDate* date) {
  if (token.letter == 0) {
    if (!text->starts_with(token.text)) return false;
    text->remove_prefix(token.text.size());
    return true;
  }
  if (token.letter == 'a') {
    date->pm = text->starts_with("PM") || text->starts_with("pm");
    if (text->size() < 2) return false;
    text->remove_prefix(2);
    return true;
  }
  if (token.letter == 'E') return TakeName(kWeekdays, text) >= 0;
  if (token.letter == 'M' && token.width >= 3) {
    const int month = TakeName(kMonths, text);
    date->civil.month = month + 1;
    return month >= 0;
  }
  constexpr size_t kDigitsMax = 9;
  const size_t before = text->size();
  int64_t number = 0;
  if (!TakeNumber(text, number_follows ? token.width : kDigitsMax, &number)) return false;
  if (token.letter == 'y') number = FullYear(number, token.width, before - text->size());
  SetField(token.letter, number, date);
  return true;
}

}  // namespace

Status CheckDatePattern(std::string_view pattern) {
  for (const DateToken& token : SplitPattern(pattern)) {
    if (token.letter == 0 || kDateLetters.find(token.letter) != std::string_view::npos) continue;
    return MakeUncodedSqlError(
        fmt::format("Illegal pattern character '{}' in '{}'", token.letter, pattern));
  }
  return Status::Ok();
}

std::string FormatDate(int64_t millis, std::string_view pattern) {
  const CivilTime civil = CivilFromMillis(millis);
  std::string text;
  for (const DateToken& token : SplitPattern(pattern)) text += FormatToken(token, civil);
  return text;
}

std::optional<int64_t> ParseDate(std::string_view text, std::string_view pattern) {
  const std::vector<DateToken> tokens = SplitPattern(pattern);
  ParsedDate date;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool number_follows = i + 1 < tokens.size() && tokens[i + 1].letter != 0;
    if (!ParseToken(tokens[i], number_follows, &text, &date)) return std::nullopt;
  }
  const CivilTime& c = date.civil;
  if (c.month < 1 || c.month > 12 || c.day < 1 || c.day > 31 || c.hour > 24 || c.minute > 59 ||
      c.second > 59) {
    return std::nullopt;
  }
  if (date.twelve_hours && date.pm) date.civil.hour += 12;
  return MillisFromCivil(date.civil);
}

std::optional<int32_t> ZoneOffsetMinutes(std::string_view zone) {
  if (zone == "GMT" || zone == "UTC" || zone == "Z" || zone == "local") return 0;
  if (zone.starts_with("GMT") || zone.starts_with("UTC")) zone.remove_prefix(3);
  if (zone.size() < 2 || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
  const int32_t sign = zone[0] == '-' ? -1 : 1;
  zone.remove_prefix(1);
  int64_t hours = 0;
  int64_t minutes = 0;
  if (!TakeNumber(&zone, 2, &hours)) return std::nullopt;
  if (zone.starts_with(":")) zone.remove_prefix(1);
  if (!zone.empty() && !TakeNumber(&zone, 2, &minutes)) return std::nullopt;
  if (!zone.empty() || hours > 18 || minutes > 59) return std::nullopt;
  return sign * static_cast<int32_t>(hours * 60 + minutes);
}

}  // namespace bennu::sql
