// The connection of SqlClient behaves as that of a Database does; what cannot be the same is said
// in bennu/sql_client.h. The recorded SQL runs over it, too (sql.hostile.served).
#include "bennu/sql_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "src/base/env.h"
#include "src/server/server.h"

namespace bennu {
namespace {

using ::testing::HasSubstr;

class SqlClientTest : public ::testing::Test {
 protected:
  SqlClientTest() {
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_sql_client_" + std::to_string(Env::Default()->RandomU64()));
    Start({});
    sql_ = SqlClient::Connect(url_).value();
    Run("CREATE TABLE T (K INTEGER NOT NULL PRIMARY KEY, V VARCHAR, D DECIMAL(10,2), TS "
        "TIMESTAMP)");
  }
  ~SqlClientTest() override {
    sql_.reset();
    server_.reset();
    std::filesystem::remove_all(path_);
  }

  void Start(const server::phoenix::ConnectionBounds& bounds, uint16_t port = 0) {
    server_.reset();
    server::ServerOptions options;
    options.directory = path_;
    for (auto* const other : {&options.zookeeper_port, &options.master_port,
                              &options.region_server_port, &options.http_port}) {
      other->reset();
    }
    options.phoenix_port = port;
    options.phoenix = bounds;
    options.engine.wal_sync = engine::WalSync::kOs;
    server_ = server::Server::Start(options).value();
    const std::string places = server_->Endpoints();
    url_ = "http://" + places.substr(places.rfind('=') + 1);
  }
  uint16_t Port() const {
    return static_cast<uint16_t>(std::stoi(url_.substr(url_.rfind(':') + 1)));
  }

  int64_t Run(const std::string& statement) {
    const auto result = sql_->Execute(statement);
    EXPECT_TRUE(result.ok()) << statement << ": " << result.status().ToString();
    return result.ok() ? (*result)->update_count() : -2;
  }
  int64_t Count(const std::string& where = "K >= 0") {
    auto rows = sql_->Execute("SELECT COUNT(*) FROM T WHERE " + where).value();
    EXPECT_TRUE(rows->Next().value());
    return rows->GetInt64(0).value();
  }
  static int CodeOf(const Status& status) {
    return status.sql_error() == nullptr ? 0 : status.sql_error()->code;
  }

