// What the recorded files do not show: statements run many times, changes of tables in between,
// merging of pending changes, clocks.
#include "src/sql/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/hex.h"
#include "src/sql/exec/query.h"
#include "src/sql/types/sql_errors.h"
#include "src/sql/types/text.h"
#include "tests/support/memory_store.h"

namespace bennu::sql::session {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SessionTest : public ::testing::Test {
 protected:
  SessionTest()
      : sql_(SqlStore::Open(&store_, exec::PrepareQuery).value()),
        session_(Session::Open(sql_.get(), {}).value()) {}

  int64_t Run(std::string_view sql, std::span<const Value> params = {}) {
    const auto result = session_->Execute(sql, params);
    EXPECT_TRUE(result.ok()) << sql << ": " << result.status().ToString();
    return result.ok() ? result->update_count : -2;
  }
  Status Fail(std::string_view sql, std::span<const Value> params = {}) {
    return session_->Execute(sql, params).status();
  }
  // "row:qualifier=value" in hex of the newest cells of T.
  std::vector<std::string> Cells(bool raw = false) {
    const auto table = *store_.OpenTable(TableName{"default", "T"});
    Scan scan;
    scan.raw = raw;
    scan.max_versions = raw ? 100 : 1;
    const auto scanner = table->OpenScanner(scan).value();
    std::vector<std::string> found;
    CellBatch batch;
    for (;;) {
      EXPECT_TRUE(scanner->Next(100, &batch).ok());
      if (batch.row_count() == 0) return found;
      for (const Cell& cell : batch.cells) {
        found.push_back(HexEncode(cell.row()) + ":" + HexEncode(cell.qualifier()) +
                        (IsDelete(cell.type()) ? "!" : "=" + HexEncode(cell.value_view())));
      }
    }
  }

