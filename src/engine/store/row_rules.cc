#include "src/engine/store/row_rules.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "src/cell/tags.h"
#include "src/engine/store/version_tracker.h"

namespace bennu::engine {

namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::min();

int32_t VersionLimit(const FamilyRules& family, const Scan& scan, bool rewriting) {
  if (rewriting) return family.max_versions;
  // The scan's own limit counts what the filter lets through.
  if (scan.filter != nullptr) {
    return scan.raw ? std::numeric_limits<int32_t>::max() : family.max_versions;
  }
  return scan.raw ? scan.max_versions : std::min(scan.max_versions, family.max_versions);
}

// Where the qualifier stands is the same in every cell of a row, but for family markers, which have
// an empty one.
struct RowLayout {
  explicit RowLayout(const Cell& first)
      : before_qualifier(3 + first.row_length() + first.family_length()) {}
  ByteView Qualifier(const Cell& cell) const {
    return ByteView(cell.key + before_qualifier, cell.key_length - before_qualifier - 9);
  }
  uint32_t before_qualifier;
};

// Cells of a block by index, made when looked at.
struct BlockCells {
  const hfile::Block& block;
  uint32_t begin;
  Cell operator[](size_t i) const { return block.CellAt(begin + static_cast<uint32_t>(i)); }
};

}  // namespace

// The markers of a row met so far. Markers of a column come before its puts, family markers before
// all columns, newest first, so that one timestamp per kind is enough for most.
struct RowRules::DeleteTracker {
  int64_t family = kNever;  // hides everything up to here
  std::vector<int64_t> family_versions;
  int64_t column = kNever;  // of the current column
  int64_t version = kNever;
  bool any = false;

  void Add(CellType type, int64_t timestamp) {
    any = true;
    switch (type) {
      case CellType::kDeleteFamily: family = std::max(family, timestamp); break;
      case CellType::kDeleteFamilyVersion: family_versions.push_back(timestamp); break;
      case CellType::kDeleteColumn: column = std::max(column, timestamp); break;
      default: version = timestamp; break;
    }
  }
  void NextColumn() { column = version = kNever; }
  // For a cell that is hidden: whether HBase takes it that every older one of the column is too. A
  // marker of one version of the family hides before one of the column is asked.
  bool HidesOlder(int64_t timestamp) const {
    return timestamp <= family || (timestamp <= column && !HidesVersionOfFamily(timestamp));
  }
  bool Hides(int64_t timestamp) const {
    return timestamp <= family || timestamp <= column || timestamp == version ||
           HidesVersionOfFamily(timestamp);
  }
  bool HidesVersionOfFamily(int64_t timestamp) const {
    return !family_versions.empty() && std::find(family_versions.begin(), family_versions.end(),
                                                 timestamp) != family_versions.end();
  }
};

struct RowRules::ColumnState {
  ByteView qualifier;
  bool started = false;
  bool done = false;  // nothing older of it is kept, or shown
  int32_t versions = 0;
  int64_t last_timestamp = 0;
  CellType last_type = CellType::kMaximum;  // of the cell before; none in a new column

  // Returns true when 'cell_qualifier' begins another column.
  bool Enter(ByteView cell_qualifier) {
    if (started && cell_qualifier == qualifier) return false;
    qualifier = cell_qualifier;
    started = true;
    done = false;
    versions = 0;
    last_type = CellType::kMaximum;
    return true;
  }
  // Puts of one timestamp are one version: the newest sequence id, which comes first.
  bool IsRepeat(int64_t timestamp) const { return versions > 0 && timestamp == last_timestamp; }
  void Count(int64_t timestamp) {
    ++versions;
    last_timestamp = timestamp;
  }
  // Whether the cell before in the column had this timestamp and type.
  bool Repeats(CellType type, int64_t timestamp) {
    const bool same = last_type == type && last_timestamp == timestamp;
    last_type = type;
    last_timestamp = timestamp;
    return same;
  }
};

struct RowRules::Progress::State {
  const std::vector<Bytes>* columns = nullptr;  // sorted; empty: all
  DeleteTracker deletes;
  ColumnState column;
  Bytes column_name;  // what 'column' points to between parts
  std::optional<VersionTracker> tracker;
  size_t wanted = 0;   // of 'columns', the one that is being read or comes next
  size_t counted = 0;  // cells that passed, for the scan's offset and limit
  bool first_column_over = false;
  bool jump = false;  // to next_column
  Bytes next_column;
  bool done = false;

