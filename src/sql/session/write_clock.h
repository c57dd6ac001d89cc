// WriteClock: keeps a put from falling into the millisecond of a delete of its row.
//
// Cells are stamped in milliseconds, and a delete marker hides every put of its millisecond, also
// one that is written later. A write of puts therefore waits, for a millisecond at most, when one
// of its rows was deleted in the present one; writes of other rows, and all writes while nothing is
// deleted, never wait. Phoenix and HBase leave this to the user's luck.
//
// Where the store is remote, its servers stamp the cells by their own clocks, and do not tell the
// times. There, a whole millisecond has to go by here after the delete was acknowledged.
//
// One per open store, shared by its sessions. Thread-safe.
#ifndef BENNU_SRC_SQL_SESSION_WRITE_CLOCK_H_
#define BENNU_SRC_SQL_SESSION_WRITE_CLOCK_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <unordered_set>

#include "bennu/mutation.h"
#include "bennu/table.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"

namespace bennu::sql::session {

class WriteClock {
 public:
  // 'connection' must outlive this.
  explicit WriteClock(Connection* connection) : connection_(connection) {}

  // Call before a batch with puts is written.
  void AwaitDeletes(const TableName& table, const MutationBatch& batch);
  // Call after a batch with delete markers was written; reads the timestamps that the store gave,
  // or, for those that it keeps to itself, the time.
  void NoteDeletes(const TableName& table, const MutationBatch& batch);

 private:
  // Past this many rows in one millisecond all rows of the table count as deleted.
  static constexpr size_t kRowsMax = 65536;

  struct Deletes {
    int64_t millis = 0;
    std::unordered_set<size_t> row_hashes;
    bool all_rows = false;
  };

  bool Conflicts(const TableName& table, const MutationBatch& batch, int64_t now_ms);

  Connection* const connection_;
  // Written under mu_, read without: a stale value is of a write that is not acknowledged yet.
  std::atomic<int64_t> newest_delete_ms_{0};
  Mutex mu_;
  std::map<TableName, Deletes> deletes_ GUARDED_BY(mu_);
};

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_WRITE_CLOCK_H_
