#include "tests/support/memory_store.h"

#include <algorithm>

#include "src/base/check.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"

namespace bennu::testing {
namespace {

class MemorySnapshot : public Snapshot {
 public:
  explicit MemorySnapshot(uint64_t sequence) : sequence(sequence) {}
  const uint64_t sequence;
};

}  // namespace

MemoryStore::MemoryStore(std::function<int64_t()> clock) : clock_(std::move(clock)) {
  if (!clock_) clock_ = [] { return Env::Default()->NowMillis(); };
}

MemoryStore::~MemoryStore() = default;

Result<std::shared_ptr<MemoryTable>> MemoryStore::Find(const TableName& name) {
  const auto it = tables_.find(name);
  if (it == tables_.end()) return NotFound("table " + name.ToString() + " does not exist");
  return it->second;
}

Result<std::shared_ptr<Table>> MemoryStore::OpenTable(const TableName& name) {
  std::lock_guard lock(mu_);
  ASSIGN_OR_RETURN(std::shared_ptr<Table> table, Find(name));
  return table;
}

std::shared_ptr<const Snapshot> MemoryStore::TakeSnapshot() {
  std::lock_guard lock(mu_);
  auto snapshot = std::make_shared<MemorySnapshot>(sequence_);
  std::erase_if(snapshots_, [](const auto& other) { return other.second.expired(); });
  snapshots_.emplace(sequence_, snapshot);
  return snapshot;
}

int64_t MemoryStore::NowMillis() {
  std::lock_guard lock(mu_);
  return NowLocked();
}

int64_t MemoryStore::NowLocked() {
  last_now_ms_ = std::max(last_now_ms_, clock_());
  return last_now_ms_;
}

uint64_t MemoryStore::OldestNeeded() {
  std::erase_if(snapshots_, [](const auto& snapshot) { return snapshot.second.expired(); });
  return snapshots_.empty() ? sequence_ : snapshots_.begin()->first;
}

uint64_t MemoryStore::write_count() const {
  std::lock_guard lock(mu_);
  return write_count_;
}

// ---------------------------------------------------------------- administration

Status MemoryStore::CreateTable(const TableDescriptor& descriptor,
                                const std::vector<Bytes>& split_keys) {
  std::lock_guard lock(mu_);
  RETURN_IF_ERROR(descriptor.Validate());
  for (const auto& family : descriptor.families) {
    if (family.new_version_behavior()) return NotSupported("NEW_VERSION_BEHAVIOR in the model");
  }
  if (tables_.contains(descriptor.name)) {
    return AlreadyExists("table " + descriptor.name.ToString() + " exists");
  }
  if (!namespaces_.contains(descriptor.name.name_space)) {
    return NotFound("namespace " + descriptor.name.name_space + " does not exist");
  }
  std::vector<Bytes> keys = split_keys;
  std::sort(keys.begin(), keys.end());
  if (std::adjacent_find(keys.begin(), keys.end()) != keys.end() ||
      (!keys.empty() && keys.front().empty())) {
    return InvalidArgument("split keys of " + descriptor.name.ToString() +
                           " must be distinct and not empty");
  }
  std::vector<RegionInfo> regions;
  for (size_t i = 0; i <= keys.size(); ++i) {
    RegionInfo region;
    region.table = descriptor.name;
    region.region_id = ++region_id_;
    if (i > 0) region.start_key = keys[i - 1];
    if (i < keys.size()) region.end_key = keys[i];
    regions.push_back(std::move(region));
  }
  tables_[descriptor.name] = std::make_shared<MemoryTable>(this, descriptor, std::move(regions));
  return Status::Ok();
}

Status MemoryStore::DropTable(const TableName& name) {
  std::lock_guard lock(mu_);
  ASSIGN_OR_RETURN(std::shared_ptr<MemoryTable> table, Find(name));
  table->dropped_ = true;
  tables_.erase(name);
  return Status::Ok();
}

Status MemoryStore::AlterTable(const TableDescriptor& descriptor) {
  std::lock_guard lock(mu_);
  RETURN_IF_ERROR(descriptor.Validate());
  ASSIGN_OR_RETURN(std::shared_ptr<MemoryTable> table, Find(descriptor.name));
  std::erase_if(table->cells_, [&](const MemoryCell& cell) {
    return descriptor.FindFamily(cell.family) == nullptr;
  });
  table->descriptor_ = descriptor;
  return Status::Ok();
}

Status MemoryStore::DisableTable(const TableName& name) { return SetEnabled(name, false); }
Status MemoryStore::EnableTable(const TableName& name) { return SetEnabled(name, true); }

Status MemoryStore::SetEnabled(const TableName& name, bool enabled) {
  std::lock_guard lock(mu_);
  ASSIGN_OR_RETURN(std::shared_ptr<MemoryTable> table, Find(name));
  if (table->disabled_ != enabled) {
    return FailedPrecondition("table " + name.ToString() + " is so already");
  }
  table->disabled_ = !enabled;
  return Status::Ok();
}

Result<bool> MemoryStore::IsTableEnabled(const TableName& name) {
  std::lock_guard lock(mu_);
  ASSIGN_OR_RETURN(std::shared_ptr<MemoryTable> table, Find(name));
  return !table->disabled_;
}

Result<bool> MemoryStore::TableExists(const TableName& name) {
  std::lock_guard lock(mu_);
  return tables_.contains(name);
}

Result<std::vector<TableName>> MemoryStore::ListTables() {
  std::lock_guard lock(mu_);
  std::vector<TableName> names;
  for (const auto& [name, table] : tables_) names.push_back(name);
  return names;
}

Status MemoryStore::CreateNamespace(const std::string& name) {
  std::lock_guard lock(mu_);
  if (!namespaces_.insert(name).second) return AlreadyExists("namespace " + name + " exists");
  return Status::Ok();
}

Status MemoryStore::DropNamespace(const std::string& name) {
  std::lock_guard lock(mu_);
  for (const auto& [table_name, table] : tables_) {
    if (table_name.name_space == name) {
      return FailedPrecondition("namespace " + name + " is not empty");
    }
  }
  if (namespaces_.erase(name) == 0) return NotFound("namespace " + name + " does not exist");
  return Status::Ok();
}

Result<std::vector<std::string>> MemoryStore::ListNamespaces() {
  std::lock_guard lock(mu_);
  return std::vector<std::string>(namespaces_.begin(), namespaces_.end());
}

Status MemoryStore::Flush(const TableName& name) {
  std::lock_guard lock(mu_);
  return Find(name).status();
}

Status MemoryStore::Compact(const TableName& name, bool major) {
  std::lock_guard lock(mu_);
  ASSIGN_OR_RETURN(std::shared_ptr<MemoryTable> table, Find(name));
  if (major) table->CompactMajor();
  return Status::Ok();
}

// ---------------------------------------------------------------- reads

namespace {

// Appends the cell's flat key, value and tags to 'memory'; the views of 'cell' are set by Point
// once 'memory' does not move any more.
void AppendCell(const MemoryCell& from, Bytes* memory, Cell* cell) {
  const size_t begin = memory->size();
  memory->push_back(static_cast<char>(from.row.size() >> 8));
  memory->push_back(static_cast<char>(from.row.size()));
  memory->append(from.row);
  memory->push_back(static_cast<char>(from.family.size()));
  memory->append(from.family);
  memory->append(from.qualifier);
  for (int shift = 56; shift >= 0; shift -= 8) {
    memory->push_back(static_cast<char>(static_cast<uint64_t>(from.timestamp) >> shift));
  }
  memory->push_back(static_cast<char>(from.type));
  cell->key_length = static_cast<uint32_t>(memory->size() - begin);
  memory->append(from.value);
  cell->value_length = static_cast<uint32_t>(from.value.size());
  memory->append(from.tags);
  cell->tags_length = static_cast<uint32_t>(from.tags.size());
  cell->sequence_id = from.sequence;
}

void PointInto(const char* memory, std::vector<Cell>* cells) {
  for (Cell& cell : *cells) {
    cell.key = memory;
    cell.value = cell.key + cell.key_length;
    cell.tags = cell.value + cell.value_length;
    memory = cell.tags + cell.tags_length;
  }
}

struct CopiedRow {
  Bytes memory;
  std::vector<Cell> cells;
};

std::unique_ptr<CopiedRow> CopyCells(const std::vector<const MemoryCell*>& cells) {
  auto row = std::make_unique<CopiedRow>();
  for (const MemoryCell* cell : cells) {
    AppendCell(*cell, &row->memory, &row->cells.emplace_back());
  }
  PointInto(row->memory.data(), &row->cells);
  return row;
}

class MemoryScanner : public Scanner {
 public:
  MemoryScanner(std::vector<std::unique_ptr<CopiedRow>> rows, Metrics metrics)
      : rows_(std::move(rows)), metrics_(metrics) {}

