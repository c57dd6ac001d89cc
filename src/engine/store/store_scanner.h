// StoreScanner: reads one family of one region: merges memstores and files row by row and applies
// HBase's rules of visibility (hbase-cell spec sections 5 to 8).
//
// One thread at a time. Holds the view it reads, so flushes and compactions do not disturb it.
#ifndef BENNU_SRC_ENGINE_STORE_STORE_SCANNER_H_
#define BENNU_SRC_ENGINE_STORE_STORE_SCANNER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/cell/column_rows.h"
#include "src/engine/store/cell_source.h"
#include "src/engine/store/column_merger.h"
#include "src/engine/store/row_rules.h"
#include "src/engine/store/row_size.h"
#include "src/engine/store/scan_pause.h"
#include "src/engine/store/store_view.h"

namespace bennu::engine {

class StoreScanner {
 public:
  // What a scanner is for decides which cells pass.
  enum class Purpose { kRead, kFlush, kMinorCompaction, kMajorCompaction };

  struct Options {
    std::shared_ptr<const FamilyRules> family;  // not null
    uint64_t read_point = 0;  // kRead: newest visible id; else the smallest read point
    int64_t now_millis = 0;
    Purpose purpose = Purpose::kRead;
    bool meta_order = false;
    // The region's rows: nothing else of a reference is seen. Read by Open only; null: not known.
    const RowRange* region_rows = nullptr;
  };

  static Result<std::unique_ptr<StoreScanner>> Open(std::shared_ptr<const StoreView> view,
                                                    const Scan& scan, const Options& options);
  ~StoreScanner();

  // Appends up to 'row_limit' rows that have a visible cell to *batch (which is not cleared). Stops
  // early when the rows handed out since the last Unpin() pin enough memory; never without a row
  // after Unpin(), but at the end of the range, where *done is set. Views stay valid until Unpin()
  // or the scanner's end. When the scan takes partial results (and has no filter) a long row comes
  // in several entries, the last of a call perhaps one that goes on. Also stops early, perhaps
  // without a row, when the pause is due: see paused().
  Status NextRows(size_t row_limit, CellBatch* batch, bool* done);

  // For NextRows, AppendRowPart and NextPart. Must outlive the scanner.
  void SetPause(ScanPause* pause) { pause_ = pause; }
  // Whether NextPart may come back with nothing, and paused(), where nothing of a row is shown.
  void SetPauseInRows(bool may) { pauses_in_rows_ = may; }
  // The last call of NextRows ended since the pause was due; of AppendRowPart and NextPart, within
  // a row.
  bool paused() const { return paused_; }

  // As NextRows, but rows may come as columns, and there is no pause: then nothing is appended to
  // *batch, and *slice has up to 'row_limit' rows. It pins what it points to, whatever becomes of
  // the scanner.
  Status NextColumns(size_t row_limit, CellBatch* batch, ColumnSlice* slice, bool* done);

  // Whether NextSlice may be called, and is worth it.
  bool gives_slices() const;
  // As NextColumns, but rows always come as columns, copied if they must be, and without those that
  // are not asked for if they are. Rows may have no cell that is asked for; those of a block come
  // together, if they are more than 'row_limit', too.
  Status NextSlice(size_t row_limit, ColumnSlice* slice, bool* done);
  const std::vector<Bytes>& qualifiers() const { return rules_.qualifiers(); }

  // ---- row by row, for merging families and for navigators

  // The next row that has any cell, visible or not; empty view at the end. Valid until the scanner
  // moves.
  Result<ByteView> PeekRow();
  // Appends the visible cells of the row that PeekRow showed and moves past it. ResourceExhausted:
  // they are more than may be read of a row at once (row_size.h).
  Status AppendRow(std::vector<Cell>* cells);
  // The same when the scan takes partial results: stops within a long row once *entry_bytes, to
  // which it adds what it appends, are as many as the scan wants at a time, and *row_done is false;
  // there is a visible cell behind then. To be called until the row is done.
  Status AppendRowPart(std::vector<Cell>* cells, uint64_t* entry_bytes, bool* row_done);

  // The same in parts, each of what some source has at hand of the row. Appends the visible cells
  // of the next part, of which there is one at least unless the row ends, or the pause is due in a
  // scan that takes partial results: see paused(). Once *row_done is set the
  // scanner has moved past the row; until then only the functions down to EndRow, Unpin and
  // pinned_bytes may be called.
  Status NextPart(std::vector<Cell>* cells, bool* row_done);
  // Cells of columns before this one need not come any more (some may).
  void SkipToColumn(ByteView qualifier);
  // None of the last part's cells is needed any more.
  void DropPart() {
    if (in_parts_) pins_.Truncate(part_pins_);
  }
  // Whether the row has cells behind 'cell', which came with the last part, whatever becomes of
  // them; with 'next_column' only those of later columns count. Also when the row is done.
  Result<bool> RowHasMore(const Cell& cell, bool next_column) const;
  // Moves past the row, if it is not done.
  Status EndRow();
  Status SkipRow();
  // Moves on to the first row at or behind 'row' in the direction of the scan; stays when it is
  // there or past it.
  Status SeekToRow(ByteView row);
  // Whether any cell of the row that PeekRow showed is there for this reader, be it a delete
  // marker.
  bool ShowsRow() const;
  const FamilyRules& family() const { return *options_.family; }

  // A row was begun and is not done.
  bool in_row() const { return in_parts_; }

  // Lets go of blocks that were pinned for rows already handed out, but for those of the last part
  // of a row that is not done.
  void Unpin();
  size_t pinned_bytes() const { return pins_.bytes(); }
  // All but rows_touched: a row may be in several families.
  void AddMetrics(Scanner::Metrics* metrics) const;
  // Rows read to their end by cells (NextRows, AppendRow, AppendRowPart) that have any cell which
  // is there for this reader, be it a deleted one.
  uint64_t rows_touched() const { return metrics_.rows_touched; }
  uint64_t blocks_as_columns() const;

