// Prepared statements over a range of the key, run again and again with other parameters: the rows
// are those that the conditions allow, whatever the key's types, orders and options.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/bennu/sql_fixture.h"

namespace bennu {
namespace {

struct TableCase {
  const char* name;
  const char* key;      // columns A, B, C and their order
  const char* columns;  // A's and B's types
  const char* options;
  bool a_text, b_text;
  bool c_first = false;  // in the key, and held to 1
};

constexpr TableCase kTables[] = {
    {"numbers", "A, B, C", "A INTEGER NOT NULL, B BIGINT NOT NULL", "", false, false},
    {"descending", "A DESC, B DESC, C", "A INTEGER NOT NULL, B BIGINT NOT NULL", "", false, false},
    {"small", "A, B DESC, C", "A UNSIGNED_TINYINT NOT NULL, B TINYINT NOT NULL", "", false, false},
    {"salted", "A, B, C", "A INTEGER NOT NULL, B SMALLINT NOT NULL", " SALT_BUCKETS = 3", false,
     false},
    {"text", "A, B, C", "A VARCHAR NOT NULL, B VARCHAR NOT NULL", "", true, true},
    {"text_salted", "A, B, C", "A VARCHAR NOT NULL, B VARCHAR NOT NULL", " SALT_BUCKETS = 4", true,
     true},
    {"text_descending", "A DESC, B, C", "A VARCHAR NOT NULL, B VARCHAR NOT NULL", "", true, true},
    {"both_descending", "A DESC, B DESC, C", "A VARCHAR NOT NULL, B VARCHAR NOT NULL", "", true,
     true},
    {"padded", "A, B, C", "A CHAR(4) NOT NULL, B CHAR(6) NOT NULL", "", true, true},
    {"padded_descending", "A, B DESC, C", "A CHAR(4) NOT NULL, B CHAR(6) NOT NULL", "", true, true},
    {"text_last", "C, A, B", "A INTEGER NOT NULL, B VARCHAR", "", false, true, true},
    {"number_last", "C, A, B DESC", "A VARCHAR NOT NULL, B BIGINT NOT NULL", "", true, false, true},
    {"row_timestamp", "A ROW_TIMESTAMP, B, C", "A BIGINT NOT NULL, B INTEGER NOT NULL", "", false,
     false},
    {"between_timestamps", "A, B ROW_TIMESTAMP, C", "A INTEGER NOT NULL, B BIGINT NOT NULL", "",
     false, false},
    {"regions", "A, B, C", "A INTEGER NOT NULL, B INTEGER NOT NULL", " SPLIT ON (2, 4)", false,
     false},
};

struct Row {
  int a, b, c;
};

// Text in the order of the numbers; some values are the beginnings of others.
std::string Text(int n) {
  constexpr const char* kTexts[] = {"a", "aa", "aab", "ab", "b", "ba", "c", "cc"};
  return kTexts[n];
}

Datum Value(bool text, int n) { return text ? Datum(Text(n)) : Datum(n); }

class RangeQueryTest : public SqlFixture<::testing::TestWithParam<TableCase>> {
 protected:
  void SetUp() override {
    OpenStore(/*threads=*/1);
    const TableCase& table = GetParam();
    const std::string c = "C INTEGER NOT NULL";
    const std::string ab = table.columns;
    Run("CREATE TABLE T (" + (table.c_first ? c + ", " + ab : ab + ", " + c) +
        ", V INTEGER, W VARCHAR CONSTRAINT PK PRIMARY KEY (" + table.key + "))" + table.options);
    for (int i = 0; i < 6 * 8 * 3; ++i) {
      const Row row = {i % 6, i / 6 % 8, i / 48};
      if ((row.a + row.b + row.c) % 4 != 0) rows_.push_back(row);
    }
    Upsert(rows_);
  }

