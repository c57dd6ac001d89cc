// A store of its own with a connection: statements go in, rows come out as text.
#ifndef BENNU_TESTS_BENNU_SQL_FIXTURE_H_
#define BENNU_TESTS_BENNU_SQL_FIXTURE_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "src/base/env.h"

namespace bennu {

// Test: ::testing::Test, or one with a parameter.
template <typename Test>
class SqlFixture : public Test {
 protected:
  void OpenStore(size_t threads) {
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_sql_" + std::to_string(Env::Default()->RandomU64()));
    DatabaseOptions options;
    options.background_compaction = false;  // files stay as they are flushed
    options.threads = threads;
    database_ = Database::Open(path_, options).value();
    connection_ = database_->Connect().value();
  }
  void TearDown() override {
    connection_.reset();
    database_.reset();
    std::filesystem::remove_all(path_);
  }

  // All columns of all rows, a line each, "|" behind each column.
  std::string Run(const std::string& sql) { return Lines(sql, SIZE_MAX, "|"); }
  // The first column of all rows, a line each.
  std::string RunFirst(const std::string& sql) { return Lines(sql, 1, ""); }

  void Flush(const std::string& table) {
    EXPECT_TRUE(database_->store()->admin()->Flush({"default", table}).ok());
  }
  // All files into one.
  void Compact(const std::string& table) {
    EXPECT_TRUE(database_->store()->admin()->Compact({"default", table}, true).ok());
  }

  std::filesystem::path path_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<SqlConnection> connection_;

 private:
  std::string Lines(const std::string& sql, size_t columns, const char* behind) {
    auto result = connection_->Execute(sql);
    EXPECT_TRUE(result.ok()) << sql << ": " << result.status().ToString();
    std::string lines;
    while (result.ok() && (*result)->Next().value()) {
      for (size_t i = 0; i < std::min(columns, (*result)->columns().size()); ++i) {
        lines += (*result)->GetText(i) + behind;
      }
      lines += "\n";
    }
    return lines;
  }
};

}  // namespace bennu

#endif  // BENNU_TESTS_BENNU_SQL_FIXTURE_H_
