// FileSelection: which files of a store a scan has to look into: not those that its time range, the
// family's time to live, its rows or the file's bloom filter rule out.
#ifndef BENNU_SRC_ENGINE_STORE_FILE_SELECTION_H_
#define BENNU_SRC_ENGINE_STORE_FILE_SELECTION_H_

#include <cstdint>

#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/engine/store/row_rules.h"
#include "src/engine/store/store_file.h"

namespace bennu::engine {

// From the first row to itself, inclusive.
bool IsSingleRow(const RowRange& range);

// For the length of a call: what it refers to must outlive it. Immutable.
struct FileSelection {
  const FamilyRules& family;
  const Scan& scan;
  const RowRange& range;  // of the scan, in this region
  const TimeRange& time_range;
  uint64_t read_point = 0;
  int64_t now_millis = 0;
  bool reading = true;  // false: a flush or compaction, which needs what no reader sees
  bool meta_order = false;

  // Counts the files that it rules out in *metrics. IoError, Corruption: the bloom filter cannot
  // be read.
  Result<bool> MayMatter(const StoreFile& file, Scanner::Metrics* metrics) const;

 private:
  bool Before(ByteView left, ByteView right) const;
  bool IsExpired(const hfile::Reader& reader) const;
  Result<bool> PassesBloom(const hfile::Reader& reader) const;
  Result<bool> PassesRowColBloom(const hfile::Reader& reader) const;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_FILE_SELECTION_H_
