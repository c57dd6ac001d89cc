// Two processes' SQL over one store: each sees what the other defines, and neither overtakes the
// other where a change depends on what is there. They are two SqlStores over one engine, whose
// connection says that it is shared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bennu/database.h"
#include "src/api/store_tools.h"
#include "src/bennu/opened_store.h"
#include "src/bennu/sql_connection.h"
#include "src/sql/exec/query.h"
#include "src/sql/session/session.h"
#include "src/sql/session/sql_store.h"

namespace bennu {
namespace {

using sql::session::Session;
using sql::session::SqlStore;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A store as others write it, too.
class SharedConnection : public Connection {
 public:
  explicit SharedConnection(Connection* store) : store_(store) {}
  Result<std::shared_ptr<Table>> OpenTable(const TableName& name) override {
    return store_->OpenTable(name);
  }
  Admin* admin() override { return store_->admin(); }
  Capabilities capabilities() const override {
    Capabilities capabilities = store_->capabilities();
    capabilities.shared = true;
    return capabilities;
  }
  std::shared_ptr<const Snapshot> TakeSnapshot() override { return store_->TakeSnapshot(); }
  int64_t NowMillis() override { return store_->NowMillis(); }
  ThreadPool* QueryPool() override { return StoreTools::QueryPool(store_); }

 private:
  Connection* const store_;
};

// A process with SQL, and one connection to it.
class Process {
 public:
  explicit Process(Connection* store) : connection_(store) {
    store_ = SqlStore::Open(&connection_, sql::exec::PrepareQuery).value();
    session_ = std::make_unique<front::SessionConnection>(Session::Open(store_.get(), {}).value());
  }

  Status Run(std::string_view statement) { return session_->Execute(statement).status(); }
  // Rows with '|' between their values.
  std::vector<std::string> Rows(std::string_view query) {
    auto result = session_->Execute(query);
    EXPECT_TRUE(result.ok()) << query << ": " << result.status().ToString();
    return result.ok() ? Read(result->get()) : std::vector<std::string>();
  }
  static std::vector<std::string> Read(ResultSet* result) {
    std::vector<std::string> rows;
    while (result->Next().value()) {
      std::string text;
      for (size_t i = 0; i < result->columns().size(); ++i) {
        text += (i == 0 ? "" : "|") + (result->IsNull(i) ? "NULL" : result->GetText(i));
      }
      rows.push_back(std::move(text));
    }
    return rows;
  }
  SqlConnection* session() { return session_.get(); }
  SqlStore* store() { return store_.get(); }

 private:
  SharedConnection connection_;
  std::unique_ptr<SqlStore> store_;
  std::unique_ptr<SqlConnection> session_;
};

class SharedStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    DatabaseOptions options;
    options.memory_bytes = 128u << 20;
    opened_ = front::OpenedStore::Open(":memory:", options).value();
    one_ = std::make_unique<Process>(opened_->engine());
    other_ = std::make_unique<Process>(opened_->engine());
  }
  void Do(Process* process, std::string_view statement) {
    const Status done = process->Run(statement);
    ASSERT_TRUE(done.ok()) << statement << ": " << done.ToString();
  }

  std::unique_ptr<front::OpenedStore> opened_;
  std::unique_ptr<Process> one_, other_;
};

TEST_F(SharedStoreTest, DefinitionsOfOthersAreSeen) {
  Do(one_.get(), "CREATE TABLE T (K INTEGER PRIMARY KEY, A VARCHAR)");
  Do(one_.get(), "UPSERT INTO T VALUES (1, 'a')");
  EXPECT_THAT(other_->Rows("SELECT * FROM T"), ElementsAre("1|a"));
  Do(one_.get(), "ALTER TABLE T ADD B VARCHAR");
  Do(one_.get(), "UPSERT INTO T VALUES (2, 'a', 'b')");
  EXPECT_THAT(other_->Rows("SELECT * FROM T WHERE K = 2"), ElementsAre("2|a|b"));
  Do(other_.get(), "ALTER TABLE T DROP COLUMN A");
  EXPECT_THAT(one_->Rows("SELECT * FROM T WHERE K = 2"), ElementsAre("2|b"));
  Do(one_.get(), "DROP TABLE T");
  EXPECT_THAT(other_->Run("SELECT * FROM T").message(), HasSubstr("Table undefined"));
  Do(one_.get(), "CREATE TABLE T (NAME VARCHAR PRIMARY KEY)");
  Do(one_.get(), "UPSERT INTO T VALUES ('new')");
  EXPECT_THAT(other_->Rows("SELECT * FROM T"), ElementsAre("new"));
}

