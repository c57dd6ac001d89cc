#include "src/server/hbase/nonces.h"

#include <algorithm>
#include <utility>

#include "src/server/net/clock.h"

namespace bennu::server::hbase {

Nonces::Turn Nonces::Shard::Begin(const NonceKey& key) {
  if (std::find(running.begin(), running.end(), key) != running.end()) return Turn::kRunning;
  if (recent.Contains(key) || older.Contains(key)) return Turn::kDone;
  running.push_back(key);
  return Turn::kFirst;
}

bool Nonces::Begin(uint64_t group, uint64_t nonce) {
  if (nonce == 0) return true;
  const NonceKey key(group, nonce);
  Shard& shard = ShardOf(key);
  MutexLock lock(&shard.mu);
  while (true) {
    const Turn turn = shard.Begin(key);
    if (turn != Turn::kRunning) return turn == Turn::kFirst;
    shard.ended.Wait(&shard.mu);
  }
}

Nonces::Turn Nonces::TryBegin(uint64_t group, uint64_t nonce) {
  if (nonce == 0) return Turn::kFirst;
  const NonceKey key(group, nonce);
  Shard& shard = ShardOf(key);
  MutexLock lock(&shard.mu);
  return shard.Begin(key);
}

void Nonces::End(uint64_t group, uint64_t nonce, bool done) {
  if (nonce == 0) return;
  const NonceKey key(group, nonce);
  const auto now = net::MonotonicNow();
  Shard& shard = ShardOf(key);
  MutexLock lock(&shard.mu);
  std::erase(shard.running, key);
  if (done) {
    if (now - shard.since > keep_) {
      shard.older = std::exchange(shard.recent, NonceSet());
      shard.since = now;
    }
    shard.recent.Insert(key);
  }
  shard.ended.SignalAll();
}

}  // namespace bennu::server::hbase
