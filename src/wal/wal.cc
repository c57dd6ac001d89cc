// The sync thread's round: take the active buffer and the waiters; write; answer those who asked
// for the write only; fdatasync if anyone asked for more; answer them; roll if the file is full.
#include "src/wal/wal.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <thread>
#include <unordered_map>

#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/mutex.h"
#include "src/wal/wal_writer.h"

namespace bennu::wal {

class WalRegion {
 public:
  WalRegion(ByteView encoded_region, ByteView table)
      : encoded(encoded_region), fields(EncodeRegionFields(encoded_region, table)) {}

  const Bytes encoded;
  const Bytes fields;  // of the WAL key, encoded
  // The rest is guarded by the log's mutex.
  uint64_t flushed_sequence_id = 0;
  uint64_t buffer_number = 0;  // of the last buffer that got an entry of this region …
  size_t buffer_place = 0;     // … and where in its 'regions' the region stands
};

namespace {

struct RegionHighest {
  WalRegion* region;
  uint64_t sequence_id;
};

// Entries on their way to the file.
struct Buffer {
  Bytes bytes;
  std::vector<RegionHighest> regions;  // each once
  Ticket last_ticket = 0;

  void Clear() {
    bytes.clear();
    regions.clear();
  }
};

struct LogFile {
  std::string path;
  uint64_t size_bytes = 0;
  std::map<WalRegion*, uint64_t> highest;  // sequence id per region

  // Whether a region has entries here that are in no store file.
  bool Needed() const {
    return std::any_of(highest.begin(), highest.end(), [](const auto& entry) {
      return entry.second > entry.first->flushed_sequence_id;
    });
  }
};

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

class WalImpl final : public Wal {
 public:
  explicit WalImpl(const WalOptions& options)
      : options_(options),
        directory_(WalDirectory(options.wal_root, options.server_name)),
        old_directory_(OldWalDirectory(options.wal_root)),
        last_sequence_id_(options.first_sequence_id - 1) {}
  ~WalImpl() override;

  Status Start();

  WalRegion* RegisterRegion(ByteView encoded_region, ByteView table) override;
  Result<Ticket> Append(const AppendRequest& request, uint64_t* sequence_id) override;
  uint64_t TakeSequenceId(void (*on_sequence_id)(void*, uint64_t), void* context) override;
  uint64_t last_sequence_id() const override {
    return last_sequence_id_.load(std::memory_order_acquire);
  }
  Ticket last_ticket() const override;
  void WhenSynced(Ticket ticket, SyncLevel level, SyncWaiter* waiter) override;
  Status Roll() override;
  std::vector<std::string> RegionFlushed(ByteView encoded_region,
                                         uint64_t flushed_sequence_id) override;
  std::vector<std::string> UnneededFiles() const override;
  Status ArchiveFile(const std::string& path) override;
  std::vector<std::string> RegionsHoldingOldestFile() const override;
  std::vector<FileInfo> files() const override;
  Metrics metrics() const override;
  Status status() const override;
  Status Close() override;

 private:
  // First in, first out, linked through SyncWaiter::next_.
  struct WaiterList {
    SyncWaiter* first = nullptr;
    SyncWaiter* last = nullptr;
    void Push(SyncWaiter* waiter) {
      waiter->next_ = nullptr;
      (first == nullptr ? first : last->next_) = waiter;
      last = waiter;
    }
    bool empty() const { return first == nullptr; }
  };
  static void RunAll(WaiterList list, const Status& status);

  Status CheckUsable() const REQUIRES(mu_);
  bool IsDone(Ticket ticket, SyncLevel level) const REQUIRES(mu_);
  bool HasWork() const REQUIRES(mu_);
  std::vector<std::string> UnneededFilesLocked() const REQUIRES(mu_);

  // ---- on the sync thread
  void Run();
  bool WaitForWork();
  void Round();
  Status WriteBuffer();
  Status SyncFile();
  void RollIfAsked(bool asked, uint64_t rolls_asked);
  Result<std::unique_ptr<WalFileWriter>> CreateFile();
  Status SwitchFile();
  void Poison(const Status& cause);
  void AnswerLateWaiters();
  Status Finish();

  const WalOptions options_;
  const std::string directory_;
  const std::string old_directory_;

