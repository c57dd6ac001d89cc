#include "src/engine/store/in_memory_compaction.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/engine/store/store.h"

namespace bennu::engine {

namespace {

using Parts = std::vector<std::shared_ptr<MemStore>>;

InMemoryCompaction PolicyOf(const api::StoreConfiguration& properties) {
  const std::string* text = properties.Find("IN_MEMORY_COMPACTION");
  if (text == nullptr) text = properties.Find("hbase.hregion.compacting.memstore.type");
  if (text == nullptr) return InMemoryCompaction::kNone;
  std::string name = *text;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (name == "EAGER") return InMemoryCompaction::kEager;
  return name == "BASIC" || name == "ADAPTIVE" ? InMemoryCompaction::kBasic
                                               : InMemoryCompaction::kNone;
}

uint64_t BytesOf(const Parts& parts) {
  uint64_t bytes = 0;
  for (const auto& part : parts) bytes += part->used_bytes();
  return bytes;
}

}  // namespace

InMemoryCompactionConfig InMemoryCompactionConfig::Of(const api::StoreConfiguration& properties,
                                                      uint64_t memstore_flush_bytes) {
  InMemoryCompactionConfig config;
  config.policy = PolicyOf(properties);
  const double factor = properties.Real("hbase.memstore.inmemoryflush.threshold.factor", 0);
  if (factor > 0 && factor <= 1) {
    config.flush_bytes = std::max<uint64_t>(
        1, static_cast<uint64_t>(factor * static_cast<double>(memstore_flush_bytes)));
  }
  config.parts_max = static_cast<size_t>(std::clamp<int64_t>(
      properties.Integer("hbase.hregion.compacting.pipeline.segments.limit", 2), 1, 1000));
  return config;
}

uint64_t Store::in_memory_flush_bytes() const {
  MutexLock lock(&mu_);
  return in_memory_.policy == InMemoryCompaction::kNone ? 0 : in_memory_.flush_bytes;
}

bool Store::PrepareInMemoryFlush() {
  MutexLock lock(&mu_);
  if (in_memory_.policy == InMemoryCompaction::kNone) return false;
  if (view_->memstores.front()->used_bytes() < in_memory_.flush_bytes) return false;
  SetActiveAside();
  return true;
}

Result<uint64_t> Store::CompactInMemory(uint64_t smallest_read_point, int64_t now_millis) {
  Parts aside;
  InMemoryCompactionConfig config;
  {
    MutexLock lock(&mu_);
    config = in_memory_;
    aside.assign(view_->memstores.begin() + 1, view_->memstores.end());
  }
  // The newest is first. All of them, or what is not flat yet.
  Parts taken = aside;
  if (config.policy != InMemoryCompaction::kEager && aside.size() <= config.parts_max) {
    const auto flat =
        std::find_if(taken.begin(), taken.end(), [](const auto& part) { return part->is_flat(); });
    taken.erase(flat, taken.end());
  }
  if (taken.empty()) return uint64_t{0};
  std::shared_ptr<MemStore> made;
  if (config.policy == InMemoryCompaction::kEager) {
    ASSIGN_OR_RETURN(made, WithoutSurplus(taken, smallest_read_point, now_millis));
  } else {
    made = MemStore::Flatten(taken, options_.meta_order, options_.given_up);
  }
  MutexLock lock(&mu_);
  Parts next = {view_->memstores.front()};
  if (!made->empty()) next.push_back(made);
  next.insert(next.end(), aside.begin() + static_cast<ptrdiff_t>(taken.size()), aside.end());
  view_ = std::make_shared<const StoreView>(
      StoreView{std::move(next), view_->files, view_->has_references});
  const uint64_t before = BytesOf(taken);
  return before - std::min(before, made->used_bytes());
}

// What a flush of the parts would write.
Result<std::shared_ptr<MemStore>> Store::WithoutSurplus(const Parts& parts,
                                                        uint64_t smallest_read_point,
                                                        int64_t now_millis) const {
  StoreView inputs;
  inputs.memstores = parts;
  Scan all;
  all.max_versions = std::numeric_limits<int32_t>::max();
  const StoreScanner::Options options{rules(), smallest_read_point, now_millis,
                                      StoreScanner::Purpose::kFlush, options_.meta_order};
  ASSIGN_OR_RETURN(const auto scanner,
                   StoreScanner::Open(std::make_shared<const StoreView>(inputs), all, options));
  auto made = std::make_shared<MemStore>(options_.meta_order, options_.given_up);
  constexpr size_t kRowsPerStep = 512;
  CellBatch batch;
  for (bool done = false; !done;) {
    batch.Clear();
    scanner->Unpin();
    RETURN_IF_ERROR(scanner->NextRows(kRowsPerStep, &batch, &done));
    for (const Cell& cell : batch.cells) made->AppendFlat(cell);
  }
  return made;
}

}  // namespace bennu::engine
