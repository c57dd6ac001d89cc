// What follows a failed write of the log, by whoever has set in_round_:
//
//   cut      the file ends again where the round began, durably: nothing torn stands between the
//            entries before and those of the next file, and nothing that is given up comes back
//   go on    what was to be written goes to a new file, as after HBase's roll; nobody notices
//   give up  if that fails too: all that was appended and not answered, also behind this round
//   resume   again and again, until a new file can be written
//
// What can be neither cut nor removed poisons the log.
#include <fmt/format.h>

#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/wal/entry_decoder.h"
#include "src/wal/wal_impl.h"

namespace bennu::wal {

Status WalImpl::CutFile(uint64_t good_size) {
  BENNU_FAILPOINT("wal.before_cut");
  RETURN_IF_ERROR(options_.env->TruncateFile(writer_->path(), good_size));
  RETURN_IF_ERROR(writer_->Sync());
  is_cut_ = true;
  MutexLock lock(&mu_);
  files_.back().size_bytes = good_size;
  synced_ticket_ = written_ticket_;
  return Status::Ok();
}

Status WalImpl::WriteElsewhere(uint64_t good_size, const Status& cause) {
  if (const Status cut = CutFile(good_size); !cut.ok()) {
    LogError("write-ahead log {}: {}", writer_->path(), cut.ToString());
    Poison(cause);
    return cause;
  }
  ASSIGN_OR_RETURN(auto next, CreateFileWith(writing_.bytes, false));
  LogWarning("{}; the write-ahead log goes on in {}", cause.ToString(), next->path());
  AdoptAfterCut(std::move(next));
  return Status::Ok();
}

Result<std::unique_ptr<WalFileWriter>> WalImpl::CreateFileWith(ByteView entries, bool sync) {
  ASSIGN_OR_RETURN(std::unique_ptr<WalFileWriter> file, CreateFile());
  Status status = entries.empty() ? Status::Ok() : file->Append(entries);
  if (status.ok() && sync) status = file->Sync();
  if (status.ok()) return file;
  const std::string path = file->path();
  file.reset();
  Status removed = options_.env->RemoveFile(path);
  if (removed.ok()) removed = options_.env->SyncDirectory(directory_);
  if (!removed.ok()) {
    LogError("write-ahead log {}: {}", path, removed.ToString());
    if (!entries.empty()) Poison(status);
  }
  return status;
}

void WalImpl::AdoptAfterCut(std::unique_ptr<WalFileWriter> next) {
  std::string without_entries;
  {
    MutexLock lock(&mu_);
    if (!files_.back().has_entries) without_entries = files_.back().path;
  }
  Adopt(std::move(next));
  is_cut_ = false;
  if (without_entries.empty()) return;
  const Status removed = options_.env->RemoveFile(without_entries);
  if (!removed.ok()) {
    LogWarning("{} stays behind, without entries: {}", without_entries, removed.ToString());
  }
  MutexLock lock(&mu_);
  std::erase_if(files_, [&](const auto& file) { return file.path == without_entries; });
}

void WalImpl::GiveUp(const Status& cause) {
  MutexLock lock(&mu_);
  if (!status_.ok()) return;
  suspended_ = cause.Annotate(fmt::format(
      "write-ahead log {}: nothing can be written, and nothing of what was to be written "
      "has happened; writes are taken again once there is space on a disk that works",
      writer_->path()));
  LogError("{}", suspended_.ToString());
  const uint64_t last = last_sequence_id_.load(std::memory_order_relaxed);
  const uint64_t answered = options_.give_up->GiveUp(written_sequence_id_, last, suspended_);
  generation_.fetch_add(1, std::memory_order_release);
  kept_.Clear();
  Keep(writing_, answered);
  Keep(active_, answered);
  writing_.Clear();
  active_.Clear();
  ++active_number_;
  given_up_.push_back({written_ticket_, last_ticket_, suspended_});
  // Of the entries that are kept, and so that the last ticket of all is none of those.
  kept_.last_ticket = ++last_ticket_;
  rolls_done_ = rolls_asked_;
  roll_status_ = suspended_;
  rolled_.SignalAll();
  space_.SignalAll();
}

// Entries up to this id: those that were appended to be written at any time (ASYNC_WAL).
void WalImpl::Keep(const internal::Buffer& buffer, uint64_t up_to) {
  if (buffer.bytes.empty() || up_to <= written_sequence_id_) return;
  WalHeader header;
  header.has_checksums = true;
  EntryDecoder decoder(header, false);
  const ByteView bytes = buffer.bytes;
  size_t end = 0;
  while (end < bytes.size()) {
    WalEntry entry;
    size_t size = 0;
    std::string problem;
    const bool is_entry =
        decoder.Decode(bytes.substr(end), &entry, &size, &problem) == DecodeResult::kEntry;
    if (!is_entry || entry.key.sequence_id > up_to) break;
    kept_.last_sequence_id = entry.key.sequence_id;
    end += size;
  }
  if (end == 0) return;
  kept_.bytes.append(bytes.substr(0, end));
  for (const internal::RegionHighest& entry : buffer.regions) {
    kept_.regions.push_back({entry.region, std::min(entry.sequence_id, up_to)});
  }
}

// What was written before the failure is durable since the file was cut.
void WalImpl::AnswerByTicket(WaiterList list, const Status& cause) {
  WaiterList done;
  WaiterList given_up;
  {
    MutexLock lock(&mu_);
    for (SyncWaiter* waiter = list.first; waiter != nullptr;) {
      SyncWaiter* const next = waiter->next_;
      (waiter->ticket_ <= written_ticket_ ? done : given_up).Push(waiter);
      waiter = next;
    }
  }
  RunAll(done, Status::Ok());
  RunAll(given_up, cause);
}

void WalImpl::TellGivenUp() {
  WaiterList late;
  Status cause;
  {
    MutexLock lock(&mu_);
    late = waiters_;
    waiters_ = {};
    sync_wanted_ = false;
    cause = suspended_;
  }
  AnswerByTicket(late, cause);
  options_.give_up->TellGivenUp();
}

void WalImpl::Resume() {
  auto next = CreateFileWith(kept_.bytes, true);
  if (!next.ok()) return;
  AdoptAfterCut(std::move(next).value());
  MutexLock lock(&mu_);
  if (!kept_.bytes.empty()) NoteWritten(&kept_);
  written_ticket_ = synced_ticket_ = kept_.last_ticket;
  suspended_ = Status::Ok();
  LogInfo("the write-ahead log can be written again, in {}", writer_->path());
}

}  // namespace bennu::wal
