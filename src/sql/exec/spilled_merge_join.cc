#include "src/sql/exec/spilled_merge_join.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/spill_rows.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::exec {
namespace {

constexpr size_t kRunPlaceBytes = 8;  // behind each key: see MergeSide::OpenRuns
constexpr size_t kGroupRowOverhead = 32;

// The rows of a side, one after the other.
class SideReader {
 public:
  Status Open(MergeSide* side) {
    ASSIGN_OR_RETURN(merger_, side->OpenRuns());
    return Advance();
  }
  Status Advance() {
    ASSIGN_OR_RETURN(has_row_, merger_->Next(&key_, &record_));
    if (has_row_) key_.remove_suffix(kRunPlaceBytes);
    return Status::Ok();
  }

  // Of the current row; valid until Advance.
  bool has_row() const { return has_row_; }
  ByteView key() const { return key_; }
  bool matches_nothing() const { return record_[0] != '\0'; }
  ByteView row() const { return record_.substr(1); }

 private:
  std::unique_ptr<SortRunMerger> merger_;
  bool has_row_ = false;
  ByteView key_;
  ByteView record_;
};

class SpilledMergeJoinOperator : public Operator {
 public:
  SpilledMergeJoinOperator(ExecContext* context, std::unique_ptr<MergeSide> left,
                           std::unique_ptr<MergeSide> right, const MergeJoinSpec& spec)
      : context_(context), left_side_(std::move(left)), right_side_(std::move(right)), spec_(spec) {
    const bool asks_only =
        spec_.type == bind::JoinType::kSemi || spec_.type == bind::JoinType::kAnti;
    group_max_ = asks_only || spec_.first_match ? 1 : SIZE_MAX;
  }
  ~SpilledMergeJoinOperator() override { context_->Charge(-group_bytes_); }

  Status Next(DataChunk* chunk) override {
    RETURN_IF_ERROR(context_->CheckCancelled());
    if (!open_) {
      RETURN_IF_ERROR(left_.Open(left_side_.get()));
      RETURN_IF_ERROR(right_.Open(right_side_.get()));
      open_ = true;
    }
    left_rows_.Initialize(left_side_->types());
    right_rows_.Initialize(right_side_->types());
    count_ = 0;
    bool more = true;
    while (more && count_ < VectorSize()) {
      ASSIGN_OR_RETURN(more, Step());
    }
    Show(*left_side_, left_rows_, chunk);
    Show(*right_side_, right_rows_, chunk);
    chunk->size = count_;
    return Status::Ok();
  }

 private:
  bool full() const { return spec_.type == bind::JoinType::kFull; }

  // Makes one row at most; false at the end.
  Result<bool> Step() {
    if (pairing_) return PairNext();
    if (!left_.has_row()) {
      ASSIGN_OR_RETURN(const bool left_group, LeaveGroup());
      if (left_group) return true;
      if (!full() || !right_.has_row()) return false;
      return PassRight();
    }
    if (!has_group_ || group_key_ != left_.key()) {
      ASSIGN_OR_RETURN(const bool left_group, LeaveGroup());
      if (left_group) return true;
      if (right_.has_row() && right_.key() < left_.key()) return PassRight();
      if (right_.has_row() && right_.key() == left_.key()) RETURN_IF_ERROR(LoadGroup());
    }
    return MatchLeft();
  }

  // The current left row, whose right rows, if there are any, are the group.
  Result<bool> MatchLeft() {
    const bool matches = has_group_ && !group_matches_nothing_ && !left_.matches_nothing();
    if (matches && spec_.single_match && group_.size() > 1) return MakeSqlError(215, "");
    group_matched_ |= matches;
    switch (spec_.type) {
      case bind::JoinType::kInner: break;
      case bind::JoinType::kLeft:
      case bind::JoinType::kFull:
        if (!matches) RETURN_IF_ERROR(Emit(left_.row(), {}));
        break;
      case bind::JoinType::kSemi:
      case bind::JoinType::kAnti:
        if (matches == (spec_.type == bind::JoinType::kSemi)) {
          RETURN_IF_ERROR(Emit(left_.row(), {}));
        }
        RETURN_IF_ERROR(left_.Advance());
        return true;
    }
    pairing_ = matches;
    in_group_ = 0;
    if (!matches) RETURN_IF_ERROR(left_.Advance());
    return true;
  }

