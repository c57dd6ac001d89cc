// RegionWrite: one region's part of a batch on its way from the log to being visible.
//
//   appended -> OnSynced (by the log) -> published in order (by Mvcc) -> the batch is told
#ifndef BENNU_SRC_ENGINE_REGION_REGION_WRITE_H_
#define BENNU_SRC_ENGINE_REGION_REGION_WRITE_H_

#include "bennu/status.h"
#include "src/engine/region/mvcc.h"
#include "src/wal/wal.h"

namespace bennu::engine {

// Told when a part is visible, or will never be. Runs on the log's thread as a rule.
class WriteCompletion {
 public:
  virtual ~WriteCompletion() = default;
  virtual void PartDone(const Status& status) = 0;
};

// Belongs to the WriteCompletion, which may delete it in PartDone.
class RegionWrite final : public wal::SyncWaiter, public Mvcc::Write {
 public:
  RegionWrite(Mvcc* mvcc, WriteCompletion* completion) : mvcc_(mvcc), completion_(completion) {}

  void OnSynced(const Status& status) override { mvcc_->Complete(this, status); }
  void OnPublished(const Status& status) override { completion_->PartDone(status); }
  // For AppendRequest::on_sequence_id; 'context' is a RegionWrite.
  static void Begin(void* context, uint64_t sequence_id) {
    auto* const write = static_cast<RegionWrite*>(context);
    write->mvcc_->Begin(write, sequence_id);
  }

 private:
  Mvcc* const mvcc_;
  WriteCompletion* const completion_;
};

// A completion that one thread waits for.
class WaitedCompletion final : public WriteCompletion {
 public:
  void PartDone(const Status& status) override {
    // Everything under the lock: the waiter may destroy this as soon as it sees done_.
    MutexLock lock(&mu_);
    status_ = status;
    done_ = true;
    changed_.Signal();
  }
  Status Wait() {
    MutexLock lock(&mu_);
    while (!done_) changed_.Wait(&mu_);
    return status_;
  }

 private:
  Mutex mu_;
  CondVar changed_;
  bool done_ GUARDED_BY(mu_) = false;
  Status status_ GUARDED_BY(mu_);
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_REGION_WRITE_H_
