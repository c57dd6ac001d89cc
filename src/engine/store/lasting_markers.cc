#include "src/engine/store/lasting_markers.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/cell/expiry.h"
#include "src/engine/store/store_scanner.h"

namespace bennu::engine {

namespace {

constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();
constexpr uint64_t kReaderOfEverything = std::numeric_limits<uint64_t>::max();

// What hides puts: of the write itself, or of what was there before.
struct HidingMarkers {
  int64_t family = kNoTime;  // everything up to here
  std::set<int64_t> family_versions;
  int64_t column = kNoTime;   // of the current column
  int64_t version = kNoTime;  // likewise; they come newest first

  void Add(const Cell& marker) {
    switch (marker.type()) {
      case CellType::kDeleteFamily: family = std::max(family, marker.timestamp()); break;
      case CellType::kDeleteFamilyVersion: family_versions.insert(marker.timestamp()); break;
      case CellType::kDeleteColumn: column = std::max(column, marker.timestamp()); break;
      default: version = marker.timestamp(); break;
    }
  }
  bool HidesUpTo(int64_t timestamp) const { return timestamp <= std::max(family, column); }
  bool HidesVersion(int64_t timestamp) const {
    return timestamp == version || family_versions.contains(timestamp);
  }
};

// The write's cells in one row of one store: what the row is to be read for.
class WrittenColumns {
 public:
  explicit WrittenColumns(std::span<const WrittenCell* const> cells) {
    for (const WrittenCell* const one : cells) {
      const Cell& cell = one->cell;
      switch (cell.type()) {
        case CellType::kPut: AddPut(cell); break;
        case CellType::kDelete: deletes_.insert(cell.qualifier()); break;
        case CellType::kDeleteFamilyVersion: of_family_ = true; break;
        default: break;
      }
    }
  }

  bool empty() const { return puts_.empty() && deletes_.empty() && !of_family_; }
  // A version of the column is deleted, now or later.
  bool Deletes(ByteView column) const { return of_family_ || deletes_.contains(column); }
  bool Wants(ByteView column) const { return Deletes(column) || puts_.contains(column); }
  // The first column behind this one that is wanted, unless all are; null: there is none.
  const ByteView* WantedBehind(ByteView column) const {
    const auto put = puts_.upper_bound(column);
    const auto deleted = deletes_.upper_bound(column);
    if (put == puts_.end()) return deleted == deletes_.end() ? nullptr : &*deleted;
    if (deleted == deletes_.end()) return &*put;
    return &std::min(*put, *deleted);
  }
  bool wants_all() const { return of_family_; }

 private:
  // One with a time to live of its own deletes itself.
  void AddPut(const Cell& put) {
    (cell::HasOwnTtl(put) ? deletes_ : puts_).insert(put.qualifier());
  }

  std::set<ByteView> puts_;
  std::set<ByteView> deletes_;
  bool of_family_ = false;
};

// Looks at all versions and markers of a row, in HBase's order.
class RowWalk {
 public:
  RowWalk(const WrittenColumns& written, const FamilyRules& family, MutationBatch* markers)
      : written_(written),
        family_(family),
        ttl_millis_(cell::TtlMillisOf(family.ttl_seconds, 0)),
        markers_(markers) {}

  void Add(const Cell& cell) {
    const ByteView column = cell.qualifier();
    if (!started_ || column != ByteView(column_)) Enter(column);
    const bool own = cell.sequence_id >= kOverlaySequenceId;
    if (cell.type() != CellType::kPut) {
      (own ? own_ : before_).Add(cell);
    } else if (!done_ && written_.Wants(column)) {
      AddPut(cell, own);
    }
  }
  // The column that was seen last; valid until Add.
  const Bytes& column() const { return column_; }
  // Whether more of that column matters.
  bool wants_more() const { return !done_ && written_.Wants(column_); }

 private:
  void Enter(ByteView column) {
    started_ = true;
    column_.assign(column);
    done_ = false;
    versions_ = 0;
    last_version_ = kNoTime;
    newer_last_ = kNoTime;
    for (HidingMarkers* const hiding : {&own_, &before_})
      hiding->column = hiding->version = kNoTime;
  }

