#include "src/server/hbase/replication_peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/api/attributes.h"
#include "src/api/descriptor_pb.h"
#include "src/base/hex.h"
#include "src/base/log.h"
#include "src/engine/directory/master_files.h"

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

constexpr rpc::ExceptionClass kPeerNotFound = {
    "org.apache.hadoop.hbase.ReplicationPeerNotFoundException", true};
// The one of HBase's endpoints that sends to another HBase; that of peers which name none.
constexpr std::string_view kHBaseEndpoint =
    "org.apache.hadoop.hbase.replication.regionserver.HBaseInterClusterReplicationEndpoint";
// Of all peers together: whoever reaches the server may add some.
constexpr size_t kFileBytesMax = 16u << 20;

CallError RefuseChange(std::string message) {
  return rpc::RemoteError(exceptions::kDoNotRetry, std::move(message));
}

bool IsPort(std::string_view text) {
  const auto port = api::ParseInteger(text);
  return port.has_value() && *port > 0 && *port < 65536;
}

// "HOST[:PORT][,HOST[:PORT]…]:PORT:/ZNODE"; the port behind is that of hosts that name none.
// Source: ZKConfig.
bool IsClusterKey(std::string_view key) {
  const size_t last = key.rfind(':');
  if (last == std::string_view::npos) return false;
  const std::string_view znode = key.substr(last + 1);
  if (znode.size() < 2 || znode.front() != '/') return false;
  std::string_view hosts = key.substr(0, last);
  const size_t colon_of_port = hosts.rfind(':');
  if (colon_of_port == std::string_view::npos || !IsPort(hosts.substr(colon_of_port + 1))) {
    return false;
  }
  hosts = hosts.substr(0, colon_of_port);
  for (;;) {
    const size_t comma = hosts.find(',');
    const std::string_view host = hosts.substr(0, comma);
    const size_t colon = host.find(':');
    if (host.empty() || colon == 0) return false;
    if (colon != std::string_view::npos && !IsPort(host.substr(colon + 1))) return false;
    if (comma == std::string_view::npos) return true;
    hosts.remove_prefix(comma + 1);
  }
}

// A namespace stands for all its tables, which are then not named besides.
CallError CheckOverlap(const google::protobuf::RepeatedPtrField<std::string>& namespaces,
                       const google::protobuf::RepeatedPtrField<pb::TableFamilies>& tables) {
  for (const pb::TableFamilies& table : tables) {
    const std::string& name_space = table.table_name().namespace_();
    if (std::find(namespaces.begin(), namespaces.end(), name_space) != namespaces.end()) {
      return RefuseChange(fmt::format("Table-cfs {} is conflict with namespaces {} in peer config",
                                      api::TableNameFromPb(table.table_name()).ToString(),
                                      name_space));
    }
  }
  return std::nullopt;
}

CallError CheckConfig(const pb::ReplicationPeer& config) {
  const std::string& endpoint = config.replicationendpointimpl();
  if (!endpoint.empty() && endpoint != kHBaseEndpoint) {
    return RefuseChange("Can not instantiate configured replication endpoint class=" + endpoint);
  }
  if (!IsClusterKey(config.clusterkey())) {
    return RefuseChange("Invalid cluster key: " + config.clusterkey() +
                        "; HOST[:PORT][,HOST[:PORT]...]:PORT:/ZNODE is wanted");
  }
  const bool some_excluded = config.exclude_namespaces_size() + config.exclude_table_cfs_size() > 0;
  if (config.replicate_all()) {
    if (config.namespaces_size() + config.table_cfs_size() > 0) {
      return RefuseChange(
          "Need clean namespaces or table-cfs config firstly when you want replicate all cluster");
    }
    return CheckOverlap(config.exclude_namespaces(), config.exclude_table_cfs());
  }
  if (some_excluded) {
    return RefuseChange(
        "Need clean exclude-namespaces or exclude-table-cfs config firstly when replicate_all flag "
        "is false");
  }
  return CheckOverlap(config.namespaces(), config.table_cfs());
}

// What is not named in *config is as in 'old'.
void KeepProperties(const pb::ReplicationPeer& old, pb::ReplicationPeer* config) {
  std::map<std::string, std::string> properties;
  for (const auto& property : old.configuration()) properties[property.name()] = property.value();
  for (const auto& property : config->configuration()) {
    properties[property.name()] = property.value();
  }
  config->clear_configuration();
  for (const auto& [name, value] : properties) {
    auto* const property = config->add_configuration();
    property->set_name(name);
    property->set_value(value);
  }
}

}  // namespace

ReplicationPeers::ReplicationPeers(Env* env, const std::string& root) : env_(env), layout_(root) {
  const auto file = engine::ReadPeers(env_, layout_);
  MutexLock lock(&mu_);
  damage_ = file.status();
  if (!file.ok()) {
    LogWarning("{}", file.status().message());
    return;
  }
  for (const pb::ReplicationPeerDescription& peer : file->peers()) peers_[peer.id()] = peer;
  if (!peers_.empty()) LogWarning("{} replication peers are kept, and sent nothing", peers_.size());
}

