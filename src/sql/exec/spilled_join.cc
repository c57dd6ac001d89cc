#include "src/sql/exec/spilled_join.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/blocked_join.h"
#include "src/sql/exec/spill_source.h"

namespace bennu::sql::exec {
namespace {

// What is too much still when it was divided so often has few keys, often one.
constexpr int kDivisionsMax = 3;

class SpilledJoinOperator : public Operator {
 public:
  SpilledJoinOperator(ExecContext* context, std::unique_ptr<Operator> probe,
                      std::shared_ptr<const JoinSpec> spec, std::shared_ptr<const JoinBuild> build,
                      std::unique_ptr<SpillPartitions> built, size_t slot_count, int level)
      : context_(context),
        child_(std::move(probe)),
        spec_(std::move(spec)),
        build_(std::move(build)),
        built_(std::move(built)),
        level_(level),
        probed_(context, level),
        slot_count_(slot_count) {}

  Status Next(DataChunk* chunk) override {
    if (child_ != nullptr) RETURN_IF_ERROR(DivideProbe());
    for (;;) {
      if (join_ == nullptr) {
        chunk->size = 0;
        if (partition_ == SpillPartitions::kPartitions) return Status::Ok();
        RETURN_IF_ERROR(JoinPartition(partition_++));
      }
      RETURN_IF_ERROR(join_->Next(chunk));
      if (chunk->size > 0) return Status::Ok();
      join_ = nullptr;
      built_->Drop(partition_ - 1);
      probed_.Drop(partition_ - 1);
    }
  }

 private:
  Status DivideProbe() {
    KeyDivider divider(context_, &spec_->left_keys, *build_);
    DataChunk chunk;
    for (;;) {
      RETURN_IF_ERROR(child_->Next(&chunk));
      if (chunk.size == 0) break;
      RETURN_IF_ERROR(divider.Divide(chunk, spec_->left_slots, &probed_));
    }
    child_ = nullptr;
    RETURN_IF_ERROR(built_->Finish());
    return probed_.Finish();
  }

  Result<std::unique_ptr<Operator>> OpenLeft(size_t number) const {
    ASSIGN_OR_RETURN(auto reader, probed_.Read(number));
    return MakeSpillSource(context_, std::move(reader),
                           {spec_->left_slots, spec_->left_types, slot_count_});
  }

  Result<std::unique_ptr<Operator>> OpenRight(size_t number) const {
    ASSIGN_OR_RETURN(auto reader, built_->Read(number));
    return MakeSpillSource(context_, std::move(reader),
                           {build_->slots, build_->types, slot_count_});
  }

  // A partition that is still too large is divided again, by further bits of the hashes, or joined
  // block by block where that leads nowhere.
  Status JoinPartition(size_t number) {
    ASSIGN_OR_RETURN(std::unique_ptr<Operator> right, OpenRight(number));
    const int next_level = level_ + 1;
    if (!build_->first_only && (build_->keys.empty() || next_level == kDivisionsMax)) {
      join_ = MakeBlockedJoin(
          context_, [this, number] { return OpenLeft(number); }, probed_.row_count(number),
          std::move(right), spec_, build_);
      return Status::Ok();
    }
    std::unique_ptr<SpillPartitions> overflow;
    if (next_level < SpillPartitions::kLevelsMax) {
      overflow = std::make_unique<SpillPartitions>(context_, next_level);
    }
    auto spec = std::make_shared<JoinSpec>(*spec_);
    ASSIGN_OR_RETURN(spec->table, JoinTable::Build(context_, right.get(), *build_, overflow.get()));
    ASSIGN_OR_RETURN(std::unique_ptr<Operator> left, OpenLeft(number));
    if (spec->table == nullptr) {
      join_ =
          std::make_unique<SpilledJoinOperator>(context_, std::move(left), std::move(spec), build_,
                                                std::move(overflow), slot_count_, next_level);
    } else {
      join_ = MakeHashJoin(context_, std::move(left), std::move(spec));
    }
    return Status::Ok();
  }

  ExecContext* const context_;
  std::unique_ptr<Operator> child_;  // null when all of it is in files
  const std::shared_ptr<const JoinSpec> spec_;
  const std::shared_ptr<const JoinBuild> build_;
  const std::unique_ptr<SpillPartitions> built_;
  const int level_;  // how many times the rows were divided before
  SpillPartitions probed_;
  const size_t slot_count_;
  size_t partition_ = 0;  // the next one
  std::unique_ptr<Operator> join_;
};

}  // namespace

std::unique_ptr<Operator> MakeSpilledJoin(ExecContext* context, std::unique_ptr<Operator> probe,
                                          std::shared_ptr<const JoinSpec> spec,
                                          std::shared_ptr<const JoinBuild> build,
                                          std::unique_ptr<SpillPartitions> built,
                                          size_t slot_count) {
  return std::make_unique<SpilledJoinOperator>(context, std::move(probe), std::move(spec),
                                               std::move(build), std::move(built), slot_count,
                                               /*level=*/0);
}

}  // namespace bennu::sql::exec
