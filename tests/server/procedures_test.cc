// Changes of tables as clients ask after them.
#include "src/server/hbase/procedures.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>
#include <vector>

#include "src/base/env.h"

namespace bennu::server::hbase {
namespace {

using Ids = std::vector<uint64_t>;

const TableName kTable{"default", "t"};
const TableName kOther{"default", "u"};

// What a change was answered with.
struct Answer {
  CallError error;
  uint64_t id = 0;
};

// A change that runs until it is released. Must outlive the procedures, which end with it.
class Held {
 public:
  Change Make(std::vector<ProcedureLock> locks) {
    Change change;
    change.class_name = "a.b.HeldProcedure";
    change.locks = std::move(locks);
    change.run = [this]() -> CallError {
      begun_.set_value();
      release_.get_future().wait();
      return error_;
    };
    change.answer = [this](const CallError& error, uint64_t id) { answer_.set_value({error, id}); };
    return change;
  }
  void FailWith(const rpc::RemoteError& error) { error_ = error; }
  void AwaitBegin() { has_begun_.wait(); }
  // Looks for some time.
  bool HasBegun() {
    return has_begun_.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
  }
  void Release() { release_.set_value(); }
  Answer AwaitAnswer() { return answer_.get_future().get(); }

 private:
  CallError error_;
  std::promise<void> begun_;
  std::shared_future<void> has_begun_ = begun_.get_future().share();
  std::promise<void> release_;
  std::promise<Answer> answer_;
};

Answer RunNow(Procedures* procedures, std::function<CallError()> run, uint64_t nonce = 0) {
  std::promise<Answer> answered;
  Change change;
  change.nonce_group = 1;
  change.nonce = nonce;
  change.locks = TableLocks(kTable, true);
  change.run = std::move(run);
  change.answer = [&answered](const CallError& error, uint64_t id) {
    answered.set_value({error, id});
  };
  procedures->Submit(std::move(change));
  return answered.get_future().get();
}

CallError Nothing() { return std::nullopt; }
CallError Refuse() { return rpc::RemoteError(rpc::exceptions::kTableExists, "t"); }

Ids Waiting(const Procedures::LockView& lock) {
  Ids ids;
  for (const auto& view : lock.waiting) ids.push_back(view.id);
  return ids;
}

// HBase's client reads a table's state with a time range that ends before the present millisecond.
TEST(Procedures, EndInALaterMillisecondThanWhatTheyWrote) {
  Procedures procedures;
  for (int i = 0; i < 20; ++i) {
    int64_t written_millis = 0;
    const auto write = [&written_millis]() -> CallError {
      written_millis = Env::Default()->NowMillis();
      return std::nullopt;
    };
    ASSERT_FALSE(RunNow(&procedures, write).error);
    EXPECT_GT(Env::Default()->NowMillis(), written_millis);
  }
}

TEST(Procedures, AreSubmittedOnce) {
  Procedures procedures;
  int runs = 0;
  const auto count = [&runs]() -> CallError {
    ++runs;
    return std::nullopt;
  };
  const Answer first = RunNow(&procedures, count, 7);
  const Answer again = RunNow(&procedures, count, 7);
  EXPECT_EQ(first.id, again.id);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(procedures.Find(first.id)->ended);
  EXPECT_FALSE(procedures.Find(first.id + 1).has_value());
}

// The call gets the number, and the number the error.
TEST(Procedures, AnErrorThatIsAskedAfter) {
  Procedures procedures;
  std::promise<Answer> answered;
  Change change;
  change.run = [] {
    return Ending::AskedAfter(rpc::RemoteError(rpc::exceptions::kIo, "not to be split"));
  };
  change.answer = [&answered](const CallError& error, uint64_t id) {
    answered.set_value({error, id});
  };
  procedures.Submit(std::move(change));
  const Answer answer = answered.get_future().get();
  EXPECT_FALSE(answer.error);
  const auto found = procedures.Find(answer.id);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->ended);
  ASSERT_TRUE(found->error);
  EXPECT_EQ(found->error->message(), "not to be split");
}

// HBase 2.5.10 does so: the first call fails, one with the same nonce gets a number whose result is
// the failure.
TEST(Procedures, AFailureIsTheResultForTheSameNonce) {
  Procedures procedures;
  const Answer first = RunNow(&procedures, Refuse, 8);
  ASSERT_TRUE(first.error);
  EXPECT_EQ(first.error->type().name, rpc::exceptions::kTableExists.name);
  const Answer again = RunNow(&procedures, Nothing, 8);
  ASSERT_FALSE(again.error);
  const auto found = procedures.Find(again.id);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->ended);
  ASSERT_TRUE(found->error);
  EXPECT_EQ(found->error->message(), "t");
}

