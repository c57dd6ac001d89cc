// STDDEV_POP and STDDEV_SAMP. The original computes them in double over all values, after the last
// one; sums of squares kept on the way would differ in the last digits.
#include <algorithm>
#include <cmath>
#include <functional>

#include "src/sql/functions/aggregate_state.h"
#include "src/sql/functions/function_tables.h"

namespace bennu::sql {
namespace {

struct Sample {
  std::vector<double> values;
};

class StddevAggregator : public StateAggregator<Sample, StddevAggregator> {
 public:
  using StateAggregator::StateAggregator;

  Status Add(std::span<const Vector* const> arguments, const uint32_t* groups, size_t count) {
    ForEachValue(*arguments[0], groups, count, [&](size_t group, size_t row) {
      states_[group].values.push_back(RealAt(*arguments[0], row));
      ++values_;
    });
    return Status::Ok();
  }
  void MergeState(Sample* into, Sample* from) {
    values_ += from->values.size();
    into->values.insert(into->values.end(), from->values.begin(), from->values.end());
  }

  void Emit(Sample* state, size_t row, Vector* out) {
    const bool sample = call_.kind == AggregateKind::kStddevSamp;
    const auto n = static_cast<double>(state->values.size());
    if (n == 0 && !sample) return out->SetNull(row);
    const double divisor = sample ? n - 1 : n;
    if (divisor <= 0) return out->Set<Decimal>(row, Decimal());
    // Sorted, so that the last digits do not depend on which thread saw which row.
    std::sort(state->values.begin(), state->values.end(), std::greater<>());
    double mean = 0;
    for (double value : state->values) mean += value;
    mean /= n;
    double squares = 0;
    for (double value : state->values) squares += (value - mean) * (value - mean);
    out->Set<Decimal>(row, Round(ExactDecimal(std::sqrt(squares / divisor))));
  }
  size_t memory_bytes() const override {
    return StateAggregator::memory_bytes() + values_ * sizeof(double);
  }

 private:
  // Of DECIMAL(p,s) the result has s places.
  Decimal Round(const Decimal& value) const {
    const DataType& argument = call_.arguments[0]->type;
    if (!argument.scale.has_value() || value.scale() <= *argument.scale) return value;
    return value.SetScale(*argument.scale, Rounding::kHalfUp).value_or(value).StripTrailingZeros();
  }

  size_t values_ = 0;
};

}  // namespace

std::unique_ptr<Aggregator> MakeStddev(const AggregateCall& call) {
  return std::make_unique<StddevAggregator>(call);
}

}  // namespace bennu::sql
