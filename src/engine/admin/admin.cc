#include "src/engine/admin/admin.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/api/table_checks.h"
#include "src/base/failpoint.h"
#include "src/base/hex.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/admin/derived_rows.h"
#include "src/engine/admin/store_backup.h"
#include "src/engine/admin/table_closing.h"
#include "src/engine/admin/table_creation.h"
#include "src/engine/admin/table_replacement.h"
#include "src/engine/core/catalog_janitor.h"
#include "src/engine/core/region_changes.h"
#include "src/engine/directory/alteration_mark.h"
#include "src/engine/directory/archive.h"
#include "src/engine/directory/meta_rows.h"
#include "src/engine/directory/root_directory.h"
#include "src/engine/transfer/bulk_load.h"
#include "src/engine/transfer/table_transfer.h"

namespace bennu::engine {

namespace {

// Those that one of the two has and the other has not.
std::set<std::string> ChangedFamilies(const TableDescriptor& left, const TableDescriptor& right) {
  std::set<std::string> changed;
  for (const ColumnFamilyDescriptor& family : left.families) {
    if (right.FindFamily(family.name) == nullptr) changed.insert(family.name);
  }
  for (const ColumnFamilyDescriptor& family : right.families) {
    if (left.FindFamily(family.name) == nullptr) changed.insert(family.name);
  }
  return changed;
}

// The catalog. Other tables of its namespace are made by those who use them, as in HBase:
// hbase:quota by a server that enforces quotas, hbase:canary by the tool of that name.
Status RefuseSystem(const TableName& name, std::string_view what) {
  if (name != MetaTableName() && name != NamespaceTableName()) return Status::Ok();
  return InvalidArgument("table " + name.ToString() + " belongs to the store and cannot be " +
                         std::string(what));
}

}  // namespace

// ---- create

Status EngineAdmin::CreateTable(const TableDescriptor& descriptor,
                                const std::vector<Bytes>& split_keys) {
  RETURN_IF_ERROR(RefuseSystem(descriptor.name, "created"));
  return MakeNew(descriptor.name, [&](const api::WriteObserverSource::Replacement& replacement) {
    MutexLock lock(&core_->ddl_mu);
    return CreateTableLocked(descriptor, split_keys, replacement.derived);
  });
}

// Other tables may still have rows that were derived from a table of this name, which was lost.
Status EngineAdmin::MakeNew(const TableName& name, const ReplaceRows& make) {
  return core_->FindTable(name).ok() ? make({}) : WhileRowsAreReplaced(core_, name, make);
}

Status EngineAdmin::CreateTableLocked(const TableDescriptor& given,
                                      const std::vector<Bytes>& split_keys,
                                      const std::vector<TableName>& derived) {
  RETURN_IF_ERROR(core_->gate.Check());
  RETURN_IF_ERROR(api::CheckTable(given, core_->options.configuration));
  const TableDescriptor descriptor = WithSortedFamilies(given);
  const TableName& name = descriptor.name;
  RETURN_IF_ERROR(CheckNewTable(name));
  // A new id even for a table that was dropped a moment ago: its region names must differ.
  core_->clock.NotBefore(core_->clock.NowMillis() + 1);
  ASSIGN_OR_RETURN(
      const std::vector<RegionInfo> infos,
      MakeRegionInfos(name, split_keys, static_cast<uint64_t>(core_->clock.NowMillis())));
  RETURN_IF_ERROR(EmptyDerivedTables(core_, derived));
  return MakeTable(core_, descriptor, infos, nullptr);
}

Status EngineAdmin::CheckNewTable(const TableName& name) {
  if (core_->FindTable(name).ok()) {
    return AlreadyExists("table " + name.ToString() + " is there already");
  }
  // The first table is the one that holds the namespaces.
  if (name == NamespaceTableName()) return Status::Ok();
  ASSIGN_OR_RETURN(const auto namespaces, ListNamespaces());
  if (std::find(namespaces.begin(), namespaces.end(), name.name_space) == namespaces.end()) {
    return NotFound("there is no namespace " + name.name_space);
  }
  return Status::Ok();
}

// ---- drop

Status EngineAdmin::DropTable(const TableName& name) {
  RETURN_IF_ERROR(RefuseSystem(name, "dropped"));
  RETURN_IF_ERROR(core_->FindTable(name).status());
  RETURN_IF_ERROR(LetGoOfDerivedRows(core_, name));
  MutexLock lock(&core_->ddl_mu);
  RETURN_IF_ERROR(core_->gate.Check());
  ASSIGN_OR_RETURN(std::shared_ptr<TableEntry> table, core_->FindTable(name));
  return DropLocked({std::move(table)}, {});
}

Status EngineAdmin::DropTables(const std::vector<TableName>& names, const api::TableRows& rows) {
  for (const TableName& name : names) RETURN_IF_ERROR(RefuseSystem(name, "dropped"));
  MutexLock lock(&core_->ddl_mu);
  RETURN_IF_ERROR(core_->gate.Check());
  TableList tables;
  for (const TableName& name : names) {
    auto table = core_->FindTable(name);
    if (table.ok()) tables.push_back(*std::move(table));
  }
  return DropLocked(tables, rows);
}

Status EngineAdmin::DropLocked(const TableList& tables, const api::TableRows& rows) {
  const Status decided = DecideDrop(tables, rows);
  if (!decided.ok()) {
    // If the log was lost it is not known whether the tables are gone: the next start will see.
    if (!core_->mvcc.status().ok()) return decided;
    for (const auto& table : tables) {
      const std::string mark = core_->layout.TableMark(table->name(), kDroppingMark);
      const Status unmarked = core_->env->RemoveFile(mark);
      if (!unmarked.ok() && unmarked.code() != StatusCode::kNotFound) {
        LogWarning("table {} is not dropped: {}", table->name().ToString(), unmarked.ToString());
      }
    }
    return decided;
  }
  CrashPoint("admin.drop.after_meta");
  for (const auto& table : tables) {
    const auto regions = table->regions();
    table->set_dropped();
    core_->RemoveTable(table->name());
    core_->janitor->Forget(table->name());
    for (const auto& region : *regions) {
      region->Close();
      core_->services.wal->RegionFlushed(region->encoded_name(), UINT64_MAX);
    }
  }
  core_->maintenance->LogReleased();
  // The tables are gone whatever becomes of their files.
  for (const auto& table : tables) {
    const TableName& name = table->name();
    const Status archived = ArchiveDropped(name);
    if (archived.ok()) continue;
    LogWarning("the files of table {}, which was dropped, stay for now: {}", name.ToString(),
               archived.ToString());
    core_->janitor->AddDropped(name);
    core_->maintenance->WantCatalogCleaning();
  }
  return Status::Ok();
}

Status EngineAdmin::DecideDrop(const TableList& tables, const api::TableRows& rows) {
  MutationBatch meta;
  for (const auto& table : tables) {
    const TableName& name = table->name();
    RETURN_IF_ERROR(
        core_->env->WriteFileAtomically(core_->layout.TableMark(name, kDroppingMark), ""));
    BENNU_FAILPOINT("admin.drop.after_mark");
    const auto regions = table->regions();
    for (const auto& region : *regions) DeleteRegionRow(&meta, region->info());
    core_->janitor->DeleteRows(name, &meta);
    DeleteTableState(&meta, name);
  }
  return core_->WriteCatalogWith(MetaTableName(), &meta, rows);
}

Status EngineAdmin::ArchiveDropped(const TableName& name) {
  BENNU_FAILPOINT("admin.drop.before_remove");
  return ArchiveTable(core_->env, core_->layout, name);
}

// ---- alter

Status EngineAdmin::AlterTable(const TableDescriptor& given) {
  RETURN_IF_ERROR(RefuseSystem(given.name, "altered"));
  RETURN_IF_ERROR(CheckRemovedFamilies(given));
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> table, core_->FindTable(given.name));
  return WhileFamiliesAreAltered(core_, table->descriptor(), given, [&] { return Alter(given); });
}

