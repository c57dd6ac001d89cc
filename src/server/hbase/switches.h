// The switches of a master: clients set them and read them back. HBase has most of them in
// ZooKeeper, so that they outlive the master; those are kept in the store's directory here.
// Source: HBase 2.5's trackers (LoadBalancerTracker and its kin) and RpcThrottleStorage.
#ifndef BENNU_SRC_SERVER_HBASE_SWITCHES_H_
#define BENNU_SRC_SERVER_HBASE_SWITCHES_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <string>

#include "proto/switches_file.pb.h"
#include "src/base/env.h"
#include "src/base/mutex.h"
#include "src/engine/directory/root_layout.h"
#include "src/server/hbase/call.h"

namespace bennu::server::hbase {

enum class Switch {
  kBalancer,
  kNormalizer,
  kSplit,
  kMerge,
  kSnapshotCleanup,
  kRpcThrottle,
  kCatalogJanitor,  // not kept, as in HBase; nor the next
  kCleanerChore,
};
inline constexpr size_t kSwitchCount = 8;

// Thread-safe.
class Switches {
 public:
  // 'env' outlives it. All are on where the directory does not say otherwise. A damaged file fails
  // the calls that set a switch which is kept, not the server; all are on then.
  Switches(Env* env, const std::string& root);

  bool IsOn(Switch which) const { return Value(which).load(std::memory_order_relaxed); }
  // A switch that is kept is on the disk when this returns; after an error nothing has changed.
  // *previous may be null.
  CallError Set(Switch which, bool on, bool* previous);

 private:
  const std::atomic<bool>& Value(Switch which) const { return values_[static_cast<size_t>(which)]; }

  Env* const env_;
  const engine::RootLayout layout_;
  std::array<std::atomic<bool>, kSwitchCount> values_;
  Mutex mu_;  // held while the file is written
  Status damage_ GUARDED_BY(mu_);
  pb::SwitchesFile file_ GUARDED_BY(mu_);  // names that are not known here stay in it
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_SWITCHES_H_
