#include "src/sql/session/write_clock.h"

#include <functional>

#include "bennu/cell.h"
#include "src/base/env.h"

namespace bennu::sql::session {
namespace {

constexpr uint64_t kPauseMicros = 50;
// A clock that stands still (a test's) must not stop the writer for ever.
constexpr int kPausesMax = 200;

}  // namespace

void WriteClock::AwaitDeletes(const TableName& table, const MutationBatch& batch) {
  for (int pause = 0; pause < kPausesMax; ++pause) {
    const int64_t now_ms = connection_->NowMillis();
    if (now_ms > newest_delete_ms_.load(std::memory_order_acquire)) return;
    if (!Conflicts(table, batch, now_ms)) return;
    Env::Default()->SleepMicros(kPauseMicros);
  }
}

bool WriteClock::Conflicts(const TableName& table, const MutationBatch& batch, int64_t now_ms) {
  MutexLock lock(&mu_);
  const auto it = deletes_.find(table);
  if (it == deletes_.end() || it->second.millis < now_ms) return false;
  if (it->second.all_rows) return true;
  for (const MutationBatch::Row& row : batch.rows()) {
    if (it->second.row_hashes.contains(std::hash<ByteView>()(batch.row_key(row)))) return true;
  }
  return false;
}

void WriteClock::NoteDeletes(const TableName& table, const MutationBatch& batch) {
  // Two readings of a clock that differ by two are more than one millisecond apart.
  const int64_t latest_ms = connection_->NowMillis() + 1;
  MutexLock lock(&mu_);
  Deletes& deletes = deletes_[table];
  for (const MutationBatch::Row& row : batch.rows()) {
    for (uint64_t offset = row.cells_begin; offset < row.cells_end;) {
      Cell cell;
      offset = CellAt(batch.buffer(), offset, &cell);
      const int64_t millis = cell.timestamp() == kLatestTimestamp ? latest_ms : cell.timestamp();
      if (!IsDelete(cell.type()) || millis < deletes.millis) continue;
      if (millis > deletes.millis) deletes = Deletes{millis, {}, false};
      if (deletes.row_hashes.size() >= kRowsMax) {
        deletes.all_rows = true;
      } else {
        deletes.row_hashes.insert(std::hash<ByteView>()(batch.row_key(row)));
      }
    }
  }
  if (deletes.millis > newest_delete_ms_.load(std::memory_order_relaxed)) {
    newest_delete_ms_.store(deletes.millis, std::memory_order_release);
  }
}

}  // namespace bennu::sql::session
