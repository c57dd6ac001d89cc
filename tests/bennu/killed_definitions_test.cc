// Processes that die at every change of the file system in the middle of DROP TABLE, DROP VIEW,
// DROP INDEX and ALTER INDEX … REBUILD: what is dropped is there as a whole afterwards or gone as a
// whole, an index that is rebuilt is the old one or is built in the background, and the checker of
// `bennu check` finds no fault in what the dead process left.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "src/base/env.h"
#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/check/checker.h"
#include "tests/bennu/ask.h"

namespace bennu {
namespace {

using Lines = std::vector<std::string>;

constexpr int kPlacesMax = 2000;
constexpr std::chrono::seconds kBuildMax{120};

class KilledDefinitionsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    // In memory where that can be had: a thousand stores are copied, opened and synced.
    const std::filesystem::path memory = "/dev/shm";
    root_ =
        (::access(memory.c_str(), W_OK) == 0 ? memory : std::filesystem::temp_directory_path()) /
        ("bennu_killed_" + std::to_string(Env::Default()->RandomU64()));
    std::filesystem::create_directories(root_);
  }
  void TearDown() override {
    database_.reset();
    std::filesystem::remove_all(root_);
  }

  std::string Store() const { return root_ / "store"; }

  void Open() {
    DatabaseOptions options;
    options.memory_bytes = size_t{64} << 20;
    options.configuration = configuration_;
    auto database = Database::Open(Store(), options);
    ASSERT_TRUE(database.ok()) << database.status().ToString();
    database_ = std::move(*database);
  }
  Lines Ask(const std::string& sql) { return AskRows(database_.get(), sql); }
  void Do(const std::string& sql) {
    const Lines answer = Ask(sql);
    EXPECT_TRUE(answer.empty()) << sql << ": " << answer.front();
  }
  Admin* admin() { return database_->store()->admin(); }
  bool HasTable(const std::string& name) { return admin()->TableExists({"default", name}).value(); }
  // "a", "b" …; empty: there is no such index.
  std::string StateOf(const std::string& index) {
    const Lines rows = Ask("SELECT INDEX_STATE FROM SYSTEM.CATALOG WHERE TABLE_NAME = '" + index +
                           "' AND INDEX_STATE IS NOT NULL");
    return rows.empty() ? "" : rows.front();
  }
  Lines CatalogRowsOf(const std::string& names) {
    return Ask(
        "SELECT TABLE_NAME, COLUMN_NAME, COLUMN_FAMILY FROM SYSTEM.CATALOG "
        "WHERE TABLE_NAME IN (" +
        names + ")");
  }
  void ExpectInStep(const std::string& index, const std::string& table, const std::string& when) {
    EXPECT_EQ(Ask("CHECK INDEX " + index + " ON " + table), Lines()) << when << ": " << index;
  }
  void ExpectEmpty(const std::string& name, const std::string& when) {
    const auto table = database_->store()->OpenTable({"default", name});
    ASSERT_TRUE(table.ok()) << when;
    const auto scanner = (*table)->OpenScanner(Scan());
    ASSERT_TRUE(scanner.ok()) << when;
    CellBatch rows;
    ASSERT_TRUE((*scanner)->Next(1, &rows).ok()) << when;
    EXPECT_EQ(rows.row_count(), 0u) << when << ": " << name;
  }
  // The background does it some seconds after the opening.
  void WaitUntilBuilt(const std::string& index, const std::string& when) {
    const auto end = std::chrono::steady_clock::now() + kBuildMax;
    while (StateOf(index) == "b" && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_EQ(StateOf(index), "a") << when << ": " << index;
  }

  // Makes the store in which the processes begin.
  void Prepare(const Lines& statements) {
    Open();
    for (const std::string& sql : statements) Do(sql);
    database_.reset();
    std::filesystem::rename(Store(), root_ / "before");
  }

  // Runs the statement again and again, with a death at every 'stride'-th change of the file
  // system; 'beside', unless null, is called over and over in the same process meanwhile.
  // 'verify' is told whether the process died, of the store opened again.
  void DieEverywhere(const std::string& statement, int stride,
                     const std::function<void(Database*)>& beside,
                     const std::function<void(bool died, const std::string& when)>& verify) {
    bool died = true;
    int deaths = 0;
    for (int at = 1; died && at < kPlacesMax && !HasFailure(); at += stride) {
      std::filesystem::remove_all(Store());
      std::filesystem::copy(root_ / "before", Store(), std::filesystem::copy_options::recursive);
      const pid_t pid = ::fork();
      if (pid == 0) {
        ::alarm(120);
        SetLogLevel(LogLevel::kOff);
        ::_exit(Run(statement, at, beside));
      }
      int status = 0;
      ASSERT_EQ(::waitpid(pid, &status, 0), pid);
      died = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
      deaths += died ? 1 : 0;
      const std::string when = statement + ", death at " + std::to_string(at);
      ASSERT_TRUE(died || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) << when;
      ExpectNoFault(when);
      Open();
      verify(died, when);
      database_.reset();
    }
    EXPECT_FALSE(died) << statement;
    EXPECT_GT(deaths, 0) << statement;
  }

  std::map<std::string, std::string> configuration_;
  std::filesystem::path root_;
  std::unique_ptr<Database> database_;

 private:
  int Run(const std::string& statement, int at, const std::function<void(Database*)>& beside) {
    Open();
    std::atomic<bool> stop{false};
    std::thread other;
    if (beside != nullptr) {
      other = std::thread([&] {
        while (!stop.load()) beside(database_.get());
      });
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    static_cast<void>(ArmFailpoints("env.any=kill@" + std::to_string(at)));
    const Lines answer = Ask(statement);
    static_cast<void>(ArmFailpoints(""));
    stop.store(true);
    if (other.joinable()) other.join();
    return answer.empty() ? 0 : 1;
  }

  void ExpectNoFault(const std::string& when) const {
    const auto report = check::CheckStore(Env::Default(), Store(), {});
    ASSERT_TRUE(report.ok()) << when << ": " << report.status().ToString();
    for (const check::Finding& finding : report->findings) {
      EXPECT_NE(finding.level, check::Level::kFault)
          << when << ": " << check::FormatFinding(finding);
    }
  }
};

const Lines kTable = {
    "CREATE TABLE t (k VARCHAR PRIMARY KEY, a VARCHAR, b VARCHAR)",
    "CREATE INDEX t_a ON t (a)",
    "CREATE LOCAL INDEX t_l ON t (b)",
    "CREATE VIEW v AS SELECT * FROM t WHERE b = 'x'",
    "CREATE INDEX v_a ON v (a)",
    "CREATE LOCAL INDEX v_l ON v (a)",
    "UPSERT INTO t VALUES ('1', 'p', 'x'), ('2', 'q', 'y'), ('3', 'r', 'x')",
};
const Lines kRows = {"1|p|x", "2|q|y", "3|r|x"};

TEST_F(KilledDefinitionsTest, ADroppedTableIsWholeOrGone) {
  Prepare(kTable);
  DieEverywhere("DROP TABLE t CASCADE", 1, nullptr, [&](bool died, const std::string& when) {
    if (HasTable("T")) {
      EXPECT_TRUE(died) << when;
      EXPECT_EQ(Ask("SELECT /*+ NO_INDEX */ * FROM t"), kRows) << when;
      for (const std::string index : {"T_A", "T_L", "V_A", "V_L"}) EXPECT_EQ(StateOf(index), "a");
      ExpectInStep("t_a", "t", when);
      ExpectInStep("t_l", "t", when);
      ExpectInStep("v_a", "v", when);
      ExpectInStep("v_l", "v", when);
      Do("UPSERT INTO v (k, a) VALUES ('4', 's')");
      ExpectInStep("t_a", "t", when);
      EXPECT_EQ(Ask("SELECT COUNT(*) FROM SYSTEM.TASK"), Lines{"0"}) << when;
      Do("DROP TABLE t CASCADE");
    }
    for (const char* name : {"T", "T_A", "_IDX_T"}) EXPECT_FALSE(HasTable(name)) << when << name;
    EXPECT_EQ(CatalogRowsOf("'T', 'T_A', 'T_L', 'V', 'V_A', 'V_L'"), Lines()) << when;
    EXPECT_EQ(Ask("SELECT COUNT(*) FROM SYSTEM.TASK"), Lines{"0"}) << when;
    EXPECT_EQ(Ask("SELECT COUNT(*) FROM SYSTEM.CHILD_LINK"), Lines{"0"}) << when;
    // Nothing of what was there comes back.
    for (const std::string& sql : kTable) {
      if (!sql.starts_with("UPSERT")) Do(sql);
    }
    EXPECT_EQ(Ask("SELECT * FROM t"), Lines()) << when;
    EXPECT_EQ(Ask("SELECT * FROM v"), Lines()) << when;
    Do("UPSERT INTO t VALUES ('5', 'p', 'x')");
    for (const char* index : {"t_a", "t_l"}) ExpectInStep(index, "t", when);
    for (const char* index : {"v_a", "v_l"}) ExpectInStep(index, "v", when);
  });
}

TEST_F(KilledDefinitionsTest, ADroppedMultiTenantTableIsWholeOrGone) {
  Prepare(
      {"CREATE TABLE m (t VARCHAR NOT NULL, k VARCHAR NOT NULL, a VARCHAR "
       "CONSTRAINT pk PRIMARY KEY (t, k)) MULTI_TENANT = true, SALT_BUCKETS = 2",
       "CREATE INDEX m_a ON m (a)", "UPSERT INTO m VALUES ('a', '1', 'p')"});
  DieEverywhere("DROP TABLE m", 1, nullptr, [&](bool died, const std::string& when) {
    if (HasTable("M")) {
      EXPECT_TRUE(died) << when;
      EXPECT_EQ(Ask("SELECT * FROM m"), Lines{"a|1|p"}) << when;
      ExpectInStep("m_a", "m", when);
      return;
    }
    EXPECT_FALSE(HasTable("M_A")) << when;
    EXPECT_EQ(CatalogRowsOf("'M', 'M_A'"), Lines()) << when;
  });
}

TEST_F(KilledDefinitionsTest, ADroppedSchemaIsWholeOrGone) {
  configuration_["phoenix.schema.isNamespaceMappingEnabled"] = "true";
  Prepare({"CREATE SCHEMA s"});
  DieEverywhere("DROP SCHEMA s", 1, nullptr, [&](bool /*died*/, const std::string& when) {
    Do("CREATE SCHEMA IF NOT EXISTS s");
    Do("CREATE TABLE s.t (k VARCHAR PRIMARY KEY)");
    EXPECT_EQ(Ask("SELECT * FROM s.t"), Lines()) << when;
  });
}

// A view goes with the rows of its indexes, which lie among those of others.
TEST_F(KilledDefinitionsTest, ADroppedViewIsWholeOrGone) {
  Prepare(kTable);
  int waits = 0;
  DieEverywhere("DROP VIEW v", 1, nullptr, [&](bool died, const std::string& when) {
    EXPECT_EQ(Ask("SELECT /*+ NO_INDEX */ * FROM t"), kRows) << when;
    if (CatalogRowsOf("'V'").empty()) {
      EXPECT_EQ(CatalogRowsOf("'V_A', 'V_L'"), Lines()) << when;
      ExpectEmpty("_IDX_T", when);
    } else {
      EXPECT_TRUE(died) << when;
      const bool is_built = StateOf("V_A") == "a" && StateOf("V_L") == "a";
      for (const std::string index : {"V_A", "V_L"}) {
        if (!is_built && waits < 2) WaitUntilBuilt(index, when);
        if (StateOf(index) == "a") {
          ExpectInStep(index, "v", when);
        } else {
          EXPECT_EQ(StateOf(index), "b") << when;
        }
      }
      waits += is_built ? 0 : 1;
    }
    for (const char* index : {"t_a", "t_l"}) ExpectInStep(index, "t", when);
    Do("UPSERT INTO t VALUES ('4', 's', 'x')");
    for (const char* index : {"t_a", "t_l"}) ExpectInStep(index, "t", when);
  });
  EXPECT_GT(waits, 0);
}

TEST_F(KilledDefinitionsTest, ADroppedIndexIsWholeOrGone) {
  Prepare(kTable);
  const std::vector<std::pair<std::string, std::string>> indexes = {
      {"T_A", "t"}, {"T_L", "t"}, {"V_A", "v"}};
  for (const auto& [index, table] : indexes) {
    int waits = 0;
    DieEverywhere("DROP INDEX " + index + " ON " + table, 1, nullptr,
                  [&](bool died, const std::string& when) {
                    Do("UPSERT INTO t VALUES ('4', 's', 'x')");
                    if (StateOf(index).empty()) {
                      EXPECT_EQ(CatalogRowsOf("'" + index + "'"), Lines()) << when;
                      EXPECT_FALSE(HasTable(index)) << when;
                      if (index == "V_A") ExpectEmpty("_IDX_T", when);
                      return;
                    }
                    EXPECT_TRUE(died) << when;
                    if (StateOf(index) == "b" && waits++ == 0) WaitUntilBuilt(index, when);
                    if (StateOf(index) == "a") {
                      ExpectInStep(index, table, when);
                    } else {
                      EXPECT_EQ(StateOf(index), "b") << when;
                    }
                  });
    EXPECT_GT(waits, 0) << index;
  }
}

// While others write the table, so that rows pass an index by that is being emptied.
TEST_F(KilledDefinitionsTest, ARebuiltIndexIsTheOldOneOrIsBuilt) {
  Prepare(kTable);
  const std::vector<std::pair<std::string, std::string>> indexes = {
      {"T_A", "t"}, {"T_L", "t"}, {"V_A", "v"}};
  for (const auto& [index, table] : indexes) {
    int waits = 0;
    std::atomic<int> number{0};
    const auto write = [&](Database* database) {
      const std::string n = std::to_string(number.fetch_add(1));
      AskRows(database, "UPSERT INTO t VALUES ('1', 'p" + n + "', 'x')");
      AskRows(database, "DELETE FROM t WHERE k = '3'");
      AskRows(database, "UPSERT INTO t VALUES ('3', 'r" + n + "', 'x')");
    };
    DieEverywhere("ALTER INDEX " + index + " ON " + table + " REBUILD", 3, write,
                  [&](bool died, const std::string& when) {
                    if (index == "T_A") {
                      EXPECT_TRUE(admin()->IsTableEnabled({"default", "T_A"}).value()) << when;
                    }
                    if (StateOf(index) == "b") {
                      EXPECT_TRUE(died) << when;
                      Do("UPSERT INTO t VALUES ('4', 's', 'x')");
                      if (waits++ > 0) return;
                      WaitUntilBuilt(index, when);
                    }
                    EXPECT_EQ(StateOf(index), "a") << when;
                    ExpectInStep(index, table, when);
                  });
    EXPECT_GT(waits, 0) << index;
  }
}

}  // namespace
}  // namespace bennu
