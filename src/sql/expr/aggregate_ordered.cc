// FIRST_VALUE(S), LAST_VALUE(S), NTH_VALUE and the percentiles: aggregates with their own order.
// They are rare, so their states hold Values. Arguments: the value, then the order key (FIRST_VALUE
// and kin), or the ordered value alone (percentiles).
#include <algorithm>
#include <cmath>

#include "src/sql/expr/aggregate_state.h"
#include "src/sql/types/array.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

// NULL comes first.
int CompareKeys(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null())
    return static_cast<int>(b.is_null()) - static_cast<int>(a.is_null());
  const Result<int> order = CompareValues(a, b);
  return order.ok() ? *order : 0;
}

Value ValueAt(const Vector& vector, size_t row) { return vector.GetValue(vector.IndexOf(row)); }

struct Entry {
  Value key;
  Value value;
};

// Keeps the best entry. FIRST_VALUE keeps the first of equal keys, LAST_VALUE the last.
struct BestState {
  bool seen = false;
  Entry best;
};

class BestAggregator : public StateAggregator<BestState, BestAggregator> {
 public:
  explicit BestAggregator(const AggregateCall& call)
      : StateAggregator(call),
        smallest_((call.kind == AggregateKind::kFirstValue) == call.ascending) {}

  Status Add(std::span<const Vector* const> arguments, const uint32_t* groups, size_t count) {
    ForEachValue(*arguments[0], groups, count, [&](size_t group, size_t row) {
      Take(&states_[group], {ValueAt(*arguments[1], row), ValueAt(*arguments[0], row)});
    });
    return Status::Ok();
  }
  void MergeState(BestState* into, BestState* from) {
    if (from->seen) Take(into, std::move(from->best));
  }
  static void Emit(BestState* state, size_t row, Vector* out) {
    out->SetValue(row, state->seen ? state->best.value : Value::Null(out->type()));
  }

 private:
  void Take(BestState* state, Entry entry) {
    if (state->seen) {
      const int order = CompareKeys(entry.key, state->best.key);
      if (smallest_ ? order >= 0 : order <= 0) return;
    }
    state->best = std::move(entry);
    state->seen = true;
  }

  const bool smallest_;
};

struct ListState {
  std::vector<Entry> entries;
};

// NTH_VALUE gives one of the ordered values, FIRST_VALUES and LAST_VALUES up to n from an end.
class NthAggregator : public StateAggregator<ListState, NthAggregator> {
 public:
  using StateAggregator::StateAggregator;

  Status Add(std::span<const Vector* const> arguments, const uint32_t* groups, size_t count) {
    ForEachValue(*arguments[0], groups, count, [&](size_t group, size_t row) {
      states_[group].entries.push_back({ValueAt(*arguments[1], row), ValueAt(*arguments[0], row)});
      ++entries_;
    });
    return Status::Ok();
  }
  void MergeState(ListState* into, ListState* from) {
    entries_ += from->entries.size();
    std::move(from->entries.begin(), from->entries.end(), std::back_inserter(into->entries));
  }
  // Of equal keys the one that came later stands first, as in the original.
  void Emit(ListState* state, size_t row, Vector* out) {
    const auto n = static_cast<size_t>(std::max<int64_t>(call_.constant.int64(), 1));
    const bool one = call_.kind == AggregateKind::kNthValue;
    if (state->entries.size() < (one ? n : 1)) return out->SetNull(row);
    const bool ascending = call_.ascending != (call_.kind == AggregateKind::kLastValues);
    std::reverse(state->entries.begin(), state->entries.end());
    std::stable_sort(state->entries.begin(), state->entries.end(),
                     [&](const Entry& a, const Entry& b) {
                       const int order = CompareKeys(a.key, b.key);
                       return ascending ? order < 0 : order > 0;
                     });
    if (one) return out->SetValue(row, state->entries[n - 1].value);
    std::vector<Value> values;
    for (size_t i = 0; i < std::min(n, state->entries.size()); ++i) {
      values.push_back(std::move(state->entries[i].value));
    }
    const Result<Value> array = MakeArray(out->type(), values);
    if (!array.ok()) return out->SetNull(row);  // the values came out of the same type
    out->SetValue(row, *array);
  }
  size_t memory_bytes() const override {
    return StateAggregator::memory_bytes() + entries_ * sizeof(Entry);
  }

 private:
  size_t entries_ = 0;
};

