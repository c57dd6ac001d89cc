// StatementLog: how long SQL's statements take, whoever runs them, and the last slow ones.
#ifndef BENNU_SRC_SERVER_CONSOLE_STATEMENT_LOG_H_
#define BENNU_SRC_SERVER_CONSOLE_STATEMENT_LOG_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "src/base/mutex.h"
#include "src/server/hbase/histogram.h"
#include "src/sql/session/statements.h"

namespace bennu::server::console {

struct SlowStatement {
  std::string text;  // cut to kTextBytesMax
  std::string tenant;
  int64_t start_millis = 0;
  uint64_t nanos = 0;
  uint64_t rows_read = 0;
  uint64_t rows_returned = 0;
};

// Thread-safe. A statement that is not slow takes no lock.
class StatementLog final : public sql::session::StatementObserver {
 public:
  // A person notices that he waits.
  static constexpr uint64_t kSlowNanos = 1'000'000'000;
  // All of them together take half a megabyte at most.
  static constexpr size_t kKeptMax = 100;
  static constexpr size_t kTextBytesMax = 4096;

  explicit StatementLog(uint64_t slow_nanos = kSlowNanos) : slow_nanos_(slow_nanos) {}

  void StatementEnded(const sql::session::EndedStatement& statement) override;

  hbase::HistogramCounts micros() const { return micros_.Read(); }
  // Of all statements that have ended.
  uint64_t rows_read() const { return rows_read_.load(std::memory_order_relaxed); }
  uint64_t rows_returned() const { return rows_returned_.load(std::memory_order_relaxed); }
  // The newest first.
  std::vector<SlowStatement> Slow() const;
  uint64_t slow_nanos() const { return slow_nanos_; }

 private:
  const uint64_t slow_nanos_;
  hbase::Histogram micros_;
  std::atomic<uint64_t> rows_read_{0};  // these publish nothing else
  std::atomic<uint64_t> rows_returned_{0};
  mutable Mutex mu_;
  std::deque<SlowStatement> slow_ GUARDED_BY(mu_);
};

}  // namespace bennu::server::console

#endif  // BENNU_SRC_SERVER_CONSOLE_STATEMENT_LOG_H_
