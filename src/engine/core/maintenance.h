// Maintenance: what happens in the background — flush, compaction, splits, retiring of logs,
// cleaning of the catalog.
//
// Work runs on two small pools, as HBase's flushers and compaction threads: a flush, for which
// writers may wait, never stands behind a compaction. A thread of its own looks around now and then
// (and at once when memory is short): it retries what failed, with growing pauses, and flushes
// regions that hold old logs.
// Nothing fails silently: failures are logged, counted and shown in EngineStatus; a full disk
// closes the write gate until a flush succeeds again. Thread-safe.
#ifndef BENNU_SRC_ENGINE_CORE_MAINTENANCE_H_
#define BENNU_SRC_ENGINE_CORE_MAINTENANCE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "bennu/status.h"
#include "src/base/mutex.h"
#include "src/base/thread_pool.h"
#include "src/engine/core/engine_options.h"
#include "src/engine/core/work_log.h"
#include "src/engine/directory/root_layout.h"
#include "src/engine/region/region.h"

namespace bennu::engine {

class Maintenance final : public RegionHost {
 public:
  // What it needs of the engine; all must be there.
  struct Callbacks {
    std::function<std::vector<std::shared_ptr<Region>>()> list_regions;
    std::function<void(const std::shared_ptr<Region>&)> split_if_big;
    std::function<Status()> clean_catalog;  // CatalogJanitor::Run
    std::function<Status()> clean_archive;  // ArchiveCleaner::Run
    std::function<Status(uint64_t)> note_sequence_id;
    std::function<Status()> note_clock;
  };

  Maintenance(const EngineOptions& options, const RootLayout& layout, RegionServices* services,
              Callbacks callbacks);
  ~Maintenance() override;  // stops

  void WantFlush(Region* region) override;
  void WantCompaction(Region* region) override;
  void WantInMemoryCompaction(Region* region) override;
  void MemoryIsShort() override;
  void LogReleased() override;
  // The catalog's janitor has something to do.
  void WantCatalogCleaning() { catalog_dirty_.store(true); }
  bool stopping() const { return stopping_.load(); }
  // While held, no log is moved away or deleted.
  void HoldLogs();
  void ReleaseLogs();
  Status NoteSequenceId(uint64_t sequence_id) override;

  // On this thread; errors are also told in the status. An empty 'family' is all of them.
  Status FlushNow(Region* region, ByteView family = {});
  // 'throttle' may be null. Cancelled: a change of the region ended it; no failure.
  Status CompactNow(Region* region, bool major, CompactionThrottle* throttle = nullptr,
                    ByteView family = {});

  // On one of the threads of compactions, unless they are stopped by then.
  void RunLater(std::function<void()> task);

  // Deletes logs that nothing needs and whose time is over.
  void CleanOldLogs();

  // Refuses further background work and waits for what runs. Idempotent.
  void Stop();

  void FillStatus(EngineStatus* status) const;

 private:
  struct Retry {
    uint64_t due_nanos = 0;
    uint32_t attempts = 0;
    bool compaction = false;
  };
  // Does nothing once it is stopping.
  void Queue(const std::unique_ptr<ThreadPool>& pool, std::function<void()> task);
  void Watch();
  void LookAround();
  void FlushForMemory();
  void FlushOldLogs();
  void CleanCatalog(uint64_t now_nanos);
  void MeasurePressure(uint64_t now_nanos);
  void LookForCompactions(uint64_t now_nanos);
  void SplitIfBig(const std::shared_ptr<Region>& region);
  void PruneOldLogs();
  uint64_t ArchiveKeepNanos() const;
  void CleanArchive(uint64_t now_nanos);
  void StartDueRetries();
  void RunFlush(const std::shared_ptr<Region>& region);
  bool FlushUnlessHeld(const std::shared_ptr<Region>& region);
  void RunCompaction(const std::shared_ptr<Region>& region);
  bool HoldBack(const std::shared_ptr<Region>& region) EXCLUDES(mu_);
  void ReleaseHeld() EXCLUDES(mu_);
  void ForceFlush(const std::shared_ptr<Region>& region) EXCLUDES(mu_);
  // After a pause that doubles each time.
  void RetryLater(Region* region, bool compaction) REQUIRES(mu_);
  // Counts those that are not.
  bool IsFirstOfFullDisk() EXCLUDES(mu_);
  void NoteFailure(const std::string& what, Region* region, bool compaction, const Status& status)
      EXCLUDES(mu_);
  void NoteSuccess(Region* region, bool compaction) EXCLUDES(mu_);

  const EngineOptions options_;
  const RootLayout layout_;
  RegionServices* const services_;
  const Callbacks callbacks_;

  std::atomic<bool> stopping_{false};
  // Set by writers, cleared by the watching thread; a lost wake-up costs one interval.
  std::atomic<bool> memory_short_{false};
  std::atomic<bool> catalog_dirty_{true};  // a compaction may have freed a replaced region
  std::atomic<bool> cleaning_catalog_{false};
  std::atomic<uint64_t> flushes_{0};
  std::atomic<uint64_t> compactions_{0};
  std::atomic<uint64_t> failures_{0};
  // Tasks of each pool that no thread has begun; for the status alone.
  std::atomic<uint64_t> flushes_waiting_{0};
  std::atomic<uint64_t> compactions_waiting_{0};
  WorkLog work_log_;

  mutable Mutex mu_;
  CondVar wake_;
  std::string last_error_ GUARDED_BY(mu_);
  bool space_is_short_ GUARDED_BY(mu_) = false;
  uint64_t unsaid_failures_ GUARDED_BY(mu_) = 0;  // of flushes, since the disk is full
  std::map<std::weak_ptr<Region>, Retry, std::owner_less<>> retries_ GUARDED_BY(mu_);
  // Regions whose flush waits for a compaction, and until when (monotonic) at most.
  std::map<std::weak_ptr<Region>, uint64_t, std::owner_less<>> held_ GUARDED_BY(mu_);
  // Of the watching thread alone.
  uint64_t next_archive_look_nanos_ = 0;
  uint64_t next_catalog_look_nanos_ = 0;
  uint64_t next_pressure_look_nanos_ = 0;
  uint64_t next_compaction_look_nanos_ = 0;
  uint64_t compaction_rounds_ = 0;  // over all regions; each family says which it is looked at in
  Mutex archive_mu_;                // one archiving of logs at a time
  int log_holds_ GUARDED_BY(archive_mu_) = 0;

  // Shared by those who queue a task, exclusive for the moment from which on none is queued: tasks
  // of either pool ask for tasks of the other.
  std::shared_mutex pools_mu_;
  std::unique_ptr<ThreadPool> flush_pool_;
  std::unique_ptr<ThreadPool> pool_;  // compactions and the rest
  std::thread watcher_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_CORE_MAINTENANCE_H_
