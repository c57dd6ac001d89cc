// WireMemory: what a server's connections hold for their clients, bounded for all of them together:
// messages that are not complete, and answers that were not fetched.
#ifndef BENNU_SRC_SERVER_NET_WIRE_MEMORY_H_
#define BENNU_SRC_SERVER_NET_WIRE_MEMORY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bennu::server::net {

// Thread-safe.
class WireMemory {
 public:
  explicit WireMemory(uint64_t bytes_max) : bytes_max_(bytes_max) {}

  // False, and nothing is taken, when there would be more than the bound.
  bool TryTake(uint64_t bytes) {
    if (used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= bytes_max_) return true;
    Release(bytes);
    return false;
  }
  // Past the bound as well: for what has been made already.
  void Take(uint64_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void Release(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  bool HasRoomFor(uint64_t bytes) const { return used() + bytes <= bytes_max_; }

  uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  uint64_t bytes_max() const { return bytes_max_; }

 private:
  const uint64_t bytes_max_;
  std::atomic<uint64_t> used_{0};
};

// What one holder has taken; given back at its end. As thread-safe as a number is.
class WireCharge {
 public:
  // 'memory' may be null: nothing is counted. It must outlive this.
  explicit WireCharge(WireMemory* memory) : memory_(memory) {}
  ~WireCharge() { Set(0); }
  WireCharge(const WireCharge&) = delete;
  WireCharge& operator=(const WireCharge&) = delete;

  // False, with what was taken before, when there would be more than the bound.
  bool TrySet(size_t bytes) {
    if (memory_ != nullptr && bytes > bytes_ && !memory_->TryTake(bytes - bytes_)) return false;
    if (memory_ != nullptr && bytes < bytes_) memory_->Release(bytes_ - bytes);
    bytes_ = bytes;
    return true;
  }
  void Set(size_t bytes) {
    if (memory_ != nullptr && bytes > bytes_) memory_->Take(bytes - bytes_);
    if (memory_ != nullptr && bytes < bytes_) memory_->Release(bytes_ - bytes);
    bytes_ = bytes;
  }
  size_t bytes() const { return bytes_; }

 private:
  WireMemory* const memory_;
  size_t bytes_ = 0;
};

}  // namespace bennu::server::net

#endif  // BENNU_SRC_SERVER_NET_WIRE_MEMORY_H_
