#include "src/server/config/values.h"

#include <fmt/format.h>

#include <limits>

#include "src/api/property_values.h"

namespace bennu::server::config {

namespace {

constexpr int64_t kPortMax = std::numeric_limits<uint16_t>::max();

Status Unfit(std::string_view text, std::string_view expected) {
  return InvalidArgument(fmt::format("'{}' is not {}", text, expected));
}

Result<std::string> ParsePath(std::string_view text, std::string_view expected) {
  constexpr std::string_view kScheme = "file:";
  constexpr std::string_view kNoHost = "//";
  std::string_view path = text;
  if (path.starts_with(kScheme)) {
    path.remove_prefix(kScheme.size());
    if (path.starts_with(kNoHost)) path.remove_prefix(kNoHost.size());
  }
  if (path.empty() || (path.data() != text.data() && !path.starts_with('/')) ||
      path.find("://") != std::string_view::npos) {
    return Unfit(text, expected);
  }
  return std::string(path);
}

}  // namespace

Result<std::optional<uint16_t>> ParsePort(std::string_view text) {
  if (text == "none" || text == "-1") return std::optional<uint16_t>();
  const auto port = api::IntegerValue(text, 0, kPortMax);
  if (!port.ok()) {
    return Unfit(text,
                 "a port: a number up to 65535, 0 for any that is free, or none (-1 in a file)");
  }
  return std::optional<uint16_t>(static_cast<uint16_t>(*port));
}

Result<std::string> ParseDirectory(std::string_view text) {
  return ParsePath(text, "a directory of this machine, such as file:///var/lib/bennu");
}

Result<std::string> ParseFile(std::string_view text) {
  return ParsePath(text, "a file of this machine, such as /etc/bennu/users");
}

}  // namespace bennu::server::config
