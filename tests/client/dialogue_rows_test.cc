// Single rows and batches of them.
#include <algorithm>
#include <optional>

#include "bennu/filter.h"
#include "src/base/coding.h"
#include "tests/client/dialogue_fixture.h"

namespace bennu::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(DialogueTest, PutsOverSeveralRegions) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  const auto table = Create(connection.get(), Describe("puts", {"f", "g"}), {RowOf(10), RowOf(20)});
  ASSERT_NE(table, nullptr);
  const std::vector<RegionInfo> regions = table->regions();
  ASSERT_THAT(regions, SizeIs(3));
  EXPECT_EQ(regions[0].start_key, "");
  EXPECT_EQ(regions[1].start_key, RowOf(10));
  EXPECT_EQ(regions[2].end_key, "");

  ASSERT_TRUE(table->Put(RowOf(0), "g", "single", "put", 5).ok());
  ASSERT_TRUE(PutRows(table.get(), 0, 24).ok());
  EXPECT_EQ(ReadRows(table.get(), {}), RowsOf(0, 24));
  const auto row = table->GetRow({.row = RowOf(0)});
  ASSERT_TRUE(row.ok());
  EXPECT_THAT(CellTexts(*row), ElementsAre("f:q=0", "g:single=put"));

  MutationBatch batch;
  for (const int number : {23, 1, 15, 12}) {
    batch.StartRow(RowOf(number));
    batch.DeleteFamily("f");
  }
  batch.DeleteRow(RowOf(0));
  std::vector<Table::Outcome> outcomes;
  ASSERT_TRUE(table->MutateEach(&batch, &outcomes).ok());
  ASSERT_THAT(outcomes, SizeIs(5));
  for (const Table::Outcome& outcome : outcomes) EXPECT_TRUE(outcome.status.ok());
  std::vector<Bytes> left = RowsOf(0, 24);
  for (const int number : {23, 1, 15, 12, 0}) {
    left.erase(std::find(left.begin(), left.end(), RowOf(number)));
  }
  EXPECT_EQ(ReadRows(table.get(), {}), left);
}

TEST_F(DialogueTest, Gets) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  const auto table = Create(connection.get(), Describe("gets", {"f", "g"}, {{"VERSIONS", "3"}}));
  ASSERT_NE(table, nullptr);
  MutationBatch batch;
  batch.StartRow("row");
  for (const int64_t time : {1, 2, 3, 4}) {
    batch.Put("f", "q", "v" + std::to_string(time), time);
  }
  batch.Put("f", "r", "", 2);
  batch.Put("g", "q", Bytes("\0\xff", 2), 7);
  ASSERT_TRUE(table->Write(&batch).ok());
  const auto get = [&](const Get& asked) -> std::vector<std::string> {
    const auto row = table->GetRow(asked);
    EXPECT_TRUE(row.ok()) << row.status().ToString();
    return row.ok() ? CellTexts(*row, true) : std::vector<std::string>();
  };
  EXPECT_THAT(get({.row = "row"}), ElementsAre("f:q@4=v4", "f:r@2=", "g:q@7=\\x00\\xFF"));
  // The family keeps three.
  EXPECT_THAT(get({.row = "row", .columns = {{"f", {"q"}}}, .max_versions = 10}),
              ElementsAre("f:q@4=v4", "f:q@3=v3", "f:q@2=v2"));
  EXPECT_THAT(get({.row = "row", .time_range = {2, 4}, .max_versions = 10}),
              ElementsAre("f:q@3=v3", "f:q@2=v2", "f:r@2="));
  EXPECT_THAT(get({.row = "row", .columns = {{"g", {}}}}), ElementsAre("g:q@7=\\x00\\xFF"));
  EXPECT_THAT(get({.row = "row", .columns = {{"f", {"r", "none"}}}}), ElementsAre("f:r@2="));
  EXPECT_THAT(get({.row = "row", .max_results_per_family = 1, .row_offset_per_family = 1}),
              ElementsAre("f:r@2="));
  EXPECT_THAT(
      get({.row = "row", .filter = NewValueFilter(CompareOp::kEqual, NewBinaryComparator("v4"))}),
      ElementsAre("f:q@4=v4"));
  EXPECT_THAT(get({.row = "none"}), IsEmpty());
  EXPECT_EQ(table->ReadValue("row", "f", "r").value(), std::optional<Bytes>(""));
  EXPECT_EQ(table->ReadValue("row", "f", "none").value(), std::nullopt);
  EXPECT_TRUE(table->Exists({.row = "row"}).value());
  EXPECT_FALSE(table->Exists({.row = "none"}).value());

  const auto no_family = table->GetRow({.row = "row", .columns = {{"none", {}}}});
  EXPECT_EQ(no_family.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(no_family.status().message(), HasSubstr("none does not exist"));
}

