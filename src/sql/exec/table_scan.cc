#include "src/sql/exec/table_scan.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "src/api/column_scanner.h"
#include "src/api/row_range_reader.h"
#include "src/api/store_tools.h"
#include "src/base/status_macros.h"
#include "src/encoding/hash.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/row_existence.h"
#include "src/sql/exec/remote_filter.h"
#include "src/sql/exec/row_verifier.h"
#include "src/sql/exec/slice_jumper.h"

namespace bennu::sql::exec {
namespace {

// Morsels per thread: enough that threads end at about the same time, few enough that opening
// scanners does not show.
constexpr size_t kMorselsPerWorker = 8;

// Of more rows a scanner is worth its price.
constexpr size_t kRowsAtHandMax = 128;

// A row is in or out of a sample whatever else is read, so that queries over one sample agree.
bool InSample(const TableScanSpec& spec, ByteView row) {
  if (spec.sample_percent >= 100) return true;
  constexpr uint32_t kSeed = 0;
  return encoding::Murmur3Hash(row, kSeed) < spec.sample_percent / 100 * 4294967296.0;
}

TimeRange Overlap(const TimeRange& a, const TimeRange& b) {
  return {std::max(a.min, b.min), std::min(a.max, b.max), std::min(a.markers_max, b.markers_max)};
}

// '*scan' keeps the memory of its bounds.
void SetRange(const TableScanSpec& spec, const RowRange& range, Scan* scan) {
  RowRange& own = scan->range;
  own.start = spec.reversed ? range.stop : range.start;
  own.stop = spec.reversed ? range.start : range.stop;
  own.start_inclusive = spec.reversed ? range.stop_inclusive : range.start_inclusive;
  own.stop_inclusive = spec.reversed ? range.start_inclusive : range.stop_inclusive;
}

// Empty: all.
std::map<Bytes, std::set<Bytes>> WantedColumns(const TableScanSpec& spec) {
  std::map<Bytes, std::set<Bytes>> columns;
  for (const ScanColumn& column : spec.columns) {
    if (column.source == ScanColumn::Source::kRowSize) {
      if (spec.table->is_local_index()) return {};
      return catalog::FamiliesOfTable(spec.data->descriptor());
    }
    if (!column.family.empty()) columns[column.family].insert(column.qualifier);
  }
  catalog::AddExistence(*spec.table, &columns);
  return columns;
}

bool ReadsRaw(const TableScanSpec& spec) {
  return std::any_of(spec.columns.begin(), spec.columns.end(),
                     [](const ScanColumn& column) { return column.raw; });
}

Consistency ConsistencyOf(ExecContext* context, const TableScanSpec& spec) {
  return spec.table->is_system() ? Consistency::kStrong : context->options().consistency;
}

// What differs between the runs of a repeated scan, but for the range.
void SetRun(ExecContext* context, const TableScanSpec& spec, Scan* scan) {
  scan->time_range = Overlap(context->options().time_range, spec.keys.time_range);
  scan->consistency = ConsistencyOf(context, spec);
  scan->row_limit = spec.row_limit;
  scan->snapshot = context->snapshot();
}

RowDecoder MakeDecoder(const TableScanSpec& spec, size_t capacity) {
  return RowDecoder(&spec.table->key_schema, spec.columns, capacity,
                    {spec.table->empty_family, spec.table->empty_qualifier});
}

// Null: all rows are taken as they are.
std::unique_ptr<RowVerifier> MakeVerifier(const TableScanSpec& spec) {
  if (spec.verified_by == nullptr) return nullptr;
  return std::make_unique<RowVerifier>(spec.table.get(), spec.verified_by.get());
}

// Cuts '*range' to what is behind 'row', to which a scan of it has come. False: nothing is.
bool CutBehind(const TableScanSpec& spec, Bytes row, RowRange* range) {
  if (row == (spec.reversed ? range->start : range->stop)) return false;
  (spec.reversed ? range->stop : range->start) = std::move(row);
  (spec.reversed ? range->stop_inclusive : range->start_inclusive) = false;
  return true;
}

void EndScanner(ExecContext* context, const TableScanSpec& spec, const Scanner::Metrics& metrics) {
  context->CountScan(metrics);
  if (spec.step != nullptr) spec.step->AddScanner(metrics);
}

// Rows for those who watch, bytes of keys and values for EXPLAIN ANALYZE.
void CountBatch(ExecContext* context, const TableScanSpec& spec, const CellBatch& batch) {
  context->CountRowsRead(batch.row_count());
  if (spec.step == nullptr) return;
  uint64_t bytes = 0;
  for (const Cell& cell : batch.cells) bytes += cell.flat_key().size() + cell.value_view().size();
  spec.step->AddBytes(bytes);
}

void CountSlice(ExecContext* context, const TableScanSpec& spec, const Scan& scan,
                const ColumnSlice& slice) {
  context->CountRowsRead(slice.size());
  if (spec.step == nullptr) return;
  const ColumnRows& rows = *slice.rows;
  uint64_t bytes = 0;
  for (const ColumnRows::Column& column : rows.columns) {
    const auto wanted = scan.columns.find(Bytes(column.family));
    const bool all = wanted == scan.columns.end() || wanted->second.empty();
    if (!all && !wanted->second.contains(Bytes(column.qualifier))) continue;
    const size_t fixed = kFlatKeyOverhead + column.family.size() + column.qualifier.size();
    for (uint32_t row = slice.begin; row < slice.end; ++row) {
      if (!column.Has(row)) continue;
      bytes += fixed + rows.KeyAt(row).size() + column.ValueAt(row).size();
    }
  }
  spec.step->AddBytes(bytes);
}

// What columns do not tell is read from cells.
bool TakesColumns(const TableScanSpec& spec) {
  return spec.sample_percent >= 100 &&
         std::none_of(spec.columns.begin(), spec.columns.end(), [](const ScanColumn& column) {
           return column.raw || column.source == ScanColumn::Source::kRowSize ||
                  column.source == ScanColumn::Source::kTimestamp;
         });
}

// A limit counts rows that a filter passes, of which there is none then.
bool JumpsIn(const TableScanSpec& spec) {
  return spec.keys.jumps != nullptr && TakesColumns(spec) && !spec.reversed && spec.row_limit < 0;
}

void PrepareChunk(const TableScanSpec& spec, DataChunk* chunk) {
  if (chunk->columns.size() != spec.slot_count) chunk->columns.resize(spec.slot_count);
  chunk->size = 0;
}

// Ranges one after another.
class RangeScanOperator : public RepeatedScan {
 public:
  // Of the spec's ranges, in runs.
  explicit RangeScanOperator(std::shared_ptr<const TableScanSpec> spec)
      : spec_(std::move(spec)),
        takes_columns_(TakesColumns(*spec_)),
        verifier_(MakeVerifier(*spec_)),
        decoder_(MakeDecoder(*spec_, VectorSize())) {
    if (JumpsIn(*spec_)) jumper_.emplace(*spec_->keys.jumps, spec_->keys.matcher);
  }
  // Of these ranges, once.
  RangeScanOperator(ExecContext* context, std::shared_ptr<const TableScanSpec> spec,
                    std::vector<RowRange> ranges)
      : RangeScanOperator(std::move(spec)) {
    context_ = context;
    own_ranges_ = std::move(ranges);
    ranges_ = own_ranges_;
    rows_left_ = spec_->row_limit;
    if (verifier_ != nullptr) verifier_->Begin(context);
  }