CallError ReplicationPeers::CheckFile() const {
  if (damage_.ok()) return std::nullopt;
  return rpc::RemoteError(damage_);
}

CallError ReplicationPeers::Find(const std::string& id,
                                 pb::ReplicationPeerDescription* peer) const {
  if (CallError error = CheckFile(); error) return error;
  const auto found = peers_.find(id);
  if (found == peers_.end()) return rpc::RemoteError(kPeerNotFound, id);
  *peer = found->second;
  return std::nullopt;
}

CallError ReplicationPeers::Save(Peers peers) {
  pb::ReplicationPeersFile file;
  for (const auto& [id, peer] : peers) *file.add_peers() = peer;
  if (file.ByteSizeLong() > kFileBytesMax) {
    return RefuseChange(
        fmt::format("All replication peers together would take {} bytes, more than {}",
                    file.ByteSizeLong(), kFileBytesMax));
  }
  if (Status status = engine::WritePeers(env_, layout_, file); !status.ok()) {
    return rpc::RemoteError(status);
  }
  peers_ = std::move(peers);
  return std::nullopt;
}

CallError ReplicationPeers::Add(const pb::AddReplicationPeerRequest& request) {
  const std::string& id = request.peer_id();
  // HBase calls queues of a dead server's "PEER-SERVER".
  if (id.empty() || id.find_first_of("-/") != std::string::npos) {
    return RefuseChange("Found invalid peer name: " + id);
  }
  if (CallError error = CheckConfig(request.peer_config()); error) return error;
  MutexLock lock(&mu_);
  if (CallError error = CheckFile(); error) return error;
  if (peers_.contains(id)) return RefuseChange("Replication peer " + id + " already exists");
  Peers peers = peers_;
  pb::ReplicationPeerDescription& peer = peers[id];
  peer.set_id(id);
  peer.mutable_state()->set_state(request.peer_state().state());
  *peer.mutable_config() = request.peer_config();
  if (CallError error = Save(std::move(peers)); error) return error;
  LogWarning("the replication peer {} was added; this server sends nothing to it",
             ToStringBinary(id));
  return std::nullopt;
}

CallError ReplicationPeers::Remove(const std::string& id) {
  MutexLock lock(&mu_);
  pb::ReplicationPeerDescription peer;
  if (CallError error = Find(id, &peer); error) return error;
  Peers peers = peers_;
  peers.erase(id);
  return Save(std::move(peers));
}

CallError ReplicationPeers::SetState(const std::string& id, pb::ReplicationState::State state) {
  MutexLock lock(&mu_);
  pb::ReplicationPeerDescription peer;
  if (CallError error = Find(id, &peer); error) return error;
  if (peer.state().state() == state) {
    return RefuseChange(
        fmt::format("Replication peer {} has already been {}", id,
                    state == pb::ReplicationState::ENABLED ? "enabled" : "disabled"));
  }
  peer.mutable_state()->set_state(state);
  Peers peers = peers_;
  peers[id] = std::move(peer);
  return Save(std::move(peers));
}

CallError ReplicationPeers::Update(const pb::UpdateReplicationPeerConfigRequest& request) {
  if (CallError error = CheckConfig(request.peer_config()); error) return error;
  MutexLock lock(&mu_);
  const std::string& id = request.peer_id();
  pb::ReplicationPeerDescription peer;
  if (CallError error = Find(id, &peer); error) return error;
  const pb::ReplicationPeer& old = peer.config();
  pb::ReplicationPeer config = request.peer_config();
  if (config.clusterkey() != old.clusterkey()) {
    return RefuseChange(fmt::format(
        "Changing the cluster key on an existing peer is not allowed. Existing key '{}' for peer "
        "{} does not match new key '{}'",
        old.clusterkey(), id, config.clusterkey()));
  }
  if (config.replicationendpointimpl() != old.replicationendpointimpl()) {
    return RefuseChange(fmt::format(
        "Changing the replication endpoint implementation class on an existing peer is not "
        "allowed. Existing class '{}' for peer {} does not match new class '{}'",
        old.replicationendpointimpl(), id, config.replicationendpointimpl()));
  }
  KeepProperties(old, &config);
  *peer.mutable_config() = std::move(config);
  Peers peers = peers_;
  peers[id] = std::move(peer);
  return Save(std::move(peers));
}

CallError ReplicationPeers::Get(const std::string& id, pb::ReplicationPeerDescription* peer) const {
  MutexLock lock(&mu_);
  return Find(id, peer);
}

CallError ReplicationPeers::List(std::vector<pb::ReplicationPeerDescription>* peers) const {
  MutexLock lock(&mu_);
  if (CallError error = CheckFile(); error) return error;
  for (const auto& [id, peer] : peers_) peers->push_back(peer);
  return std::nullopt;
}

}  // namespace bennu::server::hbase
