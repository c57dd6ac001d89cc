// Bounds of statements: whatever its text, a statement gets an answer or a refusal that names the
// bound, and never costs the process its stack.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/sql/exec/query.h"
#include "src/sql/parse/parser.h"
#include "src/sql/session/session.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"
#include "tests/support/memory_store.h"

namespace bennu::sql::session {
namespace {

using ::testing::HasSubstr;

constexpr int kMany = 10'000;

std::string Repeat(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += text;
  return all;
}

// "first", then 'count' times "separator + next".
std::string Chain(std::string_view first, std::string_view rest, int count) {
  return std::string(first) + Repeat(rest, count);
}

class SqlLimitsTest : public ::testing::Test {
 protected:
  SqlLimitsTest()
      : sql_(SqlStore::Open(&store_, exec::PrepareQuery).value()),
        session_(Session::Open(sql_.get(), {}).value()) {
    EXPECT_TRUE(
        session_->Execute("CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR)").ok());
    EXPECT_TRUE(session_->Execute("UPSERT INTO T VALUES (1, 'a'), (2, 'b'), (3, 'c')").ok());
  }

  // The first column of the only row, or the error.
  std::string Ask(const std::string& sql) {
    auto result = session_->Execute(sql);
    if (!result.ok()) return result.status().ToString().substr(0, 400);
    DataChunk chunk;
    const Status status = result->rows->Next(&chunk);
    if (!status.ok()) return status.ToString().substr(0, 400);
    return chunk.size == 0 ? "none" : ToText(chunk.columns[0].GetValue(0));
  }
  // A refusal for its size or depth.
  void ExpectRefused(const std::string& sql, std::string_view bound) {
    const Status status = session_->Execute(sql).status();
    EXPECT_TRUE(IsSqlError(status, 601))
        << sql.substr(0, 60) << ": " << status.ToString().substr(0, 400);
    EXPECT_THAT(status.ToString(), HasSubstr(std::string(bound)));
  }

  testing::MemoryStore store_;
  std::unique_ptr<SqlStore> sql_;
  std::unique_ptr<Session> session_;
};

TEST_F(SqlLimitsTest, Parentheses) {
  EXPECT_EQ(Ask("SELECT COUNT(*) FROM T WHERE " + Repeat("(", 100) + "K = 2" + Repeat(")", 100)),
            "1");
  ExpectRefused("SELECT K FROM T WHERE " + Repeat("(", kMany) + "K = 2" + Repeat(")", kMany),
                "Nested more than");
  ExpectRefused("SELECT " + Repeat("(", 1'000'000) + "1", "Nested more than");
  ExpectRefused("SELECT " + Repeat("ABS(", kMany) + "1" + Repeat(")", kMany), "Nested more than");
  ExpectRefused("SELECT " + Repeat("CASE WHEN TRUE THEN ", kMany) + "1" + Repeat(" END", kMany),
                "Nested more than");
  ExpectRefused("SELECT " + Repeat("ARRAY[", kMany) + "1" + Repeat("]", kMany), "Nested more than");
  ExpectRefused("SELECT K FROM T WHERE " + Repeat("NOT (", kMany) + "K = 2" + Repeat(")", kMany),
                "Nested more than");
}

TEST_F(SqlLimitsTest, LongChains) {
  EXPECT_EQ(Ask("SELECT COUNT(*) FROM T WHERE " + Chain("K = 7", " OR K = 2", kMany)), "1");
  EXPECT_EQ(Ask("SELECT COUNT(*) FROM T WHERE " + Chain("V = 'z'", " OR V = 'b'", kMany)), "1");
  EXPECT_EQ(Ask("SELECT COUNT(*) FROM T WHERE " + Chain("K > 0", " AND V <> 'b'", kMany)), "2");
  EXPECT_EQ(Ask("SELECT COUNT(*) FROM T WHERE K IN (" + Chain("7", ", 2", kMany) + ")"), "1");
  EXPECT_EQ(Ask("SELECT LENGTH(" + Chain("V", " || V", kMany) + ") FROM T WHERE K = 1"),
            std::to_string(kMany + 1));
}

// A sum's tree is as high as it has operands.
TEST_F(SqlLimitsTest, Sums) {
  constexpr int kMost = parse::kExpressionHeightMax - 1;
  EXPECT_EQ(Ask("SELECT " + Chain("K", " + K", kMost) + " FROM T WHERE K = 2"),
            std::to_string(2 * (kMost + 1)));
  EXPECT_EQ(Ask("SELECT " + Chain("K", " - K", kMost) + " FROM T WHERE K = 1"),
            std::to_string(1 - kMost));
  EXPECT_EQ(Ask("SELECT " + Chain("K", " * K", kMost) + " FROM T WHERE K = 1"), "1");
  for (const char* const next : {" + K", " - K", " * K", " / K"}) {
    ExpectRefused("SELECT " + Chain("K", next, kMost + 1) + " FROM T", "in one another");
  }
  // Each level of parentheses adds its operands.
  ExpectRefused("SELECT " + Repeat("(", 300) + "K" + Repeat(" + K + K + K + K)", 300) + " FROM T",
                "in one another");
}

TEST_F(SqlLimitsTest, Subqueries) {
  const auto nested = [](int depth) {
    return "SELECT COUNT(*) FROM " + Repeat("(SELECT K FROM ", depth) + "T" + Repeat(")", depth);
  };
  EXPECT_EQ(Ask(nested(50)), "3");
  ExpectRefused(nested(kMany), "Nested more than");
  const auto conditions = [](int depth) {
    return "SELECT COUNT(*) FROM T" + Repeat(" WHERE K IN (SELECT K FROM T", depth) +
           Repeat(")", depth);
  };
  EXPECT_EQ(Ask(conditions(20)), "3");
  ExpectRefused(conditions(kMany), "Nested more than");
  ExpectRefused(Repeat("EXPLAIN ", kMany) + "SELECT 1", "Nested more than");
}

TEST_F(SqlLimitsTest, Tables) {
  std::string joins = "SELECT COUNT(*) FROM T A0";
  for (int i = 1; i <= 20; ++i) {
    joins += " JOIN T A" + std::to_string(i) + " ON A0.K = A" + std::to_string(i) + ".K";
  }
  EXPECT_EQ(Ask(joins), "3");
  ExpectRefused("SELECT COUNT(*) FROM " + Chain("T", " JOIN T ON TRUE", kMany),
                "More than 200 joins");
  std::string list = "SELECT COUNT(*) FROM T";
  for (int i = 0; i < kMany; ++i) list += ", T A" + std::to_string(i);
  ExpectRefused(list, "More than 200 tables");
  EXPECT_EQ(Ask("SELECT COUNT(*) FROM (" +
                Chain("SELECT K FROM T", " UNION ALL SELECT K FROM T", 200) + ")"),
            std::to_string(3 * 201));
}

TEST_F(SqlLimitsTest, Length) {
  ExpectRefused("SELECT '" + std::string(parse::kStatementBytesMax, 'x') + "'", "is longer than");
  ExpectRefused("SELECT " + Chain("1", ",1", static_cast<int>(parse::kTokensMax / 2)), "words");
}

}  // namespace
}  // namespace bennu::sql::session
