// PhasedWrite: a batch of a table that has indexes, written by a client of servers that keep none
// of them in step. Each row goes through Phoenix's three phases:
//
//   read    the row as it is; from it and the write follows what changes in the indexes
//   mark    the index rows that will be wrong, or will be new, are marked as not verified
//   write   the table's row, on the condition that it still is what was read; else all of it again
//   verify  index rows that are right get their columns and the mark; those that are wrong go
//
// All cells of a row's write have one time, which is later than all that the row has. What makes it
// safe, whoever dies or is late at whatever moment:
//
// - A row of an index without the mark is believed by nobody: readers look at the table's row. So
//   marks may come at any time, in vain too.
// - Index rows are marked before the table's row changes. While the table's row is what it is, an
//   index row with the mark says what it says.
// - Only who has changed the table's row at a time writes more than marks at that time. No two
//   writers do so for one time, because who comes second does not find what he read. What comes
//   late is older than the marks of later writers, and shows nowhere.
//
// The condition is that every cell of the row has a time that was read. Each write puts the empty
// column with a new time, or deletes the row. A row that was not there is the one case in which
// others may have come and gone unseen; their delete markers may then hide the put. So such a row
// is looked at once more before its index rows are verified.
//
// A server may die with the answer. What is written in any case is written again, which does no
// harm. What depends on the row's values is written again only under the same condition and with
// the same time, so that it is done once, however late the first one comes; its empty column has a
// value of its own, by which it is known.
//
// Used once, by one thread. Source: phoenix-storage.md section 6.1.
#ifndef BENNU_SRC_SQL_INDEX_PHASED_WRITE_H_
#define BENNU_SRC_SQL_INDEX_PHASED_WRITE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/mutation.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/exec/index_encoder.h"
#include "src/sql/plan/index_definition.h"

namespace bennu::sql::index {

// The indexes of a table, where they are. Immutable.
struct IndexTargets {
  std::vector<std::shared_ptr<const plan::IndexDefinition>> definitions;
  std::map<TableName, std::shared_ptr<Table>> tables;  // of the definitions' indexes
};

class PhasedWrite {
 public:
  // All must outlive this. 'description': of the indexes that Phoenix's servers keep; empty: there
  // are none. 'may_verify': whether what is known of the indexes is still so new that their rows
  // may get the mark; asked when that is about to happen.
  PhasedWrite(Connection* connection, Table* table, const catalog::TableMeta& meta,
              const IndexTargets& indexes, const Bytes& description,
              std::function<bool()> may_verify);
  ~PhasedWrite();

  // The mutations from 'begin' to 'end', each of another row, with times of kLatestTimestamp. Rows
  // are written one by one, and after an error some may have been. Errors: of rows that an index
  // cannot hold, of storage; Aborted: others changed a row before each attempt. OK once the table
  // has the rows, though index rows may have stayed without the mark, which is logged.
  Status Run(const MutationBatch& batch, size_t begin, size_t end);
  // The same of the one row of the condition, which must be one that asks whether a column is there
  // or has a value, or has a filter. False: it does not hold, and nothing was written. IoError: a
  // server died with the answer, and others have changed the row since, so that nobody knows.
  Result<bool> RunIf(const Table::Condition& condition, const MutationBatch& batch);
  // Writes the empty column of one row anew, and all that the indexes have of the row, whatever
  // they have now. 'batch': that one put. False: the row has no empty column, and nothing was
  // written.
  Result<bool> Touch(const MutationBatch& batch);

 private:
  struct RowWrite;

  Status Prepare(const MutationBatch& batch, size_t begin, size_t end);
  // Attempts until all rows are done.
  Status AttemptAll();
  // One attempt of all pending rows; those that stay pending met others.
  Status Attempt(const Table::Condition* condition);
  Status ReadRows(std::span<RowWrite*> rows);
  Status SetTimes(std::span<RowWrite*> rows);
  Status EncodeRows(std::span<RowWrite*> rows);
  Status Mark(std::span<RowWrite*> rows);
  Status WriteRows(std::span<RowWrite*> rows, const Table::Condition* condition);
  Result<bool> WriteRow(RowWrite* row, const Table::Condition* condition);
  // RunIf, once it is not known whether the row was written.
  Result<bool> ClearDoubt(RowWrite* row, const Table::Condition& condition);
  // What is written of a cell of the row's mutation.
  ByteView ValueOf(const RowWrite& row, const Cell& cell) const;
  // Whether what is stored has the cells of the row's mutation, with its time.
  bool HasWritten(const RowWrite& row, std::span<const Cell> stored) const;
  // Nothing has to be written of a row as it was read.
  bool IsNeedless(const RowWrite& row) const;
  Status LookAgain(std::span<RowWrite*> rows);
  void Verify(std::span<RowWrite*> rows);
  Status WriteIndexes(std::map<TableName, MutationBatch>* batches);

  Connection* const connection_;
  Table* const table_;
  const catalog::TableMeta& meta_;
  const IndexTargets& indexes_;
  const Bytes& description_;
  const std::function<bool()> may_verify_;
  std::vector<std::unique_ptr<exec::IndexEncoder>> encoders_;  // by index
  bool touches_ = false;
  const MutationBatch* batch_ = nullptr;
  std::vector<std::unique_ptr<RowWrite>> rows_;
};

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_PHASED_WRITE_H_
