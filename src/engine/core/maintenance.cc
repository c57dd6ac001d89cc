#include "src/engine/core/maintenance.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "src/api/store_configuration.h"
#include "src/base/failpoint.h"
#include "src/base/hex.h"
#include "src/base/log.h"
#include "src/engine/directory/root_directory.h"
#include "src/wal/log_file.h"

namespace bennu::engine {

namespace {

constexpr std::chrono::milliseconds kWatchInterval(500);
constexpr uint64_t kRetryFirstNanos = 200'000'000;
constexpr uint64_t kCatalogLookNanos = 1'000'000'000;
constexpr uint64_t kArchiveLookNanosMax = 60'000'000'000;
constexpr uint64_t kRetryLastNanos = 60'000'000'000;
// While the disk is full writers wait for the flush that tells that it is no more.
constexpr uint64_t kFullDiskRetryNanos = 5'000'000'000;
constexpr uint64_t kPressureLookNanos = 2'000'000'000;
constexpr uint64_t kForced = 0;  // a held flush that memory cannot wait for

// How long a flush waits for a compaction, by HBase's property.
uint64_t BlockingWaitNanos(const EngineOptions& options) {
  const api::StoreConfiguration properties(&options.configuration, nullptr, nullptr);
  const int64_t millis = properties.Integer("hbase.hstore.blockingWaitTime", 90'000);
  return static_cast<uint64_t>(std::clamp<int64_t>(millis, 0, 1'000'000'000)) * 1'000'000;
}

// How often there is a round over all regions, by HBase's property.
uint64_t CompactionRoundNanos(const EngineOptions& options) {
  const api::StoreConfiguration properties(&options.configuration, nullptr, nullptr);
  const int64_t millis = properties.Integer("hbase.server.thread.wakefrequency", 10'000);
  return static_cast<uint64_t>(std::clamp<int64_t>(millis, 1, 1'000'000'000)) * 1'000'000;
}

WorkItem DescribeWork(WorkItem::Kind kind, const Region& region, ByteView family) {
  WorkItem item;
  item.kind = kind;
  item.table = region.info().table.ToString();
  item.region = region.encoded_name();
  item.family = ToStringBinary(family);
  return item;
}

}  // namespace

Maintenance::Maintenance(const EngineOptions& options, const RootLayout& layout,
                         RegionServices* services, Callbacks callbacks)
    : options_(options),
      layout_(layout),
      services_(services),
      callbacks_(std::move(callbacks)),
      work_log_(services->env),
      flush_pool_(
          std::make_unique<ThreadPool>("flush", std::max<size_t>(1, options.maintenance_threads))),
      pool_(std::make_unique<ThreadPool>("maintenance",
                                         std::max<size_t>(1, options.maintenance_threads))),
      watcher_([this] { Watch(); }) {}

Maintenance::~Maintenance() { Stop(); }

void Maintenance::Stop() {
  std::unique_lock none_queues(pools_mu_);
  const bool was_stopping = stopping_.exchange(true);
  none_queues.unlock();
  if (!was_stopping) {
    {
      MutexLock lock(&mu_);
      wake_.SignalAll();
    }
    for (const auto& region : callbacks_.list_regions()) region->compactor()->Cancel();
  }
  if (watcher_.joinable()) watcher_.join();
  flush_pool_.reset();
  pool_.reset();
}

void Maintenance::Queue(const std::unique_ptr<ThreadPool>& pool, std::function<void()> task) {
  std::shared_lock lock(pools_mu_);
  if (stopping_.load()) return;
  std::atomic<uint64_t>* const waiting =
      &pool == &flush_pool_ ? &flushes_waiting_ : &compactions_waiting_;
  waiting->fetch_add(1, std::memory_order_relaxed);
  pool->Submit([waiting, task = std::move(task)] {
    waiting->fetch_sub(1, std::memory_order_relaxed);
    task();
  });
}

// ---- requests

void Maintenance::WantFlush(Region* region) {
  if (stopping_.load() || region->flush_asked.load() || region->flush_asked.exchange(true)) return;
  Queue(flush_pool_, [this, region = region->shared_from_this()] { RunFlush(region); });
}

void Maintenance::WantCompaction(Region* region) {
  if (stopping_.load() || !options_.background_compaction) return;
  if (region->compactions_asked.fetch_add(1) > 0) return;
  Queue(pool_, [this, region = region->shared_from_this()] { RunCompaction(region); });
}

void Maintenance::WantInMemoryCompaction(Region* region) {
  if (stopping_.load() || region->in_memory_compaction_queued.exchange(true)) return;
  Queue(flush_pool_, [this, region = region->shared_from_this()] {
    region->in_memory_compaction_queued.store(false);
    if (stopping_.load()) return;
    const Status status = region->flusher()->CompactInMemory();
    if (!status.ok()) LogWarning("compaction in memory: {}", status.ToString());
  });
}

void Maintenance::MemoryIsShort() {
  if (memory_short_.exchange(true)) return;
  MutexLock lock(&mu_);
  wake_.SignalAll();
}

Status Maintenance::NoteSequenceId(uint64_t sequence_id) {
  return callbacks_.note_sequence_id(sequence_id);
}

// Only a prefix of the logs goes: replaying a newer log without an older one is right, the other
// way round a deleted row could come back.
void Maintenance::LogReleased() {
  MutexLock lock(&archive_mu_);
  if (log_holds_ > 0) return;
  const std::vector<std::string> unneeded = services_->wal->UnneededFiles();
  const std::set<std::string> free(unneeded.begin(), unneeded.end());
  bool any = false;
  for (const auto& file : services_->wal->files()) {
    if (file.open || !free.contains(file.path)) break;
    CrashPoint("maintenance.before_archive_log");
    const Status archived = services_->wal->ArchiveFile(file.path);
    if (!archived.ok()) {
      LogWarning("archiving log {}: {}", file.path, archived.ToString());
      break;
    }
    any = true;
  }
  if (any) PruneOldLogs();
}

void Maintenance::HoldLogs() {
  MutexLock lock(&archive_mu_);
  ++log_holds_;
}

void Maintenance::ReleaseLogs() {
  {
    MutexLock lock(&archive_mu_);
    --log_holds_;
  }
  LogReleased();
}

void Maintenance::RunLater(std::function<void()> task) {
  Queue(pool_, [this, task = std::move(task)] {
    if (!stopping_.load()) task();
  });
}

// ---- work

// Writers ask for another flush all the time while one runs: what it writes still counts for them.
// So, as in HBase, nothing is asked for until it has ended.
void Maintenance::RunFlush(const std::shared_ptr<Region>& region) {
  const bool flushed = FlushUnlessHeld(region);
  region->flush_asked.store(false);
  if (!flushed) return;
  if (region->is_due_for_flush()) WantFlush(region.get());
  if (services_->memory->wants_flush()) MemoryIsShort();
  WantCompaction(region.get());
  SplitIfBig(region);
}

// FlushNow tells of errors itself.
bool Maintenance::FlushUnlessHeld(const std::shared_ptr<Region>& region) {
  return !stopping_.load() && !HoldBack(region) && FlushNow(region.get()).ok();
}

// As HBase's MemStoreFlusher: a store that has too many files is to be compacted before it gets
// another one, for hbase.hstore.blockingWaitTime at most. Its writers go on until memory is short.
bool Maintenance::HoldBack(const std::shared_ptr<Region>& region) {
  if (!options_.background_compaction || region->is_meta() ||
      !region->compactor()->HasTooManyFiles()) {
    MutexLock lock(&mu_);
    held_.erase(region->weak_from_this());
    return false;
  }
  const uint64_t now = services_->env->MonotonicNanos();
  {
    MutexLock lock(&mu_);
    const auto [held, is_new] =
        held_.try_emplace(region->weak_from_this(), now + BlockingWaitNanos(options_));
    if (held->second <= now) {
      if (held->second != kForced) {
        LogWarning("region {} still has too many store files; it is flushed all the same",
                   region->encoded_name());
      }
      held_.erase(held);
      return false;
    }
    if (!is_new) return true;
  }
  LogInfo("region {} has too many store files; its flush waits for a compaction",
          region->encoded_name());
  // The compaction under way need not wait for the next look either.
  services_->compaction_throttle->SetPressure(region->compactor()->pressure());
  WantCompaction(region.get());
  return true;
}

// Those whose compaction has come, or that have waited long enough.
void Maintenance::ReleaseHeld() {
  std::vector<std::shared_ptr<Region>> due;
  {
    const uint64_t now = services_->env->MonotonicNanos();
    MutexLock lock(&mu_);
    for (auto it = held_.begin(); it != held_.end();) {
      std::shared_ptr<Region> region = it->first.lock();
      if (region == nullptr) {
        it = held_.erase(it);
        continue;
      }
      if (it->second <= now || !region->compactor()->HasTooManyFiles())
        due.push_back(std::move(region));
      ++it;
    }
  }
  for (const auto& region : due) WantFlush(region.get());
}

void Maintenance::ForceFlush(const std::shared_ptr<Region>& region) {
  {
    MutexLock lock(&mu_);
    held_[region->weak_from_this()] = kForced;
  }
  WantFlush(region.get());
}

void Maintenance::SplitIfBig(const std::shared_ptr<Region>& region) {
  if (options_.background_split && !stopping_.load()) callbacks_.split_if_big(region);
}

void Maintenance::RunCompaction(const std::shared_ptr<Region>& region) {
  uint32_t asked = region->compactions_asked.load();
  if (stopping_.load()) return;
  const Status status = CompactNow(region.get(), false, services_->compaction_throttle);
  if (status.ok()) SplitIfBig(region);
  ReleaseHeld();
  if (region->compactions_asked.compare_exchange_strong(asked, 0)) return;
  Queue(pool_, [this, region] { RunCompaction(region); });
}

Status Maintenance::FlushNow(Region* region, ByteView family) {
  const uint64_t work = work_log_.Begin(DescribeWork(WorkItem::Kind::kFlush, *region, family));
  const Status status = region->flusher()->Flush(family);
  work_log_.End(work, status.ok() ? "" : status.ToString());
  if (!status.ok()) {
    NoteFailure("flush", region, false, status);
    return status;
  }
  flushes_.fetch_add(1);
  NoteSuccess(region, false);
  return status;
}

Status Maintenance::CompactNow(Region* region, bool major, CompactionThrottle* throttle,
                               ByteView family) {
  const auto kind = major ? WorkItem::Kind::kMajorCompaction : WorkItem::Kind::kMinorCompaction;
  const uint64_t work = work_log_.Begin(DescribeWork(kind, *region, family));
  const Status status = region->compactor()->Compact(major, throttle, family);
  work_log_.End(work, status.ok() ? "" : status.ToString());
  if (status.code() == StatusCode::kCancelled) {
    // Stopped for a change of the table. A flush that waits for it would not ask again.
    if (region->compactor()->HasTooManyFiles()) {
      MutexLock lock(&mu_);
      RetryLater(region, true);
    }
    return status;
  }
  if (!status.ok()) {
    NoteFailure("compaction", region, true, status);
    return status;
  }
  compactions_.fetch_add(1);
  catalog_dirty_.store(true);
  NoteSuccess(region, true);
  return status;
}

// Each region's flush is tried every few seconds, and fails as long as the disk is full.
bool Maintenance::IsFirstOfFullDisk() {
  MutexLock lock(&mu_);
  if (space_is_short_) ++unsaid_failures_;
  return !space_is_short_;
}

void Maintenance::NoteFailure(const std::string& what, Region* region, bool compaction,
                              const Status& status) {
  failures_.fetch_add(1);
  const bool disk_is_full = status.code() == StatusCode::kNoSpace && !compaction;
  if (!disk_is_full || IsFirstOfFullDisk()) {
    LogError("{} failed, the data stays where it is: {}", what, status.ToString());
  }
  Status log_status = services_->mvcc->status();
  // The log itself knows it before those who wait for it have been answered.
  if (log_status.ok() && services_->wal != nullptr) log_status = services_->wal->status();
  if (!log_status.ok()) {
    services_->gate->Close(
        "the log cannot be written (" + log_status.message() + "); reopen the store", true);
  } else if (disk_is_full) {
    // A compaction that finds no space leaves everything as it was; writes may go on.
    services_->gate->Close("the disk is full (" + status.message() + ")", false);
  }
  MutexLock lock(&mu_);
  last_error_ = what + ": " + status.ToString();
  if (disk_is_full) space_is_short_ = true;
  if (log_status.ok()) RetryLater(region, compaction);  // else no retry can help
}

void Maintenance::RetryLater(Region* region, bool compaction) {
  Retry& retry = retries_[region->weak_from_this()];
  retry.compaction = compaction && (retry.attempts == 0 || retry.compaction);
  const uint64_t pause =
      std::min(space_is_short_ && !compaction ? kFullDiskRetryNanos : kRetryLastNanos,
               kRetryFirstNanos << std::min<uint32_t>(retry.attempts, 9));
  ++retry.attempts;
  retry.due_nanos = services_->env->MonotonicNanos() + pause;
}

void Maintenance::NoteSuccess(Region* region, bool compaction) {
  MutexLock lock(&mu_);
  if (const auto found = retries_.find(region->weak_from_this());
      found != retries_.end() && found->second.compaction == compaction) {
    retries_.erase(found);
  }
  if (retries_.empty()) last_error_.clear();
  if (!compaction && space_is_short_) {
    space_is_short_ = false;
    if (unsaid_failures_ > 0) {
      LogWarning("there is space on the disk again; meanwhile the same failed {} more time{}",
                 unsaid_failures_, unsaid_failures_ == 1 ? "" : "s");
      unsaid_failures_ = 0;
    }
    services_->gate->Reopen();
  }
}

// ---- looking around

void Maintenance::Watch() {
  pthread_setname_np(pthread_self(), "watcher");
  while (!stopping_.load()) {
    LookAround();
    MutexLock lock(&mu_);
    if (!stopping_.load() && !memory_short_.load()) wake_.WaitFor(&mu_, kWatchInterval);
  }
}

void Maintenance::LookAround() {
  if (memory_short_.exchange(false)) FlushForMemory();
  StartDueRetries();
  ReleaseHeld();
  FlushOldLogs();
  const uint64_t now = services_->env->MonotonicNanos();
  if (catalog_dirty_.load() && now >= next_catalog_look_nanos_) CleanCatalog(now);
  MeasurePressure(now);
  LookForCompactions(now);
  if (now >= next_archive_look_nanos_) CleanArchive(now);
}

void Maintenance::MeasurePressure(uint64_t now_nanos) {
  if (now_nanos < next_pressure_look_nanos_ || services_->compaction_throttle == nullptr) return;
  next_pressure_look_nanos_ = now_nanos + kPressureLookNanos;
  double pressure = 0;
  for (const auto& region : callbacks_.list_regions()) {
    if (region->opened()) pressure = std::max(pressure, region->compactor()->pressure());
  }
  services_->compaction_throttle->SetPressure(pressure);
}

// Time alone makes a compaction due: the pause after the last major one, or cells that expired.
void Maintenance::LookForCompactions(uint64_t now_nanos) {
  if (!options_.background_compaction || now_nanos < next_compaction_look_nanos_) return;
  const uint64_t round = compaction_rounds_++;
  next_compaction_look_nanos_ = now_nanos + CompactionRoundNanos(options_);
  if (round == 0) return;  // the store was just opened: what waits for it comes first
  for (const auto& region : callbacks_.list_regions()) {
    if (region->opened() && region->compactor()->NeedsCompaction(round))
      WantCompaction(region.get());
  }
}

// On the pool, since it may wait for a change of the catalog that is under way.
void Maintenance::CleanCatalog(uint64_t now_nanos) {
  if (cleaning_catalog_.exchange(true)) return;
  catalog_dirty_.store(false);
  next_catalog_look_nanos_ = now_nanos + kCatalogLookNanos;
  Queue(pool_, [this] {
    const Status status = stopping_.load() ? Status::Ok() : callbacks_.clean_catalog();
    if (!status.ok()) {
      LogWarning("cleaning up replaced regions: {}", status.ToString());
      catalog_dirty_.store(true);
    }
    cleaning_catalog_.store(false);
  });
}

void Maintenance::FlushForMemory() {
  // What each holds is read once: writers go on, and an order that changes while it is made is
  // none.
  struct Holder {
    uint64_t bytes;
    bool too_many_files;
    std::shared_ptr<Region> region;
  };
  std::vector<Holder> holders;
  for (auto& region : callbacks_.list_regions()) {
    const uint64_t bytes = region->accounted_bytes();
    if (bytes > 0)
      holders.push_back({bytes, region->compactor()->HasTooManyFiles(), std::move(region)});
  }
  if (holders.empty()) return;
  std::sort(holders.begin(), holders.end(),
            [](const Holder& left, const Holder& right) { return left.bytes > right.bytes; });
  // The largest first, until half of what is held is on its way out. A region with too many files
  // only when there is no other, or none of half its size.
  uint64_t wanted = services_->memory->used() / 2;
  const auto best = std::find_if(holders.begin(), holders.end(),
                                 [](const Holder& holder) { return !holder.too_many_files; });
  const uint64_t best_bytes = best == holders.end() ? 0 : best->bytes;
  if (holders.front().bytes > 2 * best_bytes) {
    ForceFlush(holders.front().region);
    wanted -= std::min(wanted, holders.front().bytes);
  }
  for (const Holder& holder : holders) {
    if (holder.too_many_files) continue;
    WantFlush(holder.region.get());
    if (holder.bytes >= wanted) break;
    wanted -= holder.bytes;
  }
}

void Maintenance::FlushOldLogs() {
  const size_t count = services_->wal->files().size();
  if (count <= 1) return;
  const auto holders = services_->wal->RegionsHoldingOldestFile();
  const std::set<std::string> names(holders.begin(), holders.end());
  for (const auto& region : callbacks_.list_regions()) {
    // A region without data holds the file by a marker only; its flush writes nothing.
    const bool wanted = count > options_.wal_files_max || region->accounted_bytes() == 0;
    if (wanted && names.contains(region->encoded_name())) WantFlush(region.get());
  }
}

void Maintenance::CleanOldLogs() {
  MutexLock lock(&archive_mu_);
  if (log_holds_ == 0) PruneOldLogs();
}

void Maintenance::PruneOldLogs() {
  const auto names = services_->env->ListDirectory(layout_.OldLogs());
  if (!names.ok()) return;
  std::vector<std::pair<int64_t, std::string>> files;
  for (const std::string& name : *names) {
    const std::optional<int64_t> created = wal::LogCreationTime(name);
    if (created) files.emplace_back(*created, name);
  }
  std::sort(files.rbegin(), files.rend());
  const int64_t oldest = services_->env->NowMillis() - options_.old_wal_keep_millis;
  // The oldest first: who reads the store beside this process takes the later ones for complete
  // while the earlier ones are there.
  for (size_t i = files.size(); i-- > 0;) {
    if (i < options_.old_wal_files_max && files[i].first >= oldest) continue;
    const Status removed = services_->env->RemoveFile(JoinPath(layout_.OldLogs(), files[i].second));
    if (!removed.ok()) LogWarning("removing an old log: {}", removed.ToString());
  }
  const Status clock = callbacks_.note_clock();
  if (!clock.ok()) LogWarning("noting the time: {}", clock.ToString());
}

uint64_t Maintenance::ArchiveKeepNanos() const {
  return static_cast<uint64_t>(options_.archive_keep_millis) * 1'000'000;
}

// On the pool: it may have to read every snapshot.
void Maintenance::CleanArchive(uint64_t now_nanos) {
  next_archive_look_nanos_ = now_nanos + std::min(kArchiveLookNanosMax, ArchiveKeepNanos());
  Queue(pool_, [this] {
    const Status status = stopping_.load() ? Status::Ok() : callbacks_.clean_archive();
    if (!status.ok()) LogWarning("cleaning up the archive: {}", status.ToString());
  });
}

void Maintenance::StartDueRetries() {
  const uint64_t now = services_->env->MonotonicNanos();
  std::vector<std::pair<std::shared_ptr<Region>, bool>> due;
  {
    MutexLock lock(&mu_);
    for (auto it = retries_.begin(); it != retries_.end();) {
      if (std::shared_ptr<Region> region = it->first.lock(); region == nullptr) {
        it = retries_.erase(it);
        continue;
      } else if (it->second.due_nanos <= now) {
        due.emplace_back(std::move(region), it->second.compaction);
        it->second.due_nanos = now + kRetryLastNanos;  // until the outcome is known
      }
      ++it;
    }
  }
  for (const auto& [region, compaction] : due) {
    if (compaction) {
      WantCompaction(region.get());
    } else {
      WantFlush(region.get());
    }
  }
}

void Maintenance::FillStatus(EngineStatus* status) const {
  status->flushes = flushes_.load();
  status->compactions = compactions_.load();
  status->background_failures = failures_.load();
  status->flushes_waiting = flushes_waiting_.load();
  status->compactions_waiting = compactions_waiting_.load();
  status->running = work_log_.Running();
  status->ended = work_log_.Ended();
  MutexLock lock(&mu_);
  status->last_background_error = last_error_;
}

}  // namespace bennu::engine
