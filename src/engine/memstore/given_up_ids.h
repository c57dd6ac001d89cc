// GivenUpIds: sequence ids of writes that the log could not take. Their cells are in memstores and
// cannot be taken out of them again; no iterator shows them, so no reader and no file gets them.
//
// A list of ranges, the newest first, each above the one before. There is one for each time that
// the disk failed, so it is empty, and a glance at its head is all that reading costs.
// Thread-safe: Add by one thread at a time, beside any number of readers.
#ifndef BENNU_SRC_ENGINE_MEMSTORE_GIVEN_UP_IDS_H_
#define BENNU_SRC_ENGINE_MEMSTORE_GIVEN_UP_IDS_H_

#include <atomic>
#include <cstdint>

namespace bennu::engine {

class GivenUpIds {
 public:
  // (after, last].
  struct Range {
    uint64_t after;
    std::atomic<uint64_t> last;  // written by Add, which only lifts it; read by iterators
    const Range* older;
  };

  GivenUpIds() = default;
  ~GivenUpIds();
  GivenUpIds(const GivenUpIds&) = delete;
  GivenUpIds& operator=(const GivenUpIds&) = delete;

  // Ids not seen before, above all earlier ones.
  void Add(uint64_t after, uint64_t last);

  // Null while there are none. Ranges live as long as this.
  const Range* newest() const { return newest_.load(std::memory_order_acquire); }
  static bool Contain(const Range* newest, uint64_t sequence_id);

 private:
  std::atomic<Range*> newest_{nullptr};
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_MEMSTORE_GIVEN_UP_IDS_H_
