// CompactionConfig: what HBase's properties say of the compactions of one store, with HBase's
// defaults. Source: CompactionConfiguration, StripeStoreConfig, ExponentialCompactionWindowFactory
// and OffPeakHours of 2.5. docs/compaction.md lists the properties.
#ifndef BENNU_SRC_ENGINE_STORE_COMPACTION_CONFIG_H_
#define BENNU_SRC_ENGINE_STORE_COMPACTION_CONFIG_H_

#include <cstddef>
#include <cstdint>
#include <limits>

#include "src/api/store_configuration.h"

namespace bennu::engine {

enum class StoreEngine { kDefault, kDateTiered, kStripe };
enum class CompactionPolicy { kExploring, kRatio, kFifo };

// The hours of the day (of the machine's time zone) in which larger compactions are wanted.
struct OffPeakHours {
  int start = -1;  // both below zero: never
  int end = -1;    // exclusive; may be smaller than 'start', then it is of the next day

  bool is_set() const { return start >= 0 && end >= 0 && start != end; }
  bool Contains(int hour) const {
    if (!is_set()) return false;
    return start < end ? start <= hour && hour < end : hour < end || start <= hour;
  }
  // Of a time in milliseconds since 1970.
  bool ContainsTime(int64_t millis) const;
};

struct DateTieredConfig {
  int64_t max_file_age_millis = std::numeric_limits<int64_t>::max();
  size_t incoming_window_files_min = 6;
  int64_t base_window_millis = 6 * 3600 * 1000;
  int64_t windows_per_tier = 4;
  int64_t max_tier_age_millis = std::numeric_limits<int64_t>::max();
  CompactionPolicy window_policy = CompactionPolicy::kExploring;
  bool single_output_for_minor = true;
};

struct StripeConfig {
  bool flush_to_level0 = false;
  size_t level0_files_min = 4;
  size_t files_min = 4;
  size_t files_max = 10;
  size_t initial_count = 1;
  uint64_t split_bytes = 0;
  double split_parts = 2;
  double region_split_imbalance_max = 1.5;
};

struct CompactionConfig {
  StoreEngine engine = StoreEngine::kDefault;
  CompactionPolicy policy = CompactionPolicy::kExploring;
  size_t files_min = 3;
  size_t files_max = 10;
  // A store of so many files is slow to read: they are merged even when no run of them has the
  // right proportions.
  size_t blocking_files = 16;
  uint64_t always_below_bytes = 0;  // so much together is merged whatever the proportions
  uint64_t max_bytes = std::numeric_limits<int64_t>::max();
  uint64_t max_bytes_off_peak = std::numeric_limits<int64_t>::max();
  double ratio = 1.2;
  double ratio_off_peak = 5.0;
  OffPeakHours off_peak;
  int64_t major_period_millis = 0;   // 0: no major compaction by itself
  double major_jitter = 0.5;         // of the period, to either side
  bool major_off_peak_only = false;  // those that are due wait for the off-peak hours, if there are
  uint64_t check_rounds = 1000;      // of so many rounds over all regions one looks what is due
  DateTieredConfig date_tiered;
  StripeConfig stripe;

  // 'memstore_flush_bytes': of the table.
  static CompactionConfig Of(const api::StoreConfiguration& properties,
                             uint64_t memstore_flush_bytes);
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_COMPACTION_CONFIG_H_
