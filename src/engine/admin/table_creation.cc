#include "src/engine/admin/table_creation.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "src/base/failpoint.h"
#include "src/base/hex.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/directory/meta_rows.h"
#include "src/engine/directory/root_directory.h"

namespace bennu::engine {

namespace {

// Below .tmp. The place that they go to is free then.
Status MakeDirectories(EngineCore* core, const TableDescriptor& descriptor,
                       const std::vector<RegionInfo>& infos, const FillRegion& fill) {
  Env* const env = core->env;
  const TableName& name = descriptor.name;
  const std::string target = core->layout.TableDirectory(name);
  // An earlier change may have failed to clean up behind itself.
  ASSIGN_OR_RETURN(const bool free, core->RemoveLeftover(name));
  if (!free) {
    return FailedPrecondition("directory " + target + " holds something that hbase:meta does not " +
                              "know; move it away to create table " + name.ToString());
  }
  const std::string temp = core->layout.TempTableDirectory(name);
  RETURN_IF_ERROR(env->RemoveTree(temp));
  std::vector<Status> outcomes(infos.size());
  core->query_pool->ParallelFor(infos.size(), [&](size_t i) {
    outcomes[i] =
        MakeRegionDirectory(core, descriptor, infos[i], JoinPath(temp, infos[i].EncodedName()),
                            [&](const std::string& directory) {
                              return fill == nullptr ? Status::Ok() : fill(i, directory);
                            });
  });
  for (const Status& outcome : outcomes) RETURN_IF_ERROR(outcome);
  RETURN_IF_ERROR(WriteTableInfo(env, temp, descriptor));
  if (fill != nullptr) {
    RETURN_IF_ERROR(env->WriteFileAtomically(JoinPath(temp, std::string(kCloningMark)), ""));
  }
  RETURN_IF_ERROR(env->SyncDirectory(temp));
  BENNU_FAILPOINT("admin.create.before_rename");
  return env->CreateDirectories(core->layout.NamespaceDirectory(name.name_space));
}

Status MoveIntoPlace(EngineCore* core, const TableName& name) {
  RETURN_IF_ERROR(
      core->env->Rename(core->layout.TempTableDirectory(name), core->layout.TableDirectory(name)));
  RETURN_IF_ERROR(core->env->SyncDirectory(core->layout.NamespaceDirectory(name.name_space)));
  BENNU_FAILPOINT("admin.create.after_dir");
  return Status::Ok();
}

// What stays is removed by the next creation of that name, or the next opening.
void RemoveOrWarn(EngineCore* core, const std::string& directory) {
  const Status removed = core->env->RemoveTree(directory);
  if (!removed.ok()) LogWarning("removing {}: {}", directory, removed.ToString());
}

// The table is known from now on. A mark that stays is removed by the next opening.
void RemoveCloningMark(EngineCore* core, const TableName& name) {
  const Status removed = core->env->RemoveFile(core->layout.TableMark(name, kCloningMark));
  if (!removed.ok()) LogWarning("table {} is cloned: {}", name.ToString(), removed.ToString());
}

// Gives up a table whose directory may be in place, and whose regions may be open.
void Abandon(EngineCore* core, const TableName& name, const std::vector<RegionInfo>& infos,
             const RegionList& regions) {
  for (const auto& region : regions) {
    region->Close();
    core->services.wal->RegionFlushed(region->encoded_name(), UINT64_MAX);
  }
  // If the log was lost it is not known whether the catalog has them: the next start will see.
  if (!core->mvcc.status().ok()) return;
  RemoveOrWarn(core, core->layout.TempTableDirectory(name));
  // The mark that explains the regions goes after them.
  for (const RegionInfo& info : infos) {
    RemoveOrWarn(core, core->layout.RegionDirectory(name, info.EncodedName()));
  }
  RemoveOrWarn(core, core->layout.TableDirectory(name));
}

Status Decide(EngineCore* core, const TableName& name, const std::vector<RegionInfo>& infos) {
  const uint64_t open_sequence_id = core->services.wal->last_sequence_id() + 1;
  MutationBatch rows;
  for (const RegionInfo& info : infos) {
    PutRegionRow(&rows, info, core->services.server_name, open_sequence_id);
  }
  PutTableState(&rows, name, true);
  BENNU_FAILPOINT("admin.create.before_meta");
  return core->WriteCatalog(MetaTableName(), &rows);
}

}  // namespace

Status MakeRegionDirectory(EngineCore* core, const TableDescriptor& descriptor,
                           const RegionInfo& info, const std::string& directory,
                           const std::function<Status(const std::string&)>& fill) {
  for (const auto& family : descriptor.families) {
    RETURN_IF_ERROR(core->env->CreateDirectories(JoinPath(directory, family.name)));
  }
  RETURN_IF_ERROR(fill(directory));
  RETURN_IF_ERROR(WriteRegionInfo(core->env, directory, info));  // and syncs the directory
  BENNU_FAILPOINT("admin.create.between_regions");
  return Status::Ok();
}

TableDescriptor WithSortedFamilies(TableDescriptor descriptor) {
  std::sort(descriptor.families.begin(), descriptor.families.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return descriptor;
}

Result<std::vector<RegionInfo>> MakeRegionInfos(const TableName& name, std::vector<Bytes> keys,
                                                uint64_t region_id) {
  std::sort(keys.begin(), keys.end());
  if (!keys.empty() && keys.front().empty()) {
    return InvalidArgument("table " + name.ToString() + ": a split key is empty");
  }
  if (const auto twice = std::adjacent_find(keys.begin(), keys.end()); twice != keys.end()) {
    return InvalidArgument("table " + name.ToString() + ": split key '" + ToStringBinary(*twice) +
                           "' is given twice");
  }
  std::vector<RegionInfo> infos(keys.size() + 1);
  for (size_t i = 0; i < infos.size(); ++i) {
    infos[i].table = name;
    infos[i].region_id = region_id;
    if (i > 0) infos[i].start_key = keys[i - 1];
    if (i < keys.size()) infos[i].end_key = keys[i];
  }
  return infos;
}

Status MakeTable(EngineCore* core, const TableDescriptor& descriptor,
                 const std::vector<RegionInfo>& infos, const FillRegion& fill) {
  const Status made = MakeDirectories(core, descriptor, infos, fill);
  if (!made.ok()) {
    RemoveOrWarn(core, core->layout.TempTableDirectory(descriptor.name));
    return made;
  }
  RegionList regions;
  Status decided = MoveIntoPlace(core, descriptor.name);
  if (decided.ok()) {
    regions = core->MakeRegions(descriptor, infos);
    if (fill != nullptr) decided = core->OpenNewRegions(regions);
  }
  if (decided.ok()) decided = Decide(core, descriptor.name, infos);
  if (!decided.ok()) {
    Abandon(core, descriptor.name, infos, regions);
    return decided;
  }
  CrashPoint("admin.create.after_meta");
  if (fill != nullptr) RemoveCloningMark(core, descriptor.name);
  core->AddTable(std::make_shared<TableEntry>(descriptor, std::move(regions)));
  return Status::Ok();
}

}  // namespace bennu::engine
