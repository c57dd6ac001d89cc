// Arrays made of expressions, and comparisons with each element of an array.
#include "src/base/status_macros.h"
#include "src/sql/expr/evaluate.h"
#include "src/sql/expr/kernels.h"
#include "src/sql/types/array.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"

namespace bennu::sql {

Status ArrayKernel(const BoundExpr& expr, std::span<const Vector* const> elements, size_t count,
                   Vector* out) {
  const TypeId element = ArrayElement(expr.type.id);
  // There is no NULL among values of fixed width: such elements are left out. Blanks stand for a
  // CHAR, which is read as text without characters.
  const bool no_nulls = IsFixedWidth(element) && element != TypeId::kChar;
  std::vector<Value> values;
  for (size_t row = 0; row < count; ++row) {
    values.clear();
    for (const Vector* const column : elements) {
      Value value = column->GetValue(column->IndexOf(row));
      if (no_nulls && value.is_null()) continue;
      // The padding of a CHAR counts as soon as it is no CHAR any more.
      const bool padded = value.type().id == TypeId::kChar && element != TypeId::kChar;
      if (padded) {
        ASSIGN_OR_RETURN(value, Coerce(value, {element}));
      }
      values.push_back(std::move(value));
    }
    if (values.empty()) {
      out->SetNull(row);
      continue;
    }
    ASSIGN_OR_RETURN(const Value array, MakeArray(expr.type, values));
    out->SetBytes(row, array.bytes());
  }
  return Status::Ok();
}

namespace {

// Compares the elements of many rows at a time. An element for which the comparison is true decides
// ANY, one for which it is false ALL; else one for which it is NULL makes the result NULL.
class QuantifiedEvaluator {
 public:
  QuantifiedEvaluator(const BoundExpr& expr, const Vector& left, EvalContext* context, Vector* out)
      : state_(static_cast<const QuantifiedState&>(*expr.state)),
        all_(expr.negated),
        left_(left),
        context_(context),
        out_(out) {
    chunk_.columns.resize(2);
    Prepare(VectorSize());
  }

  Status AddRow(size_t row, const ArrayView& array) {
    if (count_ + array.size() > capacity_) {
      RETURN_IF_ERROR(Flush());
      if (array.size() > capacity_) Prepare(array.size());
    }
    runs_.push_back({row, array.size()});
    Vector* const elements = &chunk_.columns[0];
    for (size_t i = 0; i < array.size(); ++i, ++count_) {
      ASSIGN_OR_RETURN(const ByteView element, array.At(i));
      RETURN_IF_ERROR(DecodeInto(element, state_.element, SortOrder::kAsc, elements, count_));
      rows_.Append(static_cast<uint32_t>(row));
    }
    return Status::Ok();
  }

  Status Flush() {
    if (runs_.empty()) return Status::Ok();
    chunk_.columns[1].Initialize(left_.type(), capacity_);
    chunk_.columns[1].Gather(left_, rows_);
    chunk_.size = count_;
    Vector result;
    RETURN_IF_ERROR(Evaluate(*state_.compare, chunk_, context_, &result));
    size_t at = 0;
    for (const Run& run : runs_) {
      Decide(run.row, result, at, run.count);
      at += run.count;
    }
    Prepare(capacity_);
    return Status::Ok();
  }

 private:
  struct Run {
    size_t row;
    size_t count;
  };

  void Prepare(size_t capacity) {
    capacity_ = capacity;
    count_ = 0;
    runs_.clear();
    rows_.Clear();
    chunk_.columns[0].Initialize(state_.element, capacity);
  }

  void Decide(size_t row, const Vector& result, size_t begin, size_t count) {
    bool unknown = false;
    for (size_t i = begin; i < begin + count; ++i) {
      if (result.IsNull(i)) {
        unknown = true;
      } else if ((result.At<uint8_t>(i) != 0) != all_) {
        out_->Set<uint8_t>(row, all_ ? 0 : 1);
        return;
      }
    }
    if (unknown) {
      out_->SetNull(row);
    } else {
      out_->Set<uint8_t>(row, all_ ? 1 : 0);
    }
  }

  const QuantifiedState& state_;
  const bool all_;
  const Vector& left_;
  EvalContext* const context_;
  Vector* const out_;
  size_t capacity_ = 0;
  size_t count_ = 0;
  std::vector<Run> runs_;
  SelectionVector rows_;
  DataChunk chunk_;  // the elements, and for each of them what it is compared with
};

}  // namespace

Status QuantifiedKernel(const BoundExpr& expr, const Vector& array, const Vector& left,
                        size_t count, EvalContext* context, Vector* out) {
  MergeNulls(array, count, out);
  QuantifiedEvaluator evaluator(expr, left, context, out);
  for (size_t row = 0; row < count; ++row) {
    if (out->IsNull(row)) continue;
    ASSIGN_OR_RETURN(const ArrayView view,
                     ArrayView::Open(array.At<std::string_view>(row), array.type()));
    RETURN_IF_ERROR(evaluator.AddRow(row, view));
  }
  return evaluator.Flush();
}

}  // namespace bennu::sql
