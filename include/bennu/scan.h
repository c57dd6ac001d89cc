// What to read: Scan and Get; and what comes back: batches of pinned cells.
// Source: HBase's Scan and Get; hbase-cell spec section 6 for the rules of visibility.
#ifndef BENNU_SCAN_H_
#define BENNU_SCAN_H_

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/status.h"

namespace bennu {

// Timestamps in [min, max), milliseconds. A time range also prunes whole files.
struct TimeRange {
  int64_t min = 0;
  int64_t max = std::numeric_limits<int64_t>::max();

  bool all() const { return min == 0 && max == std::numeric_limits<int64_t>::max(); }
  bool Contains(int64_t timestamp) const {
    return timestamp >= min && (timestamp < max || max == std::numeric_limits<int64_t>::max());
  }
  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

// Rows from 'start' to 'stop'; an empty bound is open.
struct RowRange {
  Bytes start;
  bool start_inclusive = true;
  Bytes stop;
  bool stop_inclusive = false;

  friend bool operator==(const RowRange&, const RowRange&) = default;
};

// Chooses rows by their keys and tells the scanner where to jump (HBase: a filter with seek hints,
// Phoenix: SkipScanFilter). Called once per row, never per cell; for forward scans only.
class RowNavigator {
 public:
  enum class Decision {
    kInclude,  // the row is wanted
    kSeek,     // go on at *seek_row, which must sort after 'row'
    kDone,     // no later row is wanted
  };
  virtual ~RowNavigator() = default;
  // 'row' is valid during the call. Sets *seek_row for kSeek.
  virtual Decision Navigate(ByteView row, Bytes* seek_row) = 0;
  // A fresh navigator for a scanner on another thread.
  virtual std::unique_ptr<RowNavigator> Clone() const = 0;
};

// A moment of the whole store: what was acknowledged when it was taken, and nothing later. Keeps
// versions that its readers may need from being compacted away; drop it soon. Thread-safe.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
};

struct Scan {
  RowRange range;
  TimeRange time_range;
  // Families to read, each with its qualifiers (empty set: all of the family). Empty: everything.
  std::map<Bytes, std::set<Bytes>> columns;
  int32_t max_versions = 1;  // capped by each family's VERSIONS
  bool reversed = false;     // range.start is then the greatest row
  bool raw = false;          // also deleted cells and the delete markers themselves
  bool cache_blocks = true;  // keep the blocks that are read in the cache
  int64_t row_limit = -1;    // no more than so many rows; -1 is no limit

  std::shared_ptr<const RowNavigator> navigator;  // cloned by each scanner; null: every row
  std::shared_ptr<const Snapshot> snapshot;       // null: the moment the scanner is opened
};

struct Get {
  Bytes row;
  TimeRange time_range;
  std::map<Bytes, std::set<Bytes>> columns;
  int32_t max_versions = 1;
  std::shared_ptr<const Snapshot> snapshot;
};

// Whole rows, in scan order; within a row cells are in HBase's order.
struct CellBatch {
  std::vector<Cell> cells;
  std::vector<uint32_t> row_starts;  // row i is cells[row_starts[i]] … up to the next start

  size_t row_count() const { return row_starts.size(); }
  uint32_t row_end(size_t i) const {
    return i + 1 < row_starts.size() ? row_starts[i + 1] : static_cast<uint32_t>(cells.size());
  }
  void Clear() {
    cells.clear();
    row_starts.clear();
  }
};

// A running scan. One thread at a time. Survives flushes and compactions: what it pins stays.
class Scanner {
 public:
  virtual ~Scanner() = default;  // releases what is pinned

  // Replaces *batch with up to 'row_limit' further rows (fewer when a region ends or enough bytes
  // are pinned); an empty batch means the end. The cells are views, valid until the next call or
  // until the scanner is destroyed. Keep *batch between calls: its vectors are reused.
  virtual Status Next(size_t row_limit, CellBatch* batch) = 0;

  // What the scan did so far; for EXPLAIN ANALYZE, tests and metrics.
  struct Metrics {
    uint64_t rows = 0;
    uint64_t cells_seen = 0;
    uint64_t blocks_read = 0;    // from disk
    uint64_t blocks_cached = 0;  // found in the cache
    uint64_t files_opened = 0;   // files that took part
    uint64_t files_skipped_by_time = 0;
    uint64_t files_skipped_by_bloom = 0;
    uint64_t files_skipped_by_key = 0;
    uint64_t seeks = 0;  // jumps asked for by a navigator
  };
  virtual Metrics metrics() const = 0;
};

// A row that owns its cells. 'cells' point into 'memory'.
struct Row {
  std::vector<Cell> cells;
  std::unique_ptr<char[]> memory;

  bool empty() const { return cells.empty(); }
  // The newest cell of the column, or null.
  const Cell* Find(ByteView family, ByteView qualifier) const;
};

}  // namespace bennu

#endif  // BENNU_SCAN_H_
