#include "src/engine/admin/store_backup.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/resolved_path.h"
#include "src/base/status_macros.h"
#include "src/engine/core/catalog_janitor.h"
#include "src/engine/directory/file_copy.h"
#include "src/engine/directory/meta_rows.h"
#include "src/engine/directory/root_directory.h"
#include "src/engine/store/file_link.h"
#include "src/engine/store/file_reference.h"
#include "src/engine/store/store_file_list.h"

namespace bennu::engine {

namespace {

std::string RegionPath(const RegionInfo& info) {
  return JoinPath(JoinPath(info.table.name_space, info.table.qualifier), info.EncodedName());
}

std::string DirectoryOf(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Keeps the logs where they are.
class LogHold {
 public:
  explicit LogHold(Maintenance* maintenance) : maintenance_(maintenance) {
    maintenance_->HoldLogs();
  }
  ~LogHold() { maintenance_->ReleaseLogs(); }
  LogHold(const LogHold&) = delete;
  LogHold& operator=(const LogHold&) = delete;

 private:
  Maintenance* const maintenance_;
};

}  // namespace

Status StoreBackup::Run() {
  RETURN_IF_ERROR(core_->gate.Check());
  RETURN_IF_ERROR(CheckTarget());
  // Also what skipped the log; and there is little to replay then.
  for (const auto& region : core_->AllRegions()) {
    RETURN_IF_ERROR(core_->maintenance->FlushNow(region.get()));
  }
  const ArchiveCleaner::Hold archive_hold(&core_->archive_cleaner);
  const LogHold log_hold(core_->maintenance.get());
  RETURN_IF_ERROR(Note());
  BENNU_FAILPOINT("backup.after_note");
  for (const NotedStore& store : stores_) RETURN_IF_ERROR(CopyStore(store));
  for (const std::string& path : parent_files_) RETURN_IF_ERROR(CopyDataFile(path));
  for (const RegionInfo& info : regions_) {
    const std::string directory = JoinPath(target_.Data(), RegionPath(info));
    RETURN_IF_ERROR(MakeDirectory(directory));
    RETURN_IF_ERROR(WriteRegionInfo(env_, directory, info));
  }
  for (const TableDescriptor& table : tables_) {
    RETURN_IF_ERROR(MakeDirectory(JoinPath(target_.TableDirectory(table.name), ".tabledesc")));
    RETURN_IF_ERROR(WriteTableInfo(env_, target_.TableDirectory(table.name), table));
  }
  RETURN_IF_ERROR(CopyArchive());
  const SnapshotFiles snapshots(env_, target_);
  for (const SnapshotRecord& record : snapshots_) RETURN_IF_ERROR(snapshots.Write(record));
  RETURN_IF_ERROR(CopyLogs());
  RETURN_IF_ERROR(SyncDirectories());
  return WriteRootFiles();
}

Status StoreBackup::CheckTarget() {
  const std::string& root = target_.root();
  ASSIGN_OR_RETURN(const std::string whole, ResolvePath(core_->layout.root()));
  ASSIGN_OR_RETURN(const std::string inner, ResolvePath(root));
  if (LiesIn(whole, inner)) {
    return InvalidArgument(root + " lies in the store itself; name a place outside of it");
  }
  ASSIGN_OR_RETURN(const bool exists, env_->Exists(root));
  if (!exists) return env_->CreateDurableDirectories(root);
  ASSIGN_OR_RETURN(const auto names, env_->ListDirectory(root));
  for (const std::string& name : names) {
    if (name == "lost+found") continue;
    return FailedPrecondition(
        fmt::format("directory {} is not empty (it holds '{}'); name an empty or missing one for "
                    "the backup",
                    root, name));
  }
  return Status::Ok();
}

// ---- the moment

Status StoreBackup::Note() {
  MutexLock lock(&core_->ddl_mu);
  for (const auto& table : core_->AllTables()) RETURN_IF_ERROR(NoteTable(*table));
  ASSIGN_OR_RETURN(const auto names, core_->snapshot_files.List());
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(SnapshotRecord record, core_->snapshot_files.Read(name));
    snapshots_.push_back(std::move(record));
  }
  RETURN_IF_ERROR(NoteArchive());
  return NoteLogs();
}

Status StoreBackup::NoteTable(const TableEntry& table) {
  tables_.push_back(table.descriptor());
  const auto regions = table.regions();
  RETURN_IF_ERROR(core_->OpenRegions(*regions));
  for (const auto& region : *regions) {
    regions_.push_back(region->info());
    const auto stores = region->stores();
    for (const auto& entry : stores->entries) {
      NotedStore noted;
      noted.path = JoinPath(RegionPath(region->info()), entry.family);
      noted.view = entry.store->view();
      ASSIGN_OR_RETURN(const auto names,
                       env_->ListDirectory(JoinPath(core_->layout.Data(), noted.path)));
      for (const std::string& name : names) {
        if (name.starts_with(kReplayFloorPrefix)) noted.marks.push_back(name);
      }
      stores_.push_back(std::move(noted));
    }
  }
  return NoteParents(table.name());
}

// Regions that were split or merged, and that others still refer to. They do not change any more.
Status StoreBackup::NoteParents(const TableName& table) {
  for (const ReplacedRegions& replaced : core_->janitor->PendingOf(table)) {
    for (const RegionInfo& parent : replaced.parents) {
      const std::string region = RegionPath(parent);
      const std::string directory = JoinPath(core_->layout.Data(), region);
      ASSIGN_OR_RETURN(const bool exists, env_->Exists(directory));
      if (!exists) continue;
      regions_.push_back(parent);
      ASSIGN_OR_RETURN(const auto families, env_->ListDirectory(directory));
      for (const std::string& family : families) {
        const std::string store = JoinPath(region, family);
        const std::string place = JoinPath(core_->layout.Data(), store);
        ASSIGN_OR_RETURN(const bool is_directory, env_->IsDirectory(place));
        if (!is_directory || family.starts_with('.')) continue;
        ASSIGN_OR_RETURN(const auto names, env_->ListDirectory(place));
        for (const std::string& name : names) {
          if (IsStoreFileName(name) || ParseLinkName(name).has_value()) {
            parent_files_.push_back(JoinPath(store, name));
          }
        }
      }
    }
  }
  return Status::Ok();
}

Status StoreBackup::NoteArchive() {
  ASSIGN_OR_RETURN(archive_files_, core_->archive_cleaner.NeededFiles());
  ASSIGN_OR_RETURN(back_references_, core_->archive_cleaner.BackReferences());
  return Status::Ok();
}

Status StoreBackup::NoteLogs() {
  ASSIGN_OR_RETURN(const MetaContents contents, ReadMeta(core_->CatalogRegion(MetaTableName()),
                                                         UINT64_MAX, core_->clock.NowMillis()));
  servers_ = contents.servers;
  RETURN_IF_ERROR(core_->services.wal->SyncAll());
  for (const auto& file : core_->services.wal->files()) {
    logs_.push_back({file.path, file.size_bytes});
  }
  return Status::Ok();
}

// ---- copying

Status StoreBackup::CopyStore(const NotedStore& store) {
  const std::string directory = JoinPath(target_.Data(), store.path);
  RETURN_IF_ERROR(MakeDirectory(directory));
  for (const std::string& mark : store.marks) {
    RETURN_IF_ERROR(env_->WriteFileAtomically(JoinPath(directory, mark), ""));
  }
  for (const auto& file : store.view->files) {
    if (file->is_reference()) {
      RETURN_IF_ERROR(WriteReference(env_, JoinPath(directory, file->name()), *file->reference()));
    } else {
      RETURN_IF_ERROR(CopyDataFile(JoinPath(store.path, file->name())));
    }
    BENNU_FAILPOINT("backup.between_files");
  }
  return StoreFileList(store.view->files).Save(env_, directory);
}

// 'path' is below data: an HFile, which may have gone to the archive since, or a link.
Status StoreBackup::CopyDataFile(const std::string& path) {
  const std::string to = JoinPath(target_.Data(), path);
  RETURN_IF_ERROR(MakeDirectory(DirectoryOf(to)));
  if (!IsStoreFileName(NameOf(path))) return env_->WriteFileAtomically(to, "");
  const std::array places = {JoinPath(core_->layout.Data(), path),
                             JoinPath(JoinPath(core_->layout.Archive(), "data"), path)};
  return ShareOrCopyFile(env_, places, to);
}

Status StoreBackup::CopyArchive() {
  const std::string from = JoinPath(core_->layout.Archive(), "data");
  const std::string to = JoinPath(target_.Archive(), "data");
  for (const std::string& path : archive_files_) {
    const std::array places = {JoinPath(from, path)};
    RETURN_IF_ERROR(MakeDirectory(DirectoryOf(JoinPath(to, path))));
    RETURN_IF_ERROR(ShareOrCopyFile(env_, places, JoinPath(to, path)));
  }
  for (const std::string& path : back_references_) {
    RETURN_IF_ERROR(MakeDirectory(DirectoryOf(JoinPath(to, path))));
    RETURN_IF_ERROR(env_->WriteFileAtomically(JoinPath(to, path), ""));
  }
  return Status::Ok();
}

// The last one ends where it did then, as after a crash.
Status StoreBackup::CopyLogs() {
  for (const NotedLog& log : logs_) {
    const std::string server = NameOf(DirectoryOf(log.path));
    const std::string directory = JoinPath(target_.Logs(), server);
    RETURN_IF_ERROR(MakeDirectory(directory));
    RETURN_IF_ERROR(
        CopyFile(env_, log.path, JoinPath(directory, NameOf(log.path)), log.size_bytes));
    BENNU_FAILPOINT("backup.between_logs");
  }
  for (const std::string& server : servers_) {
    if (server.empty() || server.starts_with('.') || server.find('/') != server.npos) continue;
    RETURN_IF_ERROR(MakeDirectory(JoinPath(target_.Logs(), server)));
  }
  return Status::Ok();
}

Status StoreBackup::WriteRootFiles() {
  for (const std::string& directory :
       {target_.OldLogs(), target_.Archive(), target_.Temp(), target_.Logs()}) {
    RETURN_IF_ERROR(env_->CreateDurableDirectories(directory));
  }
  // Namespaces without a table have a directory as well.
  ASSIGN_OR_RETURN(const auto namespaces, env_->ListDirectory(core_->layout.Data()));
  for (const std::string& name : namespaces) {
    RETURN_IF_ERROR(env_->CreateDurableDirectories(target_.NamespaceDirectory(name)));
  }
  ASSIGN_OR_RETURN(const Bytes id, env_->ReadFile(core_->layout.IdFile()));
  RETURN_IF_ERROR(env_->WriteFileAtomically(target_.IdFile(), id));
  StoreNotes notes;  // of the time alone: the next start looks at every region
  notes.clock_millis = core_->clock.NowMillis();
  RETURN_IF_ERROR(WriteNotes(env_, target_, notes));
  ASSIGN_OR_RETURN(const Bytes version, env_->ReadFile(core_->layout.VersionFile()));
  BENNU_FAILPOINT("backup.before_version");
  return env_->WriteFileAtomically(target_.VersionFile(), version);  // decides
}

Status StoreBackup::MakeDirectory(const std::string& path) {
  if (!directories_.insert(path).second) return Status::Ok();
  return env_->CreateDurableDirectories(path);
}

Status StoreBackup::SyncDirectories() {
  for (const std::string& directory : directories_) {
    RETURN_IF_ERROR(env_->SyncDirectory(directory));
  }
  return Status::Ok();
}

}  // namespace bennu::engine
