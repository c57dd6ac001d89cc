// Conditions on key columns to scans: the examples that were recorded from the reference
// (phoenix-keys spec section 6), and what is left to filters.
#include "src/sql/plan/key_terms.h"

#include "gtest/gtest.h"

namespace bennu::sql::plan {
namespace {

using Kind = KeyTerm::Kind;

// PK (PK1 VARCHAR, PK2 VARCHAR, PK3 INTEGER NOT NULL, PK4 CHAR(5) NOT NULL, PK5 VARCHAR).
std::shared_ptr<const KeySchema> Schema() {
  DataType chars{TypeId::kChar};
  chars.max_length = 5;
  return std::make_shared<const KeySchema>(
      std::vector<KeyColumn>{{"PK1", {TypeId::kVarchar}, SortOrder::kAsc, true},
                             {"PK2", {TypeId::kVarchar}, SortOrder::kAsc, true},
                             {"PK3", {TypeId::kInteger}, SortOrder::kAsc, false},
                             {"PK4", chars, SortOrder::kAsc, false},
                             {"PK5", {TypeId::kVarchar}, SortOrder::kAsc, true}});
}

class Conditions {
 public:
  Conditions& Add(Kind kind, uint32_t column, std::vector<Value> values,
                  CompareOp op = CompareOp::kEqual, uint32_t column_count = 1) {
    KeyTerm term;
    term.kind = kind;
    term.column = column;
    term.column_count = column_count;
    term.op = op;
    for (Value& value : values) {
      term.operands.push_back(static_cast<uint32_t>(values_.size()));
      values_.push_back(std::move(value));
    }
    terms_.push_back(std::move(term));
    return *this;
  }
  Conditions& Compare(uint32_t column, CompareOp op, Value value) {
    return Add(Kind::kCompare, column, {std::move(value)}, op);
  }
  KeyTermPlan Plan(const std::shared_ptr<const KeySchema>& schema = Schema()) const {
    auto plan = PlanKeyTerms(schema, terms_,
                             [this](uint32_t operand) { return Result<Value>(values_[operand]); });
    EXPECT_TRUE(plan.ok()) << plan.status().ToString();
    return std::move(plan).value();
  }

