// Space quotas of tables and namespaces: how much their files may take, and what is refused past
// it. Found anew from time to time, as HBase's master and region servers do it. Source: HBase's
// QuotaObserverChore, SpaceViolationPolicyEnforcement and QuotaTableUtil.
#ifndef BENNU_SRC_SERVER_HBASE_SPACE_QUOTAS_H_
#define BENNU_SRC_SERVER_HBASE_SPACE_QUOTAS_H_

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "bennu/table.h"
#include "proto/client.pb.h"
#include "proto/quota.pb.h"
#include "src/base/mutex.h"
#include "src/server/hbase/call.h"
#include "src/server/hbase/regions.h"

namespace bennu::server::hbase {

// Of hbase:quota: rows of tables, and the family that tells what they use.
inline constexpr char kQuotaTablePrefix[] = "t.";
inline constexpr char kQuotaUsageFamily[] = "u";
inline constexpr char kQuotaPolicyQualifier[] = "p";

// Thread-safe.
class SpaceQuotas {
 public:
  // By the names of tables, "ns:table" or "table", and of namespaces.
  struct View {
    std::map<std::string, uint64_t> table_sizes;  // of all tables, bytes in files
    std::map<std::string, pb::SpaceQuotaSnapshot> tables;
    std::map<std::string, pb::SpaceQuotaSnapshot> namespaces;
  };

  // 'quota_table': hbase:quota.
  SpaceQuotas(Connection* store, std::shared_ptr<Table> quota_table)
      : store_(store), quota_table_(std::move(quota_table)) {}

  // One was set, changed or (null) removed; counts from the next look on.
  void SetOfTable(const std::string& table, const pb::SpaceQuota* quota) EXCLUDES(mu_);
  void SetOfNamespace(const std::string& name, const pb::SpaceQuota* quota) EXCLUDES(mu_);

  // What hbase:quota tells of a table from before the start, as if it had been seen by a look.
  // False: that is no snapshot of a quota.
  bool Recall(const std::string& table, const std::string& kept) EXCLUDES(mu_);
  // Sums up what files take and finds who is past his limit: from now on 'regions' have it, tables
  // whose policy is DISABLE are disabled, those for which that has ended are enabled, and
  // hbase:quota tells of each table in u:p.
  Status Look(Regions* regions) EXCLUDES(mu_);
  // As of the last look.
  View view() const EXCLUDES(mu_);
  // AccessDeniedException for a table that is disabled because it takes too much.
  CallError CheckEnable(const std::string& table) const EXCLUDES(mu_);

 private:
  Result<std::map<std::string, uint64_t>> Sizes() const;
  bool IsDisabled(const std::string& table) const;
  void Disable(const std::string& table);
  void Enable(const std::string& table);
  Status Keep(const View& view, const View& before);

  Connection* const store_;
  const std::shared_ptr<Table> quota_table_;
  mutable Mutex mu_;
  std::map<std::string, pb::SpaceQuota> tables_ GUARDED_BY(mu_);
  std::map<std::string, pb::SpaceQuota> namespaces_ GUARDED_BY(mu_);
  View view_ GUARDED_BY(mu_);
};

// SpaceLimitingException for a mutation of the kind where the policy (0: none) forbids it.
CallError CheckSpacePolicy(int policy, pb::MutationProto::MutationType type);

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_SPACE_QUOTAS_H_
