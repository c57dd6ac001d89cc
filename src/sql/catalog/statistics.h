// Guide posts: keys at which a table can be cut into parts of about equal size, in SYSTEM.STATS.
//
// A guide post is a row at which GUIDE_POSTS_WIDTH bytes of a family have gone by since the last
// one. UPDATE STATISTICS and major compactions (compaction_statistics.h) collect them, EXPLAIN
// estimates by them and scans are cut at them. They say what was there when they were collected,
// not what is: nothing may depend on them but speed. Source: StatisticsWriter,
// DefaultStatisticsCollector and StatisticsUtil of Phoenix 5.3.
#ifndef BENNU_SRC_SQL_CATALOG_STATISTICS_H_
#define BENNU_SRC_SQL_CATALOG_STATISTICS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"
#include "src/sql/catalog/statistics_options.h"
#include "src/sql/catalog/table.h"

namespace bennu::sql::catalog {

struct GuidePost {
  Bytes key;
  int64_t bytes = 0;   // since the last one
  int64_t rows = 0;    // likewise
  int64_t millis = 0;  // when it was written
};

// Of one family, in key order. A single one with an empty key: the family is smaller than the
// width, which stands in 'bytes'.
using GuidePosts = std::vector<GuidePost>;

// How many bytes lie between guide posts that are to be collected. 0: none are collected.
struct GuidePostWidth {
  std::optional<int64_t> bytes;       // phoenix.stats.guidepost.width of the statement
  std::optional<int64_t> per_region;  // phoenix.stats.guidepost.per.region of the statement
};

// Of a table that says nothing.
int64_t DefaultGuidePostWidth(const StatisticsOptions& options);

// Collects anew.
Status UpdateStatistics(Connection* connection, const TableMeta& table, const GuidePostWidth& width,
                        const StatisticsOptions& options);

// Nothing collected: an empty list.
Result<GuidePosts> ReadGuidePosts(Connection* connection, const TableName& physical,
                                  const std::string& family);

// The guide posts of a table, read when they are first asked for. Thread-safe.
class LazyGuidePosts {
 public:
  // 'connection' must outlive this.
  LazyGuidePosts(Connection* connection, TableName physical, std::string family)
      : connection_(connection), physical_(std::move(physical)), family_(std::move(family)) {}

  Result<std::shared_ptr<const GuidePosts>> Get();

 private:
  Connection* const connection_;
  const TableName physical_;
  const std::string family_;
  Mutex mu_;
  std::shared_ptr<const GuidePosts> posts_ GUARDED_BY(mu_);
};

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_STATISTICS_H_
