// What is counted of calls, with the meanings of HBase's IPC metrics.
// Source: HBase's MetricsHBaseServerSource.
#ifndef BENNU_SRC_SERVER_HBASE_RPC_METRICS_H_
#define BENNU_SRC_SERVER_HBASE_RPC_METRICS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "src/base/mutex.h"
#include "src/server/hbase/histogram.h"
#include "src/server/hbase/slow_log.h"

namespace bennu::server::hbase {

// Of one method. Thread-safe.
struct MethodMetrics {
  Histogram micros;  // from the frame to the answer
  std::atomic<uint64_t> failures{0};
};

// Of all calls. Thread-safe.
class RpcMetrics {
 public:
  void CallBegins(size_t request_bytes) {
    in_flight_.fetch_add(1, std::memory_order_relaxed);
    request_bytes_.Add(request_bytes);
  }
  void CallEnds() { in_flight_.fetch_sub(1, std::memory_order_release); }
  // Times in microseconds.
  void CallAnswered(uint64_t queued, uint64_t processed, size_t response_bytes) {
    queue_micros_.Add(queued);
    process_micros_.Add(processed);
    total_micros_.Add(queued + processed);
    response_bytes_.Add(response_bytes);
  }
  void CallFailed(std::string_view java_class) {
    MutexLock lock(&mu_);
    ++failures_[std::string(java_class.substr(java_class.rfind('.') + 1))];
  }

  // Calls that came in and are not answered.
  size_t in_flight() const { return in_flight_.load(std::memory_order_acquire); }
  const Histogram& queue_micros() const { return queue_micros_; }
  const Histogram& process_micros() const { return process_micros_; }
  const Histogram& total_micros() const { return total_micros_; }
  const Histogram& request_bytes() const { return request_bytes_; }
  const Histogram& response_bytes() const { return response_bytes_; }
  // By the last part of the class's name.
  std::map<std::string, uint64_t> failures() const {
    MutexLock lock(&mu_);
    return failures_;
  }
  SlowLog* slow_log() { return &slow_log_; }

 private:
  std::atomic<size_t> in_flight_{0};
  Histogram queue_micros_, process_micros_, total_micros_;
  Histogram request_bytes_, response_bytes_;
  mutable Mutex mu_;
  std::map<std::string, uint64_t> failures_ GUARDED_BY(mu_);
  SlowLog slow_log_;
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_RPC_METRICS_H_
