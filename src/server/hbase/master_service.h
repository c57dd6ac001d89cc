// MasterService: tables, namespaces and the cluster as a whole, which here is one process.
// Source: hbase-rpc spec section 5.9.
#ifndef BENNU_SRC_SERVER_HBASE_MASTER_SERVICE_H_
#define BENNU_SRC_SERVER_HBASE_MASTER_SERVICE_H_

#include <atomic>
#include <map>
#include <optional>
#include <string>

#include "bennu/admin.h"
#include "bennu/table.h"
#include "proto/master.pb.h"
#include "src/server/hbase/identity.h"
#include "src/server/hbase/procedures.h"
#include "src/server/hbase/quotas.h"
#include "src/server/hbase/regions.h"
#include "src/server/hbase/service.h"

namespace bennu::server::hbase {

class MasterService : public Service {
 public:
  // 'quotas' are null where none are enforced.
  MasterService(Connection* store, Regions* regions, Procedures* procedures,
                const Identity* identity, Quotas* quotas);

 private:
  void AddTableChanges();    // master_tables.cc
  void AddTableQuestions();  // master_questions.cc
  void AddNamespaces();      // master_namespaces.cc
  void AddRegions();         // master_regions.cc
  void AddCluster();         // master_cluster.cc
  void AddSwitches();        // master_cluster.cc
  void AddSnapshots();       // master_snapshots.cc
  void AddQuotas();          // master_quotas.cc

  // ---- for changes; an error where there is nothing to change
  CallError CheckExists(const TableName& name) const;
  CallError CheckDisabled(const TableName& name) const;
  CallError CheckEnabled(const TableName& name) const;
  CallError ReadDescriptor(const TableName& name, TableDescriptor* descriptor) const;
  CallError Alter(const TableDescriptor& descriptor);
  // A namespace with its properties.
  CallError ReadNamespace(const std::string& name, pb::NamespaceDescriptor* message) const;
  // Nothing in *found: there is no such snapshot.
  CallError FindSnapshot(const std::string& name, std::optional<SnapshotDescription>* found) const;
  CallError TakeSnapshot(const pb::SnapshotDescription& asked);
  CallError RestoreSnapshot(const pb::SnapshotDescription& asked);
  // DoNotRetryIOException while 'name' is switched off.
  CallError CheckSwitch(const std::string& name) const;
  // A change of tables as a method: body(request) runs as a procedure.
  template <typename Request, typename Response>
  void AddProcedure(std::string method, std::function<CallError(const Request&)> body) {
    AddUnary<Request, Response>(
        std::move(method), RunOn::kHandler,
        [this, body = std::move(body)](const Request& request, Response* response) -> CallError {
          uint64_t id = 0;
          CallError error = procedures_->Run(
              request.nonce_group(), request.nonce(), [&] { return body(request); }, &id);
          regions_->Forget();
          if (!error) response->set_proc_id(id);
          return error;
        });
  }
  // A switch that is kept while the process runs: clients may set it and read it back.
  template <typename SetRequest, typename SetResponse, typename GetRequest, typename GetResponse>
  void AddSwitch(const std::string& set_method, const std::string& get_method, bool initial,
                 bool (SetRequest::*asked)() const, void (SetResponse::*set_previous)(bool),
                 void (GetResponse::*set_value)(bool));

  Connection* const store_;
  Regions* const regions_;
  Procedures* const procedures_;
  const Identity* const identity_;
  Quotas* const quotas_;  // may be null
  static const char kSplitSwitch[];
  static const char kMergeSwitch[];
  std::map<std::string, std::atomic<bool>> switches_;  // by the method that sets them, or above
};

// HBase's exceptions for what Admin answers.
CallError FromAdmin(const Status& status);

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_MASTER_SERVICE_H_
