// The file is text, a line for each store file, by name; ROWS is - when they are not known:
//
//   bennu store files 1
//   NAME SIZE MAX-SEQUENCE-ID CELLS ROWS
//   end CRC32C
//
// The checksum is of all bytes before its line, as 8 hex digits.
#include "src/engine/store/store_file_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "src/base/crc32.h"
#include "src/base/status_macros.h"

namespace bennu::engine {

namespace {

constexpr std::string_view kFirstLine = "bennu store files 1";
constexpr std::string_view kEnd = "end ";

// Takes the bytes before 'separator' off *rest; false when it is not there.
bool TakeUntil(char separator, std::string_view* rest, std::string_view* taken) {
  const size_t at = rest->find(separator);
  if (at == std::string_view::npos) return false;
  *taken = rest->substr(0, at);
  rest->remove_prefix(at + 1);
  return true;
}

bool ParseNumber(std::string_view text, uint64_t* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value);
  return error == std::errc() && end == text.data() + text.size();
}

bool ParseEntry(std::string_view line, StoreFileList::Entry* entry) {
  std::string_view name, size, sequence_id, cells;
  if (!TakeUntil(' ', &line, &name) || !TakeUntil(' ', &line, &size) ||
      !TakeUntil(' ', &line, &sequence_id) || !TakeUntil(' ', &line, &cells) || name.empty()) {
    return false;
  }
  entry->name = name;
  if (!ParseNumber(size, &entry->size_bytes) ||
      !ParseNumber(sequence_id, &entry->max_sequence_id) ||
      !ParseNumber(cells, &entry->cell_count)) {
    return false;
  }
  if (line == "-") return true;
  return ParseNumber(line, &entry->row_count.emplace());
}

bool Parse(std::string_view text, std::vector<StoreFileList::Entry>* entries) {
  std::string_view rest = text;
  std::string_view line;
  if (!TakeUntil('\n', &rest, &line) || line != kFirstLine) return false;
  while (TakeUntil('\n', &rest, &line)) {
    if (line.starts_with(kEnd)) {
      const std::string_view before =
          text.substr(0, static_cast<size_t>(line.data() - text.data()));
      return rest.empty() && line.substr(kEnd.size()) == fmt::format("{:08x}", Crc32c(before));
    }
    if (!ParseEntry(line, &entries->emplace_back())) return false;
  }
  return false;
}

std::string Count(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// Whether the file came from a compaction, as far as it tells: HBase names the inputs since 2.3,
// and none in a flush; before, only a bulk load can be told.
bool MayBeACompaction(const StoreFile& file) {
  if (file.is_bulk_loaded()) return false;
  if (!file.reader()->Info(hfile::kInfoCompactionEvent).has_value()) return true;
  const auto inputs = file.reader()->CompactedFiles();
  return inputs.ok() && !inputs->empty();
}

}  // namespace

StoreFileList::StoreFileList(const std::vector<std::shared_ptr<const StoreFile>>& files) {
  for (const auto& file : files) {
    entries_.push_back({file->name(), file->size_bytes(), file->max_sequence_id(),
                        file->reader()->entry_count(), file->row_count()});
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& left, const Entry& right) { return left.name < right.name; });
}

bool StoreFileList::Lists(const std::string& name) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return entry.name == name; });
}

Result<std::optional<StoreFileList>> StoreFileList::Load(Env* env, const std::string& directory) {
  ASSIGN_OR_RETURN(const std::string path, Path(env, directory));
  ASSIGN_OR_RETURN(const bool exists, env->Exists(path));
  if (!exists) return std::optional<StoreFileList>();
  ASSIGN_OR_RETURN(const Bytes text, env->ReadFile(path));
  StoreFileList list;
  if (!Parse(text, &list.entries_)) {
    return Corruption(fmt::format(
        "{} is damaged: it lists the files of this store, so a lost one would not be noticed; "
        "check that they are all there, then remove the list: a new one is written",
        path));
  }
  return std::optional<StoreFileList>(std::move(list));
}

Result<std::string> StoreFileList::Path(Env* env, const std::string& directory) {
  std::string path = JoinPath(directory, kStoreFileListName);
  ASSIGN_OR_RETURN(const bool exists, env->Exists(path));
  if (exists) return path;
  std::string old_path = JoinPath(directory, kOldStoreFileListName);
  ASSIGN_OR_RETURN(const bool is_old, env->Exists(old_path));
  return is_old ? old_path : path;
}

Status StoreFileList::Save(Env* env, const std::string& directory) const {
  std::string text(kFirstLine);
  text += '\n';
  for (const Entry& entry : entries_) {
    text += fmt::format("{} {} {} {} {}\n", entry.name, entry.size_bytes, entry.max_sequence_id,
                        entry.cell_count,
                        entry.row_count ? std::to_string(*entry.row_count) : std::string("-"));
  }
  text += fmt::format("{}{:08x}\n", kEnd, Crc32c(text));
  return env->WriteFileAtomically(JoinPath(directory, kStoreFileListName), text);
}

// Bennu takes a file off the list before it moves it away, so a listed file that is gone was moved
// by HBase, which keeps no list, or was lost. HBase removes a file only for a compaction's result,
// which takes its place: a file that is not listed, not of Bennu's making, and at least as new.
std::vector<StoreFileList::Entry> StoreFileList::Missing(
    const std::vector<std::shared_ptr<const StoreFile>>& present) const {
  std::set<std::string> names;
  std::optional<uint64_t> merged_up_to;
  for (const auto& file : present) {
    names.insert(file->name());
    if (Lists(file->name()) || file->is_ours() || !MayBeACompaction(*file)) continue;
    merged_up_to = std::max(merged_up_to.value_or(0), file->max_sequence_id());
  }
  std::vector<Entry> missing;
  for (const Entry& entry : entries_) {
    if (names.contains(entry.name)) continue;
    if (merged_up_to.has_value() && entry.max_sequence_id <= *merged_up_to) continue;
    missing.push_back(entry);
  }
  return missing;
}

Status MissingFilesError(const std::string& list_path, const std::string& archive_directory,
                         const std::vector<StoreFileList::Entry>& missing) {
  const std::string directory = list_path.substr(0, list_path.rfind('/'));
  std::string files;
  for (const StoreFileList::Entry& entry : missing) {
    if (!files.empty()) files += ", ";
    files += JoinPath(directory, entry.name) + " (";
    if (entry.row_count) files += Count(*entry.row_count, "row") + ", ";
    files += Count(entry.cell_count, "cell") + ", " + Count(entry.size_bytes, "byte") + ")";
  }
  const bool one = missing.size() == 1;
  return Corruption(
      fmt::format("{} of this store {} missing: {}; put {} back, from a backup or from {}, or "
                  "remove {} to go on "
                  "without what {} held",
                  Count(missing.size(), "file"), one ? "is" : "are", files, one ? "it" : "them",
                  archive_directory, list_path, one ? "it" : "they"));
}

}  // namespace bennu::engine