struct SampleState {
  std::vector<Value> values;
};

double ToReal(const Value& value) {
  switch (PhysicalTypeOf(value.type().id)) {
    case PhysicalType::kInt64: return static_cast<double>(value.int64());
    case PhysicalType::kDouble: return value.real();
    case PhysicalType::kDecimal: return value.decimal().ToDouble();
    default: return 0;
  }
}

class PercentileAggregator : public StateAggregator<SampleState, PercentileAggregator> {
 public:
  using StateAggregator::StateAggregator;

  Status Add(std::span<const Vector* const> arguments, const uint32_t* groups, size_t count) {
    ForEachValue(*arguments[0], groups, count, [&](size_t group, size_t row) {
      states_[group].values.push_back(ValueAt(*arguments[0], row));
      ++values_;
    });
    return Status::Ok();
  }
  void MergeState(SampleState* into, SampleState* from) {
    values_ += from->values.size();
    std::move(from->values.begin(), from->values.end(), std::back_inserter(into->values));
  }
  // As the original, which has no way to write that a value of fixed width is not there.
  Status Finalize(const uint32_t* groups, size_t count, Vector* out) override {
    const TypeId type = call_.type.id;
    const bool fixed = call_.kind == AggregateKind::kPercentileDisc && IsFixedWidth(type);
    for (size_t i = 0; fixed && i < count; ++i) {
      if (!states_[groups[i]].values.empty()) continue;
      return SqlIllegalData(std::string(TypeName(type)) + " may not be null");
    }
    return StateAggregator::Finalize(groups, count, out);
  }
  void Emit(SampleState* state, size_t row, Vector* out) {
    std::vector<Value>& values = state->values;
    if (values.empty()) return out->SetNull(row);
    std::sort(values.begin(), values.end(),
              [](const Value& a, const Value& b) { return CompareKeys(a, b) < 0; });
    switch (call_.kind) {
      case AggregateKind::kPercentileCont:
        return out->Set<Decimal>(row, ExactDecimal(Interpolate(values)));
      case AggregateKind::kPercentileDisc: return out->SetValue(row, Discrete(values));
      default: return out->Set<Decimal>(row, ExactDecimal(Rank(values)));
    }
  }
  size_t memory_bytes() const override {
    return StateAggregator::memory_bytes() + values_ * sizeof(Value);
  }

 private:
  // Rank n·p + 1/2 between the neighbours, which is the estimate that the original's library uses.
  double Interpolate(const std::vector<Value>& values) const {
    const double p = ToReal(call_.constant);
    const auto n = static_cast<double>(values.size());
    const double rank = n * (call_.ascending ? p : 1 - p) + 0.5;
    if (rank <= 1) return ToReal(values.front());
    if (rank >= n) return ToReal(values.back());
    const auto below = static_cast<size_t>(rank);
    const double low = ToReal(values[below - 1]);
    const double high = ToReal(values[below]);
    const double fraction = rank - static_cast<double>(below);
    return low * (1 - fraction) + high * fraction;
  }

  const Value& Discrete(const std::vector<Value>& values) const {
    const double rank = std::ceil(ToReal(call_.constant) * static_cast<double>(values.size()));
    const auto index =
        static_cast<size_t>(std::clamp(rank, 1.0, static_cast<double>(values.size()))) - 1;
    return call_.ascending ? values[index] : values[values.size() - 1 - index];
  }

  // The share of values up to the constant, in single precision.
  double Rank(const std::vector<Value>& values) const {
    size_t before = 0;
    for (const Value& value : values) {
      const int order = CompareKeys(value, call_.constant);
      before += (call_.ascending ? order <= 0 : order >= 0) ? 1 : 0;
    }
    return static_cast<double>(static_cast<float>(before) / static_cast<float>(values.size()));
  }

  size_t values_ = 0;
};

}  // namespace

std::unique_ptr<Aggregator> MakeOrderedAggregator(const AggregateCall& call) {
  switch (call.kind) {
    case AggregateKind::kFirstValue:
    case AggregateKind::kLastValue: return std::make_unique<BestAggregator>(call);
    case AggregateKind::kNthValue:
    case AggregateKind::kFirstValues:
    case AggregateKind::kLastValues: return std::make_unique<NthAggregator>(call);
    default: return std::make_unique<PercentileAggregator>(call);
  }
}

}  // namespace bennu::sql
