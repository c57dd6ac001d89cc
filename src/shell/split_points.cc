#include "src/shell/split_points.h"

#include <fmt/format.h>

#include "src/base/coding.h"

namespace bennu::shell {

namespace {

// Beyond this a table would take minutes to make, and the process its file handles.
constexpr int64_t kRegionsMax = 100'000;

constexpr uint64_t kDecimalLast = 99'999'999;
constexpr uint64_t kHexLast = 0xffff'ffff;

// The i-th of 'count' parts of the numbers from 0 to 'last'.
uint64_t Part(uint64_t last, int64_t i, int64_t count) {
  __extension__ using Wide = unsigned __int128;  // the product is beyond 64 bits
  const Wide range = Wide{last} + 1;
  return static_cast<uint64_t>(range / static_cast<Wide>(count) * static_cast<Wide>(i));
}

}  // namespace

Result<std::vector<Bytes>> SplitPoints(std::string_view algorithm, int64_t region_count) {
  if (region_count < 2) return InvalidArgument("Number of regions must be greater than 1");
  if (region_count > kRegionsMax) {
    return InvalidArgument(fmt::format("at most {} regions are possible", kRegionsMax));
  }
  std::vector<Bytes> points;
  for (int64_t i = 1; i < region_count; ++i) {
    if (algorithm == "HexStringSplit") {
      points.push_back(fmt::format("{:08x}", Part(kHexLast, i, region_count)));
    } else if (algorithm == "DecimalStringSplit") {
      points.push_back(fmt::format("{:08}", Part(kDecimalLast, i, region_count)));
    } else if (algorithm == "UniformSplit") {
      Bytes point;
      AppendBE64(&point, Part(~uint64_t{0}, i, region_count));
      points.push_back(std::move(point));
    } else {
      return InvalidArgument(fmt::format(
          "no SPLITALGO '{}'; there are HexStringSplit, DecimalStringSplit and UniformSplit",
          algorithm));
    }
  }
  return points;
}

}  // namespace bennu::shell
