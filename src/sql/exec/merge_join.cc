#include "src/sql/exec/merge_join.h"

#include <algorithm>
#include <utility>

#include "src/base/coding.h"
#include "src/base/status_macros.h"
#include "src/sql/exec/evaluate.h"
#include "src/sql/exec/spill_rows.h"
#include "src/sql/exec/spilled_merge_join.h"
#include "src/sql/exec/tie_order.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::exec {
namespace {

constexpr uint32_t kNoRow = RowBuffer::kNoRow;

// As for ORDER BY: beyond this nobody can expect a certain order of equal rows.
constexpr size_t kOrderedTiesMax = 4096;

class MergeJoinOperator : public Operator {
 public:
  MergeJoinOperator(ExecContext* context, std::unique_ptr<MergeSide> left,
                    std::unique_ptr<MergeSide> right, const MergeJoinSpec& spec)
      : context_(context), left_(std::move(left)), right_(std::move(right)), spec_(spec) {}

  Status Next(DataChunk* chunk) override {
    RETURN_IF_ERROR(context_->CheckCancelled());
    pairs_left_.clear();
    pairs_right_.clear();
    while (pairs_left_.size() < VectorSize() && at_left_ < left_->size()) {
      RETURN_IF_ERROR(Step());
    }
    if (at_left_ == left_->size()) {
      while (pairs_left_.size() < VectorSize() && at_right_ < right_->size()) PassRight();
    }
    Output(chunk);
    return Status::Ok();
  }

 private:
  // Goes on with the left row by one pair, or to the next left row.
  Status Step() {
    if (!group_found_) {
      // The rest of the right rows below this key may not fit into the chunk.
      if (at_right_ < right_->size() && right_->key(at_right_) < left_->key(at_left_)) {
        PassRight();
        return Status::Ok();
      }
      RETURN_IF_ERROR(FindGroup());
    }
    if (in_group_ < group_end_) {
      Pair(left_->row(at_left_), right_->row(in_group_++));
      if (in_group_ < group_end_) return Status::Ok();
    }
    ++at_left_;
    group_found_ = false;
    return Status::Ok();
  }

  // The right rows of the left row's key, of which Step makes pairs; for the kinds of joins that
  // only ask whether there are some, what comes of the answer.
  Status FindGroup() {
    const ByteView key = left_->key(at_left_);
    if (at_right_ >= key_end_ || right_->key(at_right_) != key) {
      key_end_ = at_right_;
      while (key_end_ < right_->size() && right_->key(key_end_) == key) ++key_end_;
    }
    const bool matches = key_end_ > at_right_ && !left_->matches_nothing(at_left_) &&
                         !right_->matches_nothing(at_right_);
    group_found_ = true;
    in_group_ = at_right_;
    group_end_ = matches ? key_end_ : at_right_;
    if (matches) matched_end_ = key_end_;
    if (matches && spec_.single_match && group_end_ - in_group_ > 1) return MakeSqlError(215, "");
    if (matches && spec_.first_match) group_end_ = in_group_ + 1;
    switch (spec_.type) {
      case bind::JoinType::kInner: break;
      case bind::JoinType::kLeft:
      case bind::JoinType::kFull:
        if (!matches) Pair(left_->row(at_left_), kNoRow);
        break;
      case bind::JoinType::kSemi:
      case bind::JoinType::kAnti:
        if (matches == (spec_.type == bind::JoinType::kSemi)) Pair(left_->row(at_left_), kNoRow);
        group_end_ = in_group_;
        break;
    }
    return Status::Ok();
  }

  // No left row to come has the key of this right row.
  void PassRight() {
    const bool unmatched = at_right_ >= matched_end_;
    if (spec_.type == bind::JoinType::kFull && unmatched) Pair(kNoRow, right_->row(at_right_));
    ++at_right_;
  }

  void Pair(uint32_t left, uint32_t right) {
    pairs_left_.push_back(left);
    pairs_right_.push_back(right);
  }

  void Output(DataChunk* chunk) const {
    chunk->size = pairs_left_.size();
    if (chunk->size == 0) return;
    left_->rows().Gather(pairs_left_.data(), pairs_left_.size(), chunk);
    right_->rows().Gather(pairs_right_.data(), pairs_right_.size(), chunk);
  }

  ExecContext* const context_;
  const std::unique_ptr<MergeSide> left_;
  const std::unique_ptr<MergeSide> right_;
  const MergeJoinSpec spec_;
  size_t at_left_ = 0;
  size_t at_right_ = 0;     // the first right row that is not below the left row's key
  size_t key_end_ = 0;      // behind the right rows of the key at at_right_, once they are known
  size_t matched_end_ = 0;  // right rows from at_right_ to here have matched a left row
  bool group_found_ = false;
  size_t in_group_ = 0;
  size_t group_end_ = 0;
  std::vector<uint32_t> pairs_left_;
  std::vector<uint32_t> pairs_right_;
};

}  // namespace

MergeSide::~MergeSide() { context_->Charge(-reserved_bytes_); }

