#include "src/server/hbase/space_quotas.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bennu/admin.h"
#include "src/api/namespace_name.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

std::string_view PolicyName(int policy) {
  switch (policy) {
    case pb::DISABLE: return "DISABLE";
    case pb::NO_WRITES_COMPACTIONS: return "NO_WRITES_COMPACTIONS";
    case pb::NO_WRITES: return "NO_WRITES";
    default: return "NO_INSERTS";
  }
}

pb::SpaceQuotaSnapshot Judge(const pb::SpaceQuota& quota, uint64_t usage) {
  pb::SpaceQuotaSnapshot snapshot;
  snapshot.set_quota_usage(usage);
  snapshot.set_quota_limit(quota.soft_limit());
  pb::SpaceQuotaStatus* const status = snapshot.mutable_quota_status();
  status->set_in_violation(usage > quota.soft_limit());
  if (status->in_violation()) status->set_violation_policy(quota.violation_policy());
  return snapshot;
}

int PolicyOf(const pb::SpaceQuotaSnapshot& snapshot) {
  const pb::SpaceQuotaStatus& status = snapshot.quota_status();
  return status.in_violation() ? static_cast<int>(status.violation_policy()) : 0;
}

std::string NamespaceOf(const std::string& table) {
  const size_t colon = table.find(':');
  return colon == std::string::npos ? "default" : table.substr(0, colon);
}

}  // namespace

CallError CheckSpacePolicy(int policy, pb::MutationProto::MutationType type) {
  const char* what = "Puts";
  switch (type) {
    case pb::MutationProto::APPEND: what = "Appends"; break;
    case pb::MutationProto::INCREMENT: what = "Increments"; break;
    case pb::MutationProto::PUT: break;
    case pb::MutationProto::DELETE:
      if (policy == pb::NO_INSERTS) return std::nullopt;
      what = "Deletes";
      break;
  }
  if (policy == 0) return std::nullopt;
  const std::string why = policy == pb::DISABLE
                              ? "This table is disabled due to violating a space quota."
                              : fmt::format("{} are disallowed due to a space quota.", what);
  return rpc::RemoteError(exceptions::kSpaceLimiting,
                          fmt::format("{} {}", PolicyName(policy), why));
}

void SpaceQuotas::SetOfTable(const std::string& table, const pb::SpaceQuota* quota) {
  MutexLock lock(&mu_);
  if (quota == nullptr) {
    tables_.erase(table);
  } else {
    tables_[table] = *quota;
  }
}

void SpaceQuotas::SetOfNamespace(const std::string& name, const pb::SpaceQuota* quota) {
  MutexLock lock(&mu_);
  if (quota == nullptr) {
    namespaces_.erase(name);
  } else {
    namespaces_[name] = *quota;
  }
}

bool SpaceQuotas::Recall(const std::string& table, const std::string& kept) {
  pb::SpaceQuotaSnapshot snapshot;
  if (!snapshot.ParseFromString(kept)) return false;
  MutexLock lock(&mu_);
  view_.tables[table] = std::move(snapshot);
  return true;
}

bool SpaceQuotas::IsDisabled(const std::string& table) const {
  const auto name = TableName::Parse(table);
  if (!name.ok()) return false;
  const auto enabled = store_->admin()->IsTableEnabled(*name);
  return enabled.ok() && !*enabled;
}

void SpaceQuotas::Disable(const std::string& table) {
  const auto name = TableName::Parse(table);
  if (!name.ok()) return;
  const Status status = store_->admin()->DisableTable(*name);
  if (status.ok() || status.code() == StatusCode::kFailedPrecondition) return;
  LogWarning("disabling table {}, which is past its space quota: {}", table, status.ToString());
}

void SpaceQuotas::Enable(const std::string& table) {
  if (!IsDisabled(table)) return;
  const Status status = store_->admin()->EnableTable(TableName::Parse(table).value());
  if (status.ok()) {
    LogInfo("table {} is within its space quota again, and enabled", table);
  } else {
    LogWarning("enabling table {}, which is within its space quota again: {}", table,
               status.ToString());
  }
}

Result<std::map<std::string, uint64_t>> SpaceQuotas::Sizes() const {
  std::map<std::string, uint64_t> sizes;
  ASSIGN_OR_RETURN(const auto names, store_->admin()->ListTables());
  for (const TableName& name : names) {
    if (name.name_space == api::kSystemNamespace) continue;
    const auto regions = store_->admin()->ListRegions(name);
    if (!regions.ok()) continue;  // dropped meanwhile
    uint64_t& size = sizes[name.ToString()];
    for (const RegionStatus& region : *regions) size += region.file_bytes;
  }
  return sizes;
}

