#include "src/client/admin.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "proto/admin.pb.h"
#include "proto/client.pb.h"
#include "proto/master.pb.h"
#include "proto/store_service.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/api/namespace_name.h"
#include "src/base/status_macros.h"
#include "src/client/bulk_load.h"
#include "src/client/deadline.h"
#include "src/client/table.h"
#include "src/rpc/store_service.h"

namespace bennu::client {

namespace {

constexpr uint64_t kMegabyte = 1u << 20;
constexpr std::chrono::milliseconds kFirstPoll{5};
constexpr std::chrono::milliseconds kLongestPoll{500};

pb::SnapshotDescription DescribeTo(const std::string& name) {
  pb::SnapshotDescription description;
  description.set_name(name);
  return description;
}

Result<SnapshotDescription> SnapshotFromPb(const pb::SnapshotDescription& message) {
  SnapshotDescription snapshot;
  snapshot.name = message.name();
  ASSIGN_OR_RETURN(snapshot.table, TableName::Parse(message.table()));
  snapshot.creation_millis = message.creation_time();
  switch (message.type()) {
    case pb::SnapshotDescription::DISABLED:
      snapshot.type = SnapshotDescription::Type::kDisabled;
      break;
    case pb::SnapshotDescription::FLUSH: snapshot.type = SnapshotDescription::Type::kFlush; break;
    case pb::SnapshotDescription::SKIPFLUSH:
      snapshot.type = SnapshotDescription::Type::kSkipFlush;
      break;
  }
  snapshot.ttl_seconds = message.ttl();
  snapshot.owner = message.owner();
  return snapshot;
}

Status OnlyInPlace(std::string_view what) {
  return NotSupported(fmt::format(
      "{} cannot be asked of a server; run it where its directory lies, with the server stopped",
      what));
}

}  // namespace

Status ClusterAdmin::AwaitProcedure(uint64_t id) {
  pb::GetProcedureResultRequest request;
  request.set_proc_id(id);
  for (auto pause = kFirstPoll;; pause = std::min(pause * 2, kLongestPoll)) {
    pb::GetProcedureResultResponse response;
    RETURN_IF_ERROR(cluster_->CallMaster("getProcedureResult", request, &response));
    switch (response.state()) {
      case pb::GetProcedureResultResponse::NOT_FOUND:
        return NotFound(fmt::format("the master knows no procedure {} (any longer)", id));
      case pb::GetProcedureResultResponse::FINISHED:
        return response.has_exception() ? rpc::FailureOf(response.exception()).status
                                        : Status::Ok();
      case pb::GetProcedureResultResponse::RUNNING: break;
    }
    Pause(pause);
  }
}

template <typename Response, typename Request>
Status ClusterAdmin::Run(const std::string& method, Request* request) {
  request->set_nonce_group(cluster_->nonce_group());
  request->set_nonce(Cluster::NextNonce());
  Response response;
  RETURN_IF_ERROR(cluster_->CallMaster(method, *request, &response));
  return AwaitProcedure(response.proc_id());
}

template <typename Request>
Status ClusterAdmin::RunInStore(const std::string& method, Request* request) {
  request->set_nonce_group(cluster_->nonce_group());
  request->set_nonce(Cluster::NextNonce());
  pb::CoprocessorServiceRequest call;
  call.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
  call.mutable_region()->set_value("");
  call.mutable_call()->set_row("");
  call.mutable_call()->set_service_name(rpc::kStoreService);
  call.mutable_call()->set_method_name(method);
  request->SerializeToString(call.mutable_call()->mutable_request());
  pb::CoprocessorServiceResponse response;
  const Status asked = cluster_->CallMaster("ExecMasterService", call, &response);
  // A master of HBase's has no such coprocessor.
  if (asked.code() == StatusCode::kNotSupported) {
    return NotSupported(fmt::format("{} is done by Bennu's servers only; this one says: {}", method,
                                    asked.message()));
  }
  RETURN_IF_ERROR(asked);
  pb::StoreProcedure procedure;
  if (!procedure.ParseFromString(response.value().value())) {
    return Corruption(fmt::format("the master's answer to {} is not its message", method));
  }
  return AwaitProcedure(procedure.proc_id());
}

Status ClusterAdmin::CreateTable(const TableDescriptor& descriptor,
                                 const std::vector<Bytes>& split_keys) {
  pb::CreateTableRequest request;
  api::DescriptorToPb(descriptor, request.mutable_table_schema());
  // The master takes them in order.
  const std::set<Bytes> sorted(split_keys.begin(), split_keys.end());
  if (sorted.size() != split_keys.size()) {
    return InvalidArgument("table " + descriptor.name.ToString() + ": a split key stands twice");
  }
  for (const Bytes& key : sorted) request.add_split_keys(key);
  return Run<pb::CreateTableResponse>("CreateTable", &request);
}

Status ClusterAdmin::DropTable(const TableName& name) {
  // The data API drops tables that are in use; the master wants them disabled.
  ASSIGN_OR_RETURN(const bool enabled, IsTableEnabled(name));
  if (enabled) RETURN_IF_ERROR(DisableTable(name));
  pb::DeleteTableRequest request;
  api::TableNameToPb(name, request.mutable_table_name());
  RETURN_IF_ERROR(Run<pb::DeleteTableResponse>("DeleteTable", &request));
  cluster_->Forget(name);
  return Status::Ok();
}

Status ClusterAdmin::AlterTable(const TableDescriptor& descriptor) {
  pb::ModifyTableRequest request;
  api::TableNameToPb(descriptor.name, request.mutable_table_name());
  api::DescriptorToPb(descriptor, request.mutable_table_schema());
  return Run<pb::ModifyTableResponse>("ModifyTable", &request);
}

Status ClusterAdmin::DisableTable(const TableName& name) {
  pb::DisableTableRequest request;
  api::TableNameToPb(name, request.mutable_table_name());
  RETURN_IF_ERROR(Run<pb::DisableTableResponse>("DisableTable", &request));
  cluster_->Forget(name);
  return Status::Ok();
}

Status ClusterAdmin::EnableTable(const TableName& name) {
  pb::EnableTableRequest request;
  api::TableNameToPb(name, request.mutable_table_name());
  return Run<pb::EnableTableResponse>("EnableTable", &request);
}

Result<bool> ClusterAdmin::IsTableEnabled(const TableName& name) {
  pb::GetTableStateRequest request;
  api::TableNameToPb(name, request.mutable_table_name());
  pb::GetTableStateResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster("GetTableState", request, &response));
  return response.table_state().state() == pb::TableState::ENABLED;
}