  ~RangeScanOperator() override { CloseScanner(); }

  void Begin(ExecContext* context) override {
    context_ = context;
    ranges_ = spec_->keys.ranges;
    next_range_ = 0;
    rest_.reset();
    left_out_ = false;
    rows_left_ = spec_->row_limit;
    if (verifier_ != nullptr) verifier_->Begin(context);
    if (spec_->sample_percent >= 100) at_hand_ = StoreTools::RowsAtHand(spec_->data.get());
    if (scan_.has_value()) SetRun(context, *spec_, &*scan_);
  }

  void End() override {
    CloseScanner();
    slices_.clear();
    unverified_.clear();
    slice_.Clear();
    pins_.clear();
    if (scan_.has_value()) scan_->snapshot = nullptr;
  }

  Status Next(DataChunk* chunk) override {
    PrepareChunk(*spec_, chunk);
    RETURN_IF_ERROR(context_->CheckCancelled());
    slices_.clear();
    pins_.clear();
    has_cells_ = false;
    if (verifier_ != nullptr) verifier_->Clear();
    rows_ = 0;
    while (rows_left_ != 0 && rows_ < decoder_.capacity()) {
      if (!unverified_.empty()) {
        ASSIGN_OR_RETURN(const bool ends, AddUnverified());
        if (ends) break;
        continue;
      }
      if (scanner_ == nullptr) {
        if (next_range_ == ranges_.size()) break;
        BeginRange(rest_.has_value() ? *rest_ : ranges_[next_range_]);
        if (at_hand_ != nullptr) {
          ASSIGN_OR_RETURN(const bool read, ReadAtHand());
          if (!read && rows_ > 0) break;  // a scanner may give columns, which come before cells
          if (read) {
            RETURN_IF_ERROR(AddCells());
            EndRange();
            continue;
          }
        }
        ASSIGN_OR_RETURN(scanner_, spec_->data->OpenScanner(*scan_));
        if (takes_columns_) by_columns_ = StoreTools::Columns(scanner_.get());
      }
      RETURN_IF_ERROR(Read());
      if (slice_.rows != nullptr) {
        if (jumper_.has_value()) {
          RETURN_IF_ERROR(AddChosen());
        } else {
          AddSlice(slice_);
        }
        continue;
      }
      if (batch_.row_count() == 0) {
        CloseScanner();
        EndRange();
        continue;
      }
      RETURN_IF_ERROR(AddCells());
      if (rows_ > 0) break;  // the cells are pinned until the scanner moves on
    }
    return rows_ > 0 ? Finish(chunk) : Status::Ok();
  }

