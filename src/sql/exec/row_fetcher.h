// RowFetcher: rows of a table by their keys, many at a time.
//
//   fetcher.Fetch(keys);          // one read for all of them
//   fetcher.row(i);               // the cells of keys[i]
//
// The keys may come in any order; they are read in the order of the table, so that neighbours are
// found in one block. Stores that do not read rows by key in this process are asked by one scan for
// many keys. Owns the cells, which stay until the next call of Fetch. One thread at a time.
#ifndef BENNU_SRC_SQL_EXEC_ROW_FETCHER_H_
#define BENNU_SRC_SQL_EXEC_ROW_FETCHER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/cell.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/api/row_range_reader.h"
#include "src/sql/exec/operator.h"
#include "src/sql/types/vector.h"

namespace bennu::sql::exec {

class RowFetcher {
 public:
  // 'columns': what is read, as in Get.
  RowFetcher(std::shared_ptr<Table> table, std::map<Bytes, std::set<Bytes>> columns);
  // The same in one run, which must outlive this.
  RowFetcher(ExecContext* context, std::shared_ptr<Table> table,
             std::map<Bytes, std::set<Bytes>> columns);

  // What follows is read by this run, which must live until End, as it sees the table.
  void Begin(ExecContext* context);
  // Lets go of the run's snapshot and of the rows.
  void End();

  // Reads the rows of 'keys', which may name a row more than once. Errors: those of storage, and of
  // a run that was stopped.
  Status Fetch(std::span<const Bytes> keys);
  // The newest cells of row keys[i] in HBase's order; none when the row is not there.
  std::span<const Cell> row(size_t i) const {
    return std::span(cells_).subspan(found_[i].first, found_[i].second);
  }

 private:
  // The only one of sorted_, which a Get finds with the least ado.
  Status ReadOne();
  Status ReadSorted();
  Status ReadByScan();
  // Copies the rows of the batch, which are in the order of the keys.
  void Take(const CellBatch& batch);
  // Copies a row, that of sorted_[place].
  void Keep(size_t place, std::span<const Cell> row);

  ExecContext* context_ = nullptr;
  const std::shared_ptr<Table> table_;
  RowRangeReader* const at_hand_;  // the table, if it reads rows by key
  Get get_;
  std::vector<uint32_t> order_;  // of the keys
  std::vector<Bytes> sorted_;    // the different keys
  std::vector<uint32_t> place_;  // by key: its place in sorted_
  size_t next_ = 0;              // the first of sorted_ behind the row that was found last
  CellBatch batch_;
  std::vector<std::shared_ptr<const void>> pins_;
  StringHeap heap_;
  std::vector<Cell> cells_;
  std::vector<std::pair<size_t, size_t>>
      found_sorted_;                              // by sorted key: the first cell, and how many
  std::vector<std::pair<size_t, size_t>> found_;  // the same by key
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_ROW_FETCHER_H_