Result<bool> ClusterAdmin::TableExists(const TableName& name) {
  const auto descriptor = ReadDescriptor(cluster_, name);
  if (descriptor.ok()) return true;
  if (descriptor.status().code() == StatusCode::kNotFound) return false;
  return descriptor.status();
}

Result<std::vector<TableName>> ClusterAdmin::ListTables() {
  pb::GetTableNamesResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster("GetTableNames", pb::GetTableNamesRequest(), &response));
  std::vector<TableName> names;
  for (const auto& message : response.table_names()) {
    TableName name = api::TableNameFromPb(message);
    if (name.name_space != api::kSystemNamespace) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

Status ClusterAdmin::TruncateTable(const TableName& name, bool preserve_splits) {
  pb::TruncateTableRequest request;
  api::TableNameToPb(name, request.mutable_tablename());
  request.set_preservesplits(preserve_splits);
  RETURN_IF_ERROR(Run<pb::TruncateTableResponse>("truncateTable", &request));
  cluster_->Forget(name);
  return Status::Ok();
}

Status ClusterAdmin::CreateNamespace(const std::string& name) {
  return CreateNamespaceWith({.name = name, .properties = {}});
}

Status ClusterAdmin::CreateNamespaceWith(const NamespaceDescriptor& descriptor) {
  pb::CreateNamespaceRequest request;
  api::DescriptorToPb(descriptor, request.mutable_namespacedescriptor());
  return Run<pb::CreateNamespaceResponse>("CreateNamespace", &request);
}

Status ClusterAdmin::AlterNamespace(const NamespaceDescriptor& descriptor) {
  pb::ModifyNamespaceRequest request;
  api::DescriptorToPb(descriptor, request.mutable_namespacedescriptor());
  return Run<pb::ModifyNamespaceResponse>("ModifyNamespace", &request);
}

Result<NamespaceDescriptor> ClusterAdmin::DescribeNamespace(const std::string& name) {
  pb::GetNamespaceDescriptorRequest request;
  request.set_namespacename(name);
  pb::GetNamespaceDescriptorResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster("GetNamespaceDescriptor", request, &response));
  return api::DescriptorFromPb(response.namespacedescriptor());
}

