// The building of an index that is cancelled, by each way to cancel: what docs/indexes.md says must
// be left, the table goes on, and the index is right once it is built again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "bennu/table.h"
#include "src/base/env.h"
#include "tests/bennu/ask.h"
#include "tests/bennu/stored_integers.h"

namespace bennu {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// So many that a building takes longer than it takes to see and to cancel it.
constexpr uint32_t kRows = 100'000;
constexpr int kValues = 1000;
constexpr int kAttempts = 20;

class CancelledIndexBuildTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_cancelled_build_" + std::to_string(Env::Default()->RandomU64()));
    Open();
    Do("CREATE TABLE t (k INTEGER PRIMARY KEY, v BIGINT, w VARCHAR) COLUMN_ENCODED_BYTES=0");
    MutationBatch batch;
    for (uint32_t k = 0; k < kRows; ++k) {
      batch.StartRow(KeyOf(k));
      batch.Put("0", "_0", "x");
      batch.Put("0", "V", Number(k % kValues));
      batch.Put("0", "W", "w" + std::to_string(k % 7));
    }
    ASSERT_TRUE(database_->store()->OpenTable({"default", "T"}).value()->Write(&batch).ok());
  }
  void TearDown() override {
    connection_.reset();
    database_.reset();
    std::filesystem::remove_all(path_);
  }

  void Open() {
    connection_.reset();
    database_.reset();
    DatabaseOptions options;
    options.memory_bytes = size_t{512} << 20;
    options.write_sync = WriteSync::kOs;
    options.threads = 2;
    database_ = Database::Open(path_, options).value();
    connection_ = database_->Connect().value();
  }

  std::vector<std::string> Ask(const std::string& sql) { return AskRows(database_.get(), sql); }
  void Do(const std::string& sql) {
    const std::vector<std::string> answer = Ask(sql);
    EXPECT_THAT(answer, IsEmpty()) << sql;
  }

  // Waits for the statement whose text has this, until it has looked at some rows. 0: it never ran.
  int64_t AwaitRunning(const std::string& text, const std::atomic<bool>& ended) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!ended.load() && std::chrono::steady_clock::now() < end) {
      for (const StatementInfo& statement : database_->RunningStatements()) {
        const bool is_it = statement.text.find(text) != std::string::npos;
        if (is_it && statement.rows_read > 0) return statement.id;
      }
      std::this_thread::yield();
    }
    return 0;
  }

  // Runs 'sql' and cancels it when it has done some rows, until it was not too late for that.
  // 'undo' is run before another attempt.
  using Cancel = std::function<void(int64_t id)>;
  void CancelWhileItRuns(const std::string& sql, const std::string& undo, const Cancel& cancel) {
    for (int i = 0; i < kAttempts; ++i) {
      std::atomic<bool> ended{false};
      Status status;
      std::thread runner([&] {
        status = connection_->Execute(sql).status();
        ended.store(true);
      });
      if (const int64_t id = AwaitRunning(sql, ended); id != 0) cancel(id);
      runner.join();
      if (status.code() == StatusCode::kCancelled) return;
      ASSERT_TRUE(status.ok()) << sql << ": " << status.ToString();
      if (!undo.empty()) Do(undo);
    }
    FAIL() << sql << " always ended before it was cancelled";
  }
  void ByStatement(int64_t id) { Do("CANCEL STATEMENT " + std::to_string(id)); }

  // Cancels what the background does with the index, some seconds after it was to be built.
  void CancelInBackground(const std::string& index) {
    const std::atomic<bool> never{false};
    const int64_t id = AwaitRunning("CREATE INDEX " + index + " ON T (in the background)", never);
    ASSERT_NE(id, 0);
    ASSERT_TRUE(database_->CancelStatement(id).ok());
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (StateOf(index) == "b" && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  // As SYSTEM.CATALOG has it; "none": there is no such index.
  std::string StateOf(const std::string& index) {
    const auto state = Ask("SELECT index_state FROM SYSTEM.CATALOG WHERE table_name = '" + index +
                           "' AND index_state IS NOT NULL");
    return state.empty() ? "none" : state.front();
  }

  // The table is read and written, and no query asks the index.
  void ExpectTableWorks(const std::string& index) {
    const std::string key = std::to_string(next_key_++);
    Do("UPSERT INTO t VALUES (" + key + ", 777777, 'new')");
    Do("UPSERT INTO t (k, v) VALUES (5, 777777)");
    Do("DELETE FROM t WHERE k = 6");
    EXPECT_THAT(Ask("SELECT k FROM t WHERE v = 777777 AND w = 'new' AND k = " + key),
                ElementsAre(key));
    EXPECT_THAT(Ask("SELECT k FROM t WHERE v = 777777 AND k < 100"), ElementsAre("5"));
    EXPECT_THAT(Ask("EXPLAIN SELECT k FROM t WHERE v = 777777").front(), Not(HasSubstr(index)));
  }
  // It has what the table has, and queries ask it.
  void ExpectIndexWorks(const std::string& index, const std::string& name_in_plan) {
    EXPECT_EQ(StateOf(index), "a");
    EXPECT_THAT(Ask("CHECK INDEX " + index + " ON t"), IsEmpty());
    EXPECT_THAT(Ask("EXPLAIN SELECT k FROM t WHERE v = 777777").front(), HasSubstr(name_in_plan));
    Do("UPSERT INTO t VALUES (-1, 888888, 'last')");
    EXPECT_THAT(Ask("SELECT k FROM t WHERE v = 888888"), ElementsAre("-1"));
    EXPECT_THAT(Ask("CHECK INDEX " + index + " ON t"), IsEmpty());
  }

  std::filesystem::path path_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<SqlConnection> connection_;
  int next_key_ = 2 * static_cast<int>(kRows);
};

TEST_F(CancelledIndexBuildTest, OfCreateIndexLeavesNoIndex) {
  struct Kind {
    std::string create;
    Cancel cancel;
  };
  const std::vector<Kind> kinds = {
      {"CREATE INDEX t_v ON t (v) INCLUDE (w)", [this](int64_t id) { ByStatement(id); }},
      // As Ctrl-C in the shell does it.
      {"CREATE UNCOVERED INDEX t_v ON t (v)", [this](int64_t) { connection_->Cancel(); }},
      {"CREATE LOCAL INDEX t_v ON t (v)",
       [this](int64_t id) { EXPECT_TRUE(database_->CancelStatement(id).ok()); }}};
  for (const Kind& kind : kinds) {
    SCOPED_TRACE(kind.create);
    CancelWhileItRuns(kind.create, "DROP INDEX t_v ON t", kind.cancel);
    EXPECT_EQ(StateOf("T_V"), "none");
    const auto tables = database_->store()->admin()->ListTables().value();
    EXPECT_THAT(tables, Not(::testing::Contains(TableName{"default", "T_V"})));
    EXPECT_THAT(Ask("CHECK INDEX t_v ON t"), ElementsAre(HasSubstr("1042")));
    ExpectTableWorks("T_V");
    // The connection goes on, and the name is free.
    EXPECT_TRUE(connection_->Execute(kind.create).ok());
    const bool local = kind.create.find("LOCAL") != std::string::npos;
    ExpectIndexWorks("T_V", local ? "T_V(T)" : "OVER T_V");
    Do("DROP INDEX t_v ON t");
    Do("DELETE FROM t WHERE k = -1");
  }
}

TEST_F(CancelledIndexBuildTest, OfARebuildDisablesTheIndex) {
  for (const bool local : {false, true}) {
    SCOPED_TRACE(local ? "local" : "global");
    Do(local ? "CREATE LOCAL INDEX t_v ON t (v) INCLUDE (w)"
             : "CREATE INDEX t_v ON t (v) INCLUDE (w)");
    const std::string rebuild = "ALTER INDEX t_v ON t REBUILD";
    CancelWhileItRuns(rebuild, "", [this](int64_t id) { ByStatement(id); });
    EXPECT_EQ(StateOf("T_V"), "x");
    ExpectTableWorks("T_V");
    EXPECT_THAT(Ask("ALTER INDEX t_v ON t USABLE"), ElementsAre(HasSubstr("1028")));
    // Nor does the next opening of the store build it.
    Open();
    EXPECT_EQ(StateOf("T_V"), "x");
    ExpectTableWorks("T_V");
    Do(rebuild);
    ExpectIndexWorks("T_V", local ? "T_V(T)" : "OVER T_V");
    Do("DROP INDEX t_v ON t");
    Do("DELETE FROM t WHERE k = -1");
  }
}

TEST_F(CancelledIndexBuildTest, InTheBackgroundDisablesTheIndex) {
  Do("CREATE INDEX t_v ON t (v) INCLUDE (w) ASYNC");
  EXPECT_EQ(StateOf("T_V"), "b");
  CancelInBackground("T_V");
  EXPECT_EQ(StateOf("T_V"), "x");
  ExpectTableWorks("T_V");
  Do("ALTER INDEX t_v ON t REBUILD ASYNC");
  ExpectTableWorks("T_V");
  CancelInBackground("T_V");
  EXPECT_EQ(StateOf("T_V"), "x");
  ExpectTableWorks("T_V");
  Do("ALTER INDEX t_v ON t REBUILD");
  ExpectIndexWorks("T_V", "OVER T_V");
}

// One that cannot be built does not keep the next ones from it.
TEST_F(CancelledIndexBuildTest, TheBackgroundGoesOnBehindOneThatFails) {
  Do("CREATE INDEX a_fails ON t (1 / (v - 1)) ASYNC");
  Do("CREATE INDEX t_v ON t (v) INCLUDE (w) ASYNC");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (StateOf("T_V") != "a" && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_NE(StateOf("A_FAILS"), "a");
  Do("DROP INDEX a_fails ON t");
  ExpectIndexWorks("T_V", "OVER T_V");
}

}  // namespace
}  // namespace bennu
