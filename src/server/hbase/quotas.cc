#include "src/server/hbase/quotas.h"

#include <fmt/format.h>

#include <utility>

#include "bennu/admin.h"
#include "src/api/descriptor_pb.h"
#include "src/api/namespace_name.h"
#include "src/base/env.h"
#include "src/base/hex.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/server/net/clock.h"

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

// hbase:quota: a row for each user, table, namespace and the servers, with the limits in q:s; those
// of a user for one table or namespace in q:s.TABLE and q:s.NAMESPACE: of the user's row.
constexpr char kUserPrefix[] = "u.";
constexpr char kNamespacePrefix[] = "n.";
constexpr char kServerPrefix[] = "r.";
constexpr char kAllServers[] = "all";
constexpr char kFamily[] = "q";
constexpr char kSettings[] = "s";
constexpr char kSettingsPrefix[] = "s.";
constexpr char kMagic[] = "PBUF";
constexpr size_t kQuotaRowsAtATime = 100;

TableName QuotaTableName() { return {api::kSystemNamespace, "quota"}; }

TableDescriptor QuotaTableDescriptor() {
  TableDescriptor descriptor;
  descriptor.name = QuotaTableName();
  descriptor.families.emplace_back().name = kFamily;
  descriptor.families.emplace_back().name = kQuotaUsageFamily;
  return descriptor;
}

Status Refused(std::string_view what) {
  return InvalidArgument(fmt::format("java.lang.UnsupportedOperationException: {}", what));
}

rpc::RemoteError Refusal(const Status& status) {
  return {exceptions::kDoNotRetry, status.message()};
}

// What the quotas will be. InvalidArgument: they cannot be so.
Status Apply(const pb::SetQuotaRequest& request, pb::Quotas* quotas) {
  if (request.remove_all()) quotas->Clear();
  if (request.has_bypass_globals()) quotas->set_bypass_globals(request.bypass_globals());
  if (request.has_space_limit()) {
    const pb::SpaceQuota& space = request.space_limit().quota();
    if (space.remove()) {
      quotas->clear_space();
    } else if (!space.has_soft_limit() || !space.has_violation_policy()) {
      return Refused("A space quota has a limit and a policy");
    } else {
      quotas->mutable_space()->CopyFrom(space);
    }
  }
  if (!request.has_throttle()) return Status::Ok();
  const pb::ThrottleRequest& asked = request.throttle();
  if (!asked.has_type()) {
    quotas->clear_throttle();
    return Status::Ok();
  }
  if (asked.has_timed_quota() && asked.timed_quota().soft_limit() < 1) {
    return Refused(fmt::format("The throttle limit must be greater then 0, got {}",
                               asked.timed_quota().soft_limit()));
  }
  const pb::TimedQuota* const limit = asked.has_timed_quota() ? &asked.timed_quota() : nullptr;
  if (!SetLimit(asked.type(), limit, quotas->mutable_throttle())) {
    return Refused(
        fmt::format("throttle type {} is of a later HBase", static_cast<int>(asked.type())));
  }
  if (quotas->throttle().ByteSizeLong() == 0) quotas->clear_throttle();
  return Status::Ok();
}

// A marker hides what is written in its millisecond, which the next quota may be. A clock that was
// set back is not waited for.
void AwaitNextMillisecond(Connection* store) {
  constexpr int kLooksMax = 50;
  const int64_t now = store->NowMillis();
  for (int i = 0; i < kLooksMax && store->NowMillis() <= now; ++i) {
    Env::Default()->SleepMicros(200);
  }
}

// The rest of 'text' behind the prefix. False: it does not begin so.
bool Behind(std::string_view prefix, std::string_view text, std::string* rest) {
  if (!text.starts_with(prefix)) return false;
  *rest = text.substr(prefix.size());
  return true;
}

}  // namespace

void QuotaUse::Done(uint64_t read_bytes, uint64_t write_bytes) {
  Demand real = taken_;
  real.read_bytes = read_bytes;
  real.write_bytes = write_bytes;
  for (const auto& gate : gates_) {
    MutexLock lock(&gate->mu);
    gate->throttle.Settle(taken_, real);
  }
}

Result<std::unique_ptr<Quotas>> Quotas::Open(Connection* store, const Switches* switches) {
  ASSIGN_OR_RETURN(const bool exists, store->admin()->TableExists(QuotaTableName()));
  if (!exists) RETURN_IF_ERROR(store->admin()->CreateTable(QuotaTableDescriptor(), {}));
  ASSIGN_OR_RETURN(std::shared_ptr<Table> table, store->OpenTable(QuotaTableName()));
  std::unique_ptr<Quotas> quotas(new Quotas(store, switches, std::move(table)));
  RETURN_IF_ERROR(quotas->Load());
  return quotas;
}

