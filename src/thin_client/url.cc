#include "src/thin_client/url.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

#include "src/base/percent.h"

namespace bennu::thin_client {

namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

// A URL that is refused may have a password in it, which no message shows.
std::string WithoutPassword(std::string_view text) {
  const size_t slashes = text.find("://");
  const size_t begin = slashes == std::string_view::npos ? 0 : slashes + 3;
  const size_t at = text.substr(0, text.find('/', begin)).rfind('@');
  const size_t colon = text.find(':', begin);
  if (at == std::string_view::npos || colon == std::string_view::npos || colon > at) {
    return std::string(text);
  }
  return std::string(text.substr(0, colon)) + ":…" + std::string(text.substr(at));
}

}  // namespace

std::string Url::Authority() const {
  const bool six = host.find(':') != std::string::npos;
  return six ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

bool IsUrl(std::string_view text) { return text.starts_with(kHttp) || text.starts_with(kHttps); }

Result<Url> ParseUrl(std::string_view text) {
  const auto wrong = [text](std::string_view why) {
    return InvalidArgument(
        fmt::format("'{}' {}; an example is http://localhost:8765", WithoutPassword(text), why));
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
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos) {
    const std::string_view who = rest.substr(0, at);
    const size_t colon = who.find(':');
    url.user = PercentDecoded(who.substr(0, colon));
    if (colon != std::string_view::npos) url.password = PercentDecoded(who.substr(colon + 1));
    if (url.user.empty()) return wrong("names no user before the '@'");
    rest = rest.substr(at + 1);
  }
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
