// RegionWrite: one region's part of a batch on its way from the log to being visible.
//
//   appended -> OnSynced (by the log) -> published in order (by Mvcc) -> the batch is told
#ifndef BENNU_SRC_ENGINE_REGION_REGION_WRITE_H_
#define BENNU_SRC_ENGINE_REGION_REGION_WRITE_H_

#include "bennu/status.h"
#include "src/engine/region/mvcc.h"
#include "src/wal/wal.h"

namespace bennu::engine {

// Told when a part is visible, or will never be; on whichever thread does the log's round.
class WriteCompletion {
 public:
  virtual ~WriteCompletion() = default;
  virtual void PartDone(const Status& status) = 0;
};

// Belongs to the WriteCompletion, which may delete it in PartDone.
class RegionWrite final : public wal::SyncWaiter, public Mvcc::Write {
 public:
  // 'is_attended': see wal::SyncWaiter.
  RegionWrite(Mvcc* mvcc, WriteCompletion* completion, bool is_attended)
      : mvcc_(mvcc), completion_(completion) {
    attended = is_attended;
  }

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

// A completion that one thread waits for. What it is told of should be attended: the waiting thread
// does the log's round itself if nobody else does.
class WaitedCompletion final : public WriteCompletion {
 public:
  explicit WaitedCompletion(wal::Wal* wal) : wal_(wal) {}

  void PartDone(const Status& status) override {
    // Everything under the lock: the waiter may destroy this as soon as it sees done_.
    MutexLock lock(&mu_);
    status_ = status;
    done_ = true;
    changed_.Signal();
  }
  // With no lock held that another write's completion takes.
  Status Wait() {
    if (wal_ != nullptr) wal_->Lead();  // there is none in a store opened to read
    MutexLock lock(&mu_);
    while (!done_) changed_.Wait(&mu_);
    return status_;
  }

 private:
  wal::Wal* const wal_;
  Mutex mu_;
  CondVar changed_;
  bool done_ GUARDED_BY(mu_) = false;
  Status status_ GUARDED_BY(mu_);
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_REGION_WRITE_H_
