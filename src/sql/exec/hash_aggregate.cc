#include "src/sql/exec/hash_aggregate.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/exec/basic_operators.h"
#include "src/sql/exec/partial_aggregate.h"
#include "src/sql/exec/sort.h"
#include "src/sql/exec/spill_rows.h"

namespace bennu::sql::exec {
namespace {

// Groups of which some went to temporary files: aggregates the files' partitions one after the
// other, and gives all groups in order.
class SpilledGroups {
 public:
  SpilledGroups(ExecContext* context, const AggregateSpec* spec)
      : context_(context),
        spec_(spec),
        types_(PartialAggregate::EvaluatedTypes(*spec)),
        out_(context, spec->order, OutputTypes(*spec), SIZE_MAX) {}

  // 'divided': rows in the files may be of groups that 'groups' has, since several threads put them
  // there.
  Status Run(std::unique_ptr<PartialAggregate> groups, bool divided) {
    RETURN_IF_ERROR(AddGroups(std::move(groups), divided));
    return out_.Finish();
  }
  Status Emit(DataChunk* chunk) { return out_.Emit(chunk); }

 private:
  static std::vector<DataType> OutputTypes(const AggregateSpec& spec) {
    std::vector<DataType> types;
    for (const bind::ExprPtr& group : spec.groups) types.push_back(group->type);
    for (const bind::AggregatePtr& aggregate : spec.aggregates) types.push_back(aggregate->type);
    return types;
  }

  // The depth is bounded by SpillPartitions::kLevelsMax.
  Status AddGroups(std::unique_ptr<PartialAggregate> groups, bool divided) {
    const auto spills = groups->TakeSpills();
    const int level = groups->spill_level() + 1;
    for (const auto& spill : spills) RETURN_IF_ERROR(spill->Finish());
    PartialAggregate* const known = divided ? groups.get() : nullptr;
    if (!divided) {
      RETURN_IF_ERROR(Output(groups.get()));
      groups = nullptr;  // makes room
    }
    for (size_t partition = 0; !spills.empty() && partition < SpillPartitions::kPartitions;
         ++partition) {
      auto rest = std::make_unique<PartialAggregate>(context_, spec_, level);
      for (const auto& spill : spills) {
        RETURN_IF_ERROR(ReadPartition(*spill, partition, known, rest.get()));
        spill->Drop(partition);
      }
      RETURN_IF_ERROR(AddGroups(std::move(rest), /*divided=*/false));
    }
    return divided ? Output(groups.get()) : Status::Ok();
  }

  // Rows of groups that 'known' (null: none) has go there, the others to 'rest'.
  Status ReadPartition(const SpillPartitions& spill, size_t partition, PartialAggregate* known,
                       PartialAggregate* rest) {
    ASSIGN_OR_RETURN(const auto reader, spill.Read(partition));
    DataChunk chunk;
    while (reader != nullptr) {
      RETURN_IF_ERROR(context_->CheckCancelled());
      chunk.Initialize(types_);
      ByteView record;
      while (chunk.size < VectorSize()) {
        ASSIGN_OR_RETURN(const bool more, reader->Next(&record));
        if (!more) break;
        RETURN_IF_ERROR(ReadRow(record, chunk.size, &chunk.columns));
        ++chunk.size;
      }
      if (chunk.size == 0) break;
      if (known == nullptr) {
        RETURN_IF_ERROR(AddRows(chunk, rest));
        continue;
      }
      SelectionVector here;
      SelectionVector elsewhere;
      known->Divide(ViewsOf(chunk), chunk.size, &here, &elsewhere);
      RETURN_IF_ERROR(AddSelected(chunk, here, known));
      RETURN_IF_ERROR(AddSelected(chunk, elsewhere, rest));
    }
    return Status::Ok();
  }

  std::vector<const Vector*> ViewsOf(const DataChunk& chunk) const {
    std::vector<const Vector*> views;
    for (const Vector& column : chunk.columns) views.push_back(&column);
    return views;
  }

  Status AddRows(const DataChunk& chunk, PartialAggregate* groups) const {
    return groups->AddEvaluated(ViewsOf(chunk), chunk.size);
  }

