#include "src/server/zookeeper/znodes.h"

#include <google/protobuf/message_lite.h>

#include <ctime>

#include "proto/cluster_status.pb.h"
#include "proto/zookeeper.pb.h"
#include "src/base/coding.h"

namespace bennu::server::zookeeper {

namespace {

constexpr char kRoot[] = "/hbase";
constexpr char kTables[] = "/hbase/table";
constexpr char kNamespaces[] = "/hbase/namespace";

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

Znodes::Znodes(const hbase::Identity& identity, Sources sources) : sources_(std::move(sources)) {
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

  pb::LoadBalancerState balancer;
  balancer.set_balancer_on(true);
  nodes_[Path(kRoot, "balancer")] = WrapMessage(balancer);
}

std::optional<Bytes> Znodes::Data(const std::string& path) const {
  if (const auto found = nodes_.find(path); found != nodes_.end()) return found->second;
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return std::nullopt;
  const std::string parent = path.substr(0, slash);
  const std::string name = path.substr(slash + 1);
  if (parent == kTables) {
    const auto tables = sources_.list_tables();
    const auto table = tables.find(name);
    if (table == tables.end()) return std::nullopt;
    pb::DeprecatedTableState state;
    state.set_state(table->second ? pb::DeprecatedTableState::ENABLED
                                  : pb::DeprecatedTableState::DISABLED);
    return WrapMessage(state);
  }
  if (parent == kNamespaces) {
    for (const std::string& known : sources_.list_namespaces()) {
      if (known != name) continue;
      pb::NamespaceDescriptor descriptor;
      descriptor.set_name(name);
      return Wrap(descriptor.SerializeAsString());
    }
  }
  return std::nullopt;
}

std::optional<std::vector<std::string>> Znodes::Children(const std::string& path) const {
  std::vector<std::string> children;
  if (path == kTables) {
    for (const auto& [name, enabled] : sources_.list_tables()) children.push_back(name);
    return children;
  }
  if (path == kNamespaces) return sources_.list_namespaces();
  if (!Data(path).has_value()) return std::nullopt;
  const std::string prefix = path == "/" ? path : path + "/";
  for (const auto& [known, data] : nodes_) {
    if (known.size() > prefix.size() && known.starts_with(prefix) &&
        known.find('/', prefix.size()) == std::string::npos) {
      children.push_back(known.substr(prefix.size()));
    }
  }
  return children;
}

}  // namespace bennu::server::zookeeper
