#include "src/client/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "proto/client.pb.h"
#include "src/base/env.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/client/result_reader.h"
#include "src/rpc/request_writer.h"

namespace bennu::client {

namespace {

constexpr char kMasterService[] = "MasterService";
constexpr char kHbckService[] = "HbckService";
constexpr char kAdminService[] = "AdminService";
constexpr char kClientService[] = "ClientService";
constexpr uint32_t kMetaRowsAtATime = 1000;

const TableName& MetaTable() {
  static const TableName name = {"hbase", "meta"};
  return name;
}

}  // namespace

CallOutcome OutcomeOf(Status status) {
  CallOutcome outcome;
  const StatusCode code = status.code();
  const bool passes =
      code == StatusCode::kIoError || code == StatusCode::kTimedOut || code == StatusCode::kAborted;
  if (passes) outcome.remedy = rpc::Remedy::kRelocate;
  outcome.status = std::move(status);
  return outcome;
}

Cluster::Cluster(ClientOptions options, TlsContextPtr tls)
    : options_(std::move(options)),
      nonce_group_(NextNonce()),
      channels_(options_.user, {std::move(tls), options_.tls_verify_host}, options_.detour),
      registry_(MakeRegistry(options_, &channels_)),
      finder_(this),
      references_(this) {}

uint64_t Cluster::NextNonce() {
  return Env::Default()->RandomU64() | 1;  // 0 means none
}

Status Cluster::Connect() { return FindMaster().status(); }

CallOutcome Cluster::CallOnce(const Address& address, const std::string& service,
                              const std::string& method,
                              const google::protobuf::MessageLite& request, ByteView cells,
                              std::chrono::milliseconds timeout) {
  return channels_.Get(address, service, options_.call_timeout)
      ->Call(method, request, cells, timeout);
}

Result<Address> Cluster::FindMaster() {
  {
    MutexLock lock(&mu_);
    if (master_.has_value()) return *master_;
  }
  ASSIGN_OR_RETURN(Address address, registry_->ActiveMaster());
  MutexLock lock(&mu_);
  master_ = address;
  return address;
}

Result<RegionLocation> Cluster::FindMeta() {
  {
    MutexLock lock(&mu_);
    if (meta_.has_value()) return *meta_;
  }
  ASSIGN_OR_RETURN(RegionLocation location, registry_->MetaRegion());
  MutexLock lock(&mu_);
  meta_ = location;
  return location;
}

Status Cluster::Retry(Operation* operation, const std::function<CallOutcome()>& attempt) {
  while (true) {
    const CallOutcome outcome = attempt();
    if (outcome.status.ok()) return outcome.status;
    RETURN_IF_ERROR(operation->TryAgain(outcome));
  }
}

Status Cluster::CallMaster(const std::string& method, const google::protobuf::MessageLite& request,
                           google::protobuf::MessageLite* response) {
  return CallMasterService(kMasterService, method, request, response);
}

Status Cluster::CallHbck(const std::string& method, const google::protobuf::MessageLite& request,
                         google::protobuf::MessageLite* response) {
  return CallMasterService(kHbckService, method, request, response);
}

Status Cluster::CallServer(const Address& address, const std::string& method,
                           const google::protobuf::MessageLite& request,
                           google::protobuf::MessageLite* response) {
  Operation operation(options_, method);
  operation.SetPlace({}, address);
  return Retry(&operation, [&]() -> CallOutcome {
    CallOutcome outcome =
        CallOnce(address, kAdminService, method, request, {}, operation.CallTimeout());
    if (outcome.status.ok()) outcome.status = outcome.answer.Parse(response);
    return outcome;
  });
}

Status Cluster::CallMasterService(const std::string& service, const std::string& method,
                                  const google::protobuf::MessageLite& request,
                                  google::protobuf::MessageLite* response) {
  Operation operation(options_, method);
  return Retry(&operation, [&]() -> CallOutcome {
    auto master = FindMaster();
    if (!master.ok()) return OutcomeOf(std::move(master).status());
    operation.SetPlace({}, *master);
    CallOutcome outcome = CallOnce(*master, service, method, request, {}, operation.CallTimeout());
    if (outcome.status.ok()) outcome.status = outcome.answer.Parse(response);
    if (outcome.remedy == rpc::Remedy::kRelocate) {
      MutexLock lock(&mu_);
      master_.reset();
    }
    return outcome;
  });
}

Status Cluster::CallAdmin(const RegionLocation& region, const std::string& method,
                          const google::protobuf::MessageLite& request,
                          google::protobuf::MessageLite* response) {
  Operation operation(options_, method);
  return Retry(&operation, [&]() -> CallOutcome {
    if (!region.server.has_value()) {
      CallOutcome nowhere;
      nowhere.status = Status(StatusCode::kAborted, "the region is on no server");
      return nowhere;
    }
    operation.SetPlace(region.name, *region.server);
    CallOutcome outcome =
        CallOnce(*region.server, kAdminService, method, request, {}, operation.CallTimeout());
    // Which region is meant was decided by the caller.
    if (outcome.remedy == rpc::Remedy::kRelocate && !outcome.in_doubt) {
      outcome.remedy = rpc::Remedy::kNone;
    }
    if (outcome.status.ok()) outcome.status = outcome.answer.Parse(response);
    return outcome;
  });
}

CallOutcome Cluster::CallRow(const TableName& table, ByteView row, const std::string& method,
                             const google::protobuf::MessageLite& request,
                             pb::RegionSpecifier* region, Operation* operation,
                             LocationPtr* called) {
  auto found = Find(table, row, *operation);
  if (!found.ok()) return OutcomeOf(std::move(found).status());
  const LocationPtr location = *std::move(found);
  if (called != nullptr) *called = location;
  operation->SetPlace(location->name, *location->server);
  SetRegion(*location, region);
  CallOutcome outcome = ChannelTo(*location)->Call(method, request, {}, operation->CallTimeout());
  if (!outcome.status.ok()) Correct(location, outcome);
  return outcome;
}

CallOutcome Cluster::CallRegion(const RegionLocation& region, const std::string& method,
                                const google::protobuf::MessageLite& request, ByteView cells) {
  if (!region.server.has_value()) {
    return OutcomeOf(
        Status(StatusCode::kAborted,
               fmt::format("region {} is on no server at the moment", region.info.EncodedName())));
  }
  return CallOnce(*region.server, kClientService, method, request, cells);
}

CallOutcome Cluster::CallRegionAdmin(const RegionLocation& region, const std::string& method,
                                     const google::protobuf::MessageLite& request,
                                     std::chrono::milliseconds timeout) {
  return CallOnce(*region.server, kAdminService, method, request, {}, timeout);
}

std::shared_ptr<Channel> Cluster::ChannelTo(const RegionLocation& region) {
  return ChannelTo(*region.server);
}

std::shared_ptr<Channel> Cluster::ChannelTo(const Address& server) {
  return channels_.Get(server, kClientService, options_.call_timeout);
}

CallOutcome Cluster::CallMeta(const RegionLocation& meta, const std::string& method,
                              const google::protobuf::MessageLite& request,
                              std::chrono::milliseconds timeout) {
  CallOutcome outcome = CallOnce(*meta.server, kClientService, method, request, {}, timeout);
  if (outcome.remedy == rpc::Remedy::kRelocate) {
    MutexLock lock(&mu_);
    meta_.reset();
  }
  return outcome;
}

Status Cluster::ReadMeta(const MetaRows& rows, std::chrono::milliseconds timeout,
                         const MetaRowUse& use) {
  Scan scan;
  scan.range = rows.range;
  scan.reversed = rows.reversed;
  scan.columns["info"] = {};
  size_t left = rows.rows_max;
  while (true) {
    ASSIGN_OR_RETURN(const RegionLocation meta, FindMeta());
    pb::ScanRequest request;
    SetRegion(meta, request.mutable_region());
    RETURN_IF_ERROR(rpc::WriteScan(scan, request.mutable_scan()));
    request.set_number_of_rows(static_cast<uint32_t>(std::min<size_t>(left, kMetaRowsAtATime)));
    request.set_close_scanner(true);
    const CallOutcome outcome = CallMeta(meta, "Scan", request, timeout);
    RETURN_IF_ERROR(outcome.status);
    pb::ScanResponse response;
    RETURN_IF_ERROR(outcome.answer.Parse(&response));
    ResultReader reader(outcome.answer);
    std::vector<Cell> cells;
    for (const uint32_t count : response.cells_per_result()) {
      cells.clear();
      RETURN_IF_ERROR(reader.ReadBlock(count, &cells));
      if (cells.empty()) continue;
      scan.range.start = cells.front().row();
      scan.range.start_inclusive = false;
      RETURN_IF_ERROR(use(cells.data(), cells.size()));
      if (--left == 0) return Status::Ok();
    }
    // An answer may be cut by its size.
    if (response.cells_per_result_size() == 0 || !response.more_results_in_region()) {
      return Status::Ok();
    }
  }
}

Result<std::vector<RegionLocation>> Cluster::ReadRegions(const TableName& table) {
  std::vector<RegionLocation> regions;
  if (table == MetaTable()) {
    ASSIGN_OR_RETURN(RegionLocation meta, FindMeta());
    regions.push_back(std::move(meta));
    return regions;
  }
  RETURN_IF_ERROR(ReadMeta({.range = MetaRowsOf(table)}, options_.call_timeout,
                           [&](const Cell* cells, size_t count) -> Status {
                             ASSIGN_OR_RETURN(auto location, ReadMetaRow(cells, count));
                             if (location.has_value()) regions.push_back(*std::move(location));
                             return Status::Ok();
                           }));
  return regions;
}

Result<bool> Cluster::IsDisabled(const TableName& table, std::chrono::milliseconds timeout) {
  ASSIGN_OR_RETURN(const RegionLocation meta, FindMeta());
  pb::GetRequest request;
  SetRegion(meta, request.mutable_region());
  Get get;
  get.row = table.ToString();
  get.columns["table"] = {"state"};
  RETURN_IF_ERROR(rpc::WriteGet(get, request.mutable_get()));
  const CallOutcome outcome = CallMeta(meta, "Get", request, timeout);
  RETURN_IF_ERROR(outcome.status);
  pb::GetResponse response;
  RETURN_IF_ERROR(outcome.answer.Parse(&response));
  ResultReader reader(outcome.answer);
  std::vector<Cell> cells;
  RETURN_IF_ERROR(reader.Read(response.result(), &cells));
  if (cells.empty()) return NotFound(fmt::format("table {} does not exist", table.ToString()));
  pb::TableState state;
  if (!state.ParseFromArray(cells[0].value, static_cast<int>(cells[0].value_length))) {
    return Corruption("hbase:meta has no state of table " + table.ToString());
  }
  return state.state() != pb::TableState::ENABLED;
}

Result<LocationPtr> Cluster::Find(const TableName& table, ByteView row,
                                  const Operation& operation) {
  if (table != MetaTable()) return finder_.Find(table, row, operation);
  ASSIGN_OR_RETURN(RegionLocation meta, FindMeta());
  return LocationPtr(std::make_shared<const RegionLocation>(std::move(meta)));
}

Result<LocationPtr> Cluster::FindBefore(const TableName& table, ByteView row,
                                        const Operation& operation) {
  if (table == MetaTable()) return Find(table, row, operation);
  return finder_.FindBefore(table, row, operation);
}

Result<LocationPtr> Cluster::FindNamed(const TableName& table, ByteView row, bool before,
                                       const Bytes& name, const Operation& operation) {
  const auto find = [&] {
    return before ? FindBefore(table, row, operation) : Find(table, row, operation);
  };
  ASSIGN_OR_RETURN(LocationPtr found, find());
  if (found->name != name) {
    // What is known may be older than what told the caller of the region.
    Forget(found);
    ASSIGN_OR_RETURN(found, find());
  }
  if (found->name != name) {
    return NotFound(fmt::format("region '{}' of table {} is not there any more",
                                ToStringBinary(name), table.ToString()));
  }
  return found;
}

LocationPtr Cluster::FindKnown(const TableName& table, ByteView row, bool before) {
  return before ? finder_.locations()->FindBefore(table, row)
                : finder_.locations()->Find(table, row);
}

void Cluster::Correct(const LocationPtr& region, const CallOutcome& failed, bool secondary) {
  if (region->info.table != MetaTable()) return finder_.Correct(region, failed, secondary);
  if (failed.remedy != rpc::Remedy::kRelocate) return;
  MutexLock lock(&mu_);
  meta_.reset();
}

Result<std::vector<RegionInfo>> Cluster::KnownRegions(const TableName& table) {
  if (auto known = finder_.locations()->All(table); known.has_value()) return *std::move(known);
  ASSIGN_OR_RETURN(const auto regions, Regions(table));
  std::vector<RegionInfo> infos;
  for (const RegionLocation& region : regions->all()) {
    infos.push_back(region.info);
    if (region.server.has_value() && table != MetaTable()) {
      finder_.locations()->Add(std::make_shared<const RegionLocation>(region));
    }
  }
  return infos;
}

Result<std::shared_ptr<const TableRegions>> Cluster::Regions(const TableName& table) {
  if (table != MetaTable()) {
    ASSIGN_OR_RETURN(const bool disabled, IsDisabled(table, options_.call_timeout));
    if (disabled) {
      return FailedPrecondition(fmt::format("table {} is disabled", table.ToString()));
    }
  }
  ASSIGN_OR_RETURN(auto regions, ReadRegions(table));
  return std::make_shared<const TableRegions>(std::move(regions));
}

}  // namespace bennu::client
