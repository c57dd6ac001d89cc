// MasterService: tables, namespaces and the cluster as a whole, which here is one process.
// Source: hbase-rpc spec section 5.9.
#ifndef BENNU_SRC_SERVER_HBASE_MASTER_SERVICE_H_
#define BENNU_SRC_SERVER_HBASE_MASTER_SERVICE_H_

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "proto/client.pb.h"
#include "proto/master.pb.h"
#include "src/engine/open.h"
#include "src/server/hbase/client_folders.h"
#include "src/server/hbase/identity.h"
#include "src/server/hbase/operator_requests.h"
#include "src/server/hbase/procedures.h"
#include "src/server/hbase/quotas.h"
#include "src/server/hbase/regions.h"
#include "src/server/hbase/replication_peers.h"
#include "src/server/hbase/service.h"
#include "src/server/hbase/switches.h"

namespace bennu::server::hbase {

class MasterService : public Service {
 public:
  // 'quotas' are null where none are enforced.
  MasterService(engine::Engine* store, Regions* regions, Procedures* procedures,
                const Identity* identity, Quotas* quotas, ReplicationPeers* peers,
                Switches* switches, ClientFolders backup_folders, const OperatorRequests* requests);

 private:
  void AddTableChanges();    // master_tables.cc
  void AddTableQuestions();  // master_questions.cc
  void AddNamespaces();      // master_namespaces.cc
  void AddRegions();         // master_regions.cc
  void AddCluster();         // master_cluster.cc
  void AddSwitches();        // master_cluster.cc
  void AddStops();           // master_cluster.cc
  void AddSnapshots();       // master_snapshots.cc
  void AddProcedures();      // master_procedures.cc
  void AddQuotas();          // master_quotas.cc
  void AddPeers();           // master_peers.cc
  void AddStore();           // master_store.cc

  // ---- for changes; an error where there is nothing to change
  CallError CheckExists(const TableName& name) const;
  CallError CheckDisabled(const TableName& name) const;
  CallError CheckEnabled(const TableName& name) const;
  CallError ReadDescriptor(const TableName& name, TableDescriptor* descriptor) const;
  CallError Alter(const TableDescriptor& descriptor);
  // A namespace with its properties.
  CallError ReadNamespace(const std::string& name, pb::NamespaceDescriptor* message) const;
  // Of those with a signature and an instance, as HBase 2.5 flushes tables.
  CallError ExecProcedure(const pb::ProcedureDescription& procedure);
  // Nothing in *found: there is no such snapshot.
  CallError FindSnapshot(const std::string& name, std::optional<SnapshotDescription>* found) const;
  // Empty: what is asked names no table.
  std::vector<ProcedureLock> LocksOfRestore(const pb::SnapshotDescription& asked) const;
  CallError TakeSnapshot(const pb::SnapshotDescription& asked);
  CallError RestoreSnapshot(const pb::SnapshotDescription& asked);
  // What a call of a coprocessor wants done. UnknownProtocolException: there is no such service.
  CallError PlanStoreChange(const pb::CoprocessorServiceCall& call, Change* change) const;
  // What a split or merge came to that 'attribute' of the table may forbid.
  Ending FromRegionChange(const TableName& table, const char* attribute,
                          const Status& status) const;
  // DoNotRetryIOException while it is off; 'name' is HBase's.
  CallError CheckSwitch(Switch which, const char* name) const;
  // A change as a method: plan(request) says what it is and does, and it runs as a procedure. It is
  // answered when it has ended, or after a second or two: 'fill' makes the answer for its number.
  template <typename Request, typename Response>
  void AddChange(std::string method, std::function<Change(const Request&)> plan,
                 std::function<void(uint64_t id, Response*)> fill) {
    Add(std::move(method), RunOn::kHandler,
        [this, plan = std::move(plan), fill = std::move(fill)](CallPtr call) {
          Request request;
          if (const Status status = call->Parse(&request); !status.ok()) {
            return call->Fail(rpc::RemoteError(status));
          }
          Submit<Response>(std::move(call), plan(request), fill);
        });
  }
  // Has the change run for the call.
  template <typename Response>
  void Submit(CallPtr call, Change change, std::function<void(uint64_t id, Response*)> fill) {
    change.owner = call->connection().user;
    change.run = [this, run = std::move(change.run)] {
      Ending ending = run();
      regions_->Forget();
      return ending;
    };
    // A std::function must be copyable.
    auto shared = std::make_shared<CallPtr>(std::move(call));
    change.answer = [shared, fill = std::move(fill)](const CallError& error, uint64_t id) {
      if (error) return (*shared)->Fail(*error);
      Response response;
      fill(id, &response);
      (*shared)->Respond(response);
    };
    procedures_->Submit(std::move(change));
  }
  // One of a replication peer.
  template <typename Request>
  void AddPeerChange(const char* method, const std::string& procedure,
                     std::function<CallError(const Request&)> body);
  // One that is answered with its number. 'procedure' is the class's name below
  // org.apache.hadoop.hbase.master.
  template <typename Request, typename Response>
  void AddProcedure(std::string method, std::string procedure,
                    std::function<std::vector<ProcedureLock>(const Request&)> locks,
                    std::function<Ending(const Request&)> body) {
    AddChange<Request, Response>(
        std::move(method),
        [procedure = std::move(procedure), locks = std::move(locks),
         body = std::move(body)](const Request& request) {
          Change change;
          change.class_name = "org.apache.hadoop.hbase.master." + procedure;
          change.nonce_group = request.nonce_group();
          change.nonce = request.nonce();
          change.locks = locks(request);
          change.run = [body, request] { return body(request); };
          return change;
        },
        [](uint64_t id, Response* response) { response->set_proc_id(id); });
  }
  // Clients may set the switch and read it back.
  template <typename SetRequest, typename SetResponse, typename GetRequest, typename GetResponse>
  void AddSwitch(Switch which, const std::string& set_method, const std::string& get_method,
                 bool (SetRequest::*asked)() const, void (SetResponse::*set_previous)(bool),
                 void (GetResponse::*set_value)(bool));

  engine::Engine* const store_;
  Regions* const regions_;
  Procedures* const procedures_;
  const Identity* const identity_;
  Quotas* const quotas_;  // may be null
  ReplicationPeers* const peers_;
  Switches* const switches_;
  const ClientFolders backup_folders_;
  const OperatorRequests* const requests_;
};

// HBase's exceptions for what Admin answers.
CallError FromAdmin(const Status& status);

// How HBase's files are kept track of here.
inline constexpr char kDefaultTracker[] = "DEFAULT";
// DoNotRetryIOException: another way is wanted.
CallError CheckFileTracker(const std::string& wanted);

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_MASTER_SERVICE_H_
