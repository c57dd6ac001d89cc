// STDDEV_POP and STDDEV_SAMP. The original computes them in double over all values, after the last
// one; sums of squares kept on the way would differ in the last digits.
#include <algorithm>
#include <cmath>
#include <functional>

#include "src/sql/expr/aggregate_state.h"
#include "src/sql/expr/row_value.h"
#include "src/sql/types/codec.h"

namespace bennu::sql {
namespace {

struct Sample {
  std::vector<double> values;
};

struct Weighted {
  double value;
  double count;
  uint32_t bucket;
};
constexpr size_t kOrderedMax = 65536;

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
    const std::vector<Weighted> distinct = InSummationOrder(std::move(state->values));
    double mean = 0;
    for (const Weighted& w : distinct) mean += w.value * w.count;
    mean /= n;
    double squares = 0;
    for (const Weighted& w : distinct) squares += (w.value - mean) * (w.value - mean) * w.count;
    out->Set<Decimal>(row, Round(ExactDecimal(std::sqrt(squares / divisor))));
  }
  size_t memory_bytes() const override {
    return StateAggregator::memory_bytes() + values_ * sizeof(double);
  }

 private:
  // Distinct values in the order in which the original's hash map walks them, which decides the
  // last digits of its sums. Past kOrderedMax they come sorted: nobody compares digits there.
  // Either way the order does not depend on which thread saw which row.
  std::vector<Weighted> InSummationOrder(std::vector<double> values) const {
    std::sort(values.begin(), values.end(), std::greater<>());
    std::vector<Weighted> distinct;
    for (double value : values) {
      if (distinct.empty() || distinct.back().value != value) distinct.push_back({value, 0, 0});
      ++distinct.back().count;
    }
    if (distinct.size() > kOrderedMax) return distinct;
    size_t buckets = 16;
    while (distinct.size() * 4 > buckets * 3) buckets *= 2;
    for (Weighted& w : distinct) w.bucket = HashOf(w.value) & (buckets - 1);
    std::stable_sort(distinct.begin(), distinct.end(),
                     [](const Weighted& a, const Weighted& b) { return a.bucket < b.bucket; });
    return distinct;
  }

  // Java's hash of the value's bytes, spread as HashMap does.
  uint32_t HashOf(double value) const {
    const DataType type{call_.arguments[0]->type.id};
    Value typed = Value::Real(type, value);
    if (PhysicalTypeOf(type.id) == PhysicalType::kInt64) {
      typed = Value::Int(type, static_cast<int64_t>(value));
    } else if (type.id == TypeId::kDecimal) {
      typed = Value::Number(Decimal::FromDouble(value).value_or(Decimal()), type);
    }
    Bytes bytes;
    if (!Encode(typed, type, SortOrder::kAsc, &bytes).ok()) return 0;
    uint32_t hash = 1;
    for (char c : bytes) hash = 31 * hash + static_cast<uint32_t>(static_cast<int8_t>(c));
    return hash ^ hash >> 16;
  }

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
