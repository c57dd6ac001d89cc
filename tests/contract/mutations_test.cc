// Increment, Append, RowMutations, outcomes per mutation, options of mutations, and what reads can
// ask for, over each implementation of the data API.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "bennu/admin.h"
#include "bennu/table.h"
#include "src/base/coding.h"
#include "tests/contract/store_factory.h"

namespace bennu::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MutationsTest : public ::testing::TestWithParam<StoreFactory> {
 protected:
  void SetUp() override {
    store_ = GetParam().make();
    TableDescriptor descriptor;
    descriptor.name.qualifier = "t";
    descriptor.families.resize(2);
    descriptor.families[0].name = "f";
    descriptor.families[0].attributes["VERSIONS"] = "5";
    descriptor.families[1].name = "g";
    ASSERT_TRUE(admin()->CreateTable(descriptor, {"m"}).ok());
    Open();
  }
  void Open() {
    auto table = store_->connection()->OpenTable({"default", "t"});
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    table_ = std::move(table).value();
  }
  Admin* admin() { return store_->connection()->admin(); }
  static std::vector<std::string> Show(const std::vector<Cell>& cells, bool timestamps = false) {
    std::vector<std::string> shown;
    for (const Cell& cell : cells) {
      shown.push_back(Bytes(cell.row()) + "/" + Bytes(cell.family()) + ":" +
                      Bytes(cell.qualifier()) +
                      (timestamps ? "@" + std::to_string(cell.timestamp()) : "") + "=" +
                      Bytes(cell.value_view()));
    }
    return shown;
  }
  std::vector<std::string> Read(const Get& get, bool timestamps = false) {
    const auto row = table_->GetRow(get);
    EXPECT_TRUE(row.ok()) << row.status().ToString();
    return row.ok() ? Show(row->cells, timestamps) : std::vector<std::string>();
  }
  std::vector<std::string> Read(ByteView row, bool timestamps = false) {
    Get get;
    get.row = Bytes(row);
    return Read(get, timestamps);
  }

  std::unique_ptr<StoreUnderTest> store_;
  std::shared_ptr<Table> table_;
};

Bytes Long(int64_t value) {
  Bytes bytes;
  AppendBE64(&bytes, static_cast<uint64_t>(value));
  return bytes;
}

// Results come back in HBase's order, not that of the calls; what nobody wants stays empty.
TEST_P(MutationsTest, ResultsOfIncrementAndAppend) {
  MutationBatch batch;
  batch.StartIncrement("r");
  batch.Increment("g", "b", 2);
  batch.Increment("f", "z", 3);
  batch.Increment("f", "a", 1);
  batch.StartAppend("r");
  batch.Append("f", "s", "xy");
  batch.StartIncrement("q");
  batch.SetReturnResults(false);
  batch.Increment("f", "a", 7);
  batch.StartRow("q");
  batch.Put("f", "p", "v");
  std::vector<Row> results;
  ASSERT_TRUE(table_->Mutate(&batch, &results).ok());
  ASSERT_EQ(results.size(), 4u);
  EXPECT_THAT(Show(results[0].cells),
              ElementsAre("r/f:a=" + Long(1), "r/f:z=" + Long(3), "r/g:b=" + Long(2)));
  EXPECT_THAT(Show(results[1].cells), ElementsAre("r/f:s=xy"));
  EXPECT_THAT(results[2].cells, IsEmpty());
  EXPECT_THAT(results[3].cells, IsEmpty());
  EXPECT_THAT(Read("q"), ElementsAre("q/f:a=" + Long(7), "q/f:p=v"));
}

// Every mutation of a batch sees what was there before it.
TEST_P(MutationsTest, NewTimestampsAreLater) {
  const int64_t later = store_->connection()->NowMillis() + 1'000'000;
  MutationBatch batch;
  batch.StartAppend("r");
  batch.Append("f", "s", "a", later);
  ASSERT_TRUE(table_->Write(&batch).ok());
  batch.Clear();
  batch.StartAppend("r");
  batch.Append("f", "s", "b", 5);
  ASSERT_TRUE(table_->Write(&batch).ok());
  EXPECT_THAT(Read("r", true), ElementsAre("r/f:s@" + std::to_string(later + 1) + "=ab"));
  batch.Clear();
  batch.StartAppend("r");
  batch.SetReadTimeRange(0, later);  // nothing there
  batch.Append("f", "s", "c", later + 9);
  ASSERT_TRUE(table_->Write(&batch).ok());
  EXPECT_THAT(Read("r"), ElementsAre("r/f:s=c"));
}

