// Flush and compaction of a region.
//
// Flush:  1. under the exclusive update lock: take the id F, set every memstore aside;
//         2. wait until every write up to F is acknowledged, so that no file holds what was not (a
//            lost log ends the flush here);
//         3. write the files below .tmp; 4. START_FLUSH (only now: on a full disk the files fail
//            first, and the log is left alone), and the log is made durable; 5. move the files in,
//            store by store: each store's files tell by their own ids what the log need not
//            replay; 6. COMMIT_FLUSH; let go of the log.
#include <algorithm>
#include <mutex>

#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/region/region.h"
#include "src/engine/region/region_markers.h"
#include "src/engine/store/compaction_observer.h"

namespace bennu::engine {

namespace {

// Tells of a compaction while it lives.
class CompactionAtWork {
 public:
  CompactionAtWork(std::atomic<CompactionState>* state, bool major) : state_(state) {
    state_->store(major ? CompactionState::kMajor : CompactionState::kMinor);
  }
  ~CompactionAtWork() { state_->store(CompactionState::kNone); }
  CompactionAtWork(const CompactionAtWork&) = delete;
  CompactionAtWork& operator=(const CompactionAtWork&) = delete;

 private:
  std::atomic<CompactionState>* const state_;
};

}  // namespace

Status Region::Flush(ByteView family) {
  if (read_only_) return FailedPrecondition("the store is open read-only");
  if (!opened()) return Status::Ok();  // nothing was written
  MutexLock lock(&flush_mu_);
  return FlushLocked(family);
}

Status Region::UseFiles(bool flush, const std::function<void(const StoreSet&)>& use) {
  MutexLock lock(&flush_mu_);
  if (flush) RETURN_IF_ERROR(FlushLocked({}));
  use(*stores());
  return Status::Ok();
}

Status Region::FlushLocked(ByteView family) {
  RETURN_IF_ERROR(services_->mvcc->status());
  WaitedCompletion published(services_->wal);
  RegionWrite barrier(services_->mvcc, &published, /*is_attended=*/true);
  std::vector<StoreSet::Entry> flushing;
  uint64_t sequence_id = 0;
  uint64_t other_bytes = 0;  // that stay in memory
  {
    std::unique_lock update(update_mu_);
    if (state() == State::kClosed || state() == State::kMoved) return Status::Ok();
    sequence_id = services_->wal->TakeSequenceId(&RegionWrite::Begin, &barrier);
    for (const auto& entry : stores_->entries) {
      if (!family.empty() && entry.family != family) {
        other_bytes += entry.store->memstore_bytes();
      } else if (entry.store->PrepareFlush(sequence_id)) {
        flushing.push_back(entry);
      }
    }
    const uint64_t accounted = accounted_bytes_.load();
    set_aside_bytes_ = accounted - std::min(accounted, other_bytes);
  }
  CrashPoint("region.flush.after_prepare");
  services_->mvcc->Complete(&barrier, Status::Ok());
  RETURN_IF_ERROR(published.Wait());
  const auto set = stores();
  for (const auto& entry : set->entries) entry.store->RemoveStrays();
  return WriteStores(flushing, sequence_id, true, other_bytes == 0);
}

Status Region::FlushReplayed(uint64_t sequence_id) {
  MutexLock lock(&flush_mu_);
  std::vector<StoreSet::Entry> flushing;
  {
    std::unique_lock update(update_mu_);
    for (const auto& entry : stores_->entries) {
      if (entry.store->PrepareFlush(sequence_id)) flushing.push_back(entry);
    }
    set_aside_bytes_ = accounted_bytes_.load();
  }
  return WriteStores(flushing, sequence_id, false, true);
}

Status Region::CompactInMemory() {
  if (!opened() || read_only_) return Status::Ok();
  MutexLock lock(&flush_mu_);
  std::vector<std::shared_ptr<Store>> due;
  {
    std::unique_lock update(update_mu_);
    if (state() == State::kClosed || state() == State::kMoved) return Status::Ok();
    bytes_since_in_memory_.store(0);
    for (const auto& entry : stores_->entries) {
      if (entry.store->PrepareInMemoryFlush()) due.push_back(entry.store);
    }
  }
  for (const auto& store : due) {
    ASSIGN_OR_RETURN(uint64_t freed, store->CompactInMemory(services_->read_points->Smallest(),
                                                            services_->clock->NowMillis()));
    freed = std::min(freed, accounted_bytes_.load());  // which is about what they hold
    Unaccount(freed);
  }
  return Status::Ok();
}

void Region::Unaccount(uint64_t bytes) {
  accounted_bytes_.fetch_sub(bytes);
  services_->memory->Release(bytes);
  MutexLock lock(&room_mu_);
  room_made_.SignalAll();
}

bool Region::HasTooManyFiles() const {
  if (!opened() || !may_compact()) return false;
  const auto set = stores();
  return std::any_of(set->entries.begin(), set->entries.end(),
                     [](const auto& entry) { return entry.store->has_too_many_files(); });
}

Status Region::WriteStores(const std::vector<StoreSet::Entry>& flushing, uint64_t sequence_id,
                           bool logged, bool is_whole) {
  std::vector<PendingFiles> files;
  const uint64_t smallest = logged ? services_->read_points->Smallest() : sequence_id;
  for (const auto& entry : flushing) {
    auto file = entry.store->WriteFlush(smallest, services_->clock->NowMillis());
    if (!file.ok()) {
      return file.status().Annotate("flushing region " + encoded_name_ + " of table " +
                                    table_text_);
    }
    files.push_back(*std::move(file));
  }
  if (logged && !flushing.empty()) {
    // Waited for: the files may hold times that no other entry tells (SKIP_WAL), and the clock of
    // the next start must be past them.
    RETURN_IF_ERROR(LogMarker(FlushMarker(info_, FlushAction::kStart, sequence_id, flushing, {},
                                          services_->clock->NowMillis()),
                              true));
    // A write of several regions, as of an indexed table, is in the log whole, and in these files
    // by its part alone. They must not outlive the machine where the log does not.
    if (services_->default_sync != wal::SyncLevel::kFdatasync) {
      RETURN_IF_ERROR(services_->wal->SyncAll());
    }
  }
  if (logged && !flushing.empty()) RETURN_IF_ERROR(services_->host->NoteSequenceId(sequence_id));
  BENNU_FAILPOINT("region.flush.before_commit");
  for (size_t i = 0; i < flushing.size(); ++i) {
    RETURN_IF_ERROR(flushing[i].store->CommitFlush(files[i]).Annotate(
        "committing the flush of region " + encoded_name_ + " of table " + table_text_));
    BENNU_FAILPOINT("region.flush.between_stores");
  }
  Unaccount(std::exchange(set_aside_bytes_, 0));
  if (!logged) return Status::Ok();
  if (!flushing.empty()) {
    RETURN_IF_ERROR(LogMarker(FlushMarker(info_, FlushAction::kCommit, sequence_id, flushing, files,
                                          services_->clock->NowMillis()),
                              false));
  }
  CrashPoint("region.flush.before_release");
  if (is_whole) ReleaseLog(sequence_id);
  return Status::Ok();
}

void Region::ReleaseLog(uint64_t sequence_id) {
  services_->wal->RegionFlushed(encoded_name_, sequence_id);
  if (services_->host != nullptr) services_->host->LogReleased();
}

Status Region::Compact(bool major, CompactionThrottle* throttle, ByteView family) {
  if (read_only_) return FailedPrecondition("the store is open read-only");
  RETURN_IF_ERROR(EnsureOpen());
  const auto set = stores();  // named: an alteration of the table replaces it meanwhile
  for (const auto& entry : set->entries) {
    if (!family.empty() && entry.family != family) continue;
    bool did = true;
    while (did) {
      std::unique_ptr<CompactionWatch> watch;
      RETURN_IF_ERROR(CompactStore(entry, major, throttle, &did, &watch));
      if (watch != nullptr) watch->Committed();
      if (major) break;  // one step takes every file
    }
  }
  return Status::Ok();
}

void Region::AskCompactionsToStop() {
  MutexLock lock(&state_mu_);
  ++stops_asked_;
  cancelled_.store(true);
}

void Region::LetCompactionsRun() {
  MutexLock lock(&state_mu_);
  if (--stops_asked_ == 0 && state() == State::kOpen) cancelled_.store(false);
}

void Region::StopCompaction() {
  AskCompactionsToStop();
  MutexLock none_runs(&compaction_mu_);
  LetCompactionsRun();
}

Status Region::CompactStore(const StoreSet::Entry& entry, bool major, CompactionThrottle* throttle,
                            bool* did, std::unique_ptr<CompactionWatch>* watch) {
  *did = false;
  MutexLock lock(&compaction_mu_);
  if (cancelled_.load() || state() != State::kOpen) {
    return Status(StatusCode::kCancelled, "region " + encoded_name_ + " is being changed");
  }
  // As in HBase who asks is not told that nothing was compacted.
  if (at_rest_.load() || !may_compact()) return Status::Ok();
  const CompactionRequest request = entry.store->SelectCompaction(major);
  if (request.inputs.empty()) return Status::Ok();
  const CompactionAtWork at_work(&compaction_state_, major || request.is_major);
  std::unique_ptr<CompactionWatch> seen_by;
  if (request.all_files && services_->compaction_observer != nullptr) {
    seen_by = services_->compaction_observer->Begin(info_, entry.family);
  }
  auto files = entry.store->WriteCompaction(request, services_->read_points->Smallest(),
                                            services_->clock->NowMillis(), &cancelled_, throttle,
                                            seen_by.get());
  if (!files.ok()) {
    return files.status().Annotate("compacting region " + encoded_name_ + " of table " +
                                   table_text_ + ", family " + entry.family);
  }
  CrashPoint("region.compaction.before_marker");
  RETURN_IF_ERROR(LogMarker(
      CompactionMarker(info_, entry.family, request, *files, services_->clock->NowMillis()), true));
  CrashPoint("region.compaction.after_marker");
  RETURN_IF_ERROR(entry.store->CommitCompaction(request, *files));
  *watch = std::move(seen_by);
  *did = true;
  return Status::Ok();
}

}  // namespace bennu::engine
