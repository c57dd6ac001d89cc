// RegionState: what the parts of a region share. Who a region is, its stores, which phase of its
// life it is in, what its table's attributes say of writing, and the locks.
//
// Locks, in the order in which they are taken:
//   open_mu         an opening, or closing
//   flush_mu        a flush, or what must not meet one
//   compaction_mu   a compaction, or what must not meet one
//   row locks       a write of these rows
//   update_mu       shared: a write between its log entry and its last memstore cell;
//                   exclusive: the switch of memstores, a change of the stores or of the phase
//   those of log, Mvcc and stores
// stores_mu and phase_mu are held for a look at one value; under them only a store is asked.
#ifndef BENNU_SRC_ENGINE_REGION_REGION_STATE_H_
#define BENNU_SRC_ENGINE_REGION_REGION_STATE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/mutation.h"
#include "bennu/status.h"
#include "src/base/mutex.h"
#include "src/engine/region/memstore_account.h"
#include "src/engine/region/region_services.h"
#include "src/engine/region/row_locks.h"
#include "src/engine/region/store_set.h"
#include "src/wal/wal.h"

namespace bennu::engine {

struct RegionPaths {
  std::string directory;          // <root>/data/<ns>/<table>/<encoded>
  std::string archive_directory;  // <root>/archive/data/<ns>/<table>/<encoded>
};

// In the order of a region's life, though a settled or frozen one may be open again.
enum class RegionPhase {
  kOpen,
  kSettled,  // no compaction begins any more
  kFrozen,   // writers wait
  kMoved,    // the rows are other regions'
  kClosed,
};

// What the table's attributes and the configuration say of a region's writes and compactions. Read
// by writers, set when the table is altered; one write under the old value is fine.
struct RegionSettings {
  std::atomic<int64_t> cell_bytes_max{0};  // hbase.server.keyvalue.maxsize; 0 or less: no limit
  std::atomic<Durability> durability{Durability::kUseDefault};
  std::atomic<bool> read_only{false};          // READONLY
  std::atomic<bool> compaction_enabled{true};  // COMPACTION_ENABLED
};

struct RegionState {
  // 'region': the whole, whom RegionHost is told of. 'services' must outlive this.
  RegionState(Region* region, const RegionServices* services, const RegionPaths& paths,
              const RegionInfo& info, bool read_only);

  // One of the tables that the store itself keeps, which no limit of sizes may stop.
  bool IsOfSystem() const { return info.table.name_space == "hbase"; }

  RegionPhase phase() const { return current_phase.load(std::memory_order_acquire); }
  bool accepts_writes() const { return phase() <= RegionPhase::kSettled; }
  // Its rows are not written here any more.
  bool is_gone() const { return phase() >= RegionPhase::kMoved; }
  // Waits for the writes that are under way.
  void SetPhase(RegionPhase phase);
  // Returns when the region is not frozen any more. An error only in a NoWaitScope.
  Status WaitWhileFrozen();

  // Without a store while the region is not open.
  std::shared_ptr<const StoreSet> stores() const {
    MutexLock lock(&stores_mu);
    return current_stores;
  }
  // Under update_mu, shared or not: whether the stores are still these.
  bool HasStores(const std::shared_ptr<const StoreSet>& stores) const {
    return current_stores == stores;
  }
  // Under update_mu, exclusive, and stores_mu.
  void SetStores(std::shared_ptr<const StoreSet> stores);
  void SetObserver(std::shared_ptr<api::WriteObserver> observer, bool known);

  // What appends one of the region's own entries (region_markers.h), a cell that must outlive it.
  wal::AppendRequest MarkerRequest(const ByteView* cell) const;
  // Appends such an entry. 'sync': returns when it is durable.
  Status LogMarker(const Bytes& cell, bool sync);
  // Appends the entry that tells of the region's opening or closing, and does not wait for a sync.
  Status LogRegionEvent(bool is_opening);

  Region* const region;
  const RegionServices* const services;
  const RegionPaths paths;
  const RegionInfo info;
  const std::string encoded_name;
  const std::string table_text;  // "ns:table" as the log names it
  const bool is_meta;
  const bool read_only;  // the store is

  // Set by the opening, once, 'opened' last. The log may come later.
  std::atomic<bool> opened{false};
  std::unique_ptr<RowLocks> row_locks;
  int64_t opened_at_millis = 0;
  wal::WalRegion* wal_region = nullptr;  // null while there is no log

  RegionSettings settings;
  MemstoreAccount memstores;

  Mutex open_mu;
  Mutex flush_mu;
  Mutex compaction_mu;
  mutable std::shared_mutex update_mu;
  mutable Mutex stores_mu;
  mutable Mutex phase_mu;

  CondVar phase_changed;
  std::atomic<RegionPhase> current_phase{RegionPhase::kOpen};  // see SetPhase
  std::shared_ptr<const StoreSet> current_stores;              // see SetStores
  // The stores say who observes writes. Written with them; a stale value is found out about when
  // the write looks at them.
  std::atomic<bool> observer_known{false};
  uint64_t observer_changes GUARDED_BY(stores_mu) = 0;
  // Bulk loads so far. Written under update_mu (exclusive): what a write read before one it must
  // read again.
  std::atomic<uint64_t> loads{0};
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_REGION_STATE_H_