 private:
  // All else of the scan is the same for all ranges.
  void BeginRange(const RowRange& range) {
    if (!scan_.has_value()) {
      scan_ = MakeScan(context_, *spec_, range);
    } else {
      SetRange(*spec_, range, &*scan_);
    }
    if (jumper_.has_value()) jumper_->Begin();
  }

  Status Read() {
    slice_.Clear();
    if (by_columns_ == nullptr) {
      RETURN_IF_ERROR(scanner_->Next(decoder_.capacity(), &batch_));
    } else {
      size_t wanted = decoder_.capacity() - rows_;
      if (rows_left_ >= 0) wanted = std::min(wanted, static_cast<size_t>(rows_left_));
      RETURN_IF_ERROR(by_columns_->NextColumns(wanted, &batch_, &slice_));
    }
    if (slice_.rows == nullptr) CountBatch(context_, *spec_, batch_);
    return Status::Ok();
  }

  Result<bool> ReadAtHand() {
    batch_.Clear();
    Scanner::Metrics metrics;
    const size_t rows_max = std::min(kRowsAtHandMax, decoder_.capacity() - rows_);
    ASSIGN_OR_RETURN(const bool read,
                     at_hand_->ReadRange(*scan_, rows_max, &batch_, &pins_, &metrics));
    if (!read) return false;
    EndScanner(context_, *spec_, metrics);
    CountBatch(context_, *spec_, batch_);
    return true;
  }

  // The next range is that behind this one. A scanner that was told of a limit has ended too early
  // where some of its rows do not count: then it is what is left of this one.
  void EndRange() {
    bool goes_on = left_out_ && rows_left_ > 0;
    if (goes_on) {
      if (!rest_.has_value()) rest_ = ranges_[next_range_];
      goes_on = CutBehind(*spec_, std::move(last_row_), &*rest_);
    }
    if (!goes_on) {
      rest_.reset();
      ++next_range_;
    }
    left_out_ = false;
  }

  void AddSlice(const ColumnSlice& slice) {
    CountSlice(context_, *spec_, *scan_, slice);
    if (verifier_ == nullptr || (unverified_.empty() && verifier_->AllVerified(slice))) {
      TakeSlice(slice);
    } else {
      unverified_.push_back(slice);
    }
    if (left_out_ || !unverified_.empty()) last_row_ = slice.rows->KeyAt(slice.end - 1);
  }

  // Takes the next rows of the slices that have some without the mark. Those become cells, behind
  // which the chunk can take no slice: true when it has to end.
  Result<bool> AddUnverified() {
    ColumnSlice& slice = unverified_.front();
    ColumnSlice next{slice.rows, slice.begin, slice.begin + 1};
    bool ends = false;
    if (verifier_->AllVerified(next)) {
      while (next.end < slice.end && verifier_->AllVerified({slice.rows, next.end, next.end + 1})) {
        ++next.end;
      }
      ends = has_cells_;
      if (!ends) TakeSlice(next);
    } else {
      ASSIGN_OR_RETURN(const auto cells, verifier_->Rebuild(slice.rows->KeyAt(slice.begin)));
      if (cells.empty()) {
        left_out_ = true;
      } else {
        has_cells_ = true;
        if (!spec_->columns.empty()) decoder_.AddRow(cells.data(), cells.size());
        Count(1);
      }
    }
    if (ends) return true;
    slice.begin = next.end;
    if (slice.size() == 0) unverified_.erase(unverified_.begin());
    return has_cells_ && unverified_.empty();
  }

  void TakeSlice(const ColumnSlice& slice) {
    if (!spec_->columns.empty()) {
      decoder_.AddSlice(slice);
      slices_.push_back(slice.rows);
    }
    Count(slice.size());
  }

  // What the jumper leaves of the slice. It may be nothing, again and again.
  Status AddChosen() {
    RETURN_IF_ERROR(context_->CheckCancelled());
    jumper_->Choose(slice_, &runs_);
    for (const SliceJumper::Run& run : runs_) {
      AddSlice({slice_.rows, run.begin, run.end});
    }
    if (jumper_->done()) {
      CloseScanner();
      EndRange();
      return Status::Ok();
    }
    const ByteView target = jumper_->target();
    return target.empty() ? Status::Ok() : by_columns_->SkipTo(target);
  }

