#include "src/engine/core/log_list.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/wal/log_file.h"

namespace bennu::engine {

namespace {

// A log's name without its time: each process that holds the store has another.
std::string ServerOf(const std::string& name) { return name.substr(0, name.rfind('.')); }

bool HasName(const std::vector<LogList::Log>& logs, const std::string& name) {
  return std::any_of(logs.begin(), logs.end(), [&](const auto& log) { return log.name == name; });
}

}  // namespace

Status LogList::Look() {
  if (read_only_) {
    ASSIGN_OR_RETURN(archived_before_, ArchivedNames());
  }
  RETURN_IF_ERROR(ListPresent());
  Sort();
  return Status::Ok();
}

Status LogList::LookAgain() {
  const std::vector<Log> first = std::exchange(logs_, {});
  // In this order: what is archived between the two is in one of them, or in both.
  RETURN_IF_ERROR(ListPresent());
  ASSIGN_OR_RETURN(const std::set<std::string> archived, ArchivedNames());
  AddArchived(archived);
  Sort();
  return CheckAgainst(first);
}

Status LogList::ListPresent() {
  directories_.clear();
  ASSIGN_OR_RETURN(const bool exists, env_->Exists(layout_.Logs()));
  if (!exists) return Status::Ok();
  ASSIGN_OR_RETURN(const auto servers, env_->ListDirectory(layout_.Logs()));
  for (const std::string& server : servers) {
    const std::string directory = JoinPath(layout_.Logs(), server);
    ASSIGN_OR_RETURN(const bool is_directory, env_->IsDirectory(directory));
    if (!is_directory) continue;
    directories_.push_back(directory);
    ASSIGN_OR_RETURN(const auto names, env_->ListDirectory(directory));
    for (const std::string& name : names) {
      Log log = {JoinPath(directory, name), name, wal::LogCreationTime(name).value_or(0)};
      ASSIGN_OR_RETURN(const bool is_log, wal::IsLogFile(env_, log.path));
      if (is_log) {
        logs_.push_back(std::move(log));
      } else if (!read_only_) {
        LogWarning("recovery: {} is not a log; it is left alone", log.path);
      }
    }
  }
  return Status::Ok();
}

Result<std::set<std::string>> LogList::ArchivedNames() const {
  ASSIGN_OR_RETURN(const bool exists, env_->Exists(layout_.OldLogs()));
  if (!exists) return std::set<std::string>();
  ASSIGN_OR_RETURN(const auto names, env_->ListDirectory(layout_.OldLogs()));
  return std::set<std::string>(names.begin(), names.end());
}

// Adds the logs that were archived since the first look. A log that is newer than all listed ones
// is left out, since logs between them may have been missed.
void LogList::AddArchived(const std::set<std::string>& names) {
  int64_t newest = -1;
  for (const Log& log : logs_) newest = std::max(newest, log.created);
  for (const std::string& name : names) {
    if (archived_before_.contains(name) || HasName(logs_, name)) continue;
    const std::optional<int64_t> created = wal::LogCreationTime(name);
    if (!created.has_value() || *created > newest) continue;
    logs_.push_back({JoinPath(layout_.OldLogs(), name), name, *created});
  }
}

Status LogList::CheckAgainst(const std::vector<Log>& first) const {
  for (const Log& log : first) {
    if (!HasName(logs_, log.name))
      return Status(StatusCode::kAborted, "log " + log.name + " was put away");
  }
  for (const Log& log : logs_) {
    const bool is_of_known = std::any_of(first.begin(), first.end(), [&](const Log& known) {
      return known.name == log.name || ServerOf(known.name) == ServerOf(log.name);
    });
    if (!is_of_known)
      return Status(StatusCode::kAborted, "a process began to hold it and made log " + log.name);
  }
  return Status::Ok();
}

void LogList::Sort() {
  std::stable_sort(logs_.begin(), logs_.end(),
                   [](const Log& left, const Log& right) { return left.created < right.created; });
}

Result<std::unique_ptr<wal::WalReader>> LogList::Open(const Log& log) const {
  auto reader = wal::WalReader::Open(env_, log.path);
  if (!read_only_ || reader.status().code() != StatusCode::kNotFound) return reader;
  return wal::WalReader::Open(env_, JoinPath(layout_.OldLogs(), log.name));
}

}  // namespace bennu::engine
