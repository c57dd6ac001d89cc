// RowAssembler: the rows of a scan, put together from the parts in which servers send them.
//
// A server cuts a row where its answer has the wanted size, and a scan with a batch size cuts it as
// well. What the scan hands out is one of three things, as with HBase's ScanResultCaches:
//   whole rows   the parts of a row are kept until the row is known to be whole;
//   pieces       Scan::batch cells each, whatever the parts were (the last piece of a row is
//   shorter); parts        as they came, with Scan::allow_partial_results.
// A row is whole when a part says that nothing follows, when another row comes, or when its region
// ends: the flag of a part may promise cells that do not exist.
//
// It also remembers how far the scan has come, so that a scan that lost its scanner goes on there.
// Whole rows begin again at the row that was not whole. Pieces and parts of that row were handed
// out already: the row is read again, and the cells up to the last one that came are left out.
#ifndef BENNU_SRC_CLIENT_ROW_ASSEMBLER_H_
#define BENNU_SRC_CLIENT_ROW_ASSEMBLER_H_

#include <cstddef>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/scan.h"

namespace bennu::client {

// One thread at a time. Cells point into the answers that they came in, which must outlive them,
// those of an open row too.
class RowAssembler {
 public:
  explicit RowAssembler(const Scan& scan);

  // Takes a part: the cells of rows->cells from 'begin' on, which follow all that came before, of
  // one row. 'goes_on': the server may have more of the row. Turns *rows into what can be handed
  // out so far.
  void Add(size_t begin, bool goes_on, CellBatch* rows);
  // All parts of an answer were added; its memory may go unless a row is open.
  void EndAnswer();
  // Nothing more comes of the last row.
  void EndRow(CellBatch* rows);

  // Cells wait for the rest of their row or piece.
  bool has_open_row() const { return !open_.empty(); }
  bool hands_out_whole_rows() const { return pieces_of_ == 0 && !parts_; }

  // Sets where the scan goes on if its scanner is lost now. False: where the range begins, because
  // nothing has come of it.
  bool GoOn(RowRange* range);
  // Whether what GoOn has set begins within a row.
  bool in_a_row() const { return !skip_to_.empty(); }
  // The scan goes on elsewhere: in its next region, or where a navigator jumps.
  void Leave();

 private:
  // Moves open cells to *rows as a row or piece of its own.
  void HandOutOpen(bool goes_on, CellBatch* rows);
  void HandOutPieces(bool goes_on, CellBatch* rows);
  // Leaves out the cells that came before; returns whether any are left.
  bool Skip(size_t begin, CellBatch* rows);

  const size_t pieces_of_;  // cells; 0: no pieces
  const bool parts_;

  std::vector<Cell> open_;
  bool any_ = false;   // something has come
  bool whole_ = true;  // nothing more comes of the last row
  ByteView row_;       // the last row; of an answer, or last_row_
  ByteView key_;       // of its last cell; likewise
  Bytes last_row_;
  Bytes last_key_;
  Bytes skip_to_;  // a flat key: cells of the last row up to this one came before
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_ROW_ASSEMBLER_H_