Status MergeSide::Add(const MergeKeys& keys, const DataChunk& chunk) {
  const size_t key_count = keys.keys.size();
  Evaluator evaluator(context_);
  DataChunk key_columns;
  key_columns.columns.resize(key_count);
  key_columns.size = chunk.size;
  std::vector<SortField> fields;
  for (uint32_t i = 0; i < key_count; ++i) {
    RETURN_IF_ERROR(evaluator.Evaluate(*keys.keys[i], chunk, &key_columns.columns[i]));
    fields.push_back({i, false, false});
  }
  Bytes key;
  for (size_t row = 0; row < chunk.size; ++row) {
    key.clear();
    AppendSortKey(fields, key_columns, row, &key);
    keys_.Add(key);
    bool matches_nothing = false;
    for (size_t i = 0; i < key_count; ++i) {
      matches_nothing |= !keys.matches_null[i] && key_columns.columns[i].IsNull(row);
    }
    matches_nothing_.push_back(matches_nothing);
  }
  rows_.Append(chunk, nullptr, chunk.size);
  row_count_ += chunk.size;
  if (Account()) return Status::Ok();
  return context_->options().spill != nullptr ? Spill() : context_->OutOfMemory("JOIN");
}

bool MergeSide::Account() {
  const auto now = static_cast<int64_t>(rows_.memory_bytes() + keys_.memory_bytes());
  const int64_t more = now - reserved_bytes_;
  reserved_bytes_ = now;
  return context_->Charge(more);
}

Status MergeSide::Spill() {
  if (keys_.size() == 0) return Status::Ok();
  const std::vector<uint32_t> order = keys_.Order(SIZE_MAX);
  // A file for each run: those that are merged into longer ones are gone then.
  ASSIGN_OR_RETURN(std::shared_ptr<SpillFile> file, context_->options().spill->NewFile());
  SortRunWriter writer(std::move(file));
  DataChunk chunk;
  std::vector<const Vector*> columns;
  Bytes key;
  Bytes record;
  for (size_t begin = 0; begin < order.size(); begin += VectorSize()) {
    RETURN_IF_ERROR(context_->CheckCancelled());
    const size_t count = std::min(VectorSize(), order.size() - begin);
    rows_.Gather(order.data() + begin, count, &chunk);
    columns.clear();
    for (const uint32_t slot : rows_.columns()) columns.push_back(&chunk.columns[slot]);
    for (size_t i = 0; i < count; ++i) {
      const uint32_t row = order[begin + i];
      key.assign(keys_.key(row));
      AppendBE64(&key, row_count_ - keys_.size() + row);
      record.assign(1, matches_nothing_[row] ? '\1' : '\0');
      AppendRow(columns, i, &record);
      RETURN_IF_ERROR(writer.Add(key, record));
    }
  }
  ASSIGN_OR_RETURN(SortRun run, writer.Finish());
  context_->CountSpilled(run.end - run.begin);
  runs_.push_back(std::move(run));
  rows_.Clear();
  keys_ = SortKeys();
  matches_nothing_.clear();
  order_.clear();
  Account();  // gives back
  return Status::Ok();
}

Result<std::unique_ptr<SortRunMerger>> MergeSide::OpenRuns() {
  RETURN_IF_ERROR(Spill());
  RETURN_IF_ERROR(ReduceSortRuns(context_->options().spill, &runs_));
  return SortRunMerger::Open(std::move(runs_));
}

void MergeSide::Order(bool ordered) {
  order_ = keys_.Order(SIZE_MAX);
  if (ordered || order_.size() > kOrderedTiesMax) return;
  std::vector<uint32_t> rank_of(order_.size());
  uint32_t rank = 0;
  for (size_t i = 1; i < order_.size(); ++i) {
    if (key(i) != key(i - 1)) ++rank;
    rank_of[order_[i]] = rank;
  }
  if (rank + 1 < order_.size()) order_ = HeapOrder(rank_of, SIZE_MAX);
}

Result<std::unique_ptr<MergeSide>> MergeSide::Make(ExecContext* context, Operator* source,
                                                   const MergeKeys& keys,
                                                   std::vector<uint32_t> slots,
                                                   std::vector<DataType> types) {
  std::unique_ptr<MergeSide> side(new MergeSide(context, std::move(slots), std::move(types)));
  DataChunk chunk;
  for (;;) {
    RETURN_IF_ERROR(context->CheckCancelled());
    RETURN_IF_ERROR(source->Next(&chunk));
    if (chunk.size == 0) break;
    RETURN_IF_ERROR(side->Add(keys, chunk));
  }
  if (side->spilled()) return side;
  side->Order(keys.ordered);
  return side;
}

std::unique_ptr<Operator> MakeMergeJoin(ExecContext* context, std::unique_ptr<MergeSide> left,
                                        std::unique_ptr<MergeSide> right,
                                        const MergeJoinSpec& spec) {
  if (left->spilled() || right->spilled()) {
    return MakeSpilledMergeJoin(context, std::move(left), std::move(right), spec);
  }
  return std::make_unique<MergeJoinOperator>(context, std::move(left), std::move(right), spec);
}

}  // namespace bennu::sql::exec
