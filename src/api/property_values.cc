#include "src/api/property_values.h"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>

#include "src/api/attributes.h"

namespace bennu::api {

namespace {

Status Unfit(std::string_view text, const std::string& expected) {
  return InvalidArgument("'" + std::string(text) + "' is not " + expected);
}

// Powers of two of the letters.
std::optional<int> ShiftOf(char letter) {
  switch (letter | 0x20) {
    case 'k': return 10;
    case 'm': return 20;
    case 'g': return 30;
    case 't': return 40;
    default: return std::nullopt;
  }
}

}  // namespace

Result<int64_t> IntegerValue(std::string_view text, int64_t min, int64_t max) {
  const std::optional<int64_t> value = ParseInteger(text);
  if (value.has_value() && *value >= min && *value <= max) return *value;
  return Unfit(text, "an integer from " + std::to_string(min) + " to " + std::to_string(max));
}

Result<uint64_t> BytesValue(std::string_view text) {
  constexpr char kExpected[] = "a number of bytes, such as 1048576 or 256m";
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc()) return Unfit(text, kExpected);
  if (parsed.ptr == end) return value;
  const auto shift = ShiftOf(*parsed.ptr);
  if (!shift.has_value() || parsed.ptr + 1 != end ||
      value > std::numeric_limits<uint64_t>::max() >> *shift) {
    return Unfit(text, kExpected);
  }
  return value << *shift;
}

Result<double> ShareValue(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != '\0' || !(value > 0) || value > 1) {
    return Unfit(text, "a share of more than 0 and at most 1, such as 0.4");
  }
  return value;
}

Result<bool> FlagValue(std::string_view text) {
  const std::optional<bool> value = ParseBool(text);
  if (value.has_value()) return *value;
  return Unfit(text, "true or false");
}

}  // namespace bennu::api