TEST_F(SharedStoreTest, ViewsFollowParentsThatOthersChange) {
  Do(one_.get(), "CREATE TABLE T (K INTEGER PRIMARY KEY, A VARCHAR)");
  Do(one_.get(), "CREATE VIEW V AS SELECT * FROM T WHERE K > 0");
  Do(one_.get(), "CREATE VIEW W AS SELECT * FROM V WHERE K > 1");
  Do(one_.get(), "UPSERT INTO T VALUES (2, 'a')");
  EXPECT_THAT(other_->Rows("SELECT * FROM W"), ElementsAre("2|a"));
  Do(one_.get(), "ALTER TABLE T ADD B VARCHAR");
  Do(one_.get(), "UPSERT INTO T VALUES (2, 'a', 'b')");
  EXPECT_THAT(other_->Rows("SELECT * FROM W"), ElementsAre("2|a|b"));
}

TEST_F(SharedStoreTest, PreparedStatementsFollow) {
  Do(one_.get(), "CREATE TABLE T (K INTEGER PRIMARY KEY, A VARCHAR)");
  Do(one_.get(), "UPSERT INTO T VALUES (1, 'a')");
  const auto select = other_->session()->Prepare("SELECT * FROM T").value();
  const auto upsert = other_->session()->Prepare("UPSERT INTO T VALUES (2, 'x')").value();
  Do(one_.get(), "DROP TABLE T");
  Do(one_.get(), "CREATE TABLE T (A VARCHAR, K INTEGER NOT NULL, CONSTRAINT PK PRIMARY KEY (K))");
  EXPECT_THAT(upsert->Execute().status().message(), HasSubstr("Type mismatch"));
  Do(one_.get(), "UPSERT INTO T VALUES ('y', 3)");
  auto rows = select->Execute();
  ASSERT_TRUE(rows.ok()) << rows.status().ToString();
  EXPECT_THAT(Process::Read(rows->get()), ElementsAre("y|3"));
}

// UPDATE_CACHE_FREQUENCY says how old a definition may be.
TEST_F(SharedStoreTest, ATableMaySayThatItIsNotLookedAtAgain) {
  Do(one_.get(), "CREATE TABLE T (K INTEGER PRIMARY KEY, A VARCHAR) UPDATE_CACHE_FREQUENCY=NEVER");
  Do(one_.get(), "UPSERT INTO T VALUES (1, 'a')");
  EXPECT_THAT(other_->Rows("SELECT * FROM T"), ElementsAre("1|a"));
  Do(one_.get(), "ALTER TABLE T ADD B VARCHAR");
  EXPECT_THAT(other_->Rows("SELECT * FROM T"), ElementsAre("1|a"));
  other_->store()->catalog()->Invalidate();
  EXPECT_THAT(other_->Rows("SELECT * FROM T"), ElementsAre("1|a|NULL"));
}

// While one process changes a definition another waits, and then sees what it left.
TEST_F(SharedStoreTest, DefinitionsAreChangedOneAfterAnother) {
  Do(one_.get(), "CREATE TABLE T (K INTEGER PRIMARY KEY)");
  constexpr int kColumns = 8;
  const auto add = [](Process* process, const std::string& prefix) {
    for (int i = 0; i < kColumns; ++i) {
      const Status added =
          process->Run("ALTER TABLE T ADD " + prefix + std::to_string(i) + " INTEGER");
      EXPECT_TRUE(added.ok()) << added.ToString();
    }
  };
  std::thread thread([&] { add(one_.get(), "A"); });
  add(other_.get(), "B");
  thread.join();
  Process third(opened_->engine());
  EXPECT_THAT(third.Rows("SELECT COLUMN_COUNT FROM SYSTEM.CATALOG WHERE TABLE_NAME = 'T' AND "
                         "COLUMN_COUNT IS NOT NULL"),
              ElementsAre(std::to_string(2 * kColumns + 1)));
  Do(&third, "SELECT A0, A7, B0, B7 FROM T");
}

