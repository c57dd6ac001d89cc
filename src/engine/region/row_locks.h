// RowLocks: who writes which row of a region at this moment.
//
// A lock is known by the row's bytes, so two rows never share one, and taking locks in the order of
// the rows cannot deadlock. Held for the time of a log append and a memstore insert, never over a
// sync. The bytes of a locked row belong to the caller and must stay until it is unlocked.
// Thread-safe; allocates only when more rows are locked at once than ever before.
#ifndef BENNU_SRC_ENGINE_REGION_ROW_LOCKS_H_
#define BENNU_SRC_ENGINE_REGION_ROW_LOCKS_H_

#include <array>
#include <cstddef>
#include <vector>

#include "bennu/bytes.h"
#include "src/base/mutex.h"

namespace bennu::engine {

class RowLocks {
 public:
  // Waits until nobody else has the row. Not reentrant. False: it is another's, and this is a
  // NoWaitScope.
  bool Lock(ByteView row);
  void Unlock(ByteView row);

 private:
  static constexpr size_t kShardCount = 32;

  // Open addressing with linear probing; a removal closes the gap.
  struct alignas(64) Shard {
    struct Entry {
      size_t hash = 0;
      ByteView row;  // data() is null in a free entry
    };
    Mutex mu;
    CondVar unlocked;
    size_t waiting GUARDED_BY(mu) = 0;
    size_t used GUARDED_BY(mu) = 0;
    std::vector<Entry> entries GUARDED_BY(mu);

    size_t Find(size_t hash, ByteView row) const REQUIRES(mu);  // where it is, or would go
    void Grow() REQUIRES(mu);
    void Remove(size_t index) REQUIRES(mu);
  };
  Shard& ShardOf(size_t hash) { return shards_[hash % kShardCount]; }

  std::array<Shard, kShardCount> shards_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_ROW_LOCKS_H_
