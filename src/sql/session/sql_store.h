// SqlStore: what all sessions of an open store share: the catalog, the write clock, the planner.
#ifndef BENNU_SRC_SQL_SESSION_SQL_STORE_H_
#define BENNU_SRC_SQL_SESSION_SQL_STORE_H_

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/base/mutex.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/exec/memory_pool.h"
#include "src/sql/exec/query.h"
#include "src/sql/exec/spill.h"
#include "src/sql/session/index_build_meter.h"
#include "src/sql/session/index_builds.h"
#include "src/sql/session/sequences.h"
#include "src/sql/session/statements.h"
#include "src/sql/session/write_clock.h"

namespace bennu::sql::index {
class ClusterIndexes;
class IndexKeeper;
}  // namespace bennu::sql::index

namespace bennu::sql::session {

// Binds and plans a SELECT; exec::PrepareQuery, or a stand-in of a test.
using PrepareQueryFunction = std::function<Result<std::unique_ptr<exec::PreparedQuery>>(
    const parse::Select& select, const exec::PrepareContext& context)>;

// Thread-safe.
class SqlStore {
 public:
  // 'connection' must outlive this.
  static Result<std::unique_ptr<SqlStore>> Open(Connection* connection,
                                                PrepareQueryFunction prepare_query,
                                                const catalog::Features& features = {});

  // Gives back the values of sequences that were reserved and not used.
  ~SqlStore();

  Connection* connection() const { return connection_; }
  catalog::Catalog* catalog() const { return catalog_.get(); }
  WriteClock* write_clock() { return &write_clock_; }
  Sequences* sequences() { return &sequences_; }
  Statements* statements() { return &statements_; }
  const PrepareQueryFunction& prepare_query() const { return prepare_query_; }
  // What one query may use, and all together; set before sessions are opened.
  void set_query_memory_bytes(size_t bytes) { query_memory_bytes_ = bytes; }
  size_t query_memory_bytes() const { return query_memory_bytes_; }
  void set_all_queries_memory_bytes(uint64_t bytes) {
    memory_pool_ = std::make_unique<exec::MemoryPool>(bytes);
  }
  exec::MemoryPool* memory_pool() const { return memory_pool_.get(); }  // null: no bound
  // Where queries put what has no room in memory; set before sessions are opened. Without it they
  // fail then.
  void set_spill_directory(Env* env, std::string directory) {
    spill_ = std::make_unique<exec::SpillSpace>(env, std::move(directory));
  }
  exec::SpillSpace* spill() const { return spill_.get(); }
  // Who keeps indexes in step with their tables; must outlive this. Set before sessions are opened;
  // without it indexes are neither made nor kept up, and tables that have some are not written.
  void set_indexes(index::IndexKeeper* indexes) { indexes_ = indexes; }
  index::IndexKeeper* indexes() const { return indexes_; }
  // The same of a cluster, where writes go through it.
  void set_cluster_indexes(index::ClusterIndexes* indexes);
  index::ClusterIndexes* cluster_indexes() const { return cluster_indexes_; }  // null: no cluster
  // Connects once more, to give back what is left of sequences when this ends: by a connection that
  // does not wait for long, where connection() does. Set before sessions are opened.
  using Reconnect = std::function<Result<std::unique_ptr<Connection>>()>;
  void set_reconnect(Reconnect reconnect) { reconnect_ = std::move(reconnect); }
  // Who is told of indexes that are built. Set before sessions are opened, for one that outlives
  // this store; otherwise it is the store's own.
  void set_index_build_meter(std::shared_ptr<IndexBuildMeter> meter) {
    index_build_meter_ = std::move(meter);
  }
  IndexBuildMeter* index_build_meter() const { return index_build_meter_.get(); }
  // What the meter is told when one begins.
  RunningIndexBuild BeginningBuild(const catalog::TableMeta& table, const catalog::TableMeta& index,
                                   bool in_background) const;
  // Indexes that are to be built are built in the background from now on. After set_indexes.
  void StartIndexBuilds();
  IndexBuilds* index_builds() const { return index_builds_.get(); }  // null: not started
  // The lock that stands for a row, shared with other rows by chance: hold one at a time.
  Mutex* RowLock(ByteView row) {
    return &row_locks_[std::hash<ByteView>()(row) % row_locks_.size()];
  }

 private:
  SqlStore(Connection* connection, std::unique_ptr<catalog::Catalog> catalog,
           PrepareQueryFunction prepare_query)
      : connection_(connection),
        catalog_(std::move(catalog)),
        write_clock_(connection),
        sequences_(connection, catalog_.get()),
        prepare_query_(std::move(prepare_query)) {}

  Connection* const connection_;
  const std::unique_ptr<catalog::Catalog> catalog_;
  WriteClock write_clock_;
  Sequences sequences_;
  Statements statements_;
  const PrepareQueryFunction prepare_query_;
  size_t query_memory_bytes_ = exec::kQueryMemoryBytesMax;
  std::unique_ptr<exec::MemoryPool> memory_pool_;
  std::unique_ptr<exec::SpillSpace> spill_;
  std::shared_ptr<IndexBuildMeter> index_build_meter_ = std::make_shared<IndexBuildMeter>();
  Reconnect reconnect_;  // null: connection_ does
  index::IndexKeeper* indexes_ = nullptr;
  index::ClusterIndexes* cluster_indexes_ = nullptr;
  std::array<Mutex, 64> row_locks_;
  std::unique_ptr<IndexBuilds> index_builds_;  // uses all the others, and ends first
};

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_SQL_STORE_H_
