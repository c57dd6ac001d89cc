// What a SqlConnection is to do, whether the store is in this process or behind a server. What must
// hold is what bennu/database.h and bennu/result_chunk.h say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bennu/database.h"
#include "bennu/sql_client.h"
#include "src/server/server.h"

namespace bennu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = ColumnChunk::Kind;

// A store in memory, and connections to it.
class Place {
 public:
  virtual ~Place() = default;
  virtual Result<std::unique_ptr<SqlConnection>> Connect(const ConnectOptions& options) = 0;
};

class InProcess final : public Place {
 public:
  Result<std::unique_ptr<SqlConnection>> Connect(const ConnectOptions& options) override {
    return database_->Connect(options);
  }

 private:
  const std::unique_ptr<Database> database_ = Database::Open(":memory:").value();
};

class BehindServer final : public Place {
 public:
  BehindServer() {
    server::ServerOptions options;
    options.directory = ":memory:";
    for (auto* const other : {&options.zookeeper_port, &options.master_port,
                              &options.region_server_port, &options.http_port}) {
      other->reset();
    }
    options.phoenix_port = 0;
    server_ = server::Server::Start(options).value();
    const std::string places = server_->Endpoints();
    url_ = "http://" + places.substr(places.rfind('=') + 1);
  }
  Result<std::unique_ptr<SqlConnection>> Connect(const ConnectOptions& connection) override {
    SqlClientOptions options;
    options.connection = connection;
    return SqlClient::Connect(url_, options);
  }

 private:
  std::unique_ptr<server::Server> server_;
  std::string url_;
};

using MakePlace = std::function<std::unique_ptr<Place>()>;

class SqlContractTest : public ::testing::TestWithParam<MakePlace> {
 protected:
  SqlContractTest() {
    Run("CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY, B BOOLEAN, S SMALLINT, D DOUBLE, DT DATE, "
        "TI TIME, TS TIMESTAMP, V VARCHAR, C CHAR(4), VB VARBINARY, N DECIMAL(10,2), A VARCHAR "
        "ARRAY, "
        "J JSON)");
    Run("UPSERT INTO T VALUES (1, TRUE, -7, 2.5, TO_DATE('1969-12-31 23:59:59.999'), "
        "TO_TIME('1970-01-01 00:00:01'), NULL, 'text', 'ab', "
        "X'00ff', 12.50, ARRAY['x', NULL], '{\"a\": 1}')");
    auto moment = sql_->Prepare("UPSERT INTO T (K, TS) VALUES (1, ?)").value();
    EXPECT_TRUE(moment->Bind(0, Datum::Moment{2003, 4000}).ok());
    EXPECT_TRUE(moment->Execute().ok());
    Run("UPSERT INTO T (K) VALUES (2)");
  }

  int64_t Run(const std::string& statement) {
    const auto result = sql_->Execute(statement);
    EXPECT_TRUE(result.ok()) << statement << ": " << result.status().ToString();
    return result.ok() ? (*result)->update_count() : -2;
  }
  std::unique_ptr<ResultSet> Ask(const std::string& query) {
    auto result = sql_->Execute(query);
    EXPECT_TRUE(result.ok()) << query << ": " << result.status().ToString();
    return std::move(result).value();
  }
  const std::unique_ptr<Place> place_ = GetParam()();
  std::unique_ptr<SqlConnection> sql_ = place_->Connect({}).value();
};

