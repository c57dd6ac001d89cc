// Numbers that were seen, packed: millions of them, looked up and added in one step each.
#ifndef BENNU_SRC_SERVER_HBASE_NONCE_SET_H_
#define BENNU_SRC_SERVER_HBASE_NONCE_SET_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bennu::server::hbase {

// A client's group and a nonce that is not 0.
using NonceKey = std::pair<uint64_t, uint64_t>;

// Clients draw nonces at random, but are not trusted to.
inline uint64_t HashOf(const NonceKey& key) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  uint64_t hash = (key.first ^ (key.second * kOdd)) * kOdd;
  hash ^= hash >> 32;
  return hash * kOdd;
}

// An open-addressing set. One thread at a time.
class NonceSet {
 public:
  size_t size() const { return size_; }
  bool Contains(const NonceKey& key) const {
    return !slots_.empty() && slots_[SlotOf(key)].second != 0;
  }
  void Insert(const NonceKey& key) {
    if ((size_ + 1) * kLoadDivisor > slots_.size() * kLoadFactor) Grow();
    NonceKey& slot = slots_[SlotOf(key)];
    if (slot.second == 0) ++size_;
    slot = key;
  }

 private:
  // At most three of five slots are taken, so that a search is short.
  static constexpr size_t kLoadFactor = 3;
  static constexpr size_t kLoadDivisor = 5;
  static constexpr size_t kSlotsMin = 16;

  // Where it is, or the free slot where it would be.
  size_t SlotOf(const NonceKey& key) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = HashOf(key) >> 16 & mask;
    while (slots_[slot].second != 0 && slots_[slot] != key) slot = (slot + 1) & mask;
    return slot;
  }
  void Grow() {
    std::vector<NonceKey> old(slots_.empty() ? kSlotsMin : slots_.size() * 2);
    old.swap(slots_);
    for (const NonceKey& key : old) {
      if (key.second != 0) slots_[SlotOf(key)] = key;
    }
  }

  std::vector<NonceKey> slots_;  // a nonce of 0 is a free slot; their number is a power of two
  size_t size_ = 0;
};

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_NONCE_SET_H_
