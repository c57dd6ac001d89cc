#include "src/engine/table.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "src/api/scan_of_get.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/cell/comparator.h"
#include "src/cell/row_copy.h"
#include "src/engine/directory/meta_rows.h"
#include "src/engine/store/range_reader.h"
#include "src/engine/store/row_reader.h"
#include "src/engine/store/rows_reader.h"
#include "src/engine/table_scanner.h"

namespace bennu::engine {

namespace {

// A batch on its way: ends when every part has, and deletes itself then.
class BatchWrite final : public WriteCompletion {
 public:
  // 'attended': see wal::SyncWaiter.
  BatchWrite(EngineCore* core, bool attended, std::function<void(Status)> done)
      : core_(core), attended_(attended), done_(std::move(done)) {}

  // The write of one more region; PartDone is due for it.
  RegionWrite* AddPart() {
    parts_left_.fetch_add(1, std::memory_order_relaxed);
    if (!first_) return &first_.emplace(&core_->mvcc, this, attended_);
    further_.push_back(std::make_unique<RegionWrite>(&core_->mvcc, this, attended_));
    return further_.back().get();
  }

  void PartDone(const Status& status) override {
    if (!status.ok()) {
      core_->NoteWriteOutcome(status);
      MutexLock lock(&mu_);
      if (outcome_.ok()) outcome_ = status;
    }
    if (parts_left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    Status outcome;
    {
      MutexLock lock(&mu_);
      outcome = std::move(outcome_);
    }
    const auto done = std::move(done_);
    delete this;
    done(std::move(outcome));
  }

 private:
  EngineCore* const core_;
  const bool attended_;
  std::function<void(Status)> done_;
  std::atomic<size_t> parts_left_{1};  // one for the thread that hands the parts in
  std::optional<RegionWrite> first_;   // most batches are of one region
  std::vector<std::unique_ptr<RegionWrite>> further_;
  Mutex mu_;
  Status outcome_ GUARDED_BY(mu_);
};

// Fills *order with the indexes of the rows by key, equal ones in the order of the batch.
void OrderRows(const MutationBatch& batch, std::vector<uint32_t>* order) {
  order->resize(batch.rows().size());
  struct Place {
    ByteView row;
    uint32_t index;
  };
  thread_local std::vector<Place> places;
  places.clear();
  bool sorted = true;
  for (const MutationBatch::Row& row : batch.rows()) {
    const ByteView key = batch.row_key(row);
    sorted = sorted && (places.empty() || cell::CompareRows(places.back().row, key) <= 0);
    places.push_back({key, static_cast<uint32_t>(places.size())});
  }
  if (sorted) return std::iota(order->begin(), order->end(), 0);
  std::sort(places.begin(), places.end(), [](const Place& left, const Place& right) {
    const int rows = cell::CompareRows(left.row, right.row);
    return rows != 0 ? rows < 0 : left.index < right.index;
  });
  std::transform(places.begin(), places.end(), order->begin(),
                 [](const Place& place) { return place.index; });
}

bool IsOfOneRegion(const MutationBatch& batch, const RegionList& regions) {
  if (batch.empty() || regions.size() == 1) return !batch.empty();
  const auto& info = regions[FindRegion(regions, batch.row_key(batch.rows().front()))]->info();
  return std::all_of(batch.rows().begin(), batch.rows().end(), [&](const MutationBatch::Row& row) {
    return info.Contains(batch.row_key(row));
  });
}

Status CheckGet(const Get& get) {
  if (get.row.empty()) return InvalidArgument("a Get needs a row; it is empty");
  return Status::Ok();
}

// A smaller piece of a scan takes longer to start than to read. The environment variable
// BENNU_SCAN_PIECE_BYTES sets it lower, so that tests have many pieces in small tables.
uint64_t PieceBytesMin() {
  static const uint64_t bytes = [] {
    constexpr uint64_t kUsual = uint64_t{256} << 10;
    const char* text = std::getenv("BENNU_SCAN_PIECE_BYTES");
    const uint64_t given = text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
    return given > 0 ? given : kUsual;
  }();
  return bytes;
}

// The part of [range] that lies in the region.
RowRange Intersect(const RowRange& range, const RegionInfo& info) {
  RowRange part = range;
  if (info.start_key > part.start) {
    part.start = info.start_key;
    part.start_inclusive = true;
  }
  if (!info.end_key.empty() && (part.stop.empty() || info.end_key <= part.stop)) {
    part.stop = info.end_key;
    part.stop_inclusive = false;
  }
  return part;
}

}  // namespace

std::vector<RegionInfo> EngineTable::regions() const {
  std::vector<RegionInfo> infos;
  const auto regions = entry_->regions();
  for (const auto& region : *regions) infos.push_back(region->info());
  return infos;
}

Status EngineTable::CheckExists() const { return entry_->CheckUsable(); }

Status EngineTable::CheckWritable() const {
  RETURN_IF_ERROR(CheckExists());
  RETURN_IF_ERROR(core_->gate.Check());
  return core_->memory.WaitForRoom();
}

// ---- writing

Status EngineTable::Write(MutationBatch* batch) { return Mutate(batch, nullptr); }

Status EngineTable::Mutate(MutationBatch* batch, std::vector<Row>* results) {
  return SubmitAndWait(batch, results, /*whole=*/false);
}

Status EngineTable::MutateAtomically(MutationBatch* batch, std::vector<Row>* results) {
  return SubmitAndWait(batch, results, /*whole=*/true);
}

Status EngineTable::SubmitAndWait(MutationBatch* batch, std::vector<Row>* results, bool whole) {
  if (results != nullptr) {
    results->clear();
    results->resize(batch->row_count());
  }
  WaitedCompletion completion(core_->services.wal);
  Submit(batch, results, whole, /*attended=*/true,
         [&completion](const Status& status) { completion.PartDone(status); });
  return completion.Wait();
}

Status EngineTable::MutateEach(MutationBatch* batch, std::vector<Outcome>* outcomes) {
  RETURN_IF_ERROR(CheckWritable());
  outcomes->clear();
  outcomes->resize(batch->row_count());
  if (batch->plain() && IsOfOneRegion(*batch, *entry_->regions())) {
    // The usual case needs no copies; one that is not sound is found out about below.
    const Status status = Mutate(batch, nullptr);
    if (status.code() != StatusCode::kInvalidArgument) {
      for (Outcome& outcome : *outcomes) outcome.status = status;
      return Status::Ok();
    }
  }
  std::vector<uint32_t> run;  // neighbours that read nothing are written together
  for (uint32_t i = 0; i < batch->row_count(); ++i) {
    const MutationKind kind = batch->rows()[i].kind;
    const bool reads = kind == MutationKind::kIncrement || kind == MutationKind::kAppend;
    if (reads) WriteRun(*batch, &run, outcomes);
    run.push_back(i);
    if (reads) WriteRun(*batch, &run, outcomes);
  }
  WriteRun(*batch, &run, outcomes);
  return Status::Ok();
}

// Writes the mutations with these indexes, first all at once; if that does not work, those of a
// region that failed one by one, since one bad mutation must not harm the others.
void EngineTable::WriteRun(const MutationBatch& batch, std::vector<uint32_t>* run,
                           std::vector<Outcome>* outcomes) {
  const auto regions = entry_->regions();
  std::map<size_t, std::vector<uint32_t>> by_region;
  for (const uint32_t index : *run) {
    const ByteView row = batch.row_key(batch.rows()[index]);
    if (row.empty() || row.size() > kMaxRowLength) {
      (*outcomes)[index].status =
          InvalidArgument("a row key of " + std::to_string(row.size()) + " bytes; 1 to " +
                          std::to_string(kMaxRowLength) + " are possible");
      continue;
    }
    by_region[FindRegion(*regions, row)].push_back(index);
  }
  run->clear();
  const auto write = [&](std::span<const uint32_t> indexes) {
    MutationBatch part;
    part.durability = batch.durability;
    for (const uint32_t index : indexes) part.AddMutation(batch, index);
    std::vector<Row> results;
    const Status status = Mutate(&part, &results);
    for (size_t i = 0; i < indexes.size(); ++i) {
      (*outcomes)[indexes[i]].status = status;
      if (status.ok()) (*outcomes)[indexes[i]].result = std::move(results[i]);
    }
    return status.code() != StatusCode::kInvalidArgument;
  };
  for (const auto& [region, indexes] : by_region) {
    if (write(indexes) || indexes.size() == 1) continue;
    for (const uint32_t index : indexes) write(std::span(&index, 1));
  }
}

void EngineTable::WriteAsync(MutationBatch* batch, std::function<void(Status)> done) {
  Submit(batch, nullptr, /*whole=*/false, /*attended=*/false, std::move(done));
}

// 'whole': not when the rows are in several regions.
void EngineTable::Submit(MutationBatch* batch, std::vector<Row>* results, bool whole, bool attended,
                         std::function<void(Status)> done) {
  Status writable = CheckWritable();
  if (writable.ok()) writable = batch->Check().Annotate("table " + name().ToString());
  if (writable.ok()) writable = CheckCatalogBatch(name(), *batch);
  if (!writable.ok() || batch->empty()) return done(std::move(writable));
  thread_local std::vector<uint32_t> order;
  OrderRows(*batch, &order);
  std::shared_ptr<const RegionList> regions = entry_->regions();
  auto* const write = new BatchWrite(core_.get(), attended, std::move(done));
  RegionWrite* part = nullptr;
  for (size_t begin = 0; begin < order.size();) {
    const auto& region =
        (*regions)[FindRegion(*regions, batch->row_key(batch->rows()[order[begin]]))];
    const Bytes& end_key = region->info().end_key;
    size_t end = order.size();
    if (!end_key.empty() && batch->row_key(batch->rows()[order.back()]) >= ByteView(end_key)) {
      const auto beyond = std::lower_bound(
          order.begin() + static_cast<ptrdiff_t>(begin), order.end(), ByteView(end_key),
          [&](uint32_t row, ByteView key) { return batch->row_key(batch->rows()[row]) < key; });
      end = static_cast<size_t>(beyond - order.begin());
    }
    if (part == nullptr) part = write->AddPart();
    if (whole && end < order.size()) {
      write->PartDone(
          InvalidArgument("table " + name().ToString() + ": row '" +
                          ToStringBinary(batch->row_key(batch->rows()[order[end]])) +
                          "' is in another region than the first row of its atomic batch"));
      break;
    }
    // A flush waits for what this batch has in the log already.
    if (attended && region->writer()->is_overfull()) core_->services.wal->Lead();
    Status status = region->writer()->WaitForRoom();
    if (status.ok()) {
      status = region->writer()->Write(batch, std::span(&order[begin], end - begin), part, results);
    }
    if (status.code() == StatusCode::kAborted) {
      // The change waits for what this batch has in the log already.
      if (attended) core_->services.wal->Lead();
      status = region->writer()->WaitWhileFrozen();
      regions = entry_->regions();
      if (status.ok()) continue;  // perhaps in other regions
    }
    part = nullptr;
    if (!status.ok()) write->PartDone(status);
    begin = end;
  }
  write->PartDone(Status::Ok());
}

// Calls 'body' with the region of 'row' until it is done in one that stays.
template <typename T, typename Body>
Result<T> EngineTable::InRegionOf(ByteView row, Body body) const {
  for (;;) {
    const std::shared_ptr<const RegionList> regions = entry_->regions();
    const auto& region = (*regions)[FindRegion(*regions, row)];
    Result<T> result = body(region.get());
    if (result.status().code() != StatusCode::kAborted) return result;
    RETURN_IF_ERROR(region->writer()->WaitWhileFrozen());
  }
}

Result<bool> EngineTable::CheckAndWrite(const Condition& condition, MutationBatch* batch) {
  return Check(condition, batch, nullptr);
}

namespace {

// The cells of all in one.
Row Merge(const std::vector<Row>& rows) {
  std::vector<Cell> cells;
  for (const Row& row : rows) cells.insert(cells.end(), row.cells.begin(), row.cells.end());
  return cell::CopyRow(cells.data(), cells.size());
}

}  // namespace

Result<Table::CheckedResult> EngineTable::CheckAndMutate(const Condition& condition,
                                                         MutationBatch* batch) {
  std::vector<Row> rows(batch->row_count());
  CheckedResult checked;
  ASSIGN_OR_RETURN(checked.success, Check(condition, batch, &rows));
  checked.result = Merge(rows);
  return checked;
}

Status EngineTable::CheckCondition(const Condition& condition, const MutationBatch& batch) const {
  RETURN_IF_ERROR(CheckWritable());
  if (condition.row.empty()) return InvalidArgument("a check needs a row; it is empty");
  return CheckCatalogBatch(name(), batch);
}

Result<bool> EngineTable::Check(const Condition& condition, MutationBatch* batch,
                                std::vector<Row>* results) {
  RETURN_IF_ERROR(CheckCondition(condition, *batch));
  WaitedCompletion completion(core_->services.wal);
  RegionWrite write(&core_->mvcc, &completion, /*is_attended=*/true);
  ASSIGN_OR_RETURN(const bool applied,
                   InRegionOf<bool>(condition.row, [&](Region* region) -> Result<bool> {
                     RETURN_IF_ERROR(region->writer()->WaitForRoom());
                     return region->writer()->CheckAndWrite(condition, batch, &write, results);
                   }));
  const Status status = completion.Wait();
  core_->NoteWriteOutcome(status);
  RETURN_IF_ERROR(status);
  return applied;
}

// ---- for those who do not wait

void EngineTable::MutateAsync(MutationBatch* batch, std::vector<Row>* results,
                              std::function<void(Status)> done) {
  if (results != nullptr) {
    results->clear();
    results->resize(batch->row_count());
  }
  // A flush waits for what is handed in already.
  if (core_->memory.wants_flush()) LeadLog();
  Submit(batch, results, /*whole=*/false, /*attended=*/true, std::move(done));
}

void EngineTable::CheckAndMutateAsync(const Condition& condition, MutationBatch* batch,
                                      CheckedResult* result, std::function<void(Status)> done) {
  if (core_->memory.wants_flush()) LeadLog();
  if (Status sound = CheckCondition(condition, *batch); !sound.ok()) return done(std::move(sound));
  const auto check = [&](Region* region, RegionWrite* write, std::vector<Row>* rows) {
    return region->writer()->CheckAndWrite(condition, batch, write, rows);
  };
  SubmitCheck(condition.row, batch->row_count(), result, check, std::move(done));
}

void EngineTable::CheckRowsAndMutateAsync(std::span<const Condition> conditions,
                                          MutationBatch* batch, CheckedResult* result,
                                          std::function<void(Status)> done) {
  if (core_->memory.wants_flush()) LeadLog();
  for (const Condition& condition : conditions) {
    if (Status sound = CheckCondition(condition, *batch); !sound.ok())
      return done(std::move(sound));
  }
  const auto check = [&](Region* region, RegionWrite* write, std::vector<Row>* rows) {
    return region->writer()->CheckRowsAndWrite(conditions, batch, write, rows);
  };
  SubmitCheck(conditions.front().row, batch->row_count(), result, check, std::move(done));
}

template <typename Asked>
void EngineTable::SubmitCheck(ByteView row, size_t results_count, CheckedResult* result,
                              Asked check, std::function<void(Status)> done) {
  std::vector<Row> rows(results_count);
  auto* const write = new BatchWrite(core_.get(), /*attended=*/true, std::move(done));
  RegionWrite* const part = write->AddPart();
  const Result<bool> applied = InRegionOf<bool>(row, [&](Region* region) -> Result<bool> {
    if (region->writer()->is_overfull()) LeadLog();
    RETURN_IF_ERROR(region->writer()->WaitForRoom());
    return check(region, part, &rows);
  });
  if (applied.ok()) {
    result->success = *applied;
    result->result = Merge(rows);
  } else {
    write->PartDone(applied.status());
  }
  write->PartDone(Status::Ok());
}

void EngineTable::LeadLog() {
  if (core_->services.wal != nullptr) core_->services.wal->LeadUnsynced();
}

// ---- reading

Result<std::unique_ptr<Scanner>> EngineTable::OpenScanner(const Scan& scan) {
  ASSIGN_OR_RETURN(std::unique_ptr<TableScanner> scanner, TableScanner::Open(core_, entry_, scan));
  return std::unique_ptr<Scanner>(std::move(scanner));
}

Result<std::unique_ptr<PausableScanner>> EngineTable::OpenPausableScanner(const Scan& scan) {
  ASSIGN_OR_RETURN(std::unique_ptr<TableScanner> scanner, TableScanner::Open(core_, entry_, scan));
  return std::unique_ptr<PausableScanner>(std::move(scanner));
}

bool EngineTable::HasRegion(const RegionInfo& region) const {
  const std::shared_ptr<const RegionList> regions = entry_->regions();
  const RegionInfo& there = (*regions)[FindRegion(*regions, region.start_key)]->info();
  return there.region_id == region.region_id && there.start_key == region.start_key &&
         there.end_key == region.end_key;
}

Result<bool> EngineTable::ReadRange(const Scan& scan, size_t rows_max, CellBatch* batch,
                                    std::vector<std::shared_ptr<const void>>* pins,
                                    Scanner::Metrics* metrics) {
  RETURN_IF_ERROR(CheckExists());
  if (scan.columns.size() != 1 || !IsShortScan(scan)) return false;
  const auto* snapshot = dynamic_cast<const EngineSnapshot*>(scan.snapshot.get());
  if (snapshot == nullptr) return InvalidArgument("the snapshot is of another store");
  const std::shared_ptr<const RegionList> regions = entry_->regions();
  const auto& region =
      (*regions)[FindRegion(*regions, scan.reversed ? scan.range.stop : scan.range.start)];
  const Bytes& end_key = region->info().end_key;
  const Bytes& high = scan.reversed ? scan.range.start : scan.range.stop;
  if (!end_key.empty() && high > end_key) return false;
  ASSIGN_OR_RETURN(const std::shared_ptr<const StoreSet> stores, region->OpenedStores());
  const int store = stores->Find(scan.columns.begin()->first);
  if (store < 0) return false;  // a scanner says what is wrong
  return ReadRangeAtHand(*stores->entries[static_cast<size_t>(store)].store, scan,
                         snapshot->read_point(), core_->clock.NowMillis(), rows_max, batch, pins,
                         metrics);
}

Status EngineTable::GetCells(const Get& get, const std::function<void(const Cell*, size_t)>& use) {
  RETURN_IF_ERROR(CheckExists());
  RETURN_IF_ERROR(CheckGet(get));
  if (get.filter != nullptr) return ReadFilteredRow(get, use);
  if (get.snapshot != nullptr) {
    const auto* snapshot = dynamic_cast<const EngineSnapshot*>(get.snapshot.get());
    if (snapshot == nullptr) return InvalidArgument("the snapshot is of another store");
    return ReadRow(get, snapshot->read_point(), use);
  }
  const ReadPoints::Guard guard(&core_->read_points);
  return ReadRow(get, guard.read_point(), use);
}

namespace {

// Of the families that the Get names, or all.
bool Wants(const Get& get, const Bytes& family) {
  return get.columns.empty() || get.columns.contains(family);
}

}  // namespace

Status EngineTable::CheckFamilies(const Get& get, const StoreSet& stores) const {
  for (const auto& [family, qualifiers] : get.columns) {
    if (stores.Find(family) < 0) {
      return InvalidArgument("table " + entry_->name().ToString() + " has no family '" +
                             ToStringBinary(family) + "'");
    }
  }
  return Status::Ok();
}

Status EngineTable::ReadRow(const Get& get, uint64_t read_point,
                            const std::function<void(const Cell*, size_t)>& use) const {
  RowReader::Lease reader;
  reader->Ask(get);
  const std::shared_ptr<const RegionList> regions = entry_->regions();
  ASSIGN_OR_RETURN(const std::shared_ptr<const StoreSet> stores,
                   (*regions)[FindRegion(*regions, get.row)]->OpenedStores());
  RETURN_IF_ERROR(CheckFamilies(get, *stores));
  const int64_t now_millis = core_->clock.NowMillis();
  for (const auto& store : stores->entries) {
    if (!Wants(get, store.family)) continue;
    RETURN_IF_ERROR(reader->Read(*store.store, read_point, now_millis));
  }
  use(reader->cells().data(), reader->cells().size());
  return Status::Ok();
}

Status EngineTable::ReadRows(std::span<const Bytes> rows, Get* get, CellBatch* batch,
                             std::vector<std::shared_ptr<const void>>* pins) {
  RETURN_IF_ERROR(CheckExists());
  const auto* snapshot = dynamic_cast<const EngineSnapshot*>(get->snapshot.get());
  if (snapshot == nullptr) return InvalidArgument("the snapshot is of another store");
  const int64_t now_millis = core_->clock.NowMillis();
  const std::shared_ptr<const RegionList> regions = entry_->regions();
  Region* region = nullptr;  // of the row before
  std::shared_ptr<const StoreSet> stores;
  std::vector<std::unique_ptr<RowsReader>> readers;  // of its stores that are read
  Scan scan;
  MakeScanOf(*get, &scan);
  RowReader::Lease reader;
  for (const Bytes& row : rows) {
    get->row = row;
    RETURN_IF_ERROR(CheckGet(*get));
    scan.range.start = row;
    scan.range.stop = row;
    if (region == nullptr || !region->info().Contains(row)) {
      region = (*regions)[FindRegion(*regions, row)].get();
      readers.clear();
      ASSIGN_OR_RETURN(stores, region->OpenedStores());
      RETURN_IF_ERROR(CheckFamilies(*get, *stores));
      for (const auto& store : stores->entries) {
        if (!Wants(*get, store.family)) continue;
        readers.push_back(
            std::make_unique<RowsReader>(*store.store, &scan, snapshot->read_point(), now_millis));
      }
    }
    const size_t before = batch->cells.size();
    for (const auto& store_rows : readers) {
      ASSIGN_OR_RETURN(const bool at_hand, store_rows->Read(&batch->cells, pins));
      if (at_hand) continue;
      const size_t first = reader->cells().size();
      reader->Ask(*get);
      RETURN_IF_ERROR(reader->Read(store_rows->store(), snapshot->read_point(), now_millis));
      batch->cells.insert(batch->cells.end(),
                          reader->cells().begin() + static_cast<ptrdiff_t>(first),
                          reader->cells().end());
    }
    if (batch->cells.size() > before) batch->row_starts.push_back(static_cast<uint32_t>(before));
  }
  reader->MovePins(pins);
  return Status::Ok();
}

// As in HBase a Get is a scan of one row, and a filter gives it the same.
Status EngineTable::ReadFilteredRow(const Get& get,
                                    const std::function<void(const Cell*, size_t)>& use) const {
  Scan scan;
  MakeScanOf(get, &scan);
  scan.filter = get.filter;
  scan.snapshot = get.snapshot;
  ASSIGN_OR_RETURN(const auto scanner, TableScanner::Open(core_, entry_, scan));
  CellBatch batch;
  RETURN_IF_ERROR(scanner->Next(1, &batch));
  use(batch.cells.data(), batch.cells.size());
  return Status::Ok();
}

Result<Row> EngineTable::GetRow(const Get& get) {
  Row row;
  RETURN_IF_ERROR(GetCells(
      get, [&row](const Cell* cells, size_t count) { row = cell::CopyRow(cells, count); }));
  return row;
}

Result<std::vector<RowRange>> EngineTable::SplitRange(const RowRange& range, size_t count) {
  RETURN_IF_ERROR(CheckExists());
  struct Part {
    RowRange range;
    std::shared_ptr<const StoreSet> stores;
    uint64_t bytes = 0;
  };
  std::vector<Part> parts;
  uint64_t total = 0;
  const std::shared_ptr<const RegionList> list = entry_->regions();
  const RegionList& regions = *list;
  for (size_t i = range.start.empty() ? 0 : FindRegion(regions, range.start); i < regions.size();
       ++i) {
    const RegionInfo& info = regions[i]->info();
    const bool beyond =
        !range.stop.empty() &&
        (range.stop_inclusive ? info.start_key > range.stop : info.start_key >= range.stop);
    if (beyond && !parts.empty()) break;
    ASSIGN_OR_RETURN(const std::shared_ptr<const StoreSet> stores, regions[i]->OpenedStores());
    Part part = {Intersect(range, info), stores, 1};
    for (const auto& entry : part.stores->entries) {
      part.bytes += entry.store->size_bytes() + entry.store->memstore_bytes();
    }
    total += part.bytes;
    parts.push_back(std::move(part));
  }
  count = std::max<size_t>(1, std::min<uint64_t>(count, total / PieceBytesMin()));
  // Each region gets pieces by its share of the bytes; where there are more regions than pieces
  // wanted, neighbours are joined instead.
  std::vector<RowRange> ranges;
  uint64_t bytes_before = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    const size_t first_piece = bytes_before * count / total;
    bytes_before += part.bytes;
    size_t pieces = bytes_before * count / total - first_piece;
    if (count < parts.size()) {
      pieces = 1;
      if (!ranges.empty() && first_piece < ranges.size()) {
        ranges.back().stop = part.range.stop;
        ranges.back().stop_inclusive = part.range.stop_inclusive;
        continue;
      }
    } else {
      // One at least must be left for each region that follows.
      pieces = std::clamp<size_t>(pieces, 1, count - ranges.size() - (parts.size() - i - 1));
    }
    std::vector<Bytes> cuts;
    if (pieces > 1) {
      const Store* largest = nullptr;
      for (const auto& entry : part.stores->entries) {
        const auto size = [](const Store& store) {
          return store.size_bytes() + store.memstore_bytes();
        };
        if (largest == nullptr || size(*entry.store) > size(*largest)) largest = entry.store.get();
      }
      ASSIGN_OR_RETURN(cuts, largest->SplitRows(part.range, pieces));
    }
    RowRange rest = part.range;
    for (const Bytes& cut : cuts) {
      if (cut <= rest.start || (!rest.stop.empty() && cut >= rest.stop)) continue;
      RowRange piece = rest;
      piece.stop = cut;
      piece.stop_inclusive = false;
      ranges.push_back(std::move(piece));
      rest.start = cut;
      rest.start_inclusive = true;
    }
    ranges.push_back(std::move(rest));
  }
  return ranges;
}

}  // namespace bennu::engine
