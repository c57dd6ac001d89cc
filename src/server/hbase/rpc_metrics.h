// What is counted of calls.
#ifndef BENNU_SRC_SERVER_HBASE_RPC_METRICS_H_
#define BENNU_SRC_SERVER_HBASE_RPC_METRICS_H_

#include <atomic>
#include <cstddef>

namespace bennu::server::hbase {

// Thread-safe.
class RpcMetrics {
 public:
  void CallBegins() { in_flight_.fetch_add(1, std::memory_order_relaxed); }
  void CallEnds() { in_flight_.fetch_sub(1, std::memory_order_release); }
  // Calls that came in and are not answered.
  size_t in_flight() const { return in_flight_.load(std::memory_order_acquire); }

 private:
  std::atomic<size_t> in_flight_{0};
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_RPC_METRICS_H_
