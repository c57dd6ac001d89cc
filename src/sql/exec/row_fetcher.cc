#include "src/sql/exec/row_fetcher.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "bennu/filter.h"
#include "src/api/store_tools.h"
#include "src/base/status_macros.h"

namespace bennu::sql::exec {
namespace {

// Rows that are pinned at a time. Each may pin a block of its own, so that they are few.
constexpr size_t kPinnedRowsMax = 128;
// A filter with more keys takes a server longer to read than a further request.
constexpr size_t kKeysOfScanMax = 1024;

}  // namespace

RowFetcher::RowFetcher(std::shared_ptr<Table> table, std::map<Bytes, std::set<Bytes>> columns)
    : table_(std::move(table)), at_hand_(StoreTools::RowsAtHand(table_.get())) {
  get_.columns = std::move(columns);
}

RowFetcher::RowFetcher(ExecContext* context, std::shared_ptr<Table> table,
                       std::map<Bytes, std::set<Bytes>> columns)
    : RowFetcher(std::move(table), std::move(columns)) {
  Begin(context);
}

void RowFetcher::Begin(ExecContext* context) {
  context_ = context;
  get_.time_range = context_->options().time_range;
  get_.consistency = context_->options().consistency;
  get_.snapshot = context_->snapshot();
}

void RowFetcher::End() {
  context_ = nullptr;
  get_.snapshot = nullptr;
  cells_.clear();
  found_.clear();
  heap_.Clear();
}

Status RowFetcher::Fetch(std::span<const Bytes> keys) {
  order_.resize(keys.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(),
            [&](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
  place_.resize(keys.size());
  size_t count = 0;
  for (const uint32_t key : order_) {
    if (count == 0 || sorted_[count - 1] != keys[key]) {
      if (count == sorted_.size()) sorted_.emplace_back();
      sorted_[count++] = keys[key];
    }
    place_[key] = static_cast<uint32_t>(count - 1);
  }
  sorted_.resize(count);
  found_sorted_.assign(count, {});
  cells_.clear();
  heap_.Clear();
  next_ = 0;
  if (count == 1) {
    RETURN_IF_ERROR(ReadOne());
  } else {
    RETURN_IF_ERROR(at_hand_ != nullptr ? ReadSorted() : ReadByScan());
  }
  found_.resize(keys.size());
  size_t rows = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    found_[i] = found_sorted_[place_[i]];
    rows += found_[i].second > 0 ? 1 : 0;
  }
  Scanner::Metrics metrics;
  metrics.rows = rows;
  context_->CountScan(metrics);
  context_->CountRowsRead(rows);
  return Status::Ok();
}

Status RowFetcher::ReadOne() {
  RETURN_IF_ERROR(context_->CheckCancelled());
  get_.row = sorted_[0];
  return table_->GetCells(get_, [this](const Cell* cells, size_t count) {
    if (count > 0) Keep(0, std::span(cells, count));
  });
}

Status RowFetcher::ReadSorted() {
  for (size_t begin = 0; begin < sorted_.size(); begin += kPinnedRowsMax) {
    RETURN_IF_ERROR(context_->CheckCancelled());
    const size_t count = std::min(kPinnedRowsMax, sorted_.size() - begin);
    batch_.Clear();
    const std::span<const Bytes> rows = std::span<const Bytes>(sorted_).subspan(begin, count);
    RETURN_IF_ERROR(at_hand_->ReadRows(rows, &get_, &batch_, &pins_));
    Take(batch_);
    batch_.Clear();
    pins_.clear();
  }
  return Status::Ok();
}

Status RowFetcher::ReadByScan() {
  for (size_t begin = 0; begin < sorted_.size(); begin += kKeysOfScanMax) {
    const size_t count = std::min(kKeysOfScanMax, sorted_.size() - begin);
    std::vector<RowRange> rows;
    for (size_t i = begin; i < begin + count; ++i) {
      rows.push_back({sorted_[i], true, sorted_[i], true});
    }
    Scan scan;
    scan.range = {sorted_[begin], true, sorted_[begin + count - 1], true};
    scan.columns = get_.columns;
    scan.time_range = get_.time_range;
    scan.consistency = get_.consistency;
    scan.snapshot = get_.snapshot;
    ASSIGN_OR_RETURN(scan.filter, NewMultiRowRangeFilter(std::move(rows)));
    ASSIGN_OR_RETURN(const std::unique_ptr<Scanner> scanner, table_->OpenScanner(scan));
    do {
      RETURN_IF_ERROR(context_->CheckCancelled());
      RETURN_IF_ERROR(scanner->Next(VectorSize(), &batch_));
      Take(batch_);
    } while (batch_.row_count() > 0);
  }
  return Status::Ok();
}

void RowFetcher::Take(const CellBatch& batch) {
  for (size_t i = 0; i < batch.row_count(); ++i) {
    const uint32_t begin = batch.row_starts[i];
    const std::span<const Cell> row(&batch.cells[begin], batch.row_end(i) - begin);
    const ByteView key = row.front().row();
    while (next_ < sorted_.size() && sorted_[next_] < key) ++next_;
    // Stores that do not know the filter give the rows between as well.
    if (next_ == sorted_.size() || sorted_[next_] != key) continue;
    Keep(next_, row);
  }
}

void RowFetcher::Keep(size_t place, std::span<const Cell> row) {
  found_sorted_[place] = {cells_.size(), row.size()};
  for (const Cell& found : row) {
    Cell& cell = cells_.emplace_back(found);
    cell.key = heap_.Add(found.flat_key()).data();
    cell.value = heap_.Add(found.value_view()).data();
  }
}

}  // namespace bennu::sql::exec