  Status AddCells() {
    const size_t rows = batch_.row_count();
    const size_t most = rows_left_ < 0 ? rows : static_cast<size_t>(rows_left_);
    size_t taken = 0;
    for (size_t i = 0; i < rows && taken < most; ++i) {
      const uint32_t begin = batch_.row_starts[i];
      std::span<const Cell> cells(&batch_.cells[begin], batch_.row_end(i) - begin);
      if (!InSample(*spec_, cells.front().row())) continue;
      if (verifier_ != nullptr) {
        ASSIGN_OR_RETURN(cells, verifier_->Verified(cells));
        left_out_ |= cells.empty();
        if (cells.empty()) continue;
      }
      ++taken;
      if (spec_->columns.empty()) continue;  // only counted
      decoder_.AddRow(cells.data(), cells.size());
    }
    Count(taken);
    if (left_out_ && rows > 0) last_row_ = batch_.cells[batch_.row_starts[rows - 1]].row();
    return Status::Ok();
  }

  void Count(size_t rows) {
    rows_ += rows;
    if (rows_left_ >= 0) rows_left_ -= static_cast<int64_t>(rows);
  }

  Status Finish(DataChunk* chunk) {
    if (!spec_->columns.empty()) return decoder_.Finish(chunk);
    chunk->size = rows_;
    return Status::Ok();
  }

  void CloseScanner() {
    if (scanner_ == nullptr) return;
    EndScanner(context_, *spec_, scanner_->metrics());
    if (by_columns_ != nullptr && spec_->step != nullptr) {
      spec_->step->AddColumnBlocks(by_columns_->blocks_as_columns());
    }
    by_columns_ = nullptr;
    scanner_ = nullptr;
  }

  ExecContext* context_ = nullptr;
  const std::shared_ptr<const TableScanSpec> spec_;
  std::vector<RowRange> own_ranges_;
  std::span<const RowRange> ranges_;  // of this run
  const bool takes_columns_;
  size_t next_range_ = 0;
  std::optional<RowRange> rest_;  // of that range, when it is not read from its beginning
  std::optional<Scan> scan_;      // the last one
  std::unique_ptr<Scanner> scanner_;
  ColumnScanner* by_columns_ = nullptr;  // scanner_, if it knows columns and they suffice
  RowRangeReader* at_hand_ = nullptr;    // the table, if it may have ranges without a scanner
  CellBatch batch_;
  ColumnSlice slice_;
  std::optional<SliceJumper> jumper_;  // in scans that may jump
  std::vector<SliceJumper::Run> runs_;
  // What the chunk has views of.
  std::vector<std::shared_ptr<const ColumnRows>> slices_;
  std::vector<std::shared_ptr<const void>> pins_;
  const std::unique_ptr<RowVerifier> verifier_;  // null: rows are taken as they are
  std::vector<ColumnSlice> unverified_;          // slices with rows that have to be looked at
  bool has_cells_ = false;                       // the chunk has rows of them that were made anew
  bool left_out_ = false;                        // rows of the range that do not count
  Bytes last_row_;                               // that was read since
  RowDecoder decoder_;
  size_t rows_ = 0;        // of the chunk
  int64_t rows_left_ = 0;  // negative: no limit
};

// The ranges of a salted table merged into key order. Chunks end where one of the scanners must
// move on, since moving on unpins its rows.
class MergeScanOperator : public Operator {
 public:
  MergeScanOperator(ExecContext* context, std::shared_ptr<const TableScanSpec> spec)
      : context_(context),
        spec_(std::move(spec)),
        sources_(spec_->keys.ranges.size()),
        verifier_(MakeVerifier(*spec_)),
        decoder_(MakeDecoder(*spec_, VectorSize())),
        rows_left_(spec_->row_limit) {
    if (verifier_ != nullptr) verifier_->Begin(context);
  }

  ~MergeScanOperator() override {
    for (Source& source : sources_) Close(&source);
  }

  Status Next(DataChunk* chunk) override {
    PrepareChunk(*spec_, chunk);
    RETURN_IF_ERROR(context_->CheckCancelled());
    if (verifier_ != nullptr) verifier_->Clear();
    if (!opened_) RETURN_IF_ERROR(OpenSources());
    for (Source& source : sources_) RETURN_IF_ERROR(Refill(&source));
    size_t rows = 0;
    while (rows < decoder_.capacity() && rows_left_ != 0) {
      Source* best = nullptr;
      for (Source& source : sources_) {
        if (source.scanner != nullptr && (best == nullptr || Before(source, *best))) {
          best = &source;
        }
      }
      if (best == nullptr) break;
      const uint32_t begin = best->batch.row_starts[best->row];
      const Cell* const cells = best->batch.cells.data() + begin;
      std::span<const Cell> row(cells, best->batch.row_end(best->row) - begin);
      bool counts = InSample(*spec_, cells->row());
      if (counts && verifier_ != nullptr) {
        ASSIGN_OR_RETURN(row, verifier_->Verified(row));
        counts = !row.empty();
        best->left_out |= !counts;
      }
      if (counts) {
        decoder_.AddRow(row.data(), row.size());
        ++rows;
        if (rows_left_ > 0) --rows_left_;
      }
      if (++best->row == best->batch.row_count()) {
        if (rows > 0) break;
        RETURN_IF_ERROR(Refill(best));
      }
    }
    if (rows == 0) return Status::Ok();
    return decoder_.Finish(chunk);
  }

