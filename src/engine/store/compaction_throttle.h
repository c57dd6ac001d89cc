// CompactionThrottle: how many bytes a second the compactions of all stores together write when
// nobody waits for them. The limit rises from the lower to the higher bound with the pressure, as
// stores gather files; a store with too many of them makes it go away, and so may the off-peak
// hours. Thread-safe. Source: PressureAwareCompactionThroughputController of 2.5.
#ifndef BENNU_SRC_ENGINE_STORE_COMPACTION_THROTTLE_H_
#define BENNU_SRC_ENGINE_STORE_COMPACTION_THROTTLE_H_

#include <atomic>
#include <cstdint>
#include <limits>

#include "src/api/store_configuration.h"
#include "src/base/env.h"
#include "src/base/mutex.h"
#include "src/engine/store/compaction_config.h"

namespace bennu::engine {

struct ThrottleConfig {
  uint64_t lower_bytes_per_second = 50ull << 20;
  uint64_t higher_bytes_per_second = 100ull << 20;
  uint64_t off_peak_bytes_per_second = std::numeric_limits<int64_t>::max();
  OffPeakHours off_peak;

  // hbase.hstore.compaction.throughput.{lower,higher}.bound and .offpeak.
  static ThrottleConfig Of(const api::StoreConfiguration& properties);
};

class CompactionThrottle {
 public:
  // 'env' must outlive it.
  CompactionThrottle(Env* env, const ThrottleConfig& config) : env_(env), config_(config) {}

  // The greatest of all stores (CompactionPressure).
  void SetPressure(double pressure) { pressure_.store(pressure, std::memory_order_relaxed); }
  // As of now; 0: no limit.
  uint64_t BytesPerSecond() const;
  // After 'bytes' were written: returns when their time is over, or when '*cancelled'.
  void Spend(uint64_t bytes, const std::atomic<bool>* cancelled);

 private:
  uint64_t Book(uint64_t bytes, uint64_t rate) EXCLUDES(mu_);

  Env* const env_;
  const ThrottleConfig config_;
  std::atomic<double> pressure_{0};  // written by the background, read by compactions; a hint
  Mutex mu_;
  uint64_t free_at_nanos_ GUARDED_BY(mu_) = 0;  // when all that was spent is paid for
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_COMPACTION_THROTTLE_H_
