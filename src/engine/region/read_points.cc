#include "src/engine/region/read_points.h"

#include <algorithm>

#include "src/base/check.h"

namespace bennu::engine {

ReadPoints::ReadPoints(const Mvcc* mvcc)
    : mvcc_(mvcc), slots_(std::make_unique<std::array<Slot, kSlotCount>>()) {}
ReadPoints::~ReadPoints() = default;

uint64_t ReadPoints::Smallest() {
  MutexLock lock(&mu_);
  uint64_t smallest = mvcc_->read_point();
  if (smallest > floor_.load()) floor_.store(smallest);
  for (const Slot& slot : *slots_) smallest = std::min(smallest, slot.read_point.load());
  if (!registered_.empty()) smallest = std::min(smallest, registered_.begin()->first);
  return smallest;
}

uint64_t ReadPoints::Register() {
  // Smallest() runs under the same lock, so it cannot fall between the two lines.
  MutexLock lock(&mu_);
  const uint64_t read_point = mvcc_->read_point();
  ++registered_[read_point];
  return read_point;
}

void ReadPoints::Register(uint64_t read_point) {
  MutexLock lock(&mu_);
  ++registered_[read_point];
}

void ReadPoints::Unregister(uint64_t read_point) {
  MutexLock lock(&mu_);
  const auto found = registered_.find(read_point);
  BENNU_CHECK(found != registered_.end());
  if (--found->second == 0) registered_.erase(found);
}

size_t ReadPoints::ThreadSlotIndex() {
  static std::atomic<size_t> next{0};
  thread_local const size_t index = next.fetch_add(1) % kSlotCount;
  return index;
}

ReadPoints::Guard::Guard(ReadPoints* points) : points_(points) {
  slot_ = &(*points->slots_)[ThreadSlotIndex()].read_point;
  read_point_ = points->mvcc_->read_point();
  uint64_t expected = kFree;
  // Taken: a read within a read, or more threads than slots.
  if (!slot_->compare_exchange_strong(expected, read_point_)) {
    slot_ = nullptr;
    read_point_ = points->Register();
    return;
  }
  while (points->floor_.load() > read_point_) {
    read_point_ = points->mvcc_->read_point();
    slot_->store(read_point_);
  }
}

ReadPoints::Guard::~Guard() {
  if (slot_ != nullptr) {
    slot_->store(kFree, std::memory_order_release);
  } else {
    points_->Unregister(read_point_);
  }
}

}  // namespace bennu::engine