// However seldom a table has its definition looked at, it is changed as it is.
TEST_F(SharedStoreTest, WhatIsNotLookedAtAgainIsChangedAsItIs) {
  Do(one_.get(), "CREATE TABLE T (K INTEGER PRIMARY KEY) UPDATE_CACHE_FREQUENCY=NEVER");
  EXPECT_THAT(other_->Rows("SELECT * FROM T"), ElementsAre());
  Do(one_.get(), "ALTER TABLE T ADD A VARCHAR");
  Do(other_.get(), "ALTER TABLE T ADD B VARCHAR");
  Process third(opened_->engine());
  Do(&third, "UPSERT INTO T VALUES (1, 'a', 'b')");
  EXPECT_THAT(third.Rows("SELECT A, B FROM T"), ElementsAre("a|b"));
}

// A server's own SQL, and that of a client which writes its tables.
class ServedStoreTest : public ::testing::Test {
 protected:
  ServedStoreTest() {
    DatabaseOptions options;
    options.memory_bytes = 128u << 20;
    front::StoreOptions store = front::StoreOptionsOf(options).value();
    store.engine.shared = true;
    opened_ = front::OpenedStore::Open(":memory:", store).value();
    own_ = std::make_unique<front::SessionConnection>(
        Session::Open(opened_->Sql().value(), {}).value());
    client_ = std::make_unique<Process>(opened_->engine());
  }
  void Own(std::string_view statement) {
    const Status done = own_->Execute(statement).status();
    EXPECT_TRUE(done.ok()) << statement << ": " << done.ToString();
  }
  void OfClient(std::string_view statement) {
    const Status done = client_->Run(statement);
    EXPECT_TRUE(done.ok()) << statement << ": " << done.ToString();
  }
  std::vector<std::string> OwnRows(std::string_view query) {
    auto result = own_->Execute(query);
    EXPECT_TRUE(result.ok()) << query << ": " << result.status().ToString();
    return result.ok() ? Process::Read(result->get()) : std::vector<std::string>();
  }

  std::unique_ptr<front::OpenedStore> opened_;
  std::unique_ptr<SqlConnection> own_;
  std::unique_ptr<Process> client_;
};

TEST_F(ServedStoreTest, DefinitionsOfClientsAreSeen) {
  Own("CREATE TABLE T (K INTEGER PRIMARY KEY, A VARCHAR) UPDATE_CACHE_FREQUENCY=NEVER");
  Own("UPSERT INTO T VALUES (1, 'a')");
  const auto select = own_->Prepare("SELECT * FROM T").value();
  OfClient("ALTER TABLE T ADD B VARCHAR");
  OfClient("UPSERT INTO T VALUES (2, 'a', 'b')");
  EXPECT_THAT(OwnRows("SELECT * FROM T"), ElementsAre("1|a|NULL", "2|a|b"));
  EXPECT_THAT(Process::Read(select->Execute()->get()), ElementsAre("1|a|NULL", "2|a|b"));
  Own("DROP TABLE T");
  OfClient("CREATE TABLE T (NAME VARCHAR PRIMARY KEY)");
  OfClient("UPSERT INTO T VALUES ('new')");
  EXPECT_THAT(OwnRows("SELECT * FROM T"), ElementsAre("new"));
}

TEST_F(ServedStoreTest, DefinitionsAreChangedOneAfterAnother) {
  Own("CREATE TABLE T (K INTEGER PRIMARY KEY)");
  Own("CREATE VIEW V AS SELECT * FROM T");
  constexpr int kColumns = 8;
  std::thread thread([&] {
    for (int i = 0; i < kColumns; ++i) {
      Own("ALTER TABLE T ADD A" + std::to_string(i) + " VARCHAR");
    }
  });
  for (int i = 0; i < kColumns; ++i) {
    OfClient("ALTER " + std::string(i % 2 == 0 ? "VIEW V" : "TABLE T") + " ADD B" +
             std::to_string(i) + " VARCHAR");
  }
  thread.join();
  EXPECT_THAT(OwnRows("SELECT COUNT(DISTINCT COLUMN_QUALIFIER) FROM SYSTEM.CATALOG WHERE "
                      "TABLE_SCHEM IS NULL AND COLUMN_FAMILY = '0'"),
              ElementsAre(std::to_string(2 * kColumns)));
}

