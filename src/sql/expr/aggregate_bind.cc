// Names, argument counts and types of aggregate functions.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/status_macros.h"
#include "src/sql/expr/aggregate.h"
#include "src/sql/expr/function_advice.h"
#include "src/sql/expr/make_expr.h"
#include "src/sql/types/array.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql {
namespace {

enum class ResultRule : uint8_t { kBigint, kSum, kDecimal, kArgument, kArray };

struct AggregateDef {
  std::string_view name;
  AggregateKind kind;
  size_t arguments;
  bool numeric;  // the argument, or with 'ordered' and no argument the order key, must be
  ResultRule result;
  bool within_group;
};

constexpr AggregateDef kAggregates[] = {
    {"COUNT", AggregateKind::kCount, 1, false, ResultRule::kBigint, false},
    {"SUM", AggregateKind::kSum, 1, true, ResultRule::kSum, false},
    {"AVG", AggregateKind::kAvg, 1, true, ResultRule::kDecimal, false},
    {"MIN", AggregateKind::kMin, 1, false, ResultRule::kArgument, false},
    {"MAX", AggregateKind::kMax, 1, false, ResultRule::kArgument, false},
    {"STDDEV_POP", AggregateKind::kStddevPop, 1, true, ResultRule::kDecimal, false},
    {"STDDEV_SAMP", AggregateKind::kStddevSamp, 1, true, ResultRule::kDecimal, false},
    {"APPROX_COUNT_DISTINCT", AggregateKind::kApproxCountDistinct, 1, false, ResultRule::kBigint,
     false},
    {"COLLECTDISTINCT", AggregateKind::kCollectDistinct, 1, false, ResultRule::kArray, false},
    {"FIRST_VALUE", AggregateKind::kFirstValue, 1, false, ResultRule::kArgument, true},
    {"LAST_VALUE", AggregateKind::kLastValue, 1, false, ResultRule::kArgument, true},
    {"NTH_VALUE", AggregateKind::kNthValue, 2, false, ResultRule::kArgument, true},
    {"FIRST_VALUES", AggregateKind::kFirstValues, 2, false, ResultRule::kArray, true},
    {"LAST_VALUES", AggregateKind::kLastValues, 2, false, ResultRule::kArray, true},
    {"PERCENTILE_CONT", AggregateKind::kPercentileCont, 1, true, ResultRule::kDecimal, true},
    {"PERCENTILE_DISC", AggregateKind::kPercentileDisc, 1, true, ResultRule::kArgument, true},
    {"PERCENT_RANK", AggregateKind::kPercentRank, 1, false, ResultRule::kDecimal, true},
};

const AggregateDef* FindAggregate(std::string_view name) {
  for (const AggregateDef& def : kAggregates) {
    if (def.name == name) return &def;
  }
  return nullptr;
}

DataType ResultType(ResultRule result, const DataType& argument) {
  switch (result) {
    case ResultRule::kBigint: return {TypeId::kBigint};
    case ResultRule::kDecimal: return {TypeId::kDecimal};
    case ResultRule::kArgument: return argument;
    case ResultRule::kArray:
      return {ArrayOf(argument.id).value_or(TypeId::kNull), argument.max_length, argument.scale};
    case ResultRule::kSum: break;
  }
  if (argument.id == TypeId::kDecimal) return {TypeId::kDecimal};
  return {IsFloatingPoint(argument.id) ? TypeId::kDouble : TypeId::kBigint};
}

Status CheckNumeric(const AggregateDef& def, const BoundExpr& argument, int32_t position) {
  if (!def.numeric || IsNumeric(argument.type.id) || argument.type.id == TypeId::kNull) {
    return Status::Ok();
  }
  return MakeSqlError(203,
                      fmt::format("expected: [DECIMAL] but was: {} at {} argument 1",
                                  TypeName(argument.type.id), def.name),
                      position);
}

bool TakesCount(AggregateKind kind) {
  return kind == AggregateKind::kNthValue || kind == AggregateKind::kFirstValues ||
         kind == AggregateKind::kLastValues;
}

bool IsPercentile(AggregateKind kind) {
  return kind == AggregateKind::kPercentileCont || kind == AggregateKind::kPercentileDisc ||
         kind == AggregateKind::kPercentRank;
}

// Calls of the same label are the same call.
std::string LabelOf(std::string_view name, const std::vector<BoundExprPtr>& arguments,
                    const WithinGroup* within_group) {
  std::string text;
  const auto add = [&](std::string_view part) {
    text.append(text.empty() ? "" : ", ").append(part);
  };
  if (within_group != nullptr) {
    for (const BoundExprPtr& order : within_group->order_by) add(ToText(*order));
    add(within_group->ascending ? "true" : "false");
  }
  for (const BoundExprPtr& argument : arguments) add(ToText(*argument));
  return std::string(name) + '(' + text + ')';
}

// A percentile is a number from 0 to 1.
Status CheckShare(const AggregateDef& def, const AggregateCall& call, int32_t position) {
  if (!IsNumeric(call.constant.type().id)) {
    return MakeSqlError(203,
                        fmt::format("expected: [DECIMAL] but was: {} at {} argument 3",
                                    TypeName(call.constant.type().id), def.name),
                        position);
  }
  const Result<int> low = CompareValues(call.constant, Value::Integer(0));
  const Result<int> high = CompareValues(call.constant, Value::Integer(1));
  if (low.ok() && high.ok() && *low >= 0 && *high <= 0) return Status::Ok();
  return MakeSqlError(213,
                      fmt::format("expected: [0 , 1] but was: {} at {} argument 3",
                                  LiteralText(call.constant), def.name),
                      position);
}

// FIRST_VALUE and kin: arguments become value and order key. Percentiles: the order key alone, and
// what stood in parentheses is the constant.
Status BindWithinGroup(const AggregateDef& def, const WithinGroup& within,
                       std::vector<BoundExprPtr> arguments, AggregateCall* call, int32_t position) {
  if (within.order_by.size() != 1) {
    return MakeUncodedSqlError("WITHIN GROUP takes one ORDER BY expression", position);
  }
  call->ascending = within.ascending;
  const bool constant_last = IsPercentile(def.kind) || TakesCount(def.kind);
  if (constant_last) {
    if (!arguments.back()->is_constant() || arguments.back()->constant.is_null()) {
      return MakeSqlError(203, fmt::format("{} takes a constant", def.name), position);
    }
    call->constant = arguments.back()->constant;
    arguments.pop_back();
  }
  const bool share =
      def.kind == AggregateKind::kPercentileCont || def.kind == AggregateKind::kPercentileDisc;
  if (share) RETURN_IF_ERROR(CheckShare(def, *call, position));
  const bool counts = PhysicalTypeOf(call->constant.type().id) == PhysicalType::kInt64 &&
                      call->constant.type().id != TypeId::kBigint;  // as which -1 is read
  if (TakesCount(def.kind) && !counts) {
    return MakeSqlError(203, fmt::format("{} takes an integer", def.name), position);
  }
  arguments.push_back(within.order_by[0]);
  call->arguments = std::move(arguments);
  return Status::Ok();
}

// NULL literals have no physical type of their own to add up.
Result<BoundExprPtr> Typed(BoundExprPtr argument, bool numeric) {
  if (argument->type.id != TypeId::kNull) return argument;
  return MakeConstant(Value::Null({numeric ? TypeId::kDecimal : TypeId::kVarchar}));
}

}  // namespace

