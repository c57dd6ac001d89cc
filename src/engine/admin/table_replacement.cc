#include "src/engine/admin/table_replacement.h"

#include <algorithm>
#include <utility>

#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/admin/table_closing.h"
#include "src/engine/core/catalog_janitor.h"
#include "src/engine/directory/archive.h"
#include "src/engine/directory/meta_rows.h"
#include "src/engine/directory/restore_mark.h"
#include "src/engine/directory/root_directory.h"

namespace bennu::engine {

namespace {

// Where a crash test may end the process.
struct Points {
  const char* between_regions;
  const char* before_meta;
  const char* after_meta;
  const char* between_archives;
};
constexpr Points kRestorePoints = {"restore.between_regions", "restore.before_meta",
                                   "restore.after_meta", "restore.between_archives"};
constexpr Points kTruncatePoints = {"admin.truncate.between_regions", "admin.truncate.before_meta",
                                    "admin.truncate.after_meta", "admin.truncate.between_archives"};

Status MakeBeside(EngineCore* core, const TableDescriptor& descriptor,
                  const std::vector<RegionInfo>& infos, const FillRegion& fill,
                  const Points& points) {
  Env* const env = core->env;
  for (size_t i = 0; i < infos.size(); ++i) {
    const std::string encoded = infos[i].EncodedName();
    const std::string temp = core->layout.TempRegionDirectory(descriptor.name, encoded);
    RETURN_IF_ERROR(env->RemoveTree(temp));
    RETURN_IF_ERROR(
        MakeRegionDirectory(core, descriptor, infos[i], temp, [&](const std::string& directory) {
          return fill == nullptr ? Status::Ok() : fill(i, directory);
        }));
    RETURN_IF_ERROR(env->Rename(temp, core->layout.RegionDirectory(descriptor.name, encoded)));
    BENNU_FAILPOINT(points.between_regions);
  }
  return env->SyncDirectory(core->layout.TableDirectory(descriptor.name));
}

void GiveUp(EngineCore* core, const TableName& table, const std::vector<RegionInfo>& infos,
            const RegionList& regions) {
  for (const auto& region : regions) {
    region->Close();
    core->services.wal->RegionFlushed(region->encoded_name(), UINT64_MAX);
  }
  // If the log was lost it is not known whether it happened: the next start will see.
  if (!core->mvcc.status().ok()) return;
  Status removed = RemoveRestoreMark(core->env, core->layout, table);
  for (const RegionInfo& info : infos) {
    if (!removed.ok()) break;
    removed = core->env->RemoveTree(core->layout.RegionDirectory(table, info.EncodedName()));
  }
  if (!removed.ok()) {
    LogWarning("giving up new regions of table {}: {}", table.ToString(), removed.ToString());
  }
}

// The part of the write that decides.
void AddCatalogRows(EngineCore* core, const TableReplacement& one, const RegionList& old,
                    MutationBatch* rows) {
  const TableName& name = one.table->name();
  for (const auto& region : old) DeleteRegionRow(rows, region->info());
  core->janitor->DeleteRows(name, rows);
  for (const RegionInfo& info : one.infos) {
    if (one.enable) {
      PutRegionRow(rows, info, core->services.server_name,
                   core->services.wal->last_sequence_id() + 1);
    } else {
      PutNewClosedRegion(rows, info);
    }
  }
  if (one.enable) PutTableState(rows, name, true);
}

// After the decision: the table has the new regions.
std::vector<RegionInfo> Exchange(EngineCore* core, TableEntry* table, const RegionList& old,
                                 const RegionList& regions) {
  std::vector<RegionInfo> replaced;
  table->ReplaceRegions(old, regions);
  for (const auto& region : old) {
    region->Close();
    core->services.wal->RegionFlushed(region->encoded_name(), UINT64_MAX);
    replaced.push_back(region->info());
  }
  for (const ReplacedRegions& pending : core->janitor->PendingOf(table->name())) {
    replaced.insert(replaced.end(), pending.parents.begin(), pending.parents.end());
  }
  core->janitor->Forget(table->name());
  core->maintenance->LogReleased();
  return replaced;
}

Status ArchiveAll(EngineCore* core, const TableName& name, const std::vector<RegionInfo>& regions,
                  const Points& points) {
  for (const RegionInfo& info : regions) {
    RETURN_IF_ERROR(ArchiveRegion(core->env, core->layout, name, info.EncodedName()));
    BENNU_FAILPOINT(points.between_archives);
  }
  return Status::Ok();
}

Status ReplaceAll(EngineCore* core, const std::vector<TableReplacement>& tables,
                  const Points& points) {
  std::vector<RegionList> made;
  std::vector<RegionList> old;
  MutationBatch rows;
  for (const TableReplacement& one : tables) {
    made.push_back(core->MakeRegions(one.descriptor, one.infos));
    old.push_back(*one.table->regions());
    AddCatalogRows(core, one, old.back(), &rows);
  }
  const auto prepare = [&]() -> Status {
    for (size_t i = 0; i < tables.size(); ++i) {
      const TableReplacement& one = tables[i];
      RETURN_IF_ERROR(WriteRestoreMark(core->env, core->layout, one.descriptor, one.infos));
      RETURN_IF_ERROR(MakeBeside(core, one.descriptor, one.infos, one.fill, points));
      if (one.fill != nullptr) RETURN_IF_ERROR(core->OpenNewRegions(made[i]));
    }
    return internal::PassFailpoint(points.before_meta);
  };
  Status decided = prepare();
  if (decided.ok()) decided = core->WriteCatalog(MetaTableName(), &rows);
  if (!decided.ok()) {
    for (size_t i = 0; i < tables.size(); ++i) {
      GiveUp(core, tables[i].table->name(), tables[i].infos, made[i]);
    }
    return decided;
  }
  CrashPoint(points.after_meta);
  std::vector<std::vector<RegionInfo>> replaced;
  for (size_t i = 0; i < tables.size(); ++i) {
    tables[i].table->set_descriptor(tables[i].descriptor);
    replaced.push_back(Exchange(core, tables[i].table.get(), old[i], made[i]));
  }
  // The first one last, whose writes go into the others.
  for (size_t i = tables.size(); i-- > 0;) {
    if (tables[i].enable) tables[i].table->SetDisabled(false);
  }
  for (const TableReplacement& one : tables) {
    const Status finished = FinishRestore(core->env, core->layout, one.descriptor);
    if (finished.ok()) continue;
    // The next opening does it. A mark that stays would take back later alterations.
    core->gate.Close("table " + one.table->name().ToString() + " has new regions, and its " +
                         "descriptor could not be written (" + finished.message() +
                         "); reopen the store",
                     true);
    return finished;
  }
  // It has happened whatever becomes of the old files; the next opening finds them.
  for (size_t i = 0; i < tables.size(); ++i) {
    const TableName& name = tables[i].table->name();
    const Status archived = ArchiveAll(core, name, replaced[i], points);
    if (!archived.ok()) {
      LogWarning("old regions of table {} stay for now: {}", name.ToString(), archived.ToString());
    }
  }
  for (size_t i = 0; i < tables.size(); ++i) {
    if (tables[i].fill == nullptr) continue;
    for (const auto& region : made[i]) core->maintenance->WantCompaction(region.get());
  }
  return Status::Ok();
}

}  // namespace

Result<std::vector<RegionInfo>> NewRegionsOf(EngineCore* core, const TableEntry& table,
                                             bool preserve_splits) {
  const auto regions = table.regions();
  std::vector<Bytes> split_keys;
  uint64_t id = 0;  // above all that are there: the new regions' names must differ
  for (const auto& region : *regions) {
    id = std::max(id, region->info().region_id + 1);
    if (preserve_splits && !region->info().start_key.empty()) {
      split_keys.push_back(region->info().start_key);
    }
  }
  core->clock.NotBefore(core->clock.NowMillis() + 1);
  id = std::max(id, static_cast<uint64_t>(core->clock.NowMillis()));
  return MakeRegionInfos(table.name(), split_keys, id);
}

Status AddEmptied(EngineCore* core, const std::vector<TableName>& names,
                  std::vector<TableReplacement>* tables) {
  for (const TableName& name : names) {
    const auto entry = core->FindTable(name);
    if (!entry.ok()) continue;  // somebody has dropped it
    ASSIGN_OR_RETURN(auto infos, NewRegionsOf(core, **entry, /*preserve_splits=*/true));
    tables->push_back(
        {*entry, (*entry)->descriptor(), std::move(infos), !(*entry)->disabled(), nullptr});
  }
  return Status::Ok();
}

Status ReplaceTables(EngineCore* core, const std::vector<TableReplacement>& tables,
                     Replacing replacing) {
  Status status;
  std::vector<TableEntry*> at_rest;  // which is not written down
  for (const TableReplacement& one : tables) {
    if (!status.ok() || one.table->disabled()) continue;
    one.table->SetDisabled(true);
    at_rest.push_back(one.table.get());
    status = CloseRegionsOf(core, one.table.get());
  }
  if (status.ok()) {
    status = ReplaceAll(core, tables,
                        replacing == Replacing::kRestore ? kRestorePoints : kTruncatePoints);
  }
  if (status.ok()) return status;
  for (TableEntry* const table : at_rest) table->SetDisabled(false);
  return status;
}

}  // namespace bennu::engine
