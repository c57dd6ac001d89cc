// Guide posts of what a major compaction writes: of one family of one region.
// Source: UngroupedAggregateRegionObserver, StatisticsScanner and StatisticsWriter of Phoenix.
#ifndef BENNU_SRC_SQL_CATALOG_COMPACTION_STATISTICS_H_
#define BENNU_SRC_SQL_CATALOG_COMPACTION_STATISTICS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/catalog/guide_post_collector.h"
#include "src/sql/catalog/statistics_options.h"

namespace bennu::sql::catalog {

// One thread at a time.
class CompactionStatistics {
 public:
  // Null: nobody wants to know. The table is one of the system's, or none of Phoenix's, or nothing
  // is collected. 'connection' must outlive the result.
  static Result<std::unique_ptr<CompactionStatistics>> Begin(Connection* connection,
                                                             const StatisticsOptions& options,
                                                             const RegionInfo& region,
                                                             const std::string& family);

  GuidePostCollector* collector() { return &collector_; }
  // Puts what was collected into the place of what was known of this family and region.
  Status Write() const;

 private:
  CompactionStatistics(Connection* connection, const RegionInfo& region, const std::string& family,
                       int64_t width)
      : connection_(connection),
        region_(region),
        family_(family),
        width_(width),
        collector_(width) {}

  Connection* const connection_;
  const RegionInfo region_;
  const std::string family_;
  const int64_t width_;
  GuidePostCollector collector_;
};

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_COMPACTION_STATISTICS_H_
