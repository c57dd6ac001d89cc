// Registry: where a client begins. It knows a cluster's id, its active master and the server of
// hbase:meta; everything else is asked of these. Source: HBase's ConnectionRegistry.
#ifndef BENNU_SRC_CLIENT_REGISTRY_H_
#define BENNU_SRC_CLIENT_REGISTRY_H_

#include <memory>
#include <string>

#include "bennu/status.h"
#include "src/client/address.h"
#include "src/client/channel.h"
#include "src/client/locations.h"
#include "src/client/options.h"

namespace bennu::client {

// Thread-safe. Nothing is remembered: each question goes to a server. Errors of all questions:
// IoError, TimedOut: nobody answers. Aborted: the cluster is on its way to an answer, such as
// between two masters; the question is worth another try. Others: another try will not help.
class Registry {
 public:
  virtual ~Registry() = default;
  virtual Result<std::string> ClusterId() = 0;
  virtual Result<Address> ActiveMaster() = 0;
  // The region of hbase:meta, always with its server.
  virtual Result<RegionLocation> MetaRegion() = 0;
};

// The registry that 'options' name. 'channels' must outlive it.
std::unique_ptr<Registry> MakeRegistry(const ClientOptions& options, Channels* channels);

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_REGISTRY_H_