  testing::MemoryStore store_;
  std::unique_ptr<SqlStore> sql_;
  std::unique_ptr<Session> session_;
};

// EXPLAIN ANALYZE gives the run as a tree besides Phoenix's lines; a change is above its query.
TEST_F(SessionTest, ExplainAnalyzeGivesATree) {
  Run("CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY, V INTEGER)");
  for (const char* row : {"1, 10", "2, 20", "3, 20"}) {
    Run("UPSERT INTO T VALUES (" + std::string(row) + ")");
  }
  const auto analyze = [&](const std::string& sql) {
    const auto result = session_->Execute("EXPLAIN ANALYZE " + sql);
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    std::vector<std::string> names;
    const std::vector<exec::PlanTreeNode>* below = &result->plan->roots;
    while (!below->empty()) {
      const exec::PlanTreeNode& node = below->front();
      names.push_back(node.name + "=" + (node.did ? std::to_string(node.did->rows) : "-"));
      below = &node.children;
    }
    return names;
  };
  EXPECT_THAT(analyze("SELECT V, COUNT(*) FROM T WHERE K > 1 AND V < 30 GROUP BY V"),
              ElementsAre("Aggregate=1", "Filter=2", "Range scan=2"));
  EXPECT_THAT(analyze("SELECT K FROM T WHERE K = 1"), ElementsAre("Point lookup on 1 key=1"));
  EXPECT_THAT(analyze("SELECT K FROM T ORDER BY V LIMIT 2"),
              ElementsAre("Limit=2", "Sort=2", "Full scan=3"));
  EXPECT_THAT(analyze("DELETE FROM T WHERE V = 20"),
              ElementsAre("Write=2", "Filter=2", "Full scan=3"));
  EXPECT_EQ(session_->Execute("EXPLAIN SELECT * FROM T")->plan, nullptr);
}

// An observer is told of each statement once, when its last row was read or its rows are given up;
// the time between two reads is not the statement's.
TEST_F(SessionTest, StatementsThatEndAreTold) {
  struct Observer : StatementObserver {
    void StatementEnded(const EndedStatement& statement) override {
      texts.push_back(*statement.text);
      nanos.push_back(statement.nanos);
      rows.push_back(statement.progress.rows_returned);
    }
    std::vector<std::string> texts;
    std::vector<uint64_t> nanos, rows;
  } observer;
  Run("CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY)");
  Run("UPSERT INTO T VALUES (1)");
  sql_->statements()->SetObserver(&observer);
  Run("UPSERT INTO T VALUES (2)");
  EXPECT_FALSE(Fail("SELECT * FROM NONE").ok());  // it never ran
  {
    auto result = session_->Execute("SELECT * FROM T");
    DataChunk chunk;
    ASSERT_TRUE(result->rows->Next(&chunk).ok());
    EXPECT_EQ(observer.texts.size(), 1u);
    Env::Default()->SleepMicros(20'000);
    ASSERT_TRUE(result->rows->Next(&chunk).ok());
  }
  { auto given_up = session_->Execute("SELECT K FROM T"); }
  sql_->statements()->SetObserver(nullptr);
  Run("UPSERT INTO T VALUES (3)");
  EXPECT_THAT(observer.texts,
              ElementsAre("UPSERT INTO T VALUES (2)", "SELECT * FROM T", "SELECT K FROM T"));
  EXPECT_THAT(observer.rows, ElementsAre(0, 2, 0));
  EXPECT_GT(observer.nanos[0], 0u);
  EXPECT_LT(observer.nanos[1], 20'000'000u);
}

// A whole DECIMAL for an integer that it is compared with needs no other plan. Where something is
// computed with it, or with a fraction, it is a constant of its own type, planned for.
TEST_F(SessionTest, DecimalsThatAreComparedKeepThePlan) {
  int planned = 0;
  const auto counting = [&](const parse::Select& select, const exec::PrepareContext& context) {
    ++planned;
    return exec::PrepareQuery(select, context);
  };
  const auto sql = SqlStore::Open(&store_, counting).value();
  const auto session = Session::Open(sql.get(), {}).value();
  Run("CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY, V SMALLINT)");
  for (const char* row : {"1, 10", "2, 20", "3, 30"}) {
    Run("UPSERT INTO T VALUES (" + std::string(row) + ")");
  }
  const auto decimal = [](const char* text) { return Value::Number(*Decimal::Parse(text)); };
  const auto count = [&](SessionStatement* statement, const std::vector<Value>& params) {
    auto result = statement->Execute(params);
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    DataChunk chunk;
    EXPECT_TRUE(result->rows->Next(&chunk).ok());
    return chunk.size;
  };
  const auto key = session->Prepare("SELECT V FROM T WHERE K = ?").value();
  const auto more =
      session->Prepare("SELECT V FROM T WHERE K > ? AND V IN (?, 30) AND ? < V").value();
  const auto sum = session->Prepare("SELECT V FROM T WHERE K + ? = 4").value();
  planned = 0;
  EXPECT_EQ(count(key.get(), {decimal("2")}), 1u);
  EXPECT_EQ(count(key.get(), {decimal("3.00")}), 1u);
  EXPECT_EQ(count(key.get(), {decimal("4")}), 0u);
  EXPECT_EQ(count(more.get(), {decimal("1"), decimal("20"), decimal("15")}), 2u);
  const int once = planned;  // the first run of each may plan
  EXPECT_EQ(count(key.get(), {decimal("1")}), 1u);
  EXPECT_EQ(count(more.get(), {decimal("0"), decimal("10"), decimal("9")}), 2u);
  EXPECT_EQ(planned, once);
  EXPECT_EQ(count(key.get(), {decimal("2.5")}), 0u);
  EXPECT_EQ(count(key.get(), {decimal("99999999999")}), 0u);
  EXPECT_EQ(count(sum.get(), {decimal("2")}), 1u);
  EXPECT_GT(planned, once);
}

// A parameter is refused before the run exactly where the run would be refused for its type: for
// each type of column beside values of all kinds, in places that are planned differently.
TEST_F(SessionTest, CheckParameterAgreesWithTheRun) {
  const std::vector<std::string> types = {"VARCHAR",        "CHAR(3)", "BIGINT",    "INTEGER",
                                          "SMALLINT",       "FLOAT",   "DOUBLE",    "DECIMAL(5,2)",
                                          "TIMESTAMP",      "TIME",    "DATE",      "UNSIGNED_DATE",
                                          "UNSIGNED_INT",   "BOOLEAN", "BINARY(2)", "INTEGER ARRAY",
                                          "UNSIGNED_DOUBLE"};
  std::string columns;
  for (size_t i = 0; i < types.size(); ++i) columns += ", V" + std::to_string(i) + " " + types[i];
  Run("CREATE TABLE T (K VARCHAR NOT NULL PRIMARY KEY" + columns + ")");
  Run("CREATE TABLE U (K INTEGER NOT NULL, D DATE NOT NULL CONSTRAINT PK PRIMARY KEY (K, D))");
  const std::vector<Value> values = {
      Value(),
      Value::Varchar(""),
      Value::Varchar("text"),
      Value::Varchar("2020-01-01"),
      Value::Varchar("5"),
      Value::Integer(5),
      Value::Bigint(int64_t{1} << 40),
      Value::Integer(-1),
      Value::Double(1.5),
      Value::Number(*Decimal::Parse("1.5")),
      Value::Number(*Decimal::Parse("-7")),
      Value::Int({TypeId::kDate}, 5),
      Value::Time({TypeId::kTimestamp}, {5, 7}),
      Value::Bool(true),
      Value::Varbinary("ab"),
      Value::Varbinary("longer"),
  };
  const auto check = [&](const std::string& sql) {
    for (const Value& value : values) {
      const auto statement = session_->Prepare(sql).value();
      const bool refused = IsSqlError(statement->CheckParameter(0, value), 203);
      const std::vector<Value> params(statement->parameter_count(), value);
      auto result = statement->Execute(params);
      Status run = result.status();
      DataChunk chunk;
      if (result.ok() && result->rows != nullptr) run = result->rows->Next(&chunk);
      // Texts are equal to no bytes, but have no order beside them. The check does not know which
      // comparison it is, and leaves these values to the run.
      if (IsBinary(value.type().id) && sql.ends_with("> ?") && !refused) continue;
      EXPECT_EQ(refused, IsSqlError(run, 203))
          << sql << " with " << TypeToString(value.type()) << " "
          << (value.is_null() ? "NULL" : ToText(value)) << ": " << run.ToString();
    }
  };
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string column = "V" + std::to_string(i);
    for (const char* condition : {" = ?", " > ?", " <> ?", " IN (?)"}) {
      check("SELECT K FROM T WHERE " + column + condition);
    }
    check("DELETE FROM T WHERE " + column + " = ?");
  }
  check("DELETE FROM U WHERE K = ? AND D = DATE '2020-01-01'");
  check("DELETE FROM U WHERE K = ?");
  check("SELECT D FROM U WHERE K = ?");
}

// Compiled once, run with other values; numbers of other types are taken when they fit.
TEST_F(SessionTest, PreparedUpsert) {
  Run("CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR(3))");
  const auto statement = session_->Prepare("UPSERT INTO T VALUES (?, ?)").value();
  EXPECT_EQ(statement->parameter_count(), 2u);
  EXPECT_EQ(statement->parameter_types()[1], (DataType{TypeId::kVarchar, 3}));
  for (int i = 0; i < 3; ++i) {
    const Value params[] = {Value::Bigint(i), Value::Varchar(std::string(1, 'a' + i))};
    const auto result = statement->Execute(params);
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    EXPECT_EQ(result->update_count, 1);
  }
  EXPECT_THAT(Cells(),
              ElementsAre("80000000:00000000=78", "80000000:800b=61", "80000001:00000000=78",
                          "80000001:800b=62", "80000002:00000000=78", "80000002:800b=63"));
  const Value too_long[] = {Value::Integer(9), Value::Varchar("long")};
  EXPECT_TRUE(IsSqlError(statement->Execute(too_long).status(), 206));
  const Value too_big[] = {Value::Bigint(int64_t{1} << 40), Value::Varchar("x")};
  EXPECT_TRUE(IsSqlError(statement->Execute(too_big).status(), 203));
  const Value missing[] = {Value::Integer(9)};
  EXPECT_TRUE(IsSqlError(statement->Execute(missing).status(), 2004));
  EXPECT_EQ(Cells().size(), 6u);
}

// A statement that was prepared before its table changed runs on the table as it is now.
TEST_F(SessionTest, PreparedBeforeAlter) {
  Run("CREATE TABLE T (K VARCHAR PRIMARY KEY, A VARCHAR)");
  const auto statement = session_->Prepare("UPSERT INTO T (K, A) VALUES (?, 'a')").value();
  const Value params[] = {Value::Varchar("k")};
  Run("ALTER TABLE T DROP COLUMN A");
  EXPECT_TRUE(IsSqlError(statement->Execute(params).status(), 504));
  Run("ALTER TABLE T ADD A VARCHAR");
  ASSERT_TRUE(statement->Execute(params).ok());
  EXPECT_THAT(Cells(), ElementsAre("6b:00000000=78", "6b:800c=61"));
  Run("DROP TABLE T");
  EXPECT_TRUE(IsSqlError(statement->Execute(params).status(), 1012));
}

// The tree of a prepared statement is all that it needs to be planned again: for a table that was
// changed, and for values that its places cannot take.
TEST_F(SessionTest, PreparedChangesArePlannedAgain) {
  Run("CREATE TABLE T (K INTEGER PRIMARY KEY, N INTEGER, C VARCHAR(2))");
  const auto count = session_->Prepare(
      "UPSERT INTO T (K, N) VALUES (?, 1 + 0) ON DUPLICATE KEY UPDATE N = N + 1, C = 'u'");
  const auto copy = session_->Prepare("UPSERT INTO T SELECT K + 10, N, C FROM T WHERE C = ?");
  const auto by_key = session_->Prepare("DELETE FROM T WHERE K = ?");
  const auto by_value =
      session_->Prepare("DELETE FROM T WHERE C IN (?, 'none') ORDER BY N LIMIT 1");
  const auto explain = session_->Prepare("EXPLAIN DELETE FROM T WHERE C = ?");
  const auto run = [](const auto& statement, const Value& value) {
    const auto result = (*statement)->Execute(std::span(&value, 1));
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    return result.ok() ? result->update_count : -2;
  };
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 4; ++k) EXPECT_EQ(run(count, Value::Integer(1)), 1);
    EXPECT_EQ(run(copy, Value::Varchar("longer than C")), 0);
    EXPECT_EQ(run(copy, Value::Varchar("u")), 1);
    EXPECT_EQ(run(by_value, Value::Varchar("longer than C")), 0);
    EXPECT_EQ(run(by_value, Value::Varchar("u")), 1);
    EXPECT_EQ(run(by_value, Value::Varchar("u")), 1);
    EXPECT_EQ(run(by_value, Value::Varchar("u")), 0);
    EXPECT_EQ(run(by_key, Value::Number(*Decimal::Parse("1.5"))), 0);
    EXPECT_EQ(run(by_key, Value::Integer(1)), 1);
    EXPECT_EQ(run(explain, Value::Varchar("u")), -1);
    EXPECT_THAT(Cells(), IsEmpty());
    Run("ALTER TABLE T ADD A" + std::to_string(i) + " VARCHAR");
  }
}

