#include "src/shell/scan_metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "src/base/hex.h"
#include "src/base/status_macros.h"

namespace bennu::shell {

namespace {

// All that HBase's client counts, sorted.
constexpr std::array<std::string_view, 11> kNames = {"BYTES_IN_REMOTE_RESULTS",
                                                     "BYTES_IN_RESULTS",
                                                     "MILLIS_BETWEEN_NEXTS",
                                                     "NOT_SERVING_REGION_EXCEPTION",
                                                     "REGIONS_SCANNED",
                                                     "REMOTE_RPC_CALLS",
                                                     "REMOTE_RPC_RETRIES",
                                                     "ROWS_FILTERED",
                                                     "ROWS_SCANNED",
                                                     "RPC_CALLS",
                                                     "RPC_RETRIES"};

// HBase's PrivateCellUtil.estimatedSerializedSizeOf: a KeyValue without tags, and its length.
uint64_t SizeOf(const Cell& cell) {
  constexpr uint64_t kFixed = 24;
  return kFixed + cell.row().size() + cell.family().size() + cell.qualifier().size() +
         cell.value_length;
}

// Whether a scan that went from one end of 'range' to the other, or as far as 'last' if it was
// stopped there, has been in the region.
bool WasIn(const RegionInfo& region, const Scan& scan, const Bytes* last) {
  const RowRange& range = scan.range;
  const Bytes& far = last != nullptr ? *last : range.stop;
  const Bytes& low = scan.reversed ? far : range.start;
  const Bytes& high = scan.reversed ? range.start : far;
  const bool high_counts = scan.reversed ? range.start_inclusive : last != nullptr;
  if (!region.end_key.empty() && region.end_key <= low) return false;
  return high.empty() || region.start_key < high || (high_counts && region.start_key == high);
}

}  // namespace

Result<std::optional<ScanMetrics>> ScanMetrics::Of(Options* options) {
  ASSIGN_OR_RETURN(const bool all, options->Boolean("ALL_METRICS", false));
  const bool some = options->Has("METRICS");
  if (!all && !some) return std::optional<ScanMetrics>();
  ASSIGN_OR_RETURN(std::vector<Bytes> names, options->Texts("METRICS"));
  for (const Bytes& name : names) {
    if (std::find(kNames.begin(), kNames.end(), name) != kNames.end()) continue;
    return InvalidArgument(fmt::format("METRICS: there is no '{}'; there are {}",
                                       ToStringBinary(name), fmt::join(kNames, ", ")));
  }
  return std::optional<ScanMetrics>(ScanMetrics(std::move(names)));
}

void ScanMetrics::Count(const Cell* begin, const Cell* end) {
  if (begin == end) return;
  last_row_ = begin->row();
  for (const Cell* cell = begin; cell != end; ++cell) bytes_ += SizeOf(*cell);
}

void ScanMetrics::Print(const Table& table, const Scan& scan, const Scanner::Metrics& done,
                        bool complete, uint64_t millis, Printer* printer) const {
  uint64_t regions = 0;
  for (const RegionInfo& region : table.regions()) {
    if (WasIn(region, scan, complete ? nullptr : &last_row_)) ++regions;
  }
  std::map<std::string_view, uint64_t> values;
  for (const std::string_view name : kNames) values[name] = 0;
  values["BYTES_IN_RESULTS"] = bytes_;
  values["MILLIS_BETWEEN_NEXTS"] = millis;
  values["REGIONS_SCANNED"] = regions;
  values["ROWS_SCANNED"] = done.RowsScanned();
  values["ROWS_FILTERED"] = done.RowsFiltered();
  values["RPC_CALLS"] = done.calls;
  printer->Line("");
  printer->Header("METRIC", "VALUE");
  for (const auto& [name, value] : values) {
    if (!names_.empty() && std::find(names_.begin(), names_.end(), name) == names_.end()) continue;
    printer->Row(name, std::to_string(value));
  }
}

}  // namespace bennu::shell