  void Upsert(const std::vector<Row>& rows) {
    const TableCase& table = GetParam();
    auto upsert = connection_->Prepare("UPSERT INTO T (A, B, C, V, W) VALUES (?, ?, ?, ?, ?)");
    ASSERT_TRUE(upsert.ok()) << upsert.status().ToString();
    ASSERT_TRUE(connection_->SetAutocommit(false).ok());
    for (const Row& row : rows) {
      ASSERT_TRUE((*upsert)->Bind(0, Value(table.a_text, row.a)).ok());
      ASSERT_TRUE((*upsert)->Bind(1, Value(table.b_text, row.b)).ok());
      ASSERT_TRUE((*upsert)->Bind(2, row.c).ok());
      ASSERT_TRUE((*upsert)->Bind(3, Number(row)).ok());
      ASSERT_TRUE((*upsert)->Bind(4, "w" + std::to_string(Number(row))).ok());
      ASSERT_TRUE((*upsert)->Execute().ok());
    }
    ASSERT_TRUE(connection_->Commit().ok());
    ASSERT_TRUE(connection_->SetAutocommit(true).ok());
  }

  static int Number(const Row& row) { return row.a * 100 + row.b * 10 + row.c; }

  // The V of the rows for which 'wanted' holds, ascending.
  template <typename Wanted>
  std::vector<int64_t> Expected(Wanted wanted) const {
    std::vector<int64_t> numbers;
    for (const Row& row : rows_) {
      if (GetParam().c_first && row.c != 1) continue;
      if (wanted(row)) numbers.push_back(Number(row));
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }

  std::vector<int64_t> Ask(PreparedStatement* statement, const std::vector<Datum>& values) {
    for (size_t i = 0; i < values.size(); ++i) EXPECT_TRUE(statement->Bind(i, values[i]).ok());
    auto result = statement->Execute();
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    std::vector<int64_t> numbers;
    while (result.ok() && (*result)->Next().value()) {
      numbers.push_back((*result)->GetInt64(0).value());
      EXPECT_EQ((*result)->GetText(1), "w" + std::to_string(numbers.back()));
    }
    return numbers;
  }
  std::unique_ptr<PreparedStatement> Prepare(const std::string& rest) {
    auto statement = connection_->Prepare(
        "SELECT V, W FROM T WHERE " + std::string(GetParam().c_first ? "C = 1 AND " : "") + rest);
    EXPECT_TRUE(statement.ok()) << statement.status().ToString();
    return std::move(statement).value();
  }

  void CheckRanges(const std::string& more = "", int v_max = 10000) {
    const TableCase& table = GetParam();
    for (const char* lower : {"", ">", ">="}) {
      for (const char* upper : {"", "<", "<="}) {
        std::string where = "A = ?";
        if (*lower != 0) where += std::string(" AND B ") + lower + " ?";
        if (*upper != 0) where += std::string(" AND B ") + upper + " ?";
        const auto statement = Prepare(where + more);
        for (int a = 0; a < 7; ++a) {
          for (const auto& [low, high] :
               {std::pair(2, 5), {0, 7}, {3, 3}, {5, 2}, {6, 7}, {0, 0}}) {
            std::vector<Datum> values = {Value(table.a_text, a)};
            if (*lower != 0) values.push_back(Value(table.b_text, low));
            if (*upper != 0) values.push_back(Value(table.b_text, high));
            std::vector<int64_t> found = Ask(statement.get(), values);
            std::sort(found.begin(), found.end());
            EXPECT_EQ(found, Expected([&, low = low, high = high](const Row& row) {
                        const bool above = *lower == 0 || row.b > low ||
                                           (row.b == low && std::string(lower) == ">=");
                        const bool below = *upper == 0 || row.b < high ||
                                           (row.b == high && std::string(upper) == "<=");
                        return row.a == a && above && below && Number(row) < v_max;
                      }))
                << where << " of " << a << ", " << low << ", " << high;
          }
        }
      }
    }
  }

  void CheckOrder() {
    const TableCase& table = GetParam();
    for (const char* direction : {"", " DESC"}) {
      const auto statement = Prepare("A = ? AND B >= ? ORDER BY A" + std::string(direction) +
                                     ", B" + direction + ", C" + direction + " LIMIT ?");
      for (const int limit : {0, 1, 4, 100}) {
        std::vector<int64_t> expected =
            Expected([](const Row& row) { return row.a == 3 && row.b >= 2; });
        if (*direction != 0) std::reverse(expected.begin(), expected.end());
        expected.resize(std::min<size_t>(expected.size(), static_cast<size_t>(limit)));
        EXPECT_EQ(Ask(statement.get(), {Value(table.a_text, 3), Value(table.b_text, 2), limit}),
                  expected)
            << direction << " LIMIT " << limit;
      }
    }
  }

  std::vector<Row> rows_;
};

TEST_P(RangeQueryTest, BoundsInMemoryAndInFiles) {
  CheckRanges();
  Flush("T");
  Compact("T");
  CheckRanges();
  Run("SELECT COUNT(*), SUM(V), MAX(W) FROM T");  // leaves blocks as columns
  CheckRanges();
}

// Rows that are deleted, and written again, in memory and in a newer file.
TEST_P(RangeQueryTest, ChangesBesideAFile) {
  Flush("T");
  Run("DELETE FROM T WHERE V - V / 100 * 100 < 40");
  const std::vector<Row> all = rows_;
  std::erase_if(rows_, [](const Row& row) { return row.b < 4; });
  CheckRanges();
  Flush("T");
  CheckRanges();
  // What is written at a row's own timestamp stays hidden by markers that are newer.
  if (std::string(GetParam().key).find("ROW_TIMESTAMP") != std::string::npos) return;
  std::vector<Row> again;
  std::copy_if(all.begin(), all.end(), std::back_inserter(again),
               [](const Row& row) { return row.b == 2; });
  Upsert(again);
  rows_.insert(rows_.end(), again.begin(), again.end());
  CheckRanges();
  Flush("T");
  CheckRanges();
  Compact("T");
  CheckRanges();
}

TEST_P(RangeQueryTest, OtherConditionsFilter) {
  CheckRanges(" AND V < 333", 333);
  Flush("T");
  CheckRanges(" AND V < 333", 333);
}

TEST_P(RangeQueryTest, BoundsOfTheFirstColumn) {
  const TableCase& table = GetParam();
  const auto statement = Prepare("A > ? AND A <= ?");
  for (const auto& [low, high] : {std::pair(1, 3), {0, 5}, {4, 2}, {5, 6}}) {
    std::vector<int64_t> found =
        Ask(statement.get(), {Value(table.a_text, low), Value(table.a_text, high)});
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, Expected([low = low, high = high](const Row& row) {
                return row.a > low && row.a <= high;
              }));
  }
}

TEST_P(RangeQueryTest, InTheOrderOfTheKeyUpToALimit) {
  CheckOrder();
  Flush("T");
  Compact("T");
  CheckOrder();
}

TEST_P(RangeQueryTest, NullIsNeverEqualNorBetween) {
  const TableCase& table = GetParam();
  const auto statement = Prepare("A = ? AND B >= ?");
  EXPECT_TRUE(Ask(statement.get(), {Datum(), Value(table.b_text, 0)}).empty());
  EXPECT_TRUE(Ask(statement.get(), {Value(table.a_text, 1), Datum()}).empty());
  EXPECT_FALSE(Ask(statement.get(), {Value(table.a_text, 1), Value(table.b_text, 0)}).empty());
}

TEST_P(RangeQueryTest, TwoResultsAtATime) {
  const TableCase& table = GetParam();
  const auto statement = Prepare("A = ? AND B >= ?");
  ASSERT_TRUE(statement->Bind(0, Value(table.a_text, 2)).ok());
  ASSERT_TRUE(statement->Bind(1, Value(table.b_text, 0)).ok());
  auto first = statement->Execute().value();
  ASSERT_TRUE(first->Next().value());
  const std::string text = first->GetText(1);
  const std::vector<int64_t> others =
      Ask(statement.get(), {Value(table.a_text, 1), Value(table.b_text, 0)});
  EXPECT_EQ(others.size(), Expected([](const Row& row) { return row.a == 1; }).size());
  EXPECT_EQ(first->GetText(1), text);
  size_t rows = 1;
  while (first->Next().value()) ++rows;
  EXPECT_EQ(rows, Expected([](const Row& row) { return row.a == 2; }).size());
}

INSTANTIATE_TEST_SUITE_P(Keys, RangeQueryTest, ::testing::ValuesIn(kTables),
                         [](const auto& table) { return std::string(table.param.name); });

}  // namespace
}  // namespace bennu
