#include "src/client/past_scanner.h"

#include <algorithm>

#include "bennu/filter.h"
#include "src/base/status_macros.h"

namespace bennu::client {

namespace {

// All versions and markers that count for 'scan'.
Scan RawScanOf(const Scan& scan) {
  Scan raw;
  raw.range = scan.range;
  raw.time_range = {scan.time_range.min,
                    std::max(scan.time_range.max, scan.time_range.markers_max)};
  // No server takes a raw scan of some columns.
  for (const auto& [family, qualifiers] : scan.columns) raw.columns[family];
  raw.max_versions = std::numeric_limits<int32_t>::max();
  raw.reversed = scan.reversed;
  raw.raw = true;
  raw.cache_blocks = scan.cache_blocks;
  raw.track_metrics = scan.track_metrics;
  raw.filter = scan.filter;
  raw.navigator = scan.navigator;
  return raw;
}

// The markers of one kind, of a family or of a column.
struct Markers {
  int64_t up_to = std::numeric_limits<int64_t>::min();  // hidden is what is no newer
  std::set<int64_t> of_versions;                        // and what has just these times

  bool Hides(int64_t timestamp) const {
    return timestamp <= up_to || of_versions.contains(timestamp);
  }
};

}  // namespace

PastScanner::PastScanner(Cluster* cluster, const TableDescriptor& table, const Scan& scan)
    : scan_(scan),
      scanner_(cluster, table.name, RawScanOf(scan)),
      rows_left_(scan.row_limit < 0 ? std::numeric_limits<int64_t>::max() : scan.row_limit) {
  for (const ColumnFamilyDescriptor& family : table.families) {
    versions_[family.name] = std::min(scan.max_versions, family.max_versions());
  }
}

Status PastScanner::Open() {
  const bool cuts_rows = scan_.batch > 0 || scan_.allow_partial_results ||
                         scan_.max_results_per_family >= 0 || scan_.row_offset_per_family > 0;
  const bool filters_cells = scan_.filter != nullptr && !scan_.filter->LooksAtRowsOnly();
  if (cuts_rows || filters_cells || !scan_.family_time_ranges.empty()) {
    return NotSupported(
        "a scan of the past over a cluster, for which later delete markers do not count, takes "
        "whole rows, one time range, and filters of rows' keys; leave the rest to the caller");
  }
  return scanner_.Open();
}

Status PastScanner::Next(size_t row_limit, CellBatch* batch) {
  batch->Clear();
  while (rows_left_ > 0 && batch->row_count() == 0) {
    const auto wanted =
        static_cast<size_t>(std::min<uint64_t>(row_limit, static_cast<uint64_t>(rows_left_)));
    RETURN_IF_ERROR(scanner_.Next(wanted, &raw_));
    if (raw_.row_count() == 0) break;
    for (size_t i = 0; i < raw_.row_count(); ++i) {
      const uint32_t begin = raw_.row_starts[i];
      AddRow(&raw_.cells[begin], raw_.row_end(i) - begin, batch);
    }
  }
  rows_left_ -= static_cast<int64_t>(batch->row_count());
  return Status::Ok();
}

void PastScanner::AddRow(const Cell* cells, size_t count, CellBatch* batch) const {
  const auto start = static_cast<uint32_t>(batch->cells.size());
  for (size_t begin = 0; begin < count;) {
    size_t end = begin + 1;
    while (end < count && cells[end].family() == cells[begin].family()) ++end;
    AddFamily(cells + begin, end - begin, batch);
    begin = end;
  }
  if (batch->cells.size() > start) batch->row_starts.push_back(start);
}

void PastScanner::AddFamily(const Cell* cells, size_t count, CellBatch* batch) const {
  const ByteView name = cells->family();
  const auto wanted = scan_.columns.find(Bytes(name));
  const bool all = wanted == scan_.columns.end() || wanted->second.empty();
  const auto versions = versions_.find(name);
  const int32_t versions_max = versions == versions_.end() ? scan_.max_versions : versions->second;
  const TimeRange& time = scan_.time_range;

  Markers of_family;
  for (size_t i = 0; i < count; ++i) {
    if (!time.MarkerCounts(cells[i].timestamp())) continue;
    if (cells[i].type() == CellType::kDeleteFamily) {
      of_family.up_to = std::max(of_family.up_to, cells[i].timestamp());
    } else if (cells[i].type() == CellType::kDeleteFamilyVersion) {
      of_family.of_versions.insert(cells[i].timestamp());
    }
  }
  // Newest first; a marker comes before the cells of its time.
  Markers of_column;
  int32_t seen = 0;
  for (size_t i = 0; i < count; ++i) {
    const Cell& cell = cells[i];
    if (i > 0 && cell.qualifier() != cells[i - 1].qualifier()) {
      of_column = {};
      seen = 0;
    }
    const int64_t timestamp = cell.timestamp();
    if (cell.type() != CellType::kPut) {
      if (!time.MarkerCounts(timestamp)) continue;
      if (cell.type() == CellType::kDeleteColumn) {
        of_column.up_to = std::max(of_column.up_to, timestamp);
      } else if (cell.type() == CellType::kDelete) {
        of_column.of_versions.insert(timestamp);
      }
      continue;
    }
    const bool hidden = of_family.Hides(timestamp) || of_column.Hides(timestamp);
    if (hidden || !time.Contains(timestamp) || seen == versions_max) continue;
    if (!all && !wanted->second.contains(Bytes(cell.qualifier()))) continue;
    ++seen;
    batch->cells.push_back(cell);
  }
}

}  // namespace bennu::client
