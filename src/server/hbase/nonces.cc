#include "src/server/hbase/nonces.h"
#include "src/server/net/clock.h"

namespace bennu::server::hbase {

bool Nonces::Begin(uint64_t group, uint64_t nonce) {
  if (nonce == 0) return true;
  const Key key(group, nonce);
  MutexLock lock(&mu_);
  while (true) {
    const auto [state, added] = states_.emplace(key, State::kRunning);
    if (added) return true;
    if (state->second == State::kDone) return false;
    ended_.Wait(&mu_);
  }
}

Nonces::Turn Nonces::TryBegin(uint64_t group, uint64_t nonce) {
  if (nonce == 0) return Turn::kFirst;
  MutexLock lock(&mu_);
  const auto [state, added] = states_.emplace(Key(group, nonce), State::kRunning);
  if (added) return Turn::kFirst;
  return state->second == State::kDone ? Turn::kDone : Turn::kRunning;
}

void Nonces::End(uint64_t group, uint64_t nonce, bool done) {
  if (nonce == 0) return;
  const Key key(group, nonce);
  const auto now = net::MonotonicNow();
  MutexLock lock(&mu_);
  if (done) {
    states_[key] = State::kDone;
    done_.emplace_back(now, key);
    ForgetOld(now);
  } else {
    states_.erase(key);
  }
  ended_.SignalAll();
}

void Nonces::ForgetOld(std::chrono::nanoseconds now) {
  while (!done_.empty() && now - done_.front().first > keep_) {
    states_.erase(done_.front().second);
    done_.pop_front();
  }
}

}  // namespace bennu::server::hbase