Status EngineAdmin::Alter(const TableDescriptor& given) {
  MutexLock lock(&core_->ddl_mu);
  RETURN_IF_ERROR(core_->gate.Check());
  RETURN_IF_ERROR(api::CheckTable(given, core_->options.configuration));
  const TableDescriptor descriptor = WithSortedFamilies(given);
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> table, core_->FindTable(descriptor.name));
  const TableDescriptor old_descriptor = table->descriptor();
  const auto regions = table->regions();
  const std::set<std::string> changed = ChangedFamilies(old_descriptor, descriptor);
  if (!changed.empty()) {
    RETURN_IF_ERROR(WriteAlterationMark(core_->env, core_->layout, descriptor.name, changed));
  }
  Status decided = AddFamilies(old_descriptor, descriptor, *regions);
  if (decided.ok()) decided = DecideAlteration(old_descriptor, descriptor);
  if (!decided.ok()) {
    // When it is not known which descriptor counts, the next opening sees.
    if (core_->gate.Check().ok()) RemoveFamilies(old_descriptor, *regions);
    return decided;
  }
  CrashPoint("admin.alter.after_descriptor");
  table->set_descriptor(descriptor);
  const Status applied = ApplyDescriptor(descriptor, *regions);
  if (!applied.ok()) {
    // No way back, and no way to go on: what is written by the old descriptor would be lost.
    core_->gate.Close("table " + descriptor.name.ToString() + " was altered, and its regions " +
                          "could not follow (" + applied.message() + "); reopen the store",
                      true);
    return applied;
  }
  RemoveFamilies(descriptor, *regions);
  return Status::Ok();
}

