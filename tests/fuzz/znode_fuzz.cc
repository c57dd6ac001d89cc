// What a client reads from ZooKeeper, where anybody may have written it. What is taken for a server
// must be one that can be called.
#include <cstddef>
#include <cstdint>

#include "src/client/znode.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace client = bennu::client;
  const bennu::ByteView bytes(reinterpret_cast<const char*>(data), size);
  (void)client::ClusterIdOfZnode(bytes).ok();
  for (const auto& server : {client::MasterOfZnode(bytes), client::MetaServerOfZnode(bytes)}) {
    if (server.ok() && (server->host.empty() || server->port == 0)) __builtin_trap();
  }
  return 0;
}