Status ClusterAdmin::DropNamespace(const std::string& name) {
  pb::DeleteNamespaceRequest request;
  request.set_namespacename(name);
  return Run<pb::DeleteNamespaceResponse>("DeleteNamespace", &request);
}

Result<std::vector<std::string>> ClusterAdmin::ListNamespaces() {
  pb::ListNamespaceDescriptorsResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster("ListNamespaceDescriptors",
                                       pb::ListNamespaceDescriptorsRequest(), &response));
  std::vector<std::string> names;
  for (const auto& message : response.namespacedescriptor()) names.push_back(message.name());
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::vector<RegionLocation>> ClusterAdmin::EnabledRegions(const TableName& name) {
  ASSIGN_OR_RETURN(const bool enabled, IsTableEnabled(name));
  if (!enabled) {
    return FailedPrecondition(
        fmt::format("table {} is disabled; enable it first", name.ToString()));
  }
  return cluster_->ReadRegions(name);
}

Status ClusterAdmin::FlushOne(const RegionLocation& region, const Bytes& family) {
  pb::FlushRegionRequest request;
  SetRegion(region, request.mutable_region());
  if (!family.empty()) request.set_family(family);
  pb::FlushRegionResponse response;
  return cluster_->CallAdmin(region, "FlushRegion", request, &response);
}

Status ClusterAdmin::CompactOne(const RegionLocation& region, const Bytes& family, bool major) {
  pb::CompactRegionRequest request;
  SetRegion(region, request.mutable_region());
  if (!family.empty()) request.set_family(family);
  request.set_major(major);
  pb::CompactRegionResponse response;
  return cluster_->CallAdmin(region, "CompactRegion", request, &response);
}

Status ClusterAdmin::Flush(const TableName& name) { return FlushFamily(name, Bytes()); }

Status ClusterAdmin::FlushFamily(const TableName& name, const Bytes& family) {
  ASSIGN_OR_RETURN(const auto regions, EnabledRegions(name));
  for (const RegionLocation& region : regions) RETURN_IF_ERROR(FlushOne(region, family));
  return Status::Ok();
}

Status ClusterAdmin::Compact(const TableName& name, bool major) {
  return CompactFamily(name, Bytes(), major);
}

Status ClusterAdmin::CompactFamily(const TableName& name, const Bytes& family, bool major) {
  ASSIGN_OR_RETURN(const auto regions, EnabledRegions(name));
  for (const RegionLocation& region : regions) RETURN_IF_ERROR(CompactOne(region, family, major));
  return Status::Ok();
}

Status ClusterAdmin::FlushRegion(const std::string& encoded_name, const Bytes& family) {
  ASSIGN_OR_RETURN(const RegionLocation region, FindRegion(encoded_name));
  return FlushOne(region, family);
}

