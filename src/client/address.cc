#include "src/client/address.h"

#include <fmt/format.h>

#include <charconv>

#include "src/base/status_macros.h"

namespace bennu::client {

Result<Address> ParseAddress(std::string_view text) {
  const auto refuse = [text] {
    return InvalidArgument(fmt::format(
        "'{}' is no server's address; expected HOST:PORT, such as localhost:16000", text));
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return refuse();
  const std::string_view digits = text.substr(colon + 1);
  Address address;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  if (error != std::errc() || end != digits.data() + digits.size() || address.port == 0) {
    return refuse();
  }
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.empty()) return refuse();
  address.host = host;
  return address;
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

}  // namespace bennu::client