// What other tables' rows are derived from stays.
Status EngineAdmin::CheckRemovedFamilies(const TableDescriptor& given) {
  api::WriteObserverSource* const source = core_->services.write_observers.load();
  if (source == nullptr) return Status::Ok();
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> table, core_->FindTable(given.name));
  const TableDescriptor before = table->descriptor();
  for (const auto& family : before.families) {
    const bool stays = std::any_of(given.families.begin(), given.families.end(),
                                   [&](const auto& other) { return other.name == family.name; });
    if (!stays) RETURN_IF_ERROR(source->CheckFamilyIsFree(given.name, family.name));
  }
  return Status::Ok();
}

// Writes the descriptor. After an error the old one still holds, or the store takes no more writes:
// one that is not told to count, and does at the next opening, would take acknowledged writes away.
Status EngineAdmin::DecideAlteration(const TableDescriptor& old_descriptor,
                                     const TableDescriptor& descriptor) {
  BENNU_FAILPOINT("admin.alter.before_descriptor");
  const std::string directory = core_->layout.TableDirectory(descriptor.name);
  const Status written = WriteTableInfo(core_->env, directory, descriptor);
  if (written.ok()) return written;
  const auto found = ReadTableInfo(core_->env, directory);
  if (found.ok() && WithSortedFamilies(*found) == WithSortedFamilies(old_descriptor)) {
    return written;
  }
  core_->gate.Close("it is not known which descriptor table " + descriptor.name.ToString() +
                        " has (" + written.message() + "); reopen the store",
                    true);
  return written;
}

Status EngineAdmin::ApplyDescriptor(const TableDescriptor& descriptor, const RegionList& regions) {
  for (const auto& region : regions) {
    RETURN_IF_ERROR(region->SetDescriptor(descriptor));
    BENNU_FAILPOINT("admin.alter.between_regions");
  }
  return Status::Ok();
}

// Empty directories, with a floor: what the log still holds for an earlier family of that name is
// not for this one.
Status EngineAdmin::AddFamilies(const TableDescriptor& old_descriptor,
                                const TableDescriptor& descriptor, const RegionList& regions) {
  Env* const env = core_->env;
  const std::string floor =
      std::string(kReplayFloorPrefix) + std::to_string(core_->services.wal->last_sequence_id());
  for (const auto& family : descriptor.families) {
    if (old_descriptor.FindFamily(family.name) != nullptr) continue;
    for (const auto& region : regions) {
      const std::string directory = JoinPath(region->directory(), family.name);
      RETURN_IF_ERROR(
          ArchiveFamily(env, core_->layout, descriptor.name, region->encoded_name(), family.name));
      RETURN_IF_ERROR(env->CreateDirectories(directory));
      RETURN_IF_ERROR(env->WriteFileAtomically(JoinPath(directory, floor), ""));
      RETURN_IF_ERROR(env->SyncDirectory(region->directory()));
    }
  }
  return Status::Ok();
}

