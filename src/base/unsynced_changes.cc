#include "src/base/unsynced_changes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/base/log.h"
#include "src/base/status_macros.h"

namespace bennu {

namespace {

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string(".") : path.substr(0, slash);
}

std::string WithoutTrailingSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

bool IsBelow(const std::string& path, const std::string& directory) {
  return path.size() > directory.size() && path.starts_with(directory) &&
         path[directory.size()] == '/';
}

bool IsAtOrBelow(const std::string& path, const std::string& directory) {
  return path == directory || IsBelow(path, directory);
}

}  // namespace

UnsyncedChanges::~UnsyncedChanges() {
  if (aside_count_ > 0) static_cast<void>(target_->RemoveTree(aside_).ok());
}

// ---- what is done

void UnsyncedChanges::NoteCreated(const std::string& path) {
  const std::string name = WithoutTrailingSlash(path);
  changes_.push_back({"", name, "", name});
}

UnsyncedChanges::DurableSize UnsyncedChanges::NoteFile(const std::string& path) {
  NoteCreated(path);
  return sizes_[path] = std::make_shared<uint64_t>(0);
}

void UnsyncedChanges::NoteLink(const std::string& from, const std::string& to) {
  NoteCreated(to);
  if (const auto size = sizes_.find(from); size != sizes_.end()) sizes_[to] = size->second;
}

void UnsyncedChanges::NoteFileSynced(const std::string& path, uint64_t size) {
  const auto known = sizes_.find(path);
  if (known != sizes_.end()) *known->second = size;
}

void UnsyncedChanges::NoteTruncated(const std::string& path, uint64_t size) {
  const auto known = sizes_.find(path);
  if (known != sizes_.end()) *known->second = std::min(*known->second, size);
}

Result<std::string> UnsyncedChanges::SetAside(const std::string& path) {
  RETURN_IF_ERROR(target_->CreateDirectories(aside_));
  std::string kept = JoinPath(aside_, std::to_string(++aside_count_));
  RETURN_IF_ERROR(target_->Rename(path, kept));
  Move(path, kept);
  return kept;
}

Status UnsyncedChanges::Rename(const std::string& from_path, const std::string& to_path) {
  const std::string from = WithoutTrailingSlash(from_path);
  const std::string to = WithoutTrailingSlash(to_path);
  std::string kept;
  ASSIGN_OR_RETURN(const bool exists, target_->Exists(to));
  if (exists) {
    ASSIGN_OR_RETURN(const bool is_directory, target_->IsDirectory(to));
    // A directory does not take the place of a file; the target says so.
    ASSIGN_OR_RETURN(const PathShape source, target_->Shape(from));
    if (!is_directory && source.kind == PathShape::Kind::kFile) {
      ASSIGN_OR_RETURN(kept, SetAside(to));
    }
  }
  RETURN_IF_ERROR(target_->Rename(from, to));
  Move(from, to);
  changes_.push_back({from, to, std::move(kept), ""});
  return Status::Ok();
}

Status UnsyncedChanges::Remove(const std::string& path, bool is_tree) {
  const std::string name = WithoutTrailingSlash(path);
  ASSIGN_OR_RETURN(std::string kept, SetAside(name));
  changes_.push_back({name, "", std::move(kept), "", is_tree});
  return Status::Ok();
}

Status UnsyncedChanges::RemoveFile(const std::string& path) {
  return Remove(path, /*is_tree=*/false);
}

Status UnsyncedChanges::RemoveTree(const std::string& path) {
  return Remove(path, /*is_tree=*/true);
}

// The names that changes have are the places where they happened, expressed by what the directories
// above are called now.
void UnsyncedChanges::Move(const std::string& from, const std::string& to) {
  const auto move_below = [&](std::string* path) {
    if (IsBelow(*path, from)) *path = to + path->substr(from.size());
  };
  for (Change& change : changes_) {
    for (std::string* path : {&change.from, &change.to, &change.made}) move_below(path);
    if (change.made == from) change.made = to;
  }
  std::map<std::string, DurableSize> moved;
  for (auto& [path, size] : sizes_) {
    moved[IsAtOrBelow(path, from) ? to + path.substr(from.size()) : path] = std::move(size);
  }
  sizes_ = std::move(moved);
}

void UnsyncedChanges::Forget(const std::string& path) {
  std::erase_if(sizes_, [&](const auto& item) { return IsAtOrBelow(item.first, path); });
  std::erase_if(changes_, [&](const Change& change) {
    return IsBelow(change.from, path) || IsBelow(change.to, path);
  });
}

// ---- what becomes durable