TEST_P(MutationsTest, DeleteRowTakesEveryFamily) {
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("f", "a", "1", 10);
  batch.Put("g", "b", "2", 20);
  ASSERT_TRUE(table_->Write(&batch).ok());
  batch.Clear();
  batch.DeleteRow("r", 15);
  ASSERT_TRUE(table_->Write(&batch).ok());
  EXPECT_THAT(Read("r"), ElementsAre("r/g:b=2"));
  batch.Clear();
  batch.DeleteRow("r");
  ASSERT_TRUE(table_->Write(&batch).ok());
  EXPECT_THAT(Read("r"), IsEmpty());
}

// One bad mutation does not harm the others, in its region or elsewhere.
TEST_P(MutationsTest, OutcomesAreOfEachMutation) {
  MutationBatch batch;
  batch.StartRow("a");
  batch.Put("f", "q", "1");
  batch.StartRow("b");
  batch.Put("none", "q", "2");
  batch.StartIncrement("a");
  batch.Increment("f", "q", 1);  // not a counter
  batch.StartIncrement("c");
  batch.Increment("f", "n", 4);
  batch.StartRow("z");
  batch.Put("f", "q", "3");
  std::vector<Table::Outcome> outcomes;
  ASSERT_TRUE(table_->MutateEach(&batch, &outcomes).ok());
  ASSERT_EQ(outcomes.size(), 5u);
  EXPECT_TRUE(outcomes[0].status.ok());
  EXPECT_EQ(outcomes[1].status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(outcomes[1].status.message(), HasSubstr("none"));
  EXPECT_EQ(outcomes[2].status.code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(outcomes[3].status.ok());
  EXPECT_THAT(Show(outcomes[3].result.cells), ElementsAre("c/f:n=" + Long(4)));
  EXPECT_TRUE(outcomes[4].status.ok());
  EXPECT_THAT(Read("a"), ElementsAre("a/f:q=1"));
  EXPECT_THAT(Read("b"), IsEmpty());
  EXPECT_THAT(Read("z"), ElementsAre("z/f:q=3"));
}

TEST_P(MutationsTest, AtomicOnlyWithinARegion) {
  MutationBatch batch;
  batch.StartRow("a");
  batch.Put("f", "q", "1");
  batch.StartRow("b");
  batch.Put("f", "q", "2");
  EXPECT_TRUE(table_->MutateAtomically(&batch, nullptr).ok());
  batch.StartRow("z");
  batch.Put("f", "q", "3");
  EXPECT_EQ(table_->MutateAtomically(&batch, nullptr).code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(Read("z"), IsEmpty());
}

TEST_P(MutationsTest, TimeToLiveOfAMutation) {
  const int64_t now = store_->connection()->NowMillis();
  MutationBatch batch;
  batch.StartRow("r");
  batch.SetTtlMillis(1000);
  batch.Put("f", "gone", "v", now - 5000);
  batch.Put("f", "here", "v", now + 100'000);
  batch.StartRow("r");
  batch.Put("f", "plain", "v", now - 5000);
  ASSERT_TRUE(table_->Write(&batch).ok());
  EXPECT_THAT(Read("r"), ElementsAre("r/f:here=v", "r/f:plain=v"));
}

// What cannot be a mutation is refused with its name.
TEST_P(MutationsTest, Refusals) {
  MutationBatch batch;
  batch.StartRow("r");
  EXPECT_THAT(table_->Write(&batch).message(), HasSubstr("without columns"));
  batch.Clear();
  batch.StartAppend("r");
  batch.DeleteFamily("f");
  EXPECT_THAT(table_->Write(&batch).message(), HasSubstr("delete markers"));
  batch.Clear();
  batch.StartRow(Bytes(32768, 'r'));
  batch.Put("f", "q", "v");
  EXPECT_THAT(table_->Write(&batch).message(), HasSubstr("32767"));
  batch.Clear();
  batch.StartIncrement("r");
  batch.AddCell("f", "q", 1, CellType::kPut, "short");
  EXPECT_EQ(table_->Write(&batch).code(), StatusCode::kInvalidArgument);
}

TEST_P(MutationsTest, ReadsByFamily) {
  MutationBatch batch;
  batch.StartRow("r");
  for (const char* qualifier : {"a", "b", "c"}) {
    for (int64_t timestamp = 1; timestamp <= 3; ++timestamp) {
      batch.Put("f", qualifier, std::to_string(timestamp), timestamp);
    }
  }
  batch.Put("g", "a", "9", 9);
  ASSERT_TRUE(table_->Write(&batch).ok());
  Get get;
  get.row = "r";
  get.max_versions = 2;
  get.max_results_per_family = 3;
  get.row_offset_per_family = 1;
  EXPECT_THAT(Read(get), ElementsAre("r/f:a=2", "r/f:b=3", "r/f:b=2"));
  get = Get();
  get.row = "r";
  get.family_time_ranges["f"] = {.min = 0, .max = 3};
  EXPECT_THAT(Read(get), ElementsAre("r/f:a=2", "r/f:b=2", "r/f:c=2", "r/g:a=9"));
  get.time_range.max = 2;
  EXPECT_THAT(Read(get), ElementsAre("r/f:a=2", "r/f:b=2", "r/f:c=2"));
  EXPECT_TRUE(*table_->Exists(get));
  get.row = "s";
  EXPECT_FALSE(*table_->Exists(get));
}

// As HBase has them: nothing and the empty value are the same to a condition.
TEST_P(MutationsTest, ConditionsWithoutValue) {
  const auto check = [&](CompareOperator op, bool absent, ByteView qualifier) {
    MutationBatch batch;
    batch.StartRow("r");
    batch.Put("g", "mark", "1");
    Table::Condition condition;
    condition.row = "r";
    condition.family = "f";
    condition.qualifier = Bytes(qualifier);
    condition.expect_absent = absent;
    condition.op = op;
    const auto done = table_->CheckAndWrite(condition, &batch);
    EXPECT_TRUE(done.ok()) << done.status().ToString();
    return done.ok() && *done;
  };
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("f", "empty", "");
  batch.Put("f", "full", "v");
  ASSERT_TRUE(table_->Write(&batch).ok());
  for (const bool absent : {false, true}) {
    EXPECT_TRUE(check(CompareOperator::kEqual, absent, "none"));
    EXPECT_TRUE(check(CompareOperator::kEqual, absent, "empty"));
    EXPECT_FALSE(check(CompareOperator::kEqual, absent, "full"));
    EXPECT_FALSE(check(CompareOperator::kNotEqual, absent, "none"));
    EXPECT_FALSE(check(CompareOperator::kNotEqual, absent, "empty"));
    EXPECT_TRUE(check(CompareOperator::kNotEqual, absent, "full"));
  }
}

TEST_P(MutationsTest, DisabledTables) {
  const TableName name = table_->name();
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("f", "q", "v");
  ASSERT_TRUE(table_->Write(&batch).ok());
  ASSERT_TRUE(admin()->DisableTable(name).ok());
  EXPECT_EQ(admin()->DisableTable(name).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(table_->Write(&batch).code(), StatusCode::kFailedPrecondition);
  if (store_->Reopen()) Open();
  EXPECT_FALSE(*admin()->IsTableEnabled(name));
  Get get;
  get.row = "r";
  EXPECT_EQ(table_->GetRow(get).status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(table_->OpenScanner({}).status().code(), StatusCode::kFailedPrecondition);
  TableDescriptor descriptor = table_->descriptor();
  descriptor.families[0].attributes["VERSIONS"] = "2";
  ASSERT_TRUE(admin()->AlterTable(descriptor).ok());
  ASSERT_TRUE(admin()->EnableTable(name).ok());
  EXPECT_EQ(admin()->EnableTable(name).code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(Read("r"), ElementsAre("r/f:q=v"));
  EXPECT_EQ(table_->descriptor().families[0].max_versions(), 2);
}

INSTANTIATE_TEST_SUITE_P(Stores, MutationsTest, ::testing::ValuesIn(AllStores()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace bennu::testing
