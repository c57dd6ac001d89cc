// RemoteControl: quotas. Source: HBase's QuotaTableUtil, and the toString of its QuotaSettings.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "proto/master.pb.h"
#include "proto/quota.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/base/status_macros.h"
#include "src/client/cluster_control.h"
#include "src/client/table.h"

namespace bennu::client {

namespace {

using QuotaText = api::ClusterControl::QuotaText;

constexpr char kMagic[] = "PBUF";
constexpr char kSettingsFamily[] = "q";
constexpr size_t kRowsAtATime = 100;

struct NamedType {
  std::string_view name;
  pb::ThrottleType type;
};
constexpr std::array<NamedType, 9> kTypes = {{
    {"REQUEST_NUMBER", pb::REQUEST_NUMBER},
    {"REQUEST_SIZE", pb::REQUEST_SIZE},
    {"WRITE_NUMBER", pb::WRITE_NUMBER},
    {"WRITE_SIZE", pb::WRITE_SIZE},
    {"READ_NUMBER", pb::READ_NUMBER},
    {"READ_SIZE", pb::READ_SIZE},
    {"REQUEST_CAPACITY_UNIT", pb::REQUEST_CAPACITY_UNIT},
    {"WRITE_CAPACITY_UNIT", pb::WRITE_CAPACITY_UNIT},
    {"READ_CAPACITY_UNIT", pb::READ_CAPACITY_UNIT},
}};

struct NamedPolicy {
  std::string_view name;
  pb::SpaceViolationPolicy policy;
};
constexpr std::array<NamedPolicy, 4> kPolicies = {{
    {"DISABLE", pb::DISABLE},
    {"NO_WRITES_COMPACTIONS", pb::NO_WRITES_COMPACTIONS},
    {"NO_WRITES", pb::NO_WRITES},
    {"NO_INSERTS", pb::NO_INSERTS},
}};

struct NamedUnit {
  std::string_view name;
  pb::TimeUnit unit;
};
constexpr std::array<NamedUnit, 4> kUnits = {{
    {"sec", pb::SECONDS},
    {"min", pb::MINUTES},
    {"hour", pb::HOURS},
    {"day", pb::DAYS},
}};

std::string PolicyName(pb::SpaceViolationPolicy policy) {
  for (const NamedPolicy& known : kPolicies) {
    if (known.policy == policy) return std::string(known.name);
  }
  return "NONE";
}

// HBase's QuotaSettings.sizeToString.
std::string SizeText(uint64_t bytes) {
  constexpr std::string_view kSuffixes = "PTGMK";
  int shift = 50;
  for (const char suffix : kSuffixes) {
    if (bytes >= uint64_t{1} << shift) {
      return fmt::format("{:.2f}{}",
                         static_cast<double>(bytes) / static_cast<double>(1ull << shift), suffix);
    }
    shift -= 10;
  }
  return fmt::format("{:.2f}B", static_cast<double>(bytes));
}

std::string LimitText(std::string_view type, const pb::TimedQuota& quota) {
  std::string text = type.ends_with("_NUMBER") ? fmt::format("{}req", quota.soft_limit())
                     : type.ends_with("_SIZE") ? SizeText(quota.soft_limit())
                                               : fmt::format("{}CU", quota.soft_limit());
  for (const NamedUnit& known : kUnits) {
    if (known.unit == quota.time_unit()) text += fmt::format("/{}", known.name);
  }
  return fmt::format("TYPE => THROTTLE, THROTTLE_TYPE => {}, LIMIT => {}, SCOPE => {}", type, text,
                     quota.scope() == pb::CLUSTER ? "CLUSTER" : "MACHINE");
}

// In HBase's order: the throttles, then the rest.
void AddSettings(const std::string& owner, const pb::Quotas& quotas,
                 std::vector<QuotaText>* texts) {
  const pb::Throttle& throttle = quotas.throttle();
  const auto add = [&](bool has, std::string_view type, const pb::TimedQuota& quota) {
    if (has) texts->push_back({owner, LimitText(type, quota)});
  };
  add(throttle.has_req_num(), "REQUEST_NUMBER", throttle.req_num());
  add(throttle.has_req_size(), "REQUEST_SIZE", throttle.req_size());
  add(throttle.has_write_num(), "WRITE_NUMBER", throttle.write_num());
  add(throttle.has_write_size(), "WRITE_SIZE", throttle.write_size());
  add(throttle.has_read_num(), "READ_NUMBER", throttle.read_num());
  add(throttle.has_read_size(), "READ_SIZE", throttle.read_size());
  add(throttle.has_req_capacity_unit(), "REQUEST_CAPACITY_UNIT", throttle.req_capacity_unit());
  add(throttle.has_read_capacity_unit(), "READ_CAPACITY_UNIT", throttle.read_capacity_unit());
  add(throttle.has_write_capacity_unit(), "WRITE_CAPACITY_UNIT", throttle.write_capacity_unit());
  if (quotas.bypass_globals()) texts->push_back({owner, "GLOBAL_BYPASS => true"});
  if (quotas.has_space()) {
    texts->push_back({owner, fmt::format("TYPE => SPACE, {}, LIMIT => {}, VIOLATION_POLICY => {}",
                                         owner, SizeText(quotas.space().soft_limit()),
                                         PolicyName(quotas.space().violation_policy()))});
  }
}

// Of a cell of hbase:quota.
std::string OwnerOf(ByteView row, ByteView qualifier) {
  const std::string name(row.substr(2));
  if (row.starts_with("t.")) return "TABLE => " + name;
  if (row.starts_with("n.")) return "NAMESPACE => " + name;
  if (row.starts_with("r.")) return "REGIONSERVER => " + name;
  std::string owner = "USER => " + name;
  if (qualifier.size() <= 2) return owner;
  std::string part(qualifier.substr(2));  // behind "s."
  if (part.back() == ':') {
    part.pop_back();
    return owner + ", NAMESPACE => " + part;
  }
  return owner + ", TABLE => " + part;
}

Status SetTarget(const api::ClusterControl::QuotaTarget& target, pb::SetQuotaRequest* request) {
  if (target.user) request->set_user_name(*target.user);
  if (target.name_space) request->set_namespace_(*target.name_space);
  if (target.region_server) request->set_region_server(*target.region_server);
  if (!target.table) return Status::Ok();
  ASSIGN_OR_RETURN(const TableName name, TableName::Parse(*target.table));
  api::TableNameToPb(name, request->mutable_table_name());
  return Status::Ok();
}

api::ClusterControl::SpaceUse UseOf(const pb::TableNameMessage& table,
                                    const pb::SpaceQuotaSnapshot& snapshot) {
  api::ClusterControl::SpaceUse use;
  use.table = api::TableNameFromPb(table).ToString();
  use.usage = snapshot.quota_usage();
  use.limit = snapshot.quota_limit();
  if (snapshot.quota_status().in_violation()) {
    use.violated = PolicyName(snapshot.quota_status().violation_policy());
  }
  return use;
}

}  // namespace

Status RemoteControl::SetThrottle(const QuotaTarget& target, const std::string& type,
                                  const std::optional<ThrottleLimit>& limit) {
  pb::SetQuotaRequest request;
  RETURN_IF_ERROR(SetTarget(target, &request));
  pb::ThrottleRequest* const throttle = request.mutable_throttle();
  for (const NamedType& known : kTypes) {
    if (known.name == type) throttle->set_type(known.type);
  }
  if (!type.empty() && !throttle->has_type()) {
    return InvalidArgument("there is no throttle of type " + type);
  }
  if (limit.has_value()) {
    pb::TimedQuota* const quota = throttle->mutable_timed_quota();
    quota->set_soft_limit(limit->amount);
    quota->set_scope(limit->per_cluster ? pb::CLUSTER : pb::MACHINE);
    bool known_unit = false;
    for (const NamedUnit& known : kUnits) {
      if (known.name != limit->unit) continue;
      quota->set_time_unit(known.unit);
      known_unit = true;
    }
    if (!known_unit) return InvalidArgument("there is no unit of time " + limit->unit);
  }
  pb::SetQuotaResponse response;
  return cluster_->CallMaster("SetQuota", request, &response);
}

Status RemoteControl::SetSpaceLimit(const QuotaTarget& target,
                                    const std::optional<SpaceLimit>& limit) {
  pb::SetQuotaRequest request;
  RETURN_IF_ERROR(SetTarget(target, &request));
  pb::SpaceQuota* const quota = request.mutable_space_limit()->mutable_quota();
  if (limit.has_value()) {
    quota->set_soft_limit(limit->bytes);
    for (const NamedPolicy& known : kPolicies) {
      if (known.name == limit->policy) quota->set_violation_policy(known.policy);
    }
    if (!quota->has_violation_policy()) {
      return InvalidArgument("there is no policy " + limit->policy);
    }
  } else {
    quota->set_remove(true);
  }
  pb::SetQuotaResponse response;
  return cluster_->CallMaster("SetQuota", request, &response);
}

Status RemoteControl::SetGlobalBypass(const std::string& user, bool bypass) {
  pb::SetQuotaRequest request;
  request.set_user_name(user);
  request.set_bypass_globals(bypass);
  pb::SetQuotaResponse response;
  return cluster_->CallMaster("SetQuota", request, &response);
}

Result<std::vector<QuotaText>> RemoteControl::ListQuotas() {
  std::vector<QuotaText> texts;
  ASSIGN_OR_RETURN(const auto table, connection_->OpenTable({"hbase", "quota"}));
  Scan scan;
  scan.columns[kSettingsFamily] = {};
  ASSIGN_OR_RETURN(const auto scanner, table->OpenScanner(scan));
  CellBatch batch;
  do {
    RETURN_IF_ERROR(scanner->Next(kRowsAtATime, &batch));
    for (const Cell& cell : batch.cells) {
      pb::Quotas quotas;
      const ByteView value = cell.value_view();
      const bool whole = cell.row().size() > 2 && value.starts_with(kMagic) &&
                         quotas.ParseFromString(Bytes(value.substr(sizeof(kMagic) - 1)));
      if (!whole) return Corruption("hbase:quota has a row that holds no quotas");
      AddSettings(OwnerOf(cell.row(), cell.qualifier()), quotas, &texts);
    }
  } while (batch.row_count() > 0);
  return texts;
}

Result<std::vector<api::ClusterControl::SpaceUse>> RemoteControl::ListSpaceUse() {
  pb::GetQuotaStatesResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster("GetQuotaStates", pb::GetQuotaStatesRequest(), &response));
  std::vector<SpaceUse> uses;
  for (const auto& told : response.table_snapshots()) {
    uses.push_back(UseOf(told.table_name(), told.snapshot()));
  }
  return uses;
}

Result<std::vector<api::ClusterControl::SpaceUse>> RemoteControl::ListTableSizes() {
  pb::GetSpaceQuotaRegionSizesResponse response;
  RETURN_IF_ERROR(cluster_->CallMaster("GetSpaceQuotaRegionSizes",
                                       pb::GetSpaceQuotaRegionSizesRequest(), &response));
  std::vector<SpaceUse> uses;
  for (const auto& told : response.sizes()) {
    pb::SpaceQuotaSnapshot snapshot;
    snapshot.set_quota_usage(told.size());
    uses.push_back(UseOf(told.table_name(), snapshot));
  }
  return uses;
}

}  // namespace bennu::client
