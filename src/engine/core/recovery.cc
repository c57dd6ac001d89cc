#include "src/engine/core/recovery.h"

#include <algorithm>
#include <utility>

#include "src/api/attributes.h"
#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/directory/meta_rows.h"
#include "src/engine/region/region_markers.h"
#include "src/wal/wal_group.h"

namespace bennu::engine {

namespace {

constexpr std::string_view kRecoveredEdits = "recovered.edits";

// The status of reading a log, with what helps when the log is damaged.
Status OfReading(const Status& status) {
  if (status.code() != StatusCode::kCorruption) return status.Annotate("recovery");
  return Corruption("recovery: " + std::string(status.message()) +
                    "; `bennu check --repair` saves what can be read and keeps the damaged log");
}

}  // namespace

Status LogRecovery::Find() {
  RETURN_IF_ERROR(list_.Look());
  for (const LogList::Log& log : list_.logs()) {
    // A process that was killed may have left entries that the disk does not have yet. What is
    // made of them is flushed region by region, and of a group over several regions all or none
    // must stay.
    if (!read_only_) RETURN_IF_ERROR(env_->SyncFile(log.path));
    ASSIGN_OR_RETURN(File file, OpenLog(log, true, !read_only_));
    files_.push_back(std::move(file));
  }
  return Status::Ok();
}

// The logs for the second pass, as they are now.
Status LogRecovery::FindAgain() {
  RETURN_IF_ERROR(list_.LookAgain());
  files_.clear();
  for (const LogList::Log& log : list_.logs()) {
    ASSIGN_OR_RETURN(File file, OpenLog(log, false, true));
    files_.push_back(std::move(file));
  }
  return Status::Ok();
}

Result<LogRecovery::File> LogRecovery::OpenLog(const LogList::Log& log, bool first_pass,
                                               bool second_pass) const {
  File file;
  file.path = log.path;
  for (const int pass : {0, 1}) {
    if (pass == 0 ? !first_pass : !second_pass) continue;
    auto opened = list_.Open(log);
    if (!opened.ok()) return OfReading(opened.status());
    file.readers[pass] = std::move(*opened);
  }
  return file;
}

Status LogRecovery::ForEachEntry(int pass,
                                 const std::function<Status(const wal::WalEntry&)>& body) {
  for (File& file : files_) {
    wal::WalReader* const reader = file.readers[pass].get();
    wal::WholeGroups groups(reader);
    wal::WalEntry entry;
    for (;;) {
      const auto more = groups.Next(&entry);
      if (!more.ok()) return OfReading(more.status());
      if (!*more) break;
      RETURN_IF_ERROR(body(entry));
    }
    if (pass == 0 && !read_only_ && reader->end() == wal::WalEnd::kTornTail) {
      LogWarning(
          "recovery: {} ends within an entry after {} bytes, as after a crash; what is cut "
          "off was not acknowledged",
          file.path, reader->valid_size());
    }
    if (pass == 0 && !read_only_ && groups.left_out() > 0) {
      LogWarning("recovery: {} has {} entries of a group that is not whole; they are left out",
                 file.path, groups.left_out());
    }
  }
  return Status::Ok();
}

Status LogRecovery::Apply(const wal::WalEntry& entry, Region* region) {
  Bytes family;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  if (!read_only_ && ParseCompactionMarker(entry, &family, &inputs, &outputs)) {
    return region->compactor()->FinishCompaction(family, inputs, outputs);
  }
  const uint64_t sequence_id =
      entry.key.original_sequence_id != 0 ? entry.key.original_sequence_id : entry.key.sequence_id;
  ASSIGN_OR_RETURN(const size_t cells,
                   region->writer()->Replay(entry.cells, entry.cell_count, sequence_id));
  if (cells == 0) return Status::Ok();
  ++replayed_edits_;
  uint64_t& last = replayed_[region];
  last = std::max(last, sequence_id);
  return Status::Ok();
}

// Changes that both passes must know of, or neither: of hbase:meta, and bulk loads, whose cells are
// not in the log.
void LogRecovery::CountChange(int pass, const wal::WalEntry& entry) {
  if (!read_only_) return;
  const bool is_change = entry.key.encoded_region == meta_region_ || IsBulkLoadMarker(entry);
  if (is_change) ++changes_[pass];
}

Status LogRecovery::Scan(Region* meta) {
  meta_region_ = meta->encoded_name();
  return ForEachEntry(0, [&](const wal::WalEntry& entry) {
    CountChange(0, entry);
    max_sequence_id_ = std::max(max_sequence_id_, entry.key.sequence_id);
    max_write_time_ = std::max(max_write_time_, static_cast<int64_t>(entry.key.write_time_ms));
    if (entry.key.encoded_region != meta->encoded_name()) return Status::Ok();
    return Apply(entry, meta);
  });
}

Status LogRecovery::Replay(const std::function<Region*(std::string_view encoded)>& find,
                           const std::function<bool()>& memory_is_short) {
  if (read_only_) RETURN_IF_ERROR(FindAgain());
  RETURN_IF_ERROR(ForEachEntry(1, [&](const wal::WalEntry& entry) {
    CountChange(1, entry);
    // In a log that its holder is writing, entries may have come since the first pass.
    max_sequence_id_ = std::max(max_sequence_id_, entry.key.sequence_id);
    Region* const region = find(entry.key.encoded_region);
    if (region == nullptr || region->is_meta()) return Status::Ok();
    RETURN_IF_ERROR(Apply(entry, region));
    if (!read_only_ && memory_is_short()) return FlushReplayed();
    return Status::Ok();
  }));
  if (changes_[0] == changes_[1]) return Status::Ok();
  return Status(StatusCode::kAborted, "hbase:meta changed, or files were bulk loaded");
}

Result<std::vector<std::string>> LogRecovery::RecoveredEdits(const Region& region) const {
  const std::string directory = JoinPath(region.directory(), kRecoveredEdits);
  ASSIGN_OR_RETURN(const bool exists, env_->Exists(directory));
  if (!exists) return std::vector<std::string>();
  return env_->ListDirectory(directory);
}

Status LogRecovery::NoteRecoveredEdits(const Region& region) {
  ASSIGN_OR_RETURN(auto names, RecoveredEdits(region));
  if (!names.empty()) noted_edits_[region.encoded_name()] = std::move(names);
  return Status::Ok();
}

Status LogRecovery::ReplayRecoveredEdits(Region* region) {
  const std::string directory = JoinPath(region->directory(), kRecoveredEdits);
  ASSIGN_OR_RETURN(const auto names, RecoveredEdits(*region));
  if (const auto noted = noted_edits_.find(region->encoded_name());
      noted != noted_edits_.end() && noted->second != names) {
    return Status(StatusCode::kAborted, "a process began to hold it and took over " + directory);
  }
  for (const std::string& name : names) {
    const std::string path = JoinPath(directory, name);
    const std::string_view stem = std::string_view(name).substr(0, name.find_first_of("._"));
    const auto number = api::ParseInteger(stem);
    if (!number || *number < 0) continue;
    max_sequence_id_ = std::max(max_sequence_id_, static_cast<uint64_t>(*number));
    if (stem.size() != name.size()) continue;  // "<id>.seqid", or a file that was being written
    auto opened = wal::WalReader::Open(env_, path);
    if (!opened.ok()) return OfReading(opened.status());
    const std::unique_ptr<wal::WalReader> reader = std::move(*opened);
    wal::WalEntry entry;
    for (;;) {
      const auto more = reader->Next(&entry);
      if (!more.ok()) return OfReading(more.status());
      if (!*more) break;
      max_sequence_id_ = std::max(max_sequence_id_, entry.key.sequence_id);
      RETURN_IF_ERROR(Apply(entry, region));
    }
    recovered_edits_.push_back(path);
  }
  return Status::Ok();
}

Status LogRecovery::FlushReplayed() {
  for (const auto& [region, sequence_id] : replayed_) {
    RETURN_IF_ERROR(region->flusher()->FlushReplayed(sequence_id).Annotate("recovery"));
    BENNU_FAILPOINT("recovery.after_region_flush");
  }
  replayed_.clear();
  return Status::Ok();
}

Status LogRecovery::Retire() {
  for (const std::string& path : recovered_edits_) RETURN_IF_ERROR(env_->RemoveFile(path));
  recovered_edits_.clear();
  if (files_.empty() && list_.directories().empty()) return Status::Ok();
  RETURN_IF_ERROR(env_->CreateDirectories(layout_.OldLogs()));
  BENNU_FAILPOINT("recovery.before_retire");
  for (const File& file : files_) {
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    RETURN_IF_ERROR(env_->Rename(file.path, JoinPath(layout_.OldLogs(), name)));
    BENNU_FAILPOINT("recovery.during_retire");
  }
  for (const std::string& directory : list_.directories()) {
    const Status removed = env_->RemoveEmptyDirectory(directory);
    // What is not a log stays where somebody has put it.
    if (!removed.ok() && removed.code() != StatusCode::kFailedPrecondition) return removed;
  }
  files_.clear();
  return env_->SyncDirectory(layout_.Logs());
}

}  // namespace bennu::engine