 private:
  struct Source {
    std::unique_ptr<Scanner> scanner;  // null at the end
    RowRange range;
    CellBatch batch;
    size_t row = 0;
    bool left_out = false;  // rows that do not count
    Bytes last_row;         // that was read since
  };

  Status OpenSources() {
    opened_ = true;
    for (size_t i = 0; i < sources_.size(); ++i) {
      sources_[i].range = spec_->keys.ranges[i];
      RETURN_IF_ERROR(OpenSource(&sources_[i]));
    }
    return Status::Ok();
  }

  Status OpenSource(Source* source) {
    ASSIGN_OR_RETURN(source->scanner,
                     spec_->data->OpenScanner(MakeScan(context_, *spec_, source->range)));
    return Status::Ok();
  }

  Status Refill(Source* source) {
    if (source->scanner == nullptr || source->row < source->batch.row_count()) return Status::Ok();
    if (source->left_out && source->row > 0) {
      source->last_row = source->batch.cells[source->batch.row_starts[source->row - 1]].row();
    }
    source->row = 0;
    RETURN_IF_ERROR(source->scanner->Next(decoder_.capacity(), &source->batch));
    CountBatch(context_, *spec_, source->batch);
    if (source->batch.row_count() > 0) return Status::Ok();
    Close(source);
    if (!source->left_out || spec_->row_limit < 0) return Status::Ok();
    // The limit has ended it too early, since some of its rows do not count.
    source->left_out = false;
    if (!CutBehind(*spec_, std::move(source->last_row), &source->range)) return Status::Ok();
    RETURN_IF_ERROR(OpenSource(source));
    return Refill(source);
  }

  void Close(Source* source) {
    if (source->scanner == nullptr) return;
    EndScanner(context_, *spec_, source->scanner->metrics());
    source->scanner = nullptr;
  }

  bool Before(const Source& a, const Source& b) const {
    const ByteView key_a = Key(a);
    const ByteView key_b = Key(b);
    return spec_->reversed ? key_b < key_a : key_a < key_b;
  }
  ByteView Key(const Source& source) const {
    const uint32_t begin = source.batch.row_starts[source.row];
    return source.batch.cells[begin].row().substr(spec_->table->key_schema.prefix_size());
  }

  ExecContext* const context_;
  const std::shared_ptr<const TableScanSpec> spec_;
  std::vector<Source> sources_;
  bool opened_ = false;
  const std::unique_ptr<RowVerifier> verifier_;  // null: rows are taken as they are
  RowDecoder decoder_;
  int64_t rows_left_;
};

// The same for runs. Mostly all buckets have their rows at hand: they are put in order then.
class RepeatedMerge : public RepeatedScan {
 public:
  explicit RepeatedMerge(std::shared_ptr<const TableScanSpec> spec)
      : spec_(std::move(spec)), decoder_(MakeDecoder(*spec_, VectorSize())) {
    if (spec_->sample_percent >= 100) at_hand_ = StoreTools::RowsAtHand(spec_->data.get());
  }

  void Begin(ExecContext* context) override {
    context_ = context;
    read_ = false;
    if (scan_.has_value()) SetRun(context, *spec_, &*scan_);
  }

  void End() override {
    scanners_ = nullptr;
    pins_.clear();
    if (scan_.has_value()) scan_->snapshot = nullptr;
  }

  Status Next(DataChunk* chunk) override {
    PrepareChunk(*spec_, chunk);
    if (scanners_ != nullptr) return scanners_->Next(chunk);
    if (std::exchange(read_, true)) return Status::Ok();
    RETURN_IF_ERROR(context_->CheckCancelled());
    ASSIGN_OR_RETURN(const bool at_hand, ReadAtHand());
    if (!at_hand) {
      scanners_ = std::make_unique<MergeScanOperator>(context_, spec_);
      return scanners_->Next(chunk);
    }
    return AddRows() > 0 ? decoder_.Finish(chunk) : Status::Ok();
  }