Status ClusterAdmin::CompactRegion(const std::string& encoded_name, const Bytes& family,
                                   bool major) {
  ASSIGN_OR_RETURN(const RegionLocation region, FindRegion(encoded_name));
  return CompactOne(region, family, major);
}

Result<CompactionState> ClusterAdmin::AskCompactionState(const RegionLocation& region) {
  pb::GetRegionInfoRequest request;
  SetRegion(region, request.mutable_region());
  request.set_compaction_state(true);
  pb::GetRegionInfoResponse response;
  RETURN_IF_ERROR(cluster_->CallAdmin(region, "GetRegionInfo", request, &response));
  return static_cast<CompactionState>(response.compaction_state());
}

Result<CompactionState> ClusterAdmin::GetCompactionState(const std::string& encoded_name) {
  ASSIGN_OR_RETURN(const RegionLocation region, FindRegion(encoded_name));
  return AskCompactionState(region);
}

// Source: HBaseAdmin.getCompactionState, which leaves out regions that are not served.
Result<CompactionState> ClusterAdmin::GetTableCompactionState(const TableName& name) {
  RETURN_IF_ERROR(ReadDescriptor(cluster_, name).status());
  ASSIGN_OR_RETURN(const auto regions, cluster_->ReadRegions(name));
  auto state = CompactionState::kNone;
  for (const RegionLocation& region : regions) {
    const auto answer = AskCompactionState(region);
    if (answer.status().code() == StatusCode::kAborted) continue;
    RETURN_IF_ERROR(answer.status());
    state = Together(state, *answer);
  }
  return state;
}

Result<std::vector<RegionStatus>> ClusterAdmin::ListRegions(const TableName& name) {
  RETURN_IF_ERROR(ReadDescriptor(cluster_, name).status());
  ASSIGN_OR_RETURN(const auto regions, cluster_->ReadRegions(name));
  std::vector<RegionStatus> all;
  for (const RegionLocation& region : regions) {
    RegionStatus status;
    status.info = region.info;
    all.push_back(std::move(status));
  }
  // What each server knows of them; of a server that does not answer only that they are there.
  std::set<Address> asked;
  for (const RegionLocation& region : regions) {
    if (!region.server.has_value() || !asked.insert(*region.server).second) continue;
    pb::GetRegionLoadRequest request;
    api::TableNameToPb(name, request.mutable_table_name());
    pb::GetRegionLoadResponse response;
    if (!cluster_->CallAdmin(region, "GetRegionLoad", request, &response).ok()) continue;
    for (const pb::RegionLoad& load : response.region_loads()) {
      for (size_t i = 0; i < regions.size(); ++i) {
        if (regions[i].name != load.region_specifier().value()) continue;
        all[i].open = true;
        all[i].store_files = load.storefiles();
        all[i].file_bytes = load.storefile_size_mb() * kMegabyte;
        all[i].memstore_bytes = load.mem_store_size_mb() * kMegabyte;
      }
    }
  }
  return all;
}

Result<RegionLocation> ClusterAdmin::FindRegion(const std::string& encoded_name) {
  ASSIGN_OR_RETURN(const auto names, ListTables());
  for (const TableName& name : names) {
    ASSIGN_OR_RETURN(auto regions, cluster_->ReadRegions(name));
    for (RegionLocation& region : regions) {
      if (region.info.EncodedName() == encoded_name) return std::move(region);
    }
  }
  return NotFound(fmt::format("no region is called {}", encoded_name));
}

Status ClusterAdmin::Split(const RegionLocation& region, const std::optional<Bytes>& row) {
  pb::SplitTableRegionRequest request;
  api::RegionInfoToPb(region.info, request.mutable_region_info());
  if (row.has_value()) request.set_split_row(*row);
  RETURN_IF_ERROR(Run<pb::SplitTableRegionResponse>("SplitRegion", &request));
  cluster_->Forget(region.info.table);
  return Status::Ok();
}

