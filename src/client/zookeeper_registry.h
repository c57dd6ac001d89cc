// The registry that HBase's master keeps in ZooKeeper.
// Source: hbase-zookeeper spec sections 2 and 3; ZKConnectionRegistry and ReadOnlyZKClient of
// HBase.
#ifndef BENNU_SRC_CLIENT_ZOOKEEPER_REGISTRY_H_
#define BENNU_SRC_CLIENT_ZOOKEEPER_REGISTRY_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bennu/bytes.h"
#include "src/base/mutex.h"
#include "src/client/deadline.h"
#include "src/client/options.h"
#include "src/client/registry.h"
#include "src/client/zookeeper_session.h"

namespace bennu::client {

// Thread-safe. The session is begun by the first question, shared by all, and ended by a thread of
// this when nobody has asked for ZooKeeperQuorum::keep_alive.
class ZooKeeperRegistry final : public Registry {
 public:
  // 'timeout': for a question with all that it takes, but for a look-up of names, which takes as
  // long as the system's resolver does.
  ZooKeeperRegistry(ZooKeeperQuorum quorum, std::chrono::milliseconds timeout);
  ~ZooKeeperRegistry() override;  // nobody may be asking

  // Also FailedPrecondition: there is no znode of a cluster at ZooKeeperQuorum::parent. Corruption:
  // a znode has something else than HBase writes.
  Result<std::string> ClusterId() override;
  Result<Address> ActiveMaster() override;
  Result<RegionLocation> MetaRegion() override;

  bool has_session();  // whether there is one at the moment

 private:
  using SessionPtr = std::shared_ptr<ZooKeeperSession>;

  // The session, for one question; Finish must follow.
  Result<SessionPtr> Begin();
  // 'failed': the next question needs another session.
  void Finish(const SessionPtr& session, bool failed);
  // Asks by 'ask', in another session if the first has expired.
  Status Ask(const Deadline& deadline, const std::function<Status(ZooKeeperSession*)>& ask);
  // The bytes of a znode of the cluster. Aborted, with 'missing': there is no such znode.
  Result<Bytes> Read(const char* name, const char* missing);
  // Why it may be missing; 'root' has the children of /, if parent itself is missing.
  Status Explain(const char* missing, bool has_parent,
                 const std::optional<std::vector<std::string>>& root) const;
  std::string PathOf(const char* name) const;
  std::string QuorumText() const;
  // Of what the znode has.
  Status Annotate(const char* name, const Status& status) const;
  void CloseWhenIdle();

  const ZooKeeperQuorum quorum_;
  const std::chrono::milliseconds timeout_;
  Mutex mu_;
  CondVar changed_;
  SessionPtr session_ GUARDED_BY(mu_);  // null: none
  size_t asking_ GUARDED_BY(mu_) = 0;
  std::optional<Deadline> idle_until_ GUARDED_BY(mu_);  // since the last question
  bool ending_ GUARDED_BY(mu_) = false;
  std::thread closer_ GUARDED_BY(mu_);  // runs from the first question on
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_ZOOKEEPER_REGISTRY_H_
