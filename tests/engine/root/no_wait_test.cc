// Code that would have to wait gives up in a NoWaitScope, nothing has happened then, and the same
// call does its work outside of one.
#include "src/base/no_wait.h"

#include "src/engine/async_writes.h"
#include "src/engine/region/region_services.h"
#include "src/engine/region/row_locks.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

class NoWaitTest : public EngineFixture {
 protected:
  static Status GetRow(Table* table, const std::string& row, std::string* value) {
    Get get;
    get.row = row;
    return table->GetCells(get, [&](const Cell* cells, size_t count) {
      if (count > 0) *value = std::string(cells[0].value_view());
    });
  }
};

// A block that is not in the cache.
TEST_F(NoWaitTest, GetsDoNotReadTheDisk) {
  Open();
  ASSERT_TRUE(Put(CreateTable().get(), "r", "v").ok());
  ASSERT_TRUE(engine_->admin()->Flush({"default", "t"}).ok());
  Open();  // the cache is empty
  const auto table = OpenTable();
  std::string value;
  {
    NoWaitScope scope;
    EXPECT_FALSE(GetRow(table.get(), "r", &value).ok());
    EXPECT_TRUE(scope.refused());
  }
  ASSERT_TRUE(GetRow(table.get(), "r", &value).ok());
  EXPECT_EQ(value, "v");
  NoWaitScope scope;
  value.clear();
  ASSERT_TRUE(GetRow(table.get(), "r", &value).ok());
  EXPECT_EQ(value, "v");
  EXPECT_FALSE(scope.refused());
}

// What an Increment has to read first; it is not done by half.
TEST_F(NoWaitTest, IncrementsThatReadTheDiskDoNothing) {
  Open();
  MutationBatch batch;
  batch.StartIncrement("r");
  batch.Increment("f", "q", 5);
  ASSERT_TRUE(CreateTable()->Write(&batch).ok());
  ASSERT_TRUE(engine_->admin()->Flush({"default", "t"}).ok());
  Open();
  const auto table = OpenTable();
  const auto writes = engine_->OpenServedTable(table->name()).value();
  std::vector<Row> results;
  Status outcome;
  {
    NoWaitScope scope;
    writes->MutateAsync(&batch, &results, [&](const Status& status) { outcome = status; });
    EXPECT_TRUE(scope.refused());
    EXPECT_FALSE(outcome.ok());
  }
  ASSERT_TRUE(table->Mutate(&batch, &results).ok());
  ASSERT_EQ(results.size(), 1u);
  ASSERT_EQ(results[0].cells.size(), 1u);
  EXPECT_EQ(results[0].cells[0].value_view(), ByteView("\0\0\0\0\0\0\0\x0a", 8));
}

TEST(NoWait, RowsOfOthers) {
  RowLocks locks;
  ASSERT_TRUE(locks.Lock("a"));
  NoWaitScope scope;
  EXPECT_TRUE(locks.Lock("b"));
  EXPECT_FALSE(scope.refused());
  EXPECT_FALSE(locks.Lock("a"));
  EXPECT_TRUE(scope.refused());
  locks.Unlock("a");
  locks.Unlock("b");
  EXPECT_TRUE(locks.Lock("a"));
  locks.Unlock("a");
}

TEST(NoWait, FullMemory) {
  MemoryBudget budget(/*flush_above=*/10, /*stall_above=*/20, /*stall_millis_max=*/60'000);
  budget.Add(21);
  NoWaitScope scope;
  EXPECT_EQ(budget.WaitForRoom().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(scope.refused());
}

}  // namespace
}  // namespace bennu::engine