  void Begin(const std::vector<Bytes>* columns_of_scan) {
    columns = columns_of_scan;
    deletes = DeleteTracker();
    column = ColumnState();
    tracker.reset();
    wanted = counted = 0;
    first_column_over = jump = done = false;
    next_column.clear();
  }
  // Its bytes may go with the part.
  void KeepColumn() {
    column_name.assign(column.qualifier);
    column.qualifier = column_name;
  }
  void JumpTo(ByteView qualifier) {
    if (jump && ByteView(next_column) >= qualifier) return;
    jump = true;
    next_column.assign(qualifier);
  }
  // Nothing before 'qualifier' is to be read.
  void Advance(ByteView qualifier) {
    JumpTo(qualifier);
    if (columns->empty()) return;
    while (wanted < columns->size() && (*columns)[wanted] < next_column) ++wanted;
    if (wanted == columns->size()) {
      done = first_column_over;
    } else {
      JumpTo((*columns)[wanted]);
    }
  }
  void AdvanceBehind(ByteView qualifier) {
    Bytes next(qualifier);
    next.push_back('\0');
    Advance(next);
  }
};

RowRules::Progress::Progress() = default;
RowRules::Progress::~Progress() = default;

bool RowRules::Progress::done() const { return state_->done; }

const Bytes* RowRules::Progress::next_column() const {
  return state_->jump && state_->first_column_over ? &state_->next_column : nullptr;
}

const Bytes* RowRules::Progress::only_column() const {
  static const Bytes kFirstColumn;
  const State& state = *state_;
  if (!state.first_column_over) {
    return state.jump || !state.columns->empty() ? &kFirstColumn : nullptr;
  }
  return state.wanted < state.columns->size() ? &(*state.columns)[state.wanted] : nullptr;
}

size_t RowRules::Progress::columns_left() const { return state_->columns->size() - state_->wanted; }

void RowRules::Progress::EndColumn(ByteView qualifier) {
  state_->first_column_over = true;
  state_->AdvanceBehind(qualifier);
}

void RowRules::Progress::Jumped() { state_->jump = false; }

void RowRules::Progress::SkipTo(ByteView qualifier) { state_->Advance(qualifier); }

FamilyRules::FamilyRules(const ColumnFamilyDescriptor& family, int64_t max_lookback_millis,
                         int64_t purge_deletes_millis, uint64_t row_bytes_max)
    : name(family.name),
      max_versions(family.max_versions()),
      min_versions(family.min_versions()),
      ttl_seconds(family.ttl_seconds()),
      keep_deleted(family.keep_deleted_cells()),
      new_version_behavior(family.new_version_behavior()),
      block_cache(family.block_cache()),
      max_lookback_millis(max_lookback_millis),
      purge_deletes_millis(purge_deletes_millis),
      row_bytes_max(row_bytes_max) {}

const TimeRange& TimeRangeOf(const Scan& scan, const Bytes& family) {
  const auto own = scan.family_time_ranges.find(family);
  return own == scan.family_time_ranges.end() ? scan.time_range : own->second;
}

RowRules::RowRules(const FamilyRules& family, const Scan& scan, const Options& options)
    : options_(options),
      time_range_(TimeRangeOf(scan, family.name)),
      raw_(scan.raw && !options.rewriting),
      version_limit_(VersionLimit(family, scan, options.rewriting)),
      family_versions_(family.max_versions),
      new_version_behavior_(family.new_version_behavior),
      // The first cell is given before HBase looks at the limit.
      cell_limit_(options.rewriting || scan.filter || scan.max_results_per_family < 0
                      ? -1
                      : std::max(scan.max_results_per_family, 1)),
      cell_offset_(options.rewriting || scan.filter ? 0 : scan.row_offset_per_family),
      min_versions_(family.min_versions),
      keep_deleted_(family.keep_deleted) {
  const int32_t ttl = family.ttl_seconds;
  if (ttl != kTtlForever && ttl > 0) {
    oldest_unexpired_ = options.now_millis - static_cast<int64_t>(ttl) * 1000;
  }
  if (const auto it = scan.columns.find(family.name); it != scan.columns.end()) {
    qualifiers_.assign(it->second.begin(), it->second.end());
  }
}

void RowRules::Apply(const Cell* cells, size_t count, std::vector<Cell>* out) const {
  Dispatch(cells, count, out);
}

void RowRules::ApplyBlock(const hfile::Block& block, uint32_t begin, uint32_t end,
                          std::vector<Cell>* out) const {
  Dispatch(BlockCells{block, begin}, end - begin, out);
}

