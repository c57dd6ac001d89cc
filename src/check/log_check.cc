#include "src/check/log_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/engine/directory/meta_rows.h"
#include "src/wal/log_file.h"
#include "src/wal/wal_reader.h"

namespace bennu::check {

namespace {

// What a log was found to be, but for the damage in it, which is told at once.
struct Log {
  std::string path;
  int64_t created = 0;  // as its name says
  uint64_t size_bytes = 0;
  uint64_t valid_bytes = 0;  // up to the last whole entry
  bool has_header = false;
  bool has_entries = false;
  bool has_checksums = false;  // of Bennu's making
  bool is_torn = false;        // ends within an entry or its header
  bool is_told = false;        // damaged
};

constexpr std::string_view kMoveRemedy = "move it to corrupt/";

void KeepEdit(CheckRun* run, const wal::WalEntry& entry) {
  run->max_logged_sequence_id = std::max(run->max_logged_sequence_id, entry.key.sequence_id);
  if (entry.key.table != engine::MetaTableName().ToString() &&
      entry.key.table != engine::NamespaceTableName().ToString()) {
    return;
  }
  const uint64_t id =
      entry.key.original_sequence_id != 0 ? entry.key.original_sequence_id : entry.key.sequence_id;
  run->catalog_edits.push_back(
      {entry.key.encoded_region, Bytes(entry.cells), entry.cell_count, id});
}

// 'needed': it is read by the next opening.
void TellDamage(CheckRun* run, const Log& log, bool needed, const Status& status,
                std::optional<uint64_t> offset) {
  const Level level = needed ? Level::kFault : Level::kWarning;
  if (status.code() == StatusCode::kNotSupported) {
    run->Add(level, log.path, status.message());
    return;
  }
  run->Add(level, log.path, status.message(),
           Repair(needed ? RepairKind::kSalvageLog : RepairKind::kMoveAway),
           needed ? "write what can be read to a new log and move this one to corrupt/"
                  : std::string(kMoveRemedy),
           offset);
}

Result<Log> ReadLog(CheckRun* run, const std::string& path, bool needed) {
  Log log;
  log.path = path;
  log.created = wal::LogCreationTime(path).value_or(0);
  ASSIGN_OR_RETURN(log.size_bytes, run->env->FileSize(path));
  auto reader = wal::WalReader::Open(run->env, path);
  if (!reader.ok()) {
    if (reader.status().code() == StatusCode::kIoError) return std::move(reader).status();
    log.is_told = true;
    TellDamage(run, log, needed, reader.status(), std::nullopt);
    return log;
  }
  wal::WalEntry entry;
  while (true) {
    const auto more = (*reader)->Next(&entry);
    if (!more.ok()) {
      if (more.status().code() == StatusCode::kIoError) return more.status();
      log.is_told = true;
      TellDamage(run, log, needed, more.status(), (*reader)->valid_size());
      break;
    }
    if (!*more) break;
    log.has_entries = true;
    if (needed) {
      KeepEdit(run, entry);
    } else {
      run->max_logged_sequence_id = std::max(run->max_logged_sequence_id, entry.key.sequence_id);
    }
  }
  run->CountFile(log.size_bytes);
  log.has_header = (*reader)->header_end_offset() > 0;
  log.has_checksums = (*reader)->header().has_checksums;
  log.valid_bytes = (*reader)->valid_size();
  log.is_torn = (*reader)->end() == wal::WalEnd::kTornTail && log.valid_bytes <= log.size_bytes;
  return log;
}

std::string_view Place(const Log& log) { return log.has_header ? "an entry" : "its header"; }

// 'is_passed': a later log of the same process has entries. Bennu writes none before the log that
// it leaves is whole on the disk; HBase does.
void TellTail(CheckRun* run, const Log& log, bool is_passed) {
  if (log.is_told || !log.is_torn) return;
  const uint64_t cut = log.size_bytes - log.valid_bytes;
  const Repair repair(log.has_header ? RepairKind::kCutLog : RepairKind::kMoveAway);
  const std::string remedy =
      log.has_header ? "cut it there and keep the tail in corrupt/" : std::string(kMoveRemedy);
  std::string what = log.size_bytes == 0 ? std::string("empty, not even a header")
                                         : fmt::format("ends within {}", Place(log));
  if (is_passed) {
    what +=
        ", yet a later log of the same process has entries, so that this one was whole: the "
        "writes behind this place are lost";
    run->Add(Level::kFault, log.path, what, repair, remedy, log.valid_bytes);
    return;
  }
  what += log.size_bytes == 0
              ? ", as after a fall of the machine when it was made; had it more, that is lost"
              : fmt::format(", as after a crash; what is cut off, {} bytes, was never acknowledged",
                            cut);
  run->Add(Level::kWarning, log.path, what, repair, remedy, log.valid_bytes);
}

// Nobody needs it: one with entries stays for those who want to look into it.
void TellOldTail(CheckRun* run, const Log& log) {
  if (log.is_told || !log.is_torn) return;
  if (!log.has_header) {
    run->MoveAway(Level::kWarning, log.path,
                  "without a whole header, nothing can be read of it (an old log, which nothing "
                  "needs)");
    return;
  }
  run->Add(Level::kWarning, log.path,
           "ends within an entry, as that of a process that died (an old log, which nothing needs)",
           {}, {}, log.valid_bytes);
}

// Whether it is a log. What is not is somebody else's, and no repair touches it.
Result<bool> IsLog(CheckRun* run, const std::string& path) {
  ASSIGN_OR_RETURN(const bool is_log, wal::IsLogFile(run->env, path));
  if (!is_log) run->LeaveAlone(path, "not a log");
  return is_log;
}

Status CheckServer(CheckRun* run, const std::string& directory) {
  ASSIGN_OR_RETURN(const auto names, run->env->ListDirectory(directory));
  std::vector<Log> logs;
  for (const std::string& name : names) {
    const std::string path = JoinPath(directory, name);
    ASSIGN_OR_RETURN(const bool is_log, IsLog(run, path));
    if (!is_log) continue;
    ASSIGN_OR_RETURN(Log log, ReadLog(run, path, /*needed=*/true));
    logs.push_back(std::move(log));
  }
  for (const Log& log : logs) {
    const bool is_passed = std::any_of(logs.begin(), logs.end(), [&](const Log& other) {
      return other.created > log.created && other.has_entries && other.has_checksums;
    });
    TellTail(run, log, is_passed);
  }
  return Status::Ok();
}

}  // namespace

Status CheckRecoveredLog(CheckRun* run, const std::string& path) {
  ASSIGN_OR_RETURN(const Log log, ReadLog(run, path, /*needed=*/true));
  TellTail(run, log, /*is_passed=*/false);
  return Status::Ok();
}

Status CheckLogs(CheckRun* run) {
  for (const std::string& folder : {run->layout.Logs(), run->layout.OldLogs()}) {
    ASSIGN_OR_RETURN(const bool exists, run->env->Exists(folder));
    if (!exists) continue;
    const bool needed = folder == run->layout.Logs();
    ASSIGN_OR_RETURN(const auto names, run->env->ListDirectory(folder));
    for (const std::string& name : names) {
      const std::string path = JoinPath(folder, name);
      ASSIGN_OR_RETURN(const bool is_directory, run->env->IsDirectory(path));
      if (is_directory) {
        if (needed) RETURN_IF_ERROR(CheckServer(run, path));
        continue;
      }
      ASSIGN_OR_RETURN(const bool is_log, IsLog(run, path));
      if (!is_log) continue;
      if (needed) {
        run->MoveAway(Level::kWarning, path, "a file where a server's directory was expected");
      } else {
        ASSIGN_OR_RETURN(const Log log, ReadLog(run, path, /*needed=*/false));
        TellOldTail(run, log);
      }
    }
  }
  return Status::Ok();
}

}  // namespace bennu::check