TEST_P(SqlContractTest, AChunkHasTheValuesOfEachKind) {
  const auto rows = Ask("SELECT K, B, S, D, DT, TI, TS, V, C, VB, N, A, J FROM T ORDER BY K");
  const ResultChunk* const chunk = rows->NextChunk().value();
  ASSERT_NE(chunk, nullptr);
  ASSERT_EQ(chunk->row_count, 2u);
  const std::vector<ColumnChunk>& columns = chunk->columns;
  ASSERT_EQ(columns.size(), 13u);
  const std::vector<Kind> kinds = {Kind::kInt64,  Kind::kBool,   Kind::kInt64,  Kind::kDouble,
                                   Kind::kMillis, Kind::kMillis, Kind::kMoment, Kind::kText,
                                   Kind::kText,   Kind::kBytes,  Kind::kDatum,  Kind::kDatum,
                                   Kind::kDatum};
  for (size_t i = 0; i < columns.size(); ++i) {
    EXPECT_EQ(columns[i].kind(), kinds[i]) << i;
    EXPECT_FALSE(columns[i].IsNull(0)) << i;
    EXPECT_EQ(columns[i].IsNull(1), i > 0) << i;
    EXPECT_THAT(columns[i].validity(), ElementsAre(1, i == 0 ? 1 : 0));
  }
  EXPECT_THAT(columns[0].int64s(), ElementsAre(1, 2));
  EXPECT_EQ(columns[1].bools()[0], 1);
  EXPECT_EQ(columns[2].int64s()[0], -7);
  EXPECT_EQ(columns[3].doubles()[0], 2.5);
  EXPECT_EQ(columns[4].int64s()[0], -1);
  EXPECT_EQ(columns[5].int64s()[0], 1000);
  EXPECT_EQ(columns[6].moments()[0], (Datum::Moment{2003, 4000}));
  EXPECT_EQ(columns[7].views()[0], "text");
  EXPECT_EQ(columns[8].views()[0], "ab");
  EXPECT_EQ(columns[9].views()[0], std::string_view("\0\xff", 2));
  EXPECT_EQ(std::get<Datum::Number>(columns[10].datums()[0].variant()).digits, "12.5");
  EXPECT_EQ(std::get<Datum::Array>(columns[11].datums()[0].variant()).elements.size(), 2u);
  EXPECT_EQ(std::get<std::string>(columns[12].datums()[0].variant()), "{\"a\": 1}");
  EXPECT_TRUE(columns[0].doubles().empty());  // of another kind
  EXPECT_EQ(rows->NextChunk().value(), nullptr);
  EXPECT_EQ(rows->NextChunk().value(), nullptr);
  EXPECT_FALSE(rows->Next().value());
}

TEST_P(SqlContractTest, ConstantsAreRowsOfAChunk) {
  const auto rows = Ask("SELECT 'x', 7, NULL, K FROM T ORDER BY K");
  const ResultChunk* const chunk = rows->NextChunk().value();
  ASSERT_EQ(chunk->row_count, 2u);
  EXPECT_THAT(chunk->columns[0].views(), ElementsAre("x", "x"));
  EXPECT_THAT(chunk->columns[1].int64s(), ElementsAre(7, 7));
  EXPECT_TRUE(chunk->columns[2].IsNull(0) && chunk->columns[2].IsNull(1));
}

TEST_P(SqlContractTest, RowsAndChunksGoOnWhereTheOtherHasStopped) {
  constexpr int kRows = 10'000;
  ASSERT_TRUE(sql_->SetAutocommit(false).ok());
  auto upsert = sql_->Prepare("UPSERT INTO T (K, V) VALUES (?, ?)").value();
  for (int k = 0; k < kRows; ++k) {
    ASSERT_TRUE(upsert->Bind(0, k).ok());
    ASSERT_TRUE(upsert->Bind(1, "v" + std::to_string(k)).ok());
    ASSERT_TRUE(upsert->Execute().ok());
  }
  ASSERT_TRUE(sql_->Commit().ok());
  const auto rows = Ask("SELECT K, V FROM T ORDER BY K");
  int64_t next = 0;
  for (int turn = 0; next < kRows; ++turn) {
    if (turn % 3 == 0) {
      const ResultChunk* const chunk = rows->NextChunk().value();
      ASSERT_NE(chunk, nullptr);
      EXPECT_FALSE(rows->HasRow());
      for (size_t row = 0; row < chunk->row_count; ++row, ++next) {
        ASSERT_EQ(chunk->columns[0].int64s()[row], next);
        ASSERT_EQ(chunk->columns[1].views()[row], "v" + std::to_string(next));
      }
    } else {
      for (int i = 0; i < 7 && next < kRows; ++i, ++next) {
        ASSERT_TRUE(rows->Next().value());
        ASSERT_EQ(rows->GetInt64(0).value(), next);
      }
    }
  }
  EXPECT_EQ(rows->NextChunk().value(), nullptr);
}

TEST_P(SqlContractTest, StatementsWithoutRowsHaveNoChunk) {
  const auto result = Ask("UPSERT INTO T (K) VALUES (9)");
  EXPECT_EQ(result->update_count(), 1);
  EXPECT_EQ(result->NextChunk().value(), nullptr);
}

