// RowRangeReader: a table that may have a few rows at hand, neighbours or not.
#ifndef BENNU_SRC_API_ROW_RANGE_READER_H_
#define BENNU_SRC_API_ROW_RANGE_READER_H_

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "bennu/scan.h"
#include "bennu/status.h"

namespace bennu {

// What tables of engines in this process are (StoreTools::RowsAtHand). Thread-safe.
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

  // Many rows by their keys, of which equal ones give equal rows: as Table::GetCells with '*get'
  // for each, which must have a snapshot and no filter, and whose row is set to each of them. What
  // is found of a row is appended to *batch, nothing of a row that is not there. The cells are
  // valid as long as what is added to *pins: a block, perhaps, for each row. Cheapest when
  // neighbours follow each other. Errors as those of Table::GetCells; *batch is unspecified then.
  virtual Status ReadRows(std::span<const Bytes> rows, Get* get, CellBatch* batch,
                          std::vector<std::shared_ptr<const void>>* pins) = 0;
};

}  // namespace bennu

#endif  // BENNU_SRC_API_ROW_RANGE_READER_H_
