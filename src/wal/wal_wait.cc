// Waiting for the log in other ways than with a SyncWaiter of one's own.
#include "src/base/mutex.h"
#include "src/wal/wal.h"

namespace bennu::wal {

namespace {

class FunctionWaiter final : public SyncWaiter {
 public:
  explicit FunctionWaiter(std::function<void(const Status&)> done) : done_(std::move(done)) {}
  void OnSynced(const Status& status) override {
    done_(status);
    delete this;
  }

 private:
  std::function<void(const Status&)> done_;
};

class BlockingWaiter final : public SyncWaiter {
 public:
  void OnSynced(const Status& status) override {
    MutexLock lock(&mu_);
    status_ = status;
    done_ = true;
    condition_.Signal();
  }
  Status Wait() {
    MutexLock lock(&mu_);
    while (!done_) condition_.Wait(&mu_);
    return status_;
  }

 private:
  Mutex mu_;
  CondVar condition_;
  bool done_ GUARDED_BY(mu_) = false;
  Status status_ GUARDED_BY(mu_);
};

}  // namespace

void Wal::WhenSynced(Ticket ticket, SyncLevel level, std::function<void(const Status&)> done) {
  WhenSynced(ticket, level, new FunctionWaiter(std::move(done)));
}

Status Wal::WaitSynced(Ticket ticket, SyncLevel level) {
  BlockingWaiter waiter;
  waiter.attended = true;
  WhenSynced(ticket, level, &waiter);
  Lead();
  return waiter.Wait();
}

Status Wal::SyncAll() { return WaitSynced(last_ticket(), SyncLevel::kFdatasync); }

}  // namespace bennu::wal
