// Operations that a client may send twice and that must count once.
// Source: HBase's ServerNonceManager.
#ifndef BENNU_SRC_SERVER_HBASE_NONCES_H_
#define BENNU_SRC_SERVER_HBASE_NONCES_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/mutex.h"
#include "src/server/hbase/nonce_set.h"

namespace bennu::server::hbase {

// Thread-safe.
class Nonces {
 public:
  // 'keep': how long a nonce is known at least; no longer than twice that. HBase's
  // hbase.server.hashNonce.gracePeriod.
  explicit Nonces(std::chrono::seconds keep = std::chrono::minutes(30)) : keep_(keep) {}

  // True: the caller is the first, runs the operation and calls End. False: it was done already.
  // Waits while another runs it. A nonce of 0 is none: always true.
  bool Begin(uint64_t group, uint64_t nonce);
  // The same for a caller that cannot wait.
  enum class Turn { kFirst, kDone, kRunning };
  Turn TryBegin(uint64_t group, uint64_t nonce);
  // 'done': it had its effect, and must not have it again.
  void End(uint64_t group, uint64_t nonce, bool done);

 private:
  // Threads seldom meet in one, and a set that grows is a small one.
  struct Shard {
    Mutex mu;
    CondVar ended;
    std::vector<NonceKey> running GUARDED_BY(mu);  // few
    // Those that were done since 'since', and those of the time before.
    NonceSet recent GUARDED_BY(mu);
    NonceSet older GUARDED_BY(mu);
    std::chrono::nanoseconds since GUARDED_BY(mu){0};

    Turn Begin(const NonceKey& key) REQUIRES(mu);
  };
  static constexpr size_t kShards = 64;

  Shard& ShardOf(const NonceKey& key) { return shards_[HashOf(key) % kShards]; }

  const std::chrono::seconds keep_;
  std::array<Shard, kShards> shards_;
};

// One operation's stay in a Nonces.
class NonceGuard {
 public:
  NonceGuard(Nonces* nonces, uint64_t group, uint64_t nonce)
      : nonces_(nonces), group_(group), nonce_(nonce), first_(nonces->Begin(group, nonce)) {}
  ~NonceGuard() {
    if (first_) nonces_->End(group_, nonce_, done_);
  }
  NonceGuard(const NonceGuard&) = delete;
  NonceGuard& operator=(const NonceGuard&) = delete;

  bool first() const { return first_; }
  void set_done() { done_ = true; }

 private:
  Nonces* const nonces_;
  const uint64_t group_;
  const uint64_t nonce_;
  const bool first_;
  bool done_ = false;
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_NONCES_H_
