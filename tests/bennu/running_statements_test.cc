// Statements that are watched, cancelled and run out of time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "bennu/database.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"

namespace bennu {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kRows = 5000;  // more than two vectors
// Would take hours.
constexpr const char* kEndless =
    "SELECT COUNT(*) FROM MANY A JOIN MANY B ON A.G = B.G JOIN MANY C ON B.G = C.G JOIN MANY D ON "
    "C.G = D.G";

class RunningStatementsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_running_" + std::to_string(Env::Default()->RandomU64()));
    DatabaseOptions options;
    options.threads = 2;
    database_ = Database::Open(path_, options).value();
    connection_ = database_->Connect().value();
    Run("CREATE TABLE MANY (K INTEGER NOT NULL PRIMARY KEY, G INTEGER)");
    std::string upsert = "UPSERT INTO MANY VALUES ";
    for (int k = 0; k < kRows; ++k) upsert += (k == 0 ? "(" : ", (") + std::to_string(k) + ", 1)";
    Run(upsert);
  }
  void TearDown() override {
    connection_.reset();
    database_.reset();
    std::filesystem::remove_all(path_);
  }

  void Run(const std::string& sql) {
    const auto result = connection_->Execute(sql);
    ASSERT_TRUE(result.ok()) << sql << ": " << result.status().ToString();
  }
  // To the last row.
  static Status Drain(Result<std::unique_ptr<ResultSet>> result) {
    RETURN_IF_ERROR(result.status());
    for (;;) {
      ASSIGN_OR_RETURN(const bool more, (*result)->Next());
      if (!more) return Status::Ok();
    }
  }
  static int CodeOf(const Status& status) {
    return status.sql_error() == nullptr ? 0 : status.sql_error()->code;
  }
  // The statement with this text, once it has read something.
  StatementInfo WaitFor(const std::string& text) {
    for (int i = 0; i < 30'000; ++i) {
      for (const StatementInfo& statement : database_->RunningStatements()) {
        if (statement.text == text && statement.rows_read > 0) return statement;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ADD_FAILURE() << text << " never ran";
    return {};
  }

  std::filesystem::path path_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<SqlConnection> connection_;
};

TEST_F(RunningStatementsTest, TwoResultsOfOneConnectionAreReadInTurn) {
  auto first = connection_->Execute("SELECT K FROM MANY ORDER BY K").value();
  auto second = connection_->Execute("SELECT K + 1 FROM MANY ORDER BY K DESC").value();
  EXPECT_EQ(database_->RunningStatements().size(), 2u);
  for (int k = 0; k < kRows; ++k) {
    ASSERT_TRUE(first->Next().value());
    EXPECT_EQ(first->GetInt64(0).value(), k);
    ASSERT_TRUE(second->Next().value());
    EXPECT_EQ(second->GetInt64(0).value(), kRows - k);
  }
  EXPECT_FALSE(first->Next().value());
  // The one that has ended leaves its place; the other is still there, whatever runs besides.
  Run("UPSERT INTO MANY VALUES (-1, 2)");
  ASSERT_EQ(database_->RunningStatements().size(), 1u);
  EXPECT_THAT(database_->RunningStatements()[0].text, HasSubstr("DESC"));
  EXPECT_FALSE(second->Next().value());
  EXPECT_THAT(database_->RunningStatements(), IsEmpty());
}

TEST_F(RunningStatementsTest, CancelEndsAllResultsOfItsConnection) {
  auto first = connection_->Execute("SELECT K FROM MANY").value();
  auto second = connection_->Execute("SELECT G FROM MANY").value();
  ASSERT_TRUE(first->Next().value());
  ASSERT_TRUE(second->Next().value());
  connection_->Cancel();
  EXPECT_EQ(Drain(std::move(first)).code(), StatusCode::kCancelled);
  EXPECT_EQ(Drain(std::move(second)).code(), StatusCode::kCancelled);
}

TEST_F(RunningStatementsTest, ShownAndCancelledFromAnotherConnection) {
  Status ended;
  std::thread runner([&] { ended = Drain(connection_->Execute(kEndless)); });
  const StatementInfo running = WaitFor(kEndless);
  auto other = database_->Connect().value();
  auto shown = other->Execute("SHOW STATEMENTS").value();
  bool found = false;
  while (shown->Next().value()) {
    found |= shown->GetInt64(0).value() == running.id && shown->GetText(9) == kEndless;
  }
  EXPECT_TRUE(found);
  EXPECT_TRUE(other->Execute("CANCEL STATEMENT " + std::to_string(running.id)).ok());
  runner.join();
  EXPECT_EQ(ended.code(), StatusCode::kCancelled) << ended.ToString();
  // It is over, and its connection goes on.
  const auto again = other->Execute("CANCEL STATEMENT " + std::to_string(running.id));
  EXPECT_THAT(again.status().ToString(), HasSubstr("no running statement"));
  EXPECT_EQ(database_->CancelStatement(running.id).code(), StatusCode::kNotFound);
  EXPECT_TRUE(Drain(connection_->Execute("SELECT * FROM MANY")).ok());
  EXPECT_THAT(database_->RunningStatements(), IsEmpty());
}

TEST_F(RunningStatementsTest, CancelledThroughTheStatement) {
  auto statement = connection_->Prepare(kEndless).value();
  statement->Cancel();  // nothing runs: no harm to what runs later
  Status ended;
  std::thread runner([&] { ended = Drain(statement->Execute()); });
  (void)WaitFor(kEndless);
  statement->Cancel();
  runner.join();
  EXPECT_EQ(ended.code(), StatusCode::kCancelled) << ended.ToString();
}

// What another tenant runs is nobody's business.
TEST_F(RunningStatementsTest, TenantsSeeTheirOwn) {
  ConnectOptions options;
  options.tenant = "acme";
  auto tenant = database_->Connect(options).value();
  Status ended;
  std::thread runner([&] { ended = Drain(connection_->Execute(kEndless)); });
  const StatementInfo running = WaitFor(kEndless);
  auto shown = tenant->Execute("SHOW STATEMENTS").value();
  int rows = 0;
  while (shown->Next().value()) {
    EXPECT_EQ(shown->GetText(1), "acme");
    ++rows;
  }
  EXPECT_EQ(rows, 1);  // itself
  EXPECT_FALSE(tenant->Execute("CANCEL STATEMENT " + std::to_string(running.id)).ok());
  EXPECT_TRUE(database_->CancelStatement(running.id).ok());
  runner.join();
  EXPECT_EQ(ended.code(), StatusCode::kCancelled);
}

TEST_F(RunningStatementsTest, Timeouts) {
  connection_->SetQueryTimeout(50);
  const Status late = Drain(connection_->Execute(kEndless));
  EXPECT_EQ(CodeOf(late), 6000) << late.ToString();
  EXPECT_THAT(late.ToString(), HasSubstr("phoenix.query.timeoutMs, 50 ms"));
  EXPECT_EQ(CodeOf(connection_->Execute("EXPLAIN ANALYZE " + std::string(kEndless)).status()),
            6000);
  EXPECT_EQ(
      CodeOf(connection_
                 ->Execute("UPSERT INTO MANY SELECT CAST(COUNT(*) AS INTEGER), 1 FROM MANY A, "
                           "MANY B, MANY C")
                 .status()),
      6000);
  connection_->SetQueryTimeout(0);
  EXPECT_TRUE(Drain(connection_->Execute("SELECT * FROM MANY")).ok());
  auto statement = connection_->Prepare(kEndless).value();
  statement->SetQueryTimeout(20);
  EXPECT_EQ(CodeOf(Drain(statement->Execute())), 6000);
}

// What the application does between two rows is its own time.
TEST_F(RunningStatementsTest, SlowReadersAreNotLate) {
  connection_->SetQueryTimeout(2000);
  auto rows = connection_->Execute("SELECT * FROM MANY").value();
  ASSERT_TRUE(rows->Next().value());
  std::this_thread::sleep_for(std::chrono::milliseconds(2100));
  int count = 1;
  for (;;) {
    const auto more = rows->Next();
    ASSERT_TRUE(more.ok()) << more.status().ToString();
    if (!*more) break;
    ++count;
  }
  EXPECT_EQ(count, kRows);
}

TEST_F(RunningStatementsTest, TimeoutOfTheStore) {
  connection_.reset();
  database_.reset();
  DatabaseOptions options;
  options.configuration["phoenix.query.timeoutMs"] = "soon";
  EXPECT_EQ(Database::Open(path_, options).status().code(), StatusCode::kInvalidArgument);
  options.configuration["phoenix.query.timeoutMs"] = "50";
  database_ = Database::Open(path_, options).value();
  connection_ = database_->Connect().value();
  EXPECT_EQ(CodeOf(Drain(connection_->Execute(kEndless))), 6000);
  ConnectOptions patient;
  patient.query_timeout_millis = 0;
  EXPECT_TRUE(Drain(database_->Connect(patient).value()->Execute("SELECT * FROM MANY")).ok());
}

}  // namespace
}  // namespace bennu
