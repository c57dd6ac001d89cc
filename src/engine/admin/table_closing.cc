#include "src/engine/admin/table_closing.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"

namespace bennu::engine {

namespace {

// Regions that leave the table's list together: so many have their files open at a time, and for so
// many the list is copied once.
constexpr size_t kAtOnce = 64;

// Everything is in files afterwards, and the region takes no further writes.
Status FlushAndFreeze(EngineCore* core, Region* region) {
  // Most of it while writes that are under way can still end.
  RETURN_IF_ERROR(core->maintenance->FlushNow(region));
  region->Settle();
  region->Freeze();
  const Status flushed = core->maintenance->FlushNow(region);
  if (!flushed.ok()) region->Thaw();
  return flushed;
}

// Puts a region that is not open in the place of 'region'. Its sequence ids in the log go on: a
// write that comes late is cut anew, and goes to the one that takes its place.
std::shared_ptr<Region> Successor(EngineCore* core, const Region& region,
                                  std::shared_ptr<const TableDescriptor> descriptor) {
  std::shared_ptr<Region> next = core->MakeRegion(region.info(), std::move(descriptor));
  next->Recall(region.Describe());
  return next;
}

}  // namespace

Status CloseRegionsOf(EngineCore* core, TableEntry* table) {
  const auto descriptor = std::make_shared<const TableDescriptor>(table->descriptor());
  const size_t count = table->regions()->size();
  Status first;
  for (size_t begin = 0; begin < count; begin += kAtOnce) {
    const auto list = table->regions();
    const auto at = list->begin() + static_cast<ptrdiff_t>(begin);
    const RegionList closing(at, at + static_cast<ptrdiff_t>(std::min(kAtOnce, count - begin)));
    std::vector<Status> flushed(closing.size());
    std::vector<char> closed(closing.size());
    core->query_pool->ParallelFor(closing.size(), [&](size_t i) {
      if (!closing[i]->opened()) return;
      flushed[i] = FlushAndFreeze(core, closing[i].get());
      closed[i] = flushed[i].ok();
    });
    RegionList next = closing;
    for (size_t i = 0; i < closing.size(); ++i) {
      if (first.ok()) first = flushed[i];
      if (closed[i]) next[i] = Successor(core, *closing[i], descriptor);
    }
    table->ReplaceRegions(closing, next);
    for (size_t i = 0; i < closing.size(); ++i) {
      if (closed[i]) closing[i]->MoveAway();
    }
  }
  return first;
}

}  // namespace bennu::engine
