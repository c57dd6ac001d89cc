#include "src/sql/index/row_reads.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "bennu/filter.h"
#include "src/base/status_macros.h"
#include "src/cell/row_copy.h"

namespace bennu::sql::index {
namespace {

// A filter with more keys takes a server longer to read than a further request.
constexpr size_t kKeysOfScanMax = 1024;
constexpr size_t kRowsPerCall = 256;

Status ReadSome(Table* table, std::span<const Bytes> keys, std::span<const size_t> order,
                const std::map<Bytes, std::set<Bytes>>& columns, std::vector<Row>* rows) {
  std::vector<RowRange> ranges;
  for (const size_t key : order) ranges.push_back({keys[key], true, keys[key], true});
  Scan scan;
  scan.range = {ranges.front().start, true, ranges.back().start, true};
  scan.columns = columns;
  scan.max_versions = std::numeric_limits<int32_t>::max();
  ASSIGN_OR_RETURN(scan.filter, NewMultiRowRangeFilter(std::move(ranges)));
  ASSIGN_OR_RETURN(const auto scanner, table->OpenScanner(scan));
  CellBatch found;
  size_t next = 0;
  for (;;) {
    RETURN_IF_ERROR(scanner->Next(kRowsPerCall, &found));
    if (found.row_count() == 0) return Status::Ok();
    for (size_t i = 0; i < found.row_count(); ++i) {
      const uint32_t begin = found.row_starts[i];
      const ByteView row = found.cells[begin].row();
      while (next < order.size() && keys[order[next]] < row) ++next;
      if (next == order.size() || keys[order[next]] != row) continue;
      (*rows)[order[next]] = cell::CopyRow(&found.cells[begin], found.row_end(i) - begin);
    }
  }
}

Scan AllStored(const Bytes& key) {
  Scan scan;
  scan.range = {key, true, key, true};
  scan.raw = true;
  scan.max_versions = std::numeric_limits<int32_t>::max();
  return scan;
}

}  // namespace

Status ReadRowsByKey(Table* table, std::span<const Bytes> keys,
                     const std::map<Bytes, std::set<Bytes>>& columns, std::vector<Row>* rows) {
  rows->clear();
  rows->resize(keys.size());
  if (keys.size() == 1) {
    Get get;
    get.row = keys[0];
    get.columns = columns;
    get.max_versions = std::numeric_limits<int32_t>::max();
    ASSIGN_OR_RETURN(rows->front(), table->GetRow(get));
    return Status::Ok();
  }
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return keys[a] < keys[b]; });
  for (size_t begin = 0; begin < order.size(); begin += kKeysOfScanMax) {
    const size_t count = std::min(kKeysOfScanMax, order.size() - begin);
    RETURN_IF_ERROR(ReadSome(table, keys, std::span(order).subspan(begin, count), columns, rows));
  }
  return Status::Ok();
}

Result<Row> ReadStored(Table* table, const Bytes& key, int64_t time) {
  Scan scan = AllStored(key);
  scan.time_range = {time, time + 1};
  ASSIGN_OR_RETURN(const auto scanner, table->OpenScanner(scan));
  CellBatch found;
  RETURN_IF_ERROR(scanner->Next(1, &found));
  return cell::CopyRow(found.cells.data(), found.cells.size());
}

Result<int64_t> LatestTimeOf(Table* table, const Bytes& key) {
  const Scan scan = AllStored(key);
  ASSIGN_OR_RETURN(const auto scanner, table->OpenScanner(scan));
  CellBatch found;
  int64_t latest = 0;
  for (;;) {
    RETURN_IF_ERROR(scanner->Next(1, &found));
    if (found.row_count() == 0) return latest;
    for (const Cell& cell : found.cells) latest = std::max(latest, cell.timestamp());
  }
}

}  // namespace bennu::sql::index
