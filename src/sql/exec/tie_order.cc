#include "src/sql/exec/tie_order.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace bennu::sql::exec {
namespace {

// A min-max heap: nodes on even levels are not above their descendants, those on odd levels not
// below them. Which of two equal rows moves decides their order, so each comparison below is strict
// or not on purpose.
class MinMaxHeap {
 public:
  explicit MinMaxHeap(const std::vector<uint32_t>& ranks) : ranks_(ranks) {}

  size_t size() const { return rows_.size(); }

  void Add(uint32_t row) {
    const size_t end = rows_.size();
    rows_.push_back(row);
    const bool min_level = IsMinLevel(end);
    const size_t crossed = SwapWithParent(min_level, end, row);
    Rise(crossed == end ? min_level : !min_level, crossed, row);
  }

  uint32_t TakeLeast() {
    const uint32_t row = rows_[0];
    Remove(0);
    return row;
  }

  void DropGreatest() {
    size_t greatest = rows_.size() - 1;
    if (rows_.size() > 2) greatest = Precedes(true, rows_[1], rows_[2]) ? 2 : 1;
    Remove(greatest);
  }

 private:
  static size_t Parent(size_t i) { return (i - 1) / 2; }
  static bool IsMinLevel(size_t i) { return std::bit_width(i + 1) % 2 == 1; }

  // Does a belong strictly nearer to the root than b, on levels of this kind?
  bool Precedes(bool min_level, uint32_t a, uint32_t b) const {
    return min_level ? ranks_[a] < ranks_[b] : ranks_[b] < ranks_[a];
  }

  // The uncle of the node i when it has no children below 'end': such a node bounds i as well as
  // its own parent does.
  static std::optional<size_t> ChildlessUncle(size_t i, size_t end) {
    const size_t parent = Parent(i);
    if (parent == 0) return std::nullopt;
    const size_t uncle = 2 * Parent(parent) + 2;
    if (uncle == parent || 2 * uncle + 1 < end) return std::nullopt;
    return uncle;
  }

  // Puts 'row' at i, or where a node of the level above stood that belongs below it.
  size_t SwapWithParent(bool min_level, size_t i, uint32_t row) {
    rows_[i] = row;
    if (i == 0) return 0;
    size_t above = Parent(i);
    const std::optional<size_t> uncle = ChildlessUncle(i, rows_.size());
    if (uncle.has_value() && Precedes(min_level, rows_[*uncle], rows_[above])) above = *uncle;
    if (!Precedes(min_level, rows_[above], row)) return i;
    std::swap(rows_[i], rows_[above]);
    return above;
  }

  // From i up over the levels of the same kind.
  size_t Rise(bool min_level, size_t i, uint32_t row) {
    while (i > 2) {
      const size_t grandparent = Parent(Parent(i));
      if (!Precedes(min_level, row, rows_[grandparent])) break;
      rows_[i] = rows_[grandparent];
      i = grandparent;
    }
    rows_[i] = row;
    return i;
  }

  // The first of the best among up to 'count' nodes from 'begin' on.
  std::optional<size_t> Best(bool min_level, size_t begin, size_t count) const {
    if (begin >= rows_.size()) return std::nullopt;
    size_t best = begin;
    const size_t end = std::min(begin + count, rows_.size());
    for (size_t i = begin + 1; i < end; ++i) {
      if (Precedes(min_level, rows_[i], rows_[best])) best = i;
    }
    return best;
  }

  void Remove(size_t hole) {
    const size_t last = rows_.size() - 1;
    if (hole != last) {
      // A childless uncle of the last node may be the one that can move more freely.
      const std::optional<size_t> uncle = ChildlessUncle(last, last);
      if (uncle.has_value() && Precedes(IsMinLevel(last), rows_[*uncle], rows_[last])) {
        std::swap(rows_[*uncle], rows_[last]);
        if (*uncle == hole) {
          rows_.pop_back();
          return;
        }
      }
    }
    const uint32_t row = rows_[last];
    rows_.pop_back();
    if (hole != last) Fill(hole, row);
  }

  void Fill(size_t hole, uint32_t row) {
    const bool min_level = IsMinLevel(hole);
    while (const std::optional<size_t> grandchild = Best(min_level, 4 * hole + 3, 4)) {
      rows_[hole] = rows_[*grandchild];
      hole = *grandchild;
    }
    if (Rise(min_level, hole, row) != hole) return;
    const std::optional<size_t> child = Best(min_level, 2 * hole + 1, 2);
    size_t crossed = hole;
    if (child.has_value() && Precedes(min_level, rows_[*child], row)) {
      rows_[hole] = rows_[*child];
      rows_[*child] = row;
      crossed = *child;
    } else {
      crossed = SwapWithParent(min_level, hole, row);
    }
    if (crossed != hole) Rise(!min_level, crossed, row);
  }

  const std::vector<uint32_t>& ranks_;
  std::vector<uint32_t> rows_;
};

}  // namespace

std::vector<uint32_t> HeapOrder(const std::vector<uint32_t>& ranks, size_t limit) {
  MinMaxHeap heap(ranks);
  for (uint32_t row = 0; row < ranks.size(); ++row) {
    heap.Add(row);
    if (heap.size() > limit) heap.DropGreatest();
  }
  std::vector<uint32_t> order;
  order.reserve(heap.size());
  while (heap.size() > 0) order.push_back(heap.TakeLeast());
  return order;
}

}  // namespace bennu::sql::exec
