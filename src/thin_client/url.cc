#include "src/thin_client/url.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace bennu::thin_client {

namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

}  // namespace

std::string Url::Authority() const {
  const bool six = host.find(':') != std::string::npos;
  return six ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

bool IsUrl(std::string_view text) { return text.starts_with(kHttp) || text.starts_with(kHttps); }

Result<Url> ParseUrl(std::string_view text) {
  const auto wrong = [text](std::string_view why) {
    return InvalidArgument(fmt::format("'{}' {}; an example is http://localhost:8765", text, why));
  };
  if (!IsUrl(text)) return wrong("is no URL of HTTP");
  Url url;
  url.tls = text.starts_with(kHttps);
  std::string_view rest = text.substr(url.tls ? kHttps.size() : kHttp.size());
  const size_t slash = rest.find('/');
  if (slash != std::string_view::npos) {
    url.path = rest.substr(slash);
    rest = rest.substr(0, slash);
  }
  if (rest.find('@') != std::string_view::npos) return wrong("has a user in it");
  std::string_view port;
  if (rest.starts_with('[')) {
    const size_t end = rest.find(']');
    if (end == std::string_view::npos) return wrong("has no ']'");
    url.host = rest.substr(1, end - 1);
    port = rest.substr(end + 1);
    if (!port.empty() && port[0] != ':') return wrong("has something behind the ']'");
    if (!port.empty()) port.remove_prefix(1);
  } else {
    const size_t colon = rest.find(':');
    url.host = rest.substr(0, colon);
    if (colon != std::string_view::npos) port = rest.substr(colon + 1);
  }
  if (url.host.empty()) return wrong("has no host");
  if (port.empty()) return url;
  const auto [stop, error] = std::from_chars(port.data(), port.data() + port.size(), url.port);
  if (error != std::errc() || stop != port.data() + port.size() || url.port == 0) {
    return wrong("has no port from 1 to 65535");
  }
  return url;
}

}  // namespace bennu::thin_client