  Status AddSelected(const DataChunk& chunk, const SelectionVector& rows,
                     PartialAggregate* groups) const {
    if (rows.size() == 0) return Status::Ok();
    DataChunk selected;
    GatherChunk(chunk, rows, &selected);
    return AddRows(selected, groups);
  }

  Status Output(PartialAggregate* groups) {
    RETURN_IF_ERROR(groups->Finish(kAllGroups));
    DataChunk chunk;
    for (;;) {
      RETURN_IF_ERROR(groups->Emit(&chunk));
      if (chunk.size == 0) return Status::Ok();
      RETURN_IF_ERROR(out_.Add(chunk));
    }
  }

  ExecContext* const context_;
  const AggregateSpec* const spec_;
  const std::vector<DataType> types_;
  Sorter out_;
};

class HashAggregateOperator : public Operator {
 public:
  HashAggregateOperator(ExecContext* context, std::unique_ptr<Operator> child,
                        std::unique_ptr<Morsels> morsels, const AggregateSpec* spec,
                        size_t max_groups)
      : context_(context),
        child_(std::move(child)),
        morsels_(std::move(morsels)),
        spec_(spec),
        max_groups_(max_groups) {}

  Status Next(DataChunk* chunk) override {
    if (result_ == nullptr && spilled_ == nullptr) RETURN_IF_ERROR(Run());
    return spilled_ != nullptr ? spilled_->Emit(chunk) : result_->Emit(chunk);
  }

 private:
  Status Drain(Operator* source, PartialAggregate* partial) const {
    DataChunk chunk;
    while (partial->group_count() < max_groups_) {
      RETURN_IF_ERROR(source->Next(&chunk));
      if (chunk.size == 0) return Status::Ok();
      RETURN_IF_ERROR(partial->Add(chunk));
    }
    return Status::Ok();
  }

  Status Run() {
    std::unique_ptr<PartialAggregate> result;
    if (morsels_ == nullptr) {
      result = NewPartial();
      RETURN_IF_ERROR(Drain(child_.get(), result.get()));
    } else {
      std::vector<std::unique_ptr<PartialAggregate>> partial;
      for (size_t i = 0; i < context_->worker_count(); ++i) {
        partial.push_back(NewPartial());
      }
      RETURN_IF_ERROR(RunMorsels(context_, morsels_.get(), partial.size(),
                                 [&](size_t worker, size_t, Operator* source) {
                                   return Drain(source, partial[worker].get());
                                 }));
      result = std::move(partial[0]);
      for (size_t i = 1; i < partial.size(); ++i) {
        RETURN_IF_ERROR(result->Merge(partial[i].get()));
        partial[i] = nullptr;
      }
    }
    child_ = nullptr;
    if (result->spilled()) {
      spilled_ = std::make_unique<SpilledGroups>(context_, spec_);
      return spilled_->Run(std::move(result), /*divided=*/morsels_ != nullptr);
    }
    RETURN_IF_ERROR(result->Finish(max_groups_));
    result_ = std::move(result);
    return Status::Ok();
  }

  // Where only the first groups count, there are no more of them than that.
  std::unique_ptr<PartialAggregate> NewPartial() const {
    const int level = max_groups_ == kAllGroups ? 0 : SpillPartitions::kLevelsMax;
    return std::make_unique<PartialAggregate>(context_, spec_, level);
  }

  ExecContext* const context_;
  std::unique_ptr<Operator> child_;
  std::unique_ptr<Morsels> morsels_;
  const AggregateSpec* const spec_;
  const size_t max_groups_;
  std::unique_ptr<PartialAggregate> result_;  // when all groups have room
  std::unique_ptr<SpilledGroups> spilled_;    // when not
};

}  // namespace

std::unique_ptr<Operator> MakeHashAggregate(ExecContext* context, std::unique_ptr<Operator> child,
                                            std::unique_ptr<Morsels> morsels,
                                            const AggregateSpec* spec, size_t max_groups) {
  return std::make_unique<HashAggregateOperator>(context, std::move(child), std::move(morsels),
                                                 spec, max_groups);
}

}  // namespace bennu::sql::exec
