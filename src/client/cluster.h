// Cluster: finds the master and the regions, and calls them until they answer.
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
#include "src/client/meta_reader.h"
#include "src/client/missing_endpoints.h"
#include "src/client/operation.h"
#include "src/client/options.h"
#include "src/client/region_finder.h"
#include "src/client/region_references.h"
#include "src/client/registry.h"

namespace bennu::client {

// Of something that failed on the way to a call: whether it is worth another try.
CallOutcome OutcomeOf(Status status);

// Thread-safe. Must outlive all that uses it.
class Cluster final : private MetaReader {
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
  // The region of a row, and the one before a row: see RegionFinder.
  Result<LocationPtr> Find(const TableName& table, ByteView row, const Operation& operation);
  Result<LocationPtr> FindBefore(const TableName& table, ByteView row, const Operation& operation);
  // The region of this name, which has the row, or what comes just before it. NotFound: there is no
  // region of this name any more.
  Result<LocationPtr> FindNamed(const TableName& table, ByteView row, bool before,
                                const Bytes& name, const Operation& operation);
  // The first two look-ups among the regions that are known already; they make no call. Null: the
  // region is not known.
  LocationPtr FindKnown(const TableName& table, ByteView row, bool before);
  // After a call of the region failed: forgets or mends what is wrong.
  // 'secondary': it was a call of one of its secondary replicas.
  void Correct(const LocationPtr& region, const CallOutcome& failed, bool secondary = false);
  // The table's regions, in order, as they are known; where not all are, as Regions has them.
  Result<std::vector<RegionInfo>> KnownRegions(const TableName& table);
  // As hbase:meta has them now. NotFound: no such table. FailedPrecondition: it is disabled.
  Result<std::shared_ptr<const TableRegions>> Regions(const TableName& table);
  // As hbase:meta has them now, also of a disabled table.
  Result<std::vector<RegionLocation>> ReadRegions(const TableName& table);
  // Something about them was wrong.
  void Forget(const TableName& table) { finder_.Forget(table); }
  // The region is looked up again when it is wanted.
  void Forget(const LocationPtr& region) { finder_.locations()->Forget(region); }

  MissingEndpoints* missing_endpoints() { return &missing_endpoints_; }
  RegionReferences* references() { return &references_; }

  // One call of a region's ClientService.
  CallOutcome CallRegion(const RegionLocation& region, const std::string& method,
                         const google::protobuf::MessageLite& request, ByteView cells);
  // One call of the AdminService of the region's server, which it must have.
  CallOutcome CallRegionAdmin(const RegionLocation& region, const std::string& method,
                              const google::protobuf::MessageLite& request,
                              std::chrono::milliseconds timeout);
  // One attempt of 'operation' at a call of the ClientService about a row: finds the row's region,
  // sets '*region', a part of the request, to it, and corrects what the failure shows to be wrong.
  // 'called': unless null, becomes the region that was called.
  CallOutcome CallRow(const TableName& table, ByteView row, const std::string& method,
                      const google::protobuf::MessageLite& request, pb::RegionSpecifier* region,
                      Operation* operation, LocationPtr* called = nullptr);
  // The ClientService of the region's server, which it must have.
  std::shared_ptr<Channel> ChannelTo(const RegionLocation& region);
  std::shared_ptr<Channel> ChannelTo(const Address& server);

  // Tries 'attempt' until it is OK, its remedy is kNone, or the operation is over, which pauses in
  // between.
  static Status Retry(Operation* operation, const std::function<CallOutcome()>& attempt);

  uint64_t nonce_group() const { return nonce_group_; }
  static uint64_t NextNonce();
  const ClientOptions& options() const { return options_; }

 private:
  CallOutcome CallOnce(const Address& address, const std::string& service,
                       const std::string& method, const google::protobuf::MessageLite& request,
                       ByteView cells) {
    return CallOnce(address, service, method, request, cells, options_.call_timeout);
  }
  CallOutcome CallOnce(const Address& address, const std::string& service,
                       const std::string& method, const google::protobuf::MessageLite& request,
                       ByteView cells, std::chrono::milliseconds timeout);
  Status CallMasterService(const std::string& service, const std::string& method,
                           const google::protobuf::MessageLite& request,
                           google::protobuf::MessageLite* response);
  Result<Address> FindMaster();
  Result<RegionLocation> FindMeta();
  // A call of hbase:meta; what fails makes its place be asked for again.
  CallOutcome CallMeta(const RegionLocation& meta, const std::string& method,
                       const google::protobuf::MessageLite& request,
                       std::chrono::milliseconds timeout);

  // ---- MetaReader
  Status ReadMeta(const MetaRows& rows, std::chrono::milliseconds timeout,
                  const MetaRowUse& use) override;
  Result<bool> IsDisabled(const TableName& table, std::chrono::milliseconds timeout) override;

  const ClientOptions options_;
  const uint64_t nonce_group_;
  Channels channels_;
  const std::unique_ptr<Registry> registry_;  // asks over channels_
  RegionFinder finder_;
  MissingEndpoints missing_endpoints_;
  RegionReferences references_;
  Mutex mu_;
  std::optional<Address> master_ GUARDED_BY(mu_);
  std::optional<RegionLocation> meta_ GUARDED_BY(mu_);
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_CLUSTER_H_
