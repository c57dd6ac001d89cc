// MemStore: cells in memory in HBase's order, on an arena: a skip list that grows, or flat, a
// sorted array that is made once (HBase's CellArrayMap).
//
// Thread safety: Add from any number of threads at once, beside any number of iterators; nothing
// takes a lock. Cells are never removed; all memory goes when the memstore does (whoever reads
// holds it by shared_ptr). Iterators leave out cells of writes that were given up before they were
// made (given_up_ids.h).
// A flat one is filled by one thread before others see it.
// Invariants: a cell's bytes are complete before it is linked, so an iterator never sees half of
// one.
#ifndef BENNU_SRC_ENGINE_MEMSTORE_MEMSTORE_H_
#define BENNU_SRC_ENGINE_MEMSTORE_MEMSTORE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bennu/cell.h"
#include "src/base/arena.h"
#include "src/engine/memstore/given_up_ids.h"
#include "src/engine/memstore/skip_list.h"

namespace bennu::engine {

class MemStore {
 public:
  using InsertHint = SkipList::Splice;

  // 'meta_order': sort rows as hbase:meta does. 'given_up' must outlive this; null: there are none.
  explicit MemStore(bool meta_order = false, const GivenUpIds* given_up = nullptr);
  MemStore(const MemStore&) = delete;
  MemStore& operator=(const MemStore&) = delete;

  // Copies 'cell' in under 'sequence_id'. Two cells must differ in key or sequence id; an exact
  // repeat (replay of a log) is ignored.
  void Add(const Cell& cell, uint64_t sequence_id, InsertHint* hint);
  // The same for a cell that is of the row of the one added last with 'hint', and sorts behind it.
  void AddNext(const Cell& cell, uint64_t sequence_id, InsertHint* hint);

  // See SkipList: before many cells are added at places far from each other.
  static constexpr size_t kPrefetchMax = SkipList::kPrefetchMax;
  static bool IsFarApart(const InsertHint& hint) { return SkipList::IsFarApart(hint); }
  void Prefetch(std::span<const ByteView> flat_keys, const InsertHint& hint) const {
    list_.Prefetch(flat_keys, hint);
  }

  // Adds a cell behind all others of a flat memstore.
  void AppendFlat(const Cell& cell);
  // All cells of the parts, flat. The parts stay as they are.
  static std::shared_ptr<MemStore> Flatten(std::span<const std::shared_ptr<MemStore>> parts,
                                           bool meta_order, const GivenUpIds* given_up = nullptr);
  bool is_flat() const { return !flat_.empty(); }
  // No two memstores of the process have the same, so that a hint can be told to be of this one.
  uint64_t id() const { return id_; }

  // Moves over the cells in order. Valid as long as the memstore; sees cells added meanwhile.
  class Iterator {
   public:
    explicit Iterator(const MemStore* memstore)
        : list_(&memstore->list_),
          flat_(memstore->flat_),
          given_up_(memstore->given_up_ == nullptr ? nullptr : memstore->given_up_->newest()) {}
    bool Valid() const { return node_ != nullptr; }
    const Cell& cell() const { return cell_; }
    void SeekToFirst() {
      flat_.empty() ? Set(list_->First()) : StandAt(0);
      SkipGivenUp();
    }
    // First cell at or after (flat key, sequence id); ids sort descending, so pass UINT64_MAX.
    void Seek(ByteView flat_key, uint64_t sequence_id) {
      flat_.empty() ? Set(list_->Seek(flat_key, sequence_id))
                    : StandAt(list_->LowerBound(flat_, flat_key, sequence_id));
      SkipGivenUp();
    }
    // Last cell before the given one, for reversed scans.
    void SeekBefore(ByteView flat_key, uint64_t sequence_id) {
      StandBefore(flat_key, sequence_id);
      if (given_up_ == nullptr) [[likely]]
        return;
      while (node_ != nullptr && GivenUpIds::Contain(given_up_, node_->sequence_id)) {
        StandBefore(node_->flat_key(), node_->sequence_id);
      }
    }
    void Next() {
      Step();
      SkipGivenUp();
    }

   private:
    friend class MemStore;
    void Step() { flat_.empty() ? Set(SkipList::Next(node_)) : StandAt(at_ + 1); }
    void SkipGivenUp() {
      if (given_up_ == nullptr) [[likely]]
        return;
      while (node_ != nullptr && GivenUpIds::Contain(given_up_, node_->sequence_id)) Step();
    }
    void StandBefore(ByteView flat_key, uint64_t sequence_id) {
      if (flat_.empty()) return Set(list_->SeekBefore(flat_key, sequence_id));
      const size_t at = list_->LowerBound(flat_, flat_key, sequence_id);
      at == 0 ? Set(nullptr) : StandAt(at - 1);
    }
    void StandAt(size_t at) {
      at_ = at;
      Set(at < flat_.size() ? flat_[at] : nullptr);
    }
    void Set(const SkipList::Node* node) {
      node_ = node;
      if (node != nullptr) node->FillCell(&cell_);
    }
    const SkipList* list_;
    std::span<const SkipList::Node* const> flat_;  // empty: the list
    size_t at_ = 0;                                // in flat_
    const GivenUpIds::Range* given_up_;
    const SkipList::Node* node_ = nullptr;
    Cell cell_;
  };

  // Cells of writes that were given up count.
  bool empty() const { return flat_.empty() && list_.First() == nullptr; }
  // Of cells: 0 while empty.
  uint64_t used_bytes() const {
    return arena_.used_bytes() - empty_bytes_ + flat_.size() * sizeof(flat_[0]);
  }
  // Bounds over all cells; only grow. Meaningless while empty.
  int64_t min_timestamp() const { return min_timestamp_.load(std::memory_order_relaxed); }
  int64_t max_timestamp() const { return max_timestamp_.load(std::memory_order_relaxed); }
  uint64_t max_sequence_id() const { return max_sequence_id_.load(std::memory_order_relaxed); }
  bool has_tags() const { return has_tags_.load(std::memory_order_relaxed); }
  // At most 'count' - 1 rows, ascending, strictly inside (start, stop), that cut it into parts of
  // about equally many cells. Empty bounds are open.
  std::vector<Bytes> SplitRows(size_t count, ByteView start, ByteView stop) const;

 private:
  void Cover(const Cell& cell, uint64_t sequence_id);

  const uint64_t id_;
  const GivenUpIds* const given_up_;
  ConcurrentArena arena_;
  SkipList list_;
  const uint64_t empty_bytes_;               // of the list's head
  std::vector<const SkipList::Node*> flat_;  // sorted; the list is empty then
  std::atomic<bool> has_tags_{false};
  std::atomic<int64_t> min_timestamp_;
  std::atomic<int64_t> max_timestamp_;
  std::atomic<uint64_t> max_sequence_id_{0};
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_MEMSTORE_MEMSTORE_H_
