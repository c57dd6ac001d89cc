// RowRangeReader: a table that may have a few neighbouring rows at hand.
#ifndef BENNU_ROW_RANGE_READER_H_
#define BENNU_ROW_RANGE_READER_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "bennu/scan.h"
#include "bennu/status.h"

namespace bennu {

// What tables of engines in this process are; ask with dynamic_cast. Thread-safe.
class RowRangeReader {
 public:
  virtual ~RowRangeReader() = default;

  // The short path of reading a few rows, without a scanner. If all rows of the scan's range are at
  // hand (no more than 'rows_max', of one family, in one block of one file, without changes in
  // memory), appends what a scanner would give to *batch, in its order, and returns true. Their
  // cells are valid as long as what is added to *pins. Else false, and nothing is appended: open a
  // scanner. The scan must have a snapshot. What was done is added to *metrics. Errors as those of
  // Table::OpenScanner and Scanner::Next.
  virtual Result<bool> ReadRange(const Scan& scan, size_t rows_max, CellBatch* batch,
                                 std::vector<std::shared_ptr<const void>>* pins,
                                 Scanner::Metrics* metrics) = 0;
};

}  // namespace bennu

#endif  // BENNU_ROW_RANGE_READER_H_
