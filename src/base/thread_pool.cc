#include "src/base/thread_pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "src/base/check.h"

namespace bennu {

namespace {

// The pool whose thread this is, or null. A pool thread must not wait for room in its own queue:
// if all of them did, nobody would be left to make it.
thread_local const ThreadPool* t_current_pool = nullptr;

// One ParallelFor. Helpers may start after the caller has returned, so it is shared; 'body' is
// touched only by those who got an index, and the caller waits for all of these.
struct ParallelRun {
  ParallelRun(size_t index_count, const std::function<void(size_t)>* run_body)
      : count(index_count), body(run_body) {}

  const size_t count;
  const std::function<void(size_t)>* const body;
  std::atomic<size_t> next{0};
  Mutex mu;
  CondVar all_done;
  size_t done GUARDED_BY(mu) = 0;

  // Takes indexes until none is left.
  void Help() {
    size_t finished = 0;
    for (;;) {
      const size_t index = next.fetch_add(1, std::memory_order_relaxed);
      if (index >= count) break;
      (*body)(index);
      ++finished;
    }
    if (finished == 0) return;
    MutexLock lock(&mu);
    done += finished;
    if (done == count) all_done.SignalAll();
  }

  void WaitForAll() {
    MutexLock lock(&mu);
    while (done < count) all_done.Wait(&mu);
  }
};

void NameThread(const std::string& pool_name, size_t index) {
  const std::string suffix = "-" + std::to_string(index);
  constexpr size_t kNameLengthMax = 15;  // Linux: 16 with the terminating zero
  const std::string name =
      pool_name.substr(0, kNameLengthMax - std::min(kNameLengthMax, suffix.size())) + suffix;
  static_cast<void>(pthread_setname_np(pthread_self(), name.c_str()));
}

}  // namespace

ThreadPool::ThreadPool(std::string name, size_t thread_count, size_t queue_size_max)
    : name_(std::move(name)), queue_size_max_(queue_size_max) {
  BENNU_CHECK(thread_count > 0);
  BENNU_CHECK(queue_size_max > 0);
  threads_.reserve(thread_count);
  for (size_t i = 0; i < thread_count; ++i) threads_.emplace_back([this, i] { Work(i); });
}

ThreadPool::~ThreadPool() {
  {
    MutexLock lock(&mu_);
    stopping_ = true;
    not_empty_.SignalAll();
  }
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::Submit(std::function<void()> task) {
  MutexLock lock(&mu_);
  while (queue_.size() >= queue_size_max_ && t_current_pool != this) not_full_.Wait(&mu_);
  queue_.push_back(std::move(task));
  not_empty_.Signal();
}

void ThreadPool::ParallelFor(size_t count, const std::function<void(size_t)>& body) {
  if (count == 0) return;
  if (count == 1) {
    body(0);
    return;
  }
  auto run = std::make_shared<ParallelRun>(count, &body);
  const size_t helper_count = std::min(count - 1, thread_count());
  {
    MutexLock lock(&mu_);
    // Helpers are an offer: with a full queue the caller does more of the work itself.
    for (size_t i = 0; i < helper_count && queue_.size() < queue_size_max_; ++i) {
      queue_.push_back([run] { run->Help(); });
    }
    not_empty_.SignalAll();
  }
  run->Help();
  // What is left now runs on other threads already, so this wait depends on no queued task.
  run->WaitForAll();
}

void ThreadPool::Work(size_t index) {
  NameThread(name_, index);
  t_current_pool = this;
  for (;;) {
    std::function<void()> task;
    {
      MutexLock lock(&mu_);
      while (queue_.empty() && !stopping_) not_empty_.Wait(&mu_);
      if (queue_.empty()) return;
      task = std::move(queue_.front());
      queue_.pop_front();
      not_full_.Signal();
    }
    task();
  }
}

size_t ThreadCount(const ThreadPool* pool) {
  return pool == nullptr ? 1 : std::max<size_t>(1, pool->thread_count());
}

void ParallelFor(ThreadPool* pool, size_t count, const std::function<void(size_t)>& body) {
  if (pool != nullptr) {
    pool->ParallelFor(count, body);
    return;
  }
  for (size_t i = 0; i < count; ++i) body(i);
}

}  // namespace bennu
