#include "src/engine/transfer/bulk_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "src/api/attributes.h"
#include "src/base/failpoint.h"
#include "src/base/hex.h"
#include "src/base/log.h"
#include "src/base/resolved_path.h"
#include "src/base/status_macros.h"

namespace bennu::engine {

namespace {

// Borders of the regions that lie inside the file: the first row of each region but the first.
std::vector<Bytes> BordersWithin(const RegionList& regions, const LoadFile& file) {
  std::vector<Bytes> borders;
  for (size_t i = FindRegion(regions, file.first_row) + 1; i < regions.size(); ++i) {
    const Bytes& start = regions[i]->info().start_key;
    if (ByteView(file.last_row) < ByteView(start)) break;
    borders.push_back(start);
  }
  return borders;
}

}  // namespace

Status CheckNoFileOfStore(const std::string& root, const std::string& path) {
  ASSIGN_OR_RETURN(const std::string store, ResolvePath(root));
  ASSIGN_OR_RETURN(const std::string file, ResolvePath(path));
  if (!LiesIn(store, file) || LiesIn(JoinPath(store, kClientStaging), file)) return Status::Ok();
  return InvalidArgument(path + " is a part of the store " + root +
                         " itself, which would lose it; to copy a table take a snapshot and clone "
                         "it, or export it and load what was exported");
}

Status CheckLoadFiles(EngineCore* core, std::vector<LoadFile>* files,
                      const std::function<void()>& done) {
  std::vector<Status> outcomes(files->size());
  Mutex mu;
  core->query_pool->ParallelFor(files->size(), [&](size_t i) {
    outcomes[i] = CheckLoadFile(core->env, &(*files)[i]);
    MutexLock lock(&mu);
    done();
  });
  for (const Status& outcome : outcomes) RETURN_IF_ERROR(outcome);
  return Status::Ok();
}

BulkLoad::BulkLoad(EngineCore* core, std::shared_ptr<TableEntry> table,
                   const BulkLoadOptions& options)
    : core_(core),
      table_(std::move(table)),
      options_(options),
      staging_(JoinPath(core->layout.Temp(), "bulkload-" + NewStoreFileName(core->env))) {}

BulkLoad::~BulkLoad() {
  const Status removed = core_->env->RemoveTree(staging_);
  if (!removed.ok()) LogWarning("bulk load: {}", removed.ToString());
}

void BulkLoad::Report() const {
  if (options_.progress) options_.progress(progress_);
}

Result<BulkLoadResult> BulkLoad::Run(const std::string& folder) {
  RETURN_IF_ERROR(core_->gate.Check());
  RETURN_IF_ERROR(table_->CheckUsable());
  ASSIGN_OR_RETURN(std::vector<LoadFile> files, ListLoadFiles(core_->env, folder));
  RETURN_IF_ERROR(CheckFamilies(files));
  RETURN_IF_ERROR(CheckSources(files));
  progress_.files = files.size();
  RETURN_IF_ERROR(CheckLoadFiles(core_, &files, [this] {
    ++progress_.files_checked;
    Report();
  }));
  std::erase_if(files, [](const LoadFile& file) { return file.cells == 0; });
  for (const LoadFile& file : files) {
    ++result_.files;
    result_.cells += file.cells;
    result_.bytes += file.size_bytes;
  }
  while (!files.empty()) {
    const auto regions = table_->regions();
    Groups groups;
    RETURN_IF_ERROR(DealOut(*regions, std::exchange(files, {}), &groups));
    progress_.regions = progress_.regions_loaded + groups.size();
    for (auto& [index, group] : groups) {
      const Status status = LoadGroup((*regions)[index], &group);
      if (status.code() == StatusCode::kAborted) {  // the region is gone: deal out again
        files.insert(files.end(), group.begin(), group.end());
        continue;
      }
      if (!status.ok()) {
        return status.Annotate(fmt::format(
            "bulk load of {} into table {}: {} of {} regions are loaded; to load the folder again "
            "does no harm",
            folder, table_->name().ToString(), progress_.regions_loaded, progress_.regions));
      }
      ++progress_.regions_loaded;
      Report();
    }
  }
  result_.regions = progress_.regions_loaded;
  return result_;
}

Status BulkLoad::CheckFamilies(const std::vector<LoadFile>& files) const {
  const TableDescriptor descriptor = table_->descriptor();
  const std::string* const read_only = api::Find(descriptor.attributes, "READONLY");
  if (read_only != nullptr && api::ParseBool(*read_only).value_or(false)) {
    return FailedPrecondition("table " + descriptor.name.ToString() +
                              " is read-only (attribute READONLY)");
  }
  for (const LoadFile& file : files) {
    if (descriptor.FindFamily(file.family) != nullptr) continue;
    std::string present;
    for (const auto& family : descriptor.families) {
      present += (present.empty() ? "" : ", ") + family.name;
    }
    return InvalidArgument(fmt::format(
        "{}: table {} has no family '{}' (it has {}); add the family to the table or rename the "
        "folder",
        file.path, descriptor.name.ToString(), file.family, present));
  }
  return Status::Ok();
}

Status BulkLoad::CheckSources(const std::vector<LoadFile>& files) const {
  std::set<std::string> directories;
  for (const LoadFile& file : files) {
    if (!directories.insert(file.path.substr(0, file.path.rfind('/'))).second) continue;
    RETURN_IF_ERROR(CheckNoFileOfStore(core_->layout.root(), file.path));
  }
  return Status::Ok();
}

Status BulkLoad::DealOut(const RegionList& regions, std::vector<LoadFile> files, Groups* groups) {
  const TableDescriptor descriptor = table_->descriptor();
  for (LoadFile& file : files) {
    const std::vector<Bytes> borders = BordersWithin(regions, file);
    if (borders.empty()) {
      (*groups)[FindRegion(regions, file.first_row)].push_back(std::move(file));
      continue;
    }
    const ColumnFamilyDescriptor* const family = descriptor.FindFamily(file.family);
    if (family == nullptr) return NotFound("family " + file.family + " was removed meanwhile");
    ASSIGN_OR_RETURN(std::vector<LoadFile> parts,
                     CutLoadFile(core_->env, file, borders, *family, staging_));
    ++result_.split_files;
    for (LoadFile& part : parts) {
      progress_.bytes_written += part.size_bytes;
      (*groups)[FindRegion(regions, part.first_row)].push_back(std::move(part));
    }
    Report();
  }
  return Status::Ok();
}

// Aborted: the region was replaced meanwhile.
Status BulkLoad::LoadGroup(const std::shared_ptr<Region>& region, std::vector<LoadFile>* files) {
  RETURN_IF_ERROR(Stage(files));
  const Status opened = region->EnsureOpen();
  // Most of the memstores is written before writers have to wait.
  const Status flushed = opened.ok() ? core_->maintenance->FlushNow(region.get()) : opened;
  MutexLock lock(&core_->ddl_mu);
  RETURN_IF_ERROR(core_->gate.Check());
  RETURN_IF_ERROR(table_->CheckUsable());
  const auto regions = table_->regions();
  if (std::find(regions->begin(), regions->end(), region) == regions->end()) {
    return Status(StatusCode::kAborted, "the region was replaced");
  }
  RETURN_IF_ERROR(flushed);
  return LoadLocked(region, files);
}

// Everything into files that may be moved.
Status BulkLoad::Stage(std::vector<LoadFile>* files) {
  for (LoadFile& file : *files) {
    if (file.is_ours) continue;
    const std::string directory = file.path.substr(0, file.path.rfind('/'));
    // A path that is not the same from everywhere cannot be left to a recovery.
    const bool has_place = file.path.starts_with('/') && CanBeJournalled(file.path);
    // What a link leads to is somebody else's: moved, the store would hang on a file outside.
    const bool may_move = !options_.copy && !file.is_link && has_place;
    if (may_move && MayMoveFrom(directory)) {
      // Whoever wrote it may not have: it must be whole before the journal names it.
      RETURN_IF_ERROR(core_->env->SyncFile(file.path));
      continue;
    }
    ASSIGN_OR_RETURN(file, CopyLoadFile(core_->env, file, staging_));
    progress_.bytes_written += file.size_bytes;
    Report();
  }
  return core_->env->CreateDirectories(staging_);
}

// Whether a file can be renamed between the store and there: tried out with one.
bool BulkLoad::MayMoveFrom(const std::string& directory) {
  if (const auto known = movable_.find(directory); known != movable_.end()) return known->second;
  const std::string name = ".bennu-probe-" + NewStoreFileName(core_->env);
  const std::string here = JoinPath(staging_, name);
  const std::string there = JoinPath(directory, name);
  const auto probe = [&]() -> Status {
    RETURN_IF_ERROR(core_->env->CreateDirectories(staging_));
    RETURN_IF_ERROR(core_->env->WriteFileAtomically(here, ""));
    RETURN_IF_ERROR(core_->env->Rename(here, there));
    return core_->env->Rename(there, here);
  };
  const Status moved = probe();
  if (!moved.ok()) LogInfo("bulk load: files of {} are copied: {}", directory, moved.ToString());
  return movable_[directory] = moved.ok();
}

Status BulkLoad::LoadLocked(const std::shared_ptr<Region>& region, std::vector<LoadFile>* files) {
  const std::string staging = JoinPath(region->directory(), kBulkLoadStaging);
  RETURN_IF_ERROR(core_->env->RemoveTree(staging));
  const Status status = MoveInto(region, staging, files);
  core_->NoteWriteOutcome(status);
  // Not after a load that the next opening has to complete.
  if (core_->gate.Check().ok()) {
    const Status removed = core_->env->RemoveTree(staging);
    if (!removed.ok()) LogWarning("bulk load: {}", removed.ToString());
  }
  return status;
}

Status BulkLoad::MoveInto(const std::shared_ptr<Region>& region, const std::string& staging,
                          std::vector<LoadFile>* files) {
  Env* const env = core_->env;
  RETURN_IF_ERROR(env->CreateDirectories(staging));
  std::vector<BulkLoadFile> moving;
  for (LoadFile& file : *files) {
    std::string source = file.path;
    if (file.is_ours) {
      const std::string name = NewStoreFileName(env);
      RETURN_IF_ERROR(env->Rename(file.path, JoinPath(staging, name)));
      file.path = JoinPath(staging, name);
      source = JoinPath(kBulkLoadStaging, name);
    }
    moving.push_back({file.family, source, "", file.size_bytes});
  }
  // What the journal names must be there after a fall of the machine.
  for (const std::string& directory :
       {staging, JoinPath(region->directory(), ".tmp"), region->directory()}) {
    RETURN_IF_ERROR(env->SyncDirectory(directory));
  }
  BENNU_FAILPOINT("bulkload.staged");
  return region->BulkLoad(std::move(moving));
}

}  // namespace bennu::engine
