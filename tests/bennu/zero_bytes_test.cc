// Text with a zero byte, which ends a column of varying width in a key: where the value would be
// read back as another one it is refused, in the key of a table and in that of an index, and no
// condition on it finds the row whose bytes it has.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "bennu/mutation.h"
#include "bennu/table.h"
#include "tests/bennu/sql_fixture.h"

namespace bennu {
namespace {

using namespace std::string_literals;

class ZeroBytesTest : public SqlFixture<::testing::Test> {
 protected:
  void SetUp() override { OpenStore(2); }

  std::string Error(const std::string& sql) {
    const auto result = connection_->Execute(sql);
    return result.ok() ? "" : result.status().ToString();
  }
  void ExpectRefused(const std::string& sql, const std::string& column) {
    const std::string error = Error(sql);
    EXPECT_NE(error.find("ERROR 201 (22000)"), std::string::npos) << sql << ": " << error;
    EXPECT_NE(error.find(column + " holds a zero byte"), std::string::npos) << error;
    EXPECT_NE(error.find("VARBINARY_ENCODED"), std::string::npos) << error;
  }
  // The first column of the rows.
  std::string Prepared(const std::string& sql, const std::vector<std::string>& values) {
    auto statement = connection_->Prepare(sql).value();
    for (size_t i = 0; i < values.size(); ++i) EXPECT_TRUE(statement->Bind(i, values[i]).ok());
    auto result = statement->Execute();
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    std::string lines;
    while (result.ok() && (*result)->Next().value()) lines += (*result)->GetText(0) + "\n";
    return lines;
  }
};

const std::string kZ(1, '\0');

TEST_F(ZeroBytesTest, WouldEndAColumnWithOthersBehindIt) {
  for (const std::string order : {"", " DESC"}) {
    Run("CREATE TABLE T (A VARCHAR NOT NULL, B VARCHAR, V INTEGER CONSTRAINT PK PRIMARY KEY (A" +
        order + ", B" + order + "))");
    Run("UPSERT INTO T VALUES ('x', 'y" + kZ + "z', 1)");
    ExpectRefused("UPSERT INTO T VALUES ('x" + kZ + "y', 'z', 2)", "T.A");
    // Without the columns behind it, too: their NULLs are read from the rest.
    ExpectRefused("UPSERT INTO T (A, V) VALUES ('x" + kZ + "y', 2)", "T.A");
    Run("CREATE TABLE S (K INTEGER PRIMARY KEY, W VARCHAR)");
    Run("UPSERT INTO S VALUES (1, 'x" + kZ + "y')");
    ExpectRefused("UPSERT INTO T SELECT W, 'z', 3 FROM S", "T.A");
    auto bound = connection_->Prepare("UPSERT INTO T VALUES (?, 'z', 4)").value();
    ASSERT_TRUE(bound->Bind(0, Datum("x" + kZ + "y")).ok());
    EXPECT_FALSE(bound->Execute().ok());
    EXPECT_EQ(Run("SELECT A, LENGTH(B), SUBSTR(B, 3), V FROM T"), "x|3|z|1|\n");
    Run("DROP TABLE T");
    Run("DROP TABLE S");
  }
}

TEST_F(ZeroBytesTest, MayStandInTheLastColumn) {
  for (const std::string order : {"", " DESC"}) {
    Run("CREATE TABLE T (A VARCHAR NOT NULL PRIMARY KEY" + order + ", V INTEGER)");
    const std::vector<std::string> texts = {"a" + kZ + "b", "a" + kZ, kZ, kZ + kZ, kZ + "b", "a"};
    for (size_t i = 0; i < texts.size(); ++i) {
      Run("UPSERT INTO T VALUES ('" + texts[i] + "', " + std::to_string(i) + ")");
    }
    Flush("T");
    EXPECT_EQ(RunFirst("SELECT COUNT(*) FROM T"), "6\n");
    for (size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(Prepared("SELECT V FROM T WHERE A = ?", {texts[i]}), std::to_string(i) + "\n");
      EXPECT_EQ(Run("SELECT V, LENGTH(A) FROM T WHERE A = '" + texts[i] + "'"),
                std::to_string(i) + "|" + std::to_string(texts[i].size()) + "|\n");
      EXPECT_EQ(RunFirst("SELECT V FROM T WHERE A || 'c' = '" + texts[i] + "c'"),
                std::to_string(i) + "\n");
    }
    Run("DELETE FROM T WHERE A = '" + texts[0] + "'");
    EXPECT_EQ(RunFirst("SELECT V FROM T WHERE V IN (0, 1, 5) ORDER BY V"), "1\n5\n");
    Run("DROP TABLE T");
  }
}

TEST_F(ZeroBytesTest, ConditionsOnThemAreThoseOfText) {
  for (const std::string order : {"", " DESC"}) {
    Run("CREATE TABLE T (A VARCHAR NOT NULL, B VARCHAR NOT NULL, V INTEGER CONSTRAINT PK PRIMARY "
        "KEY (A" +
        order + ", B" + order + "))");
    Run("UPSERT INTO T VALUES ('x', 'y" + kZ + "z', 1)");
    Run("UPSERT INTO T VALUES ('x', 'a', 2)");
    Run("UPSERT INTO T VALUES ('x', 'z', 3)");
    Run("UPSERT INTO T VALUES ('xa', 'a', 4)");
    Run("UPSERT INTO T VALUES ('w', 'z', 5)");
    const std::string xy = "'x" + kZ + "y'";
    // What follows from the order of text, in which 'x' comes before 'x\0y' and that before 'xa'.
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"A = " + xy, ""},
        {"A = " + xy + " AND B = 'z'", ""},
        {"A = " + xy + " AND B > 'a'", ""},
        {"A IN (" + xy + ", 'w')", "5\n"},
        {"A IN (" + xy + ", 'x" + kZ + "')", ""},
        {"A > " + xy, "4\n"},
        {"A >= " + xy, "4\n"},
        {"A < " + xy, "1\n2\n3\n5\n"},
        {"A <= " + xy, "1\n2\n3\n5\n"},
        {"A <> " + xy, "1\n2\n3\n4\n5\n"},
        {"A BETWEEN " + xy + " AND 'z'", "4\n"},
        {"A LIKE 'x" + kZ + "%'", ""},
        {"SUBSTR(A, 1, 2) = 'x" + kZ + "'", ""},
        {"(A, B) IN ((" + xy + ", 'z'), ('w', 'z'))", "5\n"},
        {"(A, B) > (" + xy + ", 'a')", "4\n"},
        {"(A, B) <= (" + xy + ", 'a')", "1\n2\n3\n5\n"},
    };
    for (const auto& [where, rows] : cases) {
      EXPECT_EQ(RunFirst("SELECT V FROM T WHERE " + where + " ORDER BY V"), rows) << order << where;
    }
    const std::string value = "x" + kZ + "y";
    EXPECT_EQ(Prepared("SELECT V FROM T WHERE A = ? AND B = ?", {value, "z"}), "");
    EXPECT_EQ(Prepared("SELECT V FROM T WHERE A = ? AND B >= ?", {value, "a"}), "");
    EXPECT_EQ(Prepared("SELECT V FROM T WHERE A >= ? AND A <= ?", {value, "xb"}), "4\n");
    Run("DELETE FROM T WHERE A = " + xy + " AND B = 'z'");
    Run("DELETE FROM T WHERE A IN (" + xy + ", 'w') AND B = 'z'");
    EXPECT_EQ(RunFirst("SELECT V FROM T ORDER BY V"), "1\n2\n3\n4\n");
    Run("DROP TABLE T");
  }
}

