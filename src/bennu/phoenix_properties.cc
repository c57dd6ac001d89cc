#include "src/bennu/phoenix_properties.h"

#include <charconv>
#include <cstdint>
#include <limits>
#include <utility>

namespace bennu::front {

namespace {

constexpr char kQueryTimeout[] = "phoenix.query.timeoutMs";
constexpr char kMaxLookback[] = "phoenix.max.lookback.age.seconds";
constexpr char kMapNamespaces[] = "phoenix.schema.isNamespaceMappingEnabled";
constexpr char kMapSystemTables[] = "phoenix.schema.mapSystemTablesToNamespace";
constexpr char kCollectStats[] = "phoenix.stats.collection.enabled";
constexpr char kPostsPerRegion[] = "phoenix.stats.guidepost.per.region";
constexpr char kPostWidth[] = "phoenix.stats.guidepost.width";

constexpr char kRegionMax[] = "hbase.hregion.max.filesize";
constexpr char kFlushSize[] = "hbase.hregion.memstore.flush.size";
constexpr char kArchiveKeep[] = "hbase.master.hfilecleaner.ttl";
constexpr char kOldLogsKeep[] = "hbase.master.logcleaner.ttl";
constexpr char kLogsMax[] = "hbase.regionserver.maxlogs";

// A number of 'unit' that is not negative; 'missing' where there is none.
Result<int64_t> NumberOf(const Configuration& configuration, const char* name, int64_t missing,
                         std::string_view unit) {
  const auto found = configuration.find(name);
  if (found == configuration.end()) return missing;
  const std::string& text = found->second;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size() && number >= 0) return number;
  return InvalidArgument(std::string(name) + " is '" + text + "', not a number of " +
                         std::string(unit));
}

Result<bool> FlagOf(const Configuration& configuration, const char* name, bool missing) {
  const auto found = configuration.find(name);
  if (found == configuration.end()) return missing;
  if (found->second == "true") return true;
  if (found->second == "false") return false;
  return InvalidArgument(std::string(name) + " is '" + found->second + "', not true or false");
}

template <typename T>
Status Take(const Configuration& configuration, const char* name, int64_t min,
            std::string_view unit, T* option) {
  ASSIGN_OR_RETURN(const int64_t number,
                   NumberOf(configuration, name, static_cast<int64_t>(*option), unit));
  if (configuration.contains(name) && number < min) {
    return InvalidArgument(std::string(name) + " is less than " + std::to_string(min));
  }
  if (!std::in_range<T>(number)) {
    return InvalidArgument(std::string(name) + " is more than " +
                           std::to_string(std::numeric_limits<T>::max()));
  }
  *option = static_cast<T>(number);
  return Status::Ok();
}

}  // namespace

const std::vector<std::string_view>& PhoenixPropertyNames() {
  static const auto* const names = new std::vector<std::string_view>{
      kMaxLookback,  kQueryTimeout,   kMapNamespaces, kMapSystemTables,
      kCollectStats, kPostsPerRegion, kPostWidth};
  return *names;
}

const std::vector<std::string_view>& EnginePropertyNames() {
  static const auto* const names = new std::vector<std::string_view>{
      kRegionMax, kFlushSize, kArchiveKeep, kOldLogsKeep, kLogsMax};
  return *names;
}

const std::vector<std::string_view>& StatisticsPropertyNames() {
  static const auto* const names =
      new std::vector<std::string_view>{kCollectStats, kPostsPerRegion, kPostWidth};
  return *names;
}

Result<sql::session::SessionOptions> SessionOptionsOf(const Configuration& configuration) {
  sql::session::SessionOptions session;
  ASSIGN_OR_RETURN(
      session.query_timeout_millis,
      NumberOf(configuration, kQueryTimeout, sql::session::kQueryTimeoutMillis, "milliseconds"));
  ASSIGN_OR_RETURN(const int64_t lookback_seconds,
                   NumberOf(configuration, kMaxLookback, 0, "seconds"));
  if (lookback_seconds > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument(std::string(kMaxLookback) + " is more than 2147483647");
  }
  session.max_lookback_millis = lookback_seconds * 1000;
  return session;
}

Result<sql::catalog::StatisticsOptions> StatisticsOptionsOf(const Configuration& configuration) {
  sql::catalog::StatisticsOptions statistics;
  ASSIGN_OR_RETURN(statistics.collect, FlagOf(configuration, kCollectStats, statistics.collect));
  ASSIGN_OR_RETURN(statistics.guide_post_width,
                   NumberOf(configuration, kPostWidth, statistics.guide_post_width, "bytes"));
  ASSIGN_OR_RETURN(
      statistics.guide_posts_per_region,
      NumberOf(configuration, kPostsPerRegion, statistics.guide_posts_per_region, "guide posts"));
  return statistics;
}

Result<sql::catalog::Features> FeaturesOf(const Configuration& configuration) {
  sql::catalog::Features features;
  ASSIGN_OR_RETURN(features.map_namespaces,
                   FlagOf(configuration, kMapNamespaces, features.map_namespaces));
  ASSIGN_OR_RETURN(features.map_system_tables,
                   FlagOf(configuration, kMapSystemTables, features.map_system_tables));
  ASSIGN_OR_RETURN(features.statistics, StatisticsOptionsOf(configuration));
  return features;
}

Status ApplyEngineProperties(const Configuration& configuration, engine::EngineOptions* options) {
  RETURN_IF_ERROR(Take(configuration, kRegionMax, 1, "bytes", &options->region_max_bytes));
  RETURN_IF_ERROR(Take(configuration, kFlushSize, 1, "bytes", &options->memstore_flush_bytes));
  RETURN_IF_ERROR(
      Take(configuration, kArchiveKeep, 0, "milliseconds", &options->archive_keep_millis));
  RETURN_IF_ERROR(
      Take(configuration, kOldLogsKeep, 0, "milliseconds", &options->old_wal_keep_millis));
  return Take(configuration, kLogsMax, 1, "files", &options->wal_files_max);
}

}  // namespace bennu::front