void UnsyncedChanges::Bury(const Change& change) {
  if (change.kept.empty()) return;
  const Status removed = target_->RemoveTree(change.kept);
  if (!removed.ok()) LogWarning("removing {}: {}", change.kept, removed.ToString());
  Forget(change.kept);
}

void UnsyncedChanges::NoteSynced(const std::string& path) {
  std::set<std::string> synced = {WithoutTrailingSlash(path)};
  std::set<std::string> taken;  // places where something durable is, which had something before
  std::vector<Change> durable;
  for (size_t i = changes_.size(); i-- > 0;) {
    const Change& change = changes_[i];
    const std::string& place = change.to.empty() ? change.from : change.to;
    if (!synced.contains(DirectoryOf(place)) && !taken.contains(change.from)) continue;
    // With a move, everything that came before it in both directories.
    if (!change.from.empty()) synced.insert(DirectoryOf(change.from));
    synced.insert(DirectoryOf(place));
    if (!change.to.empty()) taken.insert(change.to);
    durable.push_back(change);
    changes_.erase(changes_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (const Change& change : durable) Bury(change);
}

// ---- what is lost

// Leaves in changes_ what is lost.
void UnsyncedChanges::ChooseLost(uint64_t seed) {
  std::vector<Change> lost;
  std::vector<Change> durable;
  std::set<std::string> over;  // directories that have lost a change
  const auto is_over = [&](const std::string& path) {
    if (path.empty()) return false;
    if (over.contains(DirectoryOf(path))) return true;
    return std::any_of(lost.begin(), lost.end(), [&](const Change& change) {
      return !change.made.empty() && IsBelow(path, change.made);
    });
  };
  for (const Change& change : changes_) {
    const bool by_chance = seed == 0 || random_() % 8 < 1 + seed % 4;
    if (!by_chance && !is_over(change.from) && !is_over(change.to)) {
      durable.push_back(change);
      continue;
    }
    for (const std::string& path : {change.from, change.to}) {
      if (!path.empty()) over.insert(DirectoryOf(path));
    }
    lost.push_back(change);
  }
  changes_ = std::move(lost);
  for (const Change& change : durable) Bury(change);
}

Status UnsyncedChanges::Undo(const Change& change) {
  if (change.from.empty()) {
    RETURN_IF_ERROR(target_->RemoveTree(change.to));
    Forget(change.to);
    return Status::Ok();
  }
  if (!change.to.empty()) {
    RETURN_IF_ERROR(target_->Rename(change.to, change.from));
    Move(change.to, change.from);
  }
  if (change.kept.empty()) return Status::Ok();
  const std::string& place = change.to.empty() ? change.from : change.to;
  RETURN_IF_ERROR(target_->Rename(change.kept, place));
  Move(change.kept, place);
  return Status::Ok();
}

// Some of the removals that the removal of a tree consists of.
Status UnsyncedChanges::RemoveSome(const std::string& directory) {
  ASSIGN_OR_RETURN(const auto names, target_->ListDirectory(directory));
  for (const std::string& name : names) {
    const std::string path = JoinPath(directory, name);
    ASSIGN_OR_RETURN(const bool is_directory, target_->IsDirectory(path));
    if (is_directory) {
      RETURN_IF_ERROR(RemoveSome(path));
    } else if (random_() % 2 == 0) {
      RETURN_IF_ERROR(target_->RemoveFile(path));
      Forget(path);
    }
  }
  return Status::Ok();
}

Status UnsyncedChanges::CutFiles(bool all) {
  for (const auto& [path, durable] : sizes_) {
    const auto present = target_->FileSize(path);
    if (!present.ok() || *present <= *durable) continue;
    const uint64_t more = all ? 0 : random_() % (*present - *durable + 1);
    RETURN_IF_ERROR(target_->TruncateFile(path, *durable + more));
    *durable += more;
  }
  return Status::Ok();
}

Status UnsyncedChanges::TakeBack(uint64_t seed) {
  random_.seed(seed);
  ChooseLost(seed);
  while (!changes_.empty()) {
    const Change change = changes_.back();
    changes_.pop_back();
    RETURN_IF_ERROR(Undo(change));
    if (!change.is_tree || seed == 0) continue;
    ASSIGN_OR_RETURN(const bool is_directory, target_->IsDirectory(change.from));
    if (is_directory) RETURN_IF_ERROR(RemoveSome(change.from));
  }
  RETURN_IF_ERROR(CutFiles(seed == 0));
  sizes_.clear();
  return target_->RemoveTree(aside_);
}

}  // namespace bennu