// What is in the way of nobody: a new family of that name empties its directory, and the next
// opening finishes what could not be done.
void EngineAdmin::RemoveFamilies(const TableDescriptor& descriptor, const RegionList& regions) {
  std::vector<std::string> names;
  for (const auto& region : regions) names.push_back(region->encoded_name());
  const Status removed = FinishAlteration(core_->env, core_->layout, descriptor, names);
  if (!removed.ok()) {
    LogWarning("altering table {}: {}", descriptor.name.ToString(), removed.ToString());
  }
}

// ---- truncate

Status EngineAdmin::TruncateTable(const TableName& name, bool preserve_splits) {
  RETURN_IF_ERROR(RefuseSystem(name, "truncated"));
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> table, core_->FindTable(name));
  const auto check_rest = [&] {
    return table->disabled() ? Status::Ok()
                             : FailedPrecondition("table " + name.ToString() +
                                                  " is enabled; disable it before it is truncated");
  };
  RETURN_IF_ERROR(check_rest());
  RETURN_IF_ERROR(LetGoOfDerivedRows(core_, name));
  // Rows of other tables that stand for the table's rows go with them.
  std::vector<TableName> derived;
  api::WriteObserverSource* const source = core_->services.write_observers.load();
  if (source != nullptr) {
    ASSIGN_OR_RETURN(derived, source->TablesDerivedFrom(name));
  }
  MutexLock lock(&core_->ddl_mu);
  RETURN_IF_ERROR(core_->gate.Check());
  if (table->dropped()) return NotFound("table " + name.ToString() + " is gone");
  RETURN_IF_ERROR(check_rest());
  std::vector<TableReplacement> tables;
  ASSIGN_OR_RETURN(std::vector<RegionInfo> infos, NewRegionsOf(core_, *table, preserve_splits));
  tables.push_back({table, table->descriptor(), std::move(infos), true, nullptr});
  RETURN_IF_ERROR(AddEmptied(core_, derived, &tables));
  return ReplaceTables(core_, tables, Replacing::kTruncate)
      .Annotate("truncating table " + name.ToString());
}

Status EngineAdmin::EmptyTable(const TableName& name) {
  RETURN_IF_ERROR(RefuseSystem(name, "emptied"));
  MutexLock lock(&core_->ddl_mu);
  RETURN_IF_ERROR(core_->gate.Check());
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> table, core_->FindTable(name));
  RETURN_IF_ERROR(table->CheckUsable());
  return EmptyDerivedTables(core_, {name}).Annotate("emptying table " + name.ToString());
}

// ---- disable and enable

Status EngineAdmin::DisableTable(const TableName& name) { return SetEnabled(name, false); }
Status EngineAdmin::EnableTable(const TableName& name) { return SetEnabled(name, true); }

Status EngineAdmin::SetEnabled(const TableName& name, bool enabled) {
  RETURN_IF_ERROR(RefuseSystem(name, enabled ? "enabled" : "disabled"));
  MutexLock lock(&core_->ddl_mu);
  RETURN_IF_ERROR(core_->gate.Check());
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> table, core_->FindTable(name));
  if (table->disabled() != enabled) {
    return FailedPrecondition("table " + name.ToString() + " is " +
                              (enabled ? "enabled" : "disabled") + " already");
  }
  MutationBatch rows;
  PutTableState(&rows, name, enabled);
  // HBase opens a region of a server that died, but not one that is closed.
  for (auto regions = table->regions(); const auto& region : *regions) {
    if (enabled) {
      PutRegionRow(&rows, region->info(), core_->services.server_name,
                   core_->services.wal->last_sequence_id());
    } else {
      PutClosedRegion(&rows, region->info());
    }
  }
  RETURN_IF_ERROR(core_->WriteCatalog(MetaTableName(), &rows));
  table->SetDisabled(!enabled);
  if (enabled) return Status::Ok();
  return CloseRegionsOf(core_, table.get());
}

Result<bool> EngineAdmin::IsTableEnabled(const TableName& name) {
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> table, core_->FindTable(name));
  return !table->disabled();
}

// ---- tables

Result<bool> EngineAdmin::TableExists(const TableName& name) { return core_->FindTable(name).ok(); }

Result<std::vector<TableName>> EngineAdmin::ListTables() {
  std::vector<TableName> names;
  for (const auto& table : core_->AllTables()) {
    if (table->name().name_space != "hbase") names.push_back(table->name());
  }
  return names;
}

