// Regions, flushes and what else is done to parts of tables through the master.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "src/api/attributes.h"
#include "src/api/descriptor_pb.h"
#include "src/base/hex.h"
#include "src/server/hbase/master_service.h"
#include "src/server/hbase/namespace_quota.h"

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

// The procedures of HBase 2.5's ExecProcedure that one server has a use for.
constexpr char kFlushProcedure[] = "flush-table-proc";
constexpr char kSnapshotProcedure[] = "online-snapshot";  // otherwise asked for by Snapshot
constexpr char kSnapshotTable[] = "table";                // of what it is configured with
constexpr char kFlushClass[] = "org.apache.hadoop.hbase.master.procedure.FlushTableProcedure";
constexpr char kFlushedFamily[] = "family";  // of what the procedure is configured with
constexpr int64_t kFlushTimeoutMillis = 300'000;

std::string EncodedName(const pb::RegionSpecifier& region) {
  return region.type() == pb::RegionSpecifier::ENCODED_REGION_NAME ? region.value()
                                                                   : EncodedNameOf(region.value());
}

// None: all.
CallError FlushFamilies(Admin* admin, const TableName& name, const std::vector<Bytes>& families) {
  if (families.empty()) return FromAdmin(admin->Flush(name));
  for (const Bytes& family : families) {
    const Status status = admin->FlushFamily(name, family);
    if (status.code() == StatusCode::kNotFound) {
      return rpc::RemoteError(exceptions::kNoSuchColumnFamily, status.message());
    }
    if (!status.ok()) return FromAdmin(status);
  }
  return std::nullopt;
}

// By which IsProcedureDone finds what ExecProcedure began.
std::string SubjectOf(const pb::ProcedureDescription& procedure) {
  return procedure.signature() + " " + procedure.instance();
}

// What HBase's SnapshotManager makes of it: the instance is the snapshot's name.
pb::SnapshotDescription SnapshotOf(const pb::ProcedureDescription& procedure) {
  pb::SnapshotDescription snapshot;
  snapshot.set_name(procedure.instance());
  snapshot.set_type(pb::SnapshotDescription::FLUSH);
  for (const auto& pair : procedure.configuration()) {
    if (pair.name() == kSnapshotTable) snapshot.set_table(pair.value());
  }
  return snapshot;
}

// The table that it works on.
std::string TableOf(const pb::ProcedureDescription& procedure) {
  return procedure.signature() == kSnapshotProcedure ? SnapshotOf(procedure).table()
                                                     : procedure.instance();
}

rpc::RemoteError NotRegistered(const pb::ProcedureDescription& procedure) {
  return {exceptions::kDoNotRetry,
          fmt::format("The procedure is not registered: {}", procedure.signature())};
}

}  // namespace

CallError MasterService::ExecProcedure(const pb::ProcedureDescription& procedure) {
  if (procedure.signature() == kSnapshotProcedure) return TakeSnapshot(SnapshotOf(procedure));
  if (procedure.signature() != kFlushProcedure) return NotRegistered(procedure);
  const auto name = TableName::Parse(procedure.instance());
  if (!name.ok()) return rpc::RemoteError(name.status());
  if (CallError error = CheckEnabled(*name); error) return error;
  std::vector<Bytes> families;
  for (const auto& pair : procedure.configuration()) {
    if (pair.name() == kFlushedFamily) families.push_back(pair.value());
  }
  return FlushFamilies(store_->admin(), *name, families);
}

// HBase's procedures look at the attribute when they have begun, after the checks that fail the
// call (SplitTableRegionProcedure, MergeTableRegionsProcedure). So does the engine.
Ending MasterService::FromRegionChange(const TableName& table, const char* attribute,
                                       const Status& status) const {
  TableDescriptor descriptor;
  if (status.code() == StatusCode::kFailedPrecondition && !ReadDescriptor(table, &descriptor)) {
    const std::string* const enabled = api::Find(descriptor.attributes, attribute);
    if (enabled != nullptr && !api::ParseBool(*enabled).value_or(true)) {
      return Ending::AskedAfter({exceptions::kIo, status.message()});
    }
  }
  return FromAdmin(status);
}

