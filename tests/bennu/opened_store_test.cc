// OpenedStore: when SQL is opened over a store, with what, and how both are closed.
#include "src/bennu/opened_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/bennu/engine_options.h"
#include "src/bennu/sql_connection.h"

namespace bennu::front {
namespace {

using ::testing::HasSubstr;

class OpenedStoreTest : public ::testing::Test {
 protected:
  OpenedStoreTest()
      : path_(std::filesystem::temp_directory_path() /
              ("bennu_opened_" + std::to_string(Env::Default()->RandomU64()))) {
    options_.memory_bytes = 96 << 20;
  }
  ~OpenedStoreTest() override {
    store_.reset();
    std::filesystem::remove_all(path_);
  }

  void Open() {
    store_.reset();
    store_ = OpenedStore::Open(path_, options_).value();
  }
  std::unique_ptr<SqlConnection> Connect() {
    return std::make_unique<SessionConnection>(
        sql::session::Session::Open(store_->Sql().value(), store_->sql_host()->session_options())
            .value());
  }
  void Execute(const std::string& text) {
    const auto result = Connect()->Execute(text);
    EXPECT_TRUE(result.ok()) << text << ": " << result.status().ToString();
  }
  std::string NextOfSequence() {
    const auto connection = Connect();
    const auto rows = connection->Execute("SELECT NEXT VALUE FOR S").value();
    EXPECT_TRUE(rows->Next().value());
    return rows->GetText(0);
  }
  size_t TableCount() const { return store_->engine()->admin()->ListTables().value().size(); }

  const std::string path_;
  DatabaseOptions options_;
  std::unique_ptr<OpenedStore> store_;
};

// However many ask first, and at the same time, they get one SqlStore. Its opening alone makes no
// tables: a store that is used by HBase's data model stays as it is.
TEST_F(OpenedStoreTest, SqlIsOpenedOnceAndMakesNoTables) {
  Open();
  constexpr size_t kThreads = 8;
  std::vector<sql::session::SqlStore*> found(kThreads);
  std::vector<std::thread> threads;
  for (sql::session::SqlStore*& one : found) {
    threads.emplace_back([&] { one = store_->Sql().value(); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(found, ::testing::Each(found.front()));
  EXPECT_EQ(TableCount(), 0u);
  Execute("CREATE TABLE T (K INTEGER PRIMARY KEY)");
  EXPECT_GT(TableCount(), 1u);
}

// What cannot be opened is told to each who asks, and hinders nobody who needs no SQL. Once the
// cause is gone SQL opens, without a restart.
TEST_F(OpenedStoreTest, AnErrorOfSqlIsOfWhoAsks) {
  Open();
  Execute("CREATE TABLE T (K INTEGER PRIMARY KEY)");
  options_.configuration["phoenix.schema.isNamespaceMappingEnabled"] = "true";
  Open();
  for (int i = 0; i < 2; ++i) {
    const auto sql = store_->Sql();
    ASSERT_FALSE(sql.ok());
    EXPECT_EQ(sql.status().sql_error()->code, 726);
  }
  Admin* const admin = store_->engine()->admin();
  const TableName catalog = TableName::Parse("SYSTEM.CATALOG").value();
  ASSERT_TRUE(admin->DisableTable(catalog).ok());
  ASSERT_TRUE(admin->DropTable(catalog).ok());
  EXPECT_TRUE(store_->Sql().ok());
}

// Values of a sequence that were reserved and not used are given back, which is a write: SQL is
// closed before the engine.
TEST_F(OpenedStoreTest, ClosingGivesReservedValuesBack) {
  Open();
  Execute("CREATE SEQUENCE S CACHE 100");
  EXPECT_EQ(NextOfSequence(), "1");
  ASSERT_TRUE(store_->Close().ok());
  EXPECT_TRUE(store_->Close().ok());
  Open();
  EXPECT_EQ(NextOfSequence(), "2");
}

// Once SQL is closed it stays so, while the engine goes on until it is closed as well.
TEST_F(OpenedStoreTest, ClosedSqlIsNotOpenedAgain) {
  Open();
  ASSERT_TRUE(store_->Sql().ok());
  store_->sql_host()->Close();
  const Status status = store_->Sql().status();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr(path_));
  EXPECT_TRUE(store_->engine()->admin()->ListTables().ok());
}

// Who observes statements may say so before SQL is opened.
TEST_F(OpenedStoreTest, StatementsAreObservedFromTheFirstOn) {
  struct Observer : sql::session::StatementObserver {
    void StatementEnded(const sql::session::EndedStatement& /*statement*/) override { ++ended; }
    int ended = 0;
  } observer;
  Open();
  store_->sql_host()->ObserveStatements(&observer);
  Execute("CREATE SEQUENCE S");
  EXPECT_EQ(observer.ended, 1);
  store_->sql_host()->ObserveStatements(nullptr);
  Execute("CREATE SEQUENCE S2");
  EXPECT_EQ(observer.ended, 1);
}

// Queries have their share of the store's memory, and files for what has no room in it, unless
// another process may hold the directory.
TEST_F(OpenedStoreTest, QueriesHaveTheirShareOfMemory) {
  Open();
  sql::session::SqlStore* sql = store_->Sql().value();
  EXPECT_EQ(sql->query_memory_bytes(), 32u << 20);
  EXPECT_EQ(sql->memory_pool()->bytes_max(), 32 << 20);
  EXPECT_NE(sql->spill(), nullptr);
  options_.read_only = true;
  Open();
  EXPECT_EQ(store_->Sql().value()->spill(), nullptr);
  // Without a word about memory it is the share that a database has by default.
  store_.reset();
  store_ = OpenedStore::Open(path_, StoreOptions()).value();
  EXPECT_EQ(store_->Sql().value()->query_memory_bytes(), PlanMemory(DatabaseOptions()).query_bytes);
}

}  // namespace
}  // namespace bennu::front
