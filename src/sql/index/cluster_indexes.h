// ClusterIndexes: indexes of tables in a cluster, kept in step by whoever does it there:
//
//   servers of Bennu                       do so themselves, whoever writes
//   Phoenix's IndexRegionObserver          does so for mutations that say which indexes there are;
//                                          but global indexes of immutable tables each client
//   nobody, as in an HBase without Phoenix each client; here it is PhasedWrite
//
// All writers of such a table have to know its indexes. Who defines one waits for a while
// (Changed), and reads the table then. A write that is done within that time of the writer's look
// at the definitions is seen there. Whoever takes longer looks again when the write is done. If
// there is an index by then that it did not know, its rows may be of what the table's rows were
// before: all of them lose the mark, and the rows that were written get theirs. The same goes for
// an index that was emptied and filled again meanwhile. A table's UPDATE_CACHE_FREQUENCY comes on
// top of the waiting.
//
// Thread-safe.
#ifndef BENNU_SRC_SQL_INDEX_CLUSTER_INDEXES_H_
#define BENNU_SRC_SQL_INDEX_CLUSTER_INDEXES_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/mutation.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/base/mutex.h"
#include "src/base/status_macros.h"
#include "src/base/thread_annotations.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/features.h"
#include "src/sql/index/index_keeper.h"
#include "src/sql/index/index_maintainer.h"
#include "src/sql/index/phased_write.h"
#include "src/sql/index/phoenix_local_build.h"

namespace bennu::sql::index {

// What does not change: it is asked until it is known, and remembered. Thread-safe.
template <typename T>
class AskedOnce {
 public:
  explicit AskedOnce(std::function<Result<T>()> ask) : ask_(std::move(ask)) {}

  Result<T> Get() EXCLUDES(mu_) {
    {
      MutexLock lock(&mu_);
      if (answer_.has_value()) return *answer_;
    }
    ASSIGN_OR_RETURN(const T answer, ask_());
    MutexLock lock(&mu_);
    answer_ = answer;
    return answer;
  }

 private:
  const std::function<Result<T>()> ask_;
  Mutex mu_;
  std::optional<T> answer_ GUARDED_BY(mu_);
};

class ClusterIndexes : public IndexKeeper {
 public:
  struct Options {
    std::chrono::milliseconds trust{250};  // how long definitions count as known before a write
    // How long a table of which Phoenix's servers keep the indexes counts as one. The classes go
    // only if somebody takes them away, while they can come at any time.
    std::chrono::milliseconds trust_classes{10'000};
    std::chrono::milliseconds wait{1000};  // of who defines; three quarters of it for a write
    // Of who fills an index where Phoenix's clients write too: they look at definitions before they
    // write, and never again. Theirs wait for as long.
    std::chrono::milliseconds wait_for_phoenix{5000};
  };
  // What is asked of the cluster beside the data API. The answers of the first and the last are
  // remembered.
  struct Servers {
    // Whether they keep indexes themselves.
    std::function<Result<bool>()> keep_indexes;
    OpenAttributedScanner open_scanner;
    // Of Phoenix on the servers, as major << 16 | minor << 8 | patch.
    std::function<Result<int32_t>()> phoenix_version;
  };

  // 'connection' must outlive this.
  ClusterIndexes(Connection* connection, const catalog::Features& features, Servers servers,
                 const Options& options)
      : connection_(connection),
        features_(features),
        servers_keep_(std::move(servers.keep_indexes)),
        open_scanner_(std::move(servers.open_scanner)),
        phoenix_version_(std::move(servers.phoenix_version)),
        options_(options) {}
  ClusterIndexes(Connection* connection, const catalog::Features& features, Servers servers)
      : ClusterIndexes(connection, features, std::move(servers), Options()) {}

  // Table::Write and CheckAndWrite with all that it means for the table's indexes. The batch has
  // each row once. Errors also as CheckWrites and PhasedWrite.
  Status Write(Table* table, MutationBatch* batch);
  Result<bool> WriteIf(Table* table, const Table::Condition& condition, MutationBatch* batch);
  // Writes a row of the table as it is once more, and whatever the indexes have of it. False: the
  // row has no empty column.
  Result<bool> Touch(Table* table, const catalog::TableMeta& meta, const Bytes& row);

