#include "src/server/zookeeper/znodes.h"

#include <google/protobuf/message_lite.h>

#include <ctime>
#include <functional>
#include <utility>

#include "proto/cluster_status.pb.h"
#include "proto/zookeeper.pb.h"
#include "src/base/coding.h"

namespace bennu::server::zookeeper {

namespace {

constexpr char kRoot[] = "/hbase";
constexpr char kTables[] = "/hbase/table";
constexpr char kNamespaces[] = "/hbase/namespace";
constexpr char kBalancer[] = "/hbase/balancer";

// HBase's own form: a mark, who wrote it, and the content.
Bytes Wrap(ByteView content) {
  constexpr ByteView kWriter = "bennu";
  Bytes data = "\xff";
  AppendBE32(&data, static_cast<uint32_t>(kWriter.size()));
  data.append(kWriter).append(content);
  return data;
}

Bytes WrapMessage(const google::protobuf::MessageLite& message) {
  return Wrap("PBUF" + message.SerializeAsString());
}

std::string StartDate(int64_t millis) {
  const std::time_t seconds = millis / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::strftime(text, sizeof(text), "%a %b %d %H:%M:%S UTC %Y", &parts);
  return text;
}

std::string Path(const char* parent, const std::string& name) {
  return std::string(parent) + "/" + name;
}

}  // namespace

Znodes::Znodes(const hbase::Identity& identity, Sources sources)
    : sources_(std::move(sources)), start_millis_(identity.start_code) {
  for (const char* const name :
       {"", "/rs", "/backup-masters", "/draining", "/table", "/namespace", "/online-snapshot",
        "/flush-table-proc", "/splitWAL", "/switch", "/master-maintenance"}) {
    nodes_[std::string(kRoot) + name] = Bytes();
  }
  nodes_["/"] = Bytes();
  nodes_["/zookeeper"] = Bytes();

  pb::Master master;
  identity.MasterToPb(master.mutable_master());
  master.set_rpc_version(0);
  nodes_[Path(kRoot, "master")] = WrapMessage(master);

  pb::MetaRegionServer meta;
  identity.RegionServerToPb(meta.mutable_server());
  meta.set_rpc_version(0);
  meta.set_state(pb::RegionState::OPEN);
  nodes_[Path(kRoot, "meta-region-server")] = WrapMessage(meta);

  pb::ClusterId id;
  id.set_cluster_id(identity.cluster_id);
  nodes_[Path(kRoot, "hbaseid")] = WrapMessage(id);

  pb::RegionServerInfo server;
  server.set_infoport(-1);
  hbase::VersionToPb(server.mutable_version_info());
  nodes_["/hbase/rs/" + identity.RegionServerName()] = WrapMessage(server);

  pb::ClusterUp up;
  up.set_start_date(StartDate(identity.start_code));
  nodes_[Path(kRoot, "running")] = WrapMessage(up);
}

bool Znodes::IsConstant(const std::string& path) const {
  const std::string parent = path.substr(0, path.rfind('/'));
  for (const char* const changing : {kTables, kNamespaces}) {
    if (path == changing || parent == changing) return false;
  }
  return path != kBalancer;
}

const std::map<std::string, bool>& ZnodesView::tables() {
  if (!tables_.has_value()) tables_ = znodes_->sources_.list_tables();
  return *tables_;
}

const std::vector<std::string>& ZnodesView::namespaces() {
  if (!namespaces_.has_value()) namespaces_ = znodes_->sources_.list_namespaces();
  return *namespaces_;
}

bool ZnodesView::is_balancer_on() {
  if (!is_balancer_on_.has_value()) is_balancer_on_ = znodes_->sources_.is_balancer_on();
  return *is_balancer_on_;
}

uint64_t ZnodesView::Fingerprint() {
  std::string all;
  for (const auto& [name, enabled] : tables()) all.append(name).append(enabled ? "+" : "-");
  for (const std::string& name : namespaces()) all.append(name).append("/");
  all.append(is_balancer_on() ? "+" : "-");
  return std::hash<std::string>()(all);
}

std::optional<Bytes> ZnodesView::Data(const std::string& path) {
  const auto& nodes = znodes_->nodes_;
  if (const auto found = nodes.find(path); found != nodes.end()) return found->second;
  if (path == kBalancer) {
    pb::LoadBalancerState balancer;
    balancer.set_balancer_on(is_balancer_on());
    return WrapMessage(balancer);
  }
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return std::nullopt;
  const std::string parent = path.substr(0, slash);
  const std::string name = path.substr(slash + 1);
  if (parent == kTables) {
    const auto table = tables().find(name);
    if (table == tables().end()) return std::nullopt;
    pb::DeprecatedTableState state;
    state.set_state(table->second ? pb::DeprecatedTableState::ENABLED
                                  : pb::DeprecatedTableState::DISABLED);
    return WrapMessage(state);
  }
  if (parent == kNamespaces) {
    for (const std::string& known : namespaces()) {
      if (known != name) continue;
      pb::NamespaceDescriptor descriptor;
      descriptor.set_name(name);
      return Wrap(descriptor.SerializeAsString());
    }
  }
  return std::nullopt;
}

std::optional<std::vector<std::string>> ZnodesView::Children(const std::string& path) {
  std::vector<std::string> children;
  if (path == kTables) {
    for (const auto& [name, enabled] : tables()) children.push_back(name);
    return children;
  }
  if (path == kNamespaces) return namespaces();
  if (!Data(path).has_value()) return std::nullopt;
  const std::string prefix = path == "/" ? path : path + "/";
  for (const auto& [known, data] : znodes_->nodes_) {
    if (known.size() > prefix.size() && known.starts_with(prefix) &&
        known.find('/', prefix.size()) == std::string::npos) {
      children.push_back(known.substr(prefix.size()));
    }
  }
  if (path == kRoot) children.push_back(std::string(kBalancer).substr(prefix.size()));
  return children;
}

}  // namespace bennu::server::zookeeper
