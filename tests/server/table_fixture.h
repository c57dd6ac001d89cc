// An engine over a directory of its own, with the table "t" of one family "f".
#ifndef BENNU_TESTS_SERVER_TABLE_FIXTURE_H_
#define BENNU_TESTS_SERVER_TABLE_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "src/engine/open.h"
#include "tests/base/temp_directory.h"

namespace bennu::server {

template <typename Test = testing::Test>
class TableFixture : public Test {
 protected:
  // The table's regions begin at 'splits'.
  void OpenStore(const std::vector<Bytes>& splits = {}) {
    auto opened = engine::OpenEngine(directory_.Join("store"));
    ASSERT_TRUE(opened.ok()) << opened.status().ToString();
    engine_ = std::move(opened).value();
    TableDescriptor descriptor;
    descriptor.name.qualifier = "t";
    descriptor.families.emplace_back().name = "f";
    ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, splits).ok());
    auto table = engine_->OpenTable(descriptor.name);
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    table_ = *std::move(table);
  }
  // What stands on the store must be gone.
  void CloseStore() {
    table_.reset();
    ASSERT_NE(engine_, nullptr);
    EXPECT_TRUE(engine_->Close().ok());
  }

  TempDirectory directory_;
  std::unique_ptr<engine::Engine> engine_;
  std::shared_ptr<Table> table_;
};

}  // namespace bennu::server

#endif  // BENNU_TESTS_SERVER_TABLE_FIXTURE_H_
