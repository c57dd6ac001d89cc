// RunControl: how a running statement is stopped from outside, and how far it has come.
//
// Its owner runs one statement after the other; any other thread may Cancel and look. Operators ask
// Check once for each chunk. Source: phoenix.query.timeoutMs, Statement.setQueryTimeout.
#ifndef BENNU_SRC_SQL_EXEC_RUN_CONTROL_H_
#define BENNU_SRC_SQL_EXEC_RUN_CONTROL_H_

#include <atomic>
#include <cstdint>

#include "bennu/status.h"

namespace bennu::sql::exec {

// Thread-safe, but for Begin, Pause and Resume: those are its owner's.
class RunControl {
 public:
  // A statement begins, which may take so long; 0: as long as it likes.
  void Begin(int64_t timeout_millis);
  // Around the time that the reader of the rows takes between two of them: it does not count.
  void Pause();
  void Resume();

  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  // Cancelled; 6000 once the time is up.
  Status Check() const;

  struct Progress {
    uint64_t rows_read = 0;      // of tables
    uint64_t rows_returned = 0;  // to whoever runs the statement
    uint64_t morsels = 0;        // parts that the scans begun so far are cut into
    uint64_t morsels_done = 0;
    int64_t memory_bytes = 0;  // of sorts, groups and joins, now
  };
  Progress progress() const;
  void AddRowsRead(uint64_t rows) { Add(&rows_read_, rows); }
  void AddRowsReturned(uint64_t rows) { Add(&rows_returned_, rows); }
  void AddMorsels(uint64_t morsels) { Add(&morsels_, morsels); }
  void AddMorselDone() { Add(&morsels_done_, 1); }
  void AddMemory(int64_t bytes) { memory_bytes_.fetch_add(bytes, std::memory_order_relaxed); }

 private:
  // Nothing is published through any of these: readers want recent numbers, no more.
  static void Add(std::atomic<uint64_t>* counter, uint64_t count) {
    counter->fetch_add(count, std::memory_order_relaxed);
  }

  std::atomic<bool> cancelled_{false};
  std::atomic<int64_t> timeout_millis_{0};
  std::atomic<uint64_t> deadline_nanos_{0};  // on the monotonic clock; 0: none
  uint64_t paused_at_ = 0;                   // 0: not paused
  std::atomic<uint64_t> rows_read_{0};
  std::atomic<uint64_t> rows_returned_{0};
  std::atomic<uint64_t> morsels_{0};
  std::atomic<uint64_t> morsels_done_{0};
  std::atomic<int64_t> memory_bytes_{0};
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_RUN_CONTROL_H_
