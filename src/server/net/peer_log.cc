#include "src/server/net/peer_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "src/base/log.h"
#include "src/base/mutex.h"
#include "src/server/net/clock.h"

namespace bennu::server::net {

namespace {

constexpr size_t kMessageMax = 400;

struct SharedBudget {
  Mutex mu;
  LineBudget budget GUARDED_BY(mu);
};

}  // namespace

std::optional<uint64_t> LineBudget::Take(std::chrono::nanoseconds now) {
  saved_ = std::min(kSavedMax, saved_ + (now - seen_));
  seen_ = now;
  if (saved_ < kCost) {
    ++left_out_;
    return std::nullopt;
  }
  saved_ -= kCost;
  return std::exchange(left_out_, 0);
}

void WarnOfPeer(std::string_view peer, std::string_view message) {
  static auto* const shared = new SharedBudget;  // outlives threads that log while the process ends
  std::optional<uint64_t> left_out;
  {
    MutexLock lock(&shared->mu);
    left_out = shared->budget.Take(MonotonicNow());
  }
  if (!left_out.has_value()) return;
  std::string line = fmt::format("connection from {}: {}{}", peer, message.substr(0, kMessageMax),
                                 message.size() > kMessageMax ? "…" : "");
  if (*left_out > 0) line += fmt::format(" ({} such lines before it were left out)", *left_out);
  LogWarning("{}", line);
}

}  // namespace bennu::server::net
