// PastScanner: a scan as of an earlier moment, for which later delete markers do not count
// (TimeRange::markers_max).
//
// A server lets every marker hide older cells, however late the marker is. So the scan asks for all
// versions and all markers of the time before the moment (a raw scan), and puts HBase's rules of
// deletes and versions on them here. What a major compaction has dropped is not seen.
// Source: NormalUserScanQueryMatcher, ScanDeleteTracker of HBase.
#ifndef BENNU_SRC_CLIENT_PAST_SCANNER_H_
#define BENNU_SRC_CLIENT_PAST_SCANNER_H_

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "bennu/descriptor.h"
#include "bennu/scan.h"
#include "src/client/table_scanner.h"

namespace bennu::client {

// Whether later markers must not count.
inline bool LooksBack(const TimeRange& range) {
  return range.markers_max != std::numeric_limits<int64_t>::max();
}

// One thread at a time.
class PastScanner final : public Scanner {
 public:
  // 'scan' looks back and is not raw. 'table': how many versions its families keep.
  PastScanner(Cluster* cluster, const TableDescriptor& table, const Scan& scan);

  // As TableScanner::StayIn.
  void StayIn(Bytes region_name) { scanner_.StayIn(std::move(region_name)); }
  // Opens the scan of the first region. NotSupported: the scan cuts rows, has a time range for each
  // family, or has a filter that looks at more than rows' keys.
  Status Open();
  Status Next(size_t row_limit, CellBatch* batch) override;
  Metrics metrics() const override { return scanner_.metrics(); }

 private:
  // Adds what is to be seen of a row's cells to *batch.
  void AddRow(const Cell* cells, size_t count, CellBatch* batch) const;
  void AddFamily(const Cell* cells, size_t count, CellBatch* batch) const;

  const Scan scan_;
  std::map<std::string, int32_t, std::less<>> versions_;  // to be seen, by family
  TableScanner scanner_;
  int64_t rows_left_;
  CellBatch raw_;
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_PAST_SCANNER_H_