bool IsAggregateFunction(std::string_view name) { return FindAggregate(name) != nullptr; }

Result<AggregateCall> BindAggregate(std::string_view name, std::vector<BoundExprPtr> arguments,
                                    bool star, bool distinct, const WithinGroup* within_group,
                                    int32_t position) {
  const AggregateDef* def = FindAggregate(name);
  if (def == nullptr) return UndefinedFunction(name, position);
  AggregateCall call;
  call.kind = def->kind;
  if (star) {
    call.kind = AggregateKind::kCountAll;
    call.type = {TypeId::kBigint};
    call.text = "COUNT(1)";
    return call;
  }
  const bool count_distinct = distinct && def->kind == AggregateKind::kCount;
  if (distinct && !count_distinct) {
    return MakeUncodedSqlError(fmt::format("DISTINCT not supported with {}", name), position);
  }
  const bool enough = count_distinct ? !arguments.empty() : arguments.size() == def->arguments;
  if (!enough || def->within_group != (within_group != nullptr))
    return UndefinedFunction(name, position);
  call.text = LabelOf(count_distinct ? "DISTINCT_COUNT" : name, arguments, within_group);
  if (within_group != nullptr) {
    RETURN_IF_ERROR(BindWithinGroup(*def, *within_group, std::move(arguments), &call, position));
  } else {
    call.arguments = std::move(arguments);
  }
  for (BoundExprPtr& argument : call.arguments) {
    ASSIGN_OR_RETURN(argument, Typed(std::move(argument), def->numeric));
  }
  RETURN_IF_ERROR(CheckNumeric(*def, *call.arguments[0], position));
  if (def->result == ResultRule::kArray) {
    RETURN_IF_ERROR(MadeArrayOf(call.arguments[0]->type.id, position).status());
  }
  call.type = ResultType(def->result, call.arguments[0]->type);
  if (count_distinct) call.kind = AggregateKind::kCountDistinct;
  // COUNT of a constant that is not NULL counts rows.
  const bool counts_rows = call.kind == AggregateKind::kCount && call.arguments[0]->is_constant() &&
                           !call.arguments[0]->is_null_constant();
  if (counts_rows) {
    call.kind = AggregateKind::kCountAll;
    call.arguments.clear();
  }
  return call;
}

}  // namespace bennu::sql
