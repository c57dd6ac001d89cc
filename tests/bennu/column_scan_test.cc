// Tables answer the same from the memstore, where rows come as cells, and from files, where they
// come column by column.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bennu/table.h"
#include "src/api/column_scanner.h"
#include "src/api/store_tools.h"

#include "tests/bennu/sql_fixture.h"

namespace bennu {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

struct TableCase {
  const char* name;
  const char* create;
  const char* families[3] = {"", "", ""};  // of a third of the columns each
};

// Keys and options that store rows in different ways; the columns are the same.
constexpr TableCase kTables[] = {
    {"plain", ""},
    {"salted", " SALT_BUCKETS = 3"},
    {"slotted", " COLUMN_ENCODED_BYTES = 0"},
    {"single_cell",
     " IMMUTABLE_ROWS = true, IMMUTABLE_STORAGE_SCHEME = SINGLE_CELL_ARRAY_WITH_OFFSETS"},
    {"versions", " VERSIONS = 5, KEEP_DELETED_CELLS = true"},
    {"families", "", {"A.", "B.", "C."}},
    {"families_regions", " SPLIT ON (3, 6, 9)", {"A.", "", "A."}},
    {"families_salted", " SALT_BUCKETS = 3", {"B.", "B.", "A."}},
    {"kept", " TTL = 100000, DATA_BLOCK_ENCODING = 'NONE', BLOCKSIZE = 2048"},
};

constexpr const char* kQuestions[] = {
    "SELECT COUNT(*) FROM T",
    "SELECT COUNT(I), COUNT(L), COUNT(D), COUNT(V), COUNT(N) FROM T",
    "SELECT SUM(I), MIN(L), MAX(D), AVG(N), MIN(V), MAX(V) FROM T WHERE K2 > 'k1' AND I <> 5",
    "SELECT K1, SUM(L) FROM T GROUP BY K1 ORDER BY K1",
    "SELECT V, COUNT(*), SUM(I) FROM T GROUP BY V ORDER BY V",
    "SELECT * FROM T ORDER BY K1, K2",
    "SELECT * FROM T",
    "SELECT * FROM T ORDER BY K1 DESC, K2 DESC LIMIT 20",
    "SELECT K2, I, F FROM T WHERE K1 BETWEEN 3 AND 7 AND L IS NOT NULL ORDER BY I, K1, K2 LIMIT 30",
    "SELECT K1, K2, V FROM T WHERE V LIKE '%1%' ORDER BY K1, K2 LIMIT 50",
    "SELECT A[1], ARRAY_LENGTH(A) FROM T WHERE I < 100 ORDER BY K1, K2",
    "SELECT K1, U, S FROM T WHERE U > 3 ORDER BY K1, K2",
    "SELECT DISTINCT G FROM T ORDER BY G",
    "SELECT COUNT(*) FROM T WHERE G = 7",
    "SELECT COUNT(*), COUNT(V), SUM(U) FROM T",
    // Conditions behind an open column of the key.
    "SELECT K1, K2, I, S FROM T WHERE K2 = 'k500'",
    "SELECT K1, K2, I, V FROM T WHERE K2 IN ('k1', 'k304', 'k777', 'k905') ORDER BY K1, K2",
    "SELECT COUNT(*), SUM(I), MAX(N) FROM T WHERE K2 LIKE 'k51%'",
    "SELECT K1, COUNT(*), SUM(S) FROM T WHERE K2 > 'k2' AND K2 < 'k4' GROUP BY K1 ORDER BY K1",
    "SELECT K1, K2, U FROM T WHERE K1 > 2 AND K2 >= 'k88' ORDER BY K1 DESC, K2",
    "SELECT K1, SUM(S), MAX(N), COUNT(L) FROM T WHERE C = 'c1' OR I < 50 GROUP BY K1 ORDER BY K1",
};

class ColumnScanTest : public SqlFixture<::testing::TestWithParam<TableCase>> {
 protected:
  void SetUp() override { OpenStore(/*threads=*/2); }

