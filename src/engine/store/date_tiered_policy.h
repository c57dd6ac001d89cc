// Date-tiered compaction: files are merged within windows of time that grow with age, and cut at
// the windows' borders, so that reads of a time range and expiry touch few files. For tables that
// are written about in the order of their timestamps. Pure functions.
// Source: DateTieredCompactionPolicy and ExponentialCompactionWindowFactory of 2.5 (HBASE-15181).
#ifndef BENNU_SRC_ENGINE_STORE_DATE_TIERED_POLICY_H_
#define BENNU_SRC_ENGINE_STORE_DATE_TIERED_POLICY_H_

#include <cstdint>
#include <vector>

#include "src/engine/store/compaction_policy.h"

namespace bennu::engine {

// [start, start + width) in milliseconds. The newest window ('incoming') is as wide as the base;
// so are a tier's worth of windows before it, then wider ones by that factor, and so on; beyond the
// largest tier's age they grow no more.
class TimeWindow {
 public:
  static TimeWindow Incoming(const DateTieredConfig& config, int64_t now_millis);
  TimeWindow Earlier() const;

  int64_t start_millis() const { return position_ * width_; }
  int64_t end_millis() const { return start_millis() + width_; }
  // Below zero: the window lies before the time; 0: it holds it.
  int Compare(int64_t millis) const;

 private:
  TimeWindow(int64_t width, int64_t position, int64_t per_tier, int64_t cutoff)
      : width_(width), position_(position), per_tier_(per_tier), cutoff_(cutoff) {}

  int64_t width_;
  int64_t position_;  // counted in widths since 1970
  int64_t per_tier_;
  int64_t cutoff_;  // windows that would begin before it are not widened
};

// What to merge when nobody asked; no inputs when nothing is worth it.
CompactionRequest SelectDateTiered(const StoreView& view, const CompactionConfig& config,
                                   const CompactionMoment& moment);

// Every file, cut at all borders.
CompactionRequest SelectAllDateTiered(const StoreView& view, const CompactionConfig& config,
                                      int64_t now_millis);

// Where the windows from the files' oldest cell up to now begin, but the oldest window; ascending,
// with the smallest integer in front, as HBase has it.
std::vector<int64_t> WindowBorders(const StoreFiles& files, const DateTieredConfig& config,
                                   int64_t now_millis);

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_DATE_TIERED_POLICY_H_
