#include "src/sql/exec/basic_operators.h"

#include <algorithm>
#include <utility>

#include "src/base/status_macros.h"

namespace bennu::sql::exec {

void GatherChunk(const DataChunk& from, const SelectionVector& selection, DataChunk* to,
                 size_t columns_max) {
  const size_t count = std::min(from.columns.size(), columns_max);
  if (to->columns.size() != count) to->columns.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const Vector& source = from.columns[i];
    if (source.capacity() == 0) continue;
    Vector& target = to->columns[i];
    if (target.capacity() < selection.size() || target.type() != source.type()) {
      target.Initialize(source.type(), std::max(source.capacity(), selection.size()));
    }
    target.Gather(source, selection);
  }
  to->size = selection.size();
}

void TakeSelected(const SelectionVector& selection, DataChunk* from, DataChunk* to) {
  if (selection.size() == from->size) {
    std::swap(*from, *to);
  } else {
    GatherChunk(*from, selection, to);
  }
}

namespace {

class FilterOperator : public Operator {
 public:
  FilterOperator(ExecContext* context, std::unique_ptr<Operator> child, bind::ExprPtr condition)
      : evaluator_(context), child_(std::move(child)), condition_(std::move(condition)) {}

  Status Next(DataChunk* chunk) override {
    for (;;) {
      RETURN_IF_ERROR(child_->Next(&input_));
      if (input_.size == 0) {
        chunk->size = 0;
        return Status::Ok();
      }
      RETURN_IF_ERROR(evaluator_.Filter(*condition_, input_, &selection_));
      if (selection_.size() == 0) continue;
      TakeSelected(selection_, &input_, chunk);
      return Status::Ok();
    }
  }

 private:
  Evaluator evaluator_;
  const std::unique_ptr<Operator> child_;
  const bind::ExprPtr condition_;
  DataChunk input_;
  SelectionVector selection_;
};

class ProjectOperator : public Operator {
 public:
  ProjectOperator(ExecContext* context, std::unique_ptr<Operator> child,
                  std::vector<bind::ExprPtr> expressions)
      : evaluator_(context), child_(std::move(child)), expressions_(std::move(expressions)) {}

  Status Next(DataChunk* chunk) override {
    RETURN_IF_ERROR(child_->Next(&input_));
    if (chunk->columns.size() != expressions_.size()) chunk->columns.resize(expressions_.size());
    chunk->size = input_.size;
    if (input_.size == 0) return Status::Ok();
    for (size_t i = 0; i < expressions_.size(); ++i) {
      RETURN_IF_ERROR(evaluator_.Evaluate(*expressions_[i], input_, &chunk->columns[i]));
    }
    return Status::Ok();
  }

 private:
  Evaluator evaluator_;
  const std::unique_ptr<Operator> child_;
  const std::vector<bind::ExprPtr> expressions_;
  DataChunk input_;
};

class LimitOperator : public Operator {
 public:
  LimitOperator(std::unique_ptr<Operator> child, int64_t limit, int64_t offset)
      : child_(std::move(child)), left_(limit), skip_(offset) {}

  Status Next(DataChunk* chunk) override {
    chunk->size = 0;
    while (left_ != 0) {
      RETURN_IF_ERROR(child_->Next(&input_));
      if (input_.size == 0) return Status::Ok();
      const auto size = static_cast<int64_t>(input_.size);
      if (skip_ >= size) {
        skip_ -= size;
        continue;
      }
      const int64_t begin = skip_;
      skip_ = 0;
      int64_t end = size;
      if (left_ >= 0) {
        end = std::min(end, begin + left_);
        left_ -= end - begin;
      }
      if (begin == 0) {
        std::swap(*chunk, input_);
        chunk->size = static_cast<size_t>(end);
        return Status::Ok();
      }
      SelectionVector selection;
      for (int64_t i = begin; i < end; ++i) selection.Append(static_cast<uint32_t>(i));
      GatherChunk(input_, selection, chunk);
      return Status::Ok();
    }
    child_ = nullptr;  // stops what still runs below
    return Status::Ok();
  }

 private:
  std::unique_ptr<Operator> child_;
  int64_t left_;
  int64_t skip_;
  DataChunk input_;
};

class PrefixOperator : public Operator {
 public:
  PrefixOperator(std::unique_ptr<Operator> child, size_t count)
      : child_(std::move(child)), count_(count) {}

  Status Next(DataChunk* chunk) override {
    RETURN_IF_ERROR(child_->Next(chunk));
    chunk->columns.resize(count_);
    return Status::Ok();
  }

 private:
  const std::unique_ptr<Operator> child_;
  const size_t count_;
};

class RemapOperator : public Operator {
 public:
  RemapOperator(std::unique_ptr<Operator> child, std::vector<int32_t> targets, size_t slot_count)
      : child_(std::move(child)), targets_(std::move(targets)), slot_count_(slot_count) {}