// The columns of views have qualifiers among those of their table.
TEST_F(SharedStoreTest, TablesAndTheirViewsAreChangedOneAfterAnother) {
  Do(one_.get(), "CREATE TABLE T (K INTEGER PRIMARY KEY)");
  Do(one_.get(), "CREATE VIEW V AS SELECT * FROM T");
  constexpr int kColumns = 8;
  std::thread thread([&] {
    for (int i = 0; i < kColumns; ++i) {
      Do(one_.get(), "ALTER TABLE T ADD A" + std::to_string(i) + " VARCHAR");
    }
  });
  for (int i = 0; i < kColumns; ++i) {
    const std::string name = std::to_string(i);
    Do(other_.get(), i % 2 == 0 ? "ALTER VIEW V ADD B" + name + " VARCHAR"
                                : "CREATE VIEW V" + name + " (B VARCHAR) AS SELECT * FROM T");
  }
  thread.join();
  Process third(opened_->engine());
  // Those of the table come again in the rows of its views.
  EXPECT_THAT(third.Rows("SELECT COUNT(DISTINCT COLUMN_QUALIFIER) FROM SYSTEM.CATALOG WHERE "
                         "TABLE_SCHEM IS NULL AND COLUMN_FAMILY = '0'"),
              ElementsAre(std::to_string(2 * kColumns)));
  Do(&third, "UPSERT INTO V (K, A7, B0, B6) VALUES (1, 'a7', 'b0', 'b6')");
  Do(&third, "UPSERT INTO V7 (K, B) VALUES (1, 'b7')");
  EXPECT_THAT(third.Rows("SELECT A0, A7, B0, B6 FROM V"), ElementsAre("NULL|a7|b0|b6"));
}

TEST_F(SharedStoreTest, ATableIsNotDroppedBelowANewView) {
  for (int i = 0; i < 10; ++i) {
    Do(one_.get(), "CREATE TABLE T (K INTEGER PRIMARY KEY)");
    Status dropped, made;
    std::thread thread([&] { dropped = one_->Run("DROP TABLE T"); });
    made = other_->Run("CREATE VIEW V AS SELECT * FROM T");
    thread.join();
    EXPECT_NE(dropped.ok(), made.ok()) << dropped.ToString() << made.ToString();
    if (made.ok()) {
      Do(one_.get(), "SELECT * FROM V");
      Do(one_.get(), "DROP VIEW V");
    }
    if (!dropped.ok()) Do(other_.get(), "DROP TABLE T");
  }
}

TEST_F(SharedStoreTest, AtomicUpsertsOfBothCount) {
  Do(one_.get(), "CREATE TABLE T (K INTEGER PRIMARY KEY, N BIGINT, M BIGINT)");
  constexpr int kUpserts = 200;
  const auto count = [](Process* process) {
    for (int i = 0; i < kUpserts; ++i) {
      const Status counted = process->Run(
          "UPSERT INTO T VALUES (1, 1, 1) ON DUPLICATE KEY UPDATE N = N + 1, M = M + N");
      EXPECT_TRUE(counted.ok()) << counted.ToString();
    }
  };
  std::thread thread([&] { count(one_.get()); });
  count(other_.get());
  thread.join();
  // M is 1 and the N's before each of the updates: 1 + (1 + … + 399).
  EXPECT_THAT(one_->Rows("SELECT N, M FROM T"), ElementsAre("400|79801"));
}

TEST_F(SharedStoreTest, SequencesGiveNoValueTwice) {
  Do(one_.get(), "CREATE TABLE T (K INTEGER PRIMARY KEY)");
  Do(one_.get(), "UPSERT INTO T VALUES (1)");
  Do(one_.get(), "CREATE SEQUENCE S CACHE 2");
  EXPECT_THAT(other_->Run("CREATE SEQUENCE S").message(), HasSubstr("already exists"));
  constexpr size_t kValues = 200;
  const auto take = [](Process* process, std::set<std::string>* values) {
    for (size_t i = 0; i < kValues; ++i) {
      for (const std::string& row : process->Rows("SELECT NEXT VALUE FOR S FROM T")) {
        values->insert(row);
      }
    }
  };
  std::set<std::string> ones, others;
  std::thread thread([&] { take(one_.get(), &ones); });
  take(other_.get(), &others);
  thread.join();
  EXPECT_EQ(ones.size(), kValues);
  ones.merge(others);
  EXPECT_EQ(ones.size(), 2 * kValues);
}

}  // namespace
}  // namespace bennu
