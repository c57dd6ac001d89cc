#include "src/client/registry.h"

#include "src/client/rpc_registry.h"

namespace bennu::client {

std::unique_ptr<Registry> MakeRegistry(const ClientOptions& options, Channels* channels) {
  return std::make_unique<RpcRegistry>(options.registry, options.call_timeout, channels);
}

}  // namespace bennu::client
