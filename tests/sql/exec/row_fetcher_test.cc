// Rows by their keys, of a store that reads them by scans only.
#include "src/sql/exec/row_fetcher.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "bennu/descriptor.h"
#include "src/sql/exec/query.h"
#include "tests/support/memory_store.h"

namespace bennu::sql::exec {
namespace {

class RowFetcherTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TableDescriptor descriptor;
    descriptor.name = {"default", "T"};
    descriptor.families.emplace_back().name = "f";
    ASSERT_TRUE(memory_.CreateTable(descriptor, {"m"}).ok());
    table_ = memory_.OpenTable(descriptor.name).value();
    for (const char* row : {"a", "b", "c", "m", "x"}) {
      ASSERT_TRUE(table_->Put(row, "f", "q", std::string("value of ") + row).ok());
      ASSERT_TRUE(table_->Put(row, "f", "r", "not wanted").ok());
    }
  }

  // The values of the rows; "-" where there is no row.
  std::string Fetch(RowFetcher* fetcher, const std::vector<Bytes>& keys) {
    const Status status = fetcher->Fetch(keys);
    EXPECT_TRUE(status.ok()) << status.ToString();
    std::string values;
    for (size_t i = 0; i < keys.size(); ++i) {
      const std::span<const Cell> row = fetcher->row(i);
      EXPECT_LE(row.size(), 1u);
      values += row.empty() ? "-" : std::string(row[0].value_view());
      values += "|";
    }
    return values;
  }

  testing::MemoryStore memory_;
  std::shared_ptr<Table> table_;
};

// Keys come in any order, more than once, and some have no row.
TEST_F(RowFetcherTest, AnyKeys) {
  ExecContext context(&memory_, RunOptions{}, {});
  RowFetcher fetcher(&context, table_, {{"f", {"q"}}});
  EXPECT_EQ(Fetch(&fetcher, {"x", "a", "n", "m", "a", "bb"}),
            "value of x|value of a|-|value of m|value of a|-|");
  EXPECT_EQ(Fetch(&fetcher, {"0", "c"}), "-|value of c|");
  EXPECT_EQ(Fetch(&fetcher, {"zz"}), "-|");
  EXPECT_EQ(Fetch(&fetcher, {}), "");
}

// All reads of a run are of one moment.
TEST_F(RowFetcherTest, OneMoment) {
  ExecContext context(&memory_, RunOptions{}, {});
  RowFetcher fetcher(&context, table_, {{"f", {"q"}}});
  ASSERT_TRUE(table_->Put("a", "f", "q", "newer").ok());
  ASSERT_TRUE(table_->DeleteRow("b").ok());
  EXPECT_EQ(Fetch(&fetcher, {"a", "b"}), "value of a|value of b|");
}

}  // namespace
}  // namespace bennu::sql::exec
