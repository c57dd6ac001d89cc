#include "src/engine/region/row_locks.h"

#include <functional>

#include "src/base/check.h"
#include "src/base/no_wait.h"

namespace bennu::engine {

namespace {

constexpr size_t kFirstCapacity = 16;

// The low bits choose the shard, so the place in the table comes from higher ones.
size_t Slot(size_t hash, size_t capacity) { return (hash >> 8) & (capacity - 1); }

}  // namespace

size_t RowLocks::Shard::Find(size_t hash, ByteView row) const {
  size_t index = Slot(hash, entries.size());
  while (entries[index].row.data() != nullptr) {
    if (entries[index].hash == hash && entries[index].row == row) break;
    index = (index + 1) & (entries.size() - 1);
  }
  return index;
}

void RowLocks::Shard::Grow() {
  std::vector<Entry> old(entries.empty() ? kFirstCapacity : entries.size() * 2);
  old.swap(entries);
  for (const Entry& entry : old) {
    if (entry.row.data() != nullptr) entries[Find(entry.hash, entry.row)] = entry;
  }
}

void RowLocks::Shard::Remove(size_t index) {
  const size_t mask = entries.size() - 1;
  size_t gap = index;
  for (size_t next = (gap + 1) & mask; entries[next].row.data() != nullptr;
       next = (next + 1) & mask) {
    // An entry may move back to the gap unless its own place lies behind the gap.
    const size_t home = Slot(entries[next].hash, entries.size());
    if (((next - home) & mask) >= ((next - gap) & mask)) {
      entries[gap] = entries[next];
      gap = next;
    }
  }
  entries[gap] = Entry{};
  --used;
}

bool RowLocks::Lock(ByteView row) {
  const size_t hash = std::hash<ByteView>()(row);
  Shard& shard = ShardOf(hash);
  MutexLock lock(&shard.mu);
  for (;;) {
    if ((shard.used + 1) * 2 > shard.entries.size()) shard.Grow();
    const size_t index = shard.Find(hash, row);
    if (shard.entries[index].row.data() == nullptr) {
      shard.entries[index] = {hash, row};
      ++shard.used;
      return true;
    }
    if (NoWaitScope::Refuses()) return false;
    ++shard.waiting;
    shard.unlocked.Wait(&shard.mu);
    --shard.waiting;
  }
}

void RowLocks::Unlock(ByteView row) {
  const size_t hash = std::hash<ByteView>()(row);
  Shard& shard = ShardOf(hash);
  MutexLock lock(&shard.mu);
  const size_t index = shard.Find(hash, row);
  BENNU_CHECK(shard.entries[index].row.data() != nullptr);
  shard.Remove(index);
  if (shard.waiting > 0) shard.unlocked.SignalAll();
}

}  // namespace bennu::engine
