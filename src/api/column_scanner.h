// ColumnScanner: a scanner that may hand rows out column by column.
#ifndef BENNU_SRC_API_COLUMN_SCANNER_H_
#define BENNU_SRC_API_COLUMN_SCANNER_H_

#include "bennu/scan.h"
#include "src/cell/column_rows.h"

namespace bennu {

// The other face of a scanner (StoreTools::Columns). A scanner is read by Next or by NextColumns,
// not by both. One thread at a time.
class ColumnScanner {
 public:
  virtual ~ColumnScanner() = default;
  // As Next, but rows may come as columns: then *batch is empty, and *slice has up to 'row_limit'
  // rows, with all columns that were asked for and perhaps others. The slice pins what it points
  // to, also when the scanner is gone. The end is when neither has rows.
  virtual Status NextColumns(size_t row_limit, CellBatch* batch, ColumnSlice* slice) = 0;
  // Rows before 'row' are not needed any more in a scan forward; some may come all the same. For a
  // scanner that is read by NextColumns, between two calls. Whether it is worth it is for the
  // caller to know: it is a search through the index when 'row' is not in the block at hand.
  virtual Status SkipTo(ByteView row) = 0;
  // Of how many blocks rows were handed out as columns so far.
  virtual uint64_t blocks_as_columns() const = 0;
};

}  // namespace bennu

#endif  // BENNU_SRC_API_COLUMN_SCANNER_H_
