// Which flushes and compactions are told of, and how many are remembered.
#include "src/engine/core/work_log.h"

#include <gtest/gtest.h>

#include <string>

namespace bennu::engine {
namespace {

WorkItem Item(WorkItem::Kind kind, const std::string& region) {
  WorkItem item;
  item.kind = kind;
  item.region = region;
  return item;
}

TEST(WorkLogTest, TellsWhatRunsAndWhatEnded) {
  WorkLog log(Env::Default());
  const uint64_t first = log.Begin(Item(WorkItem::Kind::kFlush, "a"));
  const uint64_t second = log.Begin(Item(WorkItem::Kind::kFlush, "b"));
  ASSERT_EQ(log.Running().size(), 2u);
  EXPECT_EQ(log.Running()[0].region, "a");
  EXPECT_GT(log.Running()[0].start_millis, 0);
  log.End(first, "");
  log.End(second, "no room");
  EXPECT_TRUE(log.Running().empty());
  ASSERT_EQ(log.Ended().size(), 2u);
  EXPECT_EQ(log.Ended()[0].error, "no room");
  EXPECT_EQ(log.Ended()[1].region, "a");
}

// After each flush it is asked whether there is something to compact, and mostly there is not.
TEST(WorkLogTest, LeavesOutCompactionsThatDidNothing) {
  WorkLog log(Env::Default());
  log.End(log.Begin(Item(WorkItem::Kind::kMinorCompaction, "a")), "");
  EXPECT_TRUE(log.Ended().empty());
  log.End(log.Begin(Item(WorkItem::Kind::kMinorCompaction, "a")), "failed at once");
  EXPECT_EQ(log.Ended().size(), 1u);
  const uint64_t number = log.Begin(Item(WorkItem::Kind::kMajorCompaction, "b"));
  Env::Default()->SleepMicros(1100);
  log.End(number, "");
  EXPECT_EQ(log.Ended()[0].region, "b");
  EXPECT_GE(log.Ended()[0].nanos, WorkLog::kWorthTelling);
}

TEST(WorkLogTest, RemembersTheLastOnes) {
  WorkLog log(Env::Default());
  for (size_t i = 0; i < 2 * WorkLog::kEndedMax; ++i) {
    log.End(log.Begin(Item(WorkItem::Kind::kFlush, std::to_string(i))), "");
  }
  ASSERT_EQ(log.Ended().size(), WorkLog::kEndedMax);
  EXPECT_EQ(log.Ended()[0].region, std::to_string(2 * WorkLog::kEndedMax - 1));
}

}  // namespace
}  // namespace bennu::engine
