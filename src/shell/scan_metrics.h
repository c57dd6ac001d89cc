// ScanMetrics: what a scan did, as `scan 't', {ALL_METRICS => true}` tells it.
// Source: ScanMetrics of HBase's client 2.5 and scan_metrics of its shell's formatter.
#ifndef BENNU_SRC_SHELL_SCAN_METRICS_H_
#define BENNU_SRC_SHELL_SCAN_METRICS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/shell/options.h"
#include "src/shell/printer.h"

namespace bennu::shell {

class ScanMetrics {
 public:
  // From ALL_METRICS => true or METRICS => […], by their names; nothing without them.
  // InvalidArgument: a name that there is not.
  static Result<std::optional<ScanMetrics>> Of(Options* options);

  // Cells of a row that came, in the order of the scan; the row of the last ones is kept.
  void Count(const Cell* begin, const Cell* end);

  // Prints those that were asked for, in the order of their names. 'done': of the scanner, after
  // its last row; 'complete': the scan ended by itself and not at its LIMIT. What only servers
  // have, such as calls, is 0 of a directory.
  void Print(const Table& table, const Scan& scan, const Scanner::Metrics& done, bool complete,
             uint64_t millis, Printer* printer) const;

 private:
  explicit ScanMetrics(std::vector<Bytes> names) : names_(std::move(names)) {}

  std::vector<Bytes> names_;  // empty: all
  uint64_t bytes_ = 0;
  Bytes last_row_;
};

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_SCAN_METRICS_H_