  mutable Mutex mu_;
  CondVar work_;   // the sync thread waits here
  CondVar space_;  // appenders wait here while the buffer is full
  CondVar rolled_;
  Buffer active_ GUARDED_BY(mu_);
  uint64_t active_number_ GUARDED_BY(mu_) = 1;
  Ticket last_ticket_ GUARDED_BY(mu_) = 0;
  Ticket written_ticket_ GUARDED_BY(mu_) = 0;
  Ticket synced_ticket_ GUARDED_BY(mu_) = 0;
  WaiterList waiters_ GUARDED_BY(mu_);
  Status status_ GUARDED_BY(mu_);
  bool closing_ GUARDED_BY(mu_) = false;
  bool stopped_ GUARDED_BY(mu_) = false;  // the file is closed; nobody serves waiters any more
  bool asleep_ GUARDED_BY(mu_) = false;   // the thread waits without a limit: appends must wake it
  uint64_t rolls_asked_ GUARDED_BY(mu_) = 0;
  uint64_t rolls_done_ GUARDED_BY(mu_) = 0;
  Status roll_status_ GUARDED_BY(mu_);
  std::unordered_map<Bytes, std::unique_ptr<WalRegion>> regions_ GUARDED_BY(mu_);
  std::deque<LogFile> files_ GUARDED_BY(mu_);  // the last one is being written
  Metrics metrics_ GUARDED_BY(mu_);
  // Written under mu_ only; read anywhere. Stale is harmless: ids only grow.
  std::atomic<uint64_t> last_sequence_id_;

