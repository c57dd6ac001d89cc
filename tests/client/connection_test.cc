// What a connection asks its cluster for, and what it knows already.
#include <gtest/gtest.h>

#include "src/api/known_tables.h"
#include "tests/client/scripted_cluster.h"

namespace bennu::client {
namespace {

// OpenTable tells what is there now; what reads and writes rows needs the master once.
TEST(ConnectionTest, AKnownTableIsNotAskedForAgain) {
  ScriptedCluster cluster(1, {RowOf(10)});
  cluster.Put(RowOf(1), "q");
  cluster.Open(cluster.options());
  const auto asked = [&] { return cluster.Count("GetTableDescriptors"); };
  const int before = asked();
  for (int i = 0; i < 3; ++i) {
    const auto table = api::OpenKnownTable(cluster.connection(), TestTable());
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    Get get;
    get.row = RowOf(1);
    const auto row = (*table)->GetRow(get);
    ASSERT_TRUE(row.ok()) << row.status().ToString();
    EXPECT_FALSE(row->empty());
    EXPECT_EQ((*table)->SplitRange({}, 2)->size(), 2u);
  }
  EXPECT_EQ(asked(), before + 1);
  EXPECT_TRUE(cluster.connection()->OpenTable(TestTable()).ok());
  EXPECT_EQ(asked(), before + 2);
}

TEST(ConnectionTest, TheFirstTableThatIsThereIsRemembered) {
  ScriptedCluster cluster(1, {});
  cluster.Open(cluster.options());
  const TableName missing = {"default", "missing"};
  for (int i = 0; i < 3; ++i) {
    const auto table = api::OpenFirstKnownTable(cluster.connection(), missing, TestTable());
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    EXPECT_EQ((*table)->name(), TestTable());
  }
  EXPECT_EQ(cluster.Count("GetTableDescriptors"), 3);  // one for what Open opened
  EXPECT_EQ(api::OpenKnownTable(cluster.connection(), missing).status().code(),
            StatusCode::kNotFound);
}

}  // namespace
}  // namespace bennu::client