// ---- regions

Result<EngineAdmin::Place> EngineAdmin::FindRegionByName(const std::string& encoded_name) const {
  for (const auto& table : core_->AllTables()) {
    const auto regions = table->regions();
    for (const auto& region : *regions) {
      if (region->encoded_name() == encoded_name) return Place{table, region};
    }
  }
  return NotFound("there is no region " + encoded_name);
}

Result<std::vector<RegionStatus>> EngineAdmin::ListRegions(const TableName& name) {
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> table, core_->FindTable(name));
  std::vector<RegionStatus> all;
  const auto regions = table->regions();
  for (const auto& region : *regions) all.push_back(region->Describe());
  return all;
}

Status EngineAdmin::SplitTable(const TableName& name, const std::optional<Bytes>& row) {
  RETURN_IF_ERROR(RefuseSystem(name, "split"));
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> table, core_->FindTable(name));
  if (core_->region_changes == nullptr) return core_->gate.Check();
  RETURN_IF_ERROR(table->CheckUsable());
  const auto regions = table->regions();
  if (row.has_value()) {
    return core_->region_changes->Split(table, (*regions)[FindRegion(*regions, *row)], row);
  }
  // As many as can be; an error only when none could.
  Status first;
  bool any = false;
  for (const auto& region : *regions) {
    const Status status = core_->region_changes->Split(table, region, row);
    any = any || status.ok();
    if (first.ok()) first = status;
  }
  return any ? Status::Ok() : first;
}

Status EngineAdmin::SplitRegion(const std::string& encoded_name, const std::optional<Bytes>& row) {
  ASSIGN_OR_RETURN(const Place place, FindRegionByName(encoded_name));
  RETURN_IF_ERROR(RefuseSystem(place.table->name(), "split"));
  if (core_->region_changes == nullptr) return core_->gate.Check();
  RETURN_IF_ERROR(place.table->CheckUsable());
  return core_->region_changes->Split(place.table, place.region, row);
}

Status EngineAdmin::MergeRegions(const std::vector<std::string>& encoded_names) {
  RegionList regions;
  std::shared_ptr<TableEntry> table;
  for (const std::string& encoded_name : encoded_names) {
    ASSIGN_OR_RETURN(const Place place, FindRegionByName(encoded_name));
    RETURN_IF_ERROR(RefuseSystem(place.table->name(), "merged"));
    if (table != nullptr && table != place.table) {
      return InvalidArgument("regions " + encoded_names.front() + " and " + encoded_name +
                             " are of different tables");
    }
    table = place.table;
    regions.push_back(place.region);
  }
  if (core_->region_changes == nullptr) return core_->gate.Check();
  if (table != nullptr) RETURN_IF_ERROR(table->CheckUsable());
  std::sort(regions.begin(), regions.end(), [](const auto& left, const auto& right) {
    return left->info().start_key < right->info().start_key;
  });
  return core_->region_changes->Merge(table, regions);
}

// ---- snapshots

Status EngineAdmin::SnapshotTable(const std::string& name, const TableName& table,
                                  const SnapshotOptions& options) {
  RETURN_IF_ERROR(RefuseSystem(table, "taken a snapshot of"));
  return snapshots_.Take(name, table, options);
}

Result<std::vector<SnapshotDescription>> EngineAdmin::ListSnapshots() {
  std::vector<SnapshotDescription> all;
  ASSIGN_OR_RETURN(const auto names, core_->snapshot_files.List());
  for (const std::string& name : names) {
    const auto record = core_->snapshot_files.Read(name);
    if (record.status().code() == StatusCode::kNotFound) continue;  // deleted meanwhile
    if (record.status().code() == StatusCode::kCorruption) {        // left out, as in HBase
      LogWarning("snapshot {} is not listed: {}", name, record.status().ToString());
      continue;
    }
    RETURN_IF_ERROR(record.status());
    all.push_back(DescribeRecord(*record).description);
  }
  return all;
}

Result<SnapshotContents> EngineAdmin::DescribeSnapshot(const std::string& name) {
  ASSIGN_OR_RETURN(const SnapshotRecord record, core_->snapshot_files.Read(name));
  return DescribeRecord(record);
}

