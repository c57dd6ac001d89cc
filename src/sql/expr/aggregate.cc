// COUNT, SUM, AVG, MIN, MAX, and the choice of an aggregator for a call.
#include "src/sql/expr/aggregate.h"

#include <fmt/format.h>

#include "src/base/check.h"
#include "src/sql/expr/aggregate_state.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/decimal_sum.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

class CountAggregator : public StateAggregator<int64_t, CountAggregator> {
 public:
  using StateAggregator::StateAggregator;

  Status Add(std::span<const Vector* const> arguments, const uint32_t* groups, size_t count) {
    if (arguments.empty()) {
      if (groups == nullptr) {
        states_[0] += static_cast<int64_t>(count);
      } else {
        for (size_t i = 0; i < count; ++i) ++states_[groups[i]];
      }
      return Status::Ok();
    }
    ForEachValue(*arguments[0], groups, count, [&](size_t group, size_t) { ++states_[group]; });
    return Status::Ok();
  }
  static void MergeState(int64_t* into, int64_t* from) { *into += *from; }
  static void Emit(int64_t* state, size_t row, Vector* out) { out->Set<int64_t>(row, *state); }
};

// ---------------------------------------------------------------- SUM

// What the sum of Ts is kept in. That of whole numbers has room for 2^64 of them.
template <typename T>
using SumOf = std::conditional_t<std::is_same_v<T, Decimal>, DecimalSum,
                                 std::conditional_t<std::is_same_v<T, int64_t>, Int128, T>>;

template <typename T>
struct SumState {
  SumOf<T> sum{};
  bool seen = false;
};

void AddTo(Int128* sum, Int128 value) { *sum += value; }
void AddTo(double* sum, double value) { *sum += value; }
void AddTo(DecimalSum* sum, const Decimal& value) { sum->Add(value); }
void AddTo(DecimalSum* sum, const DecimalSum& other) { sum->Add(other); }

template <typename T>
class SumAggregator : public StateAggregator<SumState<T>, SumAggregator<T>> {
 public:
  using StateAggregator<SumState<T>, SumAggregator<T>>::StateAggregator;

  Status Add(std::span<const Vector* const> arguments, const uint32_t* groups, size_t count) {
    const Reader<T> values(*arguments[0]);
    if (groups == nullptr && !arguments[0]->has_nulls()) {
      SumOf<T> sum = std::move(this->states_[0].sum);
      for (size_t i = 0; i < count; ++i) AddTo(&sum, values[i]);
      this->states_[0] = {std::move(sum), this->states_[0].seen || count > 0};
      return Status::Ok();
    }
    ForEachValue(*arguments[0], groups, count, [&](size_t group, size_t row) {
      SumState<T>& state = this->states_[group];
      AddTo(&state.sum, values[row]);
      state.seen = true;
    });
    return Status::Ok();
  }
  static void MergeState(SumState<T>* into, SumState<T>* from) {
    AddTo(&into->sum, from->sum);
    into->seen |= from->seen;
  }
  // 213: beyond BIGINT.
  Status Emit(SumState<T>* state, size_t row, Vector* out) {
    if (!state->seen) {
      out->SetNull(row);
    } else if constexpr (std::is_same_v<T, Decimal>) {
      out->Set<T>(row, state->sum.Rounded().StripTrailingZeros());
    } else if constexpr (std::is_same_v<T, int64_t>) {
      const auto sum = static_cast<int64_t>(state->sum);
      if (sum != state->sum) return TooLarge();
      out->Set<T>(row, sum);
    } else {
      out->Set<T>(row, state->sum);
    }
    return Status::Ok();
  }

 private:
  Status TooLarge() const {
    const std::string name = ToText(*this->call_.arguments[0]);
    return SqlValueOutsideRange(fmt::format(
        "SUM({0}) is beyond BIGINT; SUM(CAST({0} AS DECIMAL)) has no such limit", name));
  }
};

// ---------------------------------------------------------------- AVG

template <typename T>
struct AverageState {
  T sum{};
  int64_t count = 0;
};

