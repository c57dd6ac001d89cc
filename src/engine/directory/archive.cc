#include "src/engine/directory/archive.h"

#include "src/base/status_macros.h"
#include "src/engine/store/archive_file.h"
#include "src/engine/store/store_file_list.h"

namespace bennu::engine {

namespace {

// Names of the sub-directories; none when the directory is missing.
Result<std::vector<std::string>> SubDirectories(Env* env, const std::string& directory) {
  std::vector<std::string> found;
  ASSIGN_OR_RETURN(const bool exists, env->Exists(directory));
  if (!exists) return found;
  ASSIGN_OR_RETURN(const auto names, env->ListDirectory(directory));
  for (const std::string& name : names) {
    if (name.starts_with('.')) continue;
    ASSIGN_OR_RETURN(const bool is_directory, env->IsDirectory(JoinPath(directory, name)));
    if (is_directory) found.push_back(name);
  }
  return found;
}

// The list of a store's files goes before the files: a death in between is not to look like a loss.
Status RemoveFileList(Env* env, const std::string& store) {
  bool removed = false;
  for (const std::string_view name : {kStoreFileListName, kOldStoreFileListName}) {
    const std::string path = JoinPath(store, std::string(name));
    ASSIGN_OR_RETURN(const bool exists, env->Exists(path));
    if (exists) RETURN_IF_ERROR(env->RemoveFile(path));
    removed = removed || exists;
  }
  return removed ? env->SyncDirectory(store) : Status::Ok();
}

}  // namespace

Status ArchiveFamily(Env* env, const RootLayout& layout, const TableName& table,
                     const std::string& encoded_region, const std::string& family) {
  const std::string store = JoinPath(layout.RegionDirectory(table, encoded_region), family);
  ASSIGN_OR_RETURN(const bool exists, env->Exists(store));
  if (!exists) return Status::Ok();
  RETURN_IF_ERROR(RemoveFileList(env, store));
  RETURN_IF_ERROR(MoveStoreToArchive(
      env, store, JoinPath(layout.ArchivedRegionDirectory(table, encoded_region), family)));
  return env->RemoveTree(store);
}

namespace {

// Without a sync of the table's directory: what is in the archive is there, and an empty region's
// directory that comes back goes again.
Status ArchiveRegionUnsynced(Env* env, const RootLayout& layout, const TableName& table,
                             const std::string& encoded_region) {
  const std::string directory = layout.RegionDirectory(table, encoded_region);
  ASSIGN_OR_RETURN(const bool exists, env->Exists(directory));
  if (!exists) return Status::Ok();
  ASSIGN_OR_RETURN(const auto families, SubDirectories(env, directory));
  for (const std::string& family : families) {
    if (family == "recovered.edits" || family == "recovered.hfiles") continue;
    RETURN_IF_ERROR(ArchiveFamily(env, layout, table, encoded_region, family));
  }
  return env->RemoveTree(directory);
}

}  // namespace

Status ArchiveRegion(Env* env, const RootLayout& layout, const TableName& table,
                     const std::string& encoded_region) {
  RETURN_IF_ERROR(ArchiveRegionUnsynced(env, layout, table, encoded_region));
  const std::string directory = layout.TableDirectory(table);
  ASSIGN_OR_RETURN(const bool exists, env->Exists(directory));
  return exists ? env->SyncDirectory(directory) : Status::Ok();
}

Status ArchiveTable(Env* env, const RootLayout& layout, const TableName& table) {
  const std::string directory = layout.TableDirectory(table);
  ASSIGN_OR_RETURN(const auto regions, SubDirectories(env, directory));
  for (const std::string& region : regions) {
    RETURN_IF_ERROR(ArchiveRegionUnsynced(env, layout, table, region));
  }
  // The regions, with their links, are to be gone for good before the mark is that explains them.
  ASSIGN_OR_RETURN(const bool exists, env->Exists(directory));
  if (exists) RETURN_IF_ERROR(env->SyncDirectory(directory));
  return env->RemoveTree(directory);
}

}  // namespace bennu::engine