Result<Quotas::Place> Quotas::PlaceOf(const pb::SetQuotaRequest& request) {
  const std::string table =
      request.has_table_name() ? api::TableNameFromPb(request.table_name()).ToString() : "";
  if (request.has_user_name()) {
    Bytes qualifier = kSettings;
    if (request.has_table_name()) qualifier = kSettingsPrefix + table;
    if (request.has_namespace_()) qualifier = kSettingsPrefix + request.namespace_() + ":";
    return Place{kUserPrefix + request.user_name(), std::move(qualifier)};
  }
  if (request.has_table_name()) return Place{kQuotaTablePrefix + table, kSettings};
  if (request.has_namespace_()) return Place{kNamespacePrefix + request.namespace_(), kSettings};
  if (request.has_region_server()) return Place{kServerPrefix + request.region_server(), kSettings};
  return Refused("a user, a table, a namespace or region server must be specified");
}

Status Quotas::ReadKept(const Place& place, pb::Quotas* quotas) const {
  Get get;
  get.row = place.row;
  get.columns[kFamily].emplace(place.qualifier);
  ASSIGN_OR_RETURN(const Row row, table_->GetRow(get));
  if (row.empty()) return Status::Ok();
  const ByteView value = row.cells.front().value_view();
  if (value.starts_with(kMagic) &&
      quotas->ParseFromString(Bytes(value.substr(sizeof(kMagic) - 1)))) {
    return Status::Ok();
  }
  return Corruption(fmt::format("{}, row '{}': no quotas; delete the row",
                                QuotaTableName().ToString(), ToStringBinary(place.row)));
}

Status Quotas::Keep(const Place& place, const pb::Quotas& quotas) {
  MutationBatch batch;
  batch.StartRow(place.row);
  if (quotas.ByteSizeLong() > 0) {
    batch.Put(kFamily, place.qualifier, kMagic + quotas.SerializeAsString());
    return table_->Write(&batch);
  }
  if (place.row.starts_with(kUserPrefix) && place.qualifier == kSettings) {
    // HBase deletes the row, and with it what the user has for tables and namespaces.
    batch.DeleteFamily(kFamily);
  } else {
    batch.DeleteColumn(kFamily, place.qualifier);
  }
  RETURN_IF_ERROR(table_->Write(&batch));
  AwaitNextMillisecond(store_);
  return Status::Ok();
}

CallError Quotas::Set(const pb::SetQuotaRequest& request) {
  if (request.has_space_limit() && (request.has_user_name() || request.has_region_server())) {
    return Refusal(Refused("Space quotas are of tables and namespaces"));
  }
  return Change(request);
}

CallError Quotas::ForgetTable(const TableName& table) {
  pb::SetQuotaRequest request;
  api::TableNameToPb(table, request.mutable_table_name());
  request.set_remove_all(true);
  return Change(request);
}

CallError Quotas::ForgetNamespace(const std::string& name) {
  pb::SetQuotaRequest request;
  request.set_namespace_(name);
  request.set_remove_all(true);
  return Change(request);
}

CallError Quotas::Change(const pb::SetQuotaRequest& request) {
  const auto place = PlaceOf(request);
  if (!place.ok()) return Refusal(place.status());
  MutexLock lock(&change_mu_);
  pb::Quotas quotas;
  if (const Status status = ReadKept(*place, &quotas); !status.ok()) {
    return rpc::RemoteError(status);
  }
  if (const Status status = Apply(request, &quotas); !status.ok()) return Refusal(status);
  if (const Status status = Keep(*place, quotas); !status.ok()) return rpc::RemoteError(status);
  Enforce(place->row, place->qualifier, quotas);
  return std::nullopt;
}

