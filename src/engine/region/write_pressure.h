// How often writers of a region meet full memstores: what HBase's BusyRegionSplitPolicy goes by.
//
//   share of writes that were held up = (those since the mark) / (writes since the mark)
//
// A window after the mark the share becomes the last window's and the mark moves. Before that the
// two windows are weighed by how much of the present one has passed; in a region's first window the
// share is 0. Values; one thread at a time.
// Source: BusyRegionSplitPolicy of HBase 2.6.
#ifndef BENNU_SRC_ENGINE_REGION_WRITE_PRESSURE_H_
#define BENNU_SRC_ENGINE_REGION_WRITE_PRESSURE_H_

#include <cstdint>

namespace bennu::engine {

class WritePressure {
 public:
  struct Requests {
    uint64_t writes = 0;
    uint64_t held_up = 0;
  };

  // Times in milliseconds, of one clock. 'now': the region was opened.
  explicit WritePressure(int64_t now) : opened_(now), mark_(now) {}

  // 'all': since the opening. 'window' > 0.
  double Share(int64_t now, const Requests& all, int64_t window);
  int64_t Age(int64_t now) const { return now - opened_; }

 private:
  const int64_t opened_;
  int64_t mark_;
  Requests at_mark_;
  double last_share_ = 0;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_WRITE_PRESSURE_H_
