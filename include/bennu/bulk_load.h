// What Admin's bulk load, export and import take and return (docs/bulk-load.md).
#ifndef BENNU_BULK_LOAD_H_
#define BENNU_BULK_LOAD_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "bennu/descriptor.h"
#include "bennu/scan.h"

namespace bennu {

// How far a load has come. Files are read and checked first, then loaded region by region.
struct BulkLoadProgress {
  uint64_t files = 0;  // of the folder
  uint64_t files_checked = 0;
  uint64_t regions = 0;  // that get files; known once the files are checked
  uint64_t regions_loaded = 0;
  uint64_t bytes_written = 0;  // copied, or written anew because a file crossed a region's border
};

// How Admin::BulkLoad takes files in.
struct BulkLoadOptions {
  // False: a file is moved into the store if it is on the same file system, may be written and the
  // folder's path is absolute. Other files, and files that cross a region's border, are copied and
  // stay where they are.
  bool copy = true;
  // Called now and then from the threads of the load, one at a time.
  std::function<void(const BulkLoadProgress&)> progress;
};

// What a load took in.
struct BulkLoadResult {
  uint64_t files = 0;  // of the folder, without those that have no cells
  uint64_t cells = 0;
  uint64_t bytes = 0;        // of those files
  uint64_t regions = 0;      // that got files
  uint64_t split_files = 0;  // that crossed a region's border
};

// What Admin::ExportTable writes, and how.
struct ExportOptions {
  RowRange rows;
  TimeRange time_range;
  int32_t max_versions = std::numeric_limits<int32_t>::max();  // capped by each family's VERSIONS
  bool raw = false;  // every version that is there, deleted ones too, and the delete markers
  // A file ends at the first row after it has so many bytes.
  uint64_t file_bytes_max = 1ull << 30;
  std::function<void(uint64_t cells, uint64_t bytes)> progress;  // called now and then
};

// What an export wrote.
struct ExportResult {
  uint64_t files = 0;
  uint64_t cells = 0;
  uint64_t bytes = 0;
};

// How Admin::ImportTable takes a folder in.
struct ImportOptions {
  std::optional<TableName> table;  // nothing: as the folder's .tabledesc says
  BulkLoadOptions load;
};

}  // namespace bennu

#endif  // BENNU_BULK_LOAD_H_
