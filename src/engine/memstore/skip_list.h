// SkipList: cells in HBase's order; many writers and readers at once, no lock, no removal.
//
// Towers have a random height (one in four cells rises a level). An insert finds its neighbours on
// every level, then links bottom-up by compare-and-swap; readers that meet a cell on level 0 see it
// whole. A Splice remembers the neighbours of the last insert, so a run of ascending cells costs a
// few comparisons each instead of a walk from the head; one that is kept from an earlier run does
// so where its cells come right behind that run's. Further cells of a row cost none, as long as the
// row's end is known (InsertNext). Where ascending cells go to places far apart, as those of an
// index do, the nodes that they will meet are fetched for many of them at once (Prefetch).
//
// Thread safety: Insert and all reads may run at once. Memory comes from an arena that must outlive
// the list.
#ifndef BENNU_SRC_ENGINE_MEMSTORE_SKIP_LIST_H_
#define BENNU_SRC_ENGINE_MEMSTORE_SKIP_LIST_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "bennu/cell.h"
#include "src/base/arena.h"

namespace bennu::engine {

class SkipList {
 public:
  static constexpr int kMaxHeight = 12;  // 4^12 cells: more than a memstore ever holds

  // One cell. The tower of 'height' next pointers, then key, value and tags follow in memory.
  struct Node {
    uint64_t sequence_id;
    uint32_t key_length;
    uint32_t value_length;
    uint16_t tags_length;
    uint8_t height;
    // First eight bytes of the row, big-endian: settles most comparisons. Beside the tower, so that
    // a search mostly needs one cache line of a node.
    uint64_t row_prefix;

    std::atomic<Node*>* tower() { return reinterpret_cast<std::atomic<Node*>*>(this + 1); }
    const std::atomic<Node*>* tower() const {
      return reinterpret_cast<const std::atomic<Node*>*>(this + 1);
    }
    char* bytes() { return reinterpret_cast<char*>(tower() + height); }
    const char* bytes() const { return reinterpret_cast<const char*>(tower() + height); }
    ByteView flat_key() const { return ByteView(bytes(), key_length); }
    void FillCell(Cell* cell) const {
      const char* start = bytes();
      cell->key = start;
      cell->value = start + key_length;
      cell->tags = cell->value + value_length;
      cell->sequence_id = sequence_id;
      cell->key_length = key_length;
      cell->value_length = value_length;
      cell->tags_length = tags_length;
    }
  };

  // Neighbours of the last insert, per level. Start each run of inserts with a default one, or with
  // that of an earlier run into the same list, with 'is_kept' set.
  struct Splice {
    int height = 0;
    bool is_kept = false;
    int climbed = 0;                  // levels that the last insert had to go up first
    Node* last = nullptr;             // what the last insert linked; null when it linked nothing
    const Node* later_row = nullptr;  // a node behind 'last' that is known to be of a later row
    Node* previous[kMaxHeight + 1];
    Node* next[kMaxHeight + 1];
  };

  // 'arena' must outlive this. 'meta_order': sort rows as hbase:meta does.
  SkipList(ConcurrentArena* arena, bool meta_order);

  // Copies the cell. Returns false when the very same key and sequence id are there already.
  bool Insert(const Cell& cell, uint64_t sequence_id, Splice* splice) {
    return Insert(cell, sequence_id, RandomHeight(), splice);
  }
  // The same for a cell that is of the row of the one inserted last with 'splice', and sorts behind
  // it: where the list goes on with a later row no key is compared.
  bool InsertNext(const Cell& cell, uint64_t sequence_id, Splice* splice);

  // The inserts with 'splice' go to places so far from each other that most nodes they meet are in
  // no cache of the processor.
  static bool IsFarApart(const Splice& splice) {
    return splice.climbed >= kFarLevels && !splice.is_kept;
  }
  // Brings the nodes that inserts of these keys will meet into the processor's cache, for all keys
  // at once: each search goes on while the memory of the others is on its way. 'flat_keys': at most
  // kPrefetchMax, ascending, and not before the last insert with 'splice'. Changes nothing.
  static constexpr size_t kPrefetchMax = 16;
  void Prefetch(std::span<const ByteView> flat_keys, const Splice& splice) const;

  const Node* First() const { return Next(head_); }
  static const Node* Next(const Node* node) {
    return node->tower()[0].load(std::memory_order_acquire);
  }
  // A copy of the cell that is in no list, for sorted arrays of nodes.
  const Node* NewLoose(const Cell& cell, uint64_t sequence_id);
  // In the list's order.
  bool IsBefore(const Node* left, const Node* right) const;
  // Where the first node at or after (flat_key, sequence_id) is among sorted ones.
  size_t LowerBound(std::span<const Node* const> nodes, ByteView flat_key,
                    uint64_t sequence_id) const;

  // First node at or after (flat_key, sequence_id); null at the end.
  const Node* Seek(ByteView flat_key, uint64_t sequence_id) const;
  // Last node before (flat_key, sequence_id); null when there is none.
  const Node* SeekBefore(ByteView flat_key, uint64_t sequence_id) const;

  // Calls 'visit' with the rows of at least 'count' cells spread evenly over the list, in order;
  // with all of them when there are fewer.
  void SampleRows(size_t count, const std::function<void(ByteView row)>& visit) const;

 private:
  // 4^3 cells between two places: a few kilobytes, of which most were not touched for long.
  static constexpr int kFarLevels = 3;

  struct SearchKey {
    uint64_t row_prefix;
    ByteView flat_key;
    uint64_t sequence_id;
  };
  SearchKey MakeSearchKey(ByteView flat_key, uint64_t sequence_id) const;
  int Compare(const Node* node, const SearchKey& key) const;
  Node* NewNode(const Cell& cell, uint64_t sequence_id, uint64_t row_prefix, int height);
  int RandomHeight();
  bool Insert(const Cell& cell, uint64_t sequence_id, int height, Splice* splice);
  // Puts the node between the splice's neighbours. False: it is there already.
  bool Link(Node* node, const SearchKey& key, Splice* splice);
  // Whether 'node', which does not sort before the cell, is of another row.
  bool IsOfLaterRow(const Node* node, const Cell& cell, uint64_t row_prefix) const;
  void FindOnLevel(const SearchKey& key, Node* from, Node* until, int level, Node** previous,
                   Node** next) const;
  // Whether the key belongs between the neighbours that 'splice' has for this level.
  bool Encloses(const Splice& splice, int level, const SearchKey& key) const;
  void Locate(const SearchKey& key, Splice* splice) const;

  ConcurrentArena* const arena_;
  const bool meta_order_;
  Node* const head_;  // a full tower, no cell
  // Tallest tower so far. Written by inserts, read by all; a stale value only costs a few steps.
  std::atomic<int> max_height_{1};
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_MEMSTORE_SKIP_LIST_H_