 private:
  // Rows handed out keep their blocks in memory; a batch ends when this much is pinned, so that a
  // slow reader holds a few megabytes at most, whatever the size of its batch.
  static constexpr size_t kPinnedBytesMax = 8 * 1024 * 1024;

  StoreScanner(std::shared_ptr<const StoreView> view, const Scan& scan, const Options& options);
  Status AddSources(const Scan& scan);
  Status AddFile(const StoreFile& file);
  uint32_t NextPriority() const { return static_cast<uint32_t>(sources_.size()); }
  Status Start();                         // first use: every source to its first row
  Status SeekSource(CellSource* source);  // to the first row of the range
  bool PastStop(ByteView row) const;
  int CompareRows(ByteView left, ByteView right) const;  // in the direction of the scan
  bool RowsInOrder(ByteView left, ByteView right) const { return CompareRows(left, right) < 0; }
  bool ComesBefore(const CellSource& left, const CellSource& right) const;
  void Resettle();                   // the first source moved: put it in its place again
  void ResettleFirst(size_t count);  // the first sources moved
  // row_cells_: the first row's cells of all sources, if they all have it at hand. False: nothing
  // was taken.
  Result<bool> TakeRowAtHand();
  // The same of the first 'count' sources, which stand on the row and are not put in their places.
  Result<bool> GatherRow(size_t count);
  size_t CountFirst() const;  // the sources that stand on the first row
  Status TakeRow(std::vector<Cell>* cells, uint64_t* entry_bytes, bool* row_done);
  // Some of row_cells_ is there for this reader.
  bool ShowsRowCells() const;
  void BeginParts();
  // row_cells_: the next cells of the row, of one column if the rules want just that. *ended: that
  // column, if all its cells are there, else null.
  Status TakePart(const Bytes** ended);
  Status JumpTo(ByteView qualifier);
  uint64_t CellsAtHand() const;
  // Emits rows that only the first source has from its current block. Returns false when the next
  // row needs the general way.
  Result<bool> EmitFromBlock(size_t row_limit, CellBatch* batch);
  // Appends rows by cells, up to 'rows_wanted' in all, or a part of one. True: that is enough for
  // now, since much is pinned or a row goes on.
  Result<bool> AddRows(size_t rows_before, size_t rows_wanted, CellBatch* batch);
  Status LeaveColumns();  // sources on the first row go on by cells

  // ---- rows as columns (column_scan.cc)
  // Rows of a source's columns that are to be taken next.
  struct ColumnRun {
    uint32_t begin;
    uint32_t end;
    bool cut_short;  // by rows of another source, not by the end of the block or of the scan
  };
  // Whether the source, a file, stands on columns that can be taken as they are, but for rows that
  // others have, too.
  Result<bool> StandsOnColumns(CellSource* source);
  // Whether columns have the next row, or a file whose columns are being read has later ones.
  Result<bool> ColumnsAhead();
  ColumnRun RunAhead(size_t row_limit) const;  // of the first source, which stands on columns
  Status PassRun(const ColumnRun& run);        // moves behind it
  // Puts up to 'row_limit' of the next rows into *slice. False: the next row is to be read by
  // cells. Else *slice may be without rows, if those that were looked at are deleted.
  Result<bool> EmitColumns(size_t row_limit, ColumnSlice* slice);
  ColumnMerger& merger();
  Result<bool> MergeRows(size_t row_limit, ColumnSlice* slice);
  // Adds the first row, which others than a file's columns have, to merger_. False: nothing was
  // taken, it has to be read by cells.
  Result<bool> MergeRow();
  Status MergeOverColumns(CellSource* base);

  const std::shared_ptr<const StoreView> view_;
  const Options options_;
  const RowRange range_;
  const TimeRange time_range_;
  const bool reversed_;
  const bool cache_blocks_;
  const uint64_t part_bytes_;  // that are wanted at a time of a row; 0: the whole row
  const RowRules rules_;
  std::vector<std::unique_ptr<CellSource>> sources_;  // all that take part, newest first
  std::vector<CellSource*> live_;  // not at their end; the one with the next row first
  PinSet pins_;
  std::vector<Cell> row_cells_;
  std::vector<Cell> merge_scratch_;
  Bytes row_scratch_;
  std::optional<ColumnMerger> merger_;
  CellBatch slice_cells_;      // that are to become a slice
  bool keeps_unseen_ = false;  // rows of columns that have no cell that is asked for
  RowRules::Hidden hidden_;    // of the row that is being merged
  std::vector<Cell> visible_;
  // A row that is read in parts.
  bool in_parts_ = false;
  Bytes part_row_;
  std::vector<CellSource*> part_sources_;  // not in live_ meanwhile
  std::vector<CellSource*> part_active_;   // those of them that may have more of the row
  RowRules::Progress progress_;
  Bytes part_key_;
  size_t part_pins_ = 0;     // in pins_ before the last part
  std::vector<Cell> ahead_;  // visible cells of the last part
  size_t ahead_taken_ = 0;   // of them, handed out
  Scanner::Metrics metrics_;
  bool columns_wanted_ = false;  // the scan allows it
  bool makes_columns_ = false;   // where the cache does not have them
  bool started_ = false;
  bool pauses_in_rows_ = false;
  bool paused_ = false;
  ScanPause* pause_ = nullptr;
  bool handed_out_ = false;  // cells that stand in pinned blocks, since the last Unpin()
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_STORE_STORE_SCANNER_H_