  // ---- of the sync thread alone (and of Start and Close, when it does not run)
  std::unique_ptr<WalFileWriter> writer_;
  Buffer writing_;
  uint64_t roll_at_bytes_ = 0;
  int64_t last_file_ms_ = 0;
  std::thread thread_;
};

WalImpl::~WalImpl() {
  const Status status = Close();
  if (!status.ok()) LogError("closing the write-ahead log: {}", status.ToString());
}

Status WalImpl::Start() {
  RETURN_IF_ERROR(options_.env->CreateDirectories(directory_));
  RETURN_IF_ERROR(options_.env->CreateDirectories(old_directory_));
  RETURN_IF_ERROR(options_.env->SyncDirectory(options_.wal_root));
  RETURN_IF_ERROR(options_.env->SyncDirectory(JoinPath(options_.wal_root, "WALs")));
  ASSIGN_OR_RETURN(writer_, CreateFile());
  roll_at_bytes_ = options_.roll_size_bytes;
  {
    MutexLock lock(&mu_);
    files_.push_back(LogFile{writer_->path(), writer_->size(), {}});
  }
  thread_ = std::thread([this] { Run(); });
  return Status::Ok();
}

// ---- callers' side

WalRegion* WalImpl::RegisterRegion(ByteView encoded_region, ByteView table) {
  MutexLock lock(&mu_);
  std::unique_ptr<WalRegion>& region = regions_[Bytes(encoded_region)];
  if (region == nullptr) region = std::make_unique<WalRegion>(encoded_region, table);
  return region.get();
}

Status WalImpl::CheckUsable() const {
  if (!status_.ok()) return status_;
  if (closing_) return FailedPrecondition("the write-ahead log is closed");
  return Status::Ok();
}

Result<Ticket> WalImpl::Append(const AppendRequest& request, uint64_t* sequence_id) {
  BENNU_FAILPOINT("wal.append");
  EntryParts parts;
  parts.region_fields = request.region->fields;
  parts.write_time_ms = request.write_time_ms;
  parts.nonce_group = request.nonce_group;
  parts.nonce = request.nonce;
  parts.scopes = request.scopes;
  parts.cells = request.cells;
  parts.cell_count = request.cell_count;

  MutexLock lock(&mu_);
  while (active_.bytes.size() >= options_.buffer_size_max_bytes && status_.ok() && !closing_) {
    work_.Signal();
    space_.Wait(&mu_);
  }
  RETURN_IF_ERROR(CheckUsable());
  const uint64_t id = last_sequence_id_.load(std::memory_order_relaxed) + 1;
  last_sequence_id_.store(id, std::memory_order_release);
  parts.sequence_id = id;
  AppendWalEntry(&active_.bytes, parts);

  WalRegion* const region = request.region;
  if (region->buffer_number != active_number_) {
    region->buffer_number = active_number_;
    region->buffer_place = active_.regions.size();
    active_.regions.push_back({region, id});
  } else {
    active_.regions[region->buffer_place].sequence_id = id;
  }
  const Ticket ticket = ++last_ticket_;
  active_.last_ticket = ticket;
  ++metrics_.entries;
  if (request.on_sequence_id != nullptr) request.on_sequence_id(request.context, id);
  if (asleep_) {
    asleep_ = false;
    work_.Signal();
  }
  *sequence_id = id;
  return ticket;
}

uint64_t WalImpl::TakeSequenceId(void (*on_sequence_id)(void*, uint64_t), void* context) {
  MutexLock lock(&mu_);
  const uint64_t id = last_sequence_id_.load(std::memory_order_relaxed) + 1;
  last_sequence_id_.store(id, std::memory_order_release);
  if (on_sequence_id != nullptr) on_sequence_id(context, id);
  return id;
}

Ticket WalImpl::last_ticket() const {
  MutexLock lock(&mu_);
  return last_ticket_;
}

bool WalImpl::IsDone(Ticket ticket, SyncLevel level) const {
  switch (level) {
    case SyncLevel::kNone: return status_.ok();
    case SyncLevel::kWrite: return ticket <= written_ticket_;
    case SyncLevel::kFdatasync: return ticket <= synced_ticket_;
  }
  return false;
}

void WalImpl::WhenSynced(Ticket ticket, SyncLevel level, SyncWaiter* waiter) {
  Status result;
  {
    MutexLock lock(&mu_);
    if (!IsDone(ticket, level)) {
      result = stopped_ ? CheckUsable() : status_;
      if (result.ok()) {
        waiter->ticket_ = ticket;
        waiter->level_ = level;
        waiters_.Push(waiter);
        asleep_ = false;
        work_.Signal();
        return;
      }
    }
  }
  waiter->OnSynced(result);
}

Status WalImpl::Roll() {
  MutexLock lock(&mu_);
  RETURN_IF_ERROR(CheckUsable());
  const uint64_t mine = ++rolls_asked_;
  asleep_ = false;
  work_.Signal();
  while (rolls_done_ < mine && status_.ok()) rolled_.Wait(&mu_);
  return status_.ok() ? roll_status_ : status_;
}

std::vector<std::string> WalImpl::UnneededFilesLocked() const {
  std::vector<std::string> paths;
  for (size_t i = 0; i + 1 < files_.size(); ++i) {
    if (!files_[i].Needed()) paths.push_back(files_[i].path);
  }
  return paths;
}

std::vector<std::string> WalImpl::RegionFlushed(ByteView encoded_region,
                                                uint64_t flushed_sequence_id) {
  MutexLock lock(&mu_);
  const auto found = regions_.find(Bytes(encoded_region));
  if (found != regions_.end()) {
    uint64_t& flushed = found->second->flushed_sequence_id;
    flushed = std::max(flushed, flushed_sequence_id);
  }
  return UnneededFilesLocked();
}

std::vector<std::string> WalImpl::UnneededFiles() const {
  MutexLock lock(&mu_);
  return UnneededFilesLocked();
}

Status WalImpl::ArchiveFile(const std::string& path) {
  {
    MutexLock lock(&mu_);
    const std::vector<std::string> unneeded = UnneededFilesLocked();
    if (std::find(unneeded.begin(), unneeded.end(), path) == unneeded.end()) {
      return FailedPrecondition(
          fmt::format("write-ahead log {} is still needed, or is not one of this log", path));
    }
  }
  RETURN_IF_ERROR(options_.env->Rename(path, JoinPath(old_directory_, BaseName(path))));
  MutexLock lock(&mu_);
  std::erase_if(files_, [&path](const LogFile& file) { return file.path == path; });
  return Status::Ok();
}

std::vector<std::string> WalImpl::RegionsHoldingOldestFile() const {
  MutexLock lock(&mu_);
  std::vector<std::string> names;
  for (size_t i = 0; i + 1 < files_.size() && names.empty(); ++i) {
    for (const auto& [region, highest] : files_[i].highest) {
      if (highest > region->flushed_sequence_id) names.push_back(region->encoded);
    }
  }
  return names;
}

std::vector<Wal::FileInfo> WalImpl::files() const {
  MutexLock lock(&mu_);
  std::vector<FileInfo> infos;
  for (size_t i = 0; i < files_.size(); ++i) {
    infos.push_back({files_[i].path, files_[i].size_bytes, i + 1 == files_.size()});
  }
  return infos;
}

Wal::Metrics WalImpl::metrics() const {
  MutexLock lock(&mu_);
  return metrics_;
}

Status WalImpl::status() const {
  MutexLock lock(&mu_);
  return status_;
}

Status WalImpl::Close() {
  {
    MutexLock lock(&mu_);
    if (closing_) return Status::Ok();
    closing_ = true;
    work_.Signal();
    space_.SignalAll();
  }
  if (!thread_.joinable()) return Status::Ok();
  thread_.join();
  return Finish();
}

// ---- the sync thread's side

void WalImpl::RunAll(WaiterList list, const Status& status) {
  for (SyncWaiter* waiter = list.first; waiter != nullptr;) {
    SyncWaiter* const next = waiter->next_;  // the waiter may be gone after its call
    waiter->OnSynced(status);
    waiter = next;
  }
}

void WalImpl::Run() {
  while (WaitForWork()) Round();
}

bool WalImpl::HasWork() const {
  return !waiters_.empty() || rolls_asked_ != rolls_done_ || closing_ ||
         active_.bytes.size() >= options_.buffer_size_max_bytes / 2;
}

// Returns false when the thread has to end.
bool WalImpl::WaitForWork() {
  MutexLock lock(&mu_);
  if (!status_.ok()) return false;
  bool timed_out = false;
  while (!HasWork()) {
    if (timed_out && !active_.bytes.empty()) return true;
    if (active_.bytes.empty() && timed_out) {
      // Nothing came for a while: sleep until an append wakes us, without ticking.
      asleep_ = true;
      while (asleep_ && !HasWork()) work_.Wait(&mu_);
      asleep_ = false;
      timed_out = false;
      continue;
    }
    timed_out = !work_.WaitFor(&mu_, std::chrono::milliseconds(options_.async_flush_ms));
  }
  return !(closing_ && active_.bytes.empty() && waiters_.empty() && rolls_asked_ == rolls_done_);
}

void WalImpl::Round() {
  WaiterList taken;
  bool roll_asked;
  uint64_t rolls_asked;
  {
    MutexLock lock(&mu_);
    std::swap(active_, writing_);
    ++active_number_;
    taken = waiters_;
    waiters_ = {};
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
  const Status written = writer_->Append(writing_.bytes);
  MutexLock lock(&mu_);
  // Also after a failure: some of it may be in the file.
  LogFile& file = files_.back();
  file.size_bytes = writer_->size();
  for (const RegionHighest& entry : writing_.regions) {
    uint64_t& highest = file.highest[entry.region];
    highest = std::max(highest, entry.sequence_id);
  }
  if (written.ok()) {
    written_ticket_ = writing_.last_ticket;
    ++metrics_.writes;
    metrics_.bytes += writing_.bytes.size();
  }
  writing_.Clear();
  return written;
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
  const uint64_t old_size = writer_->size();
  writer_ = std::move(next);
  roll_at_bytes_ = options_.roll_size_bytes;
  MutexLock lock(&mu_);
  files_.back().size_bytes = old_size;
  files_.push_back(LogFile{writer_->path(), writer_->size(), {}});
  ++metrics_.rolls;
  return Status::Ok();
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
  Status status = this->status();
  if (status.ok()) {
    const Status synced = SyncFile();
    if (!synced.ok()) Poison(synced);
    status = this->status();
  }
  if (status.ok()) status = writer_->Close();
  {
    MutexLock lock(&mu_);
    stopped_ = true;
    files_.back().size_bytes = writer_->size();
  }
  AnswerLateWaiters();  // with OK, if all went well: they came after the last round
  return status;
}

// ---- what is built on the above

namespace {

class FunctionWaiter final : public SyncWaiter {
 public:
  explicit FunctionWaiter(std::function<void(const Status&)> done) : done_(std::move(done)) {}
  void OnSynced(const Status& status) override {
    done_(status);
    delete this;
  }

 private:
  std::function<void(const Status&)> done_;
};

class BlockingWaiter final : public SyncWaiter {
 public:
  void OnSynced(const Status& status) override {
    MutexLock lock(&mu_);
    status_ = status;
    done_ = true;
    condition_.Signal();
  }
  Status Wait() {
    MutexLock lock(&mu_);
    while (!done_) condition_.Wait(&mu_);
    return status_;
  }

 private:
  Mutex mu_;
  CondVar condition_;
  bool done_ GUARDED_BY(mu_) = false;
  Status status_ GUARDED_BY(mu_);
};

}  // namespace

void Wal::WhenSynced(Ticket ticket, SyncLevel level, std::function<void(const Status&)> done) {
  WhenSynced(ticket, level, new FunctionWaiter(std::move(done)));
}

Status Wal::WaitSynced(Ticket ticket, SyncLevel level) {
  BlockingWaiter waiter;
  WhenSynced(ticket, level, &waiter);
  return waiter.Wait();
}

Status Wal::SyncAll() { return WaitSynced(last_ticket(), SyncLevel::kFdatasync); }

Result<std::unique_ptr<Wal>> Wal::Open(const WalOptions& options) {
  auto wal = std::make_unique<WalImpl>(options);
  RETURN_IF_ERROR(wal->Start());
  return std::unique_ptr<Wal>(std::move(wal));
}

std::string EncodeServerName(ByteView server_name) {
  std::string out;
  for (const char c : server_name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '-' || c == '*' || c == '_';
    if (plain) {
      out.push_back(c);
    } else {
      out += c == ' ' ? "+" : fmt::format("%{:02X}", static_cast<uint8_t>(c));
    }
  }
  return out;
}

std::string WalDirectory(const std::string& wal_root, const std::string& server_name) {
  return JoinPath(JoinPath(wal_root, "WALs"), server_name);
}

std::string OldWalDirectory(const std::string& wal_root) { return JoinPath(wal_root, "oldWALs"); }

}  // namespace bennu::wal