template <typename Cells>
void RowRules::Dispatch(const Cells& cells, size_t count, std::vector<Cell>* out) const {
  if (count == 0) return;
  if (options_.rewriting) return ApplyRewrite(cells, count, nullptr, out);
  const size_t begin = out->size();
  if (raw_) {
    ApplyRaw(cells, count, nullptr, out);
  } else if (new_version_behavior_) {
    ApplyReadByWrites(cells, count, nullptr, out);
  } else {
    ApplyRead(cells, count, nullptr, out);
  }
  if (cell_limit_ >= 0 || cell_offset_ > 0) Trim(begin, /*before=*/0, out);
}

void RowRules::Trim(size_t begin, size_t before, std::vector<Cell>* out) const {
  const size_t found = out->size() - begin;
  const auto offset = static_cast<size_t>(std::max(cell_offset_, 0));
  const size_t skipped = std::min(found, offset - std::min(before, offset));
  const auto first = out->begin() + static_cast<ptrdiff_t>(begin);
  out->erase(first, first + static_cast<ptrdiff_t>(skipped));
  if (cell_limit_ < 0) return;
  const size_t given = before - std::min(before, offset);
  const auto limit = static_cast<size_t>(cell_limit_);
  out->resize(std::min(out->size(), begin + limit - std::min(given, limit)));
}

void RowRules::Begin(Progress* progress) const {
  if (progress->state_ == nullptr) progress->state_ = std::make_unique<Progress::State>();
  progress->state_->Begin(&qualifiers_);
  if (new_version_behavior_ && !raw_) progress->state_->tracker.emplace(family_versions_);
}

void RowRules::ApplyPart(const Cell* cells, size_t count, Progress* progress,
                         std::vector<Cell>* out) const {
  if (count == 0) return;
  Progress::State* const state = progress->state_.get();
  const size_t begin = out->size();
  if (options_.rewriting) {
    ApplyRewrite(cells, count, state, out);
    state->KeepColumn();
    return;
  }
  if (raw_) {
    ApplyRaw(cells, count, state, out);
  } else if (new_version_behavior_) {
    ApplyReadByWrites(cells, count, state, out);
  } else {
    ApplyRead(cells, count, state, out);
  }
  const size_t found = out->size() - begin;
  if (cell_limit_ >= 0 || cell_offset_ > 0) Trim(begin, state->counted, out);
  state->counted += found;
  if (cell_limit_ >= 0 &&
      static_cast<int64_t>(state->counted) >= int64_t{std::max(cell_offset_, 0)} + cell_limit_) {
    state->done = true;
  }
  state->KeepColumn();
  const Cell& last = cells[count - 1];
  if (last.qualifier().empty()) return;
  state->first_column_over = true;
  if (ColumnIsOver(last, *state)) {
    state->AdvanceBehind(last.qualifier());
  } else if (!qualifiers_.empty()) {
    state->Advance(last.qualifier());
  }
}

bool RowRules::ColumnIsOver(const Cell& last, const Progress::State& state) const {
  if (raw_ || new_version_behavior_) return false;
  const int64_t timestamp = last.timestamp();
  if (Expired(timestamp) && min_versions_ <= 0) return true;
  if (timestamp <= state.deletes.family) return true;
  if (!time_range_.all() && timestamp < time_range_.min) return true;
  if (state.column.qualifier != last.qualifier()) return false;
  return timestamp <= state.deletes.column || state.column.versions >= version_limit_;
}

bool RowRules::ExpiredByTag(const Cell& cell) const {
  if (cell.tags_length == 0) return false;
  const std::optional<int64_t> ttl = cell::FindTtlMillis(cell.tags_view());
  return ttl.has_value() && cell.timestamp() + *ttl < options_.now_millis;
}

bool RowRules::MarkerHides(int64_t timestamp) const {
  if (!time_range_.MarkerCounts(timestamp)) return false;
  // Markers newer than the range still hide, unless deleted cells are kept for looking back.
  if (keep_deleted_ == KeepDeletedCells::kFalse) return timestamp >= time_range_.min;
  return time_range_.Contains(timestamp);
}

bool RowRules::AppliesAlone(const std::vector<Cell>& cells, int64_t others_max_timestamp,
                            uint64_t others_max_sequence_id, Hidden* hidden) const {
  hidden->all = false;
  hidden->columns.clear();
  if (version_limit_ != 1) return false;
  for (const Cell& cell : cells) {
    if (cell.sequence_id > options_.read_point) continue;
    const int64_t timestamp = cell.timestamp();
    if (cell.tags_length > 0 || timestamp < others_max_timestamp) return false;
    const CellType type = cell.type();
    if (type == CellType::kPut) {
      // Of one version the newer write counts.
      if (timestamp == others_max_timestamp && cell.sequence_id < others_max_sequence_id) {
        return false;
      }
      continue;
    }
    if (!time_range_.all() || keep_deleted_ != KeepDeletedCells::kFalse) return false;
    switch (type) {
      case CellType::kDeleteFamily: hidden->all = true; break;
      case CellType::kDeleteColumn: hidden->columns.push_back(cell.qualifier()); break;
      default:  // of one version
        if (timestamp == others_max_timestamp) return false;
    }
  }
  return true;
}

