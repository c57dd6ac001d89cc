// Rows that an index leads to, and whose columns are looked up in the table: the short reads of
// prepared statements, the operators, and the table itself give the same, whatever the index.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/bennu/sql_fixture.h"

namespace bennu {
namespace {

struct IndexCase {
  const char* name;
  const char* index;  // of the columns N, V
  const char* hint = "";
  const char* table_options = "";
};

constexpr char kHint[] = "/*+ INDEX(T T_I) */ ";
constexpr IndexCase kIndexes[] = {
    {"uncovered", "CREATE UNCOVERED INDEX T_I ON T (N, V)"},
    {"uncovered_salted", "CREATE UNCOVERED INDEX T_I ON T (N, V) SALT_BUCKETS=3"},
    {"uncovered_of_salted", "CREATE UNCOVERED INDEX T_I ON T (N, V)", "", " SALT_BUCKETS=4"},
    {"uncovered_single_cell", "CREATE UNCOVERED INDEX T_I ON T (N, V)", "",
     " IMMUTABLE_ROWS=true, IMMUTABLE_STORAGE_SCHEME=SINGLE_CELL_ARRAY_WITH_OFFSETS"},
    {"lacking", "CREATE INDEX T_I ON T (N, V)", kHint},
    {"lacking_salted", "CREATE INDEX T_I ON T (N, V) SALT_BUCKETS=3", kHint},
    {"including", "CREATE INDEX T_I ON T (N, V) INCLUDE (X)", kHint},
    {"local", "CREATE LOCAL INDEX T_I ON T (N, V)"},
    {"local_of_salted", "CREATE LOCAL INDEX T_I ON T (N, V)", "", " SALT_BUCKETS=4"},
};

struct TableRow {
  std::string k;
  int j;
  int n;
  std::string v;
  int x;
  std::string w;
};

bool InIndexOrder(const TableRow& a, const TableRow& b) {
  if (a.v != b.v) return a.v < b.v;
  return a.k != b.k ? a.k < b.k : a.j > b.j;
}

class LookedUpRowsTest : public SqlFixture<::testing::TestWithParam<IndexCase>> {
 protected:
  void SetUp() override {
    OpenStore(/*threads=*/2);
    Run("CREATE TABLE T (K VARCHAR NOT NULL, J INTEGER NOT NULL, N BIGINT, V VARCHAR, X INTEGER, W "
        "VARCHAR, CONSTRAINT PK PRIMARY KEY (K, J DESC))" +
        std::string(GetParam().table_options));
    Run(GetParam().index);
    for (int i = 0; i < 240; ++i) Add(i, i % 8);
    Upsert(rows_);
  }

  // Rows of one N have V in a few groups, and within one all else is different.
  void Add(int i, int n) {
    rows_.push_back({"k" + std::to_string(i * 7 % 31), i, n, "v" + std::to_string(i / 8 % 6), i % 5,
                     "w" + std::to_string(i)});
  }

  void Upsert(const std::vector<TableRow>& rows) {
    auto upsert = connection_->Prepare("UPSERT INTO T VALUES (?, ?, ?, ?, ?, ?)").value();
    ASSERT_TRUE(connection_->SetAutocommit(false).ok());
    for (const TableRow& row : rows) {
      const Datum values[] = {row.k, row.j, int64_t{row.n}, row.v, row.x, row.w};
      for (size_t i = 0; i < std::size(values); ++i) ASSERT_TRUE(upsert->Bind(i, values[i]).ok());
      ASSERT_TRUE(upsert->Execute().ok());
    }
    ASSERT_TRUE(connection_->Commit().ok());
    ASSERT_TRUE(connection_->SetAutocommit(true).ok());
  }

  static std::vector<std::string> Ask(PreparedStatement* statement,
                                      const std::vector<Datum>& values) {
    for (size_t i = 0; i < values.size(); ++i) EXPECT_TRUE(statement->Bind(i, values[i]).ok());
    auto result = statement->Execute();
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    std::vector<std::string> rows;
    while (result.ok() && (*result)->Next().value()) {
      std::string row;
      for (size_t i = 0; i < (*result)->columns().size(); ++i) row += (*result)->GetText(i) + "|";
      rows.push_back(std::move(row));
    }
    return rows;
  }

  std::vector<std::string> Expected(const std::function<bool(const TableRow&)>& wanted,
                                    size_t limit) const {
    std::vector<TableRow> found;
    std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(found), wanted);
    std::sort(found.begin(), found.end(), InIndexOrder);
    found.resize(std::min(found.size(), limit));
    std::vector<std::string> texts;
    for (const TableRow& row : found) {
      texts.push_back(row.k + "|" + std::to_string(row.j) + "|" + row.v + "|" + row.w + "|");
    }
    return texts;
  }

