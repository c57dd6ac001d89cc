// Joins by merging: both sides are brought into the order of the join's keys and walked through
// together. What USE_SORT_MERGE_JOIN asks for; rows come in the order of the keys, NULLs first.
#ifndef BENNU_SRC_SQL_EXEC_MERGE_JOIN_H_
#define BENNU_SRC_SQL_EXEC_MERGE_JOIN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "src/sql/bind/bound_query.h"
#include "src/sql/exec/operator.h"
#include "src/sql/exec/row_buffer.h"
#include "src/sql/exec/sort_key.h"
#include "src/sql/exec/sort_runs.h"

namespace bennu::sql::exec {

// What the rows of a side are joined by.
struct MergeKeys {
  const std::vector<bind::ExprPtr>& keys;  // at least one
  // By key: NULLs match each other; else a row with a NULL there matches nothing.
  const std::vector<bool>& matches_null;
  bool ordered = false;  // the rows come in the order of the keys
};

// One side, drained and in order. What memory has no room for goes to temporary files, as sorted
// runs.
class MergeSide {
 public:
  // Rows are kept in 'slots', over which the keys are expressions. Where rows have to be sorted,
  // those with equal keys come in Phoenix's order (tie_order.h) as long as there are few.
  static Result<std::unique_ptr<MergeSide>> Make(ExecContext* context, Operator* source,
                                                 const MergeKeys& keys, std::vector<uint32_t> slots,
                                                 std::vector<DataType> types);
  ~MergeSide();

  size_t size() const { return order_.size(); }
  // Of the i-th row in order.
  ByteView key(size_t i) const { return keys_.key(order_[i]); }
  bool matches_nothing(size_t i) const { return matches_nothing_[order_[i]]; }
  uint32_t row(size_t i) const { return order_[i]; }
  const RowBuffer& rows() const { return rows_; }
  const std::vector<DataType>& types() const { return types_; }
  int64_t memory_bytes() const { return reserved_bytes_; }
  size_t row_count() const { return row_count_; }

  // Rows are in files, and only to be had by OpenRuns.
  bool spilled() const { return !runs_.empty(); }
  // Moves the rows in memory to a file, so that others have room. There must be a place for files.
  Status Spill();
  // All rows in order: records of which the key is key(i) and 8 bytes more, and the row a byte (1:
  // it matches nothing) and what ReadRow reads. Once; memory is given back.
  Result<std::unique_ptr<SortRunMerger>> OpenRuns();

 private:
  MergeSide(ExecContext* context, std::vector<uint32_t> slots, std::vector<DataType> types)
      : context_(context), types_(types), rows_(std::move(slots), std::move(types)) {}

  Status Add(const MergeKeys& keys, const DataChunk& chunk);
  void Order(bool ordered);
  bool Account();

  ExecContext* const context_;
  const std::vector<DataType> types_;
  RowBuffer rows_;
  SortKeys keys_;
  std::vector<bool> matches_nothing_;
  std::vector<uint32_t> order_;
  int64_t reserved_bytes_ = 0;
  size_t row_count_ = 0;
  std::vector<SortRun> runs_;
};

struct MergeJoinSpec {
  bind::JoinType type = bind::JoinType::kInner;
  bool first_match = false;   // rows of the right side with the same key count once
  bool single_match = false;  // error 215 when a row has more than one match
};

// A side that is in files brings the other one there too.
std::unique_ptr<Operator> MakeMergeJoin(ExecContext* context, std::unique_ptr<MergeSide> left,
                                        std::unique_ptr<MergeSide> right,
                                        const MergeJoinSpec& spec);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_MERGE_JOIN_H_
