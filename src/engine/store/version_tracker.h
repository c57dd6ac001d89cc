// VersionTracker: deletes and versions of a family with NEW_VERSION_BEHAVIOR, where the order of
// the writes counts beside their timestamps (HBase: NewVersionBehaviorTracker).
//
//   - a marker hides only what was written before it;
//   - a version that was pushed out by VERSIONS newer ones stays out, also when those are deleted
//     later.
//
// To tell whether a put was pushed out, puts are counted per era: the time between two markers, as
// far as the marker matters. DeleteFamily and DeleteColumn begin an Era; within it a marker of one
// version begins a Span. A put is counted in every span from its own write up to the marker that
// hides it; it is out once any of them already holds VERSIONS puts.
// One row of one family at a time; one thread.
#ifndef BENNU_SRC_ENGINE_STORE_VERSION_TRACKER_H_
#define BENNU_SRC_ENGINE_STORE_VERSION_TRACKER_H_

#include <cstdint>
#include <limits>
#include <map>
#include <set>

#include "bennu/cell.h"

namespace bennu::engine {

class VersionTracker {
 public:
  explicit VersionTracker(int32_t versions_max);

  // The cells that follow are of another column (also before the first).
  void NextColumn();
  // A delete marker that counts. Those of the family come before NextColumn of other columns.
  void AddMarker(const Cell& marker);
  // Whether the put is hidden, pushed out or a repeat of the put before it. To be asked once for
  // every put, in the order of the store.
  bool Hides(const Cell& put);

 private:
  static constexpr uint64_t kForever = std::numeric_limits<uint64_t>::max();

  // What was written up to a marker of all versions, and after the marker of that kind before it.
  struct Era {
    int64_t hidden_until = std::numeric_limits<int64_t>::min();  // by the marker that ends it
    std::map<int64_t, std::set<uint64_t>> version_markers;       // timestamp -> when written
    // End of the span (a marker of one version, or forever) -> the puts counted in it.
    std::map<uint64_t, std::set<uint64_t>> spans = {{kForever, {}}};
  };
  using Eras = std::map<uint64_t, Era>;  // by the sequence id of the marker that ends it

  static void AddVersionMarker(const Cell& marker, Eras* eras);
  // Counts the put in the spans up to 'until'; false when it was pushed out in one of them.
  bool CountIn(Era* era, uint64_t written, uint64_t until) const;

  const size_t versions_max_;
  Eras family_ = {{kForever, Era()}};
  Eras column_;  // begins as a copy of the family's
  bool has_last_put_ = false;
  int64_t last_put_timestamp_ = 0;
  uint64_t last_put_written_ = 0;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_VERSION_TRACKER_H_