Status ClusterAdmin::SplitTable(const TableName& name, const std::optional<Bytes>& row) {
  ASSIGN_OR_RETURN(const auto regions, EnabledRegions(name));
  bool any = false;
  Status last = FailedPrecondition("table " + name.ToString() + ": no region could be split");
  for (const RegionLocation& region : regions) {
    if (row.has_value() && !region.info.Contains(*row)) continue;
    Status status = Split(region, row);
    if (row.has_value()) return status;
    any = any || status.ok();
    if (!status.ok()) last = std::move(status);
  }
  return any ? Status::Ok() : last;
}

Status ClusterAdmin::SplitRegion(const std::string& encoded_name, const std::optional<Bytes>& row) {
  ASSIGN_OR_RETURN(const RegionLocation region, FindRegion(encoded_name));
  return Split(region, row);
}

Status ClusterAdmin::MergeRegions(const std::vector<std::string>& encoded_names) {
  pb::MergeTableRegionsRequest request;
  for (const std::string& name : encoded_names) {
    pb::RegionSpecifier* const region = request.add_region();
    region->set_type(pb::RegionSpecifier::ENCODED_REGION_NAME);
    region->set_value(name);
  }
  return Run<pb::MergeTableRegionsResponse>("MergeTableRegions", &request);
}

Status ClusterAdmin::SnapshotTable(const std::string& name, const TableName& table,
                                   const SnapshotOptions& options) {
  pb::SnapshotRequest request;
  *request.mutable_snapshot() = DescribeTo(name);
  request.mutable_snapshot()->set_table(table.ToString());
  request.mutable_snapshot()->set_owner(options.owner);
  request.mutable_snapshot()->set_ttl(options.ttl_seconds);
  request.mutable_snapshot()->set_type(options.skip_flush ? pb::SnapshotDescription::SKIPFLUSH
                                                          : pb::SnapshotDescription::FLUSH);
  request.set_nonce_group(cluster_->nonce_group());
  request.set_nonce(Cluster::NextNonce());
  pb::SnapshotResponse taken;
  RETURN_IF_ERROR(cluster_->CallMaster("Snapshot", request, &taken));
  pb::IsSnapshotDoneRequest question;
  *question.mutable_snapshot() = request.snapshot();
  for (auto pause = kFirstPoll;; pause = std::min(pause * 2, kLongestPoll)) {
    pb::IsSnapshotDoneResponse response;
    RETURN_IF_ERROR(cluster_->CallMaster("IsSnapshotDone", question, &response));
    if (response.done()) return Status::Ok();
    Pause(pause);
  }
}

Result<std::vector<SnapshotDescription>> ClusterAdmin::ListSnapshots() {
  pb::GetCompletedSnapshotsResponse response;
  RETURN_IF_ERROR(
      cluster_->CallMaster("GetCompletedSnapshots", pb::GetCompletedSnapshotsRequest(), &response));
  std::vector<SnapshotDescription> snapshots;
  for (const auto& message : response.snapshots()) {
    ASSIGN_OR_RETURN(SnapshotDescription snapshot, SnapshotFromPb(message));
    snapshots.push_back(std::move(snapshot));
  }
  std::sort(snapshots.begin(), snapshots.end(),
            [](const auto& left, const auto& right) { return left.name < right.name; });
  return snapshots;
}

Result<SnapshotContents> ClusterAdmin::DescribeSnapshot(const std::string&) {
  return OnlyInPlace("which files a snapshot has");
}

Status ClusterAdmin::CloneSnapshot(const std::string& name, const TableName& table) {
  ASSIGN_OR_RETURN(const bool exists, TableExists(table));
  if (exists) return AlreadyExists("table " + table.ToString() + " exists");
  pb::RestoreSnapshotRequest request;
  *request.mutable_snapshot() = DescribeTo(name);
  request.mutable_snapshot()->set_table(table.ToString());
  return Run<pb::RestoreSnapshotResponse>("RestoreSnapshot", &request);
}

