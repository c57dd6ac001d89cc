// Operators: the running half of a query. Each pulls chunks from the operators below it.
//
// All operators of one SELECT below its aggregation work on one layout: a chunk with a column for
// each slot that the binder gave out. A scan fills in the slots of its table and leaves the others
// untouched, so that expressions need no renumbering when tables are joined. One thread at a time
// per operator; parallel work goes through Morsels, where each thread opens operators of its own.
#ifndef BENNU_SRC_SQL_EXEC_OPERATOR_H_
#define BENNU_SRC_SQL_EXEC_OPERATOR_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bennu/status.h"
#include "bennu/table.h"
#include "src/base/mutex.h"
#include "src/sql/exec/analysis.h"
#include "src/sql/exec/query.h"
#include "src/sql/types/value.h"
#include "src/sql/types/vector.h"

namespace bennu::sql::exec {

// What all operators of one run share. Thread-safe.
class ExecContext {
 public:
  ExecContext(Connection* connection, const RunOptions& options, std::span<const Value> params);

  Connection* connection() const { return connection_; }
  const RunOptions& options() const { return options_; }
  const std::vector<Value>& params() const { return params_; }
  // What subqueries gave that are run before the query, by index. Set before operators are made.
  const std::vector<Value>& subquery_values() const { return subquery_values_; }
  void set_subquery_values(std::vector<Value> values) { subquery_values_ = std::move(values); }
  // Taken at the first call; null where the store has none.
  const std::shared_ptr<const Snapshot>& snapshot();

  // Cancelled, or 6000 when the time is up. Asked once for each chunk.
  Status CheckCancelled() const;
  // Counts memory of sorts, groups and joins (a negative number: gives it back). False past what
  // this query, or all of the store together, may have: it counts all the same.
  bool Charge(int64_t bytes);
  // The refusal after that, 999: 'what' names the operator.
  Status OutOfMemory(std::string_view what) const;
  // More than half of the query's memory is taken: what can do with less should begin to.
  bool crowded() const;
  void CountSpilled(uint64_t bytes) { spilled_bytes_.fetch_add(bytes, std::memory_order_relaxed); }

  // How many threads a parallel operator should use.
  size_t worker_count() const;
  // The step of EXPLAIN ANALYZE; null in other runs.
  Step* StepOf(const void* node, StepKind kind) {
    return options_.analysis == nullptr ? nullptr : options_.analysis->At(node, kind);
  }
  void CountScan(const Scanner::Metrics& metrics);
  // While it goes on, for those who watch.
  void CountRowsRead(size_t rows);
  void CountMorsels(size_t morsels, size_t threads);
  void CountMorselDone();
  RowStream::Metrics metrics() const;

 private:
  Connection* const connection_;
  const RunOptions options_;
  const std::vector<Value> params_;
  std::vector<Value> subquery_values_;
  // Any thread adds; only compared with bounds.
  std::atomic<int64_t> memory_bytes_{0};
  std::atomic<int64_t> memory_peak_{0};
  std::atomic<uint64_t> spilled_bytes_{0};
  mutable Mutex mu_;
  // Written once, before anybody is given a reference to it; where the store has none, to null.
  std::shared_ptr<const Snapshot> snapshot_ GUARDED_BY(mu_);
  bool snapshot_taken_ GUARDED_BY(mu_) = false;
  RowStream::Metrics metrics_ GUARDED_BY(mu_);
};

class Operator {
 public:
  virtual ~Operator() = default;
  // As RowStream::Next; the chunk's bytes are valid until the next call.
  virtual Status Next(DataChunk* chunk) = 0;
};

// A source cut into parts that can be read at the same time, each by an operator of its own.
// Thread-safe.
class Morsels {
 public:
  virtual ~Morsels() = default;
  virtual size_t count() const = 0;
  virtual Result<std::unique_ptr<Operator>> Open(size_t index) = 0;
};

// Opens and drains all morsels on up to 'workers' threads: use(worker, morsel, operator) for each,
// worker < workers, never two at a time for one worker. Returns the first error; others stop then.
Status RunMorsels(ExecContext* context, Morsels* morsels, size_t workers,
                  const std::function<Status(size_t worker, size_t morsel, Operator* source)>& use);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_OPERATOR_H_
