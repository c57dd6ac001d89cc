// Cluster: finds the master and the regions, and calls them until they answer.
// Source: RpcRetryingCallerImpl of HBase.
#ifndef BENNU_SRC_CLIENT_CLUSTER_H_
#define BENNU_SRC_CLIENT_CLUSTER_H_

#include <google/protobuf/message_lite.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/client/channel.h"
#include "src/client/locations.h"
#include "src/client/options.h"
#include "src/client/registry.h"

namespace bennu::client {

// Of something that failed on the way to a call: whether it is worth another try.
CallOutcome OutcomeOf(Status status);

// Thread-safe.
class Cluster {
 public:
  Cluster(ClientOptions options, TlsContextPtr tls);

  // Asks the registry once, so that a wrong address is told at once.
  Status Connect();

  // ---- single questions; they are asked again as long as it makes sense
  // Of the master. A request that changes something should carry a nonce of NextNonce.
  Status CallMaster(const std::string& method, const google::protobuf::MessageLite& request,
                    google::protobuf::MessageLite* response);
  // Of the server that has a region.
  Status CallAdmin(const RegionLocation& region, const std::string& method,
                   const google::protobuf::MessageLite& request,
                   google::protobuf::MessageLite* response);

  // Of the server at the address.
  Status CallServer(const Address& address, const std::string& method,
                    const google::protobuf::MessageLite& request,
                    google::protobuf::MessageLite* response);
  // Of the master's HbckService.
  Status CallHbck(const std::string& method, const google::protobuf::MessageLite& request,
                  google::protobuf::MessageLite* response);

  // ---- regions
  // As they are known. NotFound: no such table. FailedPrecondition: it is disabled.
  Result<std::shared_ptr<const TableRegions>> Regions(const TableName& table);
  // As hbase:meta has them now, also of a disabled table.
  Result<std::vector<RegionLocation>> ReadRegions(const TableName& table);
  // Something about them was wrong.
  void Forget(const TableName& table) { locations_.Forget(table); }

  // One call of a region's ClientService.
  CallOutcome CallRegion(const RegionLocation& region, const std::string& method,
                         const google::protobuf::MessageLite& request, ByteView cells);

  // Tries 'attempt' until it is OK, its remedy is kNone, or the time is over; looks regions up
  // again and waits in between, longer from time to time.
  Status Retry(const TableName& table, const std::function<CallOutcome()>& attempt);

  uint64_t nonce_group() const { return nonce_group_; }
  static uint64_t NextNonce();
  const ClientOptions& options() const { return options_; }

 private:
  CallOutcome CallOnce(const Address& address, const std::string& service,
                       const std::string& method, const google::protobuf::MessageLite& request,
                       ByteView cells);
  Status CallMasterService(const std::string& service, const std::string& method,
                           const google::protobuf::MessageLite& request,
                           google::protobuf::MessageLite* response);
  Result<Address> FindMaster();
  Result<RegionLocation> FindMeta();
  // Of rows of hbase:meta.
  Status ScanMeta(const RowRange& range,
                  const std::function<Status(const Cell* cells, size_t count)>& use);
  Result<bool> IsDisabled(const TableName& table);

  const ClientOptions options_;
  const uint64_t nonce_group_;
  Channels channels_;
  const std::unique_ptr<Registry> registry_;  // asks over channels_
  Locations locations_;
  Mutex mu_;
  std::optional<Address> master_ GUARDED_BY(mu_);
  std::optional<RegionLocation> meta_ GUARDED_BY(mu_);
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_CLUSTER_H_
