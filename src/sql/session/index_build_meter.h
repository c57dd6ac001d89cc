// IndexBuildMeter: how far indexes are that are being built, and how the building of others ended,
// for those who watch a process. Thread-safe.
//
//   IndexBuildMeter::Build build(meter, {table, index});
//   build.AddRows(n);           // by the threads that build
//   build.End(status);
#ifndef BENNU_SRC_SQL_SESSION_INDEX_BUILD_METER_H_
#define BENNU_SRC_SQL_SESSION_INDEX_BUILD_METER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bennu/status.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"

namespace bennu::sql::session {

// One that is being built.
struct RunningIndexBuild {
  std::string table;  // SQL's names
  std::string index;
  std::string tenant;             // whose index it is; empty: everybody's
  bool in_background = false;     // by no statement that somebody waits for
  int64_t start_millis = 0;       // since 1970
  uint64_t rows = 0;              // of the table, that are done
  std::optional<uint64_t> total;  // of the table's rows, as its statistics have it; they may be old
};

// Since the process began.
struct IndexBuildCounts {
  uint64_t completed = 0;
  uint64_t failed = 0;
  uint64_t cancelled = 0;                  // also by the end of the process
  uint64_t rows = 0;                       // by all builds, the running ones included
  std::vector<RunningIndexBuild> running;  // the first one to begin first
};

class IndexBuildMeter {
 public:
  // One building, as long as it lives. Thread-safe, but for its end.
  class Build {
   public:
    // 'meter' must outlive this.
    Build(IndexBuildMeter* meter, RunningIndexBuild what);
    // Without End it failed.
    ~Build();
    Build(const Build&) = delete;
    Build& operator=(const Build&) = delete;

    void AddRows(size_t rows) { rows_.fetch_add(rows, std::memory_order_relaxed); }
    void End(const Status& status);

   private:
    friend class IndexBuildMeter;
    IndexBuildMeter* const meter_;
    const RunningIndexBuild what_;
    uint64_t number_ = 0;            // in the order of their beginning
    std::atomic<uint64_t> rows_{0};  // whoever reads it wants a recent number, no more
    bool ended_ = false;
  };

  IndexBuildCounts Read() const;

 private:
  struct ByBeginning {
    bool operator()(const Build* a, const Build* b) const { return a->number_ < b->number_; }
  };

  mutable Mutex mu_;
  uint64_t begun_ GUARDED_BY(mu_) = 0;
  IndexBuildCounts ended_ GUARDED_BY(mu_);
  std::set<const Build*, ByBeginning> running_ GUARDED_BY(mu_);
};

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_INDEX_BUILD_METER_H_