// A row that goes and comes back within a millisecond is there; a hundred times over, so that many
// of them share one.
TEST_F(SessionTest, DeleteAndUpsertInOneMillisecond) {
  Run("CREATE TABLE T (K INTEGER PRIMARY KEY, V INTEGER)");
  for (int i = 0; i < 100; ++i) {
    Run("UPSERT INTO T VALUES (1, 1)");
    Run("DELETE FROM T WHERE K = 1");
    ASSERT_THAT(Cells(), IsEmpty());
    Run("UPSERT INTO T VALUES (1, NULL)");
    Run("UPSERT INTO T VALUES (1, 2)");
    ASSERT_THAT(Cells(), ElementsAre("80000001:00000000=78", "80000001:800b=80000002"));
  }
}

// Pending changes of one row join as Phoenix joins them.
TEST_F(SessionTest, PendingChangesOfOneRow) {
  Run("CREATE TABLE T (K VARCHAR PRIMARY KEY, A VARCHAR, B VARCHAR)");
  ASSERT_TRUE(session_->SetAutocommit(false).ok());
  Run("UPSERT INTO T VALUES ('1', 'a', 'b')");
  Run("UPSERT INTO T (K, A) VALUES ('1', NULL)");
  Run("UPSERT INTO T (K, A) VALUES ('1', 'c')");
  Run("DELETE FROM T WHERE K = '2'");
  Run("UPSERT INTO T (K, B) VALUES ('2', 'z')");
  Run("UPSERT INTO T VALUES ('3', 'x', 'y')");
  Run("DELETE FROM T WHERE K = '3'");
  EXPECT_THAT(Cells(), IsEmpty());
  ASSERT_TRUE(session_->Commit().ok());
  EXPECT_THAT(Cells(true), ElementsAre("31:00000000=78", "31:800b=63", "31:800c=62",
                                       "32:00000000=78", "32:800c=7a", "33:!"));
}

