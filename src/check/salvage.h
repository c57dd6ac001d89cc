// Saves what is sound of damaged files.
//
// An HFile is read block by block without its indexes: what counts is that a block's checksum
// agrees. So even a file without trailer gives its cells back. A log is read entry by entry.
// One thread at a time per file.
#ifndef BENNU_SRC_CHECK_SALVAGE_H_
#define BENNU_SRC_CHECK_SALVAGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/base/env.h"

namespace bennu::check {

struct SalvageOptions {
  bool meta_order = false;       // the file is hbase:meta's
  uint64_t max_sequence_id = 0;  // when the file itself cannot tell any more
  std::optional<RowRange> rows;  // others are left out
};

struct Salvaged {
  uint64_t cells = 0;
  bool has_file = false;          // false: nothing was sound, and no file was made
  std::vector<std::string> lost;  // in words, by row range
};

// Writes the sound cells of 'from' to 'to', which must not exist, synced.
Result<Salvaged> SalvageHFile(Env* env, const std::string& from, const std::string& to,
                              const SalvageOptions& options);

// Whether the HFile has a data block whose checksum agrees and that can be read here, whatever its
// trailer says of its compression.
Result<bool> HasReadableBlock(Env* env, const std::string& path);

struct SalvagedLog {
  uint64_t entries = 0;
  uint64_t skipped_bytes = 0;
};

// The same for a write-ahead log.
Result<SalvagedLog> SalvageLog(Env* env, const std::string& from, const std::string& to);

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_SALVAGE_H_
