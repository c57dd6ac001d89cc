#include "src/engine/region/region_state.h"

#include <mutex>
#include <span>
#include <utility>

#include "src/base/no_wait.h"
#include "src/base/status_macros.h"
#include "src/engine/region/region_markers.h"

namespace bennu::engine {

RegionState::RegionState(Region* of, const RegionServices* shared, const RegionPaths& where,
                         const RegionInfo& who, bool only_read)
    : region(of),
      services(shared),
      paths(where),
      info(who),
      encoded_name(who.EncodedName()),
      table_text(who.table.ToString()),
      is_meta(who.table.name_space == "hbase" && who.table.qualifier == "meta"),
      read_only(only_read),
      memstores(shared, of) {
  static const auto kNoStores = std::make_shared<const StoreSet>();
  current_stores = kNoStores;
}

void RegionState::SetPhase(RegionPhase phase) {
  std::unique_lock update(update_mu);
  MutexLock lock(&phase_mu);
  current_phase.store(phase, std::memory_order_release);
  phase_changed.SignalAll();
}

Status RegionState::WaitWhileFrozen() {
  MutexLock lock(&phase_mu);
  while (phase() == RegionPhase::kFrozen) {
    if (NoWaitScope::Refuses()) return WouldWait();
    phase_changed.Wait(&phase_mu);
  }
  return Status::Ok();
}

void RegionState::SetStores(std::shared_ptr<const StoreSet> stores) {
  uint64_t least = 0;  // the shortest step that a family has between compactions in memory
  for (const auto& entry : stores->entries) {
    const uint64_t bytes = entry.store->in_memory_flush_bytes();
    if (bytes != 0 && (least == 0 || bytes < least)) least = bytes;
  }
  memstores.SetInMemoryStep(least);
  observer_known.store(stores->observer_known, std::memory_order_release);
  current_stores = std::move(stores);
}

void RegionState::SetObserver(std::shared_ptr<api::WriteObserver> observer, bool known) {
  auto next = std::make_shared<StoreSet>(*current_stores);
  next->observer = std::move(observer);
  next->observer_known = known;
  SetStores(std::move(next));
}

wal::AppendRequest RegionState::MarkerRequest(const ByteView* cell) const {
  wal::AppendRequest request;
  request.region = wal_region;
  request.cells = std::span<const ByteView>(cell, 1);
  request.cell_count = 1;
  request.write_time_ms = static_cast<uint64_t>(services->clock->NowMillis());
  return request;
}

Status RegionState::LogMarker(const Bytes& cell, bool sync) {
  const ByteView piece = cell;
  uint64_t sequence_id = 0;
  ASSIGN_OR_RETURN(const wal::Ticket ticket,
                   services->wal->Append(MarkerRequest(&piece), &sequence_id));
  if (!sync) return Status::Ok();
  return services->wal->WaitSynced(ticket, services->default_sync);
}

Status RegionState::LogRegionEvent(bool is_opening) {
  return LogMarker(
      RegionEventMarker(info, *stores(), services->server_name, services->wal->last_sequence_id(),
                        is_opening, services->clock->NowMillis()),
      false);
}

}  // namespace bennu::engine
