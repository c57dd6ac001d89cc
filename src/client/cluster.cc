#include "src/client/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "proto/client.pb.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/client/deadline.h"
#include "src/client/result_reader.h"
#include "src/rpc/request_writer.h"

namespace bennu::client {

namespace {

constexpr char kMasterService[] = "MasterService";
constexpr char kHbckService[] = "HbckService";
constexpr char kAdminService[] = "AdminService";
constexpr char kClientService[] = "ClientService";
// How the waits between attempts grow, in pauses; HBase's table.
constexpr int kBackoff[] = {1, 2, 3, 5, 10, 20, 40, 100};
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
      channels_(options_.user, {std::move(tls), options_.tls_verify_host}),
      registry_(MakeRegistry(options_, &channels_)) {}

uint64_t Cluster::NextNonce() {
  return Env::Default()->RandomU64() | 1;  // 0 means none
}

Status Cluster::Connect() { return FindMaster().status(); }

CallOutcome Cluster::CallOnce(const Address& address, const std::string& service,
                              const std::string& method,
                              const google::protobuf::MessageLite& request, ByteView cells) {
  auto channel = channels_.Get(address, service, options_.call_timeout);
  if (!channel.ok()) return OutcomeOf(std::move(channel).status());
  return (*channel)->Call(method, request, cells, options_.call_timeout);
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

Status Cluster::Retry(const TableName& table, const std::function<CallOutcome()>& attempt) {
  const Deadline deadline(options_.operation_timeout);
  for (size_t tries = 0;; ++tries) {
    CallOutcome outcome = attempt();
    if (outcome.status.ok() || outcome.remedy == rpc::Remedy::kNone) return outcome.status;
    if (outcome.remedy == rpc::Remedy::kRelocate) {
      Forget(table);
      MutexLock lock(&mu_);
      master_.reset();
      meta_.reset();
    }
    const auto wait = options_.pause * kBackoff[std::min(tries, std::size(kBackoff) - 1)];
    if (wait >= deadline.Left()) {
      return outcome.status.Annotate(fmt::format("given up after {} attempts", tries + 1));
    }
    Pause(wait);
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
  return Retry(MetaTable(), [&]() -> CallOutcome {
    CallOutcome outcome = CallOnce(address, kAdminService, method, request, {});
    if (outcome.status.ok()) outcome.status = outcome.answer.Parse(response);
    return outcome;
  });
}

Status Cluster::CallMasterService(const std::string& service, const std::string& method,
                                  const google::protobuf::MessageLite& request,
                                  google::protobuf::MessageLite* response) {
  return Retry(MetaTable(), [&]() -> CallOutcome {
    auto master = FindMaster();
    if (!master.ok()) return OutcomeOf(std::move(master).status());
    CallOutcome outcome = CallOnce(*master, service, method, request, {});
    if (outcome.status.ok()) outcome.status = outcome.answer.Parse(response);
    return outcome;
  });
}

Status Cluster::CallAdmin(const RegionLocation& region, const std::string& method,
                          const google::protobuf::MessageLite& request,
                          google::protobuf::MessageLite* response) {
  return Retry(region.info.table, [&]() -> CallOutcome {
    if (!region.server.has_value()) {
      CallOutcome nowhere;
      nowhere.status = Status(StatusCode::kAborted, "the region is on no server");
      return nowhere;
    }
    CallOutcome outcome = CallOnce(*region.server, kAdminService, method, request, {});
    // Which region is meant was decided by the caller.
    if (outcome.remedy == rpc::Remedy::kRelocate && !outcome.in_doubt) {
      outcome.remedy = rpc::Remedy::kNone;
    }
    if (outcome.status.ok()) outcome.status = outcome.answer.Parse(response);
    return outcome;
  });
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

Status Cluster::ScanMeta(const RowRange& range,
                         const std::function<Status(const Cell* cells, size_t count)>& use) {
  RowRange rest = range;
  while (true) {
    ASSIGN_OR_RETURN(const RegionLocation meta, FindMeta());
    Scan scan;
    scan.range = rest;
    scan.columns["info"] = {};
    pb::ScanRequest request;
    SetRegion(meta, request.mutable_region());
    RETURN_IF_ERROR(rpc::WriteScan(scan, request.mutable_scan()));
    request.set_number_of_rows(kMetaRowsAtATime);
    request.set_close_scanner(true);
    const CallOutcome outcome = CallRegion(meta, "Scan", request, {});
    if (!outcome.status.ok()) {
      MutexLock lock(&mu_);
      meta_.reset();
      return outcome.status;
    }
    pb::ScanResponse response;
    RETURN_IF_ERROR(outcome.answer.Parse(&response));
    ResultReader reader(outcome.answer);
    std::vector<Cell> cells;
    for (const uint32_t count : response.cells_per_result()) {
      cells.clear();
      RETURN_IF_ERROR(reader.ReadBlock(count, &cells));
      if (cells.empty()) continue;
      rest.start = cells.front().row();
      rest.start_inclusive = false;
      RETURN_IF_ERROR(use(cells.data(), cells.size()));
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
  RETURN_IF_ERROR(ScanMeta(MetaRowsOf(table), [&](const Cell* cells, size_t count) -> Status {
    ASSIGN_OR_RETURN(auto location, ReadMetaRow(cells, count));
    if (location.has_value()) regions.push_back(*std::move(location));
    return Status::Ok();
  }));
  return regions;
}

Result<bool> Cluster::IsDisabled(const TableName& table) {
  ASSIGN_OR_RETURN(const RegionLocation meta, FindMeta());
  pb::GetRequest request;
  SetRegion(meta, request.mutable_region());
  Get get;
  get.row = table.ToString();
  get.columns["table"] = {"state"};
  RETURN_IF_ERROR(rpc::WriteGet(get, request.mutable_get()));
  const CallOutcome outcome = CallRegion(meta, "Get", request, {});
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

Result<std::shared_ptr<const TableRegions>> Cluster::Regions(const TableName& table) {
  if (auto known = locations_.Find(table); known != nullptr) return known;
  if (table != MetaTable()) {
    ASSIGN_OR_RETURN(const bool disabled, IsDisabled(table));
    if (disabled) {
      return FailedPrecondition(fmt::format("table {} is disabled", table.ToString()));
    }
  }
  ASSIGN_OR_RETURN(auto regions, ReadRegions(table));
  auto known = std::make_shared<const TableRegions>(std::move(regions));
  locations_.Set(table, known);
  return std::shared_ptr<const TableRegions>(known);
}

}  // namespace bennu::client
