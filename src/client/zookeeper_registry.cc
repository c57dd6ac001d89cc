#include "src/client/zookeeper_registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/client/znode.h"

namespace bennu::client {

namespace {

constexpr char kIdNode[] = "hbaseid";
constexpr char kMasterNode[] = "master";
constexpr char kMetaNode[] = "meta-region-server";
// A server that lets sessions expire as soon as they begin is not asked for ever.
constexpr int kSessionsMax = 3;
constexpr size_t kNamesMax = 20;  // of znodes, in a message

constexpr char kExpectedPorts[] = "; expected the client ports of ZooKeeper, such as 2181";

bool IsUnanswered(const Status& status) {
  return status.code() == StatusCode::kIoError || status.code() == StatusCode::kTimedOut;
}

// So short that every server can be found to be silent before the time of one question is over.
std::chrono::milliseconds SessionTimeout(const ZooKeeperQuorum& quorum,
                                         std::chrono::milliseconds timeout) {
  const auto servers = static_cast<int64_t>(std::max<size_t>(quorum.servers.size(), 1));
  return std::max(std::min(quorum.session_timeout, timeout / servers),
                  std::chrono::milliseconds(1));
}

std::string NamesText(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  const size_t left_out = names.size() - std::min(names.size(), kNamesMax);
  names.resize(names.size() - left_out);
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (left_out > 0) text += fmt::format(" and {} more", left_out);
  return text;
}

}  // namespace

ZooKeeperRegistry::ZooKeeperRegistry(ZooKeeperQuorum quorum, std::chrono::milliseconds timeout)
    : quorum_(std::move(quorum)), timeout_(timeout) {}

ZooKeeperRegistry::~ZooKeeperRegistry() {
  std::thread closer;
  {
    MutexLock lock(&mu_);
    ending_ = true;
    changed_.SignalAll();
    closer = std::move(closer_);
  }
  if (closer.joinable()) closer.join();
}

Result<std::string> ZooKeeperRegistry::ClusterId() {
  ASSIGN_OR_RETURN(const Bytes data, Read(kIdNode, "the cluster has no id yet"));
  auto id = ClusterIdOfZnode(data);
  if (!id.ok()) return Annotate(kIdNode, id.status());
  return id;
}

Result<Address> ZooKeeperRegistry::ActiveMaster() {
  ASSIGN_OR_RETURN(const Bytes data,
                   Read(kMasterNode, "the cluster has no active master at the moment"));
  auto master = MasterOfZnode(data);
  if (!master.ok()) return Annotate(kMasterNode, master.status());
  return master;
}

Result<RegionLocation> ZooKeeperRegistry::MetaRegion() {
  ASSIGN_OR_RETURN(const Bytes data, Read(kMetaNode, "hbase:meta is on no server at the moment"));
  const auto server = MetaServerOfZnode(data);
  if (!server.ok()) return Annotate(kMetaNode, server.status());
  RegionLocation location;
  location.info.table = {"hbase", "meta"};
  location.info.region_id = 1;  // in every cluster
  location.name = location.info.RegionName();
  location.server = *server;
  return location;
}

bool ZooKeeperRegistry::has_session() {
  MutexLock lock(&mu_);
  return session_ != nullptr;
}

std::string ZooKeeperRegistry::PathOf(const char* name) const {
  return fmt::format("{}/{}", quorum_.parent == "/" ? "" : quorum_.parent, name);
}

std::string ZooKeeperRegistry::QuorumText() const {
  std::vector<std::string> texts;
  for (const Address& server : quorum_.servers) texts.push_back(server.ToString());
  return fmt::format("{}{}", fmt::join(texts, ","), quorum_.chroot);
}

Status ZooKeeperRegistry::Annotate(const char* name, const Status& status) const {
  return Status(status.code(), fmt::format("znode {} of ZooKeeper {}: {}", PathOf(name),
                                           QuorumText(), status.message()));
}

Result<ZooKeeperRegistry::SessionPtr> ZooKeeperRegistry::Begin() {
  MutexLock lock(&mu_);
  if (session_ == nullptr) {
    ASSIGN_OR_RETURN(session_, ZooKeeperSession::Open(quorum_.servers, quorum_.chroot,
                                                      SessionTimeout(quorum_, timeout_)));
    if (!closer_.joinable()) closer_ = std::thread([this] { CloseWhenIdle(); });
    changed_.SignalAll();
  }
  ++asking_;
  return session_;
}

void ZooKeeperRegistry::Finish(const SessionPtr& session, bool failed) {
  MutexLock lock(&mu_);
  --asking_;
  idle_until_.emplace(quorum_.keep_alive);
  if (failed && session_ == session) session_ = nullptr;  // ends with the last who asks over it
  changed_.SignalAll();
}

Status ZooKeeperRegistry::Ask(const Deadline& deadline,
                              const std::function<Status(ZooKeeperSession*)>& ask) {
  Status status;
  for (int sessions = 0; sessions < kSessionsMax; ++sessions) {
    auto session = Begin();
    if (!session.ok()) return session.status();
    status = ask(session->get());
    const bool ended = status.code() == StatusCode::kAborted;
    Finish(*session, ended || IsUnanswered(status));
    if (!ended || deadline.Left().count() == 0) return status;
  }
  return status;
}

Result<Bytes> ZooKeeperRegistry::Read(const char* name, const char* missing) {
  const Deadline deadline(timeout_);
  std::optional<Bytes> data;
  bool has_parent = true;
  std::optional<std::vector<std::string>> root;
  const Status asked = Ask(deadline, [&](ZooKeeperSession* session) -> Status {
    ASSIGN_OR_RETURN(data, session->Get(PathOf(name), deadline));
    if (data.has_value()) return Status::Ok();
    ASSIGN_OR_RETURN(const auto siblings, session->Children(quorum_.parent, deadline));
    has_parent = siblings.has_value();
    if (has_parent) return Status::Ok();
    ASSIGN_OR_RETURN(root, session->Children("/", deadline));
    return Status::Ok();
  });
  if (!asked.ok()) {
    return Status(asked.code(), fmt::format("ZooKeeper {}: {}{}", QuorumText(), asked.message(),
                                            IsUnanswered(asked) ? kExpectedPorts : ""));
  }
  if (!data.has_value()) return Explain(missing, has_parent, root);
  return *std::move(data);
}

Status ZooKeeperRegistry::Explain(const char* missing, bool has_parent,
                                  const std::optional<std::vector<std::string>>& root) const {
  if (has_parent) {
    return Status(StatusCode::kAborted, fmt::format("{} (ZooKeeper {}, znode {})", missing,
                                                    QuorumText(), quorum_.parent));
  }
  if (!root.has_value()) {
    return FailedPrecondition(
        fmt::format("ZooKeeper {}: there is no {}, which hbase.zookeeper.quorum names behind the "
                    "servers",
                    QuorumText(), quorum_.chroot));
  }
  return FailedPrecondition(fmt::format(
      "ZooKeeper {} has no znode {}: is zookeeper.znode.parent right? The children of / are {}",
      QuorumText(), quorum_.parent, NamesText(*root)));
}

void ZooKeeperRegistry::CloseWhenIdle() {
  SessionPtr idle;
  mu_.Lock();
  while (!ending_) {
    if (session_ == nullptr || asking_ > 0 || !idle_until_.has_value()) {
      changed_.Wait(&mu_);
      continue;
    }
    if (const auto left = idle_until_->Left(); left.count() > 0) {
      changed_.WaitFor(&mu_, left);
      continue;
    }
    idle = std::move(session_);
    session_ = nullptr;
    // Ending a session waits for the server.
    mu_.Unlock();
    idle.reset();
    mu_.Lock();
  }
  mu_.Unlock();
}

}  // namespace bennu::client