Decimal ToDecimal(Int128 sum) { return Decimal(sum, 0); }
Decimal ToDecimal(double sum) { return Decimal::FromDouble(sum).value_or(Decimal()); }
Decimal ToDecimal(const DecimalSum& sum) { return sum.Rounded(); }

constexpr int32_t kAverageScaleMin = 4;

// A DECIMAL's bytes have seven bits for its exponent to the base of 100; those above are lost.
Decimal WithinExponents(const Decimal& value) {
  constexpr int32_t kDigitsMax = 126;
  constexpr int32_t kDigitsLost = 256;
  int32_t scale = value.scale();
  while (value.precision() - scale > kDigitsMax) scale += kDigitsLost;
  return scale == value.scale() ? value : Decimal(value.unscaled(), scale);
}

template <typename T, typename Sum>
class AverageAggregator : public StateAggregator<AverageState<Sum>, AverageAggregator<T, Sum>> {
 public:
  using StateAggregator<AverageState<Sum>, AverageAggregator<T, Sum>>::StateAggregator;

  Status Add(std::span<const Vector* const> arguments, const uint32_t* groups, size_t count) {
    const Reader<T> values(*arguments[0]);
    ForEachValue(*arguments[0], groups, count, [&](size_t group, size_t row) {
      AverageState<Sum>& state = this->states_[group];
      AddTo(&state.sum, values[row]);
      ++state.count;
    });
    return Status::Ok();
  }
  static void MergeState(AverageState<Sum>* into, AverageState<Sum>* from) {
    AddTo(&into->sum, from->sum);
    into->count += from->count;
  }
  void Emit(AverageState<Sum>* state, size_t row, Vector* out) {
    if (state->count == 0) return out->SetNull(row);
    const std::optional<Decimal> quotient =
        Decimal::Divide(ToDecimal(state->sum), Decimal::FromInt64(state->count));
    const DataType& argument = this->call_.arguments[0]->type;
    const int32_t scale = std::max(kAverageScaleMin, argument.scale.value_or(0));
    Decimal average = quotient.value_or(Decimal());
    if (average.scale() > scale) {
      average = average.SetScale(scale, Rounding::kDown).value_or(average);
    }
    out->Set<Decimal>(row, WithinExponents(average.StripTrailingZeros()));
  }
};

// ---------------------------------------------------------------- MIN, MAX

template <typename T>
struct ExtremeState {
  T value{};
  bool seen = false;
};

template <typename T>
bool IsLess(const T& a, const T& b) {
  return a < b;
}
bool IsLess(double a, double b) { return a < b || (a == a && b != b); }

template <typename T, bool minimum>
class ExtremeAggregator : public StateAggregator<ExtremeState<T>, ExtremeAggregator<T, minimum>> {
 public:
  using StateAggregator<ExtremeState<T>, ExtremeAggregator<T, minimum>>::StateAggregator;

  Status Add(std::span<const Vector* const> arguments, const uint32_t* groups, size_t count) {
    const Reader<T> values(*arguments[0]);
    ForEachValue(*arguments[0], groups, count,
                 [&](size_t group, size_t row) { Take(&this->states_[group], values[row]); });
    return Status::Ok();
  }
  static void MergeState(ExtremeState<T>* into, ExtremeState<T>* from) {
    if (from->seen) Take(into, from->value);
  }
  static void Emit(ExtremeState<T>* state, size_t row, Vector* out) {
    if (!state->seen) return out->SetNull(row);
    out->Set<T>(row, state->value);
  }

 private:
  static void Take(ExtremeState<T>* state, const T& value) {
    const bool better = minimum ? IsLess(value, state->value) : IsLess(state->value, value);
    if (state->seen && !better) return;
    state->value = value;
    state->seen = true;
  }
};

