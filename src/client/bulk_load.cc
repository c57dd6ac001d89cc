#include "src/client/bulk_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "proto/client.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/base/env.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/client/deadline.h"

namespace bennu::client {

namespace {

// First rows of the regions that begin within the file, but not with it.
std::vector<Bytes> BordersWithin(const TableRegions& regions, const FileToLoad& file) {
  std::vector<Bytes> borders;
  for (const RegionLocation& region : regions.all()) {
    const ByteView start = region.info.start_key;
    if (ByteView(file.first_row) < start && start <= ByteView(file.last_row)) {
      borders.emplace_back(start);
    }
  }
  return borders;
}

}  // namespace

ClusterBulkLoad::ClusterBulkLoad(Cluster* cluster, LoadTools* tools, TableDescriptor table,
                                 const BulkLoadOptions& options)
    : cluster_(cluster), tools_(tools), table_(std::move(table)), options_(options) {}

void ClusterBulkLoad::Report() const {
  if (options_.progress) options_.progress(progress_);
}

Result<BulkLoadResult> ClusterBulkLoad::Run(const std::string& folder) {
  folder_ = folder;
  // Names that begin so are no family's.
  parts_ = JoinPath(folder, fmt::format("_bennu-parts-{:016x}", Env::Default()->RandomU64()));
  ASSIGN_OR_RETURN(Files files, tools_->ListFolder(folder));
  RETURN_IF_ERROR(CheckFamilies(files));
  progress_.files = files.size();
  RETURN_IF_ERROR(tools_->Check(&files, [this](size_t checked) {
    progress_.files_checked = checked;
    Report();
  }));
  for (const FileToLoad& file : files) {
    ++result_.files;
    result_.cells += file.cells;
    result_.bytes += file.size_bytes;
  }
  if (files.empty()) return result_;
  cluster_->Forget(table_.name);
  ASSIGN_OR_RETURN(const auto regions, cluster_->Regions(table_.name));
  const RegionLocation* const first = regions->Find("");
  if (first == nullptr) return HoleIn(table_.name);
  RETURN_IF_ERROR(Prepare(*first));
  const Status loaded = LoadAll(std::move(files));
  CleanUp(*first);
  RETURN_IF_ERROR(loaded);
  result_.regions = progress_.regions_loaded;
  return result_;
}

Status ClusterBulkLoad::CheckFamilies(const Files& files) const {
  for (const FileToLoad& file : files) {
    if (table_.FindFamily(file.family) != nullptr) continue;
    return InvalidArgument(fmt::format(
        "{}: table {} has no family '{}'; add the family to the table or rename the folder",
        file.path, table_.name.ToString(), file.family));
  }
  return Status::Ok();
}

Status ClusterBulkLoad::Prepare(const RegionLocation& region) {
  pb::PrepareBulkLoadRequest request;
  api::TableNameToPb(table_.name, request.mutable_table_name());
  SetRegion(region, request.mutable_region());
  pb::PrepareBulkLoadResponse response;
  Operation operation(cluster_->options(), table_.name, region.info.start_key);
  RETURN_IF_ERROR(Cluster::Retry(&operation, [&]() -> CallOutcome {
    CallOutcome outcome = cluster_->CallRegion(region, "PrepareBulkLoad", request, {});
    if (outcome.status.ok()) outcome.status = outcome.answer.Parse(&response);
    return outcome;
  }));
  token_ = response.bulk_token();
  return Status::Ok();
}

// What stays behind is room on the disk, and no fault of the load's.
void ClusterBulkLoad::CleanUp(const RegionLocation& region) {
  pb::CleanupBulkLoadRequest request;
  request.set_bulk_token(token_);
  SetRegion(region, request.mutable_region());
  const CallOutcome outcome = cluster_->CallRegion(region, "CleanupBulkLoad", request, {});
  if (!outcome.status.ok()) {
    LogWarning("bulk load: {} stays: {}", token_, outcome.status.ToString());
  }
  const Status removed = Env::Default()->RemoveTree(parts_);
  if (!removed.ok()) LogWarning("bulk load: {}", removed.ToString());
}

Status ClusterBulkLoad::LoadAll(Files files) {
  const Deadline deadline(cluster_->options().operation_timeout);
  for (bool first = true; !files.empty(); first = false) {
    if (!first) {  // regions have changed: until they are where they belong
      if (deadline.Left().count() == 0) {
        return Status(
            StatusCode::kTimedOut,
            fmt::format(
                "bulk load of {} into table {}: {} files are for regions that no server takes; {} "
                "regions are loaded",
                folder_, table_.name.ToString(), files.size(), progress_.regions_loaded));
      }
      Pause(cluster_->options().pause);
      cluster_->Forget(table_.name);
    }
    ASSIGN_OR_RETURN(const auto regions, cluster_->Regions(table_.name));
    Groups groups;
    RETURN_IF_ERROR(DealOut(*regions, std::exchange(files, {}), &groups));
    progress_.regions = progress_.regions_loaded + groups.size();
    for (const auto& [row, group] : groups) {
      bool again = false;
      const Status status = LoadGroup(*regions->Find(row), group, &again);
      if (!status.ok()) {
        return status.Annotate(fmt::format(
            "bulk load of {} into table {}: {} of {} regions are loaded; to load the folder again "
            "does no harm",
            folder_, table_.name.ToString(), progress_.regions_loaded, progress_.regions));
      }
      if (again) {
        files.insert(files.end(), group.begin(), group.end());
        continue;
      }
      ++progress_.regions_loaded;
      Report();
    }
  }
  return Status::Ok();
}

Status ClusterBulkLoad::DealOut(const TableRegions& regions, const Files& files, Groups* groups) {
  const auto give = [&](const FileToLoad& file) -> Status {
    const RegionLocation* const region = regions.Find(file.first_row);
    if (region == nullptr) return HoleIn(table_.name);
    (*groups)[region->info.start_key].push_back(file);
    return Status::Ok();
  };
  for (const FileToLoad& file : files) {
    const std::vector<Bytes> borders = BordersWithin(regions, file);
    if (borders.empty()) {
      RETURN_IF_ERROR(give(file));
      continue;
    }
    ASSIGN_OR_RETURN(const Files parts, tools_->Cut(file, borders, *table_.FindFamily(file.family),
                                                    JoinPath(parts_, file.family)));
    ++result_.split_files;
    for (const FileToLoad& part : parts) {
      progress_.bytes_written += part.size_bytes;
      RETURN_IF_ERROR(give(part));
    }
    Report();
  }
  return Status::Ok();
}

Status ClusterBulkLoad::LoadGroup(const RegionLocation& region, const Files& files, bool* again) {
  pb::BulkLoadHFileRequest request;
  SetRegion(region, request.mutable_region());
  for (const FileToLoad& file : files) {
    pb::BulkLoadHFileRequest::FamilyPath* const path = request.add_family_path();
    path->set_family(file.family);
    path->set_path("file:" + file.path);
  }
  request.set_assign_seq_num(true);
  request.set_bulk_token(token_);
  request.set_copy_file(options_.copy);
  const CallOutcome outcome = cluster_->CallRegion(region, "BulkLoadHFile", request, {});
  if (outcome.status.ok()) {
    pb::BulkLoadHFileResponse response;
    RETURN_IF_ERROR(outcome.answer.Parse(&response));
    *again = !response.loaded();  // the files do not fit into the region any longer
    return Status::Ok();
  }
  // What was moved may be gone; what was copied is loaded twice without harm.
  *again = outcome.remedy != rpc::Remedy::kNone && (options_.copy || !outcome.in_doubt);
  return *again ? Status::Ok() : outcome.status;
}

}  // namespace bennu::client
