// RowVerifier: rows of an index that are not marked as verified, as the table has them.
//
// Java Phoenix writes a row of a global index before the row of the table that it is about, and
// marks it as verified behind it. A client that dies between the two leaves a row without the mark,
// which may be what the table's row makes of it or not. For such a row the table's row is looked
// up, as the run sees it. If it has a row of the same key in the index, that row is taken, with the
// values that the table has; else the row does not count. That is what Phoenix answers, too, which
// writes the row anew from the table first. Rows with the mark cost a look at it and nothing else.
// Bennu itself leaves rows without it where cells of the table's row expire at different moments
// (sql/index/expiring_rows.h).
//
// One thread at a time. Source: phoenix-storage.md section 6.2; GlobalIndexChecker of 5.3.
#ifndef BENNU_SRC_SQL_EXEC_ROW_VERIFIER_H_
#define BENNU_SRC_SQL_EXEC_ROW_VERIFIER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/mutation.h"
#include "bennu/status.h"
#include "src/cell/column_rows.h"
#include "src/sql/catalog/table.h"
#include "src/sql/exec/index_encoder.h"
#include "src/sql/exec/operator.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::exec {

class RowVerifier {
 public:
  // 'index' is what is scanned. Both must outlive this.
  RowVerifier(const catalog::TableMeta* index, const plan::IndexedTable* indexed);
  ~RowVerifier();

  // What follows is asked by this run, which must outlive the answers.
  void Begin(ExecContext* context);
  // Lets go of the rows that were made.
  void Clear() { made_.clear(); }

  // What to take for a row: 'cells', which were read of it, if it has the mark, else what Rebuild
  // gives.
  Result<std::span<const Cell>> Verified(std::span<const Cell> cells) {
    if (IsVerified(*index_, cells)) return cells;
    return Rebuild(cells.front().row());
  }
  // What the table makes of the row; none: it has no such row in the index. The cells stay until
  // Clear or Begin.
  Result<std::span<const Cell>> Rebuild(ByteView index_row);

  // All rows of the slice have the mark.
  bool AllVerified(const ColumnSlice& slice) const;

 private:
  struct Look;  // what it takes to look into the table
  // A row of the index that was made of the table's.
  struct Made {
    MutationBatch batch;
    std::vector<Cell> cells;
  };
  Status StartLooking();

  const catalog::TableMeta* const index_;
  const plan::IndexedTable* const indexed_;
  ExecContext* context_ = nullptr;
  std::unique_ptr<Look> look_;  // for the first row without the mark
  std::vector<std::unique_ptr<Made>> made_;
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_ROW_VERIFIER_H_
