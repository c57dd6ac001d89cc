// What every region of a store shares. Owned by the engine; outlives the regions.
#ifndef BENNU_SRC_ENGINE_REGION_REGION_SERVICES_H_
#define BENNU_SRC_ENGINE_REGION_REGION_SERVICES_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/api/attributes.h"
#include "src/api/write_observer.h"
#include "src/base/env.h"
#include "src/base/failpoint.h"
#include "src/base/mutex.h"
#include "src/engine/region/mvcc.h"
#include "src/engine/region/read_points.h"
#include "src/hfile/block_cache.h"
#include "src/wal/wal.h"

namespace bennu::engine {

class CompactionObserver;
class CompactionThrottle;
class Region;

// The store's clock: the system's, but never earlier than before. Where the system's was set back
// it goes on at half its pace until the system's has caught up: times stay apart, so that a marker
// does not hide what is written after it, and the two come together again. Thread-safe.
class StoreClock {
 public:
  explicit StoreClock(Env* env) : env_(env) {}

  int64_t NowMillis() {
    const int64_t now = env_->NowMillis();
    int64_t last = last_.load(std::memory_order_relaxed);
    while (now > last && !last_.compare_exchange_weak(last, now, std::memory_order_relaxed)) {
    }
    return now >= last ? now : AheadOfTheSystem();
  }
  // Times up to this one were handed out before (by an earlier process).
  void NotBefore(int64_t millis) {
    int64_t last = last_.load();
    while (millis > last && !last_.compare_exchange_weak(last, millis)) {
    }
  }

 private:
  int64_t AheadOfTheSystem();

  Env* const env_;
  std::atomic<int64_t> last_{0};  // written and read by all; only grows
  Mutex mu_;
  // When the clock, ahead of the system's, came to a time.
  int64_t came_to_millis_ GUARDED_BY(mu_) = 0;
  uint64_t came_at_nanos_ GUARDED_BY(mu_) = 0;  // monotonic
};

// Whether writes are accepted. Thread-safe.
class WriteGate {
 public:
  // OK, or the reason: FailedPrecondition after a Close for good, else NoSpace, which the next
  // flush may end.
  Status Check() const {
    if (open_.load(std::memory_order_acquire)) return Status::Ok();
    return WhyClosed();
  }
  // 'for_good': only reopening the store helps.
  void Close(const std::string& reason, bool for_good);
  // No effect after a Close for good.
  void Reopen();
  std::string reason() const;  // empty while open

 private:
  Status WhyClosed() const;

  std::atomic<bool> open_{true};  // written under mu_; a stale value lets one more write try
  mutable Mutex mu_;
  std::string reason_ GUARDED_BY(mu_);
  bool for_good_ GUARDED_BY(mu_) = false;
};

// Bytes in all memstores, and the place where writers wait when there are too many. Thread-safe.
class MemoryBudget {
 public:
  MemoryBudget(uint64_t flush_above, uint64_t stall_above, int64_t stall_millis_max)
      : flush_above_(flush_above), stall_above_(stall_above), stall_millis_max_(stall_millis_max) {}

  void Add(uint64_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void Release(uint64_t bytes);
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  bool wants_flush() const { return used() > flush_above_; }
  // Returns at once while there is room; else waits for a flush. ResourceExhausted: it took longer
  // than the bound.
  Status WaitForRoom() {
    if (used() <= stall_above_) return Status::Ok();
    return WaitSlow();
  }

 private:
  Status WaitSlow();

  const uint64_t flush_above_;
  const uint64_t stall_above_;
  const int64_t stall_millis_max_;
  std::atomic<uint64_t> used_{0};  // changed by writers and flushes, read by all; a hint
  Mutex mu_;
  CondVar released_;
};

// Where regions ask for background work.
class RegionHost {
 public:
  virtual ~RegionHost() = default;
  virtual void WantFlush(Region* region) = 0;       // its memstores are big
  virtual void WantCompaction(Region* region) = 0;  // it has got a new file
  virtual void WantInMemoryCompaction(Region* region) = 0;
  virtual void MemoryIsShort() = 0;  // all memstores together are too big
  virtual void LogReleased() = 0;    // log files may have become unneeded
  // A file with ids up to this one is about to come; returns once that is noted for good.
  virtual Status NoteSequenceId(uint64_t sequence_id) = 0;
};

// Finds the regions that writes of observers go to (observed_write.cc). Thread-safe.
class TableRegions {
 public:
  virtual ~TableRegions() = default;
  // As the table is now. NotFound: there is none. FailedPrecondition: it is disabled.
  virtual Result<std::shared_ptr<Region>> RegionOf(const TableName& table, ByteView row) = 0;
};

// A place where a crash test may end the process, but where no error can be returned any more.
inline void CrashPoint(std::string_view name) {
  if (internal::g_failpoints_active.load(std::memory_order_relaxed)) {
    static_cast<void>(internal::PassFailpoint(name).ok());
  }
}

struct RegionServices {
  Env* env = nullptr;
  StoreClock* clock = nullptr;
  Mvcc* mvcc = nullptr;
  ReadPoints* read_points = nullptr;
  hfile::BlockCache* block_cache = nullptr;
  WriteGate* gate = nullptr;
  MemoryBudget* memory = nullptr;
  RegionHost* host = nullptr;
  TableRegions* tables = nullptr;
  // Asked by regions that do not know yet who observes them. Null: nobody observes any table. Set
  // at any time, and told to the regions by RegionWriter::ForgetObserver.
  std::atomic<api::WriteObserverSource*> write_observers{nullptr};
  wal::Wal* wal = nullptr;  // null until recovery is over, and in a store opened to read
  wal::SyncLevel default_sync = wal::SyncLevel::kFdatasync;
  uint64_t memstore_flush_bytes = 128ull << 20;
  int64_t write_stall_millis_max = 60'000;  // that a write waits for a flush of its region
  std::string server_name;                  // "host,port,startcode"
  CompactionThrottle* compaction_throttle = nullptr;  // of compactions that nobody waits for
  CompactionObserver* compaction_observer = nullptr;  // of major compactions; may be null
  // False: no compaction begins, whoever asks for it. Null: true.
  const std::atomic<bool>* compactions_on = nullptr;
  const api::Attributes* configuration = nullptr;  // HBase's properties for all tables; may be null
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_REGION_SERVICES_H_
