#include "src/engine/store/compaction_throttle.h"

#include <algorithm>

namespace bennu::engine {

namespace {

// Sleeps are cut into pieces, so that a compaction that is cancelled ends soon.
constexpr uint64_t kSleepMicrosMax = 20'000;
constexpr uint64_t kNanosPerSecond = 1'000'000'000;

}  // namespace

ThrottleConfig ThrottleConfig::Of(const api::StoreConfiguration& properties) {
  ThrottleConfig config;
  const auto rate = [&](const char* key, uint64_t missing) {
    const int64_t value = properties.Integer(key, static_cast<int64_t>(missing));
    return value <= 0 ? missing : static_cast<uint64_t>(value);
  };
  config.lower_bytes_per_second =
      rate("hbase.hstore.compaction.throughput.lower.bound", config.lower_bytes_per_second);
  config.higher_bytes_per_second = std::max(
      config.lower_bytes_per_second,
      rate("hbase.hstore.compaction.throughput.higher.bound", config.higher_bytes_per_second));
  config.off_peak_bytes_per_second =
      rate("hbase.hstore.compaction.throughput.offpeak", config.off_peak_bytes_per_second);
  config.off_peak = CompactionConfig::Of(properties, 0).off_peak;
  return config;
}

uint64_t CompactionThrottle::BytesPerSecond() const {
  const double pressure = pressure_.load(std::memory_order_relaxed);
  if (pressure > 1) return 0;
  if (config_.off_peak.ContainsTime(env_->NowMillis())) {
    const uint64_t rate = config_.off_peak_bytes_per_second;
    return rate == std::numeric_limits<int64_t>::max() ? 0 : rate;
  }
  const double span =
      static_cast<double>(config_.higher_bytes_per_second - config_.lower_bytes_per_second);
  return config_.lower_bytes_per_second + static_cast<uint64_t>(span * std::max(0.0, pressure));
}

// Returns when the bytes are paid for.
uint64_t CompactionThrottle::Book(uint64_t bytes, uint64_t rate) {
  const double nanos =
      static_cast<double>(bytes) / static_cast<double>(rate) * static_cast<double>(kNanosPerSecond);
  const uint64_t now = env_->MonotonicNanos();
  MutexLock lock(&mu_);
  free_at_nanos_ = std::max(free_at_nanos_, now) + static_cast<uint64_t>(nanos);
  return free_at_nanos_;
}

void CompactionThrottle::Spend(uint64_t bytes, const std::atomic<bool>* cancelled) {
  const uint64_t rate = BytesPerSecond();
  if (bytes == 0 || rate == 0) return;
  const uint64_t until = Book(bytes, rate);
  while (cancelled == nullptr || !cancelled->load(std::memory_order_relaxed)) {
    const uint64_t now = env_->MonotonicNanos();
    if (now >= until || BytesPerSecond() == 0) return;
    env_->SleepMicros(std::min(kSleepMicrosMax, (until - now) / 1000 + 1));
  }
}

}  // namespace bennu::engine