// Nothing of a statement that fails stays, with autocommit or without.
TEST_F(SessionTest, FailedStatements) {
  Run("CREATE TABLE T (K VARCHAR PRIMARY KEY, A INTEGER)");
  EXPECT_TRUE(IsSqlError(Fail("UPSERT INTO T VALUES ('a', 1), ('', 2)"), 218));
  EXPECT_THAT(Cells(), IsEmpty());
  ASSERT_TRUE(session_->SetAutocommit(false).ok());
  Run("UPSERT INTO T VALUES ('keep', 1)");
  EXPECT_TRUE(IsSqlError(Fail("UPSERT INTO T VALUES ('b', 1), ('', 2)"), 218));
  ASSERT_TRUE(session_->Commit().ok());
  EXPECT_EQ(Cells().size(), 2u);
  Run("UPSERT INTO T VALUES ('gone', 1)");
  ASSERT_TRUE(session_->Rollback().ok());
  ASSERT_TRUE(session_->Commit().ok());
  EXPECT_EQ(Cells().size(), 2u);
}

// Errors know their place in the text.
TEST_F(SessionTest, PlacesOfErrors) {
  Run("CREATE TABLE T (K VARCHAR PRIMARY KEY, A INTEGER)");
  const auto position = [&](std::string_view sql) {
    const Status status = Fail(sql);
    return status.sql_error() == nullptr ? -2 : status.sql_error()->position;
  };
  EXPECT_EQ(position("UPSERT INTO NOPE VALUES (1)"), 12);
  EXPECT_EQ(position("UPSERT INTO T (K, NOPE) VALUES ('a', 1)"), 18);
  EXPECT_EQ(position("UPSERT INTO T VALUES ('a', A)"), 27);
  EXPECT_EQ(position("DELETE FROM NOPE"), 12);
  EXPECT_EQ(position("CREATE VIEW W AS SELECT * FROM T WHERE A = 1 AND NOPE = 1"), 49);
  // Values that are not of their column: too long, of another type, too large, no JSON.
  Run("CREATE TABLE V (K INTEGER PRIMARY KEY, C CHAR(3), N TINYINT, D DATE, J JSON)");
  EXPECT_EQ(position("UPSERT INTO V (K, C) VALUES (1, 'abcd')"), 32);
  EXPECT_EQ(position("UPSERT INTO V (K, C) VALUES (1, 'ab' || 'cd')"), 32);
  EXPECT_EQ(position("UPSERT INTO V (K, N) VALUES (1, 'x')"), 32);
  EXPECT_EQ(position("UPSERT INTO V (K, N) VALUES (1, 1), (2, 1000)"), 40);
  EXPECT_EQ(position("UPSERT INTO V (K, D) VALUES (1, 'someday')"), 32);
  const std::string_view twice = "UPSERT INTO V (K, N) VALUES (1, 1) ON DUPLICATE KEY UPDATE ";
  Run("UPSERT INTO V (K, N) VALUES (1, 1)");
  EXPECT_EQ(position(std::string(twice) + "C = 'abcd'"), twice.size() + 4);
  EXPECT_EQ(position(std::string(twice) + "C = 'c', D = N"), twice.size() + 13);
  EXPECT_EQ(position("UPSERT INTO V (K, J) VALUES (1, '{\"a\": }')"), 32);
}

