// Lets a scan that shows nothing stop between two rows when the time of its call is over.
#ifndef BENNU_SRC_SERVER_HBASE_SCAN_DEADLINE_H_
#define BENNU_SRC_SERVER_HBASE_SCAN_DEADLINE_H_

#include <chrono>
#include <cstddef>
#include <optional>

#include "bennu/bytes.h"
#include "src/engine/store/scan_pause.h"

namespace bennu::server::hbase {

// One thread at a time.
class ScanDeadline final : public engine::ScanPause {
 public:
  // From now on the scan stops when the time is over; unset: never. It is asked some times before
  // the clock is looked at, so that each call gets on.
  void Arm(std::optional<std::chrono::nanoseconds> deadline) {
    deadline_ = deadline;
    asked_ = 0;
    stopped_.reset();
  }
  // The row that was to be looked at next when the time was over; unset: it is not.
  const std::optional<Bytes>& stopped() const { return stopped_; }
  void Continue() { stopped_.reset(); }

  bool IsDue(ByteView next_row) override;

 private:
  std::optional<std::chrono::nanoseconds> deadline_;
  size_t asked_ = 0;  // since Arm
  std::optional<Bytes> stopped_;
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_SCAN_DEADLINE_H_
