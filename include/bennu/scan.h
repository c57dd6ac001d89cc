// Scan and Get say what to read. Cells come back in a CellBatch, which pins them, or in a Row.
// Source: HBase's Scan and Get; hbase-cell spec section 6 for the rules of visibility.
#ifndef BENNU_SCAN_H_
#define BENNU_SCAN_H_

#include <algorithm>
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
  // Delete markers with this timestamp or a later one hide nothing, for reads as of an earlier
  // moment. By default markers that are newer than the range hide cells in the range (unless a
  // family keeps deleted cells).
  int64_t markers_max = std::numeric_limits<int64_t>::max();

  bool all() const {
    constexpr int64_t kOpen = std::numeric_limits<int64_t>::max();
    return min == 0 && max == kOpen && markers_max == kOpen;
  }
  bool MarkerCounts(int64_t timestamp) const {
    return timestamp < markers_max || markers_max == std::numeric_limits<int64_t>::max();
  }
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
  // After kInclude: all later rows before this one are wanted too. Empty: not known. Valid until
  // the next call of Navigate.
  virtual ByteView IncludedUpTo() const { return {}; }
  // A fresh navigator for a scanner on another thread.
  virtual std::unique_ptr<RowNavigator> Clone() const = 0;
};

// A moment of the whole store. Reads see the writes that were acknowledged when it was taken, and
// no later ones. Compactions keep the versions that its readers may need, so drop it soon.
// Thread-safe.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
};

class Filter;  // bennu/filter.h

// Which replicas of a region may answer a read. Only tables of a cluster have more than one: see
// REGION_REPLICATION of HBase, whose names these are.
enum class Consistency : uint8_t {
  kStrong,    // the primary alone: a read sees all that was acknowledged before it
  kTimeline,  // secondaries too, when the primary is slow or gone: what they tell may be stale
};
// What rows and cells to read, and how. HBase's Scan.
struct Scan {
  RowRange range;
  TimeRange time_range;
  // Families to read, each with its qualifiers (empty set: all of the family). Empty: everything.
  std::map<Bytes, std::set<Bytes>> columns;
  // Families with a range of their own, which then counts instead of 'time_range'.
  std::map<Bytes, TimeRange> family_time_ranges;
  int32_t max_versions = 1;  // capped by each family's VERSIONS
  // Of each row and family, the first 'row_offset_per_family' cells are left out and no more than
  // 'max_results_per_family' of the rest are returned (-1: all). HBase's store offset and limit.
  int32_t max_results_per_family = -1;
  int32_t row_offset_per_family = 0;
  bool reversed = false;  // range.start is then the greatest row
  bool raw = false;       // also returns deleted cells and the delete markers; 'columns' must not
                          // name qualifiers then
  bool cache_blocks = true;  // keep the blocks that are read in the cache
  int64_t row_limit = -1;    // the most rows to return; -1: no limit
  // The most cells in a part of a row (-1: whole rows). A longer row comes in several parts, see
  // CellBatch::row_goes_on. HBase's Scan.setBatch.
  int32_t batch = -1;
  // A call of Next ends once its cells have this many bytes (-1: no limit). Rows stay whole unless
  // 'allow_partial_results' lets such a call end within a row.
  int64_t max_result_bytes = -1;
  bool allow_partial_results = false;
  bool read_uncommitted = false;  // also sees writes that are not acknowledged yet
  bool track_metrics = false;     // asks servers for their metrics; a directory always has them
  Consistency consistency = Consistency::kStrong;
  // Of each region, this replica alone answers (0: the primary). -1: see 'consistency'.
  int32_t replica_id = -1;

  std::shared_ptr<const Filter> filter;  // cloned for each region; null: no filter
  // Families that the filter does not need to decide are read only for rows that pass. A reversed
  // scan with such families is refused, as HBase does, unless this is off.
  bool load_families_on_demand = true;
  std::shared_ptr<const RowNavigator> navigator;  // cloned by each scanner; null: every row
  std::shared_ptr<const Snapshot> snapshot;       // null: the moment the scanner is opened
};

// The members mean the same as those of Scan.
struct Get {
  Bytes row;
  TimeRange time_range;
  std::map<Bytes, std::set<Bytes>> columns;
  std::map<Bytes, TimeRange> family_time_ranges;
  int32_t max_versions = 1;
  int32_t max_results_per_family = -1;
  int32_t row_offset_per_family = 0;
  bool cache_blocks = true;
  Consistency consistency = Consistency::kStrong;
  int32_t replica_id = -1;
  std::shared_ptr<const Filter> filter;
  std::shared_ptr<const Snapshot> snapshot;
};

// Rows in scan order; within a row cells are in HBase's order. Rows are whole, unless the scan
// asked for parts (Scan::batch, Scan::allow_partial_results): then each entry is a part.
struct CellBatch {
  std::vector<Cell> cells;
  std::vector<uint32_t> row_starts;  // row i is cells[row_starts[i]] … up to the next start
  // Indexes of the entries whose row goes on in the next entry, of this batch or the one after it.
  std::vector<uint32_t> partial_rows;

  size_t row_count() const { return row_starts.size(); }
  uint32_t row_end(size_t i) const {
    return i + 1 < row_starts.size() ? row_starts[i + 1] : static_cast<uint32_t>(cells.size());
  }
  bool row_goes_on(size_t i) const {
    return std::binary_search(partial_rows.begin(), partial_rows.end(), i);
  }
  void Clear() {
    cells.clear();
    row_starts.clear();
    partial_rows.clear();
  }
};

// A running scan. One thread at a time. Flushes and compactions do not disturb it, because the
// files and memory that it pins stay.
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
    uint64_t seeks = 0;         // jumps asked for by a navigator or by a filter's hints
    uint64_t rows_touched = 0;  // rows with any cell, shown or not; without rows as columns
    uint64_t rows_ending = 0;   // rows at whose key a filter ended the scan; not in rows_touched
    // From servers, with Scan::track_metrics: rows that they left out, by a filter or because no
    // cell of them was asked for. 0 for a directory; RowsFiltered counts them there.
    uint64_t rows_filtered = 0;
    uint64_t calls = 0;  // to servers
    // A secondary replica answered some of it, which may lack what its primary has acknowledged.
    bool stale = false;

    // What HBase counts as scanned and as filtered. A row at whose key a filter ends the scan is
    // filtered and not scanned (RegionScannerImpl.nextInternal).
    uint64_t RowsScanned() const { return rows > rows_touched ? rows : rows_touched; }
    uint64_t RowsFiltered() const {
      return calls > 0 ? rows_filtered : RowsScanned() - rows + rows_ending;
    }
  };
  virtual Metrics metrics() const = 0;

 private:
  friend class StoreTools;
  virtual class ColumnScanner* Columns() { return nullptr; }
};

// A row that owns its cells. 'cells' point into 'memory'.
struct Row {
  std::vector<Cell> cells;
  std::unique_ptr<char[]> memory;
  bool stale = false;  // from a secondary replica; see Consistency

  bool empty() const { return cells.empty(); }
  // The newest cell of the column, or null.
  const Cell* Find(ByteView family, ByteView qualifier) const;
};

}  // namespace bennu

#endif  // BENNU_SCAN_H_
