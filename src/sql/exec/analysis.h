// Analysis: what each step of one run of a query did; what EXPLAIN ANALYZE shows.
//
// A step is a node of the plan and what is done there. All
// operators that work on it, on whatever thread, add to its counters. Times are those of the step
// alone, without what runs below it, summed over threads.
#ifndef BENNU_SRC_SQL_EXEC_ANALYSIS_H_
#define BENNU_SRC_SQL_EXEC_ANALYSIS_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/base/mutex.h"
#include "src/sql/exec/plan_tree.h"
#include "src/sql/exec/query.h"

namespace bennu::sql::exec {

class Operator;

// What is done at a node of the plan.
enum class StepKind : uint8_t {
  kRows,       // the rows that it gives
  kFilter,     // a scan or derived table: what of them passes its conditions
  kMerge,      // a scan of an index: the rows that are looked up in the table
  kJoinBuild,  // a join: its right side
};

// Thread-safe.
class Step {
 public:
  void AddRows(uint64_t rows) { Add(&rows_, rows); }
  void AddNanos(uint64_t nanos) { Add(&nanos_, nanos); }
  void AddBytes(uint64_t bytes) { Add(&bytes_, bytes); }
  // Of a scanner that has ended.
  void AddScanner(const Scanner::Metrics& metrics);
  void AddColumnBlocks(uint64_t blocks) { Add(&column_blocks_, blocks); }
  // Keys that joins found out before the scan began.
  void SetJoinKeys(uint64_t points, uint64_t ranges);
  // The most memory that the step held at one time, on one thread.
  void NoteMemory(uint64_t bytes);

  uint64_t rows() const { return rows_.load(); }
  uint64_t nanos() const { return nanos_.load(); }
  uint64_t memory_bytes() const { return memory_.load(); }
  // "(rows=3, time=0.012 ms)"
  std::string Text() const;
  // What the scanners of a table read and left out, a line each.
  std::vector<std::string> ScanTexts() const;

 private:
  static void Add(std::atomic<uint64_t>* counter, uint64_t count) {
    counter->fetch_add(count, std::memory_order_relaxed);  // read when all threads are done
  }

  std::atomic<uint64_t> rows_{0};
  std::atomic<uint64_t> nanos_{0};
  std::atomic<uint64_t> bytes_{0};
  std::atomic<uint64_t> memory_{0};
  std::atomic<uint64_t> column_blocks_{0};
  mutable Mutex mu_;
  Scanner::Metrics scanned_ GUARDED_BY(mu_);
  uint64_t scanners_ GUARDED_BY(mu_) = 0;
  uint64_t join_points_ GUARDED_BY(mu_) = 0;
  uint64_t join_ranges_ GUARDED_BY(mu_) = 0;
};

// Of one run. Thread-safe but for the plan.
class Analysis {
 public:
  // Made at the first call; lives as long as this. 'node' is only a name.
  Step* At(const void* node, StepKind kind);
  // Null when nothing worked on that step.
  const Step* Find(const void* node, StepKind kind) const;

  // The lines of the plan with what was counted; set when the run has ended.
  void SetPlan(Result<std::vector<PlanLine>> plan) { plan_ = std::move(plan); }
  const Result<std::vector<PlanLine>>& plan() const { return plan_; }
  // The same as a tree; empty until the run has ended.
  void SetTree(PlanTree tree) { tree_ = std::move(tree); }
  const PlanTree& tree() const { return tree_; }

 private:
  mutable Mutex mu_;
  std::map<std::pair<const void*, StepKind>, std::unique_ptr<Step>> steps_ GUARDED_BY(mu_);
  Result<std::vector<PlanLine>> plan_ = std::vector<PlanLine>();
  PlanTree tree_;
};

// Gives the time until it ends to a step (null: to none), but for what inner timers of the same
// thread take.
class StepTimer {
 public:
  explicit StepTimer(Step* step);
  ~StepTimer();
  StepTimer(const StepTimer&) = delete;
  StepTimer& operator=(const StepTimer&) = delete;

 private:
  Step* const step_;
  uint64_t start_ = 0;
  uint64_t outer_ = 0;  // what inner timers of the one around this took before
};

// 'child' with its rows and time counted for the step; as it is when 'step' is null.
std::unique_ptr<Operator> Measure(std::unique_ptr<Operator> child, Step* step);

// " (rows=3, time=0.012 ms)"; "" for null.
std::string StepSuffix(const Step* step);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_ANALYSIS_H_