template <typename Cells>
void RowRules::ApplyRead(const Cells& cells, size_t count, Progress::State* state,
                         std::vector<Cell>* out) const {
  const RowLayout layout(cells[0]);
  DeleteTracker deletes;
  ColumnState column;
  size_t wanted = 0;  // index of the next qualifier asked for
  if (state != nullptr) {
    deletes = std::move(state->deletes);
    column = state->column;
    wanted = state->wanted;
  }
  bool done = false;
  const bool all_columns = qualifiers_.empty();
  const bool all_time = time_range_.all();
  bool column_wanted = all_columns || (column.started && wanted < qualifiers_.size() &&
                                       qualifiers_[wanted] == column.qualifier);

  for (size_t i = 0; i < count; ++i) {
    const Cell& cell = cells[i];
    if (cell.sequence_id > options_.read_point) continue;
    const CellType type = cell.type();
    const int64_t timestamp = cell.timestamp();
    const bool expired = Expired(timestamp);
    if (expired && min_versions_ <= 0) continue;
    if (cell.tags_length > 0 && ExpiredByTag(cell)) continue;

    const ByteView qualifier = layout.Qualifier(cell);
    if (column.Enter(qualifier)) {
      deletes.NextColumn();
      if (!all_columns) {
        int order = -1;
        for (; wanted < qualifiers_.size(); ++wanted) {
          order = ByteView(qualifiers_[wanted]).compare(qualifier);
          if (order >= 0) break;
        }
        if (order < 0) {
          done = true;
          break;
        }
        column_wanted = order == 0;
      }
    }
    if (type != CellType::kPut) {
      if (MarkerHides(timestamp)) deletes.Add(type, timestamp);
      continue;
    }
    if (!column_wanted) continue;
    if (deletes.any && deletes.Hides(timestamp)) continue;
    if (!all_time && !time_range_.Contains(timestamp)) continue;
    if (column.IsRepeat(timestamp)) continue;
    column.Count(timestamp);
    if (column.versions > version_limit_) continue;
    if (expired && column.versions > min_versions_ && (all_columns || column.done)) continue;
    out->push_back(cell);
    if (all_columns) continue;
    // Of a column that a read names HBase shows the first expired version that MIN_VERSIONS does
    // not ask for, too (ExplicitColumnTracker.checkVersions).
    column.done = expired && column.versions >= min_versions_;
    // Nothing after the last version of the last column can pass.
    if (wanted + 1 == qualifiers_.size() && (column.done || column.versions == version_limit_)) {
      done = true;
      break;
    }
  }
  if (state == nullptr) return;
  state->deletes = std::move(deletes);
  state->column = column;
  state->wanted = wanted;
  state->done = done;
}

bool RowRules::Wants(ByteView qualifier) const {
  return qualifiers_.empty() ||
         std::binary_search(qualifiers_.begin(), qualifiers_.end(), qualifier, std::less<>());
}

// ApplyRead for NEW_VERSION_BEHAVIOR.
template <typename Cells>
void RowRules::ApplyReadByWrites(const Cells& cells, size_t count, Progress::State* state,
                                 std::vector<Cell>* out) const {
  const RowLayout layout(cells[0]);
  std::optional<VersionTracker> own;
  VersionTracker& tracker = state != nullptr ? *state->tracker : own.emplace(family_versions_);
  ColumnState column;
  if (state != nullptr) column = state->column;
  for (size_t i = 0; i < count; ++i) {
    const Cell& cell = cells[i];
    if (cell.sequence_id > options_.read_point || ExpiredByTag(cell)) continue;
    const int64_t timestamp = cell.timestamp();
    const ByteView qualifier = layout.Qualifier(cell);
    if (column.Enter(qualifier)) tracker.NextColumn();
    if (cell.type() != CellType::kPut) {
      if (MarkerHides(timestamp)) tracker.AddMarker(cell);
      continue;
    }
    if (!Wants(qualifier)) continue;
    if (tracker.Hides(cell) || !time_range_.Contains(timestamp)) continue;
    column.Count(timestamp);
    if (column.versions > version_limit_) continue;
    if (Expired(timestamp) && column.versions > min_versions_) continue;
    out->push_back(cell);
  }
  if (state != nullptr) state->column = column;
}

