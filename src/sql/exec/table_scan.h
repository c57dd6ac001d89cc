// Reading a table: ranges, points and salted merges of the data API to chunks.
#ifndef BENNU_SRC_SQL_EXEC_TABLE_SCAN_H_
#define BENNU_SRC_SQL_EXEC_TABLE_SCAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bennu/filter.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/catalog/statistics.h"
#include "src/sql/catalog/table.h"
#include "src/sql/exec/operator.h"
#include "src/sql/exec/row_decoder.h"
#include "src/sql/keys/key_scan.h"
#include "src/sql/plan/plan_node.h"

namespace bennu::sql::exec {

// What to read of one table in one run.
struct TableScanSpec {
  std::shared_ptr<const catalog::TableMeta> table;
  std::shared_ptr<Table> data;
  std::vector<ScanColumn> columns;
  size_t slot_count = 0;  // columns of the chunks
  KeyScan keys;
  bool ordered = false;   // rows must come in key order (without the salt byte)
  bool reversed = false;  // in the opposite of it
  int64_t row_limit = -1;
  // TABLESAMPLE: which rows are in the sample is decided by a hash of their keys.
  double sample_percent = 100;
  bool cache_blocks = true;  // keep the blocks that are read in the cache
  // What a remote store leaves out (remote_filter.h); null: nothing.
  std::shared_ptr<const Filter> filter;
  bool remote = false;
  // For rows of an index that are not marked as verified it counts what this table has
  // (row_verifier.h). Null: all rows are taken as they are.
  std::shared_ptr<const plan::IndexedTable> verified_by;
  std::shared_ptr<catalog::LazyGuidePosts> guide_posts;  // where it may be cut; may be null
  Step* step = nullptr;                                  // null: nobody asks what it did
};

// A scan of ranges that is run again and again, for prepared statements: what its runs have in
// common is made once. One run at a time.
class RepeatedScan : public Operator {
 public:
  // Begins a run over spec->keys.ranges in spec->keys.time_range, up to spec->row_limit rows; these
  // may have changed since the last one. 'context' must live until End().
  virtual void Begin(ExecContext* context) = 0;
  // Lets go of all that is pinned. To be called after each run, whether it came to its end or not.
  virtual void End() = 0;
};
// 'spec' is not of points and has no step.
std::unique_ptr<RepeatedScan> MakeRepeatedScan(std::shared_ptr<const TableScanSpec> spec);

// All rows, by one thread.
Result<std::unique_ptr<Operator>> OpenTableScan(ExecContext* context,
                                                std::shared_ptr<const TableScanSpec> spec);

// The same cut into morsels of about equal size, for about 'workers' threads. Null when the scan
// cannot or need not be cut (points, order, a limit).
Result<std::unique_ptr<Morsels>> SplitTableScan(ExecContext* context,
                                                std::shared_ptr<const TableScanSpec> spec,
                                                size_t workers);

// The request that reads the columns of 'spec' from 'range'.
Scan MakeScan(ExecContext* context, const TableScanSpec& spec, const RowRange& range);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_TABLE_SCAN_H_
