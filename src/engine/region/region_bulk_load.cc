// Bulk load of files into a region.
//
//   1. freeze (writers wait) and flush: what is older is in older files, so that the load's id n
//   can
//      be the stores' newest without hiding entries of the log from a replay (as HBase does it);
//   2. the journal decides (bulk_load_journal.h); the files are moved, as "<name>_SeqId_<n>_", and
//      opened; the journal goes. An error so far moves everything back;
//   3. the BULK_LOAD marker is appended: a write like any other, with an id m > n. The stores get
//      the files, their cells under m; when the marker is synced the read point moves over m and
//      they are visible, in all families at once.
//
// Readers of moments before m never see the files, so a scan or snapshot that began before goes on
// without them. From the next opening on the cells have n, of which all moments are later.
#include <algorithm>
#include <mutex>

#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/region/region.h"
#include "src/engine/region/region_markers.h"

namespace bennu::engine {

// What step 2 leaves for step 3.
struct Region::LoadedStores {
  struct Entry {
    std::shared_ptr<Store> store;
    std::vector<std::shared_ptr<const StoreFile>> files;
  };
  std::vector<Entry> entries;
  Bytes marker;
};

Status Region::BulkLoad(std::vector<BulkLoadFile> files) {
  RETURN_IF_ERROR(services_->gate->Check());
  RETURN_IF_ERROR(EnsureOpen());
  std::stable_sort(files.begin(), files.end(),
                   [](const auto& left, const auto& right) { return left.family < right.family; });
  Freeze();
  const Status status = LoadFrozen(&files);
  if (state() == State::kFrozen) Thaw();
  if (!status.ok()) {
    return status.Annotate("loading files into region " + encoded_name_ + " of table " +
                           table_text_);
  }
  if (services_->host != nullptr) services_->host->WantCompaction(this);
  return status;
}

Status Region::LoadFrozen(std::vector<BulkLoadFile>* files) {
  RETURN_IF_ERROR(Flush());
  BENNU_FAILPOINT("bulkload.flushed");
  MutexLock no_flush(&flush_mu_);
  RETURN_IF_ERROR(services_->mvcc->status());
  const uint64_t sequence_id = services_->wal->TakeSequenceId();
  RETURN_IF_ERROR(services_->host->NoteSequenceId(sequence_id));
  for (BulkLoadFile& file : *files) {
    file.name = NewStoreFileName(services_->env) + BulkLoadSuffix(sequence_id);
  }
  LoadedStores loaded;
  loaded.marker = BulkLoadMarker(info_, *files, sequence_id, services_->clock->NowMillis());
  const Status moved = MoveLoaded(*files, &loaded);
  if (!moved.ok()) return UndoLoad(*files, moved);
  CrashPoint("bulkload.before_marker");
  RETURN_IF_ERROR(PublishLoaded(loaded));
  CrashPoint("bulkload.after_marker");
  for (const auto& entry : loaded.entries) {
    // The cells are safe without the list; the next change of files writes it again.
    const Status listed = entry.store->SaveFileList();
    if (!listed.ok()) LogWarning("bulk load: {}", listed.ToString());
  }
  CrashPoint("bulkload.after_lists");
  return Status::Ok();
}

Status Region::MoveLoaded(const std::vector<BulkLoadFile>& files, LoadedStores* loaded) {
  Env* const env = services_->env;
  BENNU_FAILPOINT("bulkload.before_journal");
  RETURN_IF_ERROR(WriteBulkLoadJournal(env, paths_.directory, files));  // decides
  BENNU_FAILPOINT("bulkload.after_journal");
  for (const BulkLoadFile& file : files) {
    RETURN_IF_ERROR(MoveLoadedFile(env, paths_.directory, file));
    BENNU_FAILPOINT("bulkload.between_moves");
  }
  RETURN_IF_ERROR(SyncLoadedDirectories(env, paths_.directory, files));
  const auto set = stores();
  Bytes family;
  for (const BulkLoadFile& file : files) {
    const int index = set->Find(file.family);
    if (index < 0) return NotFound("family " + file.family + " was removed meanwhile");
    if (loaded->entries.empty() || family != file.family) {
      loaded->entries.push_back({set->entries[static_cast<size_t>(index)].store, {}});
      family = file.family;
    }
    LoadedStores::Entry& entry = loaded->entries.back();
    ASSIGN_OR_RETURN(auto opened, entry.store->OpenFile(file.name));
    entry.files.push_back(std::move(opened));
  }
  BENNU_FAILPOINT("bulkload.before_journal_removal");
  RETURN_IF_ERROR(RemoveBulkLoadJournal(env, paths_.directory));
  return Status::Ok();
}

// As if nothing had been; or, if that cannot be had, everything at the next opening, and no
// change until then that could come between.
Status Region::UndoLoad(const std::vector<BulkLoadFile>& files, const Status& reason) {
  Env* const env = services_->env;
  const auto undo = [&]() -> Status {
    for (const BulkLoadFile& file : files) {
      RETURN_IF_ERROR(ReturnLoadedFile(env, paths_.directory, file));
    }
    RETURN_IF_ERROR(SyncLoadedDirectories(env, paths_.directory, files));
    ASSIGN_OR_RETURN(const auto journal, ReadBulkLoadJournal(env, paths_.directory));
    if (!journal.has_value()) return env->SyncDirectory(paths_.directory);
    return RemoveBulkLoadJournal(env, paths_.directory);
  };
  const Status undone = undo();
  if (undone.ok()) return reason;
  services_->gate->Close("a bulk load could neither be completed nor given up (" +
                             undone.message() + "); reopen the store, which completes it",
                         true);
  return reason.Annotate("the store takes no more writes, opening it again completes the load");
}

Status Region::PublishLoaded(const LoadedStores& loaded) {
  WaitedCompletion published(services_->wal);
  RegionWrite write(services_->mvcc, &published, /*is_attended=*/true);
  const ByteView marker = loaded.marker;
  wal::AppendRequest request;
  request.region = wal_region_;
  request.cells = std::span<const ByteView>(&marker, 1);
  request.cell_count = 1;
  request.write_time_ms = static_cast<uint64_t>(services_->clock->NowMillis());
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
    std::unique_lock update(update_mu_);
    for (const auto& entry : loaded.entries) {
      entry.store->AddLoadedFiles(entry.files, visible_from);
    }
    loads_.fetch_add(1);
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
Status Region::AwaitReadPoint() {
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