  std::string path_;
  std::string url_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<SqlConnection> sql_;
};

TEST_F(SqlClientTest, PreparedStatementsKnowTypesAndColumns) {
  auto upsert = sql_->Prepare("UPSERT INTO T VALUES (?, ?, ?, ?)").value();
  EXPECT_EQ(upsert->parameter_types(),
            (std::vector<std::string>{"INTEGER", "VARCHAR", "DECIMAL(10,2)", "TIMESTAMP"}));
  for (int k = 0; k < 3; ++k) {
    ASSERT_TRUE(upsert->Bind(0, k).ok());
    ASSERT_TRUE(upsert->Bind(1, "v" + std::to_string(k)).ok());
    ASSERT_TRUE(upsert->Bind(2, Datum::Number{"1.50"}).ok());
    ASSERT_TRUE(upsert->Bind(3, Datum::Moment{1000, 123'456}).ok());
    EXPECT_EQ(upsert->Execute().value()->update_count(), 1);
  }
  auto query = sql_->Prepare("SELECT V, D, TS FROM T WHERE K = ?").value();
  EXPECT_EQ(query->Columns().value()[1].type, "DECIMAL(10,2)");
  EXPECT_EQ(CodeOf(query->Execute().status()), 2004);
  ASSERT_TRUE(query->Bind(0, 2).ok());
  auto rows = query->Execute().value();
  ASSERT_TRUE(rows->Next().value());
  EXPECT_EQ(rows->GetText(0), "v2");
  EXPECT_EQ(rows->Get(1), Datum(Datum::Number{"1.5"}));
  EXPECT_EQ(rows->GetMoment(2).value(), (Datum::Moment{1000, 123'456}));
  EXPECT_FALSE(rows->Next().value());
  EXPECT_FALSE(query->Bind(1, 2).ok());
}

TEST_F(SqlClientTest, ResultsOfManyFramesAreReadInTurn) {
  auto upsert = sql_->Prepare("UPSERT INTO T(K) VALUES (?)").value();
  ASSERT_TRUE(sql_->SetAutocommit(false).ok());
  for (int k = 0; k < 5000; ++k) {
    ASSERT_TRUE(upsert->Bind(0, k).ok());
    ASSERT_TRUE(upsert->Execute().ok());
  }
  EXPECT_TRUE(sql_->HasUncommitted());
  EXPECT_EQ(Count(), 0);
  ASSERT_TRUE(sql_->Commit().ok());
  EXPECT_FALSE(sql_->HasUncommitted());
  auto up = sql_->Execute("SELECT K FROM T ORDER BY K").value();
  auto down = sql_->Execute("SELECT K FROM T ORDER BY K DESC").value();
  for (int k = 0; k < 5000; ++k) {
    ASSERT_TRUE(up->Next().value());
    ASSERT_TRUE(down->Next().value());
    EXPECT_EQ(up->GetInt64(0).value() + down->GetInt64(0).value(), 4999);
  }
  EXPECT_FALSE(up->Next().value());
  EXPECT_FALSE(down->Next().value());
}

TEST_F(SqlClientTest, RollbackDiscardsAndAutocommitCommits) {
  ASSERT_TRUE(sql_->SetAutocommit(false).ok());
  EXPECT_EQ(Run("UPSERT INTO T(K) VALUES (1)"), 1);
  ASSERT_TRUE(sql_->Rollback().ok());
  EXPECT_FALSE(sql_->HasUncommitted());
  Run("UPSERT INTO T(K) VALUES (2)");
  ASSERT_TRUE(sql_->SetAutocommit(true).ok());
  EXPECT_EQ(Count(), 1);
}

TEST_F(SqlClientTest, ErrorsHaveCodePlaceAndHint) {
  const Status status = sql_->Execute("SELECT NOPE FROM T").status();
  ASSERT_NE(status.sql_error(), nullptr);
  EXPECT_EQ(status.sql_error()->code, 504);
  EXPECT_EQ(status.sql_error()->sqlstate, "42703");
  EXPECT_EQ(status.sql_error()->position, 7);
  EXPECT_EQ(CodeOf(sql_->Prepare("SELECT K FRM T").status()), 603);
}

// The server forgets what nobody uses; a program that waits for its user need not know.
TEST_F(SqlClientTest, AConnectionThatWasForgottenIsOpenedAgain) {
  auto query = sql_->Prepare("SELECT COUNT(*) FROM T WHERE K >= ?").value();
  ASSERT_TRUE(query->Bind(0, 0).ok());
  Run("UPSERT INTO T(K) VALUES (1)");
  Start({}, Port());  // knows nothing of what was opened before
  EXPECT_EQ(Count(), 1);
  auto rows = query->Execute().value();
  ASSERT_TRUE(rows->Next().value());
  EXPECT_EQ(rows->GetInt64(0).value(), 1);
  // Not, however, when changes went with it.
  ASSERT_TRUE(sql_->SetAutocommit(false).ok());
  Run("UPSERT INTO T(K) VALUES (2)");
  Start({}, Port());
  const Status lost = sql_->Commit();
  EXPECT_EQ(lost.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(lost.message(), HasSubstr("lost"));
  EXPECT_FALSE(sql_->HasUncommitted());
  EXPECT_EQ(Count(), 1);
}

TEST_F(SqlClientTest, AStatementThatWasForgottenIsMadeAgain) {
  server::phoenix::ConnectionBounds bounds;
  bounds.statement_idle_max = std::chrono::seconds(0);
  Start(bounds, Port());
  auto query = sql_->Prepare("SELECT COUNT(*) FROM T").value();
  const Status status = query->Execute().status();
  // With no time at all the server forgets it each time, which must not go on for ever.
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
}

TEST_F(SqlClientTest, CancelEndsWhatRuns) {
  std::string upsert = "UPSERT INTO T(K) VALUES ";
  for (int k = 0; k < 300; ++k) upsert += (k == 0 ? "(" : ", (") + std::to_string(k) + ")";
  Run(upsert);
  constexpr const char* kEndless =
      "SELECT COUNT(*) FROM T A, T B, T C, T D WHERE A.K + B.K + C.K + D.K < 0";
  Status ended;
  std::thread runner([&] { ended = sql_->Execute(kEndless).status(); });
  for (int i = 0; i < 30'000 && server_->store()->Sql().value()->statements()->List("").empty();
       ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  sql_->Cancel();
  runner.join();
  EXPECT_EQ(ended.code(), StatusCode::kCancelled) << ended.ToString();
  EXPECT_EQ(Count(), 300);  // the connection goes on
  sql_->SetQueryTimeout(100);
  EXPECT_EQ(CodeOf(sql_->Execute(kEndless).status()), 6000);
  sql_->SetQueryTimeout(0);
  EXPECT_EQ(Count(), 300);
}

TEST_F(SqlClientTest, ConnectOptionsCount) {
  SqlClientOptions options;
  options.connection.read_only = true;
  auto reader = SqlClient::Connect(url_, options).value();
  EXPECT_EQ(CodeOf(reader->Execute("UPSERT INTO T(K) VALUES (1)").status()), 518);
  options = {};
  options.connection.current_scn = 1000;
  auto early = SqlClient::Connect(url_, options).value();
  EXPECT_EQ(CodeOf(early->Execute("SELECT * FROM T").status()), 1012);
}

TEST_F(SqlClientTest, WhereNoServerIsIsSaid) {
  const Status none = SqlClient::Connect("http://127.0.0.1:1").status();
  EXPECT_EQ(none.code(), StatusCode::kIoError);
  EXPECT_THAT(none.message(), HasSubstr("bennu serve"));
  EXPECT_EQ(SqlClient::Connect("localhost:8765").status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace bennu