  // The rows of N = ? AND 'where' with these values, in the order of the index: by a short read, by
  // operators (which OFFSET asks for), and by the table; again and again by one statement.
  void Check(const std::string& where, const std::vector<Datum>& values,
             const std::function<bool(const TableRow&)>& wanted) {
    const std::string rest = "K, J, V, W FROM T WHERE N = ?" + where;
    const std::string by_index = "SELECT " + std::string(GetParam().hint) + rest;
    const std::string in_order = " ORDER BY V, K, J DESC LIMIT ?";
    const auto plan = connection_->Prepare("EXPLAIN " + by_index).value();
    const auto all = connection_->Prepare(by_index).value();
    const auto first = connection_->Prepare(by_index + in_order).value();
    const auto by_operators = connection_->Prepare(by_index + in_order + " OFFSET 0").value();
    const auto by_table = connection_->Prepare("SELECT /*+ NO_INDEX */ " + rest + in_order).value();
    for (const int n : {3, 0, 9, 5, 3}) {
      const auto of_n = [&](const TableRow& row) { return row.n == n && wanted(row); };
      std::vector<Datum> all_values = {int64_t{n}};
      all_values.insert(all_values.end(), values.begin(), values.end());
      EXPECT_NE(Ask(plan.get(), all_values).at(0).find("OVER T_I"), std::string::npos) << by_index;
      std::vector<std::string> any_order = Ask(all.get(), all_values);
      std::vector<std::string> expected = Expected(of_n, rows_.size());
      std::sort(any_order.begin(), any_order.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(any_order, expected) << by_index << " of " << n;
      for (const int limit : {1000, 0, 1, 2, 7}) {
        std::vector<Datum> limited = all_values;
        limited.emplace_back(limit);
        const auto wanted_rows = Expected(of_n, static_cast<size_t>(limit));
        EXPECT_EQ(Ask(first.get(), limited), wanted_rows) << by_index << ", " << n << ", " << limit;
        EXPECT_EQ(Ask(by_operators.get(), limited), wanted_rows)
            << by_index << ", " << n << ", " << limit;
        EXPECT_EQ(Ask(by_table.get(), limited), wanted_rows)
            << by_index << ", " << n << ", " << limit;
      }
    }
  }

  void CheckAll() {
    Check("", {}, [](const TableRow&) { return true; });
    Check(" AND V >= ? AND V < ?", {"v1", "v4"},
          [](const TableRow& row) { return row.v >= "v1" && row.v < "v4"; });
    Check(" AND V > ?", {"v4"}, [](const TableRow& row) { return row.v > "v4"; });
    // A condition on what the index has, one on what it lacks, and both.
    Check(" AND J > ?", {100}, [](const TableRow& row) { return row.j > 100; });
    Check(" AND J + X > ?", {100}, [](const TableRow& row) { return row.j + row.x > 100; });
    Check(" AND V LIKE ?", {"%3"}, [](const TableRow& row) { return row.v.back() == '3'; });
    Check(" AND W < ?", {"w2"}, [](const TableRow& row) { return row.w < "w2"; });
    Check(" AND J * 2 > ? AND W < ? AND X <> ?", {60, "w2", 1},
          [](const TableRow& row) { return row.j > 30 && row.w < "w2" && row.x != 1; });
    Check(" AND (J < ? OR W = ?)", {40, "w203"},
          [](const TableRow& row) { return row.j < 40 || row.w == "w203"; });
  }

  void FlushAll() {
    Flush("T");
    const bool is_local = std::string(GetParam().index).find("LOCAL") != std::string::npos;
    if (!is_local) Flush("T_I");
  }

  std::vector<TableRow> rows_;
};

TEST_P(LookedUpRowsTest, AreThoseOfTheTable) {
  CheckAll();
  FlushAll();
  CheckAll();
  Compact("T");
  CheckAll();
}

// Rows that got another place in the index, left the table, or came back.
TEST_P(LookedUpRowsTest, AfterChanges) {
  FlushAll();
  Run("DELETE FROM T WHERE J > 60 AND J < 90");
  std::erase_if(rows_, [](const TableRow& row) { return row.j > 60 && row.j < 90; });
  const bool is_immutable =
      std::string(GetParam().table_options).find("IMMUTABLE") != std::string::npos;
  if (!is_immutable) {
    for (TableRow& row : rows_) {
      if (row.j % 3 == 0) row.n = (row.n + 1) % 8;
      if (row.j % 4 == 0) row.w += "x";
    }
    Upsert(rows_);
  }
  CheckAll();
  FlushAll();
  CheckAll();
}

// More rows than a short read has at hand, than are looked up at once, and than a chunk has.
TEST_P(LookedUpRowsTest, Many) {
  const std::vector<TableRow> few = std::move(rows_);
  rows_.clear();
  for (int i = 1000; i < 6000; ++i) Add(i, 5);
  Upsert(rows_);
  rows_.insert(rows_.end(), few.begin(), few.end());
  const auto statement =
      connection_
          ->Prepare("SELECT " + std::string(GetParam().hint) +
                    "K, J, V, W FROM T WHERE N = ? ORDER BY V, K, J DESC LIMIT ?")
          .value();
  const auto check = [&](int n, int limit) {
    EXPECT_EQ(Ask(statement.get(), {int64_t{n}, limit}),
              Expected([n](const TableRow& row) { return row.n == n; }, static_cast<size_t>(limit)))
        << n << ", " << limit;
  };
  for (const bool flushed : {false, true}) {
    if (flushed) FlushAll();
    for (const int limit : {1, 127, 128, 129, 641, 2047, 2500, 100'000}) check(5, limit);
    // A result that nobody reads to its end leaves nothing to the next one.
    ASSERT_TRUE(statement->Bind(0, int64_t{5}).ok());
    ASSERT_TRUE(statement->Bind(1, 100'000).ok());
    {
      auto result = statement->Execute().value();
      for (int i = 0; i < 300; ++i) ASSERT_TRUE(result->Next().value());
    }
    check(3, 1000);
    check(5, 100'000);
  }
}

TEST_P(LookedUpRowsTest, TwoResultsAtATime) {
  const auto statement =
      connection_->Prepare("SELECT " + std::string(GetParam().hint) + "W FROM T WHERE N = ?")
          .value();
  ASSERT_TRUE(statement->Bind(0, int64_t{2}).ok());
  auto first = statement->Execute().value();
  ASSERT_TRUE(first->Next().value());
  const std::string text = first->GetText(0);
  EXPECT_EQ(Ask(statement.get(), {int64_t{1}}).size(), 30U);
  EXPECT_EQ(first->GetText(0), text);
  size_t rows = 1;
  while (first->Next().value()) ++rows;
  EXPECT_EQ(rows, 30U);
}

// Values that no row of the index can have.
TEST_P(LookedUpRowsTest, ValuesThatDoNotFit) {
  const std::string select = "SELECT " + std::string(GetParam().hint) + "W FROM T WHERE N = ?";
  const auto statement = connection_->Prepare(select).value();
  EXPECT_TRUE(Ask(statement.get(), {Datum()}).empty());
  EXPECT_EQ(Ask(statement.get(), {int64_t{2}}).size(), 30U);
  EXPECT_TRUE(Ask(statement.get(), {INT64_MAX}).empty());
  EXPECT_TRUE(Ask(statement.get(), {int64_t{-2}}).empty());
  const auto ranged = connection_->Prepare(select + " AND V > ?").value();
  EXPECT_TRUE(Ask(ranged.get(), {int64_t{2}, Datum()}).empty());
  EXPECT_EQ(Ask(ranged.get(), {int64_t{2}, ""}).size(), 0U);
  EXPECT_EQ(Ask(ranged.get(), {int64_t{2}, "v"}).size(), 30U);
}

// Index and table are read as they are at one moment: a row that moves in the index meanwhile has
// the value that belongs to its place there.
TEST_P(LookedUpRowsTest, OfOneMoment) {
  if (std::string(GetParam().table_options).find("IMMUTABLE") != std::string::npos) return;
  std::atomic<bool> done{false};
  std::thread writer([&] {
    auto connection = database_->Connect().value();
    auto upsert = connection->Prepare("UPSERT INTO T VALUES ('moving', 1, ?, 'v', 0, ?)").value();
    for (int i = 0; i < 2000 && !done; ++i) {
      const int64_t n = 20 + i % 2;
      EXPECT_TRUE(upsert->Bind(0, n).ok());
      EXPECT_TRUE(upsert->Bind(1, "of " + std::to_string(n)).ok());
      EXPECT_TRUE(upsert->Execute().ok());
    }
  });
  const auto statement =
      connection_->Prepare("SELECT " + std::string(GetParam().hint) + "W FROM T WHERE N = ?")
          .value();
  for (int i = 0; i < 3000; ++i) {
    const int64_t n = 20 + i % 2;
    const std::vector<std::string> found = Ask(statement.get(), {n});
    if (!found.empty()) {
      EXPECT_EQ(found, std::vector<std::string>{"of " + std::to_string(n) + "|"});
    }
  }
  done = true;
  writer.join();
}

INSTANTIATE_TEST_SUITE_P(Indexes, LookedUpRowsTest, ::testing::ValuesIn(kIndexes),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace bennu
