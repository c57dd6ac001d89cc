// What the aggregators share. Private to this folder.
#ifndef BENNU_SRC_SQL_EXPR_AGGREGATE_STATE_H_
#define BENNU_SRC_SQL_EXPR_AGGREGATE_STATE_H_

#include "src/base/status_macros.h"
#include "src/sql/expr/aggregate.h"
#include "src/sql/expr/kernels.h"

namespace bennu::sql {

// Calls f(group, row) for each row of 'argument' that is not NULL.
template <typename F>
void ForEachValue(const Vector& argument, const uint32_t* groups, size_t count, F f) {
  if (!argument.has_nulls()) {
    for (size_t i = 0; i < count; ++i) f(groups == nullptr ? 0 : groups[i], i);
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    if (!argument.IsNull(i)) f(groups == nullptr ? 0 : groups[i], i);
  }
}

inline size_t MapGroup(const uint32_t* map, size_t group) {
  return map == nullptr ? group : map[group];
}

// An Aggregator over a vector of State. Derived has Add(const Vector& argument, groups, count),
// static MergeState(State* into, State* from) and Emit(State*, row, out), which gives nothing, or a
// Status where the result may not fit its type.
template <typename State, typename Derived>
class StateAggregator : public Aggregator {
 public:
  explicit StateAggregator(const AggregateCall& call) : call_(call) {}

  void Resize(size_t count) override {
    if (count > states_.size()) states_.resize(count);
  }
  Status Update(std::span<const Vector* const> arguments, const uint32_t* groups,
                size_t count) override {
    return self()->Add(arguments, groups, count);
  }
  Status Merge(Aggregator* other, const uint32_t* map, size_t count) override {
    auto* from = static_cast<Derived*>(other);
    for (size_t i = 0; i < count && i < from->states_.size(); ++i) {
      self()->MergeState(&states_[MapGroup(map, i)], &from->states_[i]);
    }
    return Status::Ok();
  }
  Status Finalize(const uint32_t* groups, size_t count, Vector* out) override {
    for (size_t i = 0; i < count; ++i) {
      State* const state = &states_[groups[i]];
      if constexpr (std::is_void_v<decltype(self()->Emit(state, i, out))>) {
        self()->Emit(state, i, out);
      } else {
        RETURN_IF_ERROR(self()->Emit(state, i, out));
      }
    }
    return Status::Ok();
  }
  size_t memory_bytes() const override { return states_.capacity() * sizeof(State); }

 protected:
  Derived* self() { return static_cast<Derived*>(this); }

  const AggregateCall call_;
  std::vector<State> states_;
};

// ---- aggregate_distinct.cc
std::unique_ptr<Aggregator> MakeCountDistinct(const AggregateCall& call);
std::unique_ptr<Aggregator> MakeApproxCountDistinct(const AggregateCall& call);
// ---- aggregate_collect.cc
std::unique_ptr<Aggregator> MakeCollectDistinct(const AggregateCall& call);
// ---- aggregate_ordered.cc
std::unique_ptr<Aggregator> MakeOrderedAggregator(const AggregateCall& call);
// ---- aggregate_stddev.cc
std::unique_ptr<Aggregator> MakeStddev(const AggregateCall& call);

// All digits that a double has, at most 38, as Java's new BigDecimal(double).
Decimal ExactDecimal(double value);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_EXPR_AGGREGATE_STATE_H_
