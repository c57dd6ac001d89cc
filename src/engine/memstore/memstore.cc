#include "src/engine/memstore/memstore.h"

#include <functional>
#include <limits>

namespace bennu::engine {

namespace {

// Relaxed throughout: bounds are read after the cells were published under a lock.
template <typename T, typename Better>
void Tighten(std::atomic<T>* bound, T value, Better better) {
  T current = bound->load(std::memory_order_relaxed);
  while (better(value, current) &&
         !bound->compare_exchange_weak(current, value, std::memory_order_relaxed)) {
  }
}

uint64_t NextId() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

MemStore::MemStore(bool meta_order, const GivenUpIds* given_up)
    : id_(NextId()),
      given_up_(given_up),
      list_(&arena_, meta_order),
      empty_bytes_(arena_.used_bytes()),
      min_timestamp_(std::numeric_limits<int64_t>::max()),
      max_timestamp_(std::numeric_limits<int64_t>::min()) {}

void MemStore::Add(const Cell& cell, uint64_t sequence_id, InsertHint* hint) {
  // Bounds first, so that they always cover what an iterator may meet.
  Cover(cell, sequence_id);
  list_.Insert(cell, sequence_id, hint);
}

void MemStore::AddNext(const Cell& cell, uint64_t sequence_id, InsertHint* hint) {
  Cover(cell, sequence_id);
  list_.InsertNext(cell, sequence_id, hint);
}

void MemStore::AppendFlat(const Cell& cell) {
  Cover(cell, cell.sequence_id);
  flat_.push_back(list_.NewLoose(cell, cell.sequence_id));
}

std::shared_ptr<MemStore> MemStore::Flatten(std::span<const std::shared_ptr<MemStore>> parts,
                                            bool meta_order, const GivenUpIds* given_up) {
  auto flat = std::make_shared<MemStore>(meta_order, given_up);
  std::vector<Iterator> cells;
  for (const auto& part : parts) {
    cells.emplace_back(part.get()).SeekToFirst();
    if (!cells.back().Valid()) cells.pop_back();
  }
  // There are two or three of them.
  while (!cells.empty()) {
    auto first = cells.begin();
    for (auto i = first + 1; i != cells.end(); ++i) {
      if (flat->list_.IsBefore(i->node_, first->node_)) first = i;
    }
    flat->AppendFlat(first->cell());
    first->Next();
    if (!first->Valid()) cells.erase(first);
  }
  return flat;
}

void MemStore::Cover(const Cell& cell, uint64_t sequence_id) {
  const int64_t timestamp = cell.timestamp();
  Tighten(&min_timestamp_, timestamp, std::less<int64_t>());
  Tighten(&max_timestamp_, timestamp, std::greater<int64_t>());
  Tighten(&max_sequence_id_, sequence_id, std::greater<uint64_t>());
  if (cell.tags_length > 0) has_tags_.store(true, std::memory_order_relaxed);
}

std::vector<Bytes> MemStore::SplitRows(size_t count, ByteView start, ByteView stop) const {
  std::vector<Bytes> sample;
  // Twenty samples per part keep the parts within a few percent of each other.
  list_.SampleRows(count * 20, [&](ByteView row) {
    if (row <= start || (!stop.empty() && row >= stop)) return;
    if (sample.empty() || row != sample.back()) sample.emplace_back(row);
  });
  std::vector<Bytes> rows;
  for (size_t part = 1; part < count && !sample.empty(); ++part) {
    const Bytes& row = sample[part * sample.size() / count];
    if (rows.empty() || row != rows.back()) rows.push_back(row);
  }
  return rows;
}

}  // namespace bennu::engine
