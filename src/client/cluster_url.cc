#include "src/client/cluster_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/percent.h"
#include "src/base/status_macros.h"

namespace bennu::client {

namespace {

constexpr std::string_view kJdbc = "jdbc:phoenix";
constexpr std::string_view kThin = ":thin";
constexpr char kKerberos[] =
    "a principal and a keytab are for Kerberos, which Bennu's client does not have";

bool IsNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "NAME=VALUE" with 'separator' between them; 'decode': of %XX.
Status ParseProperties(std::string_view text, char separator, bool decode,
                       std::map<std::string, std::string>* properties) {
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view one = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(one.size() + 1, text.size()));
    if (one.empty()) continue;
    const size_t equals = one.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return InvalidArgument(fmt::format("property {} is not NAME=VALUE", number));
    }
    std::string name(one.substr(0, equals));
    std::string value(one.substr(equals + 1));
    if (decode) name = PercentDecoded(name);
    (*properties)[name] = decode ? PercentDecoded(value) : value;
  }
  return Status::Ok();
}

// What stands behind the scheme's colon.
Status ParseUri(std::string_view rest, ClusterUrl* url) {
  const size_t question = rest.find('?');
  if (question != std::string_view::npos) {
    RETURN_IF_ERROR(ParseProperties(rest.substr(question + 1), '&', true, &url->properties));
    rest = rest.substr(0, question);
  }
  if (rest.empty() || rest == "//") return Status::Ok();
  if (!rest.starts_with("//")) return InvalidArgument("two slashes are missing before the servers");
  rest.remove_prefix(2);
  const std::string_view servers = rest.substr(0, rest.find('/'));
  const std::string_view path = rest.substr(servers.size());
  if (servers.empty()) return InvalidArgument("no server stands before the path");
  if (servers.find('@') != std::string_view::npos) {
    return InvalidArgument("a user stands before the servers, but there is no authentication");
  }
  ASSIGN_OR_RETURN(url->servers, ParseHosts(servers));
  url->registry = url->registry.value_or(RegistryKind::kZooKeeper);
  if (path.empty() || path == "/") return Status::Ok();
  if (url->registry == RegistryKind::kRpc) {
    return InvalidArgument(
        fmt::format("the path {} is a znode's, and no ZooKeeper is asked", path));
  }
  ASSIGN_OR_RETURN(url->znode_parent, ParseZnodePath(PercentDecoded(path)));
  return Status::Ok();
}

// The parts between colons. One behind a backslash or within brackets belongs to its part.
std::vector<std::string> SplitJdbc(std::string_view text) {
  std::vector<std::string> parts(1);
  bool in_brackets = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      parts.back() += text[++i];
    } else if (text[i] == ':' && !in_brackets) {
      parts.emplace_back();
    } else {
      if (text[i] == '[' || text[i] == ']') in_brackets = text[i] == '[';
      parts.back() += text[i];
    }
  }
  return parts;
}

Status RefuseThin(std::string_view rest) {
  constexpr std::string_view kUrl = "url=";
  const size_t at = rest.find(kUrl);
  std::string_view url = at == std::string_view::npos ? "" : rest.substr(at + kUrl.size());
  url = url.substr(0, url.find(';'));
  if (!url.starts_with("http") || url.find('@') != std::string_view::npos) url = "http://HOST:8765";
  return InvalidArgument(
      fmt::format("a query server is no cluster; `bennu sql {}` goes through it", url));
}

// The port of all servers without one.
Status ParseCommonPort(const std::string& text, ClusterUrl* url) {
  if (!IsNumber(text)) {
    return InvalidArgument(fmt::format("'{}' is neither a port nor a znode such as /hbase", text));
  }
  ASSIGN_OR_RETURN(const uint16_t port, ParsePort(text));
  for (Address& server : url->servers) {
    if (server.port == 0) server.port = port;
  }
  return Status::Ok();
}

