#include "src/engine/memstore/given_up_ids.h"

namespace bennu::engine {

GivenUpIds::~GivenUpIds() {
  for (const Range* range = newest_.load(std::memory_order_relaxed); range != nullptr;) {
    const Range* const older = range->older;
    delete range;
    range = older;
  }
}

void GivenUpIds::Add(uint64_t after, uint64_t last) {
  if (last <= after) return;
  Range* const newest = newest_.load(std::memory_order_relaxed);
  // While a disk stays full nothing may be written between one failure and the next.
  if (newest != nullptr && newest->last.load(std::memory_order_relaxed) == after) {
    newest->last.store(last, std::memory_order_release);
    return;
  }
  newest_.store(new Range{after, last, newest}, std::memory_order_release);
}

bool GivenUpIds::Contain(const Range* newest, uint64_t sequence_id) {
  for (const Range* range = newest; range != nullptr; range = range->older) {
    if (sequence_id > range->last.load(std::memory_order_acquire)) return false;
    if (sequence_id > range->after) return true;
  }
  return false;
}

}  // namespace bennu::engine
