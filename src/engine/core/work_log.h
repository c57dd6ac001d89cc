// WorkLog: which flushes and compactions run, and the last ones that ended, for those who look at
// the store from outside.
#ifndef BENNU_SRC_ENGINE_CORE_WORK_LOG_H_
#define BENNU_SRC_ENGINE_CORE_WORK_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "src/base/env.h"
#include "src/base/mutex.h"

namespace bennu::engine {

// A flush or compaction of one region.
struct WorkItem {
  enum class Kind : uint8_t { kFlush, kMinorCompaction, kMajorCompaction };

  Kind kind = Kind::kFlush;
  std::string table;
  std::string region;        // the encoded name
  std::string family;        // printable; empty: all of them
  int64_t start_millis = 0;  // since 1970
  uint64_t nanos = 0;        // that it took, or has taken so far
  std::string error;         // why it failed; empty: it did not, or it runs
};

// Thread-safe.
class WorkLog {
 public:
  // How many of those that ended are kept: more than anybody reads, and some kilobytes.
  static constexpr size_t kEndedMax = 64;
  // A compaction that ends sooner found nothing to do, since making a file takes a sync.
  static constexpr uint64_t kWorthTelling = 1'000'000;

  explicit WorkLog(Env* env) : env_(env) {}

  // Returns the number by which End knows it.
  uint64_t Begin(WorkItem item);
  void End(uint64_t number, std::string error);
  std::vector<WorkItem> Running() const;
  // The newest first.
  std::vector<WorkItem> Ended() const;

 private:
  struct Begun {
    WorkItem item;
    uint64_t at_nanos = 0;
  };

  Env* const env_;
  mutable Mutex mu_;
  uint64_t next_ GUARDED_BY(mu_) = 1;
  std::map<uint64_t, Begun> running_ GUARDED_BY(mu_);
  std::deque<WorkItem> ended_ GUARDED_BY(mu_);
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_CORE_WORK_LOG_H_
