#include "src/engine/region/region_bulk_load.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/region/region_markers.h"
#include "src/engine/region/region_write.h"

namespace bennu::engine {

RegionBulkLoad::RegionBulkLoad(RegionState* state, RegionFlusher* flusher,
                               std::vector<BulkLoadFile> files)
    : state_(state), services_(state->services), flusher_(flusher), files_(std::move(files)) {
  std::stable_sort(files_.begin(), files_.end(),
                   [](const auto& left, const auto& right) { return left.family < right.family; });
}

Status RegionBulkLoad::Run() {
  RETURN_IF_ERROR(flusher_->Flush());
  BENNU_FAILPOINT("bulkload.flushed");
  MutexLock no_flush(&state_->flush_mu);
  RETURN_IF_ERROR(services_->mvcc->status());
  const uint64_t sequence_id = services_->wal->TakeSequenceId();
  RETURN_IF_ERROR(services_->host->NoteSequenceId(sequence_id));
  for (BulkLoadFile& file : files_) {
    file.name = NewStoreFileName(services_->env) + BulkLoadSuffix(sequence_id);
  }
  const Bytes marker =
      BulkLoadMarker(state_->info, files_, sequence_id, services_->clock->NowMillis());
  const Status moved = Move();
  if (!moved.ok()) return Undo(moved);
  CrashPoint("bulkload.before_marker");
  RETURN_IF_ERROR(Publish(marker));
  CrashPoint("bulkload.after_marker");
  for (const LoadedStore& entry : loaded_) {
    // The cells are safe without the list; the next change of files writes it again.
    const Status listed = entry.store->SaveFileList();
    if (!listed.ok()) LogWarning("bulk load: {}", listed.ToString());
  }
  CrashPoint("bulkload.after_lists");
  return Status::Ok();
}

Status RegionBulkLoad::Move() {
  Env* const env = services_->env;
  BENNU_FAILPOINT("bulkload.before_journal");
  RETURN_IF_ERROR(WriteBulkLoadJournal(env, state_->paths.directory, files_));  // decides
  BENNU_FAILPOINT("bulkload.after_journal");
  for (const BulkLoadFile& file : files_) {
    RETURN_IF_ERROR(MoveLoadedFile(env, state_->paths.directory, file));
    BENNU_FAILPOINT("bulkload.between_moves");
  }
  RETURN_IF_ERROR(SyncLoadedDirectories(env, state_->paths.directory, files_));
  const auto set = state_->stores();
  Bytes family;
  for (const BulkLoadFile& file : files_) {
    const int index = set->Find(file.family);
    if (index < 0) return NotFound("family " + file.family + " was removed meanwhile");
    if (loaded_.empty() || family != file.family) {
      loaded_.push_back({set->entries[static_cast<size_t>(index)].store, {}});
      family = file.family;
    }
    LoadedStore& entry = loaded_.back();
    ASSIGN_OR_RETURN(auto opened, entry.store->OpenFile(file.name));
    entry.files.push_back(std::move(opened));
  }
  BENNU_FAILPOINT("bulkload.before_journal_removal");
  RETURN_IF_ERROR(RemoveBulkLoadJournal(env, state_->paths.directory));
  return Status::Ok();
}

// As if nothing had been; or, if that cannot be had, everything at the next opening, and no
// change until then that could come between.
Status RegionBulkLoad::Undo(const Status& reason) {
  Env* const env = services_->env;
  const auto undo = [&]() -> Status {
    for (const BulkLoadFile& file : files_) {
      RETURN_IF_ERROR(ReturnLoadedFile(env, state_->paths.directory, file));
    }
    RETURN_IF_ERROR(SyncLoadedDirectories(env, state_->paths.directory, files_));
    ASSIGN_OR_RETURN(const auto journal, ReadBulkLoadJournal(env, state_->paths.directory));
    if (!journal.has_value()) return env->SyncDirectory(state_->paths.directory);
    return RemoveBulkLoadJournal(env, state_->paths.directory);
  };
  const Status undone = undo();
  if (undone.ok()) return reason;
  services_->gate->Close("a bulk load could neither be completed nor given up (" +
                             undone.message() + "); reopen the store, which completes it",
                         true);
  return reason.Annotate("the store takes no more writes, opening it again completes the load");
}

Status RegionBulkLoad::Publish(const Bytes& marker) {
  WaitedCompletion published(services_->wal);
  RegionWrite write(services_->mvcc, &published, /*is_attended=*/true);
  const ByteView piece = marker;
  wal::AppendRequest request = state_->MarkerRequest(&piece);
  request.on_sequence_id = &RegionWrite::Begin;
  request.context = &write;
  uint64_t visible_from = 0;
  const auto ticket = services_->wal->Append(request, &visible_from);
  if (!ticket.ok() && services_->wal->status().ok()) {
    // Nothing can be logged for now. The load is decided, and does not need its marker.
    LogWarning("bulk load: no marker: {}", ticket.status().ToString());
    visible_from = services_->wal->TakeSequenceId(&RegionWrite::Begin, &write);
  } else if (!ticket.ok()) {
    return ticket.status().Annotate("the files are there when the store is opened again");
  }
  {
    std::unique_lock update(state_->update_mu);
    for (const LoadedStore& entry : loaded_) {
      entry.store->AddLoadedFiles(entry.files, visible_from);
    }
    state_->loads.fetch_add(1);
  }
  // Compactions write that id into files.
  const Status noted = services_->host->NoteSequenceId(visible_from);
  if (ticket.ok()) {
    services_->wal->WhenSynced(*ticket, services_->default_sync, &write);
  } else {
    services_->mvcc->Complete(&write, Status::Ok());
  }
  if (!noted.ok()) LogWarning("bulk load: {}", noted.ToString());
  const Status status = published.Wait();
  if (status.ok() || !services_->mvcc->status().ok()) return status;
  LogWarning("bulk load: its marker was given up: {}", status.ToString());
  return AwaitReadPoint();
}

// Returns once reads see what was given an id before; fails if the log is lost.
Status RegionBulkLoad::AwaitReadPoint() {
  for (;;) {
    WaitedCompletion published(services_->wal);
    RegionWrite barrier(services_->mvcc, &published, /*is_attended=*/true);
    services_->wal->TakeSequenceId(&RegionWrite::Begin, &barrier);
    services_->mvcc->Complete(&barrier, Status::Ok());
    const Status status = published.Wait();
    // The barrier, too, may be given up.
    if (status.ok() || !services_->mvcc->status().ok()) return status;
  }
}

}  // namespace bennu::engine
