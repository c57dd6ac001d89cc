// PendingWrites: what a connection has changed and not committed yet.
//
// Changes of one table collect in one batch, in the order of the statements. What a later statement
// does to a row replaces what an earlier one did, column by column, as in Phoenix: an UPSERT after
// a DELETE of the same row takes the DELETE back. Only batches with delete markers need that sorted
// out (within one millisecond the markers would hide puts); puts alone go out as they came.
// One thread at a time.
#ifndef BENNU_SRC_SQL_SESSION_PENDING_WRITES_H_
#define BENNU_SRC_SQL_SESSION_PENDING_WRITES_H_

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "bennu/mutation.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/catalog/table.h"
#include "src/sql/session/write_clock.h"

namespace bennu::sql::index {
class ClusterIndexes;
}  // namespace bennu::sql::index

namespace bennu::sql::session {

struct TableWrites {
  std::shared_ptr<Table> table;
  MutationBatch batch;
  bool has_puts = false;
  bool has_deletes = false;

  void Clear() {
    batch.Clear();
    has_puts = false;
    has_deletes = false;
  }
  // Appends another batch's rows.
  void Add(const TableWrites& other);
};

class PendingWrites {
 public:
  // Both must outlive this. 'indexes': null, where the store itself keeps them in step.
  explicit PendingWrites(WriteClock* clock, index::ClusterIndexes* indexes = nullptr)
      : clock_(clock), indexes_(indexes) {}

  // The table's writes, kept between commits so that their memory is reused.
  TableWrites* ForTable(const catalog::TableMeta& meta, const std::shared_ptr<Table>& table);

  // Adds a change that only shows at the commit what it does; it comes between the changes so far
  // and those that follow. 'row_count': how many rows it may change.
  void Defer(size_t row_count, std::function<Status()> change);

  // Writes everything, table by table. After an error the rest is given up.
  Status Commit();
  // Writes one batch and empties it.
  Status Write(TableWrites* writes);
  // The same under a condition on the one row that the batch is about. False: it does not hold.
  Result<bool> WriteIf(const Table::Condition& condition, TableWrites* writes);
  void Rollback();
  bool empty() const;
  size_t row_count() const;
  size_t size_bytes() const;

 private:
  using Tables = std::map<TableName, TableWrites>;
  struct Stage {
    Tables before;  // what is written before the change
    size_t row_count = 0;
    std::function<Status()> change;
  };

  Status WriteAll(Tables* tables);

  WriteClock* const clock_;
  index::ClusterIndexes* const indexes_;
  std::vector<Stage> stages_;
  Tables tables_;
  TableWrites* last_asked_ = nullptr;  // in tables_
};

// Joins what the batch says several times about a row: see above. For tests too.
void MergeRows(MutationBatch* batch);

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_PENDING_WRITES_H_