 private:
  Result<bool> ReadAtHand() {
    batch_.Clear();
    pins_.clear();
    if (at_hand_ == nullptr) return false;
    Scanner::Metrics metrics;
    for (const RowRange& range : spec_->keys.ranges) {
      if (!scan_.has_value()) {
        scan_ = MakeScan(context_, *spec_, range);
      } else {
        SetRange(*spec_, range, &*scan_);
      }
      const size_t room = decoder_.capacity() - batch_.row_count();
      ASSIGN_OR_RETURN(const bool read, at_hand_->ReadRange(*scan_, std::min(kRowsAtHandMax, room),
                                                            &batch_, &pins_, &metrics));
      if (!read) return false;
    }
    // What counts for a row without the mark is a question for the long way.
    for (size_t i = 0; spec_->verified_by != nullptr && i < batch_.row_count(); ++i) {
      const uint32_t begin = batch_.row_starts[i];
      const std::span<const Cell> row(&batch_.cells[begin], batch_.row_end(i) - begin);
      if (!IsVerified(*spec_->table, row)) return false;
    }
    EndScanner(context_, *spec_, metrics);
    CountBatch(context_, *spec_, batch_);
    return true;
  }

  // Returns how many.
  size_t AddRows() {
    const size_t prefix = spec_->table->key_schema.prefix_size();
    order_.resize(batch_.row_count());
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
      const ByteView key_a = batch_.cells[batch_.row_starts[a]].row().substr(prefix);
      const ByteView key_b = batch_.cells[batch_.row_starts[b]].row().substr(prefix);
      return spec_->reversed ? key_b < key_a : key_a < key_b;
    });
    if (spec_->row_limit >= 0) {
      order_.resize(std::min(order_.size(), static_cast<size_t>(spec_->row_limit)));
    }
    for (const uint32_t row : order_) {
      const uint32_t begin = batch_.row_starts[row];
      decoder_.AddRow(batch_.cells.data() + begin, batch_.row_end(row) - begin);
    }
    return order_.size();
  }

  ExecContext* context_ = nullptr;
  const std::shared_ptr<const TableScanSpec> spec_;
  RowRangeReader* at_hand_ = nullptr;
  std::optional<Scan> scan_;  // the last one
  CellBatch batch_;
  std::vector<std::shared_ptr<const void>> pins_;
  std::vector<uint32_t> order_;  // of the rows of batch_
  RowDecoder decoder_;
  bool read_ = false;
  std::unique_ptr<MergeScanOperator> scanners_;  // when not all rows are at hand
};

// The known keys in the order in which their rows are to come.
std::vector<Bytes> PointsInOrder(const TableScanSpec& spec) {
  std::vector<Bytes> points = spec.keys.points;
  const size_t prefix = spec.table->key_schema.prefix_size();
  if (spec.ordered && prefix > 0) {
    std::sort(points.begin(), points.end(), [prefix](const Bytes& a, const Bytes& b) {
      return ByteView(a).substr(prefix) < ByteView(b).substr(prefix);
    });
  }
  if (spec.reversed) std::reverse(points.begin(), points.end());
  return points;
}

// Rows whose whole keys are known.
class PointsOperator : public Operator {
 public:
  PointsOperator(ExecContext* context, std::shared_ptr<const TableScanSpec> spec)
      : context_(context),
        spec_(std::move(spec)),
        at_hand_(StoreTools::RowsAtHand(spec_->data.get())),
        points_(PointsInOrder(*spec_)),
        verifier_(MakeVerifier(*spec_)),
        decoder_(MakeDecoder(*spec_, std::min(VectorSize(), spec_->keys.points.size()))),
        rows_left_(spec_->row_limit) {
    if (verifier_ != nullptr) verifier_->Begin(context);
    get_.columns = WantedColumns(*spec_);
    get_.time_range = Overlap(context_->options().time_range, spec_->keys.time_range);
    get_.consistency = ConsistencyOf(context_, *spec_);
    if (at_hand_ != nullptr || points_.size() > 1 || context_->options().snapshot != nullptr) {
      get_.snapshot = context_->snapshot();
    }
    if (spec_->sample_percent < 100) {
      std::erase_if(points_, [this](const Bytes& point) { return !InSample(*spec_, point); });
    }
  }

  Status Next(DataChunk* chunk) override {
    PrepareChunk(*spec_, chunk);
    Scanner::Metrics metrics;
    while (next_ < points_.size() && rows_left_ != 0 && decoder_.row_count() == 0) {
      RETURN_IF_ERROR(context_->CheckCancelled());
      batch_.Clear();
      pins_.clear();
      heap_.Clear();
      if (verifier_ != nullptr) verifier_->Clear();
      size_t count = std::min({points_.size() - next_, decoder_.capacity(), kRowsAtHandMax});
      if (rows_left_ >= 0) count = std::min(count, static_cast<size_t>(rows_left_));
      const std::span<const Bytes> points(&points_[next_], count);
      next_ += count;
      RETURN_IF_ERROR(at_hand_ != nullptr ? at_hand_->ReadRows(points, &get_, &batch_, &pins_)
                                          : ReadOneByOne(points));
      metrics.rows += batch_.row_count();
      RETURN_IF_ERROR(AddRows());
    }
    context_->CountScan(metrics);
    context_->CountRowsRead(metrics.rows);
    const size_t rows = decoder_.row_count();
    if (rows_left_ > 0) rows_left_ -= static_cast<int64_t>(rows);
    return rows == 0 ? Status::Ok() : decoder_.Finish(chunk);
  }

