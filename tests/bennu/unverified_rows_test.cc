// Rows of an index that are not marked as verified, as a client of Phoenix leaves them behind when
// it dies in the middle of a write: what the table has counts, whichever way the index is read.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bennu/mutation.h"
#include "bennu/scan.h"
#include "bennu/table.h"
#include "tests/bennu/sql_fixture.h"

namespace bennu {
namespace {

constexpr int kRows = 300;
constexpr char kUnverified[] = "\x02";

struct Param {
  const char* name;
  const char* options;  // of the index
  bool flushed;
};

class UnverifiedRowsTest : public SqlFixture<::testing::TestWithParam<Param>> {
 protected:
  void SetUp() override { OpenStore(/*threads=*/2); }

  // V is the number of the row, in three digits.
  void MakeTable(const std::string& index) {
    Run("CREATE TABLE T (K INTEGER PRIMARY KEY, V VARCHAR, N INTEGER, W INTEGER)");
    Run(index);
    std::string rows;
    for (int k = 0; k < kRows; ++k) {
      rows += (k == 0 ? "" : ", ") + std::string("(") + std::to_string(k) + ", '" + Name(k) +
              "', " + std::to_string(k % 7) + ", " + std::to_string(k % 5) + ")";
    }
    Run("UPSERT INTO T VALUES " + rows);
    index_ = database_->store()->OpenTable({"default", "T_V"}).value();
    index_rows_ = IndexRows();
  }
  static std::string Name(int k) {
    const std::string digits = std::to_string(k);
    return std::string(3 - digits.size(), '0') + digits;
  }

  // All rows of the index.
  std::vector<Row> IndexRows() {
    std::vector<Row> rows;
    auto scanner = index_->OpenScanner(Scan()).value();
    CellBatch batch;
    for (;;) {
      EXPECT_TRUE(scanner->Next(1000, &batch).ok());
      if (batch.row_count() == 0) return rows;
      for (size_t i = 0; i < batch.row_count(); ++i) {
        Get get;
        get.row = batch.cells[batch.row_starts[i]].row();
        rows.push_back(index_->GetRow(get).value());
      }
    }
  }
  // What the index first had for the table's row number 'k'.
  const Row& IndexRow(int k) const {
    return *std::find_if(index_rows_.begin(), index_rows_.end(), [k](const Row& row) {
      return row.cells[0].row().find(Name(k)) != ByteView::npos;
    });
  }
  // Writes the cells of 'row' anew as a row without the mark: under another key, and with another
  // value of N. Empty: as they are.
  void Damage(const Row& row, const Bytes& key, ByteView n) {
    MutationBatch batch;
    batch.StartRow(key.empty() ? row.cells[0].row() : ByteView(key));
    for (const Cell& cell : row.cells) {
      const bool is_mark = cell.value_view() == ByteView("\x01", 1);
      const ByteView value = is_mark ? ByteView(kUnverified, 1) : n.empty() ? cell.value_view() : n;
      batch.Put(cell.family(), cell.qualifier(), value, kLatestTimestamp);
    }
    ASSERT_TRUE(index_->Write(&batch).ok());
  }
  static Bytes WithName(const Row& row, const std::string& from, const std::string& to) {
    Bytes key(row.cells[0].row());
    key.replace(key.find(from), from.size(), to);
    return key;
  }

  // The same question answered by the index and by the table.
  void ExpectSame(const std::string& select, const std::string& hint = "") {
    const std::string by_index = "SELECT " + hint + select;
    EXPECT_EQ(Run(by_index), Run("SELECT /*+ NO_INDEX */ " + select)) << by_index;
    EXPECT_NE(RunFirst("EXPLAIN " + by_index).find("OVER T_V"), std::string::npos) << by_index;
  }