TEST_F(ZeroBytesTest, AreRefusedByAnIndex) {
  Run("CREATE TABLE T (K VARCHAR NOT NULL PRIMARY KEY, A VARCHAR) COLUMN_ENCODED_BYTES = 0");
  Run("CREATE INDEX I ON T (A)");
  const std::string bad = "a" + kZ + "b";
  ExpectRefused("UPSERT INTO T VALUES ('L', '" + bad + "')", "A");
  EXPECT_NE(Error("UPSERT INTO T VALUES ('L', '" + bad + "')").find("index I"), std::string::npos);
  const auto table = database_->store()->OpenTable({"default", "T"}).value();
  MutationBatch batch;
  batch.StartRow("L");
  batch.Put("0", "A", bad, kLatestTimestamp);
  const Status refused = table->Write(&batch);
  EXPECT_NE(refused.ToString().find("holds a zero byte"), std::string::npos) << refused.ToString();
  EXPECT_EQ(Run("SELECT * FROM T"), "");
  // The key of the table ends that of the index, where nothing ends it.
  Run("UPSERT INTO T VALUES ('" + bad + "', 'a')");
  EXPECT_EQ(RunFirst("SELECT LENGTH(K) FROM T WHERE A = 'a'"), "3\n");
  EXPECT_EQ(Run("CHECK INDEX I ON T"), "");
}

// Such a row came into the table before there was an index of the column.
TEST_F(ZeroBytesTest, OfRowsThatAreThereFailABuild) {
  Run("CREATE TABLE T (K VARCHAR NOT NULL PRIMARY KEY, A VARCHAR)");
  Run("UPSERT INTO T VALUES ('L', 'a" + kZ + "b')");
  ExpectRefused("CREATE INDEX I ON T (A)", "A");
  Run("DELETE FROM T WHERE K = 'L'");
  EXPECT_EQ(Run("SELECT * FROM T"), "");
}

}  // namespace
}  // namespace bennu
