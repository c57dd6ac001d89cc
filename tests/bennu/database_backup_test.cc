// A backup of a database whose tables of SQL are being written: it opens, its catalog and its rows
// fit together, and what was acknowledged before the call is there.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "src/base/env.h"

namespace bennu {
namespace {

class DatabaseBackupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    base_ = std::filesystem::temp_directory_path() /
            ("bennu_backup_" + std::to_string(Env::Default()->RandomU64()));
    std::filesystem::create_directories(base_);
  }
  void TearDown() override { std::filesystem::remove_all(base_); }

  static std::unique_ptr<Database> Open(const std::string& path) {
    DatabaseOptions options;
    options.write_sync = WriteSync::kOs;
    auto database = Database::Open(path, options);
    EXPECT_TRUE(database.ok()) << database.status().ToString();
    return database.ok() ? std::move(database).value() : nullptr;
  }
  static int64_t One(SqlConnection* sql, const std::string& query) {
    auto rows = sql->Execute(query);
    EXPECT_TRUE(rows.ok()) << query << ": " << rows.status().ToString();
    if (!rows.ok()) return -1;
    const auto more = (*rows)->Next();
    EXPECT_TRUE(more.ok() && *more) << query;
    return (*rows)->GetInt64(0).value();
  }
  static void Run(SqlConnection* sql, const std::string& statement) {
    const auto done = sql->Execute(statement);
    EXPECT_TRUE(done.ok()) << statement << ": " << done.status().ToString();
  }

  std::string base_;
};

TEST_F(DatabaseBackupTest, WhileUpsertsRun) {
  constexpr int kWriters = 2;
  constexpr int kBackups = 3;
  std::vector<std::array<int64_t, kWriters>> promised;
  {
    auto database = Open(base_ + "/db");
    ASSERT_NE(database, nullptr);
    auto ddl = database->Connect().value();
    Run(ddl.get(),
        "CREATE TABLE EVENTS (WRITER INTEGER NOT NULL, N BIGINT NOT NULL, V VARCHAR "
        "CONSTRAINT PK PRIMARY KEY (WRITER, N)) SALT_BUCKETS=3");
    std::atomic<bool> stop{false};
    std::array<std::atomic<int64_t>, kWriters> acknowledged = {};
    std::vector<std::thread> threads;
    for (int w = 0; w < kWriters; ++w) {
      threads.emplace_back([&, w] {
        auto sql = database->Connect().value();
        auto upsert = sql->Prepare("UPSERT INTO EVENTS VALUES (?, ?, 'some text')").value();
        for (int64_t n = 0; !stop; ++n) {
          EXPECT_TRUE(upsert->Bind(0, w).ok() && upsert->Bind(1, n).ok());
          if (!upsert->Execute().ok()) return;
          acknowledged[static_cast<size_t>(w)] = n + 1;
        }
      });
    }
    threads.emplace_back([&] {
      auto sql = database->Connect().value();
      for (int i = 0; !stop; ++i) {
        const std::string name = "OTHER" + std::to_string(i);
        Run(sql.get(), "CREATE TABLE " + name + " (A INTEGER PRIMARY KEY)");
        Run(sql.get(), "UPSERT INTO " + name + " VALUES (1)");
        if (i % 2 == 0) Run(sql.get(), "DROP TABLE " + name);
      }
    });
    for (int i = 0; i < kBackups; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      promised.push_back({acknowledged[0], acknowledged[1]});
      const Status status = database->store()->admin()->Backup(base_ + "/copy" + std::to_string(i));
      EXPECT_TRUE(status.ok()) << status.ToString();
    }
    stop = true;
    for (auto& thread : threads) thread.join();
  }
  for (int i = 0; i < kBackups; ++i) {
    auto copy = Open(base_ + "/copy" + std::to_string(i));
    ASSERT_NE(copy, nullptr);
    auto sql = copy->Connect().value();
    for (int w = 0; w < kWriters; ++w) {
      const std::string where = " FROM EVENTS WHERE WRITER = " + std::to_string(w);
      const int64_t count = One(sql.get(), "SELECT COUNT(*)" + where);
      EXPECT_GE(count, promised[static_cast<size_t>(i)][static_cast<size_t>(w)]);
      // Nothing is missing between what is there.
      EXPECT_EQ(One(sql.get(), "SELECT MAX(N) + 1" + where), count);
    }
    Run(sql.get(), "UPSERT INTO EVENTS VALUES (9, 9, 'later')");
  }
}

}  // namespace
}  // namespace bennu