Status SpaceQuotas::Look(Regions* regions) {
  std::map<std::string, pb::SpaceQuota> of_tables, of_namespaces;
  View before;
  {
    MutexLock lock(&mu_);
    of_tables = tables_;
    of_namespaces = namespaces_;
    before = view_;
  }
  View view;
  ASSIGN_OR_RETURN(view.table_sizes, Sizes());
  std::map<std::string, uint64_t> namespace_sizes;
  for (const auto& [table, size] : view.table_sizes) namespace_sizes[NamespaceOf(table)] += size;
  // After a start nobody knows the sizes of a table that is disabled. It takes what it took when a
  // quota disabled it, or it would be enabled by the first look and disabled by the next.
  for (auto& [table, size] : view.table_sizes) {
    const auto told = before.tables.find(table);
    if (size > 0 || told == before.tables.end() || PolicyOf(told->second) != pb::DISABLE) continue;
    if (!IsDisabled(table)) continue;
    const uint64_t usage = told->second.quota_usage();
    if (of_tables.contains(table)) {
      size = usage;
    } else {
      uint64_t& shared = namespace_sizes[NamespaceOf(table)];
      shared = std::max(shared, usage);
    }
  }
  for (const auto& [name, quota] : of_namespaces) {
    view.namespaces[name] = Judge(quota, namespace_sizes[name]);
  }
  std::map<std::string, int> policies;
  for (const auto& [table, size] : view.table_sizes) {
    // A table's own quota counts before its namespace's.
    const auto own = of_tables.find(table);
    const auto shared = view.namespaces.find(NamespaceOf(table));
    if (own == of_tables.end() && shared == view.namespaces.end()) continue;
    const pb::SpaceQuotaSnapshot& snapshot = view.tables[table] =
        own != of_tables.end() ? Judge(own->second, size) : shared->second;
    if (const int policy = PolicyOf(snapshot); policy != 0) policies[table] = policy;
  }
  regions->SetSpacePolicies(policies);
  for (const auto& [table, policy] : policies) {
    const auto told = before.tables.find(table);
    const bool is_new = told == before.tables.end() || PolicyOf(told->second) != policy;
    if (is_new) LogWarning("table {} is past its space quota: {}", table, PolicyName(policy));
    if (policy == pb::DISABLE) Disable(table);
  }
  // As HBase's QuotaObserverChore it does not ask whether somebody else has disabled the table.
  for (const auto& [table, told] : before.tables) {
    const auto policy = policies.find(table);
    const bool still = policy != policies.end() && policy->second == pb::DISABLE;
    if (PolicyOf(told) == pb::DISABLE && !still) Enable(table);
  }
  const Status kept = Keep(view, before);
  MutexLock lock(&mu_);
  view_ = std::move(view);
  return kept;
}

Status SpaceQuotas::Keep(const View& view, const View& before) {
  MutationBatch batch;
  for (const auto& [table, snapshot] : view.tables) {
    const std::string text = snapshot.SerializeAsString();
    const auto told = before.tables.find(table);
    if (told != before.tables.end() && told->second.SerializeAsString() == text) continue;
    batch.StartRow(kQuotaTablePrefix + table);
    batch.Put(kQuotaUsageFamily, kQuotaPolicyQualifier, text);
  }
  for (const auto& [table, snapshot] : before.tables) {
    if (view.tables.contains(table)) continue;
    batch.StartRow(kQuotaTablePrefix + table);
    batch.DeleteColumn(kQuotaUsageFamily, kQuotaPolicyQualifier);
  }
  return batch.row_count() == 0 ? Status::Ok() : quota_table_->Write(&batch);
}

SpaceQuotas::View SpaceQuotas::view() const {
  MutexLock lock(&mu_);
  return view_;
}

CallError SpaceQuotas::CheckEnable(const std::string& table) const {
  MutexLock lock(&mu_);
  const auto found = view_.tables.find(table);
  if (found == view_.tables.end() || PolicyOf(found->second) != pb::DISABLE) return std::nullopt;
  return rpc::RemoteError(
      exceptions::kAccessDenied,
      fmt::format("Enabling the table '{}' is disallowed due to a violated space quota.", table));
}

}  // namespace bennu::server::hbase