void MasterService::AddRegions() {
  AddProcedure<pb::SplitTableRegionRequest, pb::SplitTableRegionResponse>(
      "SplitRegion", "assignment.SplitTableRegionProcedure",
      [](const pb::SplitTableRegionRequest& request) {
        const RegionInfo info = api::RegionInfoFromPb(request.region_info());
        return RegionLocks(info.table, {info.EncodedName()});
      },
      [this](const pb::SplitTableRegionRequest& request) -> Ending {
        if (CallError error = CheckSwitch(Switch::kSplit, "split"); error) return error;
        const RegionInfo info = api::RegionInfoFromPb(request.region_info());
        if (CallError error = CheckEnabled(info.table); error) return error;
        if (quotas_ != nullptr) {
          if (CallError error = CheckQuotaForSplit(store_, info.table); error) return error;
        }
        std::optional<Bytes> row;
        if (!request.split_row().empty()) row = request.split_row();
        return FromRegionChange(info.table, "SPLIT_ENABLED",
                                store_->admin()->SplitRegion(info.EncodedName(), row));
      });
  AddProcedure<pb::MergeTableRegionsRequest, pb::MergeTableRegionsResponse>(
      "MergeTableRegions", "assignment.MergeTableRegionsProcedure",
      [this](const pb::MergeTableRegionsRequest& request) -> std::vector<ProcedureLock> {
        std::vector<std::string> names;
        ServedRegionPtr region;
        for (const pb::RegionSpecifier& one : request.region()) {
          names.push_back(EncodedName(one));
          if (regions_->FindEncoded(names.back(), &region)) return {};  // it will be refused
        }
        if (region == nullptr) return {};
        return RegionLocks(region->info.table, names);
      },
      [this](const pb::MergeTableRegionsRequest& request) -> Ending {
        if (CallError error = CheckSwitch(Switch::kMerge, "merge"); error) return error;
        std::vector<std::string> names;
        ServedRegionPtr one;
        for (const pb::RegionSpecifier& region : request.region()) {
          names.push_back(EncodedName(region));
          // Where one is not found the engine says so.
          static_cast<void>(regions_->FindEncoded(names.back(), &one));
        }
        const Status status = store_->admin()->MergeRegions(names);
        if (status.code() == StatusCode::kInvalidArgument) {
          return rpc::RemoteError(exceptions::kMergeRegion, status.message());
        }
        if (one == nullptr) return FromAdmin(status);
        return FromRegionChange(one->info.table, "MERGE_ENABLED", status);
      });
  AddChange<pb::ExecProcedureRequest, pb::ExecProcedureResponse>(
      "ExecProcedure",
      [this](const pb::ExecProcedureRequest& request) {
        const pb::ProcedureDescription& procedure = request.procedure();
        Change change;
        change.class_name = kFlushClass;
        change.subject = SubjectOf(procedure);
        if (const auto name = TableName::Parse(TableOf(procedure)); name.ok()) {
          change.locks = TableLocks(*name, false);
        }
        change.run = [this, procedure] { return ExecProcedure(procedure); };
        return change;
      },
      [](uint64_t, pb::ExecProcedureResponse* response) {
        response->set_expected_timeout(kFlushTimeoutMillis);
      });
  // Those that HBase comes with have nothing to return, and do nothing when they are asked for it.
  AddUnary<pb::ExecProcedureRequest, pb::ExecProcedureResponse>(
      "ExecProcedureWithRet", RunOn::kLoop,
      [](const pb::ExecProcedureRequest& request, auto*) -> CallError {
        const std::string& name = request.procedure().signature();
        if (name == kFlushProcedure || name == kSnapshotProcedure) return std::nullopt;
        return NotRegistered(request.procedure());
      });
  AddUnary<pb::IsProcedureDoneRequest, pb::IsProcedureDoneResponse>(
      "IsProcedureDone", RunOn::kLoop,
      [this](const pb::IsProcedureDoneRequest& request,
             pb::IsProcedureDoneResponse* response) -> CallError {
        if (request.procedure().signature() != kFlushProcedure &&
            request.procedure().signature() != kSnapshotProcedure) {
          return NotRegistered(request.procedure());
        }
        const auto latest = procedures_->FindLatest(SubjectOf(request.procedure()));
        if (latest && latest->error) return latest->error;
        response->set_done(!latest || latest->ended);
        return std::nullopt;
      });
  AddProcedure<pb::FlushTableRequest, pb::FlushTableResponse>(
      "FlushTable", "procedure.FlushTableProcedure",
      [](const pb::FlushTableRequest& request) {
        return TableLocks(api::TableNameFromPb(request.table_name()), false);
      },
      [this](const pb::FlushTableRequest& request) -> CallError {
        const TableName name = api::TableNameFromPb(request.table_name());
        if (CallError error = CheckEnabled(name); error) return error;
        return FlushFamilies(
            store_->admin(), name,
            std::vector<Bytes>(request.column_family().begin(), request.column_family().end()));
      });
  // There is one server, so that a region is where it belongs whatever is asked.
  AddUnary<pb::MoveRegionRequest, pb::MoveRegionResponse>(
      "MoveRegion", RunOn::kHandler,
      [this](const pb::MoveRegionRequest& request, pb::MoveRegionResponse*) -> CallError {
        ServedRegionPtr region;
        return regions_->FindEncoded(EncodedName(request.region()), &region);
      });
  AddUnary<pb::AssignRegionRequest, pb::AssignRegionResponse>(
      "AssignRegion", RunOn::kHandler,
      [this](const pb::AssignRegionRequest& request, pb::AssignRegionResponse*) -> CallError {
        ServedRegionPtr region;
        return regions_->FindEncoded(EncodedName(request.region()), &region);
      });
  const auto stays = [](const auto&, auto*) -> CallError {
    return rpc::RemoteError(exceptions::kDoNotRetry,
                            "There is one server, and its regions cannot be without one");
  };
  const auto region_stays = [this](const auto& request, auto*) -> CallError {
    ServedRegionPtr region;
    const std::string& name = request.region().value();
    if (regions_->FindEncoded(EncodedName(request.region()), &region)) {
      return rpc::RemoteError(exceptions::kUnknownRegion, ToStringBinary(name));
    }
    return rpc::RemoteError(exceptions::kDoNotRetry,
                            "There is one server, and its regions cannot be without one");
  };
  AddUnary<pb::UnassignRegionRequest, pb::UnassignRegionResponse>("UnassignRegion", RunOn::kHandler,
                                                                  region_stays);
  AddUnary<pb::OfflineRegionRequest, pb::OfflineRegionResponse>("OfflineRegion", RunOn::kHandler,
                                                                region_stays);
  AddUnary<pb::DecommissionRegionServersRequest, pb::DecommissionRegionServersResponse>(
      "DecommissionRegionServers", RunOn::kLoop, stays);
  AddUnary<pb::RecommissionRegionServerRequest, pb::RecommissionRegionServerResponse>(
      "RecommissionRegionServer", RunOn::kLoop,
      [](const auto&, auto*) -> CallError { return std::nullopt; });
  // The oldest of the regions that had one; 0 while there is none.
  AddUnary<pb::MajorCompactionTimestampRequest, pb::MajorCompactionTimestampResponse>(
      "getLastMajorCompactionTimestamp", RunOn::kHandler,
      [this](const pb::MajorCompactionTimestampRequest& request, auto* response) -> CallError {
        const auto regions =
            store_->admin()->ListRegions(api::TableNameFromPb(request.table_name()));
        int64_t oldest = 0;
        if (regions.ok()) {
          oldest = regions->empty() ? 0 : std::numeric_limits<int64_t>::max();
          for (const RegionStatus& region : *regions) {
            oldest = std::min(oldest, region.last_major_compaction_millis);
          }
        }
        response->set_compaction_timestamp(oldest);
        return std::nullopt;
      });
  AddUnary<pb::MajorCompactionTimestampForRegionRequest, pb::MajorCompactionTimestampResponse>(
      "getLastMajorCompactionTimestampForRegion", RunOn::kHandler,
      [this](const pb::MajorCompactionTimestampForRegionRequest& request,
             auto* response) -> CallError {
        ServedRegionPtr region;
        response->set_compaction_timestamp(0);
        const std::string encoded = EncodedName(request.region());
        if (regions_->FindEncoded(encoded, &region)) return std::nullopt;
        const auto regions = store_->admin()->ListRegions(region->info.table);
        if (!regions.ok()) return rpc::RemoteError(regions.status());
        for (const RegionStatus& status : *regions) {
          if (status.info.EncodedName() != encoded) continue;
          response->set_compaction_timestamp(status.last_major_compaction_millis);
        }
        return std::nullopt;
      });
}

}  // namespace bennu::server::hbase
