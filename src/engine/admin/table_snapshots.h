// TableSnapshots: takes, clones, restores and exports snapshots of tables (docs/snapshots.md).
//
//   take     flush -> under the catalog's lock: the views of all stores -> one manifest, in place
//   by
//            a rename. A view names files that stay, in the table or in the archive.
//   clone    a new table (table_creation.h) whose stores hold links to the snapshot's files
//   restore  a failsafe snapshot -> regions of new names with links, beside the old ones -> one
//            write to hbase:meta replaces the old by the new -> the descriptor, the old regions to
//            the archive. New names, so that what the log holds for the old ones is not theirs.
//
// Thread-safe. Source: HBase's TakeSnapshotHandler, CloneSnapshotProcedure,
// RestoreSnapshotProcedure, RestoreSnapshotHelper, ExportSnapshot.
#ifndef BENNU_SRC_ENGINE_ADMIN_TABLE_SNAPSHOTS_H_
#define BENNU_SRC_ENGINE_ADMIN_TABLE_SNAPSHOTS_H_

#include <memory>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "bennu/status.h"
#include "src/api/write_observer.h"
#include "src/engine/core/engine_core.h"
#include "src/engine/directory/snapshot_files.h"

namespace bennu::engine {

class TableSnapshots {
 public:
  explicit TableSnapshots(EngineCore* core) : core_(core) {}  // must outlive this

  Status Take(const std::string& name, const TableName& table, const SnapshotOptions& options);
  // 'core' is that of this object; an argument for the analysis of locks, which takes it for the
  // caller's.
  // 'derived_families' hold what is derived anew; the new table's are empty.
  Status Clone(EngineCore* core, const SnapshotRecord& record, const TableName& table,
               const std::vector<std::string>& derived_families) REQUIRES(core->ddl_mu);
  // Of a table that is there and disabled. Without the catalog's lock.
  Status Restore(const SnapshotRecord& record, const std::shared_ptr<TableEntry>& table);
  Status Delete(const std::string& name);
  Status Export(const std::string& name, const std::string& target);

 private:
  Result<pb::SnapshotDataManifest> MakeManifest(const TableEntry& table, bool flush);
  static void AddRegion(const Region& region, const StoreSet& stores,
                        pb::SnapshotDataManifest* manifest);
  Status AddSplitParent(const RegionInfo& parent, const TableDescriptor& descriptor,
                        pb::SnapshotDataManifest* manifest);
  Status ReplaceByRestored(const SnapshotRecord& record, const std::shared_ptr<TableEntry>& table,
                           const api::WriteObserverSource::Replacement& replacement);
  std::vector<RegionInfo> NewRegions(const SnapshotRecord& record, const TableName& table,
                                     std::vector<size_t>* from);
  Status FillWithLinks(const pb::SnapshotRegionManifest& from, const RegionInfo& to,
                       const std::string& directory);

  EngineCore* const core_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_ADMIN_TABLE_SNAPSHOTS_H_
