// Where a server listens.
#ifndef BENNU_SRC_CLIENT_ADDRESS_H_
#define BENNU_SRC_CLIENT_ADDRESS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "proto/hbase.pb.h"

namespace bennu::client {

struct Address {
  std::string host;  // a name, or an IP address without brackets
  uint16_t port = 0;

  std::string ToString() const;  // "host:port", "[::1]:port"
  static Address FromPb(const pb::ServerName& server);

  friend auto operator<=>(const Address&, const Address&) = default;
};

// A number from 1 to 65535. InvalidArgument.
Result<uint16_t> ParsePort(std::string_view text);
// "host:port". InvalidArgument: it is not.
Result<Address> ParseAddress(std::string_view text);
// "host:port,host:port".
Result<std::vector<Address>> ParseAddresses(std::string_view text);
// "host,host:port, [::1]:port"; blanks are ignored, and the port of a host without one is 0.
// InvalidArgument: names the host that is none.
Result<std::vector<Address>> ParseHosts(std::string_view text);

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_ADDRESS_H_
