// Where a new table is cut when only the number of its regions is said: HBase's RegionSplitter.
#ifndef BENNU_SRC_SHELL_SPLIT_POINTS_H_
#define BENNU_SRC_SHELL_SPLIT_POINTS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"

namespace bennu::shell {

// The first rows of all regions but the first. 'algorithm': HexStringSplit and DecimalStringSplit
// (8 digits), UniformSplit (8 bytes). InvalidArgument: another one, or fewer than two regions.
Result<std::vector<Bytes>> SplitPoints(std::string_view algorithm, int64_t region_count);

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_SPLIT_POINTS_H_
