// What throttle quotas let through: requests, bytes and capacity units in a unit of time.
// Source: HBase's TimeBasedLimiter and AverageIntervalRateLimiter.
#ifndef BENNU_SRC_SERVER_HBASE_THROTTLE_H_
#define BENNU_SRC_SERVER_HBASE_THROTTLE_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "proto/quota.pb.h"

namespace bennu::server::hbase {

// Lets 'limit' through in each 'unit', growing again evenly. One thread at a time.
class RateLimiter {
 public:
  // 'limit' is at least 1.
  RateLimiter(uint64_t limit, std::chrono::milliseconds unit, std::chrono::nanoseconds now)
      : limit_(static_cast<double>(limit)), unit_(unit), available_(limit_), since_(now) {}

  bool CanTake(uint64_t amount, std::chrono::nanoseconds now);
  // More than there is leaves nothing; a negative amount is given back.
  void Take(int64_t amount);
  // How long until CanTake(amount), of which less than that is there.
  std::chrono::milliseconds Wait(uint64_t amount) const;

 private:
  double limit_;
  std::chrono::milliseconds unit_;
  double available_;
  std::chrono::nanoseconds since_;  // of available_
};

// What one call wants, in all or as an estimate.
struct Demand {
  uint64_t reads = 0;
  uint64_t writes = 0;
  uint64_t read_bytes = 0;
  uint64_t write_bytes = 0;
};

// The limits of one Throttle message. One thread at a time.
class Throttle {
 public:
  Throttle(const pb::Throttle& limits, std::chrono::nanoseconds now);

  // The message of HBase's RpcThrottlingException; clients read from it how long to wait. Unset:
  // all of it may pass.
  std::optional<std::string> Refusal(const Demand& demand, std::chrono::nanoseconds now);
  void Take(const Demand& demand);
  // Of a call that is done: its bytes were estimates.
  void Settle(const Demand& taken, const Demand& real);

 private:
  static constexpr size_t kKinds = 9;
  std::array<std::optional<RateLimiter>, kKinds> limiters_;
};

// "1min, 2sec, 30ms", as clients read it.
std::string WaitText(std::chrono::milliseconds wait);
// Sets the limit of one kind, or takes it away. False: HBase 2.5 has no such kind.
bool SetLimit(pb::ThrottleType type, const pb::TimedQuota* limit, pb::Throttle* throttle);

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_THROTTLE_H_
