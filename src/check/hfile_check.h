// Everything that can be told of one HFile by looking at all of it: the checksum of each block, the
// structure of trailer, indexes, filters and file info, the order of the cells, and that what the
// file says of itself is true of its cells.
//
// Thread-safe (no state).
#ifndef BENNU_SRC_CHECK_HFILE_CHECK_H_
#define BENNU_SRC_CHECK_HFILE_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bennu/scan.h"
#include "src/base/env.h"

namespace bennu::check {

// What the place of a file asks of it.
struct HFileExpectations {
  Bytes family;                  // empty: any
  std::optional<RowRange> rows;  // of the region: start inclusive, stop exclusive, empty is open
};

struct Damage {
  std::optional<uint64_t> offset;  // in the file
  std::string what;                // without the file's name
  bool out_of_range = false;       // rows that are not the region's; the file itself is sound
  bool unsupported = false;        // of a kind that cannot be read here; it may well be sound
};

// Empty when nothing is wrong. After some 20 pieces of damage the rest is not looked for.
// 'bytes_read' (may be null) is added to as the check goes on.
std::vector<Damage> CheckHFile(Env* env, const std::string& path,
                               const HFileExpectations& expectations, uint64_t* bytes_read);

// Takes "HFile PATH at offset N: " off a message of the reader.
Damage DamageOf(const Status& status, const std::string& path);

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_HFILE_CHECK_H_
