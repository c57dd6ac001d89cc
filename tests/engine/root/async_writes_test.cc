// Writes whose caller does not wait: an event loop hands them in and leads the log's round.
#include "src/engine/async_writes.h"

#include <array>
#include <atomic>
#include <optional>

#include "src/base/coding.h"
#include "src/base/mutex.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

// How a write ended.
class Ending {
 public:
  std::function<void(Status)> Teller() {
    return [this](const Status& status) {
      MutexLock lock(&mu_);
      EXPECT_FALSE(status_.has_value()) << "told twice";
      status_ = status;
      ended_.Signal();
    };
  }
  Status Wait() {
    MutexLock lock(&mu_);
    while (!status_.has_value()) ended_.Wait(&mu_);
    return *status_;
  }

 private:
  Mutex mu_;
  CondVar ended_;
  std::optional<Status> status_ GUARDED_BY(mu_);
};

class AsyncWritesTest : public EngineFixture, public ::testing::WithParamInterface<WalSync> {
 protected:
  void SetUp() override {
    EngineFixture::SetUp();
    EngineOptions options;
    options.wal_sync = GetParam();
    Open(options);
    table_ = CreateTable();
    writes_ = dynamic_cast<AsyncWrites*>(table_.get());
    ASSERT_NE(writes_, nullptr);
  }
  void TearDown() override {
    table_.reset();
    EngineFixture::TearDown();
  }
  static Table::Condition IfValueIs(ByteView value) {
    Table::Condition condition;
    condition.row = "row";
    condition.family = "f";
    condition.qualifier = "q";
    condition.value = value;
    return condition;
  }
  Bytes Value(const Bytes& row) const {
    Get get;
    get.row = row;
    const auto found = table_->GetRow(get);
    EXPECT_TRUE(found.ok());
    return found.ok() && !found->cells.empty() ? Bytes(found->cells[0].value_view()) : Bytes();
  }

  std::shared_ptr<Table> table_;
  AsyncWrites* writes_ = nullptr;
};

TEST_P(AsyncWritesTest, ManyWritesOneRound) {
  std::array<MutationBatch, 20> batches;
  std::array<Ending, 20> endings;
  for (size_t i = 0; i < batches.size(); ++i) {
    batches[i].StartRow("row" + std::to_string(i));
    batches[i].Put("f", "q", "value");
    writes_->MutateAsync(&batches[i], nullptr, endings[i].Teller());
  }
  writes_->LeadLog();
  for (Ending& ending : endings) {
    const Status status = ending.Wait();
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  EXPECT_EQ(Rows(table_.get()).size(), batches.size());
}

TEST_P(AsyncWritesTest, TheLogsThreadWritesWhatNobodyLeads) {
  MutationBatch batch;
  batch.StartRow("row");
  batch.Put("f", "q", "value");
  Ending ending;
  writes_->MutateAsync(&batch, nullptr, ending.Teller());
  EXPECT_TRUE(ending.Wait().ok());
  EXPECT_EQ(Value("row"), "value");
}

TEST_P(AsyncWritesTest, CountersSeeThoseBefore) {
  constexpr size_t kCount = 10;
  std::array<MutationBatch, kCount> batches;
  std::array<std::vector<Row>, kCount> results;
  std::array<Ending, kCount> endings;
  for (size_t i = 0; i < kCount; ++i) {
    batches[i].StartIncrement("row");
    batches[i].Increment("f", "q", 3);
    writes_->MutateAsync(&batches[i], &results[i], endings[i].Teller());
  }
  writes_->LeadLog();
  for (size_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE(endings[i].Wait().ok());
    ASSERT_EQ(results[i].size(), 1u);
    ASSERT_EQ(results[i][0].cells.size(), 1u);
    EXPECT_EQ(LoadBE64(results[i][0].cells[0].value), 3 * (i + 1));
  }
}

TEST_P(AsyncWritesTest, ConditionsThatHoldAndThatDoNot) {
  ASSERT_TRUE(Put(table_.get(), "row", "old").ok());
  MutationBatch first, second;
  for (MutationBatch* const batch : {&first, &second}) {
    batch->StartRow("row");
    batch->Put("f", "q", batch == &first ? "new" : "newer");
  }
  const Table::Condition condition = IfValueIs("old");
  Table::CheckedResult held, failed;
  Ending one, two;
  writes_->CheckAndMutateAsync(condition, &first, &held, one.Teller());
  // It sees what is not acknowledged yet, so it is told after it.
  writes_->CheckAndMutateAsync(condition, &second, &failed, two.Teller());
  writes_->LeadLog();
  ASSERT_TRUE(two.Wait().ok());
  ASSERT_TRUE(one.Wait().ok());
  EXPECT_TRUE(held.success);
  EXPECT_FALSE(failed.success);
  EXPECT_EQ(Value("row"), "new");
}

TEST_P(AsyncWritesTest, WhatCanNotBeWrittenIsToldAtOnce) {
  MutationBatch batch;
  batch.StartRow("row");
  batch.Put("no_such_family", "q", "value");
  Ending mutation, check;
  writes_->MutateAsync(&batch, nullptr, mutation.Teller());
  EXPECT_EQ(mutation.Wait().code(), StatusCode::kInvalidArgument);
  Table::CheckedResult result;
  const Table::Condition condition = IfValueIs("");
  writes_->CheckAndMutateAsync(condition, &batch, &result, check.Teller());
  EXPECT_EQ(check.Wait().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(result.success);
}

INSTANTIATE_TEST_SUITE_P(Logs, AsyncWritesTest, ::testing::Values(WalSync::kOs, WalSync::kFsync),
                         [](const auto& info) {
                           return info.param == WalSync::kOs ? "written" : "synced";
                         });

}  // namespace
}  // namespace bennu::engine
