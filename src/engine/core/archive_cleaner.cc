#include "src/engine/core/archive_cleaner.h"

#include <algorithm>
#include <utility>

#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/store/store_file.h"

namespace bennu::engine {

namespace {

// None when the directory is missing or is a file. What cannot be listed is an error: that nothing
// is there is a reason to delete.
Result<std::vector<std::string>> ListIfThere(Env* env, const std::string& directory) {
  auto names = env->ListDirectory(directory);
  if (names.status().code() == StatusCode::kNotFound) return std::vector<std::string>();
  return names;
}

}  // namespace

ArchiveCleaner::Hold::Hold(ArchiveCleaner* cleaner) : cleaner_(cleaner) {
  MutexLock lock(&cleaner_->mu_);
  ++cleaner_->holds_;
  while (cleaner_->running_) cleaner_->changed_.Wait(&cleaner_->mu_);
}

ArchiveCleaner::Hold::~Hold() {
  MutexLock lock(&cleaner_->mu_);
  --cleaner_->holds_;
}

Status ArchiveCleaner::Run() {
  {
    MutexLock lock(&mu_);
    if (holds_ > 0 || running_) return Status::Ok();
    running_ = true;
  }
  in_snapshots_.reset();
  const Status status = CleanAll();
  MutexLock lock(&mu_);
  running_ = false;
  changed_.SignalAll();
  return status;
}

Status ArchiveCleaner::CleanAll() {
  RETURN_IF_ERROR(snapshots_.RemoveExpired(env_->NowMillis()));
  RETURN_IF_ERROR(ForEachStore([this](const StoreDirectory& store) { return CleanStore(store); }));
  return RemoveEmptyDirectories();
}

Status ArchiveCleaner::ForEachStore(
    const std::function<Status(const StoreDirectory&)>& visit) const {
  StoreDirectory store;
  ASSIGN_OR_RETURN(const auto name_spaces, ListIfThere(env_, Place("")));
  for (const std::string& name_space : name_spaces) {
    ASSIGN_OR_RETURN(const auto tables, ListIfThere(env_, Place(name_space)));
    for (const std::string& table : tables) {
      store.origin.table = {name_space, table};
      const std::string table_path = JoinPath(name_space, table);
      ASSIGN_OR_RETURN(const auto regions, ListIfThere(env_, Place(table_path)));
      for (const std::string& region : regions) {
        store.origin.region = region;
        const std::string region_path = JoinPath(table_path, region);
        ASSIGN_OR_RETURN(const auto families, ListIfThere(env_, Place(region_path)));
        for (const std::string& family : families) {
          store.family = family;
          store.path = JoinPath(region_path, family);
          ASSIGN_OR_RETURN(store.names, ListIfThere(env_, Place(store.path)));
          RETURN_IF_ERROR(visit(store));
        }
      }
    }
  }
  return Status::Ok();
}

Status ArchiveCleaner::CleanStore(const StoreDirectory& store) {
  for (const std::string& name : store.names) {
    if (!name.starts_with(kBackReferencesPrefix)) continue;
    RETURN_IF_ERROR(RemoveStaleBackReferences(store, name.substr(kBackReferencesPrefix.size())));
  }
  for (const std::string& name : store.names) {
    if (name.starts_with('.')) continue;
    const std::string path = JoinPath(Place(store.path), name);
    ASSIGN_OR_RETURN(const bool old, IsOld(path));
    if (!old) continue;
    ASSIGN_OR_RETURN(const bool linked, IsLinked(store, name));
    if (linked) continue;
    ASSIGN_OR_RETURN(const bool in_snapshot, IsInSnapshot(name));
    if (in_snapshot) continue;
    BENNU_FAILPOINT("archive.before_remove");
    RETURN_IF_ERROR(env_->RemoveFile(path));
    first_seen_.erase(path);
  }
  return Status::Ok();
}

// A directory that someone is about to use may be taken away as well: he makes it again.
Status ArchiveCleaner::RemoveEmptyDirectories() {
  std::vector<std::string> level = {Place("")};
  std::vector<std::string> all;
  for (int depth = 0; depth < 4; ++depth) {
    std::vector<std::string> next;
    for (const std::string& directory : level) {
      ASSIGN_OR_RETURN(const auto names, ListIfThere(env_, directory));
      for (const std::string& name : names) {
        if (!name.starts_with('.')) next.push_back(JoinPath(directory, name));
      }
    }
    all.insert(all.end(), next.begin(), next.end());
    level = std::move(next);
  }
  for (auto it = all.rbegin(); it != all.rend(); ++it) {
    ASSIGN_OR_RETURN(const auto names, ListIfThere(env_, *it));
    if (!names.empty()) continue;
    const Status removed = env_->RemoveEmptyDirectory(*it);
    if (removed.ok() || removed.code() == StatusCode::kFailedPrecondition) continue;
    if (removed.code() == StatusCode::kNotSupported) return Status::Ok();
    RETURN_IF_ERROR(removed);
  }
  return Status::Ok();
}

Result<bool> ArchiveCleaner::IsOld(const std::string& path) {
  const int64_t now = env_->NowMillis();
  auto changed = env_->ChangeMillis(path);
  if (changed.status().code() == StatusCode::kNotSupported) {
    changed = first_seen_.emplace(path, now).first->second;
  }
  RETURN_IF_ERROR(changed.status());
  return now - *changed >= keep_millis_;
}

Result<bool> ArchiveCleaner::IsInSnapshot(const std::string& file) {
  if (!in_snapshots_.has_value()) {
    ASSIGN_OR_RETURN(in_snapshots_, snapshots_.NeededFiles());
  }
  return in_snapshots_->contains(file);
}

// ---- links

Result<bool> ArchiveCleaner::IsLinked(const StoreDirectory& store, const std::string& file) const {
  const std::string directory =
      JoinPath(Place(store.path), std::string(kBackReferencesPrefix) + file);
  ASSIGN_OR_RETURN(const auto names, ListIfThere(env_, directory));
  return !names.empty();
}

Status ArchiveCleaner::RemoveStaleBackReferences(const StoreDirectory& store,
                                                 const std::string& file) {
  const std::string directory =
      JoinPath(Place(store.path), std::string(kBackReferencesPrefix) + file);
  FileLink target = store.origin;
  target.file = file;
  bool any = false;
  ASSIGN_OR_RETURN(const auto names, ListIfThere(env_, directory));
  for (const std::string& name : names) {
    const auto from = ParseBackReferenceName(name);
    bool exists = true;  // what cannot be read is left alone
    if (from.has_value()) {
      ASSIGN_OR_RETURN(exists, LinkExists(*from, target, store.family));
    }
    if (!exists) RETURN_IF_ERROR(env_->RemoveFile(JoinPath(directory, name)));
    any = any || exists;
  }
  if (any) return Status::Ok();
  const Status removed = env_->RemoveEmptyDirectory(directory);
  return removed.code() == StatusCode::kNotSupported ? Status::Ok() : removed;
}

// A link, or a reference to the file by a link's name.
Result<bool> ArchiveCleaner::LinkExists(const BackReference& from, const FileLink& to,
                                        const std::string& family) const {
  const std::string link = MakeLinkName(to);
  for (const std::string& region : {layout_.RegionDirectory(from.table, from.region),
                                    layout_.TempRegionDirectory(from.table, from.region)}) {
    const std::string store = JoinPath(region, family);
    ASSIGN_OR_RETURN(const bool exists, env_->Exists(store));
    if (!exists) continue;
    ASSIGN_OR_RETURN(const auto names, env_->ListDirectory(store));
    for (const std::string& name : names) {
      if (name == link || name.starts_with(link + ".")) return true;
    }
  }
  return false;
}

Result<std::vector<std::string>> ArchiveCleaner::NeededFiles() const {
  std::vector<std::string> needed;
  ASSIGN_OR_RETURN(const std::set<std::string> in_snapshots, snapshots_.NeededFiles());
  RETURN_IF_ERROR(ForEachStore([&](const StoreDirectory& store) -> Status {
    for (const std::string& name : store.names) {
      if (name.starts_with('.')) continue;
      ASSIGN_OR_RETURN(const bool linked, IsLinked(store, name));
      if (linked || in_snapshots.contains(name)) needed.push_back(JoinPath(store.path, name));
    }
    return Status::Ok();
  }));
  return needed;
}

Result<std::vector<std::string>> ArchiveCleaner::BackReferences() const {
  std::vector<std::string> all;
  RETURN_IF_ERROR(ForEachStore([&](const StoreDirectory& store) {
    for (const std::string& name : store.names) {
      if (!name.starts_with(kBackReferencesPrefix)) continue;
      const std::string directory = JoinPath(store.path, name);
      ASSIGN_OR_RETURN(const auto back_references, ListIfThere(env_, Place(directory)));
      for (const std::string& back_reference : back_references) {
        all.push_back(JoinPath(directory, back_reference));
      }
    }
    return Status::Ok();
  }));
  return all;
}

}  // namespace bennu::engine