 private:
  std::vector<KeyTerm> terms_;
  std::vector<Value> values_;
};

Value Text(const char* text) { return Value::Varchar(text); }

void ExpectRange(const KeyTermPlan& plan, const Bytes& start, const Bytes& stop) {
  ASSERT_EQ(plan.scan.ranges.size(), 1u);
  EXPECT_EQ(plan.scan.ranges[0].start, start);
  EXPECT_EQ(plan.scan.ranges[0].stop, stop);
}

TEST(KeyTerms, EqualityOfTheFirstColumn) {
  const KeyTermPlan plan = Conditions().Compare(0, CompareOp::kEqual, Text("a")).Plan();
  ExpectRange(plan, "a", Bytes("a\x01"));
  EXPECT_TRUE(plan.absorbed[0]);
}

TEST(KeyTerms, RangeOfTheSecondColumn) {
  const KeyTermPlan plan = Conditions()
                               .Compare(0, CompareOp::kEqual, Text("a"))
                               .Compare(1, CompareOp::kGreater, Text("b"))
                               .Plan();
  ExpectRange(plan, Bytes("a\0b\x01", 4), Bytes("a\x01"));
}

TEST(KeyTerms, NullThenNotNull) {
  const KeyTermPlan plan =
      Conditions().Add(Kind::kIsNull, 0, {}).Add(Kind::kIsNotNull, 1, {}).Plan();
  ExpectRange(plan, Bytes("\0\x01", 2), Bytes("\x01"));
}

// A column is missing in the middle: the later condition is a filter.
TEST(KeyTerms, GapInTheKey) {
  const KeyTermPlan plan = Conditions()
                               .Compare(0, CompareOp::kEqual, Text("a"))
                               .Compare(2, CompareOp::kEqual, Value::Integer(5))
                               .Plan();
  EXPECT_TRUE(plan.absorbed[0]);
  EXPECT_FALSE(plan.absorbed[1]);
}

TEST(KeyTerms, ListsMakeASkipScan) {
  const KeyTermPlan plan = Conditions()
                               .Add(Kind::kIn, 0, {Text("a"), Text("c")})
                               .Add(Kind::kIn, 1, {Text("x"), Text("y")})
                               .Plan();
  EXPECT_EQ(plan.scan.kind, KeyScan::Kind::kSkip);
  EXPECT_NE(plan.scan.navigator, nullptr);
  ExpectRange(plan, Bytes("a\0x", 3), Bytes("c\0y\x01", 4));
  EXPECT_TRUE(plan.absorbed[0]);
  EXPECT_TRUE(plan.absorbed[1]);
}

// Contradictions, NULL operands and NULL of a column that has none read nothing.
TEST(KeyTerms, NothingCanMatch) {
  EXPECT_EQ(Conditions()
                .Compare(0, CompareOp::kEqual, Text("x"))
                .Compare(0, CompareOp::kEqual, Text("z"))
                .Plan()
                .scan.kind,
            KeyScan::Kind::kDegenerate);
  EXPECT_EQ(Conditions().Compare(0, CompareOp::kLess, Value()).Plan().scan.kind,
            KeyScan::Kind::kDegenerate);
  EXPECT_EQ(Conditions().Add(Kind::kIsNull, 2, {}).Plan().scan.kind, KeyScan::Kind::kDegenerate);
}

// Between two values of the column's type a range begins at the next one; nothing equals it. A
// value that has a counterpart there is that one.
TEST(KeyTerms, OperandOfAnotherType) {
  const auto schema = std::make_shared<const KeySchema>(
      std::vector<KeyColumn>{{"K", {TypeId::kInteger}, SortOrder::kAsc, false}});
  const KeyTermPlan half =
      Conditions().Compare(0, CompareOp::kGreater, Value::Number(Decimal(15, 1))).Plan(schema);
  ASSERT_EQ(half.scan.kind, KeyScan::Kind::kRange);
  EXPECT_EQ(half.scan.ranges[0].start, Bytes("\x80\0\0\x02", 4));
  EXPECT_TRUE(half.absorbed[0]);
  const KeyTermPlan none =
      Conditions().Compare(0, CompareOp::kEqual, Value::Number(Decimal(15, 1))).Plan(schema);
  EXPECT_EQ(none.scan.kind, KeyScan::Kind::kDegenerate);
  const KeyTermPlan whole =
      Conditions().Compare(0, CompareOp::kEqual, Value::Number(Decimal(50, 1))).Plan(schema);
  ASSERT_EQ(whole.scan.kind, KeyScan::Kind::kPoints);
  EXPECT_EQ(whole.scan.points, (std::vector<Bytes>{Bytes("\x80\0\0\x05", 4)}));
}

// (PK1, PK2, PK3) > ('a', 'b', 5): the example of the spec.
TEST(KeyTerms, RowValueConstructor) {
  const KeyTermPlan plan = Conditions()
                               .Add(Kind::kRowCompare, 0, {Text("a"), Text("b"), Value::Integer(5)},
                                    CompareOp::kGreater, 3)
                               .Plan();
  ExpectRange(plan, Bytes("a\0b\0\x80\0\0\x06", 8), Bytes());
}

// What the navigator says of a key of the schema: 'i', 'd', or where it jumps to.
std::string Ask(const KeyTermPlan& plan, const Bytes& row) {
  Bytes seek;
  switch (plan.scan.jumps->Clone()->Navigate(row, &seek)) {
    case RowNavigator::Decision::kInclude: return "i";
    case RowNavigator::Decision::kDone: return "d";
    case RowNavigator::Decision::kSeek: return seek;
  }
  return "";
}

TEST(KeyTerms, ConditionsBehindAnOpenColumnAreJumps) {
  const KeyTermPlan full = Conditions().Compare(1, CompareOp::kEqual, Text("m")).Plan();
  EXPECT_EQ(full.scan.kind, KeyScan::Kind::kFull);
  EXPECT_EQ(full.absorbed, std::vector<bool>{false});
  ASSERT_NE(full.scan.jumps, nullptr);
  EXPECT_EQ(Ask(full, Bytes("a\0b\0\x80\0\0\1aaaaa", 13)), Bytes("a\0m", 3));
  EXPECT_EQ(Ask(full, Bytes("a\0m\0\x80\0\0\1aaaaa", 13)), "i");
  EXPECT_EQ(Ask(full, Bytes("a\0n\0\x80\0\0\1aaaaa", 13)), "a\1");

  const KeyTermPlan range = Conditions()
                                .Compare(0, CompareOp::kGreater, Text("b"))
                                .Compare(1, CompareOp::kLess, Text("m"))
                                .Plan();
  EXPECT_EQ(range.scan.kind, KeyScan::Kind::kRange);
  ASSERT_NE(range.scan.jumps, nullptr);
  EXPECT_EQ(Ask(range, Bytes("c\0m\0\x80\0\0\1aaaaa", 13)).substr(0, 2), Bytes("c\1", 2));
}

TEST(KeyTerms, NoJumpsWhereThereIsNothingToPass) {
  EXPECT_EQ(Conditions().Plan().scan.jumps, nullptr);
  EXPECT_EQ(Conditions().Compare(0, CompareOp::kEqual, Text("m")).Plan().scan.jumps, nullptr);
  // A range of rows as values holds others than its condition.
  const KeyTermPlan row =
      Conditions()
          .Add(Kind::kRowCompare, 1, {Text("b"), Value::Integer(5)}, CompareOp::kGreater, 2)
          .Plan();
  EXPECT_EQ(row.scan.kind, KeyScan::Kind::kFull);
  EXPECT_EQ(row.scan.jumps, nullptr);
}

TEST(KeyTerms, JumpsOverBinaryColumns) {
  const auto schema_of = [](TypeId second) {
    return std::make_shared<const KeySchema>(
        std::vector<KeyColumn>{{"A", {TypeId::kInteger}, SortOrder::kAsc, false},
                               {"B", {second}, SortOrder::kAsc, true},
                               {"C", {TypeId::kVarchar}, SortOrder::kAsc, true}});
  };
  const auto jumps = [&](TypeId second, uint32_t column) {
    return Conditions().Add(Kind::kIsNull, column, {}).Plan(schema_of(second)).scan.jumps;
  };
  for (const TypeId second : {TypeId::kVarchar, TypeId::kVarbinaryEncoded}) {
    EXPECT_NE(jumps(second, 1), nullptr);
    EXPECT_NE(jumps(second, 2), nullptr);
  }
}

TEST(LikePrefix, StopsAtTheFirstWildcard) {
  bool exact = false;
  EXPECT_EQ(LikePrefix("ab%", &exact), "ab");
  EXPECT_TRUE(exact);
  EXPECT_EQ(LikePrefix("ab%c", &exact), "ab");
  EXPECT_FALSE(exact);
  EXPECT_EQ(LikePrefix("a_c", &exact), "a");
  EXPECT_FALSE(exact);
  EXPECT_EQ(LikePrefix("a\\%b%", &exact), "a%b");
  EXPECT_TRUE(exact);
  EXPECT_EQ(LikePrefix("abc", &exact), "abc");
  EXPECT_FALSE(exact);
  EXPECT_EQ(LikePrefix("%", &exact), "");
}

}  // namespace
}  // namespace bennu::sql::plan