  Status Next(DataChunk* chunk) override {
    if (chunk->columns.size() != slot_count_) chunk->columns.resize(slot_count_);
    RETURN_IF_ERROR(child_->Next(&input_));
    chunk->size = input_.size;
    if (input_.size == 0) return Status::Ok();
    for (size_t i = 0; i < targets_.size(); ++i) {
      if (targets_[i] >= 0) chunk->columns[targets_[i]].Reference(input_.columns[i]);
    }
    return Status::Ok();
  }

 private:
  const std::unique_ptr<Operator> child_;
  const std::vector<int32_t> targets_;
  const size_t slot_count_;
  DataChunk input_;
};

class NumberRowsOperator : public Operator {
 public:
  NumberRowsOperator(std::unique_ptr<Operator> child, size_t slot)
      : child_(std::move(child)), slot_(slot) {}

  Status Next(DataChunk* chunk) override {
    RETURN_IF_ERROR(child_->Next(chunk));
    if (chunk->columns.size() <= slot_) chunk->columns.resize(slot_ + 1);
    Vector& numbers = chunk->columns[slot_];
    numbers.Initialize({TypeId::kBigint}, std::max(chunk->size, VectorSize()));
    numbers.Reset();
    for (size_t row = 0; row < chunk->size; ++row) numbers.Set<int64_t>(row, next_++);
    return Status::Ok();
  }

 private:
  const std::unique_ptr<Operator> child_;
  const size_t slot_;
  int64_t next_ = 0;
};

class UnionOperator : public Operator {
 public:
  explicit UnionOperator(std::vector<std::unique_ptr<Operator>> children)
      : children_(std::move(children)) {}

  Status Next(DataChunk* chunk) override {
    for (; current_ < children_.size(); ++current_) {
      RETURN_IF_ERROR(children_[current_]->Next(chunk));
      if (chunk->size > 0) return Status::Ok();
      children_[current_] = nullptr;
    }
    chunk->size = 0;
    return Status::Ok();
  }

 private:
  std::vector<std::unique_ptr<Operator>> children_;
  size_t current_ = 0;
};

class SingleRowOperator : public Operator {
 public:
  explicit SingleRowOperator(size_t rows) : left_(rows) {}
  Status Next(DataChunk* chunk) override {
    chunk->columns.clear();
    chunk->size = left_;
    left_ = 0;
    return Status::Ok();
  }

 private:
  size_t left_;
};

class WrappedMorsels : public Morsels {
 public:
  WrappedMorsels(std::unique_ptr<Morsels> morsels, Wrap wrap)
      : morsels_(std::move(morsels)), wrap_(std::move(wrap)) {}
  size_t count() const override { return morsels_->count(); }
  Result<std::unique_ptr<Operator>> Open(size_t index) override {
    ASSIGN_OR_RETURN(std::unique_ptr<Operator> source, morsels_->Open(index));
    return wrap_(std::move(source));
  }

 private:
  const std::unique_ptr<Morsels> morsels_;
  const Wrap wrap_;
};

}  // namespace

std::unique_ptr<Operator> MakeFilter(ExecContext* context, std::unique_ptr<Operator> child,
                                     bind::ExprPtr condition) {
  if (condition == nullptr) return child;
  return std::make_unique<FilterOperator>(context, std::move(child), std::move(condition));
}

std::unique_ptr<Operator> MakeProject(ExecContext* context, std::unique_ptr<Operator> child,
                                      std::vector<bind::ExprPtr> expressions) {
  return std::make_unique<ProjectOperator>(context, std::move(child), std::move(expressions));
}

std::unique_ptr<Operator> MakeLimit(std::unique_ptr<Operator> child, int64_t limit,
                                    int64_t offset) {
  if (limit < 0 && offset <= 0) return child;
  return std::make_unique<LimitOperator>(std::move(child), limit, offset);
}

std::unique_ptr<Operator> MakePrefix(std::unique_ptr<Operator> child, size_t count) {
  return std::make_unique<PrefixOperator>(std::move(child), count);
}

std::unique_ptr<Operator> MakeRemap(std::unique_ptr<Operator> child, std::vector<int32_t> targets,
                                    size_t slot_count) {
  return std::make_unique<RemapOperator>(std::move(child), std::move(targets), slot_count);
}

std::unique_ptr<Operator> MakeNumberRows(std::unique_ptr<Operator> child, size_t slot) {
  return std::make_unique<NumberRowsOperator>(std::move(child), slot);
}

std::unique_ptr<Operator> MakeUnion(std::vector<std::unique_ptr<Operator>> children) {
  return std::make_unique<UnionOperator>(std::move(children));
}

std::unique_ptr<Operator> MakeSingleRow() { return std::make_unique<SingleRowOperator>(1); }
std::unique_ptr<Operator> MakeEmpty() { return std::make_unique<SingleRowOperator>(0); }

std::unique_ptr<Morsels> WrapMorsels(std::unique_ptr<Morsels> morsels, Wrap wrap) {
  return std::make_unique<WrappedMorsels>(std::move(morsels), std::move(wrap));
}

}  // namespace bennu::sql::exec
