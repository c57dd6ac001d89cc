// ORDER BY: full sorts and, with a limit, the first rows only.
#ifndef BENNU_SRC_SQL_EXEC_SORT_H_
#define BENNU_SRC_SQL_EXEC_SORT_H_

#include <memory>
#include <vector>

#include "src/sql/exec/operator.h"
#include "src/sql/exec/row_buffer.h"
#include "src/sql/exec/sort_key.h"
#include "src/sql/exec/sort_runs.h"

namespace bennu::sql::exec {

// Collects rows and gives them back in order. With a limit it forgets rows as soon as enough better
// ones are known: memory is a few times 'limit' rows. The order of equal rows is Phoenix's as long
// as there are few rows (tie_order.h), else that of the table, however the morsels were shared out.
// What memory has no room for goes to temporary files as sorted runs, which are merged at the end.
// One thread at a time.
class Sorter {
 public:
  // 'limit': rows wanted at most; SIZE_MAX for all.
  Sorter(ExecContext* context, std::vector<SortField> fields, std::vector<DataType> types,
         size_t limit);
  ~Sorter();

  // The rows that follow are those of this morsel, from its first on. Without a call: of the only
  // one.
  void StartMorsel(size_t morsel);
  Status Add(const DataChunk& chunk);
  // Takes over the rows of another with the same fields.
  Status Merge(Sorter* other);
  // After the last Add.
  Status Finish();
  // The next rows in order; 0 at the end. Bytes are views of this.
  Status Emit(DataChunk* chunk);

 private:
  void Prune();
  Status PruneIfMany();
  void OrderTies();
  Status Account();
  // Writes the rows to a file, in order, and forgets them.
  Status SpillRun();
  Status EmitMerged(DataChunk* chunk);

  ExecContext* const context_;
  const std::vector<SortField> fields_;
  const std::vector<DataType> types_;
  const size_t limit_;
  std::vector<uint32_t> columns_;
  std::unique_ptr<RowBuffer> rows_;
  // Behind each key stands where its row came from, 8 bytes: rows have one order then.
  SortKeys keys_;
  uint64_t place_ = 0;  // of the next row
  Bytes threshold_;     // the key of the last wanted row so far; rows not below it are not wanted
  bool has_threshold_ = false;
  std::vector<uint32_t> candidates_;
  bool pruned_ = false;
  int64_t reserved_bytes_ = 0;
  std::vector<uint32_t> order_;
  size_t emitted_ = 0;
  std::shared_ptr<SpillFile> file_;  // of the runs written here; null: none yet
  std::vector<SortRun> runs_;        // also of others, taken over
  std::unique_ptr<SortRunMerger> merger_;
  size_t left_ = 0;  // to come from merger_
};

// 'child' or, when it can be cut, 'morsels': one of them is set.
std::unique_ptr<Operator> MakeSort(ExecContext* context, std::unique_ptr<Operator> child,
                                   std::unique_ptr<Morsels> morsels, std::vector<SortField> fields,
                                   std::vector<DataType> types, size_t limit);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SORT_H_
