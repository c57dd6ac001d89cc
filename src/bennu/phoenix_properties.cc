#include "src/bennu/phoenix_properties.h"

#include <charconv>
#include <cstdint>
#include <limits>

#include "src/base/status_macros.h"

namespace bennu::front {

namespace {

constexpr char kQueryTimeout[] = "phoenix.query.timeoutMs";
constexpr char kConsistency[] = "phoenix.connection.consistency";
constexpr char kMaxLookback[] = "phoenix.max.lookback.age.seconds";
constexpr char kMapNamespaces[] = "phoenix.schema.isNamespaceMappingEnabled";
constexpr char kMapSystemTables[] = "phoenix.schema.mapSystemTablesToNamespace";
constexpr char kCollectStats[] = "phoenix.stats.collection.enabled";
constexpr char kPostsPerRegion[] = "phoenix.stats.guidepost.per.region";
constexpr char kPostWidth[] = "phoenix.stats.guidepost.width";

Result<bool> FlagOf(const Configuration& configuration, const char* name, bool missing) {
  const auto found = configuration.find(name);
  if (found == configuration.end()) return missing;
  if (found->second == "true") return true;
  if (found->second == "false") return false;
  return InvalidArgument(std::string(name) + " is '" + found->second + "', not true or false");
}

}  // namespace

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

const std::vector<std::string_view>& PhoenixPropertyNames() {
  static const auto* const names = new std::vector<std::string_view>{
      kConsistency,     kMaxLookback,  kQueryTimeout,   kMapNamespaces,
      kMapSystemTables, kCollectStats, kPostsPerRegion, kPostWidth};
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
  if (const auto found = configuration.find(kConsistency); found != configuration.end()) {
    const auto consistency = sql::session::ConsistencyOf(found->second);
    if (!consistency.has_value()) {
      return InvalidArgument(std::string(kConsistency) + " is '" + found->second +
                             "', not strong or timeline");
    }
    session.consistency = *consistency;
  }
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

}  // namespace bennu::front