// Text and binary: the best one so far is copied.
class ExtremeBytesAggregator
    : public StateAggregator<ExtremeState<std::string>, ExtremeBytesAggregator> {
 public:
  ExtremeBytesAggregator(const AggregateCall& call, bool minimum)
      : StateAggregator(call), minimum_(minimum) {}

  Status Add(std::span<const Vector* const> arguments, const uint32_t* groups, size_t count) {
    const Reader<std::string_view> values(*arguments[0]);
    ForEachValue(*arguments[0], groups, count,
                 [&](size_t group, size_t row) { Take(&states_[group], values[row]); });
    return Status::Ok();
  }
  void MergeState(ExtremeState<std::string>* into, ExtremeState<std::string>* from) {
    if (from->seen) Take(into, from->value);
  }
  static void Emit(ExtremeState<std::string>* state, size_t row, Vector* out) {
    if (!state->seen) return out->SetNull(row);
    out->SetBytes(row, state->value);
  }
  size_t memory_bytes() const override { return StateAggregator::memory_bytes() + bytes_; }

 private:
  void Take(ExtremeState<std::string>* state, std::string_view value) {
    if (state->seen) {
      const int order = value.compare(state->value);
      if (minimum_ ? order >= 0 : order <= 0) return;
    }
    if (value.size() > state->value.capacity()) bytes_ += value.size();
    state->value.assign(value);
    state->seen = true;
  }

  const bool minimum_;
  size_t bytes_ = 0;
};

std::unique_ptr<Aggregator> MakeSum(const AggregateCall& call) {
  switch (PhysicalTypeOf(call.arguments[0]->type.id)) {
    case PhysicalType::kDouble: return std::make_unique<SumAggregator<double>>(call);
    case PhysicalType::kDecimal: return std::make_unique<SumAggregator<Decimal>>(call);
    default: return std::make_unique<SumAggregator<int64_t>>(call);
  }
}

std::unique_ptr<Aggregator> MakeAverage(const AggregateCall& call) {
  switch (PhysicalTypeOf(call.arguments[0]->type.id)) {
    case PhysicalType::kDouble: return std::make_unique<AverageAggregator<double, double>>(call);
    case PhysicalType::kDecimal:
      return std::make_unique<AverageAggregator<Decimal, DecimalSum>>(call);
    default: return std::make_unique<AverageAggregator<int64_t, Int128>>(call);
  }
}

template <bool minimum>
std::unique_ptr<Aggregator> MakeExtreme(const AggregateCall& call) {
  return VisitPhysical(PhysicalTypeOf(call.arguments[0]->type.id),
                       [&](auto sample) -> std::unique_ptr<Aggregator> {
                         using T = decltype(sample);
                         if constexpr (std::is_same_v<T, std::string_view>) {
                           return std::make_unique<ExtremeBytesAggregator>(call, minimum);
                         } else {
                           return std::make_unique<ExtremeAggregator<T, minimum>>(call);
                         }
                       });
}

}  // namespace

// Seventeen digits identify a double; the exact expansion has more, of which 38 are kept.
Decimal ExactDecimal(double value) {
  const std::string text = fmt::format("{:.{}e}", value, kMaxDecimalDigits - 1);
  return Decimal::Parse(text).value_or(Decimal()).StripTrailingZeros();
}

std::unique_ptr<Aggregator> MakeAggregator(const AggregateCall& call) {
  switch (call.kind) {
    case AggregateKind::kCountAll:
    case AggregateKind::kCount: return std::make_unique<CountAggregator>(call);
    case AggregateKind::kCountDistinct: return MakeCountDistinct(call);
    case AggregateKind::kApproxCountDistinct: return MakeApproxCountDistinct(call);
    case AggregateKind::kCollectDistinct: return MakeCollectDistinct(call);
    case AggregateKind::kSum: return MakeSum(call);
    case AggregateKind::kAvg: return MakeAverage(call);
    case AggregateKind::kMin: return MakeExtreme<true>(call);
    case AggregateKind::kMax: return MakeExtreme<false>(call);
    case AggregateKind::kStddevPop:
    case AggregateKind::kStddevSamp: return MakeStddev(call);
    case AggregateKind::kFirstValue:
    case AggregateKind::kLastValue:
    case AggregateKind::kNthValue:
    case AggregateKind::kFirstValues:
    case AggregateKind::kLastValues:
    case AggregateKind::kPercentileCont:
    case AggregateKind::kPercentileDisc:
    case AggregateKind::kPercentRank: return MakeOrderedAggregator(call);
  }
  BENNU_CHECK(false);
}

}  // namespace bennu::sql
