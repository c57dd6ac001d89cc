// The registry that masters and region servers are themselves, by their ClientMetaService.
// Source: hbase-rpc spec section 7; HBase's RpcConnectionRegistry.
#ifndef BENNU_SRC_CLIENT_RPC_REGISTRY_H_
#define BENNU_SRC_CLIENT_RPC_REGISTRY_H_

#include <google/protobuf/message_lite.h>

#include <chrono>
#include <string>
#include <vector>

#include "src/client/registry.h"

namespace bennu::client {

// Thread-safe.
class RpcRegistry final : public Registry {
 public:
  // The next of 'nodes' is asked when one does not answer within 'timeout'. 'channels' must outlive
  // this.
  RpcRegistry(std::vector<Address> nodes, std::chrono::milliseconds timeout, Channels* channels)
      : nodes_(std::move(nodes)), timeout_(timeout), channels_(channels) {}

  Result<std::string> ClusterId() override;
  Result<Address> ActiveMaster() override;
  Result<RegionLocation> MetaRegion() override;

 private:
  // The answer of the first node that has one, or the error of the last.
  Status Ask(const std::string& method, const google::protobuf::MessageLite& request,
             google::protobuf::MessageLite* response);

  const std::vector<Address> nodes_;
  const std::chrono::milliseconds timeout_;
  Channels* const channels_;
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_RPC_REGISTRY_H_