Status EngineAdmin::CloneSnapshot(const std::string& name, const TableName& table) {
  RETURN_IF_ERROR(RefuseSystem(table, "made of a snapshot"));
  return MakeNew(table, [&](const api::WriteObserverSource::Replacement& replacement) {
    MutexLock lock(&core_->ddl_mu);
    RETURN_IF_ERROR(core_->gate.Check());
    ASSIGN_OR_RETURN(const SnapshotRecord record, core_->snapshot_files.Read(name));
    RETURN_IF_ERROR(CheckNotExpired(record, core_->clock.NowMillis()));
    RETURN_IF_ERROR(CheckNewTable(table));
    RETURN_IF_ERROR(EmptyDerivedTables(core_, replacement.derived));
    return snapshots_.Clone(core_, record, table, replacement.derived_families);
  });
}

Status EngineAdmin::RestoreSnapshot(const std::string& name) {
  ASSIGN_OR_RETURN(const SnapshotRecord record, core_->snapshot_files.Read(name));
  ASSIGN_OR_RETURN(const TableName table_name, TableName::Parse(record.info.table()));
  RETURN_IF_ERROR(RefuseSystem(table_name, "restored"));
  RETURN_IF_ERROR(CheckNotExpired(record, core_->clock.NowMillis()));
  const auto table = core_->FindTable(table_name);
  if (!table.ok()) return CloneSnapshot(name, table_name);  // as in HBase
  return snapshots_.Restore(record, *table);
}

Status EngineAdmin::DeleteSnapshot(const std::string& name) { return snapshots_.Delete(name); }

Status EngineAdmin::ExportSnapshot(const std::string& name, const std::string& target) {
  return snapshots_.Export(name, target);
}

Status EngineAdmin::Backup(const std::string& target) {
  return StoreBackup(core_, target).Run().Annotate("backing up into " + target);
}

// ---- HFiles in and out

Result<BulkLoadResult> EngineAdmin::BulkLoad(const TableName& name, const std::string& folder,
                                             const BulkLoadOptions& options) {
  RETURN_IF_ERROR(RefuseSystem(name, "loaded into"));
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> table, core_->FindTable(name));
  return engine::BulkLoad(core_, table, options).Run(folder);
}

Result<ExportResult> EngineAdmin::ExportTable(const TableName& name, const std::string& folder,
                                              const ExportOptions& options) {
  RETURN_IF_ERROR(RefuseSystem(name, "exported"));
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> table, core_->FindTable(name));
  return engine::ExportTable(core_, table, folder, options);
}

Result<BulkLoadResult> EngineAdmin::ImportTable(const std::string& folder,
                                                const ImportOptions& options) {
  auto files = ListLoadFiles(core_->env, folder);
  const Status listed = files.status();
  const bool empty = listed.code() == StatusCode::kNotFound;
  if (!listed.ok() && !empty) return listed;
  const std::vector<LoadFile> found = empty ? std::vector<LoadFile>() : std::move(files).value();
  auto described = DescribeFolder(core_->env, folder, options.table, found);
  // A folder without files is worth a table if it tells of one.
  if (empty && (!described.ok() || described->families.empty())) return listed;
  ASSIGN_OR_RETURN(const TableDescriptor descriptor, std::move(described));
  if (!core_->FindTable(descriptor.name).ok()) {
    RETURN_IF_ERROR(CreateForImport(descriptor, found));
  }
  if (empty) return BulkLoadResult();
  return BulkLoad(descriptor.name, folder, options.load);
}

Status EngineAdmin::CreateForImport(const TableDescriptor& descriptor,
                                    std::vector<LoadFile> files) {
  RETURN_IF_ERROR(RefuseSystem(descriptor.name, "created"));
  RETURN_IF_ERROR(ReadLoadFileRows(core_->env, &files));
  ASSIGN_OR_RETURN(const auto namespaces, ListNamespaces());
  const std::string& name_space = descriptor.name.name_space;
  if (std::find(namespaces.begin(), namespaces.end(), name_space) == namespaces.end()) {
    RETURN_IF_ERROR(CreateNamespace(name_space));
  }
  return CreateTable(descriptor, InferBorders(files, core_->options.memstore_flush_bytes));
}

}  // namespace bennu::engine
