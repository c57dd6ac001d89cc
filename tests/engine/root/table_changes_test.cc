// Changes of tables together with rows of others (src/api/table_changes.h): what one of them means,
// and what is left after one that fails.
#include "src/api/table_changes.h"

#include <string>

#include "bennu/admin.h"
#include "src/base/failpoint.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TableChangesTest : public EngineFixture {
 protected:
  void TearDown() override {
    EXPECT_TRUE(ArmFailpoints("").ok());
    EngineFixture::TearDown();
  }
  static api::TableRows RowsOf(const std::string& table, const std::string& deleted,
                               const std::string& put, int64_t timestamp) {
    api::TableRows rows;
    MutationBatch& batch = rows[TableName{"default", table}];
    batch.StartRow(deleted);
    batch.DeleteFamily("f", timestamp);
    batch.StartRow(put);
    batch.Put("f", "q", "new", timestamp);
    return rows;
  }
  bool Has(const std::string& name) {
    return engine_->admin()->TableExists({"default", name}).value();
  }
};

TEST_F(TableChangesTest, TablesGoTogetherWithRowsOfAnother) {
  Open();
  const auto notes = CreateTable("notes");
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(Put(CreateTable(name).get(), "r").ok());
  ASSERT_TRUE(Put(notes.get(), "old").ok());
  const api::TableRows rows = RowsOf("notes", "old", "new", engine_->NowMillis());
  // One that is not there is none to drop.
  const Status dropped =
      engine_->DropTables({{"default", "a"}, {"default", "missing"}, {"default", "b"}}, rows);
  ASSERT_TRUE(dropped.ok()) << dropped.ToString();
  for (const bool reopened : {false, true}) {
    if (reopened) Open();
    EXPECT_FALSE(Has("a"));
    EXPECT_FALSE(Has("b"));
    EXPECT_THAT(Rows(OpenTable("c").get()), ElementsAre("r"));
    EXPECT_THAT(Rows(OpenTable("notes").get()), ElementsAre("new"));
  }
  EXPECT_THAT(Find("/data/default/a/"), IsEmpty());
}

TEST_F(TableChangesTest, RowsAloneAreWritten) {
  Open();
  ASSERT_TRUE(Put(CreateTable("notes").get(), "old").ok());
  ASSERT_TRUE(engine_->DropTables({}, RowsOf("notes", "old", "new", engine_->NowMillis())).ok());
  EXPECT_THAT(Rows(OpenTable("notes").get()), ElementsAre("new"));
  EXPECT_TRUE(engine_->DropTables({}, {}).ok());
}

TEST_F(TableChangesTest, WhatIsRefusedChangesNothing) {
  Open();
  ASSERT_TRUE(Put(CreateTable("notes").get(), "old").ok());
  ASSERT_TRUE(Put(CreateTable("a").get(), "r").ok());
  const TableName a{"default", "a"};
  const auto expect_unchanged = [&] {
    EXPECT_THAT(Rows(OpenTable("notes").get()), ElementsAre("old"));
    EXPECT_THAT(Rows(OpenTable("a").get()), ElementsAre("r"));
    EXPECT_THAT(Find(".dropping"), IsEmpty());
  };
  const Status untimed = engine_->DropTables({a}, RowsOf("notes", "old", "new", kLatestTimestamp));
  EXPECT_EQ(untimed.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(untimed.message(), HasSubstr("times of its own"));
  expect_unchanged();
  EXPECT_EQ(engine_->DropTables({a}, RowsOf("missing", "old", "new", 1)).code(),
            StatusCode::kNotFound);
  expect_unchanged();
  EXPECT_EQ(engine_->DropTables({a, {"hbase", "meta"}}, {}).code(), StatusCode::kInvalidArgument);
  expect_unchanged();
  ASSERT_TRUE(ArmFailpoints("admin.drop.after_mark=error@1").ok());
  EXPECT_FALSE(engine_->DropTables({a}, RowsOf("notes", "old", "new", 1)).ok());
  expect_unchanged();
}

TEST_F(TableChangesTest, ANamespaceGoesTogetherWithRows) {
  Open();
  ASSERT_TRUE(Put(CreateTable("notes").get(), "old").ok());
  ASSERT_TRUE(engine_->admin()->CreateNamespace("n").ok());
  ASSERT_TRUE(
      engine_->DropNamespaceWith("n", RowsOf("notes", "old", "new", engine_->NowMillis())).ok());
  EXPECT_THAT(Rows(OpenTable("notes").get()), ElementsAre("new"));
  EXPECT_EQ(engine_->admin()->DescribeNamespace("n").status().code(), StatusCode::kNotFound);
}

TEST_F(TableChangesTest, AnEmptiedTableStaysEnabledAndKeepsItsBorders) {
  Open();
  TableDescriptor descriptor;
  descriptor.name.qualifier = "t";
  descriptor.families.emplace_back().name = "f";
  ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, {"m"}).ok());
  ASSERT_TRUE(Put(OpenTable().get(), "a").ok());
  ASSERT_TRUE(Put(OpenTable().get(), "z").ok());
  const TableName name{"default", "t"};
  ASSERT_TRUE(engine_->EmptyTable(name).ok());
  EXPECT_TRUE(engine_->admin()->IsTableEnabled(name).value());
  EXPECT_THAT(Rows(OpenTable().get()), IsEmpty());
  EXPECT_EQ(OpenTable()->regions().size(), 2u);
  ASSERT_TRUE(Put(OpenTable().get(), "b").ok());
  Open();
  EXPECT_THAT(Rows(OpenTable().get()), ElementsAre("b"));
  ASSERT_TRUE(engine_->admin()->DisableTable(name).ok());
  EXPECT_EQ(engine_->EmptyTable(name).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(engine_->EmptyTable({"default", "missing"}).code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace bennu::engine
