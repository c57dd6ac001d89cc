#include "src/server/hbase/master_service.h"

#include <fmt/format.h>

#include <utility>

namespace bennu::server::hbase {

namespace exceptions = rpc::exceptions;

MasterService::MasterService(engine::Engine* store, Regions* regions, Procedures* procedures,
                             const Identity* identity, Quotas* quotas, ReplicationPeers* peers,
                             Switches* switches, ClientFolders backup_folders,
                             const OperatorRequests* requests)
    : Service("MasterService"),
      store_(store),
      regions_(regions),
      procedures_(procedures),
      identity_(identity),
      quotas_(quotas),
      peers_(peers),
      switches_(switches),
      backup_folders_(std::move(backup_folders)),
      requests_(requests) {
  AddTableChanges();
  AddTableQuestions();
  AddNamespaces();
  AddRegions();
  AddCluster();
  AddSwitches();
  AddStops();
  AddSnapshots();
  AddProcedures();
  AddQuotas();
  AddPeers();
  AddStore();
}

CallError FromAdmin(const Status& status) {
  if (status.ok()) return std::nullopt;
  if (status.code() == StatusCode::kAlreadyExists) {
    return rpc::RemoteError(exceptions::kTableExists, status.message());
  }
  return rpc::RemoteError(status);
}

CallError MasterService::CheckExists(const TableName& name) const {
  const auto exists = store_->admin()->TableExists(name);
  if (!exists.ok()) return rpc::RemoteError(exists.status());
  if (!*exists) return rpc::RemoteError(exceptions::kTableNotFound, name.ToString());
  return std::nullopt;
}

CallError MasterService::CheckDisabled(const TableName& name) const {
  if (CallError error = CheckExists(name); error) return error;
  const auto enabled = store_->admin()->IsTableEnabled(name);
  if (!enabled.ok()) return rpc::RemoteError(enabled.status());
  if (!*enabled) return std::nullopt;
  return rpc::RemoteError(
      exceptions::kTableNotDisabled,
      fmt::format("Not DISABLED; tableName={}, state=ENABLED", name.ToString()));
}

CallError MasterService::CheckEnabled(const TableName& name) const {
  if (CallError error = CheckExists(name); error) return error;
  const auto enabled = store_->admin()->IsTableEnabled(name);
  if (!enabled.ok()) return rpc::RemoteError(enabled.status());
  if (*enabled) return std::nullopt;
  return rpc::RemoteError(exceptions::kTableNotEnabled, name.ToString());
}

CallError MasterService::ReadDescriptor(const TableName& name, TableDescriptor* descriptor) const {
  if (CallError error = CheckExists(name); error) return error;
  const auto table = store_->OpenTable(name);
  if (!table.ok()) return rpc::RemoteError(table.status());
  *descriptor = (*table)->descriptor();
  return std::nullopt;
}

CallError MasterService::Alter(const TableDescriptor& descriptor) {
  return FromAdmin(store_->admin()->AlterTable(descriptor));
}

}  // namespace bennu::server::hbase
