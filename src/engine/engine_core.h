// EngineCore: what the connection, its tables and its admin share; owned by the connection.
#ifndef BENNU_SRC_ENGINE_ENGINE_CORE_H_
#define BENNU_SRC_ENGINE_ENGINE_CORE_H_

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/base/mutex.h"
#include "src/base/thread_pool.h"
#include "src/engine/maintenance.h"
#include "src/engine/open.h"
#include "src/engine/region/region.h"
#include "src/engine/root_layout.h"
#include "src/hfile/block_cache.h"
#include "src/wal/wal.h"

namespace bennu::engine {

using RegionList = std::vector<std::shared_ptr<Region>>;  // in key order, without gaps

// A table as it is now. Thread-safe; outlives its drop for those who hold it.
class TableEntry {
 public:
  TableEntry(const TableDescriptor& descriptor, RegionList regions)
      : name_(descriptor.name),
        descriptor_(descriptor),
        regions_(std::make_shared<const RegionList>(std::move(regions))) {}

  const TableName& name() const { return name_; }
  TableDescriptor descriptor() const {
    MutexLock lock(&mu_);
    return descriptor_;
  }
  void set_descriptor(const TableDescriptor& descriptor) {
    MutexLock lock(&mu_);
    descriptor_ = descriptor;
  }
  // Empty once the table was dropped.
  const RegionList& regions() const { return *regions_; }
  bool dropped() const { return dropped_.load(std::memory_order_acquire); }
  void set_dropped() { dropped_.store(true, std::memory_order_release); }
  bool disabled() const { return disabled_.load(std::memory_order_acquire); }
  void set_disabled(bool disabled) { disabled_.store(disabled, std::memory_order_release); }
  // OK, NotFound after a drop, FailedPrecondition while disabled.
  Status CheckUsable() const;

  // The region that holds 'row': an index into regions().
  size_t FindRegion(ByteView row) const;

 private:
  const TableName name_;
  mutable Mutex mu_;
  TableDescriptor descriptor_ GUARDED_BY(mu_);
  const std::shared_ptr<const RegionList> regions_;
  std::atomic<bool> dropped_{false};
  std::atomic<bool> disabled_{false};
};

class EngineCore {
 public:
  EngineCore(const std::string& path, const EngineOptions& options);
  ~EngineCore();

  Status Open();
  Status Close();

  Result<std::shared_ptr<TableEntry>> FindTable(const TableName& name) const;
  std::vector<std::shared_ptr<TableEntry>> AllTables() const;
  std::vector<std::shared_ptr<Region>> AllRegions() const;
  void AddTable(std::shared_ptr<TableEntry> table);
  void RemoveTable(const TableName& name);

  // Opens the regions of a table, in parallel when there are many.
  Result<RegionList> OpenRegions(const TableDescriptor& descriptor,
                                 const std::vector<RegionInfo>& infos);
  // Writes rows of hbase:meta or hbase:namespace; the clock moves on first, so that a new row is
  // not hidden by an earlier deletion in the same millisecond.
  Status WriteCatalog(const TableName& name, MutationBatch* batch);
  std::shared_ptr<Region> CatalogRegion(const TableName& name) const;

  // After a write ended with 'status': closes the gate if the log is lost.
  void NoteWriteOutcome(const Status& status);

  const EngineOptions options;
  Env* const env;
  const RootLayout layout;

  // In the order of construction: each needs those before it.
  hfile::BlockCache block_cache;
  StoreClock clock;
  Mvcc mvcc{0};
  ReadPoints read_points{&mvcc};
  WriteGate gate;
  MemoryBudget memory;
  RegionServices services;
  std::unique_ptr<ThreadPool> query_pool;
  std::unique_ptr<Maintenance> maintenance;  // null in a store opened to read
  Mutex ddl_mu;                              // one change of the catalog at a time

 private:
  Status OpenOnce();
  Status FlushAll();
  Status OpenCatalog();
  Status OpenUserTables();
  Status OpenLog(uint64_t first_sequence_id);
  Status CleanOrphans();
  Status CleanNamespace(const std::string& name_space);
  void Forget();

  std::unique_ptr<DirectoryLock> lock_;
  std::unique_ptr<wal::Wal> wal_;
  mutable Mutex tables_mu_;
  std::map<TableName, std::shared_ptr<TableEntry>> tables_ GUARDED_BY(tables_mu_);
  bool closed_ = false;
  uint64_t replayed_edits_ = 0;

 public:
  uint64_t replayed_edits() const { return replayed_edits_; }
  const wal::Wal* wal() const { return wal_.get(); }
};

// A name below a table's directory that says: being dropped, and the catalog may not know it any
// more.
inline constexpr std::string_view kDroppingMark = ".dropping";

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_ENGINE_CORE_H_
