#include "src/engine/admin/table_snapshots.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/api/descriptor_pb.h"
#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/admin/derived_rows.h"
#include "src/engine/admin/table_creation.h"
#include "src/engine/admin/table_replacement.h"
#include "src/engine/core/catalog_janitor.h"
#include "src/engine/directory/archive.h"
#include "src/engine/directory/file_copy.h"
#include "src/engine/directory/meta_rows.h"
#include "src/engine/directory/root_directory.h"
#include "src/engine/store/file_reference.h"

namespace bennu::engine {

namespace {

Status WriteEmptyFile(Env* env, const std::string& path) {
  ASSIGN_OR_RETURN(const bool exists, env->Exists(path));
  if (exists) return Status::Ok();
  ASSIGN_OR_RETURN(const auto file, env->CreateFile(path));
  RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

pb::SnapshotDescription::Type TypeOf(bool disabled, bool skip_flush) {
  if (disabled) return pb::SnapshotDescription::DISABLED;
  return skip_flush ? pb::SnapshotDescription::SKIPFLUSH : pb::SnapshotDescription::FLUSH;
}

// How a store of the clone names what the snapshot names so (HBase's restoreStoreFile):
//   abc             table=region-abc
//   table=r-abc     the same
//   abc.parent      table=parent-abc.parent        a reference to a link
//   table=r-abc.p   the same
std::string NameInClone(const RegionInfo& region, const std::string& name) {
  const std::string link = MakeLinkName(TargetOf(region, name));
  const auto reference = ParseReferenceName(name);
  return reference.has_value() ? MakeReferenceName(link, reference->parent) : link;
}

Status WriteReferenceOf(Env* env, const SnapshotFileEntry& entry, const std::string& path) {
  if (!entry.file.has_reference()) {
    return NotSupported("the snapshot does not tell the border of reference " + entry.file.name() +
                        "; take it again in HBase after a major compaction");
  }
  ASSIGN_OR_RETURN(const FileReference reference, ReferenceFromPb(entry.file.reference()));
  return WriteReference(env, path, reference);
}

Status CheckAtRest(const TableEntry& table) {
  if (table.disabled()) return Status::Ok();
  return FailedPrecondition("table " + table.name().ToString() +
                            " is enabled; disable it before a snapshot is restored");
}

pb::SnapshotRegionManifest WithoutFamilies(const pb::SnapshotRegionManifest& manifest,
                                           const std::vector<std::string>& families) {
  pb::SnapshotRegionManifest left = manifest;
  left.clear_family_files();
  for (const auto& family : manifest.family_files()) {
    if (std::find(families.begin(), families.end(), family.family_name()) == families.end()) {
      *left.add_family_files() = family;
    }
  }
  return left;
}

}  // namespace

// ---- take

Status TableSnapshots::Take(const std::string& name, const TableName& table_name,
                            const SnapshotOptions& options) {
  RETURN_IF_ERROR(CheckSnapshotName(name));
  RETURN_IF_ERROR(core_->gate.Check());
  if (options.ttl_seconds < 0) return InvalidArgument("a snapshot's time to live is negative");
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> table, core_->FindTable(table_name));
  // What is split meanwhile is flushed by the split. Most is written here, where it holds up no
  // change of tables, and the little that comes in between by MakeManifest.
  const bool flush = !options.skip_flush && !table->disabled();
  if (flush) {
    const auto regions = table->regions();
    for (const auto& region : *regions) {
      RETURN_IF_ERROR(core_->maintenance->FlushNow(region.get()));
    }
  }
  MutexLock lock(&core_->ddl_mu);
  const ArchiveCleaner::Hold hold(&core_->archive_cleaner);
  if (table->dropped()) return NotFound("table " + table_name.ToString() + " was dropped");
  ASSIGN_OR_RETURN(const bool taken, core_->snapshot_files.Exists(name));
  if (taken) return AlreadyExists("snapshot " + name + " is there already");
  SnapshotRecord record;
  record.info.set_name(name);
  record.info.set_table(table_name.ToString());
  record.info.set_creation_time(core_->clock.NowMillis());
  record.info.set_type(TypeOf(table->disabled(), options.skip_flush));
  record.info.set_ttl(options.ttl_seconds);
  if (!options.owner.empty()) record.info.set_owner(options.owner);
  ASSIGN_OR_RETURN(record.data, MakeManifest(*table, flush));
  return core_->snapshot_files.Write(record).Annotate("taking snapshot " + name);
}

Result<pb::SnapshotDataManifest> TableSnapshots::MakeManifest(const TableEntry& table, bool flush) {
  pb::SnapshotDataManifest manifest;
  const TableDescriptor descriptor = table.descriptor();
  api::DescriptorToPb(descriptor, manifest.mutable_table_schema());
  const auto regions = table.regions();
  RETURN_IF_ERROR(core_->OpenRegions(*regions));
  for (const auto& region : *regions) {
    const auto add = [&](const StoreSet& stores) { AddRegion(*region, stores, &manifest); };
    const Status added = region->flusher()->UseFiles(flush, add);
    if (!added.ok()) core_->maintenance->WantFlush(region.get());  // what failed is tried again
    RETURN_IF_ERROR(added);
  }
  // As in HBase, so that its clones, too, find whose files the references mean.
  for (const ReplacedRegions& replaced : core_->janitor->PendingOf(table.name())) {
    if (replaced.merge) continue;
    RETURN_IF_ERROR(AddSplitParent(replaced.parents.front(), descriptor, &manifest));
  }
  return manifest;
}

void TableSnapshots::AddRegion(const Region& region, const StoreSet& stores,
                               pb::SnapshotDataManifest* manifest) {
  auto* const entry = manifest->add_region_manifests();
  api::RegionInfoToPb(region.info(), entry->mutable_region_info());
  for (const auto& store : stores.entries) {
    auto* const family = entry->add_family_files();
    family->set_family_name(store.family);
    const auto view = store.store->view();
    for (const auto& file : view->files) {
      auto* const named = family->add_store_files();
      named->set_name(file->name());
      named->set_file_size(file->reader()->file_size());
      if (file->is_reference()) ReferenceToPb(*file->reference(), named->mutable_reference());
    }
  }
}

// It has no references and does not change any more, so the directory tells all.
Status TableSnapshots::AddSplitParent(const RegionInfo& parent, const TableDescriptor& descriptor,
                                      pb::SnapshotDataManifest* manifest) {
  RegionInfo info = parent;
  const std::string encoded = parent.EncodedName();
  info.offline = info.split = true;
  auto* const entry = manifest->add_region_manifests();
  api::RegionInfoToPb(info, entry->mutable_region_info());
  for (const auto& family : descriptor.families) {
    const std::string store =
        JoinPath(core_->layout.RegionDirectory(parent.table, encoded), family.name);
    auto* const files = entry->add_family_files();
    files->set_family_name(family.name);
    ASSIGN_OR_RETURN(const bool exists, core_->env->Exists(store));
    if (!exists) continue;
    ASSIGN_OR_RETURN(const auto names, core_->env->ListDirectory(store));
    for (const std::string& name : names) {
      const bool is_file = IsStoreFileName(name);
      if (!is_file && !ParseLinkName(name).has_value()) continue;
      auto* const named = files->add_store_files();
      named->set_name(name);
      if (!is_file) continue;  // a link's size is not known here
      ASSIGN_OR_RETURN(const uint64_t size, core_->env->FileSize(JoinPath(store, name)));
      named->set_file_size(size);
    }
  }
  return Status::Ok();
}

Status TableSnapshots::Delete(const std::string& name) {
  MutexLock lock(&core_->ddl_mu);
  RETURN_IF_ERROR(core_->gate.Check());
  const ArchiveCleaner::Hold hold(&core_->archive_cleaner);
  return core_->snapshot_files.Remove(name);
}

// ---- clone

// With an id of their own, so that their names are new even if the table was there before. Parents
// of splits are left out: references are made to links, which do not need them.
std::vector<RegionInfo> TableSnapshots::NewRegions(const SnapshotRecord& record,
                                                   const TableName& table,
                                                   std::vector<size_t>* from) {
  core_->clock.NotBefore(core_->clock.NowMillis() + 1);
  auto id = static_cast<uint64_t>(core_->clock.NowMillis());
  std::vector<std::pair<RegionInfo, size_t>> regions;
  for (int i = 0; i < record.data.region_manifests_size(); ++i) {
    RegionInfo info = api::RegionInfoFromPb(record.data.region_manifests(i).region_info());
    if (info.split || info.offline || info.replica_id != 0) continue;
    id = std::max(id, info.region_id + 1);
    info.table = table;
    regions.emplace_back(std::move(info), static_cast<size_t>(i));
  }
  std::sort(regions.begin(), regions.end(), [](const auto& left, const auto& right) {
    return left.first.start_key < right.first.start_key;
  });
  std::vector<RegionInfo> infos;
  for (auto& [info, index] : regions) {
    info.region_id = id;
    infos.push_back(std::move(info));
    from->push_back(index);
  }
  return infos;
}

// The back references first: a link without one would not keep its file.
Status TableSnapshots::FillWithLinks(const pb::SnapshotRegionManifest& from, const RegionInfo& to,
                                     const std::string& directory) {
  Env* const env = core_->env;
  pb::SnapshotDataManifest one;
  *one.add_region_manifests() = from;
  const std::string back_name = MakeBackReferenceName({to.table, to.EncodedName()});
  RETURN_IF_ERROR(ForEachFile(one, [&](const SnapshotFileEntry& entry) -> Status {
    const FileLink target = TargetOf(entry.region, entry.file.name());
    const std::string back_references = JoinPath(
        JoinPath(core_->layout.ArchivedRegionDirectory(target.table, target.region), entry.family),
        std::string(kBackReferencesPrefix) + target.file);
    RETURN_IF_ERROR(env->CreateDurableDirectories(back_references));
    RETURN_IF_ERROR(WriteEmptyFile(env, JoinPath(back_references, back_name)));
    return env->SyncDirectory(back_references);
  }));
  BENNU_FAILPOINT("snapshot.clone.back_references");
  RETURN_IF_ERROR(ForEachFile(one, [&](const SnapshotFileEntry& entry) -> Status {
    const std::string path =
        JoinPath(JoinPath(directory, entry.family), NameInClone(entry.region, entry.file.name()));
    const bool is_reference = ParseReferenceName(entry.file.name()).has_value();
    RETURN_IF_ERROR(is_reference ? WriteReferenceOf(env, entry, path) : WriteEmptyFile(env, path));
    BENNU_FAILPOINT("snapshot.clone.between_links");
    return Status::Ok();
  }));
  for (const auto& family : from.family_files()) {
    RETURN_IF_ERROR(env->SyncDirectory(JoinPath(directory, family.family_name())));
  }
  return Status::Ok();
}

Status TableSnapshots::Clone(EngineCore* core, const SnapshotRecord& record, const TableName& table,
                             const std::vector<std::string>& derived_families) {
  const ArchiveCleaner::Hold hold(&core_->archive_cleaner);
  RETURN_IF_ERROR(VerifySnapshot(core_->env, core_->layout, record));
  TableDescriptor descriptor = api::DescriptorFromPb(record.data.table_schema());
  descriptor.name = table;
  std::vector<size_t> from;
  const std::vector<RegionInfo> infos = NewRegions(record, table, &from);
  const auto fill = [&](size_t region, const std::string& directory) {
    return FillWithLinks(
        WithoutFamilies(record.data.region_manifests(static_cast<int>(from[region])),
                        derived_families),
        infos[region], directory);
  };
  return MakeTable(core, descriptor, infos, fill)
      .Annotate("cloning snapshot " + record.info.name() + " as " + table.ToString());
}

// ---- restore

Status TableSnapshots::Restore(const SnapshotRecord& record,
                               const std::shared_ptr<TableEntry>& table) {
  RETURN_IF_ERROR(core_->gate.Check());
  RETURN_IF_ERROR(CheckAtRest(*table));
  RETURN_IF_ERROR(VerifySnapshot(core_->env, core_->layout, record));
  const std::string& name = record.info.name();
  // A name of its own, also when the restore before failed in the same millisecond.
  core_->clock.NotBefore(core_->clock.NowMillis() + 1);
  const std::string failsafe =
      "hbase-failsafe-" + name + "-" + std::to_string(core_->clock.NowMillis());
  if (const Status taken = Take(failsafe, table->name(), {}); !taken.ok()) {
    // It may be there, and not be durable.
    const Status removed = Delete(failsafe);
    if (!removed.ok() && removed.code() != StatusCode::kNotFound) {
      LogWarning("restoring snapshot {}: {}", name, removed.ToString());
    }
    return taken;
  }
  BENNU_FAILPOINT("restore.after_failsafe");
  Status replaced = LetGoOfDerivedRows(core_, table->name());
  if (replaced.ok()) {
    replaced = WhileRowsAreReplaced(core_, table->name(),
                                    [&](const api::WriteObserverSource::Replacement& replacement) {
                                      return ReplaceByRestored(record, table, replacement);
                                    });
  }
  if (!replaced.ok()) {
    // The table is as it was, or restored; only a lost log leaves that open.
    const bool kept = !core_->mvcc.status().ok() || !core_->snapshot_files.Remove(failsafe).ok();
    return replaced.Annotate("restoring snapshot " + name +
                             (kept ? " (the table as it was is snapshot " + failsafe + ")" : ""));
  }
  return Delete(failsafe);
}

Status TableSnapshots::ReplaceByRestored(const SnapshotRecord& record,
                                         const std::shared_ptr<TableEntry>& table,
                                         const api::WriteObserverSource::Replacement& replacement) {
  MutexLock lock(&core_->ddl_mu);
  const ArchiveCleaner::Hold hold(&core_->archive_cleaner);
  if (table->dropped()) return NotFound("table " + table->name().ToString() + " is gone");
  RETURN_IF_ERROR(CheckAtRest(*table));
  TableDescriptor descriptor = api::DescriptorFromPb(record.data.table_schema());
  descriptor.name = table->name();
  descriptor = WithDerivedFamilies(replacement.derived_families, table->descriptor(), descriptor);
  std::vector<size_t> from;
  const std::vector<RegionInfo> infos = NewRegions(record, table->name(), &from);
  const auto fill = [&](size_t region, const std::string& directory) {
    return FillWithLinks(
        WithoutFamilies(record.data.region_manifests(static_cast<int>(from[region])),
                        replacement.derived_families),
        infos[region], directory);
  };
  std::vector<TableReplacement> tables;
  tables.push_back({table, descriptor, infos, false, fill});
  RETURN_IF_ERROR(AddEmptied(core_, replacement.derived, &tables));
  return ReplaceTables(core_, tables, Replacing::kRestore);
}

// ---- export

// Files first, the manifest last: only then does the target know of the snapshot.
Status TableSnapshots::Export(const std::string& name, const std::string& target) {
  const ArchiveCleaner::Hold hold(&core_->archive_cleaner);
  ASSIGN_OR_RETURN(const SnapshotRecord record, core_->snapshot_files.Read(name));
  RETURN_IF_ERROR(VerifySnapshot(core_->env, core_->layout, record));
  const RootLayout layout(target);
  ASSIGN_OR_RETURN(const auto target_lock, TakeRoot(core_->env, layout, true));
  const SnapshotFiles snapshots(core_->env, layout);
  ASSIGN_OR_RETURN(const bool taken, snapshots.Exists(name));
  if (taken) return AlreadyExists("snapshot " + name + " is in " + target + " already");
  std::set<std::string> directories;
  RETURN_IF_ERROR(ForEachFile(record.data, [&](const SnapshotFileEntry& entry) -> Status {
    const FileLink file = TargetOf(entry.region, entry.file.name());
    const auto from = LinkedPlaces(core_->layout.root(), file, entry.family);
    const auto to = LinkedPlaces(target, file, entry.family);
    for (const std::string& place : to) {
      ASSIGN_OR_RETURN(const bool exists, core_->env->Exists(place));
      if (exists) return Status::Ok();  // of an earlier export
    }
    const std::string directory = to.back().substr(0, to.back().rfind('/'));
    RETURN_IF_ERROR(core_->env->CreateDurableDirectories(directory));
    directories.insert(directory);
    return ShareOrCopyFile(core_->env, from, to.back());
  }));
  for (const std::string& directory : directories) {
    RETURN_IF_ERROR(core_->env->SyncDirectory(directory));
  }
  return snapshots.Write(record);
}

}  // namespace bennu::engine
