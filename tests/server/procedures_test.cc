// Changes of tables as clients ask after them.
#include "src/server/hbase/procedures.h"

#include <gtest/gtest.h>

#include <thread>

#include "src/base/env.h"

namespace bennu::server::hbase {
namespace {

// HBase's client reads a table's state with a time range that ends before the present millisecond.
TEST(Procedures, EndInALaterMillisecondThanWhatTheyWrote) {
  Procedures procedures;
  for (int i = 0; i < 20; ++i) {
    int64_t written_millis = 0;
    uint64_t id = 0;
    const auto write = [&written_millis]() -> CallError {
      written_millis = Env::Default()->NowMillis();
      return std::nullopt;
    };
    ASSERT_FALSE(procedures.Run(0, 0, write, &id));
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
  uint64_t first = 0;
  uint64_t again = 0;
  ASSERT_FALSE(procedures.Run(1, 7, count, &first));
  ASSERT_FALSE(procedures.Run(1, 7, count, &again));
  EXPECT_EQ(first, again);
  EXPECT_EQ(runs, 1);
  EXPECT_TRUE(procedures.Find(first).has_value());
  EXPECT_FALSE(procedures.Find(first + 1).has_value());
}

// The loop that serves many clients asks: it would stand still for as long as the change takes.
TEST(Procedures, AreAskedAfterWhileAnotherRuns) {
  Procedures procedures;
  uint64_t first = 0;
  ASSERT_FALSE(procedures.Run(
      0, 0, []() -> CallError { return std::nullopt; }, &first));
  bool found = false;
  bool found_running = true;
  const auto ask = [&]() -> CallError {
    std::thread loop([&] {
      found = procedures.Find(first).has_value();
      found_running = procedures.Find(first + 1).has_value();
    });
    loop.join();
    return std::nullopt;
  };
  uint64_t second = 0;
  ASSERT_FALSE(procedures.Run(0, 0, ask, &second));
  EXPECT_TRUE(found);
  EXPECT_FALSE(found_running);
  EXPECT_TRUE(procedures.Find(second).has_value());
}

}  // namespace
}  // namespace bennu::server::hbase
