// Aggregate functions: flat state per group, updated by vectors of group numbers.
//
// An AggregateCall is bound once; each thread makes Aggregators from it, feeds them, and the
// results are merged. Source: phoenix-sql spec section 5, aggregates/ of the corpus.
#ifndef BENNU_SRC_SQL_EXPR_AGGREGATE_H_
#define BENNU_SRC_SQL_EXPR_AGGREGATE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/sql/expr/expr.h"

namespace bennu::sql {

enum class AggregateKind : uint8_t {
  kCountAll,
  kCount,
  kCountDistinct,
  kSum,
  kAvg,
  kMin,
  kMax,
  kStddevPop,
  kStddevSamp,
  kFirstValue,
  kLastValue,
  kNthValue,
  kFirstValues,
  kLastValues,
  kPercentileCont,
  kPercentileDisc,
  kPercentRank,
  kApproxCountDistinct,
  kCollectDistinct,
};

// Bound: what to compute over which arguments. Immutable.
struct AggregateCall {
  AggregateKind kind = AggregateKind::kCountAll;
  DataType type;                        // of the result
  std::vector<BoundExprPtr> arguments;  // evaluated by the caller, one vector each, in this order
  bool ascending = true;                // WITHIN GROUP
  Value constant;                       // percentile, rank value, n of NTH_VALUE and …_VALUES
  std::string text;                     // label: COUNT(1), SUM(A)
};

// The states of all groups of one call. One thread. No virtual call per row: each call takes
// vectors.
class Aggregator {
 public:
  virtual ~Aggregator() = default;

  // There are groups [0, count) from now on; new ones are empty. Never shrinks.
  virtual void Resize(size_t count) = 0;
  // Row i of the arguments belongs to group groups[i] (all below the size), for i < count. With
  // 'groups' null all rows belong to group 0. Bytes are copied where they must be kept.
  virtual Status Update(std::span<const Vector* const> arguments, const uint32_t* groups,
                        size_t count) = 0;
  // Adds other's groups [0, count): group i of other to group map[i] here (map null: i). 'other' is
  // of the same call and is not used afterwards.
  virtual Status Merge(Aggregator* other, const uint32_t* map, size_t count) = 0;
  // Results of groups[0 … count) into rows [0, count) of 'out', which has the call's type and is
  // flat. Bytes are copied.
  virtual Status Finalize(const uint32_t* groups, size_t count, Vector* out) = 0;
  virtual size_t memory_bytes() const = 0;
};

bool IsAggregateFunction(std::string_view name);  // upper case

struct WithinGroup {
  std::vector<BoundExprPtr> order_by;
  bool ascending = true;
};

// name([DISTINCT] arguments) [WITHIN GROUP …]; star: COUNT(*). Errors: 6001 wrong number of
// arguments; 203 types; uncoded for DISTINCT with anything but COUNT.
Result<AggregateCall> BindAggregate(std::string_view name, std::vector<BoundExprPtr> arguments,
                                    bool star, bool distinct, const WithinGroup* within_group,
                                    int32_t position = -1);

std::unique_ptr<Aggregator> MakeAggregator(const AggregateCall& call);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_EXPR_AGGREGATE_H_