// UPSERT SELECT over its own table reads what was there before it.
TEST_F(SessionTest, UpsertSelectFromItself) {
  Run("CREATE TABLE T (K INTEGER PRIMARY KEY)");
  for (int i = 0; i < 10; ++i) Run("UPSERT INTO T VALUES (" + std::to_string(i) + ")");
  EXPECT_EQ(Run("UPSERT INTO T SELECT K + 10 FROM T"), 10);
  EXPECT_EQ(Run("DELETE FROM T WHERE K >= 15"), 5);
  EXPECT_EQ(Cells().size(), 15u);
}

// More than a batch: written in parts under autocommit, all of it counted.
TEST_F(SessionTest, LargeUpsertSelectAndDelete) {
  Run("CREATE TABLE T (K BIGINT PRIMARY KEY)");
  session_->SetAutocommit(false).ok();
  const auto statement = session_->Prepare("UPSERT INTO T VALUES (?)").value();
  for (int64_t i = 0; i < 2500; ++i) {
    const Value params[] = {Value::Bigint(i)};
    ASSERT_TRUE(statement->Execute(params).ok());
  }
  ASSERT_TRUE(session_->SetAutocommit(true).ok());
  const uint64_t writes = store_.write_count();
  EXPECT_EQ(Run("UPSERT INTO T SELECT K + 100000 FROM T"), 2500);
  EXPECT_EQ(store_.write_count() - writes, 3u);
  EXPECT_EQ(Run("DELETE FROM T WHERE K >= 100000"), 2500);
  EXPECT_EQ(Run("DELETE FROM T"), 2500);
  EXPECT_THAT(Cells(), IsEmpty());
}

