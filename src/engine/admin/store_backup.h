// StoreBackup: copies a store that is in use (docs/snapshots.md).
//
//   flush -> for a moment, under the catalog's lock: note the views of all stores, the snapshots,
//   what the archive must keep, and how long the synced logs are -> share or copy the files -> the
//   first bytes of the logs, up to the noted lengths -> hbase.version, which makes it a store
//
// A view's files stay, in their table or in the archive, which is held meanwhile, as are the logs.
// Each edit is in a noted file or in a log: the files were noted first. Only noting keeps anybody
// waiting, and only changes of the catalog. Used once, by one thread.
#ifndef BENNU_SRC_ENGINE_ADMIN_STORE_BACKUP_H_
#define BENNU_SRC_ENGINE_ADMIN_STORE_BACKUP_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/engine/core/engine_core.h"
#include "src/engine/directory/snapshot_files.h"

namespace bennu::engine {

class StoreBackup {
 public:
  StoreBackup(EngineCore* core, const std::string& target)
      : core_(core), env_(core->env), target_(target) {}

  Status Run();

 private:
  struct NotedStore {
    std::string path;  // below data, and below archive/data
    std::shared_ptr<const StoreView> view;
    std::vector<std::string> marks;  // empty files
  };
  struct NotedLog {
    std::string path;
    uint64_t size_bytes = 0;
  };

  Status CheckTarget();
  Status Note();
  Status NoteTable(const TableEntry& table);
  Status NoteParents(const TableName& table);
  Status NoteArchive();
  Status NoteLogs();

  Status CopyStore(const NotedStore& store);
  Status CopyDataFile(const std::string& path);
  Status CopyArchive();
  Status CopyLogs();
  Status WriteRootFiles();
  // Makes the directory of the target and notes that it is to be synced.
  Status MakeDirectory(const std::string& path);
  Status SyncDirectories();

  EngineCore* const core_;
  Env* const env_;
  const RootLayout target_;

  std::vector<TableDescriptor> tables_;
  std::vector<RegionInfo> regions_;
  std::vector<NotedStore> stores_;
  std::vector<std::string> parent_files_;  // below data
  std::vector<SnapshotRecord> snapshots_;
  std::vector<std::string> archive_files_;    // below archive/data
  std::vector<std::string> back_references_;  // likewise
  std::vector<NotedLog> logs_;
  std::set<std::string> servers_;  // that hbase:meta names (see EngineCore::NameServers)
  std::set<std::string> directories_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_ADMIN_STORE_BACKUP_H_