  static std::string Columns(const char* family, const std::vector<std::string>& columns) {
    std::string definitions;
    for (const std::string& column : columns) definitions += std::string(", ") + family + column;
    return definitions;
  }
  std::vector<std::string> Answers() {
    std::vector<std::string> answers;
    for (const char* question : kQuestions) answers.push_back(Run(question));
    return answers;
  }
  void AddRows(int begin, int end) {
    ASSERT_TRUE(connection_->SetAutocommit(false).ok());
    for (int i = begin; i < end; ++i) {
      const std::string n = std::to_string(i);
      const std::string key = std::to_string(i % 11) + ", 'k" + n + "'";
      // A NULL that is written is a delete marker, which keeps a block from being columns.
      const std::string bigint = i % 500 == 3 ? "NULL" : n + "000000000";
      if (i % 5 == 0) {
        Run("UPSERT INTO T (K1, K2, I) VALUES (" + key + ", " + n + ")");
      } else if (i % 7 == 0) {
        Run("UPSERT INTO T (K1, K2, L, D) VALUES (" + key + ", " + bigint + ", 0.5)");
      } else {
        Run("UPSERT INTO T (K1, K2, I, L, D, F, N, V, C, U, S, A) VALUES (" + key + ", " + n +
            ", " + bigint + ", " + n + ".5, -" + n + ".25, " + n + ".125, 'v" +
            std::to_string(i % 13) + "', 'c" + n.substr(0, 1) + "', " + n + ", -" +
            std::to_string(i % 100) + ", ARRAY[" + n + ", 2])");
      }
    }
    ASSERT_TRUE(connection_->Commit().ok());
    ASSERT_TRUE(connection_->SetAutocommit(true).ok());
  }
};

TEST_P(ColumnScanTest, AnswersAsFromTheMemStore) {
  const auto& [first, second, third] = GetParam().families;
  Run("CREATE TABLE T (K1 INTEGER NOT NULL, K2 VARCHAR NOT NULL" +
      Columns(first, {"I INTEGER", "L BIGINT", "D DOUBLE", "F FLOAT"}) +
      Columns(second, {"N DECIMAL(20,3)", "V VARCHAR", "C CHAR(3)"}) +
      Columns(third, {"U UNSIGNED_INT", "S SMALLINT", "A INTEGER ARRAY", "G INTEGER DEFAULT 7"}) +
      " CONSTRAINT PK PRIMARY KEY (K1 DESC, K2))" + GetParam().create);
  AddRows(0, 900);
  const std::vector<std::string> expected = Answers();
  Flush("T");
  EXPECT_EQ(Answers(), expected);
  EXPECT_EQ(Answers(), expected);  // from what the first reading left in the cache
  EXPECT_THAT(Run("EXPLAIN ANALYZE SELECT SUM(I) FROM T"), ContainsRegex("[1-9][0-9]* AS COLUMNS"));

  // Changes in the memstore and then in a newer file.
  AddRows(500, 520);
  Run("DELETE FROM T WHERE I BETWEEN 300 AND 302");
  AddRows(900, 910);
  const std::vector<std::string> changed = Answers();
  EXPECT_NE(changed, expected);
  Flush("T");
  EXPECT_EQ(Answers(), changed);
  Compact("T");
  EXPECT_EQ(Answers(), changed);
  EXPECT_EQ(Answers(), changed);
}

// Families without the empty column: rows may have nothing of what is asked for. The parameter is
// the key's type: keys of one width, or of several.
using FamilyScanTest = SqlFixture<::testing::TestWithParam<std::string>>;

std::string Line(ByteView row, ByteView family, ByteView qualifier, ByteView value) {
  return Bytes(row) + "/" + Bytes(family) + ":" + Bytes(qualifier) + "=" + Bytes(value) + "\n";
}

std::string ReadCells(Table* table, const Scan& scan) {
  auto scanner = table->OpenScanner(scan).value();
  std::string lines;
  CellBatch batch;
  while (scanner->Next(50, &batch).ok() && batch.row_count() > 0) {
    for (const Cell& cell : batch.cells) {
      lines += Line(cell.row(), cell.family(), cell.qualifier(), cell.value_view());
    }
  }
  return lines;
}

// Of the table's rows some, and what comes behind them.
std::vector<Bytes> SomeRows(Table* table) {
  auto scanner = table->OpenScanner(Scan()).value();
  std::vector<Bytes> rows;
  CellBatch batch;
  for (int i = 0; scanner->Next(1, &batch).ok() && batch.row_count() > 0; ++i) {
    if (i % 60 == 0) rows.emplace_back(batch.cells[0].row());
  }
  rows.push_back(rows.back() + '\0');
  rows.push_back("\xff\xff\xff");
  return rows;
}

// 'leap': rows before this one need not come.
std::string ReadColumns(Table* table, const Scan& scan, ByteView leap = {}) {
  auto scanner = table->OpenScanner(scan).value();
  auto* const columns = StoreTools::Columns(scanner.get());
  std::string lines;
  CellBatch batch;
  ColumnSlice slice;
  for (int call = 0;; ++call) {
    if (call == 1 && !leap.empty()) {
      EXPECT_TRUE(columns->SkipTo(leap).ok());
    }
    if (!columns->NextColumns(50, &batch, &slice).ok() || slice.size() == 0) break;
    for (uint32_t row = slice.begin; row < slice.end; ++row) {
      if (!leap.empty() && slice.rows->KeyAt(row) < leap) continue;
      for (const ColumnRows::Column& column : slice.rows->columns) {
        if (!column.Has(row)) continue;
        lines += Line(slice.rows->KeyAt(row), column.family, column.qualifier, column.ValueAt(row));
      }
    }
  }
  EXPECT_EQ(batch.row_count(), 0u);
  EXPECT_GT(columns->blocks_as_columns(), 0u);
  return lines;
}

TEST_P(FamilyScanTest, RowsWithoutWhatIsAskedFor) {
  const auto key_of = [](int i) {
    return GetParam() == "VARCHAR" ? "'" + std::to_string(i * i) + "'" : std::to_string(i);
  };
  OpenStore(/*threads=*/1);
  Run("CREATE TABLE T (K " + GetParam() +
      " NOT NULL PRIMARY KEY, A.X INTEGER, A.Y VARCHAR, B.X VARCHAR, "
      "B.Y INTEGER, C.X INTEGER) COLUMN_ENCODED_BYTES = 0, BLOCKSIZE = 1024");
  for (int i = 0; i < 400; ++i) {
    const std::string key = key_of(i);
    Run("UPSERT INTO T (K) VALUES (" + key + ")");
    if (i % 3 == 0) Run("UPSERT INTO T (K, A.X) VALUES (" + key + ", 1)");
    if (i % 40 > 30) Run("UPSERT INTO T (K, A.Y) VALUES (" + key + ", 'y')");
    if (i % 4 == 0) Run("UPSERT INTO T (K, B.X) VALUES (" + key + ", 'x')");
    if (i > 200 && i % 90 != 0)
      Run("UPSERT INTO T (K, B.Y) VALUES (" + key + ", " + std::to_string(i) + ")");
    if (i == 5 || i == 399) Run("UPSERT INTO T (K, C.X) VALUES (" + key + ", 3)");
  }
  Flush("T");
  Compact("T");
  auto table = database_->store()->OpenTable({"default", "T"}).value();
  const std::vector<std::map<Bytes, std::set<Bytes>>> wanted = {
      {{"A", {"X"}}, {"B", {"X"}}},   {{"A", {"Y"}}, {"B", {"Y"}}, {"C", {}}},
      {{"B", {"X"}}, {"C", {"X"}}},   {{"A", {"X", "Y"}}, {"C", {"X"}}},
      {{"B", {}}, {"C", {}}},         {},
      {{"A", {"none"}}, {"B", {"Y"}}}};
  for (int round = 0; round < 2; ++round) {
    for (const auto& columns : wanted) {
      Scan scan;
      scan.columns = columns;
      const std::string cells = ReadCells(table.get(), scan);
      EXPECT_FALSE(cells.empty());
      EXPECT_EQ(ReadColumns(table.get(), scan), cells);
      for (const Bytes& leap : SomeRows(table.get())) {
        Scan rest = scan;
        rest.range.start = leap;
        EXPECT_EQ(ReadColumns(table.get(), scan, leap), ReadCells(table.get(), rest));
      }
    }
    for (int i = 100; i < 110; ++i) Run("DELETE FROM T WHERE K = " + key_of(i));
    Run("UPSERT INTO T (K, B.X) VALUES (" + key_of(105) + ", 'again')");
    Run("UPSERT INTO T (K, C.X) VALUES (" + key_of(200) + ", NULL)");
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, FamilyScanTest, ::testing::Values("INTEGER", "VARCHAR"));

INSTANTIATE_TEST_SUITE_P(Tables, ColumnScanTest, ::testing::ValuesIn(kTables),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace bennu