// Whole keys are deleted without a look, everything else only when it is found.
TEST_F(SessionTest, DeleteByKey) {
  Run("CREATE TABLE T (A VARCHAR NOT NULL, B DECIMAL(4,1) NOT NULL, V VARCHAR, "
      "CONSTRAINT PK PRIMARY KEY (A, B))");
  EXPECT_EQ(Run("DELETE FROM T WHERE A = 'x' AND B IN (1, 2, 1)"), 2);
  EXPECT_EQ(Run("DELETE FROM T WHERE (A, B) = ('x', 1.5)"), 1);
  EXPECT_EQ(Run("DELETE FROM T WHERE A = 'x' AND B = 1.55"), 0);
  EXPECT_EQ(Run("DELETE FROM T WHERE A = 'x' AND B = 1 AND V = 'v'"), 0);
  const Value params[] = {Value::Varchar("y"), Value::Integer(3)};
  EXPECT_EQ(Run("DELETE FROM T WHERE A = ? AND ? = B", params), 1);
}

// What a read-only connection refuses, and what it does not.
TEST_F(SessionTest, ReadOnly) {
  Run("CREATE TABLE T (K VARCHAR PRIMARY KEY)");
  SessionOptions options;
  options.read_only = true;
  session_ = Session::Open(sql_.get(), options).value();
  EXPECT_TRUE(IsSqlError(Fail("UPSERT INTO T VALUES ('a')"), 518));
  EXPECT_TRUE(IsSqlError(Fail("DELETE FROM T"), 518));
  EXPECT_TRUE(IsSqlError(Fail("CREATE TABLE U (K VARCHAR PRIMARY KEY)"), 518));
  EXPECT_TRUE(IsSqlError(Fail("DROP TABLE T"), 518));
  Run("SELECT * FROM T");
  Run("EXPLAIN SELECT * FROM T");
}

// Writing to a table whose indexes would not follow is refused.
TEST_F(SessionTest, TablesWithIndexes) {
  Run("CREATE TABLE T (K VARCHAR PRIMARY KEY, V VARCHAR)");
  const auto catalog = *store_.OpenTable(TableName{"default", "SYSTEM.CATALOG"});
  MutationBatch batch;
  batch.StartRow(std::string("\0\0T\0\0I", 6));
  batch.Put("0", "LINK_TYPE", "\x01");
  ASSERT_TRUE(catalog->Write(&batch).ok());
  sql_->catalog()->Invalidate();
  EXPECT_EQ(Fail("UPSERT INTO T VALUES ('a', 'b')").code(), StatusCode::kSql);
  EXPECT_EQ(Fail("DELETE FROM T").code(), StatusCode::kSql);
}

