// Writes whose caller does not wait: an event loop hands them in and leads the log's round.
#include "src/engine/async_writes.h"

#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

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
    served_ = engine_->OpenServedTable(table_->name()).value();
    writes_ = served_.get();
  }
  void TearDown() override {
    table_.reset();
    served_.reset();
    EngineFixture::TearDown();
  }
  static Table::Condition IfValueIs(ByteView value) { return IfValueIs("row", value); }
  static Table::Condition IfValueIs(ByteView row, ByteView value) {
    Table::Condition condition;
    condition.row = row;
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
  std::shared_ptr<ServedTable> served_;  // the same table
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

// HBase's MultiRowMutationEndpoint: all conditions or none, of rows that need not be written.
TEST_P(AsyncWritesTest, ConditionsOfSeveralRows) {
  ASSERT_TRUE(Put(table_.get(), "a", "1").ok());
  ASSERT_TRUE(Put(table_.get(), "b", "2").ok());
  const auto change = [&](const std::vector<Table::Condition>& conditions,
                          const std::vector<Bytes>& rows, bool* held) {
    MutationBatch batch;
    for (const Bytes& row : rows) {
      batch.StartRow(row);
      batch.Put("f", "q", "new");
    }
    Table::CheckedResult result;
    Ending ending;
    writes_->CheckRowsAndMutateAsync(conditions, &batch, &result, ending.Teller());
    writes_->LeadLog();
    const Status status = ending.Wait();
    *held = result.success;
    return status;
  };
  bool held = false;
  const Table::Condition a = IfValueIs("a", "1"), b = IfValueIs("b", "2");
  ASSERT_TRUE(change({a, IfValueIs("b", "3")}, {"c", "d"}, &held).ok());
  EXPECT_FALSE(held);
  EXPECT_EQ(Rows(table_.get()).size(), 2u);
  // The rows come in no order; one is checked twice.
  ASSERT_TRUE(change({b, a, b}, {"d", "b", "c"}, &held).ok());
  EXPECT_TRUE(held);
  EXPECT_EQ(Value("a"), "1");
  for (const char* row : {"b", "c", "d"}) EXPECT_EQ(Value(row), "new") << row;
  ASSERT_TRUE(change({a, b}, {}, &held).ok());
  EXPECT_FALSE(held);
  ASSERT_TRUE(change({a, IfValueIs("e", "")}, {}, &held).ok());
  EXPECT_TRUE(held);
}

TEST_P(AsyncWritesTest, ConditionsOfSeveralRegionsAreRefused) {
  TableDescriptor descriptor;
  descriptor.name.qualifier = "split";
  descriptor.families.emplace_back().name = "f";
  ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, {{"m"}}).ok());
  const auto writes = engine_->OpenServedTable(descriptor.name).value();
  MutationBatch batch;
  batch.StartRow("a");
  batch.Put("f", "q", "new");
  const std::array conditions = {IfValueIs("a", ""), IfValueIs("z", "")};
  Table::CheckedResult result;
  Ending ending;
  writes->CheckRowsAndMutateAsync(conditions, &batch, &result, ending.Teller());
  const Status status = ending.Wait();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("row 'z'"), std::string::npos) << status.ToString();
  EXPECT_TRUE(Rows(writes.get()).empty());
}

// Two rows hold the same number; each change moves both on if neither has changed meanwhile.
TEST_P(AsyncWritesTest, NobodyComesBetweenConditionsAndChanges) {
  constexpr int kThreads = 3, kTries = 100;
  ASSERT_TRUE(Put(table_.get(), "a", "0").ok());
  ASSERT_TRUE(Put(table_.get(), "b", "0").ok());
  std::atomic<int> changes = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kTries; ++i) {
        const Bytes seen = Value("a");
        const std::array conditions = {IfValueIs("b", seen), IfValueIs("a", seen)};
        MutationBatch batch;
        for (const char* row : {t % 2 == 0 ? "a" : "b", t % 2 == 0 ? "b" : "a"}) {
          batch.StartRow(row);
          batch.Put("f", "q", std::to_string(std::stoi(seen) + 1));
        }
        Table::CheckedResult result;
        Ending ending;
        writes_->CheckRowsAndMutateAsync(conditions, &batch, &result, ending.Teller());
        writes_->LeadLog();
        EXPECT_TRUE(ending.Wait().ok());
        if (result.success) ++changes;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GE(changes.load(), kTries);  // of those who look at once one gets through
  EXPECT_EQ(Value("a"), std::to_string(changes.load()));
  EXPECT_EQ(Value("b"), Value("a"));
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
