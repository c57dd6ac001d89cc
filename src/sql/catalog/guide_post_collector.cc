#include "src/sql/catalog/guide_post_collector.h"

namespace bennu::sql::catalog {
namespace {

// Bytes of the cell as HBase's KeyValue has them.
int64_t KeyValueSize(const Cell& cell) {
  constexpr int64_t kLengths = 4 + 4 + 2 + 1;
  constexpr int64_t kTimestampAndType = 8 + 1;
  return kLengths + kTimestampAndType +
         static_cast<int64_t>(cell.row().size() + cell.family().size() + cell.qualifier().size() +
                              cell.value_length);
}

}  // namespace

void GuidePostCollector::AddCell(const Cell& cell) {
  if (width_ <= 0) return;
  bytes_ += KeyValueSize(cell);
  if (bytes_ < width_ || (!posts_.empty() && posts_.back().key == cell.row())) return;
  posts_.push_back({Bytes(cell.row()), bytes_, rows_, 0});
  bytes_ = 0;
  rows_ = 0;
}

}  // namespace bennu::sql::catalog
