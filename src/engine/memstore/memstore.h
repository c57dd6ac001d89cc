// MemStore: cells in memory in HBase's order, on an arena.
//
// Thread safety: Add from any number of threads at once, beside any number of iterators; nothing
// takes a lock. Cells are never removed; all memory goes when the memstore does (whoever reads
// holds it by shared_ptr).
// Invariants: a cell's bytes are complete before it is linked, so an iterator never sees half of
// one.
#ifndef BENNU_SRC_ENGINE_MEMSTORE_MEMSTORE_H_
#define BENNU_SRC_ENGINE_MEMSTORE_MEMSTORE_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "bennu/cell.h"
#include "src/base/arena.h"
#include "src/engine/memstore/skip_list.h"

namespace bennu::engine {

class MemStore {
 public:
  using InsertHint = SkipList::Splice;

  // 'meta_order': sort rows as hbase:meta does.
  explicit MemStore(bool meta_order = false);
  MemStore(const MemStore&) = delete;
  MemStore& operator=(const MemStore&) = delete;

  // Copies 'cell' in under 'sequence_id'. Two cells must differ in key or sequence id; an exact
  // repeat (replay of a log) is ignored.
  void Add(const Cell& cell, uint64_t sequence_id, InsertHint* hint);

  // Moves over the cells in order. Valid as long as the memstore; sees cells added meanwhile.
  class Iterator {
   public:
    explicit Iterator(const MemStore* memstore) : list_(&memstore->list_) {}
    bool Valid() const { return node_ != nullptr; }
    const Cell& cell() const { return cell_; }
    void SeekToFirst() { Set(list_->First()); }
    // First cell at or after (flat key, sequence id); ids sort descending, so pass UINT64_MAX.
    void Seek(ByteView flat_key, uint64_t sequence_id) { Set(list_->Seek(flat_key, sequence_id)); }
    // Last cell before the given one, for reversed scans.
    void SeekBefore(ByteView flat_key, uint64_t sequence_id) {
      Set(list_->SeekBefore(flat_key, sequence_id));
    }
    void Next() { Set(SkipList::Next(node_)); }

   private:
    void Set(const SkipList::Node* node) {
      node_ = node;
      if (node != nullptr) node->FillCell(&cell_);
    }
    const SkipList* list_;
    const SkipList::Node* node_ = nullptr;
    Cell cell_;
  };

  bool empty() const { return list_.First() == nullptr; }
  // Of cells: 0 while empty.
  uint64_t used_bytes() const { return arena_.used_bytes() - empty_bytes_; }
  // Bounds over all cells; only grow. Meaningless while empty.
  int64_t min_timestamp() const { return min_timestamp_.load(std::memory_order_relaxed); }
  int64_t max_timestamp() const { return max_timestamp_.load(std::memory_order_relaxed); }
  uint64_t max_sequence_id() const { return max_sequence_id_.load(std::memory_order_relaxed); }
  bool has_tags() const { return has_tags_.load(std::memory_order_relaxed); }
  // At most 'count' - 1 rows, ascending, strictly inside (start, stop), that cut it into parts of
  // about equally many cells. Empty bounds are open.
  std::vector<Bytes> SplitRows(size_t count, ByteView start, ByteView stop) const;

 private:
  ConcurrentArena arena_;
  SkipList list_;
  const uint64_t empty_bytes_;  // of the list's head
  std::atomic<bool> has_tags_{false};
  std::atomic<int64_t> min_timestamp_;
  std::atomic<int64_t> max_timestamp_;
  std::atomic<uint64_t> max_sequence_id_{0};
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_MEMSTORE_MEMSTORE_H_