TEST_F(DialogueTest, IncrementsAndAppends) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  const auto table = Create(connection.get(), Describe("increments", {"f"}), {"m"});
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->Increment("a", "f", "n", 5).value(), 5);
  EXPECT_EQ(table->Increment("a", "f", "n", -7).value(), -2);
  MutationBatch batch;
  batch.StartAppend("z");
  batch.Append("f", "t", "one");
  batch.StartIncrement("a");
  batch.Increment("f", "n", 10);
  batch.Increment("f", "other", 1);
  batch.StartIncrement("z");
  batch.SetReturnResults(false);
  batch.Increment("f", "n", 3);
  std::vector<Row> results;
  ASSERT_TRUE(table->Mutate(&batch, &results).ok());
  ASSERT_THAT(results, SizeIs(3));
  EXPECT_THAT(CellTexts(results[0]), ElementsAre("f:t=one"));
  EXPECT_THAT(CellTexts(results[1]),
              ElementsAre("f:n=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x08",
                          "f:other=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01"));
  EXPECT_THAT(CellTexts(results[2]), IsEmpty());
  batch.Clear();
  batch.StartAppend("z");
  batch.Append("f", "t", ", two");
  ASSERT_TRUE(table->Mutate(&batch, &results).ok());
  EXPECT_THAT(CellTexts(results[0]), ElementsAre("f:t=one, two"));

  ASSERT_TRUE(table->Put("a", "f", "text", "no number").ok());
  const auto refused = table->Increment("a", "f", "text", 1);
  EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.status().message(), HasSubstr("not a long"));
}

TEST_F(DialogueTest, ChecksBeforeChanges) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  const auto table = Create(connection.get(), Describe("checks", {"f"}), {"m"});
  ASSERT_NE(table, nullptr);
  MutationBatch put;
  put.StartRow("row");
  put.Put("f", "q", "first");
  const Table::Condition absent = {
      .row = "row", .family = "f", .qualifier = "q", .expect_absent = true};
  EXPECT_TRUE(table->CheckAndWrite(absent, &put).value());
  EXPECT_FALSE(table->CheckAndWrite(absent, &put).value());
  put.Clear();
  put.StartRow("row");
  put.Put("f", "q", "second");
  EXPECT_FALSE(
      table->CheckAndWrite({.row = "row", .family = "f", .qualifier = "q", .value = "else"}, &put)
          .value());
  EXPECT_EQ(table->ReadValue("row", "f", "q").value(), std::optional<Bytes>("first"));
  // The given value is greater than what is there.
  EXPECT_TRUE(table
                  ->CheckAndWrite({.row = "row",
                                   .family = "f",
                                   .qualifier = "q",
                                   .op = CompareOperator::kGreater,
                                   .value = "g"},
                                  &put)
                  .value());
  EXPECT_EQ(table->ReadValue("row", "f", "q").value(), std::optional<Bytes>("second"));

  MutationBatch several;
  several.StartRow("row");
  several.DeleteColumn("f", "q");
  several.StartIncrement("row");
  several.Increment("f", "n", 4);
  const auto checked = table->CheckAndMutate(
      {.row = "row", .filter = NewValueFilter(CompareOp::kEqual, NewBinaryPrefixComparator("sec"))},
      &several);
  ASSERT_TRUE(checked.ok()) << checked.status().ToString();
  EXPECT_TRUE(checked->success);
  EXPECT_THAT(CellTexts(checked->result),
              ElementsAre("f:n=\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x04"));
  EXPECT_EQ(table->ReadValue("row", "f", "q").value(), std::nullopt);
}

TEST_F(DialogueTest, RowsThatChangeAtomically) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  const auto table = Create(connection.get(), Describe("atomic", {"f", "g"}), {"m"});
  ASSERT_NE(table, nullptr);
  ASSERT_TRUE(table->Put("a", "f", "old", "x").ok());
  MutationBatch batch;
  batch.StartRow("a");
  batch.Put("g", "new", "y");
  batch.DeleteColumn("f", "old");
  std::vector<Row> results;
  ASSERT_TRUE(table->MutateAtomically(&batch, &results).ok());
  EXPECT_THAT(CellTexts(table->ReadRow("a").value()), ElementsAre("g:new=y"));

  // Rows of one region, of which one has a family that is not there.
  batch.Clear();
  batch.StartRow("b");
  batch.Put("f", "q", "z");
  batch.StartRow("c");
  batch.Put("none", "q", "z");
  const Status refused = table->MutateAtomically(&batch, &results);
  EXPECT_EQ(refused.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(CellTexts(table->ReadRow("b").value()), IsEmpty());

  batch.Clear();
  batch.StartRow("b");
  batch.Put("f", "q", "z");
  batch.StartRow("z");
  batch.Put("f", "q", "z");
  EXPECT_THAT(table->MutateAtomically(&batch, &results).message(), HasSubstr("several regions"));
}

TEST_F(DialogueTest, OneOfABatchFails) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  const auto table = Create(connection.get(), Describe("batch", {"f"}), {"m"});
  ASSERT_NE(table, nullptr);
  MutationBatch batch;
  for (const auto& [row, family] : {std::pair("a", "f"), {"b", "none"}, {"c", "f"}, {"z", "f"}}) {
    batch.StartRow(row);
    batch.Put(family, "q", row);
  }
  std::vector<Table::Outcome> outcomes;
  ASSERT_TRUE(table->MutateEach(&batch, &outcomes).ok());
  ASSERT_THAT(outcomes, SizeIs(4));
  EXPECT_TRUE(outcomes[0].status.ok());
  EXPECT_EQ(outcomes[1].status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(outcomes[1].status.message(), HasSubstr("none"));
  EXPECT_TRUE(outcomes[2].status.ok());
  EXPECT_TRUE(outcomes[3].status.ok());
  EXPECT_THAT(ReadCells(table.get(), {}), ElementsAre("a f:q=a", "c f:q=c", "z f:q=z"));
}

}  // namespace
}  // namespace bennu::client
