#include "src/sql/exec/blocked_join.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/basic_operators.h"

namespace bennu::sql::exec {
namespace {

// Rows that no block had a match for.
class UnmatchedOperator : public Operator {
 public:
  UnmatchedOperator(std::unique_ptr<Operator> child, const MatchedRows* matched)
      : child_(std::move(child)), matched_(*matched) {}

  Status Next(DataChunk* chunk) override {
    chunk->size = 0;
    for (;;) {
      RETURN_IF_ERROR(child_->Next(&input_));
      if (input_.size == 0) return Status::Ok();
      selection_.Clear();
      for (uint32_t row = 0; row < input_.size; ++row) {
        if (!matched_.Has(before_ + row)) selection_.Append(row);
      }
      before_ += input_.size;
      if (selection_.size() == 0) continue;
      TakeSelected(selection_, &input_, chunk);
      return Status::Ok();
    }
  }

 private:
  const std::unique_ptr<Operator> child_;
  const MatchedRows& matched_;
  uint64_t before_ = 0;
  DataChunk input_;
  SelectionVector selection_;
};

class BlockedJoinOperator : public Operator {
 public:
  BlockedJoinOperator(ExecContext* context,
                      std::function<Result<std::unique_ptr<Operator>>()> open_left,
                      uint64_t left_rows, std::unique_ptr<Operator> right,
                      std::shared_ptr<const JoinSpec> spec, std::shared_ptr<const JoinBuild> build)
      : context_(context),
        open_left_(std::move(open_left)),
        left_rows_(left_rows),
        right_(std::move(right)),
        spec_(std::move(spec)),
        build_(std::move(build)),
        matched_(context) {}

  Status Next(DataChunk* chunk) override {
    for (;;) {
      if (join_ == nullptr) {
        chunk->size = 0;
        if (done_) return Status::Ok();
        RETURN_IF_ERROR(JoinBlock());
      }
      RETURN_IF_ERROR(join_->Next(chunk));
      if (chunk->size > 0) return Status::Ok();
      join_ = nullptr;
    }
  }

 private:
  // Without keys every row of a block matches every row of the other side, so that each block has
  // the same unmatched rows: none, or all of its own when there is no other row.
  bool remembers() const { return spec_->type == bind::JoinType::kLeft && !build_->keys.empty(); }

  Status JoinBlock() {
    if (!begun_ && remembers()) RETURN_IF_ERROR(matched_.Reserve(left_rows_));
    begun_ = true;
    auto spec = std::make_shared<JoinSpec>(*spec_);
    ASSIGN_OR_RETURN(spec->table, JoinTable::BuildBlock(context_, right_.get(), *build_));
    done_ = spec->table->rows().size() == 0;
    if (done_ && !remembers()) {
      join_ = MakeEmpty();
      return Status::Ok();
    }
    ASSIGN_OR_RETURN(std::unique_ptr<Operator> left, open_left_());
    if (done_) {
      left = std::make_unique<UnmatchedOperator>(std::move(left), &matched_);
    } else if (remembers()) {
      spec->type = bind::JoinType::kInner;
      spec->matched = &matched_;
    }
    join_ = MakeHashJoin(context_, std::move(left), std::move(spec));
    return Status::Ok();
  }

  ExecContext* const context_;
  const std::function<Result<std::unique_ptr<Operator>>()> open_left_;
  const uint64_t left_rows_;
  const std::unique_ptr<Operator> right_;
  const std::shared_ptr<const JoinSpec> spec_;
  const std::shared_ptr<const JoinBuild> build_;
  MatchedRows matched_;
  bool begun_ = false;
  bool done_ = false;
  std::unique_ptr<Operator> join_;  // of a block
};

}  // namespace

std::unique_ptr<Operator> MakeBlockedJoin(
    ExecContext* context, std::function<Result<std::unique_ptr<Operator>>()> open_left,
    uint64_t left_rows, std::unique_ptr<Operator> right, std::shared_ptr<const JoinSpec> spec,
    std::shared_ptr<const JoinBuild> build) {
  return std::make_unique<BlockedJoinOperator>(context, std::move(open_left), left_rows,
                                               std::move(right), std::move(spec), std::move(build));
}

}  // namespace bennu::sql::exec
