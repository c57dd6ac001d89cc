// Joins by hashing: the right side is built into a table, the left side probes it, as Phoenix does.
#ifndef BENNU_SRC_SQL_EXEC_HASH_JOIN_H_
#define BENNU_SRC_SQL_EXEC_HASH_JOIN_H_

#include <memory>
#include <vector>

#include "src/sql/bind/bound_query.h"
#include "src/sql/exec/group_table.h"
#include "src/sql/exec/operator.h"
#include "src/sql/exec/row_buffer.h"

namespace bennu::sql::exec {

// The built side. Immutable once built and then shared by probing threads.
class JoinTable {
 public:
  // Drains 'source'. Rows are kept in 'slots'; 'keys' are expressions over them (none: a cross
  // product); a NULL matches where the flag in 'matches_null' of the same index is set. With
  // 'keep_null_keys' rows with a NULL key are kept too, though nothing matches them; with
  // 'first_only' of the rows of each key only the first.
  static Result<std::shared_ptr<JoinTable>> Build(ExecContext* context, Operator* source,
                                                  std::vector<bind::ExprPtr> keys,
                                                  const std::vector<bool>& matches_null,
                                                  std::vector<uint32_t> slots,
                                                  std::vector<DataType> types, bool keep_null_keys,
                                                  bool first_only);
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
  JoinTable(ExecContext* context, const std::vector<bind::ExprPtr>& keys,
            std::vector<uint32_t> slots, std::vector<DataType> types);
  void Chain(uint32_t row, uint32_t group);

  ExecContext* const context_;
  const bool cross_;
  RowBuffer rows_;
  GroupTable groups_;
  std::vector<uint32_t> heads_;
  std::vector<uint32_t> tails_;
  std::vector<uint32_t> next_;
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
};

// kFull must not be wrapped around morsels: it remembers which rows of the table have matched.
std::unique_ptr<Operator> MakeHashJoin(ExecContext* context, std::unique_ptr<Operator> probe,
                                       std::shared_ptr<const JoinSpec> spec);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_HASH_JOIN_H_
