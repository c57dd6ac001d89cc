// The sync thread and the rounds. A round: take the active buffer and the waiters; write; answer
// those who asked for the write only; fdatasync if anyone asked for more; answer them; roll if the
// file is full.
#include <fmt/format.h>

#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/wal/wal_impl.h"

namespace bennu::wal {

void WalImpl::RunAll(WaiterList list, const Status& status) {
  for (SyncWaiter* waiter = list.first; waiter != nullptr;) {
    SyncWaiter* const next = waiter->next_;  // the waiter may be gone after its call
    waiter->OnSynced(status);
    waiter = next;
  }
}

void WalImpl::Run() {
  while (WaitForWork()) {
    Round();
    EndRound();
  }
}

void WalImpl::EndRound() {
  MutexLock lock(&mu_);
  in_round_ = false;
  // While writing is suspended no append wakes the log's thread, which is to try again.
  if (HasWork() || !suspended_.ok()) {
    asleep_ = false;
    work_.Signal();
  }
}

bool WalImpl::HasWork() const {
  return !waiters_.empty() || rolls_asked_ != rolls_done_ || closing_ ||
         active_.bytes.size() >= options_.buffer_size_max_bytes / 2;
}

// Returns true with in_round_ set, or false when the thread has to end.
bool WalImpl::WaitForWork() {
  MutexLock lock(&mu_);
  bool timed_out = false;
  while (in_round_ || !HasWork()) {
    if (!suspended_.ok()) {
      // Nobody may append and wake us; the round tries to write again.
      const bool passed = !work_.WaitFor(&mu_, std::chrono::milliseconds(options_.retry_ms));
      if (passed && !in_round_) break;
      continue;
    }
    if (!in_round_ && timed_out && !active_.bytes.empty()) break;
    if (active_.bytes.empty() && timed_out) {
      // Nothing came for a while: sleep until an append wakes us, without ticking.
      asleep_ = true;
      while (asleep_ && !closing_) work_.Wait(&mu_);
      asleep_ = false;
      timed_out = false;
      continue;
    }
    timed_out = !work_.WaitFor(&mu_, std::chrono::milliseconds(options_.async_flush_ms));
  }
  if (!status_.ok()) return false;
  if (closing_ && active_.bytes.empty() && waiters_.empty() && rolls_asked_ == rolls_done_) {
    return false;
  }
  in_round_ = true;
  return true;
}

void WalImpl::Round() {
  WaiterList taken;
  bool roll_asked;
  uint64_t rolls_asked;
  if (is_cut_) return Resume();
  {
    MutexLock lock(&mu_);
    std::swap(active_, writing_);
    ++active_number_;
    taken = waiters_;
    waiters_ = {};
    sync_wanted_ = false;
    rolls_asked = rolls_asked_;
    roll_asked = rolls_asked != rolls_done_;
    space_.SignalAll();
  }
  WaiterList want_write;
  WaiterList want_sync;
  for (SyncWaiter* waiter = taken.first; waiter != nullptr;) {
    SyncWaiter* const next = waiter->next_;
    (waiter->level_ == SyncLevel::kFdatasync ? want_sync : want_write).Push(waiter);
    waiter = next;
  }

  Status status = WriteBuffer();
  if (!status.ok() && is_cut_ && options_.give_up != nullptr && this->status().ok()) {
    GiveUp(status);
    AnswerByTicket(want_write, suspended());
    AnswerByTicket(want_sync, suspended());
    return TellGivenUp();
  }
  if (!status.ok()) Poison(status);
  RunAll(want_write, this->status());
  if (status.ok() && !want_sync.empty()) {
    status = SyncFile();
    if (!status.ok()) Poison(status);
  }
  RunAll(want_sync, this->status());
  if (status.ok()) RollIfAsked(roll_asked, rolls_asked);
  if (!this->status().ok()) AnswerLateWaiters();
}

Status WalImpl::WriteBuffer() {
  if (writing_.bytes.empty()) return Status::Ok();
  const uint64_t good_size = writer_->size();
  const Status written = writer_->Append(writing_.bytes);
  if (!written.ok()) RETURN_IF_ERROR(WriteElsewhere(good_size, written));
  MutexLock lock(&mu_);
  NoteWritten(&writing_);
  return Status::Ok();
}

void WalImpl::NoteWritten(internal::Buffer* buffer) {
  internal::LogFile& file = files_.back();
  file.size_bytes = writer_->size();
  file.has_entries = true;
  for (const internal::RegionHighest& entry : buffer->regions) {
    uint64_t& highest = file.highest[entry.region];
    highest = std::max(highest, entry.sequence_id);
  }
  written_ticket_ = buffer->last_ticket;
  written_sequence_id_ = buffer->last_sequence_id;
  ++metrics_.writes;
  metrics_.bytes += buffer->bytes.size();
  buffer->Clear();
}

Status WalImpl::SyncFile() {
  Ticket written;
  {
    MutexLock lock(&mu_);
    written = written_ticket_;
    if (synced_ticket_ == written) return Status::Ok();
  }
  BENNU_FAILPOINT("wal.before_sync");
  RETURN_IF_ERROR(writer_->Sync());
  BENNU_FAILPOINT("wal.after_sync");
  MutexLock lock(&mu_);
  synced_ticket_ = written;
  ++metrics_.syncs;
  return Status::Ok();
}

// 'rolls_asked' is the count of Roll calls when the round began: later ones want a roll of their
// own, since entries may have been appended before them.
void WalImpl::RollIfAsked(bool asked, uint64_t rolls_asked) {
  if (!asked && writer_->size() < roll_at_bytes_) return;
  const Status status = SwitchFile();
  if (!status.ok()) {
    LogWarning("the write-ahead log goes on with {}: {}", writer_->path(), status.ToString());
    // Not again at once: a full disk would be asked with every round.
    roll_at_bytes_ = writer_->size() + options_.roll_size_bytes;
  }
  MutexLock lock(&mu_);
  rolls_done_ = rolls_asked;
  roll_status_ = status;
  rolled_.SignalAll();
}

Result<std::unique_ptr<WalFileWriter>> WalImpl::CreateFile() {
  const std::string prefix = EncodeServerName(options_.server_name);
  while (true) {
    last_file_ms_ = std::max(options_.env->NowMillis(), last_file_ms_ + 1);
    auto created = WalFileWriter::Create(
        options_.env, JoinPath(directory_, fmt::format("{}.{}", prefix, last_file_ms_)));
    if (created.ok() || created.status().code() != StatusCode::kAlreadyExists) return created;
  }
}

// The old file is synced before it is left: a later fdatasync reaches only the new one.
Status WalImpl::SwitchFile() {
  ASSIGN_OR_RETURN(std::unique_ptr<WalFileWriter> next, CreateFile());
  BENNU_FAILPOINT("wal.roll");
  const Status synced = SyncFile();
  if (!synced.ok()) {
    Poison(synced);
    return synced;
  }
  const Status closed = writer_->Close();
  if (!closed.ok()) {
    // All entries are safe; without its trailer the file reads as that of a crash.
    LogWarning("closing write-ahead log {}: {}", writer_->path(), closed.ToString());
  }
  {
    MutexLock lock(&mu_);
    files_.back().size_bytes = writer_->size();
  }
  Adopt(std::move(next));
  return Status::Ok();
}

void WalImpl::Adopt(std::unique_ptr<WalFileWriter> next) {
  writer_ = std::move(next);
  roll_at_bytes_ = options_.roll_size_bytes;
  MutexLock lock(&mu_);
  files_.push_back(internal::LogFile{writer_->path(), writer_->size(), false, {}});
  ++metrics_.rolls;
}

void WalImpl::Poison(const Status& cause) {
  MutexLock lock(&mu_);
  if (!status_.ok()) return;
  status_ = cause.Annotate(fmt::format(
      "write-ahead log {}: a write or fdatasync failed, so nothing more is acknowledged; close the "
      "store, mend the disk and open it again, which recovers all that was acknowledged",
      writer_->path()));
  LogError("{}", status_.ToString());
}

// Answers whoever came after the last round with the log's status.
void WalImpl::AnswerLateWaiters() {
  WaiterList late;
  Status status;
  {
    MutexLock lock(&mu_);
    late = waiters_;
    waiters_ = {};
    status = status_;
    rolled_.SignalAll();
    space_.SignalAll();
  }
  RunAll(late, status);
}

// After the thread has ended.
Status WalImpl::Finish() {
  // What was answered without being written gets one more chance.
  if (is_cut_ && this->status().ok()) Resume();
  Status status = this->status();
  if (status.ok()) status = suspended();
  if (status.ok()) {
    const Status synced = SyncFile();
    if (!synced.ok()) Poison(synced);
    status = this->status();
  }
  if (status.ok()) status = writer_->Close();
  {
    MutexLock lock(&mu_);
    stopped_ = true;
    if (!is_cut_) files_.back().size_bytes = writer_->size();
  }
  AnswerLateWaiters();  // with OK, if all went well: they came after the last round
  return status;
}

}  // namespace bennu::wal
