#include "src/engine/store/compaction_config.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <string_view>

namespace bennu::engine {

namespace {

constexpr int64_t kWeekMillis = 7ll * 24 * 3600 * 1000;

size_t Count(const api::StoreConfiguration& properties, const char* key, size_t missing,
             size_t min) {
  const int64_t value = properties.Integer(key, static_cast<int64_t>(missing));
  return std::max(min, value < 0 ? min : static_cast<size_t>(value));
}

uint64_t Size(const api::StoreConfiguration& properties, const char* key, uint64_t missing) {
  const int64_t value = properties.Integer(key, static_cast<int64_t>(missing));
  return value < 0 ? missing : static_cast<uint64_t>(value);
}

StoreEngine EngineOf(std::string_view name) {
  if (name == api::kDateTieredStoreEngine) return StoreEngine::kDateTiered;
  if (name == api::kStripeStoreEngine) return StoreEngine::kStripe;
  return StoreEngine::kDefault;
}

CompactionPolicy PolicyOf(std::string_view name) {
  if (name == api::kRatioCompactionPolicy) return CompactionPolicy::kRatio;
  if (name == api::kFifoCompactionPolicy) return CompactionPolicy::kFifo;
  return CompactionPolicy::kExploring;
}

DateTieredConfig DateTieredOf(const api::StoreConfiguration& properties) {
  DateTieredConfig config;
  const auto age = [&](const char* key, int64_t missing, int64_t min) {
    return std::max(min, properties.Integer(key, missing));
  };
  config.max_file_age_millis = age("hbase.hstore.compaction.date.tiered.max.storefile.age.millis",
                                   config.max_file_age_millis, 0);
  config.incoming_window_files_min =
      Count(properties, "hbase.hstore.compaction.date.tiered.incoming.window.min",
            config.incoming_window_files_min, 2);
  config.base_window_millis =
      age("hbase.hstore.compaction.date.tiered.base.window.millis", config.base_window_millis, 1);
  config.windows_per_tier =
      age("hbase.hstore.compaction.date.tiered.windows.per.tier", config.windows_per_tier, 1);
  config.max_tier_age_millis =
      age("hbase.hstore.compaction.date.tiered.max.tier.age.millis", config.max_tier_age_millis, 0);
  config.window_policy = PolicyOf(properties.Class(
      "hbase.hstore.compaction.date.tiered.window.policy.class", api::kExploringCompactionPolicy));
  config.single_output_for_minor =
      properties.Bool("hbase.hstore.compaction.date.tiered.single.output.for.minor.compaction",
                      config.single_output_for_minor);
  return config;
}

// A number below one means one divided by it, as in HBase.
double AtLeastOne(const api::StoreConfiguration& properties, const char* key, double missing) {
  constexpr double kNearZero = 0.001;
  const double value = properties.Real(key, missing);
  if (value < kNearZero) return missing;
  return value < 1 ? 1 / value : value;
}

StripeConfig StripeOf(const api::StoreConfiguration& properties, uint64_t memstore_flush_bytes) {
  StripeConfig config;
  config.flush_to_level0 =
      properties.Bool("hbase.store.stripe.compaction.flushToL0", config.flush_to_level0);
  config.level0_files_min =
      Count(properties, "hbase.store.stripe.compaction.minFilesL0", config.level0_files_min, 1);
  // Files that come from flushes into stripes are small: more of them are gathered first.
  const size_t files_min = std::max(Count(properties, "hbase.hstore.compaction.min", 0, 0),
                                    size_t{config.flush_to_level0 ? 3u : 4u});
  config.files_min = Count(properties, "hbase.store.stripe.compaction.minFiles", files_min, 2);
  config.files_max = Count(properties, "hbase.store.stripe.compaction.maxFiles",
                           Count(properties, "hbase.hstore.compaction.max", 10, 2), 2);
  config.initial_count = Count(properties, "hbase.store.stripe.initialStripeCount", 1, 1);
  config.split_parts = AtLeastOne(properties, "hbase.store.stripe.splitPartCount", 2);
  if (std::abs(config.split_parts - 1) < 0.001) config.split_parts = 2;
  config.region_split_imbalance_max =
      AtLeastOne(properties, "hbase.store.stripe.region.split.max.imbalance", 1.5);
  config.split_bytes = Size(
      properties, "hbase.store.stripe.sizeToSplit",
      static_cast<uint64_t>(static_cast<double>(memstore_flush_bytes * config.level0_files_min) *
                            4 * config.split_parts));
  return config;
}

}  // namespace

bool OffPeakHours::ContainsTime(int64_t millis) const {
  if (start < 0 || end < 0) return false;
  const std::time_t seconds = static_cast<std::time_t>(millis / 1000);
  std::tm local{};
  return localtime_r(&seconds, &local) != nullptr && Contains(local.tm_hour);
}

CompactionConfig CompactionConfig::Of(const api::StoreConfiguration& properties,
                                      uint64_t memstore_flush_bytes) {
  CompactionConfig config;
  config.engine = EngineOf(properties.Class(api::kStoreEngineKey, api::kDefaultStoreEngine));
  config.policy =
      PolicyOf(properties.Class(api::kCompactionPolicyKey, api::kExploringCompactionPolicy));
  config.files_min = Count(properties, "hbase.hstore.compaction.min",
                           Count(properties, "hbase.hstore.compactionThreshold", 3, 2), 2);
  config.files_max = Count(properties, "hbase.hstore.compaction.max", 10, 1);
  config.blocking_files = Count(properties, "hbase.hstore.blockingStoreFiles", 16, 1);
  config.always_below_bytes =
      Size(properties, "hbase.hstore.compaction.min.size", memstore_flush_bytes);
  config.max_bytes = Size(properties, "hbase.hstore.compaction.max.size", config.max_bytes);
  config.max_bytes_off_peak =
      Size(properties, "hbase.hstore.compaction.max.size.offpeak", config.max_bytes);
  config.ratio = properties.Real("hbase.hstore.compaction.ratio", config.ratio);
  config.ratio_off_peak =
      properties.Real("hbase.hstore.compaction.ratio.offpeak", config.ratio_off_peak);
  config.off_peak.start = static_cast<int>(properties.Integer("hbase.offpeak.start.hour", -1));
  config.off_peak.end = static_cast<int>(properties.Integer("hbase.offpeak.end.hour", -1));
  config.check_rounds = static_cast<uint64_t>(std::max<int64_t>(
      properties.Integer("hbase.server.compactchecker.interval.multiplier", 1000), 1));
  config.major_period_millis = properties.Integer("hbase.hregion.majorcompaction", kWeekMillis);
  config.major_off_peak_only =
      config.off_peak.is_set() && properties.Bool("bennu.compaction.major.offpeak.only", false);
  config.major_jitter =
      properties.Real("hbase.hregion.majorcompaction.jitter", config.major_jitter);
  config.date_tiered = DateTieredOf(properties);
  config.stripe = StripeOf(properties, memstore_flush_bytes);
  return config;
}

}  // namespace bennu::engine
