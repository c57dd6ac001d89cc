#include "src/server/hbase/throttle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bennu::server::hbase {

namespace {

// HBase's hbase.quota.read.capacity.unit and hbase.quota.write.capacity.unit.
constexpr uint64_t kUnitBytes = 1024;

uint64_t Units(uint64_t bytes) { return (bytes + kUnitBytes - 1) / kUnitBytes; }

enum class Counts { kAll, kWrites, kReads };

struct Kind {
  pb::ThrottleType type;
  Counts counts;  // a call that does none of these is not asked
  const char* refusal;
  uint64_t (*amount)(const Demand& demand);
  bool (pb::Throttle::*has)() const;
  const pb::TimedQuota& (pb::Throttle::*get)() const;
  pb::TimedQuota* (pb::Throttle::*mutable_get)();
  void (pb::Throttle::*clear)();
};

#define BENNU_THROTTLE_FIELD(name)                                               \
  &pb::Throttle::has_##name, &pb::Throttle::name, &pb::Throttle::mutable_##name, \
      &pb::Throttle::clear_##name

// In the order in which HBase looks at them.
constexpr Kind kAllKinds[] = {
    {pb::REQUEST_NUMBER, Counts::kAll, "number of requests exceeded",
     [](const Demand& d) { return d.reads + d.writes; }, BENNU_THROTTLE_FIELD(req_num)},
    {pb::REQUEST_SIZE, Counts::kAll, "request size limit exceeded",
     [](const Demand& d) { return d.read_bytes + d.write_bytes; }, BENNU_THROTTLE_FIELD(req_size)},
    {pb::REQUEST_CAPACITY_UNIT, Counts::kAll, "request capacity unit exceeded",
     [](const Demand& d) { return Units(d.read_bytes) + Units(d.write_bytes); },
     BENNU_THROTTLE_FIELD(req_capacity_unit)},
    {pb::WRITE_NUMBER, Counts::kWrites, "number of write requests exceeded",
     [](const Demand& d) { return d.writes; }, BENNU_THROTTLE_FIELD(write_num)},
    {pb::WRITE_SIZE, Counts::kWrites, "write size limit exceeded",
     [](const Demand& d) { return d.write_bytes; }, BENNU_THROTTLE_FIELD(write_size)},
    {pb::WRITE_CAPACITY_UNIT, Counts::kWrites, "write capacity unit exceeded",
     [](const Demand& d) { return Units(d.write_bytes); },
     BENNU_THROTTLE_FIELD(write_capacity_unit)},
    {pb::READ_NUMBER, Counts::kReads, "number of read requests exceeded",
     [](const Demand& d) { return d.reads; }, BENNU_THROTTLE_FIELD(read_num)},
    {pb::READ_SIZE, Counts::kReads, "read size limit exceeded",
     [](const Demand& d) { return d.read_bytes; }, BENNU_THROTTLE_FIELD(read_size)},
    {pb::READ_CAPACITY_UNIT, Counts::kReads, "read capacity unit exceeded",
     [](const Demand& d) { return Units(d.read_bytes); }, BENNU_THROTTLE_FIELD(read_capacity_unit)},
};
#undef BENNU_THROTTLE_FIELD

bool Concerns(Counts counts, const Demand& demand) {
  if (counts == Counts::kWrites) return demand.writes > 0;
  return counts == Counts::kAll || demand.reads > 0;
}

std::chrono::milliseconds UnitOf(pb::TimeUnit unit) {
  using std::chrono::hours;
  switch (unit) {
    case pb::NANOSECONDS:
    case pb::MICROSECONDS:
    case pb::MILLISECONDS: return std::chrono::milliseconds(1);
    case pb::SECONDS: return std::chrono::seconds(1);
    case pb::MINUTES: return std::chrono::minutes(1);
    case pb::HOURS: return hours(1);
    case pb::DAYS: return hours(24);
  }
  return std::chrono::seconds(1);
}

}  // namespace

bool RateLimiter::CanTake(uint64_t amount, std::chrono::nanoseconds now) {
  const std::chrono::duration<double, std::milli> passed = now - since_;
  available_ =
      std::min(limit_, available_ + limit_ * passed.count() / static_cast<double>(unit_.count()));
  since_ = now;
  return available_ >= static_cast<double>(amount);
}

void RateLimiter::Take(int64_t amount) {
  available_ = std::clamp(available_ - static_cast<double>(amount), 0.0, limit_);
}

std::chrono::milliseconds RateLimiter::Wait(uint64_t amount) const {
  const double missing = static_cast<double>(amount) - std::floor(available_);
  return std::chrono::milliseconds(
      static_cast<int64_t>(missing * static_cast<double>(unit_.count()) / limit_));
}

Throttle::Throttle(const pb::Throttle& limits, std::chrono::nanoseconds now) {
  static_assert(std::size(kAllKinds) == kKinds);
  for (size_t i = 0; i < kKinds; ++i) {
    if (!(limits.*kAllKinds[i].has)()) continue;
    const pb::TimedQuota& limit = (limits.*kAllKinds[i].get)();
    limiters_[i].emplace(std::max<uint64_t>(limit.soft_limit(), 1), UnitOf(limit.time_unit()), now);
  }
}

std::optional<std::string> Throttle::Refusal(const Demand& demand, std::chrono::nanoseconds now) {
  for (size_t i = 0; i < kKinds; ++i) {
    if (!limiters_[i] || !Concerns(kAllKinds[i].counts, demand)) continue;
    const uint64_t amount = kAllKinds[i].amount(demand);
    if (limiters_[i]->CanTake(amount, now)) continue;
    return fmt::format("{} - wait {}", kAllKinds[i].refusal, WaitText(limiters_[i]->Wait(amount)));
  }
  return std::nullopt;
}

void Throttle::Take(const Demand& demand) {
  for (size_t i = 0; i < kKinds; ++i) {
    if (limiters_[i]) limiters_[i]->Take(static_cast<int64_t>(kAllKinds[i].amount(demand)));
  }
}

void Throttle::Settle(const Demand& taken, const Demand& real) {
  for (size_t i = 0; i < kKinds; ++i) {
    if (!limiters_[i]) continue;
    limiters_[i]->Take(static_cast<int64_t>(kAllKinds[i].amount(real)) -
                       static_cast<int64_t>(kAllKinds[i].amount(taken)));
  }
}

std::string WaitText(std::chrono::milliseconds wait) {
  using std::chrono::duration_cast;
  const auto hours = duration_cast<std::chrono::hours>(wait);
  const auto minutes = duration_cast<std::chrono::minutes>(wait - hours);
  const auto seconds = duration_cast<std::chrono::seconds>(wait - hours - minutes);
  std::string text;
  if (hours.count() > 0)
    text += fmt::format("{}{}, ", hours.count(), hours.count() > 1 ? "hrs" : "hr");
  if (minutes.count() > 0) {
    text += fmt::format("{}{}, ", minutes.count(), minutes.count() > 1 ? "mins" : "min");
  }
  if (seconds.count() > 0) text += fmt::format("{}sec, ", seconds.count());
  return text + fmt::format("{}ms", (wait - hours - minutes - seconds).count());
}

bool SetLimit(pb::ThrottleType type, const pb::TimedQuota* limit, pb::Throttle* throttle) {
  for (const Kind& kind : kAllKinds) {
    if (kind.type != type) continue;
    if (limit == nullptr) {
      (throttle->*kind.clear)();
    } else {
      *(throttle->*kind.mutable_get)() = *limit;
    }
    return true;
  }
  return false;
}

}  // namespace bennu::server::hbase