  using IndexKeeper::Changed;
  // Waits until every writer knows.
  Status Changed(const TableName& table) override;
  Status StateChanged(const TableName& table) override;
  Result<int64_t> Build(const std::shared_ptr<const catalog::TableMeta>& table,
                        const std::shared_ptr<const catalog::TableMeta>& index,
                        const Progress& progress) override;
  // Of indexes that have their rows among those of others.
  bool MendsInPlace(const catalog::TableMeta& index) const override {
    return index.shares_its_table();
  }
  Result<int64_t> Mend(const std::shared_ptr<const catalog::TableMeta>& table,
                       const std::shared_ptr<const catalog::TableMeta>& index,
                       const Progress& progress) override;
  Status CheckWrites(const catalog::TableMeta& table) override;
  Status CheckWork(const catalog::TableMeta& table, const IndexWork& work) override;

 private:
  enum class Keeper : uint8_t { kServers, kPhoenix, kClients };
  // Of a table, as it was looked up. Immutable.
  struct Known {
    Keeper keeper = Keeper::kClients;
    uint64_t keeper_nanos = 0;                        // when the servers were asked
    std::shared_ptr<const catalog::TableMeta> table;  // null: no table of SQL
    std::vector<std::shared_ptr<const plan::IndexDefinition>> definitions;  // of all indexes
    IndexTargets phased;  // those of them that PhasedWrite keeps
    Bytes description;    // of the others, which Phoenix's servers keep; empty: there are none
    ColumnSet included;   // in those others
    Status refusal;       // of writes
    uint64_t looked_nanos = 0;
  };
  using KnownPtr = std::shared_ptr<const Known>;

  Result<catalog::Catalog*> OpenCatalog() EXCLUDES(mu_);
  Result<Keeper> KeeperOf(const TableName& table);
  // As it was at most options_.trust ago.
  Result<KnownPtr> Know(const TableName& table) EXCLUDES(mu_);
  Result<KnownPtr> Look(const TableName& table) EXCLUDES(mu_);
  // Whatever its age. Null: it was not looked up, or was forgotten.
  KnownPtr Remembered(const TableName& table) EXCLUDES(mu_);
  void Forget(const TableName& table) EXCLUDES(mu_);
  // Of a time of Env's monotonic clock.
  static bool IsRecent(uint64_t nanos, std::chrono::milliseconds age);
  // Sets who keeps which index, and the refusal.
  Status Divide(Known* known);
  static Status RefusalOf(const Known& known);
  // Runs 'write' with what is known of the table, and again when an index has gone meanwhile, and
  // sees to the indexes that have come.
  struct Rows {  // of a batch
    const MutationBatch& batch;
    size_t begin = 0;
    size_t end = 0;
  };
  Status WithIndexes(Table* table, const Rows& rows,
                     const std::function<Status(const Known&)>& write);
  Status WriteRows(Table* table, const Known& known, const Rows& rows, MutationBatch* batch);
  std::unique_ptr<PhasedWrite> Phased(Table* table, const Known& known) const;
  // The batch as the table's servers want it, which is *described if it is another one.
  static MutationBatch* Described(const Known& known, MutationBatch* batch,
                                  MutationBatch* described);
  Status AddMissed(Table* table, const Known& known, const Rows& rows);
  // Whether who knew the one has written all that the other one has to have.
  bool HasKnown(const Known& known, const catalog::TableMeta& index) const;
  class Filler;
  static Status MarkAll(const catalog::TableMeta& index, Table* of_index);
  // Writes what the rows have in the index, as they are.
  static Status IndexRows(exec::IndexEncoder* encoder, std::span<const exec::TableRow> rows,
                          Table* index);

  Connection* const connection_;
  const catalog::Features features_;
  AskedOnce<bool> servers_keep_;
  const OpenAttributedScanner open_scanner_;
  AskedOnce<int32_t> phoenix_version_;
  const Options options_;
  Mutex mu_;
  // Its own, which looks at definitions again when this says so.
  std::unique_ptr<catalog::Catalog> catalog_ GUARDED_BY(mu_);
  std::map<TableName, KnownPtr> known_ GUARDED_BY(mu_);
};

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_CLUSTER_INDEXES_H_
