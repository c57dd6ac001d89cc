#include "src/engine/region/bulk_load_journal.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "src/base/crc32.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"

namespace bennu::engine {

namespace {

constexpr std::string_view kFirstLine = "bennu bulk load 1\n";
constexpr std::string_view kEnd = "end ";
constexpr size_t kEndLineLength = 4 + 8 + 1;

std::string JournalPath(const std::string& region_directory) {
  return JoinPath(region_directory, kBulkLoadJournalName);
}

std::string StorePath(const std::string& region_directory, const BulkLoadFile& file) {
  return JoinPath(JoinPath(region_directory, file.family), file.name);
}

std::string SourcePath(const std::string& region_directory, const BulkLoadFile& file) {
  return file.source.starts_with('/') ? file.source : JoinPath(region_directory, file.source);
}

std::string DirectoryOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

// Takes the bytes before 'separator' off *rest; false when it is not there.
bool TakeUntil(char separator, std::string_view* rest, std::string_view* taken) {
  const size_t at = rest->find(separator);
  if (at == std::string_view::npos) return false;
  *taken = rest->substr(0, at);
  rest->remove_prefix(at + 1);
  return true;
}

bool ParseLine(std::string_view line, BulkLoadFile* file) {
  std::string_view name, size, family;
  if (!TakeUntil('\t', &line, &name) || !TakeUntil('\t', &line, &size) ||
      !TakeUntil('\t', &line, &family) || name.empty() || family.empty() || line.empty()) {
    return false;
  }
  file->name = name;
  file->family = family;
  file->source = line;
  const auto [end, error] =
      std::from_chars(size.data(), size.data() + size.size(), file->size_bytes);
  return error == std::errc() && end == size.data() + size.size();
}

bool Parse(std::string_view text, std::vector<BulkLoadFile>* files) {
  if (!text.starts_with(kFirstLine) || text.size() < kFirstLine.size() + kEndLineLength) {
    return false;
  }
  std::string_view rest = text.substr(0, text.size() - kEndLineLength);
  if (text.substr(rest.size()) != fmt::format("{}{:08x}\n", kEnd, Crc32c(rest))) return false;
  rest.remove_prefix(kFirstLine.size());
  std::string_view line;
  while (TakeUntil('\n', &rest, &line)) {
    if (!ParseLine(line, &files->emplace_back())) return false;
  }
  return rest.empty();
}

}  // namespace

bool CanBeJournalled(const std::string& path) {
  return !path.empty() && path.find_first_of("\t\n") == std::string::npos;
}

Status WriteBulkLoadJournal(Env* env, const std::string& region_directory,
                            const std::vector<BulkLoadFile>& files) {
  std::string text(kFirstLine);
  for (const BulkLoadFile& file : files) {
    if (!CanBeJournalled(file.source)) {
      return InvalidArgument("bulk load: the path '" + file.source +
                             "' has a tab or line break; move the file to a folder of another "
                             "name");
    }
    text += fmt::format("{}\t{}\t{}\t{}\n", file.name, file.size_bytes, file.family, file.source);
  }
  text += fmt::format("{}{:08x}\n", kEnd, Crc32c(text));
  return env->WriteFileAtomically(JournalPath(region_directory), text);
}

Result<std::optional<std::vector<BulkLoadFile>>> ReadBulkLoadJournal(
    Env* env, const std::string& region_directory) {
  const std::string path = JournalPath(region_directory);
  ASSIGN_OR_RETURN(const bool exists, env->Exists(path));
  if (!exists) return std::optional<std::vector<BulkLoadFile>>();
  ASSIGN_OR_RETURN(const Bytes text, env->ReadFile(path));
  std::vector<BulkLoadFile> files;
  if (!Parse(text, &files)) {
    return Corruption(path +
                      " is damaged: it tells which files a bulk load was moving into this region "
                      "when the process died; move it away, open the store, and load the files "
                      "again");
  }
  return std::optional<std::vector<BulkLoadFile>>(std::move(files));
}

Status RemoveBulkLoadJournal(Env* env, const std::string& region_directory) {
  RETURN_IF_ERROR(env->RemoveFile(JournalPath(region_directory)));
  return env->SyncDirectory(region_directory);
}

Status MoveLoadedFile(Env* env, const std::string& region_directory, const BulkLoadFile& file) {
  return env->Rename(SourcePath(region_directory, file), StorePath(region_directory, file));
}

Status ReturnLoadedFile(Env* env, const std::string& region_directory, const BulkLoadFile& file) {
  const std::string target = StorePath(region_directory, file);
  // Whatever came there goes back, and be it a link that leads nowhere.
  ASSIGN_OR_RETURN(const PathShape moved, env->Shape(target));
  if (moved.kind == PathShape::Kind::kMissing && !moved.is_link) return Status::Ok();
  return env->Rename(target, SourcePath(region_directory, file));
}

Status SyncLoadedDirectories(Env* env, const std::string& region_directory,
                             const std::vector<BulkLoadFile>& files) {
  std::set<std::string> targets;
  std::set<std::string> sources;
  for (const BulkLoadFile& file : files) {
    targets.insert(JoinPath(region_directory, file.family));
    sources.insert(DirectoryOf(SourcePath(region_directory, file)));
  }
  for (const std::string& directory : targets) RETURN_IF_ERROR(env->SyncDirectory(directory));
  // A file that was moved must not be in both places after a fall of the machine.
  for (const std::string& directory : sources) {
    ASSIGN_OR_RETURN(const bool exists, env->Exists(directory));
    if (exists) RETURN_IF_ERROR(env->SyncDirectory(directory));
  }
  return Status::Ok();
}

Result<std::vector<BulkLoadFile>> MissingLoadedFiles(Env* env, const std::string& region_directory,
                                                     const std::vector<BulkLoadFile>& files) {
  std::vector<BulkLoadFile> missing;
  for (const BulkLoadFile& file : files) {
    ASSIGN_OR_RETURN(const bool moved, env->Exists(StorePath(region_directory, file)));
    if (moved) continue;
    ASSIGN_OR_RETURN(const bool waits, env->Exists(SourcePath(region_directory, file)));
    if (!waits) missing.push_back(file);
  }
  return missing;
}

Status CompleteBulkLoad(Env* env, const std::string& region_directory) {
  ASSIGN_OR_RETURN(const auto files, ReadBulkLoadJournal(env, region_directory));
  if (!files.has_value()) return Status::Ok();
  ASSIGN_OR_RETURN(const auto missing, MissingLoadedFiles(env, region_directory, *files));
  if (!missing.empty()) {
    const BulkLoadFile& file = missing.front();
    return Corruption(fmt::format(
        "a bulk load into region {} is half done, and its file {} ({} bytes) is missing: it was "
        "to become {}; put it back in one of the two places, or remove {} to go on without it",
        region_directory, file.source, file.size_bytes, StorePath(region_directory, file),
        JournalPath(region_directory)));
  }
  for (const BulkLoadFile& file : *files) {
    ASSIGN_OR_RETURN(const bool moved, env->Exists(StorePath(region_directory, file)));
    if (!moved) RETURN_IF_ERROR(MoveLoadedFile(env, region_directory, file));
  }
  RETURN_IF_ERROR(SyncLoadedDirectories(env, region_directory, *files));
  LogInfo("completed a bulk load of {} files into {}", files->size(), region_directory);
  return RemoveBulkLoadJournal(env, region_directory);
}

Result<std::set<std::string>> UnfinishedBulkLoad(Env* env, const std::string& region_directory) {
  ASSIGN_OR_RETURN(const auto files, ReadBulkLoadJournal(env, region_directory));
  std::set<std::string> names;
  if (!files.has_value()) return names;
  for (const BulkLoadFile& file : *files) names.insert(file.name);
  return names;
}

}  // namespace bennu::engine
