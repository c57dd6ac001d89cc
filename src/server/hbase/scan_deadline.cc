#include "src/server/hbase/scan_deadline.h"

#include "src/server/net/clock.h"

namespace bennu::server::hbase {

namespace {

// Questions between two looks at the clock.
constexpr size_t kAskedPerLook = 16;

}  // namespace

bool ScanDeadline::IsDue(ByteView next_row) {
  if (++asked_ % kAskedPerLook != 0 || !deadline_.has_value()) return false;
  if (net::MonotonicNow() <= *deadline_) return false;
  stopped_.emplace(next_row);
  return true;
}

}  // namespace bennu::server::hbase
