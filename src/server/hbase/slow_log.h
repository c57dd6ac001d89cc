// Calls that took long or answered with much: a warning for each, and the last ones for clients.
// Source: HBase's RpcServer.logResponse, SlowLogQueueService; hbase-rpc spec, TooSlowLog.proto.
#ifndef BENNU_SRC_SERVER_HBASE_SLOW_LOG_H_
#define BENNU_SRC_SERVER_HBASE_SLOW_LOG_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "src/base/mutex.h"

namespace bennu::server::hbase {

struct SlowCall {
  uint32_t call_id = 0;
  int64_t start_millis = 0;  // wall clock
  int64_t queue_millis = 0;
  int64_t processing_millis = 0;
  uint64_t response_bytes = 0;
  std::string client;  // "address:port"
  std::string user;
  std::string service;
  std::string method;
  std::string trace_id;  // of the client's trace; empty: none
  std::string region;    // its name, printable; empty: not of a region, or of several
  std::string table;
  std::string rows;  // "row=…", or "startRow=…, stopRow=…"; printable
  uint32_t gets = 0;
  uint32_t mutations = 0;
  uint32_t service_calls = 0;
  bool slow = false;  // one of these two at least
  bool large = false;
};

// As the line of the log has it, after what HBase begins it with: one JSON object.
std::string DescribeSlowCall(const SlowCall& call);

// Thread-safe.
class SlowLog {
 public:
  struct Bounds {
    int64_t millis = 10'000;      // hbase.ipc.warn.response.time; negative: none
    int64_t bytes = 100ll << 20;  // hbase.ipc.warn.response.size; negative: none
    bool keep = false;            // hbase.regionserver.slowlog.buffer.enabled
    size_t kept_max = 256;        // hbase.regionserver.slowlog.ringbuffer.size
  };
  void SetBounds(const Bounds& bounds);

  bool IsSlow(int64_t processing_millis) const {
    const int64_t max = millis_.load(std::memory_order_relaxed);
    return max >= 0 && processing_millis > max;
  }
  bool IsLarge(uint64_t response_bytes) const {
    const int64_t max = bytes_.load(std::memory_order_relaxed);
    return max >= 0 && response_bytes > static_cast<uint64_t>(max);
  }
  void Add(SlowCall call);

  // The last ones, the newest first.
  std::vector<SlowCall> List() const;
  bool Clear();  // false: nothing is kept at all
  uint64_t slow_count() const { return slow_count_.load(std::memory_order_relaxed); }
  uint64_t large_count() const { return large_count_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> millis_{Bounds().millis};
  std::atomic<int64_t> bytes_{Bounds().bytes};
  std::atomic<uint64_t> slow_count_{0}, large_count_{0};
  mutable Mutex mu_;
  bool keep_ GUARDED_BY(mu_) = false;
  size_t kept_max_ GUARDED_BY(mu_) = Bounds().kept_max;
  std::deque<SlowCall> calls_ GUARDED_BY(mu_);  // the newest first
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_SLOW_LOG_H_
