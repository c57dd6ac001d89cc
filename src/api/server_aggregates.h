// What the servers of a remote store count and add up by themselves, where the rows are.
#ifndef BENNU_SRC_API_SERVER_AGGREGATES_H_
#define BENNU_SRC_API_SERVER_AGGREGATES_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "bennu/scan.h"
#include "bennu/status.h"

namespace bennu::api {

enum class ServerAggregate { kCount, kSum, kMin, kMax };

// Of two parts of the rows; nothing: there were no values.
inline std::optional<int64_t> Combined(ServerAggregate what, std::optional<int64_t> a,
                                       std::optional<int64_t> b) {
  if (!a.has_value() || !b.has_value()) return a.has_value() ? a : b;
  switch (what) {
    case ServerAggregate::kMin: return std::min(*a, *b);
    case ServerAggregate::kMax: return std::max(*a, *b);
    default: return static_cast<int64_t>(static_cast<uint64_t>(*a) + static_cast<uint64_t>(*b));
  }
}

// A Table whose servers may be able to. Thread-safe.
class ServerAggregates {
 public:
  virtual ~ServerAggregates() = default;

  // kCount: of the rows that have a cell of what the scan asks for. The others: of the values of
  // the one column that the scan asks for, each a number of eight bytes with its sign, the highest
  // byte first; none: there are no such values. Sums wrap around.
  // Each region is read as of its own moment. 'scan' has no navigator, and its columns, where it
  // has any, are of one family.
  // NotSupported: the servers do not do it, or not in the time that a call has.
  virtual Result<std::optional<int64_t>> Aggregate(ServerAggregate what, const Scan& scan) = 0;
};

}  // namespace bennu::api

#endif  // BENNU_SRC_API_SERVER_AGGREGATES_H_
