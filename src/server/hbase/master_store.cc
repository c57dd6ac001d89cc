// The store as a whole: what only Bennu's own clients ask for.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "proto/store_service.pb.h"
#include "src/rpc/store_service.h"
#include "src/server/hbase/master_service.h"

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

constexpr char kBackupClass[] = "bennu.BackupProcedure";
constexpr char kExportClass[] = "bennu.ExportSnapshotProcedure";
// HBase calls answers by the names of their Java classes; these have none.
constexpr char kAnswerName[] = "bennu.pb.StoreProcedure";
constexpr char kAbilitiesName[] = "bennu.pb.StoreAbilities";

// Of a call whose request names a target to write. 'write' gets the request and the target's path;
// 'folders' outlives the change.
template <typename Request, typename Write>
CallError PlanOutput(const pb::CoprocessorServiceCall& call, const ClientFolders& folders,
                     const char* class_name, Write write, Change* change) {
  Request request;
  if (!request.ParseFromString(call.request())) {
    return rpc::RemoteError(exceptions::kDoNotRetry,
                            fmt::format("{}.{}: the request is not its message",
                                        call.service_name(), call.method_name()));
  }
  if (const auto target = folders.Check(request.target()); !target.ok()) {
    return rpc::RemoteError(target.status());
  }
  change->nonce_group = request.nonce_group();
  change->nonce = request.nonce();
  change->class_name = class_name;
  // Looked at once more when it begins: what the path leads to may have changed while it waited.
  change->run = [write = std::move(write), request = std::move(request), &folders]() -> CallError {
    const auto target = folders.Check(request.target());
    if (!target.ok()) return rpc::RemoteError(target.status());
    return FromAdmin(write(request, *target));
  };
  return std::nullopt;
}

}  // namespace

CallError MasterService::PlanStoreChange(const pb::CoprocessorServiceCall& call,
                                         Change* change) const {
  if (call.service_name() == rpc::kStoreService && call.method_name() == rpc::kBackupMethod) {
    const auto write = [this](const pb::BackupRequest&, const std::string& target) {
      return store_->admin()->Backup(target);
    };
    return PlanOutput<pb::BackupRequest>(call, backup_folders_, kBackupClass, write, change);
  }
  if (call.service_name() == rpc::kStoreService &&
      call.method_name() == rpc::kExportSnapshotMethod) {
    const auto write = [this](const pb::ExportSnapshotRequest& request, const std::string& target) {
      return store_->admin()->ExportSnapshot(request.snapshot(), target);
    };
    return PlanOutput<pb::ExportSnapshotRequest>(call, backup_folders_, kExportClass, write,
                                                 change);
  }
  return rpc::RemoteError(
      exceptions::kUnknownProtocol,
      fmt::format("No registered master coprocessor service found for {}", call.service_name()));
}

void MasterService::AddStore() {
  Add("ExecMasterService", RunOn::kHandler, [this](CallPtr call) {
    pb::CoprocessorServiceRequest request;
    if (const Status status = call->Parse(&request); !status.ok()) {
      return call->Fail(rpc::RemoteError(status));
    }
    if (request.call().service_name() == rpc::kStoreService &&
        request.call().method_name() == rpc::kAbilitiesMethod) {
      pb::StoreAbilities abilities;
      abilities.set_keeps_indexes(!identity_->without_phoenix);
      pb::CoprocessorServiceResponse response;
      response.mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
      response.mutable_region()->set_value("");
      response.mutable_value()->set_name(kAbilitiesName);
      abilities.SerializeToString(response.mutable_value()->mutable_value());
      return call->Respond(response);
    }
    Change change;
    if (CallError error = PlanStoreChange(request.call(), &change); error) {
      return call->Fail(*error);
    }
    Submit<pb::CoprocessorServiceResponse>(
        std::move(call), std::move(change), [](uint64_t id, auto* response) {
          response->mutable_region()->set_type(pb::RegionSpecifier::REGION_NAME);
          response->mutable_region()->set_value("");
          pb::StoreProcedure procedure;
          procedure.set_proc_id(id);
          response->mutable_value()->set_name(kAnswerName);
          procedure.SerializeToString(response->mutable_value()->mutable_value());
        });
  });
}

}  // namespace bennu::server::hbase
