// What of java.text.DecimalFormat TO_CHAR and TO_NUMBER need.
#include <fmt/format.h>

#include <algorithm>

#include "src/sql/functions/function_tables.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

struct NumberPattern {
  std::string prefix;
  std::string suffix;
  std::string negative_prefix;
  std::string negative_suffix;
  size_t integer_digits_min = 0;
  size_t integer_digits_max = SIZE_MAX;  // with an exponent alone
  size_t fraction_digits_min = 0;
  size_t fraction_digits_max = 0;
  size_t group_size = 0;           // 0: no grouping
  size_t exponent_digits_min = 0;  // 0: no exponent
  int64_t multiplier = 1;          // 100 with %, 1000 with ‰
  bool point_always = false;
};

// One side of ';': what stands before and behind the digits, and their signs.
struct SubPattern {
  std::string prefix;
  std::string number;
  std::string suffix;
  int64_t multiplier = 1;
};

// Takes a side of the pattern, up to a ';' that is not quoted, and that too.
SubPattern TakeSubPattern(std::string_view* pattern) {
  SubPattern sub;
  bool quoted = false;
  size_t i = 0;
  for (; i < pattern->size(); ++i) {
    const char c = (*pattern)[i];
    std::string& affix = sub.number.empty() ? sub.prefix : sub.suffix;
    if (c == '\'') {
      if (i + 1 < pattern->size() && (*pattern)[i + 1] == '\'') {
        affix += (*pattern)[i++];
      } else {
        quoted = !quoted;
      }
      continue;
    }
    if (!quoted && c == ';') break;
    const bool of_number = std::string_view("0#,.").find(c) != std::string_view::npos ||
                           (c == 'E' && !sub.number.empty());
    if (!quoted && of_number && sub.suffix.empty()) {
      sub.number += c;
      continue;
    }
    if (!quoted && c == '%') sub.multiplier = 100;
    if (!quoted && pattern->substr(i).starts_with("\xe2\x80\xb0")) sub.multiplier = 1000;
    affix += c;
  }
  pattern->remove_prefix(std::min(i + 1, pattern->size()));
  return sub;
}

