// MemstoreAccount: about how many bytes the memstores of a region hold, and who is told of it.
//
// A hint for flushing, not a measure: writers add what they wrote, flushes and compactions in
// memory take away what they freed. All of it counts in the store's MemoryBudget as well, until
// this is destroyed. Thread-safe.
#ifndef BENNU_SRC_ENGINE_REGION_MEMSTORE_ACCOUNT_H_
#define BENNU_SRC_ENGINE_REGION_MEMSTORE_ACCOUNT_H_

#include <atomic>
#include <cstdint>
#include <limits>

#include "src/base/mutex.h"
#include "src/engine/region/region_services.h"

namespace bennu::engine {

class MemstoreAccount {
 public:
  // 'region' is whom the host is told of; 'services' must outlive this.
  MemstoreAccount(const RegionServices* services, Region* region)
      : services_(services), region_(region) {}
  ~MemstoreAccount();
  MemstoreAccount(const MemstoreAccount&) = delete;
  MemstoreAccount& operator=(const MemstoreAccount&) = delete;

  // From 'flush_bytes' on the memstores are to be flushed; above 'block_bytes' writers are to wait.
  void SetLimits(uint64_t flush_bytes, uint64_t block_bytes);
  // After so many bytes it is time for a compaction in memory. 0: no family asks for it.
  void SetInMemoryStep(uint64_t bytes) { in_memory_step_.store(bytes); }

  // Of a write. Asks the host for the work that has become due.
  void Add(uint64_t bytes);
  // Of the recovery, which flushes by itself.
  void AddReplayed(uint64_t bytes);
  // Wakes those who wait for room. At most bytes().
  void Remove(uint64_t bytes);
  // A compaction in memory begins.
  void StartInMemoryStep() { since_in_memory_.store(0); }

  uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  // What a flush is writing counts until it has ended.
  bool is_due_for_flush() const { return bytes() >= flush_bytes_.load(); }
  bool is_overfull() const { return bytes() > block_bytes(); }
  uint64_t block_bytes() const { return block_bytes_.load(std::memory_order_relaxed); }
  // Returns when it is not overfull, when some bytes were removed, or after 'millis'.
  void WaitForRoom(int64_t millis);

 private:
  const RegionServices* const services_;
  Region* const region_;
  // Read by writers, set when the table is altered; one write under the old value is fine.
  std::atomic<uint64_t> flush_bytes_{0};
  std::atomic<uint64_t> block_bytes_{std::numeric_limits<uint64_t>::max()};
  std::atomic<uint64_t> in_memory_step_{0};
  std::atomic<uint64_t> bytes_{0};
  // Written to memstores since the last compaction in memory.
  std::atomic<uint64_t> since_in_memory_{0};
  Mutex mu_;
  CondVar removed_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_MEMSTORE_ACCOUNT_H_