// SHOW CREATE TABLE gives a statement that makes the same table again.
TEST_F(SessionTest, ShowCreateTable) {
  Run("CREATE TABLE T (\"a b\" VARCHAR(5) NOT NULL, N INTEGER NOT NULL, V DECIMAL(4,1), "
      "U INTEGER, F.W CHAR(3) DEFAULT 'abc', CONSTRAINT PK PRIMARY KEY (\"a b\" DESC, N)) "
      "SALT_BUCKETS=2, "
      "TTL=100, F.VERSIONS=3");
  Run("ALTER TABLE T DROP COLUMN V");
  const auto show = [&] {
    auto result = session_->Execute("SHOW CREATE TABLE T").value();
    DataChunk chunk;
    EXPECT_TRUE(result.rows->Next(&chunk).ok());
    return chunk.columns[0].GetValue(0).bytes();
  };
  const std::string first = show();
  Run("DROP TABLE T");
  Run(first);
  EXPECT_EQ(show(), first);
  // A server of HBase 2.5 gives each family an attribute more, which nobody asked for.
  TableDescriptor descriptor = store_.OpenTable(TableName{"default", "T"}).value()->descriptor();
  for (ColumnFamilyDescriptor& family : descriptor.families) {
    family.attributes["INDEX_BLOCK_ENCODING"] = "NONE";
  }
  ASSERT_TRUE(store_.admin()->AlterTable(descriptor).ok());
  EXPECT_EQ(show(), first);
}

// Without security Phoenix refuses them too, after it has looked for what they name.
TEST_F(SessionTest, PermissionsAreRefused) {
  Run("CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY)");
  EXPECT_TRUE(IsSqlError(Fail("GRANT 'RW' ON NOPE TO 'joe'"), 1012));
  EXPECT_TRUE(IsSqlError(Fail("GRANT 'RX' ON SCHEMA S TO 'joe'"), 722));
  EXPECT_TRUE(IsSqlError(Fail("GRANT 'RW' ON T TO 'joe'"), 101));
  EXPECT_TRUE(IsSqlError(Fail("REVOKE 'R' FROM 'joe'"), 101));
}

// As Phoenix answers, whose TRACE OFF tells the id once more.
TEST_F(SessionTest, TraceGivesAnId) {
  const auto trace = [&](std::string_view sql) {
    auto result = session_->Execute(sql).value();
    EXPECT_EQ(result.columns->size(), 1u);
    EXPECT_EQ((*result.columns)[0].label, "trace_id");
    EXPECT_EQ((*result.columns)[0].type.id, TypeId::kBigint);
    EXPECT_FALSE((*result.columns)[0].nullable);
    DataChunk chunk;
    EXPECT_TRUE(result.rows->Next(&chunk).ok());
    EXPECT_LE(chunk.size, 1u);
    return chunk.size == 0 ? std::nullopt
                           : std::optional<int64_t>(chunk.columns[0].GetValue(0).int64());
  };
  EXPECT_EQ(trace("TRACE OFF"), std::nullopt);
  const auto id = trace("TRACE ON");
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(trace("TRACE ON"), id);
  EXPECT_EQ(trace("TRACE OFF"), id);
  EXPECT_EQ(trace("TRACE OFF"), std::nullopt);
  const auto another = trace("TRACE ON WITH SAMPLING 1.0");
  EXPECT_TRUE(another.has_value());
  EXPECT_NE(another, id);
  EXPECT_EQ(trace("TRACE ON WITH SAMPLING 0.0"), another);
  EXPECT_EQ(trace("TRACE OFF"), another);
  EXPECT_EQ(trace("TRACE ON WITH SAMPLING 0.0"), std::nullopt);
  for (const char* rate : {"0", "2", "'a'", "NULL", "-1"}) {
    EXPECT_TRUE(IsSqlError(Fail(std::string("TRACE ON WITH SAMPLING ") + rate), 601)) << rate;
  }
}

TEST_F(SessionTest, Jars) {
  EXPECT_EQ(Run("DELETE JAR '/x.jar'"), 0);
  EXPECT_THAT(Fail("DELETE JAR 'x'").ToString(),
              ::testing::HasSubstr("x is not a valid jar file path."));
  EXPECT_THAT(Fail("ADD JARS '/y.jar', '/etc/hostname'").ToString(),
              ::testing::HasSubstr("/etc/hostname is not a valid jar file path."));
  EXPECT_THAT(Fail("ADD JARS '/y.jar'").ToString(), ::testing::HasSubstr("jars are not supported"));
}

}  // namespace
}  // namespace bennu::sql::session
