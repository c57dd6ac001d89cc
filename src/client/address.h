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

// "host:port". InvalidArgument: it is not.
Result<Address> ParseAddress(std::string_view text);
// "host:port,host:port".
Result<std::vector<Address>> ParseAddresses(std::string_view text);

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_ADDRESS_H_
