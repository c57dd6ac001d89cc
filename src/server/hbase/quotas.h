// Quotas: throttles of users, tables, namespaces and the server, and the space of tables and
// namespaces. Kept in the table hbase:quota, as HBase keeps them; throttles are enforced here.
// Source: HBase's QuotaTableUtil, MasterQuotaManager and RegionServerRpcQuotaManager.
#ifndef BENNU_SRC_SERVER_HBASE_QUOTAS_H_
#define BENNU_SRC_SERVER_HBASE_QUOTAS_H_

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/table.h"
#include "proto/master.pb.h"
#include "src/base/mutex.h"
#include "src/server/hbase/call.h"
#include "src/server/hbase/space_quotas.h"
#include "src/server/hbase/switches.h"
#include "src/server/hbase/throttle.h"

namespace bennu::server::hbase {

// What HBase takes one read or mutation to need until it is done.
inline constexpr uint64_t kOperationBytes = 100;

// What one call has taken of its quotas.
class QuotaUse {
 public:
  // The call is done; what it read and wrote was an estimate so far. At most once.
  void Done(uint64_t read_bytes, uint64_t write_bytes);

 private:
  friend class Quotas;
  // One quota and its lock.
  struct Gate {
    explicit Gate(const Throttle& limits) : throttle(limits) {}
    Mutex mu;
    Throttle throttle GUARDED_BY(mu);
  };
  std::vector<std::shared_ptr<Gate>> gates_;
  Demand taken_;
};

// Thread-safe. Outlives its uses.
class Quotas {
 public:
  // Makes hbase:quota where it is missing, and reads it. 'switches' tell whether throttles are
  // enforced; they outlive it.
  static Result<std::unique_ptr<Quotas>> Open(Connection* store, const Switches* switches);

  // SetQuota of the master. DoNotRetryIOException: it asks for what cannot be.
  CallError Set(const pb::SetQuotaRequest& request);
  // After a table was dropped: its own quotas go as well, those of users for it stay.
  CallError ForgetTable(const TableName& table);
  // The same of a namespace.
  CallError ForgetNamespace(const std::string& name);
  // Before a call of 'reads' and 'writes' operations on the table, of which each is taken to need
  // 'bytes_each'. RpcThrottlingException; nothing was taken then.
  CallError Take(const std::string& user, const TableName& table, uint64_t reads, uint64_t writes,
                 uint64_t bytes_each, QuotaUse* use);
  SpaceQuotas* space() { return &space_; }

 private:
  using GatePtr = std::shared_ptr<QuotaUse::Gate>;
  struct User {
    bool bypasses = false;  // the quotas of tables, namespaces and the server
    GatePtr all;
    std::map<std::string, GatePtr> tables, namespaces;
  };
  // Where a quota is kept, and for whom it is.
  struct Place {
    Bytes row;
    Bytes qualifier;
  };

  Quotas(Connection* store, const Switches* switches, std::shared_ptr<Table> table)
      : store_(store), switches_(switches), table_(std::move(table)), space_(store_, table_) {}
  CallError Change(const pb::SetQuotaRequest& request) EXCLUDES(change_mu_);
  static Result<Place> PlaceOf(const pb::SetQuotaRequest& request);
  Status Load();
  Status ReadKept(const Place& place, pb::Quotas* quotas) const;
  Status Keep(const Place& place, const pb::Quotas& quotas);
  void Enforce(ByteView row, ByteView qualifier, const pb::Quotas& quotas) EXCLUDES(mu_);
  std::vector<GatePtr> GatesOf(const std::string& user, const TableName& table) const EXCLUDES(mu_);

  Connection* const store_;
  const Switches* const switches_;
  const std::shared_ptr<Table> table_;
  SpaceQuotas space_;
  Mutex change_mu_;  // one SetQuota at a time
  mutable Mutex mu_;
  std::map<std::string, User> users_ GUARDED_BY(mu_);
  std::map<std::string, GatePtr> tables_ GUARDED_BY(mu_);
  std::map<std::string, GatePtr> namespaces_ GUARDED_BY(mu_);
  GatePtr server_ GUARDED_BY(mu_);
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_QUOTAS_H_
