#include "src/client/cluster_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "src/api/property_values.h"
#include "src/base/env.h"
#include "src/base/site_file.h"
#include "src/base/status_macros.h"
#include "src/client/cluster_url.h"

namespace bennu::client {

namespace {

constexpr std::string_view kAuthentication = "hbase.security.authentication";
constexpr std::string_view kBootstrapServers = "hbase.client.bootstrap.servers";
constexpr std::string_view kClientPort = "hbase.zookeeper.property.clientPort";
constexpr std::string_view kMasters = "hbase.masters";
constexpr std::string_view kQuorum = "hbase.zookeeper.quorum";
constexpr std::string_view kRegistryImpl = "hbase.client.registry.impl";
constexpr std::string_view kSessionTimeout = "zookeeper.session.timeout";
constexpr std::string_view kZnodeParent = "zookeeper.znode.parent";
// Properties whose values name servers.
constexpr std::string_view kNaming[] = {kQuorum, kRegistryImpl, kBootstrapServers, kMasters};
// What else is read here, and not by SetOption.
constexpr std::string_view kReadHere[] = {kAuthentication, kClientPort, kSessionTimeout,
                                          kZnodeParent};

// HBase's defaults.
constexpr uint16_t kZooKeeperPort = 2181;
constexpr uint16_t kMasterPort = 16000;
constexpr char kDefaultQuorum[] = "127.0.0.1";

struct Setting {
  std::string value;
  std::string origin;  // for messages: "-D ", "the target's ", "FILE:LINE: "
  bool is_of_file = false;
};
using Settings = std::map<std::string, Setting>;

bool IsOneOf(std::string_view name, const auto& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// The configuration's file. Empty: there is none; 'why' says what was looked for.
std::string FileOf(const ClusterRequest& request, std::string* why) {
  if (!request.config_file.empty()) return request.config_file;
  const char* const folder = std::getenv("HBASE_CONF_DIR");
  if (folder == nullptr || *folder == '\0') {
    *why = "there is no --config, and HBASE_CONF_DIR is not set";
    return "";
  }
  const std::string path = JoinPath(folder, "hbase-site.xml");
  // What cannot be looked at counts as there: reading it tells why.
  if (const auto exists = Env::Default()->Exists(path); !exists.ok() || *exists) return path;
  *why = fmt::format("there is no --config, and no hbase-site.xml in HBASE_CONF_DIR, {}", folder);
  return "";
}

Result<Settings> Gather(const std::string& file, const ClusterUrl& url,
                        const ClusterRequest& request) {
  Settings settings;
  if (!file.empty()) {
    ASSIGN_OR_RETURN(const SiteProperties properties, ReadSiteFile(file));
    for (const auto& [name, property] : properties) {
      settings[name] = {property.value, fmt::format("{}:{}: ", file, property.line), true};
    }
  }
  for (const auto& [name, value] : url.properties) {
    settings[name] = {value, "the target's property ", false};
  }
  for (const auto& [name, value] : request.properties) settings[name] = {value, "-D ", false};
  return settings;
}

// Reads the settings that say which cluster is meant.
class ClusterFinder {
 public:
  ClusterFinder(const ClusterUrl& url, const Settings& settings, std::string no_file)
      : url_(url), settings_(settings), no_file_(std::move(no_file)) {}

  Status Find(ClientOptions* options) {
    RETURN_IF_ERROR(RefuseKerberos());
    RETURN_IF_ERROR(RefuseContradictions());
    ASSIGN_OR_RETURN(const RegistryKind kind, Kind());
    if (kind == RegistryKind::kRpc) {
      ASSIGN_OR_RETURN(options->registry, Nodes());
      return Status::Ok();
    }
    ASSIGN_OR_RETURN(options->zookeeper, Quorum());
    return Status::Ok();
  }

 private:
  const Setting* Get(std::string_view name) const {
    const auto found = settings_.find(std::string(name));
    return found == settings_.end() || found->second.value.empty() ? nullptr : &found->second;
  }

  static Status Refuse(const Setting& setting, std::string_view name, std::string_view problem) {
    return InvalidArgument(fmt::format("{}{}: {}", setting.origin, name, problem));
  }

  Status RefuseKerberos() const {
    const Setting* const asked = Get(kAuthentication);
    if (asked == nullptr || asked->value == "simple") return Status::Ok();
    return NotSupported(
        fmt::format("{}{} is '{}': Bennu's client has no Kerberos and no other authentication; "
                    "only clusters with 'simple' can be reached",
                    asked->origin, kAuthentication, asked->value));
  }

  // Two who name different clusters, each of them for this one run.
  Status RefuseContradictions() const {
    const auto refuse = [this](std::string_view name, const char* what) {
      const Setting* const said = Get(name);
      if (said == nullptr || said->is_of_file) return Status::Ok();
      return Refuse(*said, name,
                    fmt::format("the target has {} already; leave one of them out, or give "
                                "hbase: as the target",
                                what));
    };
    if (!url_.znode_parent.empty()) RETURN_IF_ERROR(refuse(kZnodeParent, "a znode"));
    if (url_.servers.empty()) return Status::Ok();
    for (const std::string_view name : kNaming) {
      RETURN_IF_ERROR(refuse(name, "servers"));
    }
    return Status::Ok();
  }

  Result<RegistryKind> Kind() const {
    if (url_.registry.has_value()) return *url_.registry;
    if (const Setting* const impl = Get(kRegistryImpl); impl != nullptr) {
      const std::string_view name =
          std::string_view(impl->value).substr(impl->value.rfind('.') + 1);
      if (name == "RpcConnectionRegistry" || name == "MasterRegistry") return RegistryKind::kRpc;
      if (name == "ZKConnectionRegistry") return RegistryKind::kZooKeeper;
      return Refuse(*impl, kRegistryImpl,
                    fmt::format("there is no registry '{}'; expected ZKConnectionRegistry, "
                                "RpcConnectionRegistry or MasterRegistry of "
                                "org.apache.hadoop.hbase.client",
                                impl->value));
    }
    // As in HBase 2, or if only masters are named, as in HBase 3.
    const bool names_nodes = Get(kBootstrapServers) != nullptr || Get(kMasters) != nullptr;
    return Get(kQuorum) == nullptr && names_nodes ? RegistryKind::kRpc : RegistryKind::kZooKeeper;
  }

  // Ports of those without one.
  static std::vector<Address> WithPort(std::vector<Address> servers, uint16_t port) {
    for (Address& server : servers) {
      if (server.port == 0) server.port = port;
    }
    return servers;
  }

  Result<std::vector<Address>> Nodes() const {
    if (!url_.servers.empty()) return WithPort(url_.servers, kMasterPort);
    const Setting* const impl = Get(kRegistryImpl);
    const bool masters_only = impl != nullptr && impl->value.ends_with("MasterRegistry");
    for (const std::string_view name : {kBootstrapServers, kMasters}) {
      const Setting* const named = Get(name);
      if (named == nullptr || (masters_only && name != kMasters)) continue;
      const auto servers = ParseHosts(named->value);
      if (!servers.ok()) return Refuse(*named, name, servers.status().message());
      return WithPort(*servers, kMasterPort);
    }
    return InvalidArgument(
        fmt::format("no servers are named: the target has none, and neither {} nor {} is set{}",
                    kBootstrapServers, kMasters, no_file_.empty() ? "" : " (" + no_file_ + ")"));
  }

  Result<ZooKeeperQuorum> Quorum() const {
    ZooKeeperQuorum quorum;
    uint16_t port = kZooKeeperPort;
    if (const Setting* const set = Get(kClientPort); set != nullptr) {
      const auto parsed = ParsePort(set->value);
      if (!parsed.ok()) return Refuse(*set, kClientPort, parsed.status().message());
      port = *parsed;
    }
    quorum.servers = url_.servers;
    if (quorum.servers.empty()) RETURN_IF_ERROR(ReadQuorum(&quorum));
    quorum.servers = WithPort(std::move(quorum.servers), port);
    if (const Setting* const set = Get(kSessionTimeout); set != nullptr) {
      const auto millis = api::IntegerValue(set->value, 1, api::kIntPropertyMax);
      if (!millis.ok()) return Refuse(*set, kSessionTimeout, millis.status().message());
      quorum.session_timeout = std::chrono::milliseconds(*millis);
    }
    if (!url_.znode_parent.empty()) {
      quorum.parent = url_.znode_parent;
    } else if (const Setting* const set = Get(kZnodeParent); set != nullptr) {
      const auto parent = ParseZnodePath(set->value);
      if (!parent.ok()) return Refuse(*set, kZnodeParent, parent.status().message());
      quorum.parent = *parent;
    }
    return quorum;
  }

  Status ReadQuorum(ZooKeeperQuorum* quorum) const {
    const Setting* const set = Get(kQuorum);
    if (set == nullptr) {
      if (!no_file_.empty()) {
        return InvalidArgument(fmt::format(
            "no servers are named: the target has none, and {}; name them as in hbase://HOST:2181",
            no_file_));
      }
      ASSIGN_OR_RETURN(quorum->servers, ParseHosts(kDefaultQuorum));
      return Status::Ok();
    }
    const std::string_view text = set->value;
    const size_t slash = text.find('/');
    const auto servers = ParseHosts(text.substr(0, slash));
    if (!servers.ok()) return Refuse(*set, kQuorum, servers.status().message());
    quorum->servers = *servers;
    if (slash == std::string_view::npos) return Status::Ok();
    const auto chroot = ParseZnodePath(text.substr(slash));
    if (!chroot.ok()) return Refuse(*set, kQuorum, chroot.status().message());
    if (*chroot != "/") quorum->chroot = *chroot;
    return Status::Ok();
  }

  const ClusterUrl& url_;
  const Settings& settings_;
  const std::string no_file_;  // empty: there is a file
};

}  // namespace

Result<ClientOptions> ReadClusterOptions(const ClusterRequest& request,
                                         std::map<std::string, std::string>* others) {
  ASSIGN_OR_RETURN(const ClusterUrl url, ParseClusterUrl(request.target));
  std::string no_file;
  const std::string file = FileOf(request, &no_file);
  ASSIGN_OR_RETURN(const Settings settings, Gather(file, url, request));
  ClientOptions options;
  RETURN_IF_ERROR(ClusterFinder(url, settings, no_file).Find(&options));
  for (const auto& [name, setting] : settings) {
    if (IsOneOf(name, kNaming) || IsOneOf(name, kReadHere)) continue;
    if (!IsOption(name) && (setting.is_of_file || others != nullptr)) {
      const bool wanted = !setting.is_of_file || name.starts_with("phoenix.");
      if (wanted && others != nullptr) (*others)[name] = setting.value;
      continue;
    }
    if (const Status set = SetOption(name, setting.value, &options); !set.ok()) {
      return Status(set.code(), setting.origin + set.message());
    }
  }
  return options;
}

}  // namespace bennu::client
