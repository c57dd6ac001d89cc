// 1. under the exclusive update lock: take the id F, set every memstore aside;
// 2. wait until every write up to F is acknowledged, so that no file holds what was not (a lost log
//    ends the flush here);
// 3. write the files below .tmp; 4. START_FLUSH (only now: on a full disk the files fail first, and
//    the log is left alone), and the log is made durable; 5. move the files in, store by store:
//    each store's files tell by their own ids what the log need not replay; 6. COMMIT_FLUSH; let go
//    of the log.
#include "src/engine/region/region_flusher.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "src/base/failpoint.h"
#include "src/base/status_macros.h"
#include "src/engine/region/region_write.h"

namespace bennu::engine {

Status RegionFlusher::Flush(ByteView family) {
  if (state_->read_only) return FailedPrecondition("the store is open read-only");
  if (!state_->opened.load()) return Status::Ok();  // nothing was written
  MutexLock lock(&state_->flush_mu);
  return FlushLocked(family);
}

Status RegionFlusher::UseFiles(bool flush, const std::function<void(const StoreSet&)>& use) {
  MutexLock lock(&state_->flush_mu);
  if (flush) RETURN_IF_ERROR(FlushLocked({}));
  use(*state_->stores());
  return Status::Ok();
}

Status RegionFlusher::FlushLocked(ByteView family) {
  RETURN_IF_ERROR(services_->mvcc->status());
  WaitedCompletion published(services_->wal);
  RegionWrite barrier(services_->mvcc, &published, /*is_attended=*/true);
  std::vector<StoreSet::Entry> flushing;
  uint64_t sequence_id = 0;
  uint64_t other_bytes = 0;  // that stay in memory
  {
    std::unique_lock update(state_->update_mu);
    if (state_->is_gone()) return Status::Ok();
    sequence_id = services_->wal->TakeSequenceId(&RegionWrite::Begin, &barrier);
    for (const auto& entry : state_->current_stores->entries) {
      if (!family.empty() && entry.family != family) {
        other_bytes += entry.store->memstore_bytes();
      } else if (entry.store->PrepareFlush(sequence_id)) {
        flushing.push_back(entry);
      }
    }
    const uint64_t accounted = state_->memstores.bytes();
    set_aside_bytes_ = accounted - std::min(accounted, other_bytes);
  }
  CrashPoint("region.flush.after_prepare");
  services_->mvcc->Complete(&barrier, Status::Ok());
  RETURN_IF_ERROR(published.Wait());
  const auto set = state_->stores();
  for (const auto& entry : set->entries) entry.store->RemoveStrays();
  return WriteStores(flushing, sequence_id, true, other_bytes == 0);
}

Status RegionFlusher::FlushReplayed(uint64_t sequence_id) {
  MutexLock lock(&state_->flush_mu);
  std::vector<StoreSet::Entry> flushing;
  {
    std::unique_lock update(state_->update_mu);
    for (const auto& entry : state_->current_stores->entries) {
      if (entry.store->PrepareFlush(sequence_id)) flushing.push_back(entry);
    }
    set_aside_bytes_ = state_->memstores.bytes();
  }
  return WriteStores(flushing, sequence_id, false, true);
}

Status RegionFlusher::CompactInMemory() {
  if (!state_->opened.load() || state_->read_only) return Status::Ok();
  MutexLock lock(&state_->flush_mu);
  std::vector<std::shared_ptr<Store>> due;
  {
    std::unique_lock update(state_->update_mu);
    if (state_->is_gone()) return Status::Ok();
    state_->memstores.StartInMemoryStep();
    for (const auto& entry : state_->current_stores->entries) {
      if (entry.store->PrepareInMemoryFlush()) due.push_back(entry.store);
    }
  }
  for (const auto& store : due) {
    ASSIGN_OR_RETURN(uint64_t freed, store->CompactInMemory(services_->read_points->Smallest(),
                                                            services_->clock->NowMillis()));
    freed = std::min(freed, state_->memstores.bytes());  // which is about what they hold
    state_->memstores.Remove(freed);
  }
  return Status::Ok();
}

Status RegionFlusher::WriteStores(const std::vector<StoreSet::Entry>& flushing,
                                  uint64_t sequence_id, bool logged, bool is_whole) {
  std::vector<PendingFiles> files;
  const uint64_t smallest = logged ? services_->read_points->Smallest() : sequence_id;
  for (const auto& entry : flushing) {
    auto file = entry.store->WriteFlush(smallest, services_->clock->NowMillis());
    if (!file.ok()) {
      return file.status().Annotate("flushing region " + state_->encoded_name + " of table " +
                                    state_->table_text);
    }
    files.push_back(*std::move(file));
  }
  if (logged && !flushing.empty()) {
    // Waited for: the files may hold times that no other entry tells (SKIP_WAL), and the clock of
    // the next start must be past them.
    RETURN_IF_ERROR(LogFlush(FlushAction::kStart, flushing, {}, sequence_id, true));
    // A write of several regions, as of an indexed table, is in the log whole, and in these files
    // by its part alone. They must not outlive the machine where the log does not.
    if (services_->default_sync != wal::SyncLevel::kFdatasync) {
      RETURN_IF_ERROR(services_->wal->SyncAll());
    }
    RETURN_IF_ERROR(services_->host->NoteSequenceId(sequence_id));
  }
  BENNU_FAILPOINT("region.flush.before_commit");
  for (size_t i = 0; i < flushing.size(); ++i) {
    RETURN_IF_ERROR(flushing[i].store->CommitFlush(files[i]).Annotate(
        "committing the flush of region " + state_->encoded_name + " of table " +
        state_->table_text));
    BENNU_FAILPOINT("region.flush.between_stores");
  }
  state_->memstores.Remove(std::exchange(set_aside_bytes_, 0));
  if (!logged) return Status::Ok();
  if (!flushing.empty()) {
    RETURN_IF_ERROR(LogFlush(FlushAction::kCommit, flushing, files, sequence_id, false));
  }
  CrashPoint("region.flush.before_release");
  if (is_whole) ReleaseLog(sequence_id);
  return Status::Ok();
}

Status RegionFlusher::LogFlush(FlushAction action, const std::vector<StoreSet::Entry>& flushing,
                               const std::vector<PendingFiles>& files, uint64_t sequence_id,
                               bool sync) {
  return state_->LogMarker(FlushMarker(state_->info, action, sequence_id, flushing, files,
                                       services_->clock->NowMillis()),
                           sync);
}

void RegionFlusher::ReleaseLog(uint64_t sequence_id) {
  services_->wal->RegionFlushed(state_->encoded_name, sequence_id);
  if (services_->host != nullptr) services_->host->LogReleased();
}

}  // namespace bennu::engine