Status Quotas::Load() {
  ASSIGN_OR_RETURN(const auto scanner, table_->OpenScanner(Scan()));
  CellBatch batch;
  do {
    RETURN_IF_ERROR(scanner->Next(kQuotaRowsAtATime, &batch));
    for (const Cell& cell : batch.cells) {
      std::string table;
      if (cell.family() == kQuotaUsageFamily && cell.qualifier() == kQuotaPolicyQualifier &&
          Behind(kQuotaTablePrefix, cell.row(), &table) &&
          !space_.Recall(table, std::string(cell.value_view()))) {
        LogWarning("{}, row '{}': no snapshot of a space quota; it is passed over",
                   QuotaTableName().ToString(), ToStringBinary(cell.row()));
      }
      if (cell.family() != kFamily) continue;
      const ByteView value = cell.value_view();
      pb::Quotas quotas;
      if (value.starts_with(kMagic) &&
          quotas.ParseFromString(Bytes(value.substr(sizeof(kMagic) - 1)))) {
        Enforce(cell.row(), cell.qualifier(), quotas);
      } else {
        LogWarning("{}, row '{}': no quotas; the row is passed over", QuotaTableName().ToString(),
                   ToStringBinary(cell.row()));
      }
    }
  } while (batch.row_count() > 0);
  return Status::Ok();
}

void Quotas::Enforce(ByteView row, ByteView qualifier, const pb::Quotas& quotas) {
  GatePtr gate;
  if (quotas.has_throttle()) {
    gate = std::make_shared<QuotaUse::Gate>(Throttle(quotas.throttle(), net::MonotonicNow()));
  }
  std::string name, part;
  const pb::SpaceQuota* const space = quotas.has_space() ? &quotas.space() : nullptr;
  if (Behind(kQuotaTablePrefix, row, &name)) space_.SetOfTable(name, space);
  if (Behind(kNamespacePrefix, row, &name)) space_.SetOfNamespace(name, space);
  MutexLock lock(&mu_);
  if (Behind(kUserPrefix, row, &name)) {
    if (qualifier == kSettings && quotas.ByteSizeLong() == 0) {
      users_.erase(name);
      return;
    }
    User& user = users_[name];
    if (qualifier == kSettings) {
      user.all = std::move(gate);
      user.bypasses = quotas.bypass_globals();
    } else if (Behind(kSettingsPrefix, qualifier, &part) && !part.empty()) {
      if (part.back() == ':') {
        part.pop_back();
        user.namespaces[part] = std::move(gate);
      } else {
        user.tables[part] = std::move(gate);
      }
    }
  } else if (Behind(kQuotaTablePrefix, row, &name)) {
    tables_[name] = std::move(gate);
  } else if (Behind(kNamespacePrefix, row, &name)) {
    namespaces_[name] = std::move(gate);
  } else if (row == std::string(kServerPrefix) + kAllServers) {
    server_ = std::move(gate);
  }
}

// The user's own, the narrowest there is; then those of the table, the namespace and the server.
std::vector<Quotas::GatePtr> Quotas::GatesOf(const std::string& user,
                                             const TableName& table) const {
  const auto find = [](const std::map<std::string, GatePtr>& in, const std::string& key) {
    const auto found = in.find(key);
    return found == in.end() ? nullptr : found->second;
  };
  std::vector<GatePtr> gates;
  const auto add = [&gates](GatePtr gate) {
    if (gate != nullptr) gates.push_back(std::move(gate));
  };
  const std::string table_text = table.ToString();
  MutexLock lock(&mu_);
  if (const auto own = users_.find(user); own != users_.end()) {
    GatePtr gate = find(own->second.tables, table_text);
    if (gate == nullptr) gate = find(own->second.namespaces, table.name_space);
    add(gate != nullptr ? gate : own->second.all);
    if (own->second.bypasses) return gates;
  }
  add(find(tables_, table_text));
  add(find(namespaces_, table.name_space));
  add(server_);
  return gates;
}

CallError Quotas::Take(const std::string& user, const TableName& table, uint64_t reads,
                       uint64_t writes, uint64_t bytes_each, QuotaUse* use) {
  if (!switches_->IsOn(Switch::kRpcThrottle) || table.name_space == api::kSystemNamespace)
    return std::nullopt;
  use->gates_ = GatesOf(user, table);
  if (use->gates_.empty()) return std::nullopt;
  use->taken_ = {reads, writes, reads * bytes_each, writes * bytes_each};
  const auto now = net::MonotonicNow();
  for (const auto& gate : use->gates_) {
    MutexLock lock(&gate->mu);
    if (auto refusal = gate->throttle.Refusal(use->taken_, now); refusal) {
      use->gates_.clear();
      return rpc::RemoteError(exceptions::kRpcThrottling, *std::move(refusal));
    }
  }
  for (const auto& gate : use->gates_) {
    MutexLock lock(&gate->mu);
    gate->throttle.Take(use->taken_);
  }
  return std::nullopt;
}

}  // namespace bennu::server::hbase
