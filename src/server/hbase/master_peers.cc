// Calls about replication peers.
#include <string>
#include <utility>
#include <vector>

#include "proto/replication.pb.h"
#include "src/server/hbase/java_pattern.h"
#include "src/server/hbase/master_service.h"

namespace bennu::server::hbase {

template <typename Request>
void MasterService::AddPeerChange(const char* method, const std::string& procedure,
                                  std::function<CallError(const Request&)> body) {
  AddChange<Request, pb::ReplicationPeerChangeResponse>(
      method,
      [procedure, body = std::move(body)](const Request& request) {
        Change change;
        change.class_name = "org.apache.hadoop.hbase.master.replication." + procedure;
        change.locks = {{pb::PEER, request.peer_id()}};
        change.run = [body, request] { return body(request); };
        return change;
      },
      [](uint64_t id, pb::ReplicationPeerChangeResponse* response) { response->set_proc_id(id); });
}

void MasterService::AddPeers() {
  AddPeerChange<pb::AddReplicationPeerRequest>(
      "AddReplicationPeer", "AddPeerProcedure",
      [this](const auto& request) { return peers_->Add(request); });
  AddPeerChange<pb::UpdateReplicationPeerConfigRequest>(
      "UpdateReplicationPeerConfig", "UpdatePeerConfigProcedure",
      [this](const auto& request) { return peers_->Update(request); });
  AddPeerChange<pb::ReplicationPeerRequest>(
      "RemoveReplicationPeer", "RemovePeerProcedure",
      [this](const auto& request) { return peers_->Remove(request.peer_id()); });
  AddPeerChange<pb::ReplicationPeerRequest>(
      "EnableReplicationPeer", "EnablePeerProcedure", [this](const auto& request) {
        return peers_->SetState(request.peer_id(), pb::ReplicationState::ENABLED);
      });
  AddPeerChange<pb::ReplicationPeerRequest>(
      "DisableReplicationPeer", "DisablePeerProcedure", [this](const auto& request) {
        return peers_->SetState(request.peer_id(), pb::ReplicationState::DISABLED);
      });
  AddUnary<pb::ReplicationPeerRequest, pb::GetReplicationPeerConfigResponse>(
      "GetReplicationPeerConfig", RunOn::kHandler,
      [this](const pb::ReplicationPeerRequest& request, auto* response) -> CallError {
        pb::ReplicationPeerDescription peer;
        if (CallError error = peers_->Get(request.peer_id(), &peer); error) return error;
        response->set_peer_id(request.peer_id());
        *response->mutable_peer_config() = std::move(*peer.mutable_config());
        return std::nullopt;
      });
  AddUnary<pb::ReplicationPeerRequest, pb::GetReplicationPeerStateResponse>(
      "IsReplicationPeerEnabled", RunOn::kHandler,
      [this](const pb::ReplicationPeerRequest& request, auto* response) -> CallError {
        pb::ReplicationPeerDescription peer;
        if (CallError error = peers_->Get(request.peer_id(), &peer); error) return error;
        response->set_is_enabled(peer.state().state() == pb::ReplicationState::ENABLED);
        return std::nullopt;
      });
  AddUnary<pb::ListReplicationPeersRequest, pb::ListReplicationPeersResponse>(
      "ListReplicationPeers", RunOn::kHandler,
      [this](const pb::ListReplicationPeersRequest& request, auto* response) -> CallError {
        auto pattern = JavaPattern::Make(request.has_regex() ? &request.regex() : nullptr);
        if (!pattern.ok()) return rpc::RemoteError(pattern.status());
        std::vector<pb::ReplicationPeerDescription> peers;
        if (CallError error = peers_->List(&peers); error) return error;
        for (pb::ReplicationPeerDescription& peer : peers) {
          if (pattern->Matches(peer.id())) *response->add_peer_desc() = std::move(peer);
        }
        return std::nullopt;
      });
}

}  // namespace bennu::server::hbase
