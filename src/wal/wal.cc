// The side of the log that many threads call: everything but files.
#include "src/wal/wal.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/check.h"
#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/no_wait.h"
#include "src/base/status_macros.h"
#include "src/wal/wal_group.h"
#include "src/wal/wal_impl.h"

namespace bennu::wal {

namespace {

EntryParts PartsOf(const AppendRequest& request) {
  EntryParts parts;
  parts.region_fields = request.region->fields;
  parts.write_time_ms = request.write_time_ms;
  parts.nonce_group = request.nonce_group;
  parts.nonce = request.nonce;
  parts.scopes = request.scopes;
  parts.cells = request.cells;
  parts.cell_count = request.cell_count;
  parts.cells_checksum = CellsChecksum(request.cells);
  return parts;
}

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Result<std::unique_ptr<Wal>> Wal::Open(const WalOptions& options) {
  auto wal = std::make_unique<WalImpl>(options);
  RETURN_IF_ERROR(wal->Start());
  return std::unique_ptr<Wal>(std::move(wal));
}

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
    files_.push_back(internal::LogFile{writer_->path(), writer_->size(), false, {}});
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
  return suspended_;
}

Status WalImpl::CheckGeneration(std::optional<uint64_t> generation) const {
  if (!generation.has_value() || *generation == generation_.load(std::memory_order_relaxed)) {
    return Status::Ok();
  }
  return Status(StatusCode::kAborted, "writes that came before were given up");
}

uint64_t WalImpl::NextSequenceId(void (*on_sequence_id)(void*, uint64_t), void* context) {
  const uint64_t id = last_sequence_id_.load(std::memory_order_relaxed) + 1;
  last_sequence_id_.store(id, std::memory_order_release);
  if (on_sequence_id != nullptr) on_sequence_id(context, id);
  return id;
}

Status WalImpl::WaitForSpace(std::optional<uint64_t> generation) {
  while (active_.bytes.size() >= options_.buffer_size_max_bytes && status_.ok() && !closing_) {
    if (NoWaitScope::Refuses()) return WouldWait();
    work_.Signal();
    space_.Wait(&mu_);
  }
  RETURN_IF_ERROR(CheckUsable());
  return CheckGeneration(generation);
}

// 'tells_id': the request's 'on_sequence_id' is called.
void WalImpl::AddEntry(const AppendRequest& request, bool tells_id, EntryParts* parts) {
  const uint64_t id = NextSequenceId(tells_id ? request.on_sequence_id : nullptr, request.context);
  parts->sequence_id = id;
  AppendWalEntry(&active_.bytes, *parts);

  WalRegion* const region = request.region;
  if (region->buffer_number != active_number_) {
    region->buffer_number = active_number_;
    region->buffer_place = active_.regions.size();
    active_.regions.push_back({region, id});
  } else {
    active_.regions[region->buffer_place].sequence_id = id;
  }
  active_.last_ticket = ++last_ticket_;
  active_.last_sequence_id = id;
  ++metrics_.entries;
}

void WalImpl::WakeIfAsleep() {
  if (!asleep_) return;
  asleep_ = false;
  work_.Signal();
}

Result<Ticket> WalImpl::Append(const AppendRequest& request, uint64_t* sequence_id) {
  BENNU_FAILPOINT("wal.append");
  EntryParts parts = PartsOf(request);
  MutexLock lock(&mu_);
  RETURN_IF_ERROR(WaitForSpace(request.generation));
  AddEntry(request, /*tells_id=*/true, &parts);
  WakeIfAsleep();
  *sequence_id = parts.sequence_id;
  return last_ticket_;
}

Result<Ticket> WalImpl::AppendGroup(std::span<const AppendRequest> requests,
                                    uint64_t* last_sequence_id) {
  BENNU_CHECK(!requests.empty());
  if (requests.size() == 1) return Append(requests.front(), last_sequence_id);
  BENNU_FAILPOINT("wal.append");
  const auto count = static_cast<uint32_t>(requests.size());
  std::vector<EntryParts> entries(count);
  std::vector<Bytes> places(count);
  for (uint32_t i = 0; i < count; ++i) {
    entries[i] = PartsOf(requests[i]);
    places[i] = EncodeAttribute(kGroupAttribute, EncodeGroupPlace({count, i}));
    entries[i].attributes = places[i];
  }
  // All under one lock, and so in one round: what is written, cut off or given up is whole groups.
  MutexLock lock(&mu_);
  RETURN_IF_ERROR(WaitForSpace(requests.front().generation));
  for (uint32_t i = 0; i < count; ++i) AddEntry(requests[i], i + 1 == count, &entries[i]);
  WakeIfAsleep();
  *last_sequence_id = entries.back().sequence_id;
  return last_ticket_;
}

uint64_t WalImpl::TakeSequenceId(void (*on_sequence_id)(void*, uint64_t), void* context) {
  MutexLock lock(&mu_);
  return NextSequenceId(on_sequence_id, context);
}

Result<uint64_t> WalImpl::TakeSequenceIdIn(uint64_t generation,
                                           void (*on_sequence_id)(void*, uint64_t), void* context) {
  MutexLock lock(&mu_);
  RETURN_IF_ERROR(CheckGeneration(generation));
  return NextSequenceId(on_sequence_id, context);
}

void WalImpl::SkipSequenceIds(uint64_t last) {
  MutexLock lock(&mu_);
  if (last > last_sequence_id_.load(std::memory_order_relaxed)) {
    last_sequence_id_.store(last, std::memory_order_release);
  }
}

Ticket WalImpl::last_ticket() const {
  MutexLock lock(&mu_);
  return last_ticket_;
}

// OK: it was not. There are few ranges, and tickets are asked for soon after they were given out.
Status WalImpl::WhyGivenUp(Ticket ticket) const {
  for (auto range = given_up_.rbegin(); range != given_up_.rend(); ++range) {
    if (ticket > range->last) break;
    if (ticket > range->after) return range->cause;
  }
  return Status::Ok();
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
    if (level != SyncLevel::kNone) result = WhyGivenUp(ticket);
    if (result.ok() && !IsDone(ticket, level)) {
      result = stopped_ ? CheckUsable() : status_;
      if (result.ok()) result = suspended_;  // nothing is written until appends are taken again
      if (result.ok()) {
        waiter->ticket_ = ticket;
        waiter->level_ = level;
        const bool attended = waiter->attended;
        waiters_.Push(waiter);
        sync_wanted_ |= level == SyncLevel::kFdatasync;
        if (!attended) {
          asleep_ = false;
          work_.Signal();
        }
        return;
      }
    }
  }
  waiter->OnSynced(result);
}

void WalImpl::Lead() {
  {
    MutexLock lock(&mu_);
    // Of a round under way its leader takes care, and of what it leaves behind the sync thread.
    if (in_round_ || waiters_.empty() || closing_ || !status_.ok()) return;
    in_round_ = true;
  }
  Round();
  EndRound();
}

void WalImpl::LeadUnsynced() {
  {
    MutexLock lock(&mu_);
    if (in_round_ || waiters_.empty() || closing_ || !status_.ok()) return;
    if (sync_wanted_ || rolls_asked_ != rolls_done_ || writer_->size() >= roll_at_bytes_) {
      asleep_ = false;
      work_.Signal();
      return;
    }
    in_round_ = true;
  }
  Round();
  EndRound();
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
  std::erase_if(files_, [&path](const internal::LogFile& file) { return file.path == path; });
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

Status WalImpl::suspended() const {
  MutexLock lock(&mu_);
  return suspended_;
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

}  // namespace bennu::wal
