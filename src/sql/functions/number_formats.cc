// What of java.text.DecimalFormat TO_CHAR and TO_NUMBER need.
#include <fmt/format.h>

#include "src/sql/functions/function_tables.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

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
  const bool negative = value.sign() < 0;  // of what rounds to zero, too: -0.00
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

}  // namespace bennu::sql
