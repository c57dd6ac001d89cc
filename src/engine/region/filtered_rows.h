// FilteredRows: runs a filter over the rows of one region, in the order and with the consequences
// that HBase's region and store scanners have (RegionScannerImpl, StoreScanner,
// UserScanQueryMatcher; hbase-rpc spec section 6, hbase-cell spec section 6).
//
// Row by row: the row key is put to the filter; then the cells of the families that it needs, after
// deletes, time range, columns and VERSIONS; then the row as a whole; then the cells of the other
// families. Hints move single families: into the row's later cells, or to another row.
//
// One thread at a time. The scanners and the scan must outlive it.
#ifndef BENNU_SRC_ENGINE_REGION_FILTERED_ROWS_H_
#define BENNU_SRC_ENGINE_REGION_FILTERED_ROWS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bennu/filter.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/base/arena.h"
#include "src/engine/store/row_size.h"
#include "src/engine/store/store_scanner.h"

namespace bennu::engine {

// What a scan with a filter may not ask for. InvalidArgument: parts of rows, with a filter that
// needs whole ones. NotSupported: families that are read on demand, backwards.
Status CheckFilteredScan(const Scan& scan, const std::vector<Bytes>& families);

class FilteredRows final : private FilterMemory {
 public:
  // Whether the scan needs its rows to be run through here.
  static bool Needed(const Scan& scan) { return scan.filter != nullptr || scan.batch > 0; }

  // The scan's filter is cloned. Without one every cell passes, and only the batches are cut.
  FilteredRows(const Scan& scan, bool meta_order);
  // Families in ascending order.
  void AddStore(ByteView family, StoreScanner* scanner);
  // Once all stores are there. Rows that may be taken in parts are left in the middle when it is
  // due: see paused().
  void SetPause(ScanPause* pause);

  // The next row that the filter is to be asked about; empty at the end of the region. Valid until
  // the scanners move.
  Status NextCandidate(ByteView* row);
  // Takes the candidate from the scanners and appends what the filter leaves of it, in one entry
  // or, with a batch or when the scan takes partial results, several. *taken: whether anything was
  // appended. 'row' must not point into a block. In parts it may end within a long row; the next
  // call must go on with the same row. Rows that the filter decides as a whole, and those of which
  // families are read on demand, are taken whole.
  Status TakeRow(ByteView row, CellBatch* batch, bool* taken);

  // The last call ended within a row.
  bool in_row() const { return run_.has_value(); }
  // It did since the pause was due.
  bool paused() const { return paused_; }
  // No row of this region is wanted any more.
  bool done() const { return done_; }
  // The cells handed out are not needed any more.
  void Unpin() { memory_.reset(); }
  void AddMetrics(Scanner::Metrics* metrics) const {
    metrics->rows_touched += rows_touched_;
    metrics->rows_ending += rows_ending_;
  }

 private:
  struct Store {
    Bytes family;
    StoreScanner* scanner;
    bool explicit_columns;
    Bytes last_column;    // of those
    int32_t versions;     // of the family
    bool closed = false;  // has nothing more for this scan
  };
  // Where a row's results may be cut, and whether more of the row lay behind.
  struct Cut {
    size_t cells;
    bool goes_on;
  };
  // Of the cells of one family in one row.
  struct Run {
    explicit Run(Store* of_store, size_t index_of_store)
        : store(of_store), index(index_of_store), size(of_store->scanner->family().row_bytes_max) {}

    Store* const store;
    const size_t index;
    bool later_families_have_row = false;  // looked up only where results are cut
    size_t position = 0;                   // in cells_
    bool in_column = false;
    ByteView column;           // the qualifier of the present column
    Bytes column_name;         // what 'column' points to between parts
    int32_t shown = 0;         // of the column, to the filter
    int32_t included = 0;      // of the column, by it
    int64_t counted = 0;       // of the family, for the scan's limit
    bool column_over = false;  // the rest of the column is not wanted
    bool hinted = false;       // nothing before hint_ is wanted
    bool left_row = false;
    bool full = false;         // the scan's limit is reached
    bool paused = false;       // the results so far are to be handed out
    bool held_back = false;    // the cell before 'position' begins the next part
    bool ends_column = false;  // and is the last of its column
    RowSize size;              // of what is kept, of a batch or part

    bool wants_more() const { return !left_row && !full && !paused; }
    void EnterColumn(const Cell& cell);
    void KeepColumn();  // the cell that 'column' points into may go
    void SetColumn(Bytes name);
  };

  char* Allocate(size_t size) override;
  bool Before(ByteView left, ByteView right) const;
  Status CheckFilter() const;
  Status SkipRow(ByteView row);
  Result<bool> ShowsRow(ByteView row);
  Result<bool> AskByRow(ByteView row);
  Status BeginRow(ByteView row, bool* read);
  Status RunEssential(ByteView row);
  Status RunStore(size_t index, std::vector<Store>* stores, ByteView row);
  Status RunParts(Run* run, ByteView row);
  bool MayPause() const;
  Status Pause(Run* run);
  Status RunPart(Run* run);
  Status RunCell(Run* run);
  void EndPart(Run* run);
  Status Include(const Cell& cell, bool next_column, Run* run);
  Status Keep(const Cell& cell, bool next_column, Run* run);
  static Result<bool> GoesOnBehind(const Store& store, const Cell& cell, bool next_column);
  Status FollowHint(Run* run);
  void SkipToHint(Run* run);
  bool RowIsOut();
  Status AddJoined(ByteView row);
  void Emit(CellBatch* batch);
  void ClearResults();

  const Scan& scan_;
  const bool meta_order_;
  const FilterPtr filter_;
  const bool has_filter_row_;
  const bool asks_by_row_;
  const int64_t family_limit_;  // -1: none
  const int64_t family_offset_;
  const int32_t versions_after_;  // of the scan
  const int64_t part_bytes_;      // that are wanted at a time of a row; 0: whole rows, or batches
  ScanPause* pause_ = nullptr;    // null: rows are not left in the middle
  bool paused_ = false;
  bool row_refused_ = false;  // by its key; what the filter is shown of it is for its memory
  std::vector<Store> essential_;
  std::vector<Store> joined_;  // read only for rows that passed
  bool done_ = false;
  uint64_t rows_touched_ = 0;
  uint64_t rows_ending_ = 0;

  // Of the present row.
  std::vector<Cell> cells_;    // of one store's part of it, to be put to the filter
  std::vector<Cell> results_;  // what was included
  std::vector<Cut> cuts_;
  Bytes hint_;
  Bytes probe_;
  size_t result_bytes_ = 0;  // since results_ were handed out
  int64_t entry_bytes_ = 0;  // of the row's last part, as HBase counts
  std::optional<Run> run_;   // paused
  bool row_passes_ = false;  // asked by row: all of its cells are included
  std::optional<Arena> memory_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_FILTERED_ROWS_H_