template <typename Cells>
void RowRules::ApplyRaw(const Cells& cells, size_t count, Progress::State* state,
                        std::vector<Cell>* out) const {
  const RowLayout layout(cells[0]);
  ColumnState column;
  if (state != nullptr) column = state->column;
  for (size_t i = 0; i < count; ++i) {
    const Cell& cell = cells[i];
    if (cell.sequence_id > options_.read_point || ExpiredByTag(cell)) continue;
    const int64_t timestamp = cell.timestamp();
    const ByteView qualifier = layout.Qualifier(cell);
    column.Enter(qualifier);
    if (!Wants(qualifier)) continue;
    if (!time_range_.Contains(timestamp)) continue;
    if (column.Repeats(cell.type(), timestamp)) continue;
    if (cell.type() == CellType::kPut) column.Count(timestamp);
    if (column.versions > version_limit_) continue;
    out->push_back(cell);
  }
  if (state != nullptr) state->column = column;
}

bool RowRules::KeepMarker(int64_t timestamp) const {
  if (!options_.drop_markers) return true;
  if (keep_deleted_ == KeepDeletedCells::kFalse) return false;
  if (keep_deleted_ == KeepDeletedCells::kTtl && Expired(timestamp)) return false;
  return timestamp >= options_.earliest_put_timestamp;  // a put may still need it
}

// Whether the cell is within the family's limits; kept markers are looked at too when all files
// take part, but do not count. With the first that is not the column is done.
bool RowRules::CountsInRewrite(const Cell& cell, bool expired, ColumnState* column) const {
  if (column->Repeats(cell.type(), cell.timestamp())) return false;
  if (cell.type() == CellType::kPut) ++column->versions;
  column->done = column->versions > version_limit_ || (expired && column->versions > min_versions_);
  return !column->done;
}

// A column that is done loses its older cells, markers among them, as in HBase; but that without a
// qualifier its puts only: markers of the family stand among them (HBASE-18471).
template <typename Cells>
void RowRules::ApplyRewrite(const Cells& cells, size_t count, Progress::State* state,
                            std::vector<Cell>* out) const {
  const RowLayout layout(cells[0]);
  DeleteTracker deletes;
  std::optional<VersionTracker> own;
  if (new_version_behavior_ && state == nullptr) own.emplace(family_versions_);
  std::optional<VersionTracker>& tracker = state != nullptr ? state->tracker : own;
  ColumnState column;
  if (state != nullptr) {
    deletes = std::move(state->deletes);
    column = state->column;
  }
  for (size_t i = 0; i < count; ++i) {
    const Cell& cell = cells[i];
    const int64_t timestamp = cell.timestamp();
    if (cell.sequence_id > options_.read_point || timestamp >= options_.keep_from_millis) {
      out->push_back(cell);  // a reader may need the state before it, and the one with it
      continue;
    }
    const bool expired = Expired(timestamp);
    if ((expired && min_versions_ <= 0) || ExpiredByTag(cell)) continue;
    if (column.Enter(layout.Qualifier(cell))) {
      deletes.NextColumn();
      if (tracker) tracker->NextColumn();
    }
    if (column.done && (cell.type() == CellType::kPut || !column.qualifier.empty())) continue;
    if (tracker && !options_.drop_markers) {
      out->push_back(cell);  // what comes later, or is in other files, can change the count
      continue;
    }
    if (cell.type() != CellType::kPut) {
      if (keep_deleted_ == KeepDeletedCells::kFalse ||
          (keep_deleted_ == KeepDeletedCells::kTtl && expired)) {
        tracker ? tracker->AddMarker(cell) : deletes.Add(cell.type(), timestamp);
      }
      if (timestamp >= options_.keep_markers_from_millis) {
        out->push_back(cell);
        continue;
      }
      if (!KeepMarker(timestamp)) continue;
      if (options_.drop_markers && !CountsInRewrite(cell, expired, &column)) continue;
    } else {
      if (tracker && tracker->Hides(cell)) continue;
      if (deletes.any && deletes.Hides(timestamp)) {
        column.done = deletes.HidesOlder(timestamp);
        continue;
      }
      if (!CountsInRewrite(cell, expired, &column)) continue;
    }
    out->push_back(cell);
    // With every file taking part no older cell can be confused with this one.
    if (options_.drop_markers && !tracker) out->back().sequence_id = 0;
  }
  if (state == nullptr) return;
  state->deletes = std::move(deletes);
  state->column = column;
}

}  // namespace bennu::engine