TEST(Procedures, AreFoundWhileTheyRun) {
  Held held;
  Procedures procedures;
  Change change = held.Make(TableLocks(kTable, true));
  change.nonce = 9;
  change.owner = "somebody";
  change.subject = "it";
  procedures.Submit(std::move(change));
  held.AwaitBegin();
  // One that asks again is told at once.
  const uint64_t id = [&] {
    std::promise<Answer> answered;
    Change again;
    again.nonce = 9;
    again.answer = [&](const CallError& error, uint64_t number) {
      answered.set_value({error, number});
    };
    procedures.Submit(std::move(again));
    return answered.get_future().get().id;
  }();
  const auto found = procedures.Find(id);
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->running);
  EXPECT_FALSE(found->ended);
  EXPECT_EQ(found->owner, "somebody");
  EXPECT_EQ(procedures.FindLatest("it")->id, id);
  EXPECT_FALSE(procedures.FindLatest("something else").has_value());
  EXPECT_FALSE(procedures.Abort(id));
  const auto locks = procedures.ListLocks();
  ASSERT_EQ(locks.size(), 2u);
  EXPECT_EQ(locks[0].type, pb::NAMESPACE);
  EXPECT_EQ(locks[0].name, "default");
  EXPECT_EQ(locks[0].shared_count, 1);
  EXPECT_EQ(locks[1].type, pb::TABLE);
  EXPECT_EQ(locks[1].name, "t");
  ASSERT_TRUE(locks[1].exclusive_owner.has_value());
  EXPECT_EQ(locks[1].exclusive_owner->id, id);
  held.Release();
  EXPECT_EQ(held.AwaitAnswer().id, id);
  EXPECT_TRUE(procedures.Find(id)->ended);
  EXPECT_TRUE(procedures.ListLocks().empty());
  ASSERT_EQ(procedures.List().size(), 1u);
}

// Of the same table one after another, in the order in which they came; others go on beside them.
TEST(Procedures, WaitForTheirLocksInOrder) {
  Held first, second, third, other;
  Procedures procedures;
  procedures.Submit(first.Make(TableLocks(kTable, true)));
  procedures.Submit(second.Make(TableLocks(kTable, true)));
  procedures.Submit(third.Make(TableLocks(kTable, false)));
  procedures.Submit(other.Make(TableLocks(kOther, true)));
  first.AwaitBegin();
  other.AwaitBegin();
  const auto all = procedures.List();
  ASSERT_EQ(all.size(), 4u);
  EXPECT_FALSE(all[1].running);
  EXPECT_FALSE(all[2].running);
  const auto locks = procedures.ListLocks();
  ASSERT_EQ(locks.size(), 3u);
  EXPECT_EQ(Waiting(locks[0]), Ids());  // the namespace, which they all share
  EXPECT_EQ(Waiting(locks[1]), Ids({all[1].id, all[2].id}));
  first.Release();
  second.AwaitBegin();
  EXPECT_FALSE(third.HasBegun());
  second.Release();
  third.Release();
  other.Release();
  EXPECT_FALSE(third.AwaitAnswer().error);
}

