// Collects the guide posts of one family from cells in their order.
#ifndef BENNU_SRC_SQL_CATALOG_GUIDE_POST_COLLECTOR_H_
#define BENNU_SRC_SQL_CATALOG_GUIDE_POST_COLLECTOR_H_

#include <cstdint>

#include "bennu/scan.h"
#include "src/sql/catalog/statistics.h"

namespace bennu::sql::catalog {

// One thread.
class GuidePostCollector {
 public:
  // Bytes between guide posts; 0: there are none.
  explicit GuidePostCollector(int64_t width) : width_(width) {}

  // The cells that follow are of another row.
  void AddRow() { ++rows_; }
  void AddCell(const Cell& cell);
  // The next region begins.
  void Cut() {
    bytes_ = 0;
    rows_ = 0;
  }
  const GuidePosts& posts() const { return posts_; }

 private:
  const int64_t width_;
  int64_t bytes_ = 0;
  int64_t rows_ = 0;
  GuidePosts posts_;
};

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_GUIDE_POST_COLLECTOR_H_