  void AddPut(const Cell& put, bool own) {
    const int64_t timestamp = put.timestamp();
    if (own_.HidesUpTo(timestamp)) {
      done_ = true;
      return;
    }
    if (timestamp != last_version_) ++versions_;
    last_version_ = timestamp;
    const bool hidden = before_.HidesUpTo(timestamp);
    const bool is_new_and_hidden = hidden && own;
    const bool newer_may_go = written_.Deletes(column_) || newer_last_ != kNoTime;
    const bool is_one_too_many = !hidden && newer_may_go && MayBeDropped(put);
    if (cell::HasOwnTtl(put)) {
      newer_last_ = std::max(newer_last_, cell::LastMoment(put, cell::kNeverExpires));
    }
    if (is_new_and_hidden || is_one_too_many) {
      BeginMutation(put.row());
      markers_->DeleteColumn(put.family(), column_, timestamp);
      done_ = true;
    } else if (own && before_.HidesVersion(timestamp) && !own_.HidesVersion(timestamp)) {
      BeginMutation(put.row());
      markers_->DeleteVersion(put.family(), column_, timestamp);
    }
  }

  // By a flush or compaction, while newer versions are there.
  bool MayBeDropped(const Cell& put) const {
    if (versions_ > family_.max_versions) return true;
    return family_.min_versions > 0 && versions_ > family_.min_versions &&
           cell::LastMoment(put, ttl_millis_) < newer_last_;
  }

  void BeginMutation(ByteView row) {
    if (!has_mutation_) markers_->StartRow(row);
    has_mutation_ = true;
  }

  const WrittenColumns& written_;
  const FamilyRules& family_;
  const int64_t ttl_millis_;
  MutationBatch* const markers_;
  bool has_mutation_ = false;
  bool started_ = false;
  Bytes column_;
  bool done_ = false;     // nothing older of the column matters
  int32_t versions_ = 0;  // of the column so far, deleted ones too
  int64_t last_version_ = kNoTime;
  int64_t newer_last_ = kNoTime;  // when the last of them goes that expire by their own TTL
  HidingMarkers own_;
  HidingMarkers before_;
};

}  // namespace

Status AddLastingMarkers(const Store& store, const std::shared_ptr<MemStore>& overlay,
                         std::span<const WrittenCell* const> cells, int64_t now_millis,
                         MutationBatch* markers) {
  Store::Reading reading = store.StartReading();
  if (reading.family->new_version_behavior) return Status::Ok();
  const WrittenColumns written(cells);
  if (written.empty()) return Status::Ok();
  StoreView view = *reading.view;
  view.memstores.insert(view.memstores.begin(), overlay);
  reading.view = std::make_shared<const StoreView>(std::move(view));

  Scan scan;
  const Bytes row(cells.front()->cell.row());
  scan.range.start = scan.range.stop = row;
  scan.range.stop_inclusive = true;
  scan.raw = true;
  scan.max_versions = std::numeric_limits<int32_t>::max();
  const std::shared_ptr<const FamilyRules> family = reading.family;
  RowWalk walk(written, *family, markers);
  ASSIGN_OR_RETURN(const auto scanner,
                   store.OpenScanner(std::move(reading), scan, kReaderOfEverything, now_millis));
  ASSIGN_OR_RETURN(const ByteView found, scanner->PeekRow());
  if (found.empty()) return Status::Ok();
  std::vector<Cell> part;
  for (bool done = false; !done;) {
    part.clear();
    RETURN_IF_ERROR(scanner->NextPart(&part, &done));
    for (const Cell& cell : part) walk.Add(cell);
    if (done) break;
    scanner->Unpin();
    if (written.wants_all() || walk.wants_more()) continue;
    const ByteView* const next = written.WantedBehind(walk.column());
    if (next == nullptr) return scanner->EndRow();
    scanner->SkipToColumn(*next);
  }
  return Status::Ok();
}

}  // namespace bennu::engine
