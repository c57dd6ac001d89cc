// Batches over a cluster: what is sent to whom, at the same time and again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "src/base/env.h"
#include "src/base/mutex.h"
#include "tests/client/scripted_cluster.h"

namespace bennu::client {
namespace {

using ::testing::HasSubstr;

MutationBatch Puts(int rows, size_t value_bytes = 5) {
  MutationBatch batch;
  for (int row = 0; row < rows; ++row) {
    batch.StartRow(RowOf(row));
    batch.Put("f", "q", Bytes(value_bytes, 'v'));
  }
  return batch;
}

std::vector<std::string> CellsOf(int rows) {
  std::vector<std::string> cells;
  for (int row = 0; row < rows; ++row) cells.push_back(RowOf(row) + "/q");
  return cells;
}

// Waits until so many threads have come; false after a very long time.
class Meeting {
 public:
  explicit Meeting(int count) : count_(count) {}
  bool Come() {
    MutexLock lock(&mu_);
    ++came_;
    changed_.SignalAll();
    for (int i = 0; came_ < count_ && i < 600; ++i) {
      changed_.WaitFor(&mu_, std::chrono::milliseconds(100));
    }
    return came_ >= count_;
  }

 private:
  const int count_;
  Mutex mu_;
  CondVar changed_;
  int came_ GUARDED_BY(mu_) = 0;
};

// Each server answers once all of them have got their part.
TEST(BatchTest, AllServersAtTheSameTime) {
  ScriptedCluster cluster(3, {RowOf(10), RowOf(20)});
  cluster.Move(RowOf(10), 1);
  cluster.Move(RowOf(20), 2);
  Meeting meeting(3);
  std::atomic<int> alone = 0;
  cluster.SetHook([&](const ScriptedCluster::Call&) -> std::optional<Reply> {
    if (!meeting.Come()) ++alone;
    return {};
  });
  const auto table = cluster.Open(cluster.options());
  MutationBatch batch = Puts(30);
  EXPECT_TRUE(table->Write(&batch).ok());
  EXPECT_EQ(alone, 0);
  EXPECT_EQ(cluster.Count("Multi"), 3);
  EXPECT_EQ(cluster.Cells(), CellsOf(30));
}

// Whose answer is lost is not sent again by itself, and the error says of which row.
TEST(BatchTest, AConditionWhoseAnswerIsLost) {
  ScriptedCluster cluster(1, {});
  cluster.SetHook(
      [](const ScriptedCluster::Call&) -> std::optional<Reply> { return Reply::Drop(); });
  const auto table = cluster.Open(cluster.options());
  MutationBatch batch = Puts(1);
  Table::Condition absent;
  absent.row = RowOf(0);
  absent.family = "f";
  absent.qualifier = "q";
  absent.expect_absent = true;
  const auto written = table->CheckAndWrite(absent, &batch);
  ASSERT_EQ(written.status().code(), StatusCode::kIoError);
  EXPECT_THAT(written.status().message(), HasSubstr("table t, row '10000', region 't,,"));
  EXPECT_THAT(written.status().message(), HasSubstr("it is not known whether the change was made"));
  EXPECT_EQ(cluster.Count("Multi"), 1);
}

// A request ends with the part that reaches the bound; two of them are under way to a server. The
// part of a region is one, unless each mutation is by itself.
TEST(BatchTest, RequestsAreBounded) {
  for (const bool each : {false, true}) {
    SCOPED_TRACE(each);
    ScriptedCluster cluster(1, {RowOf(10), RowOf(20), RowOf(30)});
    Mutex mu;
    std::vector<size_t> mutations;  // of each request
    cluster.SetHook([&](const ScriptedCluster::Call& call) -> std::optional<Reply> {
      const auto request = call.received.Parse<pb::MultiRequest>();
      MutexLock lock(&mu);
      mutations.push_back(0);
      for (const auto& action : request.regionaction()) {
        mutations.back() += static_cast<size_t>(action.action_size());
      }
      return {};
    });
    ClientOptions options = cluster.options();
    options.request_bytes_max =
        5500;  // five cells of a little more than 1000 bytes do not reach it
    const auto table = cluster.Open(options);
    MutationBatch batch = Puts(40, 1000);
    if (each) {
      std::vector<Table::Outcome> outcomes;
      ASSERT_TRUE(table->MutateEach(&batch, &outcomes).ok());
      EXPECT_TRUE(std::all_of(outcomes.begin(), outcomes.end(),
                              [](const auto& outcome) { return outcome.status.ok(); }));
      // Six cells reach the bound: six and four of each region, of which the four and the six of
      // the next are one request.
      EXPECT_LE(*std::max_element(mutations.begin(), mutations.end()), 10u);
      EXPECT_EQ(std::count(mutations.begin(), mutations.end(), 40u), 0);
    } else {
      ASSERT_TRUE(table->Write(&batch).ok());
      EXPECT_EQ(mutations, (std::vector<size_t>{10, 10, 10, 10}));
    }
    EXPECT_EQ(cluster.Cells(), CellsOf(40));
  }
}

// No answer comes: two requests have been sent, and no third one.
TEST(BatchTest, TwoRequestsAreUnderWayToAServer) {
  ScriptedCluster cluster(1, {RowOf(10), RowOf(20), RowOf(30)});
  cluster.SetHook([](const ScriptedCluster::Call& call) -> std::optional<Reply> {
    const auto request = call.received.Parse<pb::MultiRequest>();
    pb::MultiResponse response;
    for (const auto& action : request.regionaction()) {
      auto* const result = response.add_regionactionresult();
      result->set_processed(true);
      for (const auto& one : action.action()) {
        result->add_resultorexception()->set_index(one.index());
      }
    }
    return Reply::Of(response).Held();
  });
  ClientOptions options = cluster.options();
  options.request_bytes_max = 1;
  const auto table = cluster.Open(options);
  MutationBatch batch = Puts(40);
  std::atomic<bool> ended = false;
  Status status;
  std::thread writer([&] {
    status = table->Write(&batch);
    ended = true;
  });
  EXPECT_TRUE(cluster.AwaitCalls("Multi", 2));
  Env::Default()->SleepMicros(20'000);  // for a third one, if it were sent
  EXPECT_EQ(cluster.Count("Multi"), 2);
  while (!ended) {
    cluster.server(0)->Release();
    Env::Default()->SleepMicros(1'000);
  }
  writer.join();
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(cluster.Count("Multi"), 4);
}

// Regions move in the middle, connections break and servers are busy: all is written, and what
// succeeded is not sent again.
TEST(BatchTest, OnlyWhatFailedIsTriedAgain) {
  ScriptedCluster cluster(2, {RowOf(10), RowOf(20)});
  const auto table = cluster.Open(cluster.options());
  MutationBatch first = Puts(30);
  ASSERT_TRUE(table->Write(&first).ok());
  EXPECT_EQ(cluster.Count("Multi"), 1);
  cluster.Move(RowOf(10), 1);
  std::atomic<int> actions = 0;
  cluster.SetHook([&](const ScriptedCluster::Call& call) -> std::optional<Reply> {
    const auto request = call.received.Parse<pb::MultiRequest>();
    for (const auto& action : request.regionaction()) {
      actions += action.action_size();
    }
    return {};
  });
  MutationBatch second = Puts(30);
  ASSERT_TRUE(table->Write(&second).ok());
  EXPECT_EQ(actions, 40) << "ten of them twice";
  EXPECT_EQ(cluster.meta_scans(), 1) << "the exception named the server";
}

TEST(BatchTest, WhateverHappensAllIsWrittenOnce) {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Mutex mu;  // hooks run on the threads of several servers
    const auto any = [&](uint32_t count) {
      MutexLock lock(&mu);
      return random() % count;
    };
    ScriptedCluster cluster(3, {RowOf(7), RowOf(15)});
    cluster.SetHook([&](const ScriptedCluster::Call&) -> std::optional<Reply> {
      const Bytes row = RowOf(static_cast<int>(any(25)));
      switch (any(9)) {
        case 0: cluster.Move(row, any(3)); break;
        case 1: cluster.Split(row); break;
        case 2: cluster.Merge(row); break;
        case 3: return Reply::Drop();
        case 4: return Reply::Exception(std::string(kHBase) + "CallQueueTooBigException");
        default: break;
      }
      return {};
    });
    ClientOptions options = cluster.options();
    options.retries_max = 1000;
    options.request_bytes_max = 1 + any(500);
    const auto table = cluster.Open(options);
    MutationBatch batch = Puts(25);
    batch.StartIncrement(RowOf(3));
    batch.Increment("f", "n", 1);
    if (any(2) == 0) {
      ASSERT_TRUE(table->Write(&batch).ok());
    } else {
      std::vector<Table::Outcome> outcomes;
      ASSERT_TRUE(table->MutateEach(&batch, &outcomes).ok());
      for (const auto& outcome : outcomes) ASSERT_TRUE(outcome.status.ok());
    }
    std::vector<std::string> expected = CellsOf(25);
    expected.push_back(RowOf(3) + "/n");
    std::sort(expected.begin(), expected.end());
    ASSERT_EQ(cluster.Cells(), expected);
    const std::vector<uint64_t> nonces = cluster.nonces();
    ASSERT_EQ(std::set<uint64_t>(nonces.begin(), nonces.end()).size(), 1u)
        << "the server can tell that it is the same increment";
  }
}

// A server that has taken over the log of one that died knows the nonce, and no cells.
TEST(BatchTest, ResultsThatAreNotToldAreRead) {
  ScriptedCluster cluster(1, {});
  std::atomic<int> tries = 0;
  cluster.SetHook([&](const ScriptedCluster::Call& call) -> std::optional<Reply> {
    if (call.received.method == "Multi") {
      if (++tries == 1) return Reply::Drop();
      pb::MultiResponse response;
      auto* const one = response.add_regionactionresult()->add_resultorexception();
      one->set_index(0);
      one->mutable_result();
      return Reply::Of(response);
    }
    const auto request = call.received.Parse<pb::GetRequest>();
    EXPECT_EQ(request.get().row(), "counter");
    EXPECT_EQ(request.get().column(0).qualifier(0), "n");
    pb::GetResponse response;
    pb::Cell* const cell = response.mutable_result()->add_cell();
    cell->set_row("counter");
    cell->set_family("f");
    cell->set_qualifier("n");
    cell->set_timestamp(7);
    cell->set_cell_type(pb::PUT);
    cell->set_value(Bytes("\0\0\0\0\0\0\0\x29", 8));
    return Reply::Of(response);
  });
  const auto table = cluster.Open(cluster.options());
  const auto sum = table->Increment("counter", "f", "n", 1);
  ASSERT_TRUE(sum.ok()) << sum.status().ToString();
  EXPECT_EQ(*sum, 41);
  EXPECT_EQ(cluster.Count("Multi"), 2);
  EXPECT_EQ(cluster.Count("Get"), 1);
}

// A mutation fails for good and the others succeed; one of which the answer says nothing has
// failed.
TEST(BatchTest, EachHasItsOutcome) {
  ScriptedCluster cluster(1, {});
  cluster.SetHook([&](const ScriptedCluster::Call&) -> std::optional<Reply> {
    pb::MultiResponse response;
    auto* const result = response.add_regionactionresult();
    result->add_resultorexception()->set_index(2);
    auto* const failed = result->add_resultorexception();
    failed->set_index(0);
    failed->mutable_exception()->set_name(std::string(kHBase) + "DoNotRetryIOException");
    failed->mutable_exception()->set_value("no");
    return Reply::Of(response);
  });
  const auto table = cluster.Open(cluster.options());
  MutationBatch batch = Puts(3);
  std::vector<Table::Outcome> outcomes;
  ASSERT_TRUE(table->MutateEach(&batch, &outcomes).ok());
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_EQ(outcomes[0].status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(outcomes[1].status.code(), StatusCode::kCorruption);
  EXPECT_TRUE(outcomes[2].status.ok());
  EXPECT_EQ(cluster.Count("Multi"), 1);
}

// Some mutations of a batch never get through; none of them is told to have succeeded.
TEST(BatchTest, WhatIsLeftAtTheEndHasFailed) {
  ScriptedCluster cluster(2, {RowOf(10)});
  cluster.Move(RowOf(10), 1);
  cluster.SetHook([&](const ScriptedCluster::Call& call) -> std::optional<Reply> {
    if (call.server == 0) return {};
    return Reply::Drop();
  });
  ClientOptions options = cluster.options();
  options.retries_max = 3;
  const auto table = cluster.Open(options);
  MutationBatch batch = Puts(20);
  std::vector<Table::Outcome> outcomes;
  ASSERT_TRUE(table->MutateEach(&batch, &outcomes).ok());
  for (int row = 0; row < 20; ++row) {
    EXPECT_EQ(outcomes[static_cast<size_t>(row)].status.ok(), row < 10) << row;
  }
  EXPECT_THAT(outcomes[10].status.message(), HasSubstr("given up after 4 attempts"));
  EXPECT_EQ(cluster.Cells(), CellsOf(10));
}

}  // namespace
}  // namespace bennu::client
