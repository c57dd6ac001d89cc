#include "src/client/address.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "src/base/status_macros.h"

namespace bennu::client {

namespace {

// Without the brackets of an IPv6 address.
std::string BareHost(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return std::string(host);
}

// A host with or without a port.
Result<Address> ParseHost(std::string_view text) {
  if (text.empty()) return InvalidArgument("a comma has no host on one side");
  const size_t bracket = text.find(']');
  const size_t colon = text.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos && text.find(':', colon + 1) != std::string_view::npos) {
    return InvalidArgument(
        fmt::format("'{}' has several colons; an IPv6 address stands in brackets", text));
  }
  const std::string_view name = text.substr(0, colon);
  const bool brackets = name.starts_with('[');
  constexpr std::string_view kNever = " \t\r\n/\\@?#;=";
  if (name.empty() || name.find_first_of(kNever) != std::string_view::npos ||
      (brackets ? name.size() < 3 || !name.ends_with(']')
                : name.find_first_of("[]") != std::string_view::npos)) {
    return InvalidArgument(fmt::format("'{}' is not a host, nor HOST:PORT", text));
  }
  if (colon != std::string_view::npos) {
    const auto port = ParsePort(text.substr(colon + 1));
    if (!port.ok()) return InvalidArgument(fmt::format("{}: {}", name, port.status().message()));
    return Address{BareHost(name), *port};
  }
  return Address{BareHost(name), 0};
}

}  // namespace

Result<uint16_t> ParsePort(std::string_view text) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) {
    return InvalidArgument(fmt::format("'{}' is not a port, a number from 1 to 65535", text));
  }
  return port;
}

Result<Address> ParseAddress(std::string_view text) {
  const auto refuse = [text] {
    return InvalidArgument(fmt::format(
        "'{}' is no server's address; expected HOST:PORT, such as localhost:16000", text));
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return refuse();
  const auto port = ParsePort(text.substr(colon + 1));
  if (!port.ok()) return refuse();
  const std::string host = BareHost(text.substr(0, colon));
  if (host.empty()) return refuse();
  return Address{host, *port};
}

std::string Address::ToString() const {
  const bool brackets = host.find(':') != std::string::npos;
  return brackets ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Address Address::FromPb(const pb::ServerName& server) {
  return {server.host_name(), static_cast<uint16_t>(server.port())};
}

Result<std::vector<Address>> ParseAddresses(std::string_view text) {
  std::vector<Address> addresses;
  while (true) {
    const size_t comma = text.find(',');
    ASSIGN_OR_RETURN(Address address, ParseAddress(text.substr(0, comma)));
    addresses.push_back(std::move(address));
    if (comma == std::string_view::npos) return addresses;
    text.remove_prefix(comma + 1);
  }
}

Result<std::vector<Address>> ParseHosts(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::vector<Address> hosts;
  while (true) {
    const size_t comma = text.find(',');
    std::string_view one = text.substr(0, comma);
    one.remove_prefix(std::min(one.find_first_not_of(kBlanks), one.size()));
    one = one.substr(0, one.find_last_not_of(kBlanks) + 1);
    ASSIGN_OR_RETURN(Address host, ParseHost(one));
    hosts.push_back(std::move(host));
    if (comma == std::string_view::npos) return hosts;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace bennu::client
