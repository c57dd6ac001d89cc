#include "src/server/config/values.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <limits>

namespace bennu::server::config {

namespace {

constexpr int64_t kPortMax = std::numeric_limits<uint16_t>::max();

Status Unfit(std::string_view text, std::string_view expected) {
  return InvalidArgument(fmt::format("'{}' is not {}", text, expected));
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

Result<int64_t> ParseInteger(std::string_view text, int64_t min, int64_t max) {
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value < min || value > max) {
    return Unfit(text, fmt::format("an integer from {} to {}", min, max));
  }
  return value;
}

Result<uint64_t> ParseBytes(std::string_view text) {
  constexpr std::string_view kExpected = "a number of bytes, such as 1048576 or 256m";
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

Result<double> ParseShare(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != '\0' || !(value > 0) || value > 1) {
    return Unfit(text, "a share of more than 0 and at most 1, such as 0.4");
  }
  return value;
}

Result<bool> ParseBool(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return Unfit(text, "true or false");
}

Result<std::optional<uint16_t>> ParsePort(std::string_view text) {
  if (text == "none" || text == "-1") return std::optional<uint16_t>();
  const auto port = ParseInteger(text, 0, kPortMax);
  if (!port.ok()) {
    return Unfit(text,
                 "a port: a number up to 65535, 0 for any that is free, or none (-1 in a file)");
  }
  return std::optional<uint16_t>(static_cast<uint16_t>(*port));
}

Result<std::string> ParseDirectory(std::string_view text) {
  constexpr std::string_view kScheme = "file:";
  constexpr std::string_view kNoHost = "//";
  std::string_view path = text;
  if (path.starts_with(kScheme)) {
    path.remove_prefix(kScheme.size());
    if (path.starts_with(kNoHost)) path.remove_prefix(kNoHost.size());
  }
  if (path.empty() || (path.data() != text.data() && !path.starts_with('/')) ||
      path.find("://") != std::string_view::npos) {
    return Unfit(text, "a directory of this machine, such as file:///var/lib/bennu");
  }
  return std::string(path);
}

}  // namespace bennu::server::config
