// The stores of a region, by family name. Immutable; replaced when the table is altered.
#ifndef BENNU_SRC_ENGINE_REGION_STORE_SET_H_
#define BENNU_SRC_ENGINE_REGION_STORE_SET_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "bennu/bytes.h"
#include "src/api/write_observer.h"
#include "src/engine/store/store.h"

namespace bennu::engine {

// An empty file in a family's directory, named with the last sequence id before the family came.
inline constexpr std::string_view kReplayFloorPrefix = ".floor.";

struct StoreSet {
  struct Entry {
    Bytes family;
    std::shared_ptr<Store> store;
    // Log entries up to this id are not for this store: they were for an earlier family of the
    // same name (see AlterTable).
    uint64_t replay_floor = 0;
  };
  std::vector<Entry> entries;
  // Who observes writes. It stands here because every write is checked against a StoreSet, and
  // takes effect only while the region still has this one.
  std::shared_ptr<api::WriteObserver> observer;
  bool observer_known = false;  // 'observer' was asked for

  // Index of the family, -1 when there is none.
  int Find(ByteView family) const {
    for (size_t i = 0; i < entries.size(); ++i) {
      if (ByteView(entries[i].family) == family) return static_cast<int>(i);
    }
    return -1;
  }

  // Any store refers to files of the region that this one came from.
  bool has_references() const;
  uint64_t size_bytes() const;  // of all store files
  // Of all that the stores hold; 0 when they hold nothing.
  uint64_t max_sequence_id() const;

  void SortByFamily();
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_REGION_STORE_SET_H_
