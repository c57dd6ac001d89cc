// A store on disk that a test closes and opens again: statements go in, answers come out as AskRows
// gives them.
#ifndef BENNU_TESTS_BENNU_REOPENED_STORE_H_
#define BENNU_TESTS_BENNU_REOPENED_STORE_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bennu/database.h"
#include "src/base/env.h"
#include "tests/bennu/ask.h"

namespace bennu {

class ReopenedStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_reopened_" + std::to_string(Env::Default()->RandomU64()));
    Open();
  }
  void TearDown() override {
    database_.reset();
    std::filesystem::remove_all(path_);
  }
  void Open() {
    DatabaseOptions options;
    options.memory_bytes = size_t{64} << 20;
    auto database = Database::Open(path_, options);
    ASSERT_TRUE(database.ok()) << database.status().ToString();
    database_ = std::move(*database);
  }
  void Reopen() {
    database_.reset();
    Open();
  }

  std::vector<std::string> Ask(const std::string& sql, const std::string& tenant = {}) {
    return AskRows(database_.get(), sql, tenant);
  }
  void Do(const std::string& sql, const std::string& tenant = {}) {
    const std::vector<std::string> answer = Ask(sql, tenant);
    EXPECT_TRUE(answer.empty()) << sql << ": " << answer.front();
  }

  std::string path_;
  std::unique_ptr<Database> database_;
};

}  // namespace bennu

#endif  // BENNU_TESTS_BENNU_REOPENED_STORE_H_