Status ClusterAdmin::RestoreSnapshot(const std::string& name) {
  ASSIGN_OR_RETURN(const auto snapshots, ListSnapshots());
  const auto found = std::find_if(snapshots.begin(), snapshots.end(),
                                  [&](const auto& snapshot) { return snapshot.name == name; });
  if (found == snapshots.end()) return NotFound("no snapshot is called " + name);
  // HBase's master says so by an IOException, as of something that passes, and leaves the question
  // to its clients. A table that is gone is made again.
  const auto enabled = IsTableEnabled(found->table);
  if (!enabled.ok() && enabled.status().code() != StatusCode::kNotFound) return enabled.status();
  if (enabled.ok() && *enabled) {
    return FailedPrecondition("table " + found->table.ToString() +
                              " is enabled; disable it before a snapshot is restored");
  }
  pb::RestoreSnapshotRequest request;
  *request.mutable_snapshot() = DescribeTo(name);
  request.mutable_snapshot()->set_table(found->table.ToString());
  RETURN_IF_ERROR(Run<pb::RestoreSnapshotResponse>("RestoreSnapshot", &request));
  cluster_->Forget(found->table);
  return Status::Ok();
}

Status ClusterAdmin::DeleteSnapshot(const std::string& name) {
  pb::DeleteSnapshotRequest request;
  *request.mutable_snapshot() = DescribeTo(name);
  pb::DeleteSnapshotResponse response;
  return cluster_->CallMaster("DeleteSnapshot", request, &response);
}

Status ClusterAdmin::ExportSnapshot(const std::string& name, const std::string& target) {
  pb::ExportSnapshotRequest request;
  request.set_snapshot(name);
  request.set_target(target);
  return RunInStore(rpc::kExportSnapshotMethod, &request);
}

Result<BulkLoadResult> ClusterAdmin::BulkLoad(const TableName& name, const std::string& folder,
                                              const BulkLoadOptions& options) {
  LoadTools* const tools = cluster_->options().load_tools.get();
  if (tools == nullptr) return OnlyInPlace("a bulk load by a client without tools for HFiles");
  ASSIGN_OR_RETURN(TableDescriptor table, ReadDescriptor(cluster_, name));
  // It fails for each region of a table that is disabled; better said at once.
  RETURN_IF_ERROR(EnabledRegions(name).status());
  return ClusterBulkLoad(cluster_, tools, std::move(table), options).Run(folder);
}

Result<ExportResult> ClusterAdmin::ExportTable(const TableName&, const std::string&,
                                               const ExportOptions&) {
  return OnlyInPlace("exporting a table");
}

Result<BulkLoadResult> ClusterAdmin::ImportTable(const std::string& folder,
                                                 const ImportOptions& options) {
  LoadTools* const tools = cluster_->options().load_tools.get();
  if (tools == nullptr) return OnlyInPlace("an import by a client without tools for HFiles");
  ASSIGN_OR_RETURN(const TableToLoad table, tools->DescribeTable(folder, options.table));
  const TableName& name = table.descriptor.name;
  ASSIGN_OR_RETURN(const bool exists, TableExists(name));
  if (!exists) {
    ASSIGN_OR_RETURN(const auto namespaces, ListNamespaces());
    if (std::find(namespaces.begin(), namespaces.end(), name.name_space) == namespaces.end()) {
      RETURN_IF_ERROR(CreateNamespace(name.name_space));
    }
    RETURN_IF_ERROR(CreateTable(table.descriptor, table.borders));
  }
  if (!table.has_files) return BulkLoadResult();
  return BulkLoad(name, folder, options.load);
}

Status ClusterAdmin::Backup(const std::string& target) {
  pb::BackupRequest request;
  request.set_target(target);
  return RunInStore(rpc::kBackupMethod, &request);
}

}  // namespace bennu::client
