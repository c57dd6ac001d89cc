#include "src/client/registry.h"

#include "src/client/rpc_registry.h"
#include "src/client/zookeeper_registry.h"

namespace bennu::client {

std::unique_ptr<Registry> MakeRegistry(const ClientOptions& options, Channels* channels) {
  if (options.zookeeper.has_value()) {
    return std::make_unique<ZooKeeperRegistry>(*options.zookeeper, options.call_timeout);
  }
  return std::make_unique<RpcRegistry>(options.registry, options.call_timeout, channels);
}

}  // namespace bennu::client
