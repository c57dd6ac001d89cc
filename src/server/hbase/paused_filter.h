// Lets a scan stop between two rows although its filter shows nothing, and go on there later.
#ifndef BENNU_SRC_SERVER_HBASE_PAUSED_FILTER_H_
#define BENNU_SRC_SERVER_HBASE_PAUSED_FILTER_H_

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "bennu/bytes.h"
#include "bennu/filter.h"

namespace bennu::server::hbase {

// What a scan's filter and the one who scans agree upon. One thread at a time.
//
// The scan gets Wrap() as its filter. When the time is over it ends as if the filter wanted nothing
// more; who scans sees stopped(), and opens a scanner at that row, with the same filter again: what
// the filter remembers (of a page, say) goes on.
class PausedFilter : public std::enable_shared_from_this<PausedFilter> {
 public:
  explicit PausedFilter(std::unique_ptr<Filter> filter) : filter_(std::move(filter)) {}

  std::shared_ptr<const Filter> Wrap();
  // From now on the scan stops when the time is over; unset: never. Some rows are looked at before
  // the clock is, so that each time gets on.
  void Arm(std::optional<std::chrono::nanoseconds> deadline) {
    deadline_ = deadline;
    rows_ = 0;
  }
  // The row that was to be looked at next.
  const std::optional<Bytes>& stopped() const { return stopped_; }
  void Continue() { stopped_.reset(); }

 private:
  class Wrapper;

  bool IsOver(ByteView row);

  const std::unique_ptr<Filter> filter_;
  std::optional<std::chrono::nanoseconds> deadline_;
  size_t rows_ = 0;  // since Arm
  std::optional<Bytes> stopped_;
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_PAUSED_FILTER_H_
