#include "src/engine/region/write_pressure.h"

#include <algorithm>

namespace bennu::engine {

double WritePressure::Share(int64_t now, const Requests& all, int64_t window) {
  const uint64_t writes = all.writes - at_mark_.writes;
  const uint64_t held_up = all.held_up - at_mark_.held_up;
  const double share =
      static_cast<double>(held_up) / static_cast<double>(std::max<uint64_t>(writes, 1));
  const int64_t passed = now - mark_;
  if (passed >= window) {
    last_share_ = share;
    mark_ = now;
    at_mark_ = all;
    return share;
  }
  if (Age(now) < window) return 0;
  const double weight = static_cast<double>(passed) / static_cast<double>(window);
  return (1 - weight) * last_share_ + weight * share;
}

}  // namespace bennu::engine