  std::shared_ptr<Table> index_;
  std::vector<Row> index_rows_;
};

TEST_P(UnverifiedRowsTest, TheTableDecides) {
  MakeTable(std::string("CREATE INDEX T_V ON T (V) INCLUDE (N)") + GetParam().options);
  // Rows that agree, the first and the last one among them.
  for (const int k : {0, 1, 50, 51, kRows - 1}) Damage(IndexRow(k), {}, {});
  // Rows whose values the table never got: what it has counts.
  for (const int k : {9, 10, 120}) Damage(IndexRow(k), {}, ByteView("\x80\0\0\x63", 4));
  // Rows that the table has under another key in the index, and so not under this one.
  for (const int k : {20, 21, 200}) {
    const Row& row = IndexRow(k);
    Damage(row, WithName(row, Name(k), Name(k) + "x"), {});
  }
  // Rows that the table does not have at all: their keys end with those of the table.
  for (const int k : {30, 31, 32, 33}) {
    const Row& row = IndexRow(k);
    Bytes key = WithName(row, Name(k), Name(k) + "y");
    key.back() = '\x7f';
    key[key.size() - 2] = '\x7f';
    Damage(row, key, {});
  }
  if (GetParam().flushed) {
    Flush("T_V");
    Compact("T_V");
  }
  const std::string scan = RunFirst("EXPLAIN ANALYZE SELECT SUM(N) FROM T WHERE V >= '0'");
  EXPECT_EQ(scan.find(", 0 AS COLUMNS") == std::string::npos, GetParam().flushed) << scan;
  ExpectSame("V, N FROM T ORDER BY V");
  ExpectSame("V, N FROM T ORDER BY V DESC");
  ExpectSame("COUNT(*) FROM T WHERE V >= '0'");
  ExpectSame("COUNT(*), SUM(N), MAX(V) FROM T WHERE V > '005' AND V < '250'");
  ExpectSame("N, COUNT(*) FROM T WHERE V >= '0' GROUP BY N ORDER BY N");
  ExpectSame("V, K, N FROM T WHERE V IN ('009', '020x', '031', '031y', '299') ORDER BY V");
  ExpectSame("K, N FROM T WHERE V = '120'");
  ExpectSame("K FROM T WHERE V = '200x'");
  // Limits count the rows that count.
  for (const std::string from : {"000", "009", "019", "020", "030", "031", "033", "199", "298"}) {
    for (const std::string limit : {"1", "2", "3", "7", "100"}) {
      ExpectSame("V, N FROM T WHERE V >= '" + from + "' ORDER BY V LIMIT " + limit);
      ExpectSame("V, N FROM T WHERE V <= '" + from + "y' ORDER BY V DESC LIMIT " + limit);
    }
  }
  // What the index lacks is looked up, by short reads and, for OFFSET, by operators.
  for (const std::string rest :
       {"V > '0' ORDER BY V LIMIT 40", "V > '0' ORDER BY V LIMIT 40 OFFSET 1",
        "V >= '008' AND V < '034' ORDER BY V", "V = '010'", "V = '020x'", "V = '031y'"}) {
    ExpectSame("V, N, W FROM T WHERE " + rest, "/*+ INDEX(T T_V) */ ");
  }
}

// Prepared statements read few rows by shorter ways.
TEST_P(UnverifiedRowsTest, PreparedStatements) {
  MakeTable(std::string("CREATE INDEX T_V ON T (V) INCLUDE (N)") + GetParam().options);
  Damage(IndexRow(9), {}, ByteView("\x80\0\0\x63", 4));
  const Row& row = IndexRow(20);
  Damage(row, WithName(row, "020", "020x"), {});
  if (GetParam().flushed) {
    Flush("T_V");
    Compact("T_V");
  }
  const auto ask = [this](const std::string& sql, const std::vector<std::string>& values) {
    auto statement = connection_->Prepare(sql).value();
    std::string answers;
    for (int run = 0; run < 2; ++run) {
      for (size_t i = 0; i < values.size(); ++i) EXPECT_TRUE(statement->Bind(i, values[i]).ok());
      auto result = statement->Execute().value();
      while (result->Next().value()) answers += result->GetText(0) + "|";
      answers += ";";
    }
    return answers;
  };
  EXPECT_EQ(ask("SELECT N FROM T WHERE V = ?", {"009"}), "2|;2|;");
  EXPECT_EQ(ask("SELECT N FROM T WHERE V = ?", {"008"}), "1|;1|;");
  EXPECT_EQ(ask("SELECT N FROM T WHERE V = ?", {"020x"}), ";;");
  EXPECT_EQ(ask("SELECT V FROM T WHERE V >= ? ORDER BY V LIMIT 2", {"020"}), "020|021|;020|021|;");
  EXPECT_EQ(ask("SELECT V FROM T WHERE V > ? AND V < ? ORDER BY V DESC LIMIT 2", {"000", "021"}),
            "020|019|;020|019|;");
}

// Rows of an uncovered index say nothing about the table: each is held against it.
TEST_P(UnverifiedRowsTest, UncoveredIndexes) {
  MakeTable(std::string("CREATE UNCOVERED INDEX T_V ON T (V)") + GetParam().options);
  const Row& row = IndexRow(20);
  Damage(row, WithName(row, "020", "020x"), {});
  Bytes key = WithName(row, "020", "020y");
  key.back() = '\x7f';
  key[key.size() - 2] = '\x7f';
  Damage(row, key, {});
  // Even with the mark.
  key[key.size() - 2] = '\x7e';
  MutationBatch batch;
  batch.StartRow(key);
  batch.Put(row.cells[0].family(), row.cells[0].qualifier(), ByteView("\x01", 1), kLatestTimestamp);
  ASSERT_TRUE(index_->Write(&batch).ok());
  if (GetParam().flushed) Flush("T_V");
  ExpectSame("V, N FROM T WHERE V > '018' AND V < '022' ORDER BY V");
  ExpectSame("V, K FROM T WHERE V > '018' AND V < '022' ORDER BY V");
  ExpectSame("V, K FROM T WHERE V > '019' ORDER BY V LIMIT 3");
  ExpectSame("V, K FROM T WHERE V > '019' ORDER BY V LIMIT 3 OFFSET 0");
  ExpectSame("V, N FROM T WHERE V = '020'");
  ExpectSame("V, N FROM T WHERE V = '020x'");
  ExpectSame("V, N FROM T WHERE V = '020y'");
  ExpectSame("COUNT(*) FROM T WHERE V LIKE '02%'");
}

INSTANTIATE_TEST_SUITE_P(Ways, UnverifiedRowsTest,
                         ::testing::Values(Param{"Memory", "", false}, Param{"File", "", true},
                                           Param{"SaltedMemory", " SALT_BUCKETS=3", false},
                                           Param{"SaltedFile", " SALT_BUCKETS=3", true}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace bennu
