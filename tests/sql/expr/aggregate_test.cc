// Aggregates over the recorded table AG1 (aggregates/all.test): in one go, group by group, and
// merged from two halves.
#include "src/sql/expr/aggregate.h"

#include <gtest/gtest.h>

#include <fstream>

#include "src/base/status_macros.h"
#include "src/sql/expr/evaluate.h"
#include "src/sql/types/text.h"
#include "tests/sql/expr/test_binder.h"

namespace bennu::sql {
namespace {

struct Column {
  const char* name;
  DataType type;
};
const Column kColumns[] = {
    {"G", {TypeId::kVarchar}},     {"K", {TypeId::kInteger}},        {"I", {TypeId::kInteger}},
    {"L", {TypeId::kBigint}},      {"D", {TypeId::kDecimal, 12, 3}}, {"F", {TypeId::kDouble}},
    {"S", {TypeId::kVarchar}},     {"T", {TypeId::kDate}},           {"SM", {TypeId::kSmallint}},
    {"U", {TypeId::kUnsignedInt}},
};
const char* const kRows[] = {
    "'a', 1, 10, 9000000000, 1.5, 0.1e0, 'x', DATE '2020-01-01', 5, 1",
    "'a', 2, 20, 1, 2.25, 0.2e0, 'y', DATE '2021-01-01', -5, 2",
    "'a', 3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL",
    "'a', 4, 20, -4, -7.125, 1E10, 'x', DATE '2019-05-05', 7, 3",
    "'b', 1, -5, 0, 100, -0.5e0, 'zz', DATE '1969-01-01', 0, 0",
    "'b', 2, 7, 2, 0.001, 3.5e0, 'aa', DATE '2030-01-01', 32767, 2147483647",
    "'c', 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL",
};
constexpr size_t kRowCount = std::size(kRows);
constexpr uint32_t kGroups[kRowCount] = {0, 0, 0, 0, 1, 1, 2};

TestScope Scope() {
  TestScope scope;
  for (size_t i = 0; i < std::size(kColumns); ++i) scope[kColumns[i].name] = {i, kColumns[i].type};
  return scope;
}

// Rows [begin, end) of the table.
DataChunk Table(size_t begin, size_t end) {
  DataChunk chunk;
  chunk.size = end - begin;
  for (const Column& column : kColumns) chunk.columns.emplace_back(column.type, kRowCount);
  EvalContext context;
  for (size_t row = begin; row < end; ++row) {
    const auto expr = parse::ParseExpression(std::string("(") + kRows[row] + ")");
    for (size_t i = 0; i < std::size(kColumns); ++i) {
      const auto bound = BindForTest(*(*expr)->children[i]);
      const auto typed = MakeCoerce(*bound, kColumns[i].type, kColumns[i].name);
      EXPECT_TRUE(typed.ok()) << typed.status().ToString();
      chunk.columns[i].SetValue(row - begin, (*typed)->constant);
    }
  }
  return chunk;
}

Status Feed(const AggregateCall& call, const DataChunk& chunk, const uint32_t* groups,
            Aggregator* aggregator) {
  EvalContext context;
  std::vector<Vector> vectors(call.arguments.size());
  std::vector<const Vector*> arguments;
  for (size_t i = 0; i < vectors.size(); ++i) {
    RETURN_IF_ERROR(Evaluate(*call.arguments[i], chunk, &context, &vectors[i]));
    arguments.push_back(&vectors[i]);
  }
  return aggregator->Update(arguments, groups, chunk.size);
}

std::string Results(const AggregateCall& call, Aggregator* aggregator, size_t groups) {
  Vector out(call.type, 3);
  const uint32_t order[] = {0, 1, 2};
  const Status status = aggregator->Finalize(order, groups, &out);
  if (!status.ok()) return "! " + status.ToString();
  std::string text(TypeName(call.type.id));
  for (size_t i = 0; i < groups; ++i) {
    text += i == 0 ? " " : " | ";
    text += ToText(out.GetValue(i));
  }
  return text;
}

Result<AggregateCall> BindCall(const parse::Expr& e) {
  const TestScope scope = Scope();
  std::vector<BoundExprPtr> arguments;
  for (const parse::ExprPtr& child : e.children) {
    ASSIGN_OR_RETURN(BoundExprPtr bound, BindForTest(*child, scope));
    arguments.push_back(std::move(bound));
  }
  WithinGroup within;
  within.ascending = e.within_group_ascending;
  for (const parse::ExprPtr& order : e.within_group_order) {
    ASSIGN_OR_RETURN(BoundExprPtr bound, BindForTest(*order, scope));
    within.order_by.push_back(std::move(bound));
  }
  return BindAggregate(e.function_name, std::move(arguments), e.star_argument, e.distinct,
                       e.within_group ? &within : nullptr, e.position);
}

std::string Answer(const std::string& sql, bool merged) {
  const auto statement = parse::ParseStatement(sql);
  if (!statement.ok()) return "! " + statement.status().ToString();
  const auto& select = std::get<parse::Select>(statement->node);
  const Result<AggregateCall> call = BindCall(*select.items.back().expr);
  if (!call.ok()) return "! " + call.status().ToString();
  const bool grouped = !select.group_by.empty();
  const size_t groups = grouped ? 3 : 1;
  const auto whole = MakeAggregator(*call);
  whole->Resize(groups);
  const size_t cut = merged ? 3 : kRowCount;
  EXPECT_TRUE(Feed(*call, Table(0, cut), grouped ? kGroups : nullptr, whole.get()).ok());
  if (merged) {
    // The other half counts its groups from the other end.
    const auto other = MakeAggregator(*call);
    other->Resize(groups);
    const uint32_t flipped[] = {2, 1, 1, 0};
    const uint32_t map[] = {2, 1, 0};
    EXPECT_TRUE(Feed(*call, Table(cut, kRowCount), grouped ? flipped : nullptr, other.get()).ok());
    EXPECT_TRUE(whole->Merge(other.get(), grouped ? map : nullptr, groups).ok());
  }
  return Results(*call, whole.get(), groups);
}

bool IsOverArrays(const std::string& sql) {
  return sql.find("COLLECTDISTINCT") != std::string::npos ||
         sql.find("_VALUES") != std::string::npos;
}

// Expressions over aggregates are not for these tests.
bool IsOneCall(const std::string& sql) {
  const auto statement = parse::ParseStatement(sql);
  const auto& select = std::get<parse::Select>(statement->node);
  const parse::Expr& e = *select.items.back().expr;
  if (e.kind != parse::ExprKind::kFunction) return false;
  return IsAggregateFunction(e.function_name) || FindFunction(e.function_name) == nullptr;
}

TEST(Aggregates, AnswerAsRecorded) {
  std::ifstream in(std::string(BENNU_SOURCE_DIR) + "/tests/sql/expr/phoenix_aggregates.txt");
  int checked = 0;
  for (std::string sql; std::getline(in, sql);) {
    if (sql.rfind("#", 0) == 0) continue;
    std::string expected;
    std::getline(in, expected);
    if (IsOverArrays(sql) || !IsOneCall(sql)) continue;
    ++checked;
    EXPECT_EQ(Answer(sql, false), expected) << sql;
    EXPECT_EQ(Answer(sql, true), expected) << sql << " (merged)";
  }
  EXPECT_GT(checked, 100);
}

// All rows of a column are distinct and more than the exact part of the sketch holds.
TEST(Aggregates, ApproximatesManyDistinctValues) {
  const auto call = BindAggregate("APPROX_COUNT_DISTINCT", {MakeSlot(0, {TypeId::kBigint}, "A")},
                                  false, false, nullptr);
  ASSERT_TRUE(call.ok());
  const auto aggregator = MakeAggregator(*call);
  aggregator->Resize(1);
  constexpr int64_t kValues = 200000;
  for (int64_t next = 0; next < kValues;) {
    DataChunk chunk;
    chunk.columns.emplace_back(DataType{TypeId::kBigint}, kVectorSize);
    while (chunk.size < kVectorSize && next < kValues) {
      chunk.columns[0].Set<int64_t>(chunk.size++, next++);
    }
    ASSERT_TRUE(Feed(*call, chunk, nullptr, aggregator.get()).ok());
  }
  Vector out(call->type);
  const uint32_t group = 0;
  ASSERT_TRUE(aggregator->Finalize(&group, 1, &out).ok());
  EXPECT_NEAR(static_cast<double>(out.At<int64_t>(0)), kValues, 0.02 * kValues);
}

}  // namespace
}  // namespace bennu::sql
