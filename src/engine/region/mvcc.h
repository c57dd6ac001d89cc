// Mvcc: which writes may be seen. One object for all regions of a store, so that one read point is
// one moment of everything (design decision 6).
//
//   Begin      in the order of the sequence ids, when a write takes its id (under the log's lock)
//   Complete   in any order, when the write is as safe as it must be
//   published  in the order of the ids again: the read point moves over the complete prefix, and
//              each write that it passes is told
//
// Once a write completes with an error the log is lost: the read point stands still for good, and
// every write that was not published gets the error. A log that could not be written, and may be
// later, only gives up the writes that it holds (wal::GiveUpHandler): they get the error, what they
// left in memstores is never seen, and later ones are published as ever.
// Thread-safe. Lock order: the log's lock before this one's.
#ifndef BENNU_SRC_ENGINE_REGION_MVCC_H_
#define BENNU_SRC_ENGINE_REGION_MVCC_H_

#include <atomic>
#include <cstdint>

#include "bennu/status.h"
#include "src/base/mutex.h"
#include "src/engine/memstore/given_up_ids.h"
#include "src/wal/given_up.h"

namespace bennu::engine {

class Mvcc final : public wal::GiveUpHandler {
 public:
  // A write between taking its id and being published. Owned by the caller, who keeps it until
  // OnPublished has begun; OnPublished may delete it, and runs without any lock of this class.
  class Write {
   public:
    virtual ~Write() = default;
    virtual void OnPublished(const Status& status) = 0;
    uint64_t sequence_id() const { return sequence_id_; }

   private:
    friend class Mvcc;
    Write* next_ = nullptr;
    uint64_t sequence_id_ = 0;
    bool complete_ = false;
    bool given_up_ = false;  // not in the list any more; its Complete tells so
  };

  // Everything up to 'last_sequence_id' is visible.
  explicit Mvcc(uint64_t last_sequence_id) : read_point_(last_sequence_id) {}

  // Moves the read point up; only while nothing is in flight (after recovery).
  void Restart(uint64_t last_sequence_id);

  void Begin(Write* write, uint64_t sequence_id);
  // Runs OnPublished of this write and of others that it held up, or keeps it until those before
  // are complete.
  void Complete(Write* write, const Status& status);

  uint64_t GiveUp(uint64_t after, uint64_t last, const Status& cause) override;
  void TellGivenUp() override;
  const GivenUpIds& given_up() const { return given_up_; }

  // Waits until nothing with an id up to 'sequence_id' is in flight. The log's error if it is lost.
  Status WaitPublished(uint64_t sequence_id);

  // The newest id that reads may see.
  uint64_t read_point() const { return read_point_.load(std::memory_order_seq_cst); }
  // OK, or why nothing is published any more.
  Status status() const;

 private:
  Write* TakeCompletePrefix() REQUIRES(mu_);
  Write* TakeEveryComplete() REQUIRES(mu_);
  void TakeOut(uint64_t after) REQUIRES(mu_);
  static void TellAll(Write* writes, const Status& status);

  // Written under mu_, read by all; a stale value is an earlier moment, which is a right answer
  // to whoever cannot know of the later one.
  std::atomic<uint64_t> read_point_;
  mutable Mutex mu_;
  CondVar published_;
  size_t waiting_ GUARDED_BY(mu_) = 0;
  Write* first_ GUARDED_BY(mu_) = nullptr;
  Write* last_ GUARDED_BY(mu_) = nullptr;
  Status lost_ GUARDED_BY(mu_);
  GivenUpIds given_up_;                       // added to under mu_
  Write* to_tell_ GUARDED_BY(mu_) = nullptr;  // given up when they were complete already
  Status give_up_cause_ GUARDED_BY(mu_);
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_MVCC_H_
