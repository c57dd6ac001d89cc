// What a write needs beside its batch: a place for what was found out about its cells, and the
// locks of its rows.
#ifndef BENNU_SRC_ENGINE_REGION_WRITE_SCRATCH_H_
#define BENNU_SRC_ENGINE_REGION_WRITE_SCRATCH_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "bennu/mutation.h"
#include "src/base/no_wait.h"
#include "src/engine/region/region_state.h"

namespace bennu::engine {

// What a cell takes in a memstore besides its bytes, as it is accounted for.
inline constexpr uint64_t kMemstoreCellOverheadBytes = 64;

inline constexpr uint64_t kNewestReadPoint = std::numeric_limits<uint64_t>::max();

// Kept per thread, so that nothing is allocated once the thread has seen a batch of that size.
struct WriteScratch {
  struct CellRef {
    uint64_t offset;  // in the batch's buffer
    uint32_t store;   // index in 'stores'
    bool latest;      // the store's clock is asked for
    bool follows;     // the cell before is of the same row and store, and of an earlier column
  };
  // Rows that come in order, a batch at a time, go behind each other in the memstore.
  struct KeptHint {
    uint64_t memstore_id = 0;  // of the memstore that 'hint' is of
    MemStore::InsertHint hint;
    size_t prefetched = 0;  // the cells before have been looked up

    void Start(const MemStore& memstore) {
      if (memstore.id() != memstore_id) hint.height = 0;
      hint.is_kept = memstore.id() == memstore_id;
      memstore_id = memstore.id();
      prefetched = 0;
    }
  };
  std::shared_ptr<const StoreSet> stores;
  std::vector<CellRef> cells;
  bool ascending = true;    // strictly, in each store
  bool latest = false;      // any
  uint64_t loads = 0;       // RowLockGuard::loads
  uint64_t generation = 0;  // RowLockGuard::generation
  uint64_t bytes = 0;
  uint64_t memstore_bytes() const { return bytes + cells.size() * kMemstoreCellOverheadBytes; }
  std::vector<ByteView> pieces;
  std::vector<bool> stores_left;  // by the row that is looked at, for another one
  std::vector<MemStore*> memstores;
  std::vector<KeptHint> hints;
};

// Holds the rows of a batch; 'rows' are indexes in key order, repeats allowed.
class RowLockGuard {
 public:
  RowLockGuard(const RegionState& region, const MutationBatch* batch,
               std::span<const uint32_t> rows)
      : locks_(region.row_locks.get()),
        batch_(batch),
        rows_(rows),
        loads_(region.loads.load()),
        generation_(region.services->wal == nullptr ? 0 : region.services->wal->generation()) {
    ForEachRow([this](ByteView row) {
      if (!refused_ && locks_->Lock(row)) {
        ++locked_;
      } else {
        refused_ = true;
      }
    });
  }
  ~RowLockGuard() { Unlock(); }
  RowLockGuard(const RowLockGuard&) = delete;
  RowLockGuard& operator=(const RowLockGuard&) = delete;

  // The region's bulk loads when the rows were locked; they take no row locks.
  uint64_t loads() const { return loads_; }
  // Likewise the log's; what is read under the locks may be given up later (Wal::generation).
  uint64_t generation() const { return generation_; }

  // Not OK only in a NoWaitScope: another has one of the rows.
  Status status() const { return refused_ ? WouldWait() : Status::Ok(); }

  void Unlock() {
    if (locks_ == nullptr) return;
    ForEachRow([this](ByteView row) {
      if (locked_ == 0) return;
      --locked_;
      locks_->Unlock(row);
    });
    locks_ = nullptr;
  }

 private:
  template <typename Body>
  void ForEachRow(Body body) {
    ByteView previous;
    for (const uint32_t index : rows_) {
      const ByteView row = batch_->row_key(batch_->rows()[index]);
      if (row != previous) body(row);
      previous = row;
    }
  }

  RowLocks* locks_;
  size_t locked_ = 0;  // of the rows, the first ones
  bool refused_ = false;
  const MutationBatch* const batch_;
  const std::span<const uint32_t> rows_;
  const uint64_t loads_;
  const uint64_t generation_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_WRITE_SCRATCH_H_