// What stands behind "jdbc:phoenix".
Status ParseJdbc(std::string_view rest, ClusterUrl* url) {
  if (rest.starts_with(kThin)) return RefuseThin(rest);
  const size_t semicolon = rest.find(';');
  if (semicolon != std::string_view::npos) {
    RETURN_IF_ERROR(ParseProperties(rest.substr(semicolon + 1), ';', false, &url->properties));
    rest = rest.substr(0, semicolon);
  }
  const std::string_view protocol = rest.substr(0, rest.find(':'));
  if (protocol == "+zk") {
    url->registry = RegistryKind::kZooKeeper;
  } else if (protocol == "+rpc" || protocol == "+master") {
    url->registry = RegistryKind::kRpc;
  } else if (!protocol.empty()) {
    return InvalidArgument(fmt::format(
        "there is no protocol 'phoenix{}'; expected phoenix, phoenix+zk, phoenix+rpc or "
        "phoenix+master",
        protocol));
  }
  rest.remove_prefix(std::min(protocol.size() + 1, rest.size()));
  if (rest.empty()) return Status::Ok();
  std::vector<std::string> parts = SplitJdbc(rest);
  // The port may be left out: zk1:/hbase.
  if (parts.size() > 1 && parts[1].starts_with('/')) parts.insert(parts.begin() + 1, "");
  parts.resize(std::max<size_t>(parts.size(), 3));
  for (size_t i = 3; i < parts.size(); ++i) {
    if (!parts[i].empty()) return InvalidArgument(kKerberos);
  }
  if (parts[0].empty()) {
    if (parts[1].empty() && parts[2].empty()) return Status::Ok();
    return InvalidArgument("no server stands before the port or path");
  }
  ASSIGN_OR_RETURN(url->servers, ParseHosts(parts[0]));
  url->registry = url->registry.value_or(RegistryKind::kZooKeeper);
  if (!parts[1].empty()) RETURN_IF_ERROR(ParseCommonPort(parts[1], url));
  if (parts[2].empty()) return Status::Ok();
  if (url->registry == RegistryKind::kRpc) {
    return InvalidArgument(
        fmt::format("the path {} is a znode's, and no ZooKeeper is asked", parts[2]));
  }
  ASSIGN_OR_RETURN(url->znode_parent, ParseZnodePath(parts[2]));
  return Status::Ok();
}

// Ports of servers without one, if the list ends with one.
void SpreadLastPort(std::vector<Address>* servers) {
  if (servers->empty()) return;
  const uint16_t last = servers->back().port;
  for (Address& server : *servers) {
    if (server.port == 0) server.port = last;
  }
}

// HOST:PORT; the last of several, too, ends with its port.
bool LooksLikeAddress(std::string_view text) {
  const size_t colon = text.rfind(':');
  return colon != std::string_view::npos && text.find('/') == std::string_view::npos &&
         IsNumber(text.substr(colon + 1));
}

// "jdbc:phoenix" with one of the things that may follow.
bool IsJdbc(std::string_view text) {
  if (!text.starts_with(kJdbc)) return false;
  text.remove_prefix(kJdbc.size());
  return text.empty() || text[0] == ':' || text[0] == '+' || text[0] == ';';
}

// What HBase's schemes are followed by; nothing: the text begins with none of them. A host may well
// have the name of a scheme.
std::optional<std::string_view> BehindScheme(std::string_view text, std::string_view* scheme) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  *scheme = text.substr(0, colon);
  if (*scheme != "hbase" && !scheme->starts_with("hbase+")) return std::nullopt;
  const std::string_view rest = text.substr(colon + 1);
  if (IsNumber(rest) || rest.find(',') < rest.find('/')) return std::nullopt;
  return rest;
}

Status Parse(std::string_view text, ClusterUrl* url) {
  if (IsJdbc(text)) return ParseJdbc(text.substr(kJdbc.size()), url);
  std::string_view scheme;
  if (const auto rest = BehindScheme(text, &scheme); rest.has_value()) {
    if (scheme == "hbase+zk") {
      url->registry = RegistryKind::kZooKeeper;
    } else if (scheme == "hbase+rpc") {
      url->registry = RegistryKind::kRpc;
    } else if (scheme != "hbase") {
      return InvalidArgument(
          fmt::format("there is no scheme '{}'; expected hbase, hbase+zk or hbase+rpc", scheme));
    }
    return ParseUri(*rest, url);
  }
  url->registry = RegistryKind::kRpc;
  ASSIGN_OR_RETURN(url->servers, ParseAddresses(text));
  return Status::Ok();
}

}  // namespace

std::string ShownTarget(std::string_view text) {
  text = text.substr(0, text.find_first_of("?;"));
  // A password may stand where URLs have users, too.
  if (text.find('@') == std::string_view::npos) return std::string(text);
  return fmt::format("{}:…", text.substr(0, text.find(':')));
}

bool LooksLikeCluster(std::string_view text) {
  std::string_view scheme;
  return IsJdbc(text) || BehindScheme(text, &scheme).has_value() || LooksLikeAddress(text);
}

Result<ClusterUrl> ParseClusterUrl(std::string_view text) {
  ClusterUrl url;
  if (const Status parsed = Parse(text, &url); !parsed.ok()) {
    return Status(parsed.code(), fmt::format("{}: {}", ShownTarget(text), parsed.message()));
  }
  SpreadLastPort(&url.servers);
  return url;
}

Result<std::string> ParseZnodePath(std::string_view text) {
  std::string_view path = text;
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const bool control = std::any_of(path.begin(), path.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < ' '; });
  if (!path.starts_with('/') || path.find("//") != std::string_view::npos || control) {
    return InvalidArgument(
        fmt::format("'{}' is not the path of a znode; expected is one such as /hbase", text));
  }
  return std::string(path);
}

}  // namespace bennu::client