  Result<bool> PairNext() {
    RETURN_IF_ERROR(Emit(left_.row(), group_[in_group_++]));
    if (in_group_ < group_.size()) return true;
    pairing_ = false;
    RETURN_IF_ERROR(left_.Advance());
    return true;
  }

  // No left row to come has the key of this right row.
  Result<bool> PassRight() {
    if (full()) RETURN_IF_ERROR(Emit({}, right_.row()));
    RETURN_IF_ERROR(right_.Advance());
    return true;
  }

  Status LoadGroup() {
    has_group_ = true;
    group_key_.assign(left_.key());
    group_matches_nothing_ = right_.matches_nothing();
    group_matched_ = false;
    leaving_ = 0;
    while (right_.has_row() && right_.key() == group_key_) {
      if (group_.size() < group_max_) {
        group_.emplace_back(right_.row());
        const auto bytes = static_cast<int64_t>(group_.back().size() + kGroupRowOverhead);
        group_bytes_ += bytes;
        if (!context_->Charge(bytes)) return context_->OutOfMemory("JOIN");
      }
      RETURN_IF_ERROR(right_.Advance());
    }
    return Status::Ok();
  }

  // Done with the group. True when there was a row to be made of it first.
  Result<bool> LeaveGroup() {
    if (!has_group_) return false;
    if (full() && !group_matched_ && leaving_ < group_.size()) {
      RETURN_IF_ERROR(Emit({}, group_[leaving_++]));
      return true;
    }
    has_group_ = false;
    group_.clear();
    context_->Charge(-std::exchange(group_bytes_, 0));
    return false;
  }

  // An empty side is one of NULLs.
  Status Emit(ByteView left, ByteView right) {
    RETURN_IF_ERROR(Put(left, &left_rows_));
    RETURN_IF_ERROR(Put(right, &right_rows_));
    ++count_;
    return Status::Ok();
  }
  Status Put(ByteView row, DataChunk* rows) const {
    if (!row.empty()) return ReadRow(row, count_, &rows->columns);
    for (Vector& column : rows->columns) column.SetNull(count_);
    return Status::Ok();
  }

  static void Show(const MergeSide& side, const DataChunk& rows, DataChunk* chunk) {
    const std::vector<uint32_t>& slots = side.rows().columns();
    for (size_t i = 0; i < slots.size(); ++i) {
      if (slots[i] >= chunk->columns.size()) chunk->columns.resize(slots[i] + 1);
      chunk->columns[slots[i]].Reference(rows.columns[i]);
    }
  }

  ExecContext* const context_;
  const std::unique_ptr<MergeSide> left_side_;
  const std::unique_ptr<MergeSide> right_side_;
  const MergeJoinSpec spec_;
  bool open_ = false;
  SideReader left_;
  SideReader right_;
  // The right rows of the key group_key_, which right_ is behind.
  bool has_group_ = false;
  Bytes group_key_;
  std::vector<Bytes> group_;
  size_t group_max_ = SIZE_MAX;  // more are not asked for
  int64_t group_bytes_ = 0;
  bool group_matches_nothing_ = false;
  bool group_matched_ = false;
  size_t leaving_ = 0;    // FULL: the next row of a group that nothing matched
  bool pairing_ = false;  // the left row has pairs to come, from in_group_ on
  size_t in_group_ = 0;
  DataChunk left_rows_;
  DataChunk right_rows_;
  size_t count_ = 0;
};

}  // namespace

std::unique_ptr<Operator> MakeSpilledMergeJoin(ExecContext* context,
                                               std::unique_ptr<MergeSide> left,
                                               std::unique_ptr<MergeSide> right,
                                               const MergeJoinSpec& spec) {
  return std::make_unique<SpilledMergeJoinOperator>(context, std::move(left), std::move(right),
                                                    spec);
}

}  // namespace bennu::sql::exec
