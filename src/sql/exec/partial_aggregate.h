// PartialAggregate: the groups that one thread gathers, and their aggregates.
//
// When memory runs short the groups stay as they are: rows of groups that are known go on to be
// aggregated, those of others are written to temporary files (SpillPartitions) with what was
// evaluated for them, to be aggregated a partition at a time.
#ifndef BENNU_SRC_SQL_EXEC_PARTIAL_AGGREGATE_H_
#define BENNU_SRC_SQL_EXEC_PARTIAL_AGGREGATE_H_

#include <memory>
#include <span>
#include <vector>

#include "src/sql/exec/evaluate.h"
#include "src/sql/exec/group_table.h"
#include "src/sql/exec/hash_aggregate.h"
#include "src/sql/exec/operator.h"
#include "src/sql/exec/spill_partitions.h"

namespace bennu::sql::exec {

// One thread at a time.
class PartialAggregate {
 public:
  using Columns = std::span<const Vector* const>;

  // 'spill_level': of the files that rows may go to; SpillPartitions::kLevelsMax: rows must all
  // have room.
  PartialAggregate(ExecContext* context, const AggregateSpec* spec, int spill_level);
  ~PartialAggregate();

  // Rows of the operator below.
  Status Add(const DataChunk& chunk);
  // The same with group keys and arguments evaluated: as a row in a temporary file has them.
  Status AddEvaluated(Columns columns, size_t count);
  // Takes over the groups, and the files, of another.
  Status Merge(PartialAggregate* other);

  size_t group_count() const { return table_.size(); }
  int spill_level() const { return spill_level_; }
  bool spilled() const { return !spills_.empty(); }
  std::vector<std::unique_ptr<SpillPartitions>> TakeSpills() { return std::move(spills_); }
  // Of each row it says whether its group is known here: *known and *unknown get the rows.
  void Divide(Columns columns, size_t count, SelectionVector* known, SelectionVector* unknown);

  // Keeps the groups that were seen first, at most 'max_groups', and settles the order in which
  // Emit gives them.
  Status Finish(size_t max_groups);
  Status Emit(DataChunk* chunk);

  // Of group keys, then of all arguments.
  static std::vector<DataType> EvaluatedTypes(const AggregateSpec& spec);

 private:
  Status Aggregate(Columns arguments, const uint32_t* groups, size_t count);
  // Rows [0, count) when some groups are no longer taken in.
  Status AddToKnown(Columns columns, size_t count);
  void Resize(size_t count);
  void EmitKeys(const uint32_t* groups, size_t count, DataChunk* chunk) const;
  // All groups in order of their numbers, a chunk at a time.
  template <typename Use>
  Status ForEachBatch(Use&& use) const;
  Status Account();
  int64_t MemoryBytes() const;  // of groups and states

  ExecContext* const context_;
  const AggregateSpec* const spec_;
  const int spill_level_;
  const bool may_spill_;
  Evaluator evaluator_;
  GroupTable table_;
  GroupTable::Scratch scratch_;
  std::vector<std::unique_ptr<Aggregator>> aggregators_;
  std::vector<Vector> evaluated_;
  std::vector<const Vector*> views_;
  std::vector<const Vector*> argument_views_;
  std::vector<uint32_t> ids_;
  bool frozen_ = false;                                   // no group comes in any more
  std::vector<std::unique_ptr<SpillPartitions>> spills_;  // own (the first, when frozen) and merged
  std::vector<Vector> gathered_;
  std::vector<uint64_t> hashes_;
  size_t rows_seen_ = 0;
  int64_t reserved_bytes_ = 0;
  int64_t settled_bytes_ = 0;  // of the groups that were there when none came in any more
  std::vector<uint32_t> order_;
  size_t emitted_ = 0;
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_PARTIAL_AGGREGATE_H_