 private:
  Status AddRows() {
    for (size_t i = 0; i < batch_.row_count(); ++i) {
      const uint32_t begin = batch_.row_starts[i];
      std::span<const Cell> cells(&batch_.cells[begin], batch_.row_end(i) - begin);
      if (verifier_ != nullptr) {
        ASSIGN_OR_RETURN(cells, verifier_->Verified(cells));
      }
      if (cells.empty()) continue;
      decoder_.AddRow(cells.data(), cells.size());
    }
    return Status::Ok();
  }

  // The cells are copied, since these reads pin them for the moment of the call only.
  Status ReadOneByOne(std::span<const Bytes> points) {
    for (const Bytes& point : points) {
      get_.row = point;
      RETURN_IF_ERROR(spec_->data->GetCells(get_, [&](const Cell* cells, size_t count) {
        if (count == 0) return;
        batch_.row_starts.push_back(static_cast<uint32_t>(batch_.cells.size()));
        for (const Cell& found : std::span(cells, count)) {
          Cell& cell = batch_.cells.emplace_back(found);
          cell.key = heap_.Add(cell.flat_key()).data();
          cell.value = heap_.Add(cell.value_view()).data();
        }
      }));
    }
    return Status::Ok();
  }

  ExecContext* const context_;
  const std::shared_ptr<const TableScanSpec> spec_;
  RowRangeReader* const at_hand_;  // the table, if it may have rows without a copy of them
  std::vector<Bytes> points_;
  const std::unique_ptr<RowVerifier> verifier_;  // null: rows are taken as they are
  size_t next_ = 0;
  Get get_;
  CellBatch batch_;
  std::vector<std::shared_ptr<const void>> pins_;
  StringHeap heap_;
  RowDecoder decoder_;
  int64_t rows_left_;
};

class EmptyOperator : public Operator {
 public:
  explicit EmptyOperator(std::shared_ptr<const TableScanSpec> spec) : spec_(std::move(spec)) {}
  Status Next(DataChunk* chunk) override {
    PrepareChunk(*spec_, chunk);
    return Status::Ok();
  }

 private:
  const std::shared_ptr<const TableScanSpec> spec_;
};

class TableMorsels : public Morsels {
 public:
  TableMorsels(ExecContext* context, std::shared_ptr<const TableScanSpec> spec,
               std::vector<RowRange> ranges)
      : context_(context), spec_(std::move(spec)), ranges_(std::move(ranges)) {}

  size_t count() const override { return ranges_.size(); }
  Result<std::unique_ptr<Operator>> Open(size_t index) override {
    return std::unique_ptr<Operator>(std::make_unique<RangeScanOperator>(
        context_, spec_, std::vector<RowRange>{ranges_[index]}));
  }

 private:
  ExecContext* const context_;
  const std::shared_ptr<const TableScanSpec> spec_;
  const std::vector<RowRange> ranges_;
};

}  // namespace

Scan MakeScan(ExecContext* context, const TableScanSpec& spec, const RowRange& range) {
  Scan scan;
  scan.cache_blocks = spec.cache_blocks;
  SetRun(context, spec, &scan);
  SetRange(spec, range, &scan);
  scan.columns = WantedColumns(spec);
  scan.raw = ReadsRaw(spec);
  if (scan.raw) scan.max_versions = std::numeric_limits<int32_t>::max();
  scan.reversed = spec.reversed;
  scan.navigator = spec.reversed ? nullptr : spec.keys.navigator;
  scan.filter = spec.filter;
  // A filter over one family would have the others read for rows that pass only, which HBase does
  // not do backwards.
  if (spec.reversed) scan.load_families_on_demand = false;
  return scan;
}

namespace {

// Each key by a call of its own would cost more than all by one. Keys of a local index have their
// region before them, which a filter of whole keys knows nothing of.
bool ReadsPointsByRange(const TableScanSpec& spec) {
  const bool in_order = !spec.ordered || (!spec.reversed && !spec.table->is_salted());
  return spec.remote && spec.keys.kind == KeyScan::Kind::kPoints && spec.keys.points.size() > 1 &&
         in_order && !spec.table->is_local_index();
}

Result<std::unique_ptr<Operator>> OpenPointsByRange(ExecContext* context,
                                                    const TableScanSpec& spec) {
  auto ranged = std::make_shared<TableScanSpec>(spec);
  ASSIGN_OR_RETURN(FilterPtr points, MakePointsFilter(spec.keys.points));
  ranged->filter =
      BothFilters(std::move(points), spec.filter == nullptr ? nullptr : spec.filter->Clone());
  ranged->reversed = false;
  std::vector<RowRange> range = {{spec.keys.points.front(), true, spec.keys.points.back(), true}};
  return std::unique_ptr<Operator>(
      std::make_unique<RangeScanOperator>(context, std::move(ranged), std::move(range)));
}

}  // namespace