NumberPattern ParseNumberPattern(std::string_view text) {
  const SubPattern positive = TakeSubPattern(&text);
  NumberPattern result;
  result.prefix = result.negative_prefix = positive.prefix;
  result.suffix = result.negative_suffix = positive.suffix;
  result.multiplier = positive.multiplier;
  if (!text.empty()) {
    const SubPattern negative = TakeSubPattern(&text);
    result.negative_prefix = negative.prefix;
    result.negative_suffix = negative.suffix;
  }
  if (result.negative_prefix == result.prefix && result.negative_suffix == result.suffix) {
    result.negative_prefix.insert(0, "-");
  }

  size_t left = 0;   // # before the first 0
  size_t zeros = 0;  // 0
  size_t right = 0;  // # behind them
  std::optional<size_t> point;
  std::optional<size_t> group;
  bool in_exponent = false;
  for (const char c : positive.number) {
    if (in_exponent) {
      result.exponent_digits_min += c == '0' ? 1 : 0;
    } else if (c == 'E') {
      in_exponent = true;
    } else if (c == ',') {
      group = 0;
    } else if (c == '.') {
      point = left + zeros + right;
    } else {
      ++(c == '0' ? zeros : zeros > 0 ? right : left);
      if (group.has_value() && !point.has_value()) ++*group;
    }
  }
  if (zeros == 0 && left > 0 && point.has_value()) {
    // One digit is always shown: "#.#" is "0.#", and ".##" is ".0#".
    const size_t before = std::max<size_t>(*point, 1);
    right = left - before;
    left = before - 1;
    zeros = 1;
  }
  const size_t total = left + zeros + right;
  const size_t integers = point.value_or(total);
  result.integer_digits_min = integers > left ? integers - left : 0;
  if (result.exponent_digits_min > 0) result.integer_digits_max = left + result.integer_digits_min;
  if (point.has_value()) {
    result.fraction_digits_max = total - *point;
    result.fraction_digits_min = left + zeros > *point ? left + zeros - *point : 0;
    result.point_always = *point == 0 || *point == total;
  }
  result.group_size = group.value_or(0);
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

// Digits of a number between 0.1 and 1, without zeros at its ends, and the power of ten by which it
// is larger. No digits: 0.
struct DigitList {
  std::string digits;
  int64_t point = 0;
};

DigitList DigitsOf(const Decimal& value) {
  DigitList list;
  const std::string text = value.ToString();
  const size_t point = std::min(text.find('.'), text.size());
  list.digits = text.substr(0, point) + (point < text.size() ? text.substr(point + 1) : "");
  list.point = static_cast<int64_t>(point);
  const size_t zeros = std::min(list.digits.find_first_not_of('0'), list.digits.size());
  list.digits.erase(0, zeros);
  list.point -= static_cast<int64_t>(zeros);
  while (!list.digits.empty() && list.digits.back() == '0') list.digits.pop_back();
  return list;
}

// To 'count' digits, the even one where both are as near.
void RoundDigits(size_t count, DigitList* list) {
  std::string& digits = list->digits;
  if (digits.size() <= count) return;
  const char next = digits[count];
  const bool more = digits.size() > count + 1;
  const bool odd = count > 0 && (digits[count - 1] - '0') % 2 != 0;
  const bool up = next > '5' || (next == '5' && (more || odd));
  digits.resize(count);
  if (up) {
    while (!digits.empty() && digits.back() == '9') digits.pop_back();
    if (digits.empty()) {
      digits = "1";
      ++list->point;
    } else {
      ++digits.back();
    }
  }
  while (!digits.empty() && digits.back() == '0') digits.pop_back();
}

std::string FormatWithExponent(const Decimal& value, const NumberPattern& pattern) {
  DigitList list = DigitsOf(value);
  RoundDigits(pattern.integer_digits_max + pattern.fraction_digits_max, &list);
  const bool zero = list.digits.empty();
  if (zero) list.point = 0;
  const auto repeat = static_cast<int64_t>(pattern.integer_digits_max);
  auto integer_digits_min = static_cast<int64_t>(pattern.integer_digits_min);
  int64_t exponent = list.point;
  if (repeat > 1 && repeat > integer_digits_min) {
    exponent =
        exponent >= 1 ? (exponent - 1) / repeat * repeat : (exponent - repeat) / repeat * repeat;
    integer_digits_min = 1;
  } else {
    exponent -= integer_digits_min;
  }
  const int64_t integers = zero ? integer_digits_min : list.point - exponent;
  if (zero) exponent = 0;
  const auto shown =
      std::max({static_cast<int64_t>(list.digits.size()), integers,
                static_cast<int64_t>(pattern.integer_digits_min + pattern.fraction_digits_min)});
  list.digits.resize(static_cast<size_t>(shown), '0');
  std::string text = list.digits.substr(0, static_cast<size_t>(integers));
  if (shown > integers || pattern.point_always) text += '.';
  text += list.digits.substr(static_cast<size_t>(integers));
  return text + fmt::format("E{}{:0{}}", exponent < 0 ? "-" : "", std::abs(exponent),
                            pattern.exponent_digits_min);
}

std::string FormatPlain(Decimal number, const NumberPattern& pattern) {
  number = number.SetScale(static_cast<int32_t>(pattern.fraction_digits_max), Rounding::kHalfEven)
               .value_or(number);
  const std::string digits = number.ToString();
  const size_t point = digits.find('.');
  std::string integer = digits.substr(0, point);
  std::string fraction = point == std::string::npos ? "" : digits.substr(point + 1);
  if (integer == "0") integer.clear();
  if (integer.size() < pattern.integer_digits_min) {
    integer.insert(0, pattern.integer_digits_min - integer.size(), '0');
  }
  while (fraction.size() > pattern.fraction_digits_min && fraction.back() == '0') {
    fraction.pop_back();
  }
  if (fraction.size() < pattern.fraction_digits_min) {
    fraction.resize(pattern.fraction_digits_min, '0');
  }
  if (integer.empty() && fraction.empty()) integer = "0";
  std::string result = Group(integer, pattern.group_size);
  if (!fraction.empty() || pattern.point_always) result += '.';
  return result + fraction;
}

// The digits that 'text' begins with, with their point and exponent; they are taken away.
std::string TakeNumberText(std::string_view* text, bool grouped) {
  std::string number;
  bool point = false;
  size_t i = 0;
  for (; i < text->size(); ++i) {
    const char c = (*text)[i];
    if (c == '.' && !point) {
      point = true;
    } else if (c == ',' && grouped && !point) {
      continue;
    } else if (c < '0' || c > '9') {
      break;
    }
    number += c;
  }
  if (i < text->size() && (*text)[i] == 'E') {
    size_t end = i + 1;
    if (end < text->size() && (*text)[end] == '-') ++end;
    const size_t first = end;
    while (end < text->size() && (*text)[end] >= '0' && (*text)[end] <= '9') ++end;
    if (end > first) {
      number += text->substr(i, end - i);
      i = end;
    }
  }
  text->remove_prefix(i);
  return number;
}

}  // namespace

std::string FormatNumber(const Decimal& value, std::string_view text) {
  const NumberPattern pattern = ParseNumberPattern(text);
  Decimal number = value.Abs();
  if (pattern.multiplier != 1) {
    number = Decimal::Multiply(number, Decimal::FromInt64(pattern.multiplier));
  }
  const std::string digits = pattern.exponent_digits_min > 0 ? FormatWithExponent(number, pattern)
                                                             : FormatPlain(number, pattern);
  // Of what rounds to zero, too: -0.00.
  if (value.sign() < 0) return pattern.negative_prefix + digits + pattern.negative_suffix;
  return pattern.prefix + digits + pattern.suffix;
}

std::optional<Decimal> ParseNumber(std::string_view text, std::string_view pattern_text) {
  const NumberPattern pattern = ParseNumberPattern(pattern_text);
  bool positive = text.starts_with(pattern.prefix);
  bool negative = text.starts_with(pattern.negative_prefix);
  if (positive && negative) {
    if (pattern.prefix.size() > pattern.negative_prefix.size()) negative = false;
    if (pattern.prefix.size() < pattern.negative_prefix.size()) positive = false;
  }
  if (!positive && !negative) return std::nullopt;
  text.remove_prefix((positive ? pattern.prefix : pattern.negative_prefix).size());
  const std::string digits = TakeNumberText(&text, pattern.group_size > 0);
  // What stands behind the suffix does not count.
  positive = positive && text.starts_with(pattern.suffix);
  negative = negative && text.starts_with(pattern.negative_suffix);
  if (positive && negative) {
    if (pattern.suffix.size() >= pattern.negative_suffix.size()) negative = false;
  }
  if (!positive && !negative) return std::nullopt;
  std::optional<Decimal> number = Decimal::Parse(digits);
  if (!number.has_value()) return std::nullopt;
  if (negative) number = number->Negate();
  if (pattern.multiplier == 1) return number;
  return Decimal::Divide(*number, Decimal::FromInt64(pattern.multiplier));
}

}  // namespace bennu::sql