  Status Next(size_t row_limit, CellBatch* batch) override {
    batch->Clear();
    // What was handed out before is no longer promised: free it, so that a sanitizer sees misuse.
    for (; released_ < next_; ++released_) rows_[released_].reset();
    for (; next_ < rows_.size() && batch->row_count() < row_limit; ++next_) {
      const std::vector<Cell>& cells = rows_[next_]->cells;
      batch->row_starts.push_back(static_cast<uint32_t>(batch->cells.size()));
      batch->cells.insert(batch->cells.end(), cells.begin(), cells.end());
    }
    return Status::Ok();
  }
  Metrics metrics() const override { return metrics_; }

 private:
  std::vector<std::unique_ptr<CopiedRow>> rows_;
  size_t next_ = 0;
  size_t released_ = 0;
  Metrics metrics_;
};

bool InRange(const RowRange& range, const Bytes& row, bool reversed) {
  const auto before = [&](const Bytes& a, const Bytes& b) { return reversed ? b < a : a < b; };
  if (!range.start.empty()) {
    if (before(row, range.start)) return false;
    if (row == range.start && !range.start_inclusive) return false;
  }
  if (!range.stop.empty()) {
    if (before(range.stop, row)) return false;
    if (row == range.stop && !range.stop_inclusive) return false;
  }
  return true;
}

uint64_t SequenceOf(const std::shared_ptr<const Snapshot>& snapshot, uint64_t newest) {
  if (snapshot == nullptr) return newest;
  return static_cast<const MemorySnapshot&>(*snapshot).sequence;
}

}  // namespace

MemoryTable::MemoryTable(MemoryStore* store, TableDescriptor descriptor,
                         std::vector<RegionInfo> regions)
    : store_(store),
      name_(descriptor.name),
      descriptor_(std::move(descriptor)),
      regions_(std::move(regions)) {
  std::sort(descriptor_.families.begin(), descriptor_.families.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
}

Status MemoryTable::CheckOpen() const {
  if (dropped_) return NotFound("table " + name_.ToString() + " was dropped");
  if (disabled_) return FailedPrecondition("table " + name_.ToString() + " is disabled");
  return Status::Ok();
}

TableDescriptor MemoryTable::descriptor() const {
  std::lock_guard lock(store_->mu_);
  return descriptor_;
}

std::vector<RegionInfo> MemoryTable::regions() const {
  std::lock_guard lock(store_->mu_);
  return regions_;
}

std::vector<const MemoryCell*> MemoryTable::CellsOfRow(ByteView row, uint64_t sequence_max) const {
  MemoryCell first;
  first.row = Bytes(row);
  first.timestamp = std::numeric_limits<int64_t>::max();
  first.type = CellType::kMaximum;
  std::vector<const MemoryCell*> cells;
  for (auto it = cells_.lower_bound(first); it != cells_.end() && it->row == row; ++it) {
    if (it->sequence <= sequence_max) cells.push_back(&*it);
  }
  return cells;
}

Status MemoryTable::CheckColumns(const std::map<Bytes, std::set<Bytes>>& columns) const {
  for (const auto& [family, qualifiers] : columns) {
    if (descriptor_.FindFamily(family) != nullptr) continue;
    return InvalidArgument("table " + name_.ToString() + " has no family '" + family + "'");
  }
  return Status::Ok();
}

Result<std::unique_ptr<Scanner>> MemoryTable::OpenScanner(const Scan& scan) {
  std::lock_guard lock(store_->mu_);
  RETURN_IF_ERROR(CheckOpen());
  RETURN_IF_ERROR(CheckColumns(scan.columns));
  const uint64_t sequence_max = SequenceOf(scan.snapshot, store_->sequence_);
  const VisibilityRequest request{scan.time_range,
                                  scan.columns,
                                  scan.max_versions,
                                  scan.raw,
                                  store_->NowLocked(),
                                  scan.family_time_ranges,
                                  scan.max_results_per_family,
                                  scan.row_offset_per_family};
  std::vector<Bytes> rows;
  for (const MemoryCell& cell : cells_) {
    if (rows.empty() || rows.back() != cell.row) rows.push_back(cell.row);
  }
  if (scan.reversed) std::reverse(rows.begin(), rows.end());
  std::unique_ptr<RowNavigator> navigator;
  if (scan.navigator != nullptr) navigator = scan.navigator->Clone();

  Scanner::Metrics metrics;
  std::vector<std::unique_ptr<CopiedRow>> found;
  Bytes seek_row;
  for (const Bytes& row : rows) {
    if (scan.row_limit >= 0 && found.size() >= static_cast<size_t>(scan.row_limit)) break;
    if (!InRange(scan.range, row, scan.reversed) || row < seek_row) continue;
    const auto all = CellsOfRow(row, sequence_max);
    if (all.empty()) continue;
    if (navigator != nullptr) {
      Bytes target;
      const RowNavigator::Decision decision = navigator->Navigate(row, &target);
      if (decision == RowNavigator::Decision::kDone) break;
      if (decision == RowNavigator::Decision::kSeek) {
        BENNU_CHECK(target > row);
        seek_row = std::move(target);
        ++metrics.seeks;
        continue;
      }
    }
    metrics.cells_seen += all.size();
    const auto visible = VisibleCells(descriptor_, all, request);
    if (!visible.empty()) found.push_back(CopyCells(visible));
  }
  metrics.rows = found.size();
  return std::unique_ptr<Scanner>(std::make_unique<MemoryScanner>(std::move(found), metrics));
}

Status MemoryTable::GetCells(const Get& get, const std::function<void(const Cell*, size_t)>& use) {
  std::unique_ptr<CopiedRow> row;
  {
    std::lock_guard lock(store_->mu_);
    RETURN_IF_ERROR(CheckOpen());
    if (get.row.empty()) return InvalidArgument("a Get needs a row");
    RETURN_IF_ERROR(CheckColumns(get.columns));
    const VisibilityRequest request{get.time_range,
                                    get.columns,
                                    get.max_versions,
                                    false,
                                    store_->NowLocked(),
                                    get.family_time_ranges,
                                    get.max_results_per_family,
                                    get.row_offset_per_family};
    row = CopyCells(VisibleCells(
        descriptor_, CellsOfRow(get.row, SequenceOf(get.snapshot, store_->sequence_)), request));
  }
  use(row->cells.data(), row->cells.size());
  return Status::Ok();
}

Result<Row> MemoryTable::GetRow(const Get& get) {
  Row row;
  RETURN_IF_ERROR(GetCells(get, [&](const Cell* cells, size_t count) {
    if (count == 0) return;
    size_t size = 0;
    for (size_t i = 0; i < count; ++i) {
      size += cells[i].key_length + cells[i].value_length + cells[i].tags_length;
    }
    row.memory = std::make_unique<char[]>(size);
    std::copy_n(cells[0].key, size, row.memory.get());
    row.cells.assign(cells, cells + count);
    PointInto(row.memory.get(), &row.cells);
  }));
  return row;
}

Result<std::vector<RowRange>> MemoryTable::SplitRange(const RowRange& range, size_t count) {
  std::lock_guard lock(store_->mu_);
  RETURN_IF_ERROR(CheckOpen());
  std::vector<RowRange> parts = {range};
  for (const RegionInfo& region : regions_) {
    const Bytes& border = region.start_key;
    if (parts.size() >= count || border.empty() || border <= range.start) continue;
    if (!range.stop.empty() && border >= range.stop) continue;
    RowRange next = parts.back();
    next.start = border;
    next.start_inclusive = true;
    parts.back().stop = border;
    parts.back().stop_inclusive = false;
    parts.push_back(std::move(next));
  }
  return parts;
}

void MemoryTable::CompactMajor() {
  VisibilityRequest request;
  request.max_versions = std::numeric_limits<int32_t>::max();
  request.now_ms = store_->NowLocked();
  const uint64_t needed = store_->OldestNeeded();
  MemoryCells kept;
  for (auto it = cells_.begin(); it != cells_.end();) {
    const auto row = CellsOfRow(it->row, needed);
    for (const MemoryCell* cell : VisibleCells(descriptor_, row, request)) kept.insert(*cell);
    std::advance(it, CellsOfRow(it->row, store_->sequence_).size());
  }
  for (const MemoryCell& cell : cells_) {
    if (cell.sequence > needed) kept.insert(cell);  // a snapshot wants to see what was before it
    const ColumnFamilyDescriptor* family = descriptor_.FindFamily(cell.family);
    if (family->keep_deleted_cells() != KeepDeletedCells::kFalse) kept.insert(cell);
  }
  cells_ = std::move(kept);
}

}  // namespace bennu::testing
