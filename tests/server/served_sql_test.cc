// SQL in the process of a server: the store that HBase's clients use, seen by the server's own SQL.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "bennu/table.h"
#include "src/bennu/opened_store.h"
#include "src/bennu/sql_connection.h"
#include "tests/support/served_store.h"

namespace bennu::server {
namespace {

using ::testing::ElementsAre;

engine::EngineOptions FastOptions() {
  engine::EngineOptions options;
  options.wal_sync = engine::WalSync::kOs;
  return options;
}

class ServedSqlTest : public ::testing::Test {
 protected:
  ServedSqlTest() : served_(FastOptions()) {
    TableDescriptor descriptor;
    descriptor.name = name_;
    descriptor.families.resize(1);
    descriptor.families[0].name = "f";
    EXPECT_TRUE(served_.connection()->admin()->CreateTable(descriptor, {"m"}).ok());
  }

  void Put(const std::string& row, const std::string& value) {
    MutationBatch batch;
    batch.StartRow(row);
    batch.Put("f", "q", value);
    const auto table = served_.connection()->OpenTable(name_).value();
    const Status status = table->Write(&batch);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  std::unique_ptr<SqlConnection> ConnectSql() {
    front::OpenedStore* const store = served_.server()->store();
    return std::make_unique<front::SessionConnection>(
        sql::session::Session::Open(store->Sql().value(), store->sql_host()->session_options())
            .value());
  }
  static std::vector<std::string> Read(SqlConnection* sql, const std::string& query) {
    std::vector<std::string> rows;
    auto result = sql->Execute(query);
    if (!result.ok()) return {result.status().ToString()};
    while ((*result)->Next().value()) {
      rows.push_back((*result)->GetText(0) + "=" + (*result)->GetText(1));
    }
    return rows;
  }

  const TableName name_ = TableName::Parse("t").value();
  testing::ServedStore served_;
};

// SQL reads what clients have written, from the moment on at which they have their answer, and
// clients read what SQL has written.
TEST_F(ServedSqlTest, SqlAndClientsSeeEachOthersRows) {
  Put("a", "1");
  const auto sql = ConnectSql();
  const std::string view = R"(CREATE VIEW "t" ("ROW" VARCHAR PRIMARY KEY, "f"."q" VARCHAR))";
  ASSERT_TRUE(sql->Execute(view).ok());
  const std::string query = R"(SELECT * FROM "t")";
  EXPECT_THAT(Read(sql.get(), query), ElementsAre("a=1"));
  Put("z", "2");
  EXPECT_THAT(Read(sql.get(), query), ElementsAre("a=1", "z=2"));

  ASSERT_TRUE(sql->Execute("CREATE TABLE MADE (K VARCHAR PRIMARY KEY, V VARCHAR)").ok());
  ASSERT_TRUE(sql->Execute("UPSERT INTO MADE VALUES ('k', 'v')").ok());
  const auto made = served_.connection()->OpenTable(TableName::Parse("MADE").value());
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  Get get;
  get.row = "k";
  EXPECT_FALSE((*made)->GetRow(get).value().cells.empty());
}

// A server of which nobody asks SQL leaves its store as HBase's clients made it, through major
// compactions, which would give SQL its statistics, and restarts.
TEST_F(ServedSqlTest, WithoutSqlThereAreNoSystemTables) {
  Put("a", "1");
  served_.Reopen();
  Admin* const admin = served_.connection()->admin();
  ASSERT_TRUE(admin->Flush(name_).ok());
  // In the process itself, where the call returns when the compaction has ended.
  ASSERT_TRUE(served_.server()->store()->engine()->admin()->Compact(name_, /*major=*/true).ok());
  served_.Reopen();
  EXPECT_THAT(served_.connection()->admin()->ListTables().value(), ElementsAre(name_));
  // The opening of SQL alone changes nothing either.
  EXPECT_TRUE(served_.server()->store()->Sql().ok());
  EXPECT_THAT(served_.connection()->admin()->ListTables().value(), ElementsAre(name_));
}

// Stopping a server ends its SQL, which writes then; nobody gets it again from that server.
TEST_F(ServedSqlTest, StoppingEndsSql) {
  {
    const auto sql = ConnectSql();
    ASSERT_TRUE(sql->Execute("CREATE SEQUENCE S CACHE 100").ok());
    EXPECT_THAT(Read(sql.get(), "SELECT NEXT VALUE FOR S, 'x'"), ElementsAre("1=x"));
  }
  Server* const server = served_.server();
  ASSERT_TRUE(server->Stop().ok());
  EXPECT_EQ(server->store()->Sql().status().code(), StatusCode::kFailedPrecondition);
  served_.Reopen();
  const auto sql = ConnectSql();
  EXPECT_THAT(Read(sql.get(), "SELECT NEXT VALUE FOR S, 'x'"), ElementsAre("2=x"));
}

}  // namespace
}  // namespace bennu::server
