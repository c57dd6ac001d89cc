// ReadPoints: which moments are still being read, so that flushes and compactions keep what those
// readers need.
//
// Long readers (scanners, snapshots) are registered under a lock. Point reads use a slot of their
// thread and take no lock; the steps, all sequentially consistent:
//   reader    slot = read point; if floor > slot: the slot may have been overlooked, do it again
//   cleaner   floor = read point; smallest = min(floor, slots, registered)
// Either the cleaner sees the slot or the reader sees the floor.
// Thread-safe.
#ifndef BENNU_SRC_ENGINE_REGION_READ_POINTS_H_
#define BENNU_SRC_ENGINE_REGION_READ_POINTS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "bennu/scan.h"
#include "src/base/mutex.h"
#include "src/engine/region/mvcc.h"

namespace bennu::engine {

class ReadPoints {
 public:
  explicit ReadPoints(const Mvcc* mvcc);  // must outlive this
  ~ReadPoints();
  ReadPoints(const ReadPoints&) = delete;
  ReadPoints& operator=(const ReadPoints&) = delete;

  // No cell version that a reader at this id or later sees may be dropped.
  uint64_t Smallest();

  // Registers the present read point, or 'read_point' when someone holds that already.
  uint64_t Register();
  void Register(uint64_t read_point);
  void Unregister(uint64_t read_point);

  // A short read on one thread.
  class Guard {
   public:
    explicit Guard(ReadPoints* points);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    uint64_t read_point() const { return read_point_; }

   private:
    ReadPoints* const points_;
    std::atomic<uint64_t>* slot_;  // null: registered under the lock instead
    uint64_t read_point_;
  };

 private:
  static constexpr size_t kSlotCount = 128;
  static constexpr uint64_t kFree = UINT64_MAX;
  struct alignas(64) Slot {
    // Written by the thread that claimed it, read by Smallest.
    std::atomic<uint64_t> read_point{kFree};
  };
  static size_t ThreadSlotIndex();

  const Mvcc* const mvcc_;
  std::atomic<uint64_t> floor_{0};
  std::unique_ptr<std::array<Slot, kSlotCount>> slots_;
  Mutex mu_;
  std::map<uint64_t, size_t> registered_ GUARDED_BY(mu_);  // read point -> readers
};

// A moment that stays readable as long as this lives. Keeps the ReadPoints alive.
class EngineSnapshot final : public Snapshot {
 public:
  explicit EngineSnapshot(std::shared_ptr<ReadPoints> points)
      : points_(std::move(points)), read_point_(points_->Register()) {}
  ~EngineSnapshot() override { points_->Unregister(read_point_); }
  uint64_t read_point() const { return read_point_; }

 private:
  const std::shared_ptr<ReadPoints> points_;
  const uint64_t read_point_;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_READ_POINTS_H_
