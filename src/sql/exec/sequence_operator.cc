#include "src/sql/exec/sequence_operator.h"

#include <algorithm>
#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/catalog/table.h"
#include "src/sql/exec/evaluate.h"
#include "src/sql/exec/sequence_source.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::exec {
namespace {

// One sequence and how many values a row takes; 0: the current one.
struct SequenceTake {
  std::string schema;
  std::string name;
  int64_t count = 0;
};

class SequenceOperator : public Operator {
 public:
  SequenceOperator(ExecContext* context, std::unique_ptr<Operator> child,
                   std::vector<SequenceTake> takes)
      : source_(context->options().sequences), child_(std::move(child)), takes_(std::move(takes)) {}

  Status Next(DataChunk* chunk) override {
    RETURN_IF_ERROR(child_->Next(&input_));
    chunk->size = input_.size;
    if (chunk->size == 0) return Status::Ok();
    const size_t first = input_.columns.size();
    chunk->columns.resize(first + takes_.size());
    for (size_t i = 0; i < first; ++i) chunk->columns[i].Reference(input_.columns[i]);
    for (size_t i = 0; i < takes_.size(); ++i) {
      chunk->columns[first + i].Initialize({TypeId::kBigint}, input_.size);
      chunk->columns[first + i].Reset();
    }
    for (size_t row = 0; row < chunk->size; ++row) {
      // Before a current value is refused all sequences have gone on.
      RETURN_IF_ERROR(Take(row, /*next=*/true, first, chunk));
      RETURN_IF_ERROR(Take(row, /*next=*/false, first, chunk));
    }
    return Status::Ok();
  }

 private:
  // The next, or the current, values for a row.
  Status Take(size_t row, bool next, size_t first, DataChunk* chunk) {
    for (size_t i = 0; i < takes_.size(); ++i) {
      if ((takes_[i].count > 0) != next) continue;
      ASSIGN_OR_RETURN(const int64_t value, ValueOf(takes_[i]));
      chunk->columns[first + i].Set<int64_t>(row, value);
    }
    return Status::Ok();
  }

  Result<int64_t> ValueOf(const SequenceTake& take) {
    if (take.count > 0) return source_->Next(take.schema, take.name, take.count);
    return source_->Current(take.schema, take.name);
  }

  SequenceSource* const source_;
  const std::unique_ptr<Operator> child_;
  const std::vector<SequenceTake> takes_;
  DataChunk input_;
};

// The largest of the counts, as the original has it when a sequence is named more than once.
Result<int64_t> CountOf(const bind::SequenceUse& use, ExecContext* context) {
  int64_t largest = 0;
  for (const bind::ExprPtr& expr : use.counts) {
    ASSIGN_OR_RETURN(const Value value, Evaluator(context).Constant(*expr));
    if (value.is_null() || !IsIntegral(value.type().id) || value.int64() < 1) {
      return MakeSqlError(1215, "tableName=" + catalog::FullTableName(use.schema, use.name));
    }
    largest = std::max(largest, value.int64());
  }
  return largest;
}

}  // namespace

Result<std::unique_ptr<Operator>> MakeSequences(ExecContext* context,
                                                std::unique_ptr<Operator> child,
                                                const std::vector<bind::SequenceUse>& uses) {
  SequenceSource* const source = context->options().sequences;
  std::vector<SequenceTake> takes;
  for (const bind::SequenceUse& use : uses) {
    if (source == nullptr) {
      return MakeSqlError(1205, "tableName=" + catalog::FullTableName(use.schema, use.name));
    }
    SequenceTake take{use.schema, use.name, 0};
    if (use.next) {
      ASSIGN_OR_RETURN(take.count, CountOf(use, context));
      RETURN_IF_ERROR(source->Validate(take.schema, take.name, take.count));
    }
    takes.push_back(std::move(take));
  }
  return std::unique_ptr<Operator>(
      std::make_unique<SequenceOperator>(context, std::move(child), std::move(takes)));
}

}  // namespace bennu::sql::exec
