// A cluster of scripted servers with one table "t" of one family "f", whose regions move, split and
// merge as a test says. Left alone it answers as HBase's servers do; a test can look at each call
// first and answer it otherwise, and can cut the answers of scans.
#ifndef BENNU_TESTS_CLIENT_SCRIPTED_CLUSTER_H_
#define BENNU_TESTS_CLIENT_SCRIPTED_CLUSTER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/table.h"
#include "proto/admin.pb.h"
#include "proto/client.pb.h"
#include "src/base/mutex.h"
#include "src/client/connect.h"
#include "tests/client/scripted_server.h"

namespace bennu::client {

// What names of HBase's exceptions begin with.
inline constexpr char kHBase[] = "org.apache.hadoop.hbase.";
// The table of the cluster.
const TableName& TestTable();
// Rows in order of their numbers.
inline Bytes RowOf(int number) { return std::to_string(10'000 + number); }

class ScriptedCluster {
 public:
  static constexpr uint64_t kStartCode = 1700000000000;  // of the first server; of others later

  struct Region {
    RegionInfo info;
    size_t server = 0;
  };
  // A call of a region's ClientService.
  struct Call {
    size_t server;
    const Received& received;
  };
  // An answer instead of the usual one. It runs without locks, and may change the cluster.
  using Hook = std::function<std::optional<Reply>(const Call&)>;
  // How many cells the next answer of a scan may have; 0: none, as a heartbeat.
  using CellsMax = std::function<size_t()>;

  // All regions are on server 0, which is the master as well.
  ScriptedCluster(size_t servers, const std::vector<Bytes>& split_keys);
  ~ScriptedCluster();

  ClientOptions options() const;
  std::shared_ptr<Table> Open(const ClientOptions& options);

  // ---- the table
  void Put(const Bytes& row, const Bytes& qualifier);
  // All cells, as "row/qualifier", in order.
  std::vector<std::string> Cells() const;
  void Move(const Bytes& row, size_t server);
  void Split(const Bytes& key);
  // The region of the row and the next one, if there is one.
  void Merge(const Bytes& row);
  size_t ServerOf(const Bytes& row) const;
  // Each region has so many secondary replicas, on the servers behind that of its primary. They
  // have what the primary has, and what they tell is called stale.
  void SetReplicas(size_t count);

  // ---- the script
  void SetHook(Hook hook);
  void SetCellsMax(CellsMax cells_max);
  // Regions have AggregateService, and count rows by it. Otherwise they do not know it.
  void SetCounts(bool counts);
  // The next so many answers about a region say that it has references.
  void SetReferences(int answers);
  // Scanners are forgotten, as if their leases had run out.
  void ForgetScanners();
  Connection* connection() { return connection_.get(); }  // that Open made last
  ScriptedServer* server(size_t index) { return servers_[index].get(); }

  // ---- what was seen
  int Count(const std::string& method) const;  // calls of the master and the table's regions
  int closes() const;                          // of scans' calls those that closed a scanner
  int meta_scans() const;
  size_t open_scanners() const;
  // Waits until as many calls of the method have come; false after a very long time.
  bool AwaitCalls(const std::string& method, int count) const;
  std::vector<uint64_t> nonces() const;  // of increments that were carried out

 private:
  struct OpenScan {
    Bytes region;
    pb::Scan scan;
    std::vector<std::pair<Bytes, Bytes>> cells;  // to come
    uint64_t next_call = 0;
  };

  Reply Answer(size_t server, const Received& received);
  Reply AnswerMaster(const Received& received) const;
  Reply AnswerMeta(const Received& received);
  Reply ScanMeta(const pb::ScanRequest& request) REQUIRES(mu_);
  Reply AnswerScan(size_t server, const pb::ScanRequest& request) REQUIRES(mu_);
  Reply AnswerMulti(size_t server, const Received& received) REQUIRES(mu_);
  Reply AnswerGet(size_t server, const pb::GetRequest& request) REQUIRES(mu_);
  Reply AnswerCount(size_t server, const pb::CoprocessorServiceRequest& request) REQUIRES(mu_);
  Reply AnswerRegionInfo(size_t server, const pb::GetRegionInfoRequest& request) REQUIRES(mu_);
  Reply FillScan(OpenScan* scan, const pb::ScanRequest& request, pb::ScanResponse* response)
      REQUIRES(mu_);
  void OpenScanOf(const Region& region, const pb::ScanRequest& request, OpenScan* scan) const
      REQUIRES(mu_);
  // The region's name, and behind it those of its secondary replicas.
  Bytes NameOf(const Region& region, size_t replica) const;
  // Why the server does not have the region, or the replica, of this name; nothing if it does.
  std::optional<Reply> NotThere(size_t server, const Bytes& region, const Region** found) const
      REQUIRES(mu_);
  const Region& At(const Bytes& row) const REQUIRES(mu_);
  RegionInfo NewRegion(const Bytes& start, const Bytes& end) REQUIRES(mu_);
  Bytes MetaCells(const Region& region) const REQUIRES(mu_);

  mutable Mutex mu_;
  mutable CondVar called_;
  std::map<Bytes, Region> regions_ GUARDED_BY(mu_);  // by start key
  std::map<Bytes, size_t> moved_ GUARDED_BY(mu_);    // region names to servers
  std::map<Bytes, std::set<Bytes>> rows_ GUARDED_BY(mu_);
  std::map<uint64_t, OpenScan> scans_ GUARDED_BY(mu_);
  uint64_t last_id_ GUARDED_BY(mu_) = 1000;
  Hook hook_ GUARDED_BY(mu_);
  CellsMax cells_max_ GUARDED_BY(mu_);
  bool counts_ GUARDED_BY(mu_) = false;
  int references_ GUARDED_BY(mu_) = 0;
  size_t replicas_ GUARDED_BY(mu_) = 0;
  std::map<std::string, int> calls_ GUARDED_BY(mu_);
  int closes_ GUARDED_BY(mu_) = 0;
  int meta_scans_ GUARDED_BY(mu_) = 0;
  std::vector<uint64_t> nonces_ GUARDED_BY(mu_);
  std::vector<std::unique_ptr<ScriptedServer>> servers_;
  std::unique_ptr<ClusterConnection> connection_;
};

}  // namespace bennu::client

#endif  // BENNU_TESTS_CLIENT_SCRIPTED_CLUSTER_H_
