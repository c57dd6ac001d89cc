// MemoryPool: what the queries of one open store hold together.
#ifndef BENNU_SRC_SQL_EXEC_MEMORY_POOL_H_
#define BENNU_SRC_SQL_EXEC_MEMORY_POOL_H_

#include <atomic>
#include <cstdint>

namespace bennu::sql::exec {

// Thread-safe.
class MemoryPool {
 public:
  explicit MemoryPool(uint64_t bytes_max) : bytes_max_(static_cast<int64_t>(bytes_max)) {}

  // Counts the bytes (a negative number: gives them back); false when that is more than there is.
  bool Add(int64_t bytes) {
    return used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= bytes_max_;
  }
  int64_t used() const { return used_.load(std::memory_order_relaxed); }
  int64_t bytes_max() const { return bytes_max_; }

 private:
  const int64_t bytes_max_;
  std::atomic<int64_t> used_{0};  // only compared with the bound
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_MEMORY_POOL_H_