// A namespace is not changed while one of its tables is.
TEST(Procedures, ANamespaceWaitsForItsTables) {
  Held table, space;
  Procedures procedures;
  procedures.Submit(table.Make(TableLocks(kTable, true)));
  procedures.Submit(space.Make(NamespaceLocks("default")));
  table.AwaitBegin();
  EXPECT_FALSE(procedures.List()[1].running);
  table.Release();
  space.Release();
  EXPECT_FALSE(space.AwaitAnswer().error);
}

// Splits of two regions of a table go side by side, an alteration waits for both.
TEST(Procedures, RegionsShareTheirTable) {
  Held one, other, alter;
  Procedures procedures;
  procedures.Submit(one.Make(RegionLocks(kTable, {"aaa"})));
  procedures.Submit(other.Make(RegionLocks(kTable, {"bbb"})));
  procedures.Submit(alter.Make(TableLocks(kTable, true)));
  one.AwaitBegin();
  other.AwaitBegin();
  EXPECT_FALSE(procedures.List()[2].running);
  one.Release();
  other.Release();
  alter.Release();
  EXPECT_FALSE(alter.AwaitAnswer().error);
}

TEST(Procedures, WhatWaitsCanBeAborted) {
  Held first, second, third;
  Procedures procedures;
  procedures.Submit(first.Make(TableLocks(kTable, true)));
  procedures.Submit(second.Make(TableLocks(kTable, true)));
  procedures.Submit(third.Make(TableLocks(kTable, true)));
  first.AwaitBegin();
  const uint64_t id = procedures.List()[1].id;
  EXPECT_TRUE(procedures.Abort(id));
  EXPECT_FALSE(procedures.Abort(id));
  const Answer answer = second.AwaitAnswer();
  ASSERT_TRUE(answer.error);
  EXPECT_EQ(answer.error->ToString(),
            "org.apache.hadoop.hbase.DoNotRetryIOException: "
            "org.apache.hadoop.hbase.procedure2.ProcedureAbortedException: abort requested");
  EXPECT_TRUE(procedures.Find(id)->aborted);
  first.Release();
  third.AwaitBegin();
  third.Release();
  EXPECT_FALSE(third.AwaitAnswer().error);
  EXPECT_FALSE(procedures.Abort(12345));
}

// A client is not left without an answer for as long as a change takes; how it ends is its result.
TEST(Procedures, ThoseThatTakeLongAreAnsweredBefore) {
  Held held, waiting;
  Procedures procedures;
  held.FailWith(rpc::RemoteError(rpc::exceptions::kIo, "the disk"));
  procedures.Submit(held.Make(TableLocks(kTable, true)));
  procedures.Submit(waiting.Make(TableLocks(kTable, true)));
  procedures.KeepHouse(std::chrono::minutes(1));  // not that long
  procedures.KeepHouse(std::chrono::milliseconds(0));
  const Answer answer = held.AwaitAnswer();
  ASSERT_FALSE(answer.error);
  EXPECT_FALSE(procedures.Find(answer.id)->ended);
  EXPECT_FALSE(waiting.AwaitAnswer().error);
  held.Release();
  waiting.AwaitBegin();
  waiting.Release();
  const auto found = procedures.Find(answer.id);
  ASSERT_TRUE(found->ended);
  EXPECT_EQ(found->error->message(), "the disk");
}

TEST(Procedures, AStopWaitsForThemAndRefusesOthers) {
  Held first, second;
  Procedures procedures;
  procedures.Submit(first.Make(TableLocks(kTable, true)));
  procedures.Submit(second.Make(TableLocks(kTable, true)));
  auto stopped = std::async(std::launch::async, [&] { procedures.Stop(); });
  EXPECT_EQ(stopped.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  first.Release();
  EXPECT_EQ(stopped.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  second.Release();
  stopped.get();
  EXPECT_FALSE(second.AwaitAnswer().error);
  EXPECT_EQ(RunNow(&procedures, Nothing).error->type().name, rpc::exceptions::kServerStopped.name);
}

}  // namespace
}  // namespace bennu::server::hbase
