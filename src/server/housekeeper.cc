#include "src/server/housekeeper.h"

#include <pthread.h>

#include <chrono>
#include <utility>

#include "src/base/env.h"
#include "src/base/log.h"
#include "src/server/net/clock.h"

namespace bennu::server {

namespace {

constexpr std::chrono::seconds kLookPeriod{1};
// How long calls that run may take to end when a server stops.
constexpr std::chrono::seconds kCallsEnd{10};

}  // namespace

void Housekeeper::Start(std::function<void()> look) {
  thread_ = std::thread([this, look = std::move(look)] { Run(look); });
  pthread_setname_np(thread_.native_handle(), "housekeeper");
}

void Housekeeper::Stop() {
  {
    MutexLock lock(&mu_);
    stopping_ = true;
    wake_.SignalAll();
  }
  if (thread_.joinable()) thread_.join();
}

void Housekeeper::Run(const std::function<void()>& look) {
  MutexLock lock(&mu_);
  while (!stopping_) {
    wake_.WaitFor(&mu_, kLookPeriod);
    if (!stopping_) look();
  }
}

void AwaitCalls(const std::function<size_t()>& running) {
  const auto deadline = net::MonotonicNow() + kCallsEnd;
  while (running() > 0 && net::MonotonicNow() < deadline) {
    Env::Default()->SleepMicros(1000);
  }
  if (const size_t left = running(); left > 0) {
    LogWarning("stopping: {} calls have not ended within {} s", left, kCallsEnd.count());
  }
}

}  // namespace bennu::server