std::unique_ptr<RepeatedScan> MakeRepeatedScan(std::shared_ptr<const TableScanSpec> spec) {
  if (spec->ordered && spec->table->is_salted()) {
    return std::make_unique<RepeatedMerge>(std::move(spec));
  }
  return std::make_unique<RangeScanOperator>(std::move(spec));
}

Result<std::unique_ptr<Operator>> OpenTableScan(ExecContext* context,
                                                std::shared_ptr<const TableScanSpec> spec) {
  std::unique_ptr<Operator> scan;
  if (spec->keys.kind == KeyScan::Kind::kDegenerate) {
    scan = std::make_unique<EmptyOperator>(std::move(spec));
  } else if (ReadsPointsByRange(*spec)) {
    ASSIGN_OR_RETURN(scan, OpenPointsByRange(context, *spec));
  } else if (spec->keys.kind == KeyScan::Kind::kPoints &&
             (ReadsRaw(*spec) || spec->step != nullptr)) {
    // Reads by key know no raw cells, and do not tell which files they left out.
    std::vector<RowRange> ranges;
    for (const Bytes& point : PointsInOrder(*spec)) ranges.push_back({point, true, point, true});
    scan = std::make_unique<RangeScanOperator>(context, std::move(spec), std::move(ranges));
  } else if (spec->keys.kind == KeyScan::Kind::kPoints) {
    scan = std::make_unique<PointsOperator>(context, std::move(spec));
  } else if (spec->ordered && spec->table->is_salted() && spec->keys.ranges.size() > 1) {
    scan = std::make_unique<MergeScanOperator>(context, std::move(spec));
  } else {
    std::vector<RowRange> ranges = spec->keys.ranges;
    if (spec->reversed) std::reverse(ranges.begin(), ranges.end());
    scan = std::make_unique<RangeScanOperator>(context, std::move(spec), std::move(ranges));
  }
  return scan;
}

namespace {

// Cuts the range at some of the guide posts in it, if they are enough to cut it 'count' times; else
// what is on disk says more.
std::vector<RowRange> CutAtGuidePosts(const RowRange& range, const catalog::GuidePosts& posts,
                                      size_t count) {
  std::vector<const Bytes*> inside;
  for (const catalog::GuidePost& post : posts) {
    if (post.key > range.start && (range.stop.empty() || post.key < range.stop)) {
      inside.push_back(&post.key);
    }
  }
  std::vector<RowRange> parts;
  if (inside.size() < count) return parts;
  RowRange rest = range;
  for (size_t i = 1; i < count; ++i) {
    RowRange part = rest;
    part.stop = *inside[i * inside.size() / count];
    part.stop_inclusive = false;
    rest.start = part.stop;
    rest.start_inclusive = true;
    parts.push_back(std::move(part));
  }
  parts.push_back(std::move(rest));
  return parts;
}

}  // namespace

Result<std::unique_ptr<Morsels>> SplitTableScan(ExecContext* context,
                                                std::shared_ptr<const TableScanSpec> spec,
                                                size_t workers) {
  std::unique_ptr<Morsels> morsels;
  const bool ranged =
      spec->keys.kind != KeyScan::Kind::kDegenerate && spec->keys.kind != KeyScan::Kind::kPoints;
  if (!ranged || spec->ordered || spec->row_limit >= 0) return morsels;
  const size_t wanted = workers * kMorselsPerWorker;
  const size_t per_range = std::max<size_t>(2, wanted / spec->keys.ranges.size());
  std::vector<RowRange> ranges;
  std::shared_ptr<const catalog::GuidePosts> posts;
  if (spec->guide_posts != nullptr) {
    ASSIGN_OR_RETURN(posts, spec->guide_posts->Get());
  }
  for (const RowRange& range : spec->keys.ranges) {
    std::vector<RowRange> parts;
    if (posts != nullptr) parts = CutAtGuidePosts(range, *posts, per_range);
    if (parts.empty()) {
      ASSIGN_OR_RETURN(parts, spec->data->SplitRange(range, per_range));
    }
    ranges.insert(ranges.end(), parts.begin(), parts.end());
  }
  // Nothing is large enough to be cut: one thread does it, and sums of doubles come out in key
  // order.
  if (ranges.size() == spec->keys.ranges.size()) return morsels;
  morsels = std::make_unique<TableMorsels>(context, std::move(spec), std::move(ranges));
  return morsels;
}

}  // namespace bennu::sql::exec
