// Evaluation over chunks: filters, laziness, NULLs, labels.
#include "src/sql/expr/evaluate.h"

#include <gtest/gtest.h>

#include "src/sql/functions/registry.h"
#include "src/sql/types/text.h"
#include "tests/sql/expr/test_binder.h"

namespace bennu::sql {
namespace {

const TestScope kScope = {
    {"A", {0, {TypeId::kInteger}}},        {"S", {1, {TypeId::kVarchar}}},
    {"D", {2, {TypeId::kDecimal, 10, 2}}}, {"C", {3, {TypeId::kChar, 4}}},
    {"T", {4, {TypeId::kDate}}},
};

// a: 0, 1, 2, … with every seventh NULL; the others follow from it.
DataChunk Chunk(size_t rows) {
  DataChunk chunk;
  chunk.size = rows;
  for (const char* name : {"A", "S", "D", "C", "T"}) {
    chunk.columns.emplace_back(kScope.at(name).second, std::max<size_t>(rows, 1));
  }
  for (size_t i = 0; i < rows; ++i) {
    const auto n = static_cast<int64_t>(i);
    chunk.columns[0].Set<int64_t>(i, n);
    if (i % 7 == 3) chunk.columns[0].SetNull(i);
    chunk.columns[1].SetBytes(i, "name_" + std::to_string(i % 10) + (i % 2 == 0 ? "%x" : "y"));
    chunk.columns[2].Set<Decimal>(i, Decimal(n * 25, 2).StripTrailingZeros());
    chunk.columns[3].SetBytes(i, std::string(1, static_cast<char>('a' + i % 3)) + "   ");
    chunk.columns[4].Set<int64_t>(i, n * 86400000);
  }
  return chunk;
}

BoundExprPtr Bind(std::string_view text) {
  const Result<BoundExprPtr> bound = BindTextForTest(text, kScope);
  EXPECT_TRUE(bound.ok()) << text << ": " << bound.status().ToString();
  return bound.ok() ? *bound : MakeConstant(Value::Bool(false));
}

std::string Column(std::string_view text, size_t rows) {
  const DataChunk chunk = Chunk(rows);
  EvalContext context;
  Vector out;
  const Status status = Evaluate(*Bind(text), chunk, &context, &out);
  if (!status.ok()) return status.ToString();
  std::string all;
  for (size_t i = 0; i < rows; ++i) {
    all += (i == 0 ? "" : " ") + ToText(out.GetValue(out.IndexOf(i)));
  }
  return all;
}

size_t Matches(std::string_view condition, size_t rows) {
  const DataChunk chunk = Chunk(rows);
  EvalContext context;
  SelectionVector selection;
  const BoundExprPtr bound = Bind(condition);
  const Status status = EvaluateFilter(*bound, chunk, &context, &selection);
  EXPECT_TRUE(status.ok()) << condition << ": " << status.ToString();
  // The plain evaluation must choose the same rows.
  Vector out;
  EXPECT_TRUE(Evaluate(*bound, chunk, &context, &out).ok()) << condition;
  size_t expected = 0;
  for (size_t i = 0; i < rows; ++i) {
    expected += !out.IsNull(i) && out.At<uint8_t>(i) != 0 ? 1 : 0;
  }
  EXPECT_EQ(selection.size(), expected) << condition;
  return selection.size();
}

TEST(Evaluate, FollowsThreeValuedLogic) {
  EXPECT_EQ(Column("a", 5), "0 1 2 NULL 4");
  EXPECT_EQ(Column("a + 1", 5), "1 2 3 NULL 5");
  EXPECT_EQ(Column("a > 1 AND s LIKE 'name%'", 5), "false false true NULL true");
  EXPECT_EQ(Column("a > 1 OR d = 0.75", 5), "false false true true true");
  EXPECT_EQ(Column("NOT a > 1", 5), "true true false NULL false");
  EXPECT_EQ(Column("a IN (1, 4, 17)", 5), "false true false NULL true");
  EXPECT_EQ(Column("a NOT IN (1, 4, NULL)", 5), "NULL false NULL NULL false");
  EXPECT_EQ(Column("a IS NULL", 5), "false false false true false");
  EXPECT_EQ(Column("COALESCE(a, 9)", 5), "0 1 2 9 4");
  EXPECT_EQ(Column("a || s", 2), "0name_0%x 1name_1y");
}

// A branch or an operand that was decided against is not evaluated: no division by zero.
TEST(Evaluate, IsLazyWhereAnErrorWouldShow) {
  EXPECT_EQ(Column("CASE WHEN a = 0 THEN -1 ELSE 10 / a END", 5), "-1 10 5 NULL 2");
  EXPECT_EQ(Column("a <> 0 AND 10 / a > 4", 5), "false true true NULL false");
  EXPECT_EQ(Column("a = 0 OR 10 / a > 4", 5), "true true true NULL false");
  EXPECT_EQ(Matches("a <> 0 AND 10 / a > 4", 1000), 2u);
  EXPECT_EQ(Column("10 / a", 2), "ERROR 202 (22012): Divide by zero.");
}

TEST(Evaluate, FiltersAsItEvaluates) {
  EXPECT_EQ(Matches("a >= 100 AND a < 107", 1000), 6u);  // 101 is NULL
  EXPECT_EQ(Matches("d < 2.6", 1000), 11u);
  EXPECT_EQ(Matches("a < 2.5", 1000), 3u);
  EXPECT_EQ(Matches("a > 996.5 AND s LIKE '%y'", 1000), 1u);  // 997 is NULL
  EXPECT_EQ(Matches("c = 'b' AND c LIKE 'b%'", 30), 10u);
  EXPECT_EQ(Matches("(a, d) > (998, 1)", 1000), 2u);
  EXPECT_EQ(Matches("t >= DATE '1970-01-11' AND t < DATE '1970-01-13'", 1000), 2u);
  EXPECT_EQ(Matches("s LIKE '%\\%x' OR s LIKE 'name\\_1_'", 20), 12u);
}

// Labels as recorded (# columns in select/ and index/ of the conformance recordings).
// Everything can be assigned to VARBINARY; a number has no bytes to count all the same.
TEST(Functions, OfBytesRefuseNumbers) {
  for (const char* text :
       {"OCTET_LENGTH(5)", "OCTET_LENGTH(a)", "OCTET_LENGTH(GET_BYTE(X'00ff', 1))",
        "GET_BYTE(d, 0)", "ENCODE_BINARY(5, 'HEX')"}) {
    EXPECT_FALSE(BindTextForTest(text, kScope).ok()) << text;
  }
  for (const char* text : {"OCTET_LENGTH(X'00' || X'ff')", "OCTET_LENGTH(UPPER('ab'))"}) {
    const BoundExprPtr folded = Bind(text);
    ASSERT_TRUE(folded->is_constant()) << text;
    EXPECT_EQ(folded->constant.int64(), 2) << text;
  }
}

TEST(BoundExprText, IsAsPhoenixPrintsIt) {
  EXPECT_EQ(ToText(*Bind("a + 1")), "(A + 1)");
  EXPECT_EQ(ToText(*Bind("s || '/' || c")), "(S || '/' || C)");
  EXPECT_EQ(ToText(*Bind("UPPER(s)")), "UPPER(S, )");
  EXPECT_EQ(ToText(*Bind("ROUND(d, 1)")), "ROUND(D, 1, 1)");
  EXPECT_EQ(ToText(*Bind("FLOOR(d)")), "FLOOR(D, , 1)");
  EXPECT_EQ(ToText(*Bind("TO_CHAR(t)")), "TO_CHAR(T)");
  EXPECT_EQ(ToText(*Bind("CAST(a AS BIGINT)")), "TO_BIGINT(A)");
  EXPECT_EQ(ToText(*Bind("SUBSTR(s, 1, 1) = 'A'")), "SUBSTR(S, 1, 1) = 'A'");
  EXPECT_EQ(ToText(*Bind("CASE WHEN a = 1 THEN a ELSE 0 END")),
            "CASE WHEN A = 1 THEN A ELSE 0 END");
  EXPECT_EQ(ToText(*Bind("DATE '2000-02-29 12:34:56.789'")), "DATE '2000-02-29 12:34:56.789'");
}

TEST(Parameters, TakeTheTypeThatIsAskedFor) {
  const Result<BoundExprPtr> sum =
      MakeArithmetic(ArithmeticOp::kAdd, MakeSlot(0, {TypeId::kInteger}, "A"),
                     MakeParameter(0, {TypeId::kBigint}));
  ASSERT_TRUE(sum.ok());
  const std::vector<Value> params = {Value::Integer(40)};
  EvalContext context(params, 0);
  Vector out;
  ASSERT_TRUE(Evaluate(**sum, Chunk(3), &context, &out).ok());
  EXPECT_EQ(out.At<int64_t>(2), 42);
  EvalContext empty;
  EXPECT_EQ(Evaluate(**sum, Chunk(3), &empty, &out).sql_error()->code, 2004);
}

// Phoenix's answers of 2026-11-23.
TEST(TwoDigitsOfAYear, AreOfTheHundredYearsThatBeginEightyYearsAgo) {
  constexpr int64_t kNow = 1'795'478'400'000;  // 2026-11-24, midnight
  const auto year_of = [](const std::string& day, int64_t now) {
    const Result<BoundExprPtr> date =
        MakeFunction("TO_DATE",
                     {MakeConstant(Value::Varchar(day)), MakeConstant(Value::Varchar("yy-MM-dd")),
                      MakeConstant(Value::Null({TypeId::kVarchar}))},
                     -1, now);
    if (!date.ok() || !(*date)->is_constant()) return std::string();
    return ToText((*date)->constant).substr(0, 4);
  };
  EXPECT_EQ(year_of("15-01-02", kNow), "2015");
  EXPECT_EQ(year_of("45-01-02", kNow), "2045");
  EXPECT_EQ(year_of("46-01-02", kNow), "2046");
  EXPECT_EQ(year_of("46-11-22", kNow), "2046");
  EXPECT_EQ(year_of("46-11-25", kNow), "1946");
  EXPECT_EQ(year_of("47-12-30", kNow), "1947");
  constexpr int64_t kTenYears = 3653LL * 86'400'000;
  EXPECT_EQ(year_of("47-12-30", kNow + kTenYears), "2047");
}

}  // namespace
}  // namespace bennu::sql
