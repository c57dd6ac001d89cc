#include "src/server/console/statement_log.h"

#include <utility>

namespace bennu::server::console {

void StatementLog::StatementEnded(const sql::session::EndedStatement& statement) {
  constexpr uint64_t kNanosPerMicro = 1000;
  micros_.Add(statement.nanos / kNanosPerMicro);
  rows_read_.fetch_add(statement.progress.rows_read, std::memory_order_relaxed);
  rows_returned_.fetch_add(statement.progress.rows_returned, std::memory_order_relaxed);
  if (statement.nanos < slow_nanos_) return;
  SlowStatement slow;
  if (statement.text != nullptr) slow.text = statement.text->substr(0, kTextBytesMax);
  slow.tenant = statement.tenant;
  slow.start_millis = statement.start_millis;
  slow.nanos = statement.nanos;
  slow.rows_read = statement.progress.rows_read;
  slow.rows_returned = statement.progress.rows_returned;
  MutexLock lock(&mu_);
  slow_.push_front(std::move(slow));
  if (slow_.size() > kKeptMax) slow_.pop_back();
}

std::vector<SlowStatement> StatementLog::Slow() const {
  MutexLock lock(&mu_);
  return {slow_.begin(), slow_.end()};
}

}  // namespace bennu::server::console
