// TableMerger: rows of an index, with the columns that it lacks looked up in its table.
//
//   merger.Begin(context, row_limit, step);   // a run
//   merger.Next(scan, &chunk);                // until the chunk is empty
//   merger.End();
//
// Runs of the operator (table_merge.h) and short reads (range_query.h) go by the same rules, which
// are all here. What it takes to look rows up is made once and kept from run to run. One thread at
// a time.
#ifndef BENNU_SRC_SQL_EXEC_TABLE_MERGER_H_
#define BENNU_SRC_SQL_EXEC_TABLE_MERGER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/bind/expr.h"
#include "src/sql/exec/evaluate.h"
#include "src/sql/exec/index_encoder.h"
#include "src/sql/exec/operator.h"
#include "src/sql/exec/row_decoder.h"
#include "src/sql/exec/row_fetcher.h"
#include "src/sql/exec/table_key_maker.h"
#include "src/sql/keys/key_schema.h"
#include "src/sql/plan/plan_node.h"
#include "src/sql/types/vector.h"

namespace bennu::sql::exec {

class TableMerger {
 public:
  // 'indexed' and 'index_key', of the index that is scanned, must outlive this. 'filter': what must
  // be true of the index's rows, so that others are not looked up; null: nothing.
  TableMerger(const plan::IndexedTable* indexed, const KeySchema* index_key, size_t slot_count,
              bind::ExprPtr filter);

  // Begins a run that gives no more than 'row_limit' rows (-1: all) and looks up no more than it
  // takes to find them. 'context' must live until End. 'step': of EXPLAIN ANALYZE, counts what is
  // looked up; null in other runs.
  void Begin(ExecContext* context, int64_t row_limit, Step* step);
  // Lets go of the snapshot and of the rows that were read.
  void End();

  // As Operator::Next: further rows of 'scan', which is of the index and has the key of each row
  // behind the slots (ReadKeysForMerge), in its order. Rows that the table does not have are left
  // out: it has no row of that key or, of an uncovered index, the row has another key in the index.
  // Errors: those of 'scan' and the filter, of storage, Corruption for a row of the index that
  // leads to no key of the table.
  Status Next(Operator* scan, DataChunk* chunk);

 private:
  // Sets chosen_ to the rows of input_ that are looked up.
  Status Choose();
  // Looks up the next of them; the chunk gets those that the table has.
  Status LookUp(DataChunk* chunk);
  // What the fetched rows have in the index.
  Status EncodeRows();

  const size_t slot_count_;
  const bind::ExprPtr filter_;
  TableKeyMaker key_maker_;
  RowFetcher fetcher_;
  RowDecoder decoder_;
  std::optional<IndexEncoder> encoder_;  // of an uncovered index

  // ---- of a run
  std::optional<Evaluator> evaluator_;  // if there is a filter
  Step* step_ = nullptr;
  size_t rows_at_once_ = 0;
  int64_t rows_left_ = 0;  // negative: no limit
  DataChunk input_;
  SelectionVector chosen_;
  size_t next_ = 0;  // of chosen_, the first that is not looked up yet
  std::vector<Bytes> keys_;
  std::vector<TableRow> rows_;
  std::vector<IndexEntry> entries_;
  SelectionVector found_;
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_TABLE_MERGER_H_
