#include "src/base/thread_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <set>
#include <vector>

namespace bennu {
namespace {

// Destruction runs what is queued; the queue's bound makes Submit wait, not drop.
TEST(ThreadPoolTest, RunsEveryTask) {
  std::atomic<int> runs = 0;
  {
    ThreadPool pool("test", 3, 4);
    for (int i = 0; i < 1000; ++i) pool.Submit([&] { ++runs; });
  }
  EXPECT_EQ(runs, 1000);
}

TEST(ThreadPoolTest, ParallelForVisitsEachIndexOnce) {
  ThreadPool pool("test", 2);
  for (const size_t count : {0, 1, 2, 3, 1000}) {
    std::vector<std::atomic<int>> visits(count);
    pool.ParallelFor(count, [&](size_t index) { ++visits[index]; });
    for (const auto& visit : visits) EXPECT_EQ(visit, 1);
  }
}

// A store without threads has no pool: the work is done all the same, in order, by the caller.
TEST(ThreadPoolTest, ParallelForWithoutPoolRunsOnCaller) {
  ThreadPool pool("test", 2);
  EXPECT_EQ(ThreadCount(&pool), 2U);
  EXPECT_EQ(ThreadCount(nullptr), 1U);
  std::vector<size_t> visits;
  ParallelFor(nullptr, 3, [&](size_t index) { visits.push_back(index); });
  EXPECT_EQ(visits, (std::vector<size_t>{0, 1, 2}));
}

// Every pool thread is inside a ParallelFor of its own, three deep: nobody is left to help, and
// it ends all the same.
TEST(ThreadPoolTest, NestedParallelForDoesNotDeadlock) {
  ThreadPool pool("test", 2, 2);
  std::atomic<int> runs = 0;
  pool.ParallelFor(8, [&](size_t) {
    pool.ParallelFor(8, [&](size_t) { pool.ParallelFor(8, [&](size_t) { ++runs; }); });
  });
  EXPECT_EQ(runs, 512);
}

// A task that queues tasks must not wait for room that only its own thread could make.
TEST(ThreadPoolTest, SubmitFromTaskWithFullQueue) {
  std::atomic<int> runs = 0;
  {
    ThreadPool pool("test", 1, 1);
    pool.Submit([&] {
      for (int i = 0; i < 10; ++i) pool.Submit([&] { ++runs; });
    });
  }
  EXPECT_EQ(runs, 10);
}

TEST(ThreadPoolTest, ThreadsAreNamed) {
  std::string name;
  {
    ThreadPool pool("a-rather-long-name", 1);
    pool.Submit([&] {
      char text[16];
      if (pthread_getname_np(pthread_self(), text, sizeof(text)) == 0) name = text;
    });
  }
  EXPECT_EQ(name, "a-rather-long-0");
}

}  // namespace
}  // namespace bennu
