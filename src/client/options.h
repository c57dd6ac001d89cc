// How a client behaves. The defaults are HBase's, but for those noted.
#ifndef BENNU_SRC_CLIENT_OPTIONS_H_
#define BENNU_SRC_CLIENT_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/client/address.h"

namespace bennu::client {

struct ClientOptions {
  // Where to ask for the cluster (ClientMetaService): masters, region servers, or both.
  std::vector<Address> registry;
  std::string user;  // whom servers are told
  // hbase.rpc.timeout: for one call, and for a connection.
  std::chrono::milliseconds call_timeout{60'000};
  // For an operation with all that is tried for it. HBase's is 20 minutes.
  std::chrono::milliseconds operation_timeout{60'000};
  std::chrono::milliseconds pause{100};  // hbase.client.pause: the first wait before a retry
  // hbase.client.scanner.max.result.size: of one answer of a scan.
  uint64_t scan_bytes_max = 2 << 20;
  size_t threads = 0;  // for what runs side by side; 0: one per hardware thread
};

// One of HBase's properties by its name: hbase.rpc.timeout, hbase.client.operation.timeout,
// hbase.client.pause (milliseconds), hbase.client.scanner.max.result.size (bytes). InvalidArgument:
// another one, or not a positive number.
Status SetOption(std::string_view name, std::string_view value, ClientOptions* options);

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_OPTIONS_H_