TEST_P(SqlContractTest, PreparedStatementsAreKnownBeforeTheyRun) {
  auto query = sql_->Prepare("SELECT K, N FROM T WHERE V = ? AND S < ?").value();
  EXPECT_EQ(query->parameter_count(), 2u);
  EXPECT_THAT(query->parameter_types(), ElementsAre("VARCHAR", "SMALLINT"));
  const auto columns = query->Columns().value();
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[1].label, "N");
  EXPECT_EQ(columns[1].type, "DECIMAL(10,2)");
  for (const int64_t bound : {0, -7}) {
    ASSERT_TRUE(query->Bind(0, "text").ok());
    ASSERT_TRUE(query->Bind(1, bound).ok());
    const auto rows = query->Execute().value();
    EXPECT_EQ(rows->Next().value(), bound == 0);
  }
}

TEST_P(SqlContractTest, ChangesWaitForCommit) {
  const auto other = place_->Connect({}).value();
  const auto count = [&] {
    const auto rows = other->Execute("SELECT COUNT(*) FROM T").value();
    return rows->Next().value() ? rows->GetInt64(0).value() : -1;
  };
  ASSERT_TRUE(sql_->SetAutocommit(false).ok());
  EXPECT_EQ(Run("UPSERT INTO T (K) VALUES (3)"), 1);
  EXPECT_TRUE(sql_->HasUncommitted());
  EXPECT_EQ(count(), 2);
  ASSERT_TRUE(sql_->Rollback().ok());
  EXPECT_FALSE(sql_->HasUncommitted());
  Run("UPSERT INTO T (K) VALUES (4)");
  ASSERT_TRUE(sql_->Commit().ok());
  EXPECT_EQ(count(), 3);
}

TEST_P(SqlContractTest, ErrorsHaveCodePlaceAndHint) {
  const Status status = sql_->Execute("SELECT K, NOPE FROM T").status();
  ASSERT_NE(status.sql_error(), nullptr);
  EXPECT_EQ(status.sql_error()->code, 504);
  EXPECT_EQ(status.sql_error()->sqlstate, "42703");
  EXPECT_EQ(status.sql_error()->position, 10);
  const Status type = sql_->Execute("UPSERT INTO T (K, S) VALUES (1, 70000)").status();
  EXPECT_THAT(type.message(), HasSubstr("SMALLINT and INTEGER for 70000"));
  EXPECT_THAT(type.sql_error()->hint, HasSubstr("column S"));
}

TEST_P(SqlContractTest, OptionsOfAConnectionCount) {
  ConnectOptions options;
  options.current_scn = 1000;
  const auto past = place_->Connect(options).value();
  const Status missing = past->Execute("SELECT * FROM T").status();
  ASSERT_NE(missing.sql_error(), nullptr);
  EXPECT_EQ(missing.sql_error()->code, 1012);
}

// How far a statement is, for a thread that shows it; the connection itself waits meanwhile.
TEST_P(SqlContractTest, ARunningStatementIsSeen) {
  EXPECT_FALSE(sql_->RunningStatement().has_value());
  std::string upsert = "UPSERT INTO T (K) VALUES (3)";
  for (int k = 4; k < 300; ++k) upsert += ", (" + std::to_string(k) + ")";
  Run(upsert);
  Status ended;
  std::thread runner([&] {
    auto rows =
        sql_->Execute("SELECT COUNT(*) FROM T A, T B, T C, T D WHERE A.K + B.K + C.K + D.K < 0");
    ended = rows.ok() ? (*rows)->Next().status() : rows.status();
  });
  std::optional<StatementInfo> seen;
  for (int i = 0; i < 3000; ++i) {
    seen = sql_->RunningStatement();
    if (seen.has_value() && seen->rows_read > 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  sql_->Cancel();
  runner.join();
  EXPECT_EQ(ended.code(), StatusCode::kCancelled) << ended.ToString();
  ASSERT_TRUE(seen.has_value());
  EXPECT_THAT(seen->text, HasSubstr("FROM T A, T B, T C, T D"));
  EXPECT_GT(seen->id, 0);
  EXPECT_GT(seen->start_millis, 0);
  EXPECT_GT(seen->rows_read, 0u);
  EXPECT_FALSE(sql_->RunningStatement().has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Places, SqlContractTest,
    ::testing::Values(MakePlace([] { return std::make_unique<InProcess>(); }),
                      MakePlace([] { return std::make_unique<BehindServer>(); })),
    [](const auto& info) { return info.index == 0 ? "InProcess" : "BehindServer"; });

}  // namespace
}  // namespace bennu
