// RegionScanner: the rows of one region, merged over the families that a scan asks for.
// One thread at a time.
#ifndef BENNU_SRC_ENGINE_REGION_REGION_SCANNER_H_
#define BENNU_SRC_ENGINE_REGION_REGION_SCANNER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/cell/column_rows.h"
#include "src/engine/region/family_columns.h"
#include "src/engine/region/filtered_rows.h"
#include "src/engine/region/region_state.h"
#include "src/engine/store/scan_pause.h"
#include "src/engine/store/store_scanner.h"

namespace bennu::engine {

class RegionScanner {
 public:
  // Of a region that is open; see Region::OpenScanner. 'scan' and 'navigator' (may be null) must
  // outlive the scanner; 'read_point' must stay registered. InvalidArgument: a family that the
  // table does not have.
  static Result<std::unique_ptr<RegionScanner>> Open(const RegionState& region, const Scan* scan,
                                                     RowNavigator* navigator, uint64_t read_point,
                                                     int64_t now_millis);

  // Appends up to 'row_limit' rows to *batch. Long rows may come in several entries, as the scan
  // allows (Scan::batch, Scan::allow_partial_results); then a call may end within a row. Sets *done
  // at the region's end of the range. May append none without being done, as when the pause is
  // due (see paused()). Views are valid until Unpin().
  Status NextRows(size_t row_limit, CellBatch* batch, bool* done);
  // For NextRows. Must outlive the scanner.
  void SetPause(ScanPause* pause);
  // The last call of NextRows ended since the pause was due.
  bool paused() const { return paused_; }
  // As NextRows, but rows may come as columns: see StoreScanner::NextColumns.
  Status NextColumns(size_t row_limit, CellBatch* batch, ColumnSlice* slice, bool* done);
  // Rows before 'row' need not come. For a forward scan that NextColumns reads.
  Status SkipTo(ByteView row);
  void Unpin();

  // A row was begun and is not done: the next call goes on with it, and only with it.
  bool in_row() const;

  // No later region has wanted rows either: after a navigator's kDone, or when the filter ended a
  // region that gave no row (a client of HBase stops there; after a row it asks the next region).
  bool ends_scan() const { return navigator_done_ || (filter_done() && !gave_rows_); }
  bool filter_done() const { return filtered_ != nullptr && filtered_->done(); }
  // Where the navigator wants to go on; empty when it did not ask to jump beyond this region.
  const Bytes& pending_seek() const { return seek_row_; }
  void AddMetrics(Scanner::Metrics* metrics) const;
  uint64_t blocks_as_columns() const;

 private:
  RegionScanner(const RegionState& region, const Scan* scan, RowNavigator* navigator)
      : stores_(region.stores()), meta_order_(region.is_meta), scan_(scan), navigator_(navigator) {}
  Status OpenStores(uint64_t read_point, int64_t now_millis);
  bool GivesSlices() const;  // of several families
  bool Before(ByteView left, ByteView right) const;
  Status NextCandidate(ByteView* row);
  Status TakeRow(ByteView row, CellBatch* batch, bool* taken);
  Status Navigate(ByteView row, bool* wanted);
  size_t pinned_bytes() const;
  // The store's rows are the scan's.
  bool in_one_store() const {
    return scanners_.size() == 1 && navigator_ == nullptr && filtered_ == nullptr;
  }

  const std::shared_ptr<const StoreSet> stores_;
  const bool meta_order_;
  const Scan* const scan_;
  RowNavigator* const navigator_;
  std::vector<std::unique_ptr<StoreScanner>> scanners_;
  std::unique_ptr<FilteredRows> filtered_;   // null when not needed
  std::unique_ptr<FamilyColumns> families_;  // null when not used
  size_t in_family_ = 0;  // of scanners_, the one that is within a row if one is (no filter)
  bool gave_rows_ = false;
  Bytes seek_row_;
  Bytes row_;  // the candidate, copied: it must outlive the scanners' moves
  bool navigator_done_ = false;
  uint64_t rows_touched_ = 0;  // counted here when the stores or the filter do not
  bool row_touched_ = false;   // the one that is under way
  ScanPause* pause_ = nullptr;
  bool paused_ = false;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_REGION_SCANNER_H_
