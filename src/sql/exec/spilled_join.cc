#include "src/sql/exec/spilled_join.h"

#include <utility>

#include "src/sql/exec/spill_rows.h"

namespace bennu::sql::exec {
namespace {

// The rows of a partition in chunks of 'slot_count' columns.
class PartitionOperator : public Operator {
 public:
  PartitionOperator(ExecContext* context, std::unique_ptr<SpillReader> reader,
                    std::vector<uint32_t> slots, std::vector<DataType> types, size_t slot_count)
      : context_(context),
        reader_(std::move(reader)),
        slots_(std::move(slots)),
        types_(std::move(types)),
        slot_count_(slot_count) {}

  Status Next(DataChunk* chunk) override {
    RETURN_IF_ERROR(context_->CheckCancelled());
    chunk->columns.resize(slot_count_);
    rows_.Initialize(types_);
    ByteView record;
    while (reader_ != nullptr && rows_.size < VectorSize()) {
      ASSIGN_OR_RETURN(const bool more, reader_->Next(&record));
      if (!more) break;
      RETURN_IF_ERROR(ReadRow(record, rows_.size, &rows_.columns));
      ++rows_.size;
    }
    for (size_t i = 0; i < slots_.size(); ++i) {
      chunk->columns[slots_[i]].Reference(rows_.columns[i]);
    }
    chunk->size = rows_.size;
    return Status::Ok();
  }

 private:
  ExecContext* const context_;
  const std::unique_ptr<SpillReader> reader_;  // null: no rows
  const std::vector<uint32_t> slots_;
  const std::vector<DataType> types_;
  const size_t slot_count_;
  DataChunk rows_;
};

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

  // A partition that is still too large is divided again, by further bits of the hashes.
  Status JoinPartition(size_t number) {
    ASSIGN_OR_RETURN(auto right, built_->Read(number));
    ASSIGN_OR_RETURN(auto left, probed_.Read(number));
    PartitionOperator source(context_, std::move(right), build_->slots, build_->types, slot_count_);
    std::unique_ptr<SpillPartitions> overflow;
    const int next_level = level_ + 1;
    if (next_level < SpillPartitions::kLevelsMax) {
      overflow = std::make_unique<SpillPartitions>(context_, next_level);
    }
    auto spec = std::make_shared<JoinSpec>(*spec_);
    ASSIGN_OR_RETURN(spec->table, JoinTable::Build(context_, &source, *build_, overflow.get()));
    auto probe = std::make_unique<PartitionOperator>(context_, std::move(left), spec_->left_slots,
                                                     spec_->left_types, slot_count_);
    if (spec->table == nullptr) {
      join_ =
          std::make_unique<SpilledJoinOperator>(context_, std::move(probe), std::move(spec), build_,
                                                std::move(overflow), slot_count_, next_level);
    } else {
      join_ = MakeHashJoin(context_, std::move(probe), std::move(spec));
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
