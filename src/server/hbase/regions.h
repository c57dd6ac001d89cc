// Which region a request means, by the name that it carries.
#ifndef BENNU_SRC_SERVER_HBASE_REGIONS_H_
#define BENNU_SRC_SERVER_HBASE_REGIONS_H_

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "bennu/descriptor.h"
#include "bennu/table.h"
#include "proto/client.pb.h"
#include "src/api/attributes.h"
#include "src/base/mutex.h"
#include "src/engine/open.h"
#include "src/server/hbase/call.h"

namespace bennu::server::hbase {

// Requests since the server started.
struct RegionCounters {
  // Gets, rows that scans answered with, and those that aggregates read.
  std::atomic<uint64_t> reads{0};
  std::atomic<uint64_t> writes{0};  // mutations
  // Compactions that clients asked for and that have not ended.
  std::atomic<int> minor_compactions{0};
  std::atomic<int> major_compactions{0};
};

struct ServedRegion {
  RegionInfo info;
  Bytes name;
  std::shared_ptr<engine::ServedTable> table;
  TableDescriptor descriptor;
  std::shared_ptr<RegionCounters> counters = std::make_shared<RegionCounters>();
  int64_t cell_bytes_max = 0;  // hbase.server.keyvalue.maxsize; 0: none
  // What the table's space quota forbids at the moment: a pb::SpaceViolationPolicy, or 0.
  std::shared_ptr<const std::atomic<int>> space_policy = std::make_shared<std::atomic<int>>(0);

  // NoSuchColumnFamilyException, WrongRegionException, FailedSanityCheckException.
  CallError CheckFamily(ByteView family) const;
  // A condition about one of the families, or with a filter.
  CallError ReadCondition(const pb::Condition& message, Table::Condition* condition) const;
  CallError CheckRowForRead(ByteView row, std::string_view operation) const;
  CallError CheckRowForWrite(ByteView row) const;
  // DoNotRetryIOException: it is larger than cells may be.
  CallError CheckSize(const Cell& cell) const;
};
using ServedRegionPtr = std::shared_ptr<const ServedRegion>;

// Thread-safe. What it knows of a table may be a second old: reads and writes go by rows, so that
// one that names a region which has just been split still finds its data.
class Regions {
 public:
  // 'server_name': "host,port,startcode", for messages. 'configuration': the store's properties.
  Regions(engine::Engine* store, std::string server_name, api::Attributes configuration = {})
      : store_(store),
        server_name_(std::move(server_name)),
        configuration_(std::move(configuration)) {}

  engine::Engine* store() const { return store_; }
  const api::Attributes& configuration() const { return configuration_; }
  // NotServingRegionException: there is none, or its table is disabled.
  CallError Find(ByteView region_name, ServedRegionPtr* region);
  // The same by whichever name the client gives.
  CallError Find(const pb::RegionSpecifier& named, ServedRegionPtr* region);
  // UnknownRegionException: there is none. By the encoded name, whatever table it is of.
  CallError FindEncoded(const std::string& encoded_name, ServedRegionPtr* region);
  // By the encoded name, of those that were asked for. Forgets regions that are not in
  // 'encoded_names'.
  std::unordered_map<std::string, std::shared_ptr<const RegionCounters>> Counters(
      const std::unordered_set<std::string>& encoded_names);
  // The same of one region; null: nobody asked for it.
  std::shared_ptr<const RegionCounters> CountersOf(const std::string& encoded_name) const;
  // NotServingRegionException: it has been split or merged since it was found.
  CallError CheckThere(const ServedRegion& region);
  // After a table has changed.
  void Forget();
  // Tables whose space quotas forbid something, by name; nothing is forbidden in the others.
  void SetSpacePolicies(const std::map<std::string, int>& policies);

 private:
  struct Known {
    ServedRegionPtr region;
    std::chrono::nanoseconds since;
  };

  Status LoadTable(const TableName& name);
  ServedRegionPtr FindFresh(const std::string& encoded_name);
  rpc::RemoteError NotServing(ByteView region_name) const;

  engine::Engine* const store_;
  const std::string server_name_;
  const api::Attributes configuration_;
  mutable Mutex mu_;
  std::unordered_map<std::string, Known> known_ GUARDED_BY(mu_);  // by encoded name
  std::unordered_map<std::string, std::shared_ptr<RegionCounters>> counters_ GUARDED_BY(mu_);
  // Of tables of which there was one; those that serve their regions look at them.
  std::map<std::string, std::shared_ptr<std::atomic<int>>> space_policies_ GUARDED_BY(mu_);
};

// The encoded name within a region's name; that of hbase:meta for names without one.
std::string EncodedNameOf(ByteView region_name);

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_REGIONS_H_
