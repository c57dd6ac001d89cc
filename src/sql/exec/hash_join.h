// Joins by hashing: the right side is built into a table, the left side probes it, as Phoenix does.
#ifndef BENNU_SRC_SQL_EXEC_HASH_JOIN_H_
#define BENNU_SRC_SQL_EXEC_HASH_JOIN_H_

#include <memory>
#include <vector>

#include "src/sql/bind/bound_query.h"
#include "src/sql/exec/evaluate.h"
#include "src/sql/exec/group_table.h"
#include "src/sql/exec/operator.h"
#include "src/sql/exec/row_buffer.h"
#include "src/sql/exec/spill_partitions.h"

namespace bennu::sql::exec {

// How the built side is made of the rows of the right side.
struct JoinBuild {
  std::vector<uint32_t> slots;  // what is kept of a row
  std::vector<DataType> types;
  std::vector<bind::ExprPtr> keys;  // expressions over the slots; none: a cross product
  std::vector<bool> matches_null;   // by key: whether NULL matches NULL
  bool keep_null_keys = false;      // also rows with a NULL key that nothing matches
  bool first_only = false;          // of the rows of each key only the first
};

// Divides rows into partitions by join keys: rows of both sides that match come into the same.
class KeyDivider {
 public:
  // 'keys': of the side that the rows are of. Both must outlive this.
  KeyDivider(ExecContext* context, const std::vector<bind::ExprPtr>* keys, const JoinBuild& build);
  // All rows of the chunk, of each the columns 'slots'.
  Status Divide(const DataChunk& chunk, const std::vector<uint32_t>& slots,
                SpillPartitions* partitions);

 private:
  Evaluator evaluator_;
  const std::vector<bind::ExprPtr>* const keys_;
  const GroupTable groups_;  // for its hashes alone
  std::vector<Vector> evaluated_;
  GroupTable::Scratch scratch_;
  std::vector<uint64_t> hashes_;
  SelectionVector all_;
};

// The built side. Immutable once built and then shared by probing threads.
class JoinTable {
 public:
  // Drains 'source'. When its rows have no room in memory they all go to *overflow, and the table
  // is null; without 'overflow' that is error 999.
  static Result<std::shared_ptr<JoinTable>> Build(ExecContext* context, Operator* source,
                                                  const JoinBuild& build,
                                                  SpillPartitions* overflow = nullptr);
  // The same for as many of the rows as a part of the memory has room for, a chunk at least: the
  // next call gives a table of those that follow. Of no rows: the end.
  static Result<std::shared_ptr<JoinTable>> BuildBlock(ExecContext* context, Operator* source,
                                                       const JoinBuild& build);
  ~JoinTable();

  const RowBuffer& rows() const { return rows_; }
  // The first row that matches the key, by group of 'groups'; kNoRow when none.
  uint32_t Head(uint32_t group) const { return heads_[group]; }
  bool HasRow(uint32_t group) const {
    return group < heads_.size() && heads_[group] != RowBuffer::kNoRow;
  }
  uint32_t NextRow(uint32_t row) const { return next_[row]; }
  const GroupTable& groups() const { return groups_; }
  bool cross() const { return cross_; }
  size_t memory_bytes() const { return static_cast<size_t>(reserved_bytes_); }

 private:
  JoinTable(ExecContext* context, const JoinBuild& build);
  // Of a chunk of the right side.
  template <typename Keys>
  void Add(const DataChunk& chunk, const Keys& keys, const JoinBuild& build);
  // False when there is no room.
  bool Account();
  // All rows, before the table is given up.
  Status MoveTo(const JoinBuild& build, KeyDivider* divider, SpillPartitions* overflow) const;
  void Chain(uint32_t row, uint32_t group);
  // After the last row.
  void Finish();

  ExecContext* const context_;
  const bool cross_;
  RowBuffer rows_;
  GroupTable groups_;
  std::vector<uint32_t> heads_;
  std::vector<uint32_t> tails_;
  std::vector<uint32_t> next_;
  int64_t reserved_bytes_ = 0;
};

// Which rows of the left side had a match, by their number from 0 on. One thread.
class MatchedRows {
 public:
  explicit MatchedRows(ExecContext* context) : context_(context) {}
  ~MatchedRows();

  // Makes room for 'count' rows, before the first is asked for. Errors: 999.
  Status Reserve(uint64_t count);
  bool Has(uint64_t row) const { return rows_[row]; }
  void Add(uint64_t row) { rows_[row] = true; }

 private:
  ExecContext* const context_;
  std::vector<bool> rows_;
  int64_t reserved_bytes_ = 0;
};

// What all probing operators of one join share.
struct JoinSpec {
  bind::JoinType type = bind::JoinType::kInner;
  std::vector<bind::ExprPtr> left_keys;
  std::vector<bool> matches_null;    // by key
  std::vector<uint32_t> left_slots;  // kFull: which columns are NULL in unmatched rows
  std::vector<DataType> left_types;
  bool single_match = false;  // error 215 when a row has more than one match
  std::shared_ptr<JoinTable> table;
  // kInner, where the table is one of several: gathers what had a match. Null: not wanted.
  MatchedRows* matched = nullptr;
};

// kFull must not be wrapped around morsels: it remembers which rows of the table have matched.
std::unique_ptr<Operator> MakeHashJoin(ExecContext* context, std::unique_ptr<Operator> probe,
                                       std::shared_ptr<const JoinSpec> spec);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_HASH_JOIN_H_
