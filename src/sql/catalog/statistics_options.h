// Phoenix's properties of statistics, for a whole store.
#ifndef BENNU_SRC_SQL_CATALOG_STATISTICS_OPTIONS_H_
#define BENNU_SRC_SQL_CATALOG_STATISTICS_OPTIONS_H_

#include <cstdint>

namespace bennu::sql::catalog {

struct StatisticsOptions {
  // phoenix.stats.collection.enabled: otherwise neither major compactions nor UPDATE STATISTICS do.
  bool collect = true;
  // phoenix.stats.guidepost.width: bytes between guide posts, where the table has no
  // GUIDE_POSTS_WIDTH. 0: none are collected.
  int64_t guide_post_width = int64_t{300} << 20;
  // phoenix.stats.guidepost.per.region: so many in a region of the default size instead. 0: not
  // given.
  int64_t guide_posts_per_region = 0;
};

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_STATISTICS_OPTIONS_H_
