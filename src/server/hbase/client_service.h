// HBase's ClientService: rows are read and written.
// Source: hbase-rpc spec section 5.
#ifndef BENNU_SRC_SERVER_HBASE_CLIENT_SERVICE_H_
#define BENNU_SRC_SERVER_HBASE_CLIENT_SERVICE_H_

#include "proto/client.pb.h"
#include "src/base/env.h"
#include "src/base/no_wait.h"
#include "src/server/hbase/bulk_loads.h"
#include "src/server/hbase/nonces.h"
#include "src/server/hbase/quotas.h"
#include "src/server/hbase/regions.h"
#include "src/server/hbase/scanners.h"
#include "src/server/hbase/service.h"
#include "src/server/net/handlers.h"

namespace bennu::server::hbase {

class ClientService : public Service {
 public:
  // 'env', 'root': what the store's files are in, and its directory. 'quotas' are null where none
  // are enforced.
  ClientService(Regions* regions, Scanners* scanners, net::Handlers* handlers, Quotas* quotas,
                Env* env, const std::string& root, ClientFolders load_folders,
                uint64_t answer_bytes_max);

 private:
  void AddEndpoints();
  void AddBulkLoads();
  void Get(CallPtr call);
  // False, with the call as it was: what is asked for has to be waited for, or may take long, in a
  // 'scope' where that must not be. 'scope' may be null.
  bool AnswerGet(const pb::GetRequest& request, const NoWaitScope* scope, CallPtr* call);
  void Mutate(CallPtr call);
  // On a handler.
  void MutateWaiting(CallPtr call, const pb::MutateRequest& request, const ServedRegion& region);
  void HandMutationOver(CallPtr call, const pb::MutateRequest& request,
                        const ServedRegionPtr& region);
  // To a handler, unless too many calls wait already.
  void HandOver(CallPtr call, std::function<void(CallPtr)> run);
  void Scan(CallPtr call);
  // Of one call; nothing to do where no quotas are enforced.
  CallError TakeQuota(const Call& call, const ServedRegion& region, uint64_t reads, uint64_t writes,
                      uint64_t bytes_each, QuotaUse* use) const;
  CallError TakeScanQuota(const Call& call, const pb::ScanRequest& request, QuotaUse* use);
  CallError OpenScan(const pb::ScanRequest& request, std::unique_ptr<RegionScan>* scan);

  Regions* const regions_;
  Scanners* const scanners_;
  net::Handlers* const handlers_;
  Quotas* const quotas_;  // may be null
  // Scans and Multis go on in another call once their answer has so many bytes.
  const uint64_t answer_bytes_max_;
  Nonces nonces_;
  BulkLoads bulk_loads_;
};

// The checks and conversions that single calls and those of a Multi share.
CallError ReadGetOf(const ServedRegion& region, const pb::Get& message, bennu::Get* get);
// *of_all, unless it is null: whether Puts and Deletes of the region that are sent together fail
// together with this one.
CallError ReadMutationOf(const ServedRegion& region, const pb::MutationProto& message,
                         rpc::CellBlockReader* cells, MutationBatch* batch, bool* of_all = nullptr);
// Runs the Get and adds what it finds. 'call' is asked for the memory; null: it is there.
CallError RunGet(const ServedRegion& region, const pb::Get& message, const bennu::Get& get,
                 const rpc::ResultWriter& writer, pb::Result* result, Call* call = nullptr);
// An Increment or Append that was done before: what its columns hold now.
CallError ReadBack(const ServedRegion& region, const MutationBatch& batch,
                   const rpc::ResultWriter& writer, pb::Result* result);
bool ReadsBeforeWriting(const pb::MutationProto& message);

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_CLIENT_SERVICE_H_
