#include "src/engine/region/region_markers.h"

#include "bennu/mutation.h"
#include "src/base/log.h"
#include "src/wal/markers.h"

namespace bennu::engine {

namespace {

wal::MarkerRegion MarkedRegion(const RegionInfo& info) {
  wal::MarkerRegion region;
  region.table = info.table.ToString();
  region.encoded_region = info.EncodedName();
  region.region_name = info.RegionName();
  region.start_key = info.start_key;
  return region;
}

}  // namespace

Bytes RegionEventMarker(const RegionInfo& info, const StoreSet& stores,
                        const std::string& server_name, uint64_t sequence_id, bool opened,
                        int64_t now_millis) {
  wal::RegionEvent event;
  event.open = opened;
  event.region = MarkedRegion(info);
  event.sequence_id = sequence_id;
  for (const auto& entry : stores.entries) {
    event.stores.push_back({entry.family, entry.store->file_names()});
  }
  event.server_name = server_name;
  return wal::EncodeMarker(event, now_millis);
}

Bytes FlushMarker(const RegionInfo& info, FlushAction action, uint64_t sequence_id,
                  const std::vector<StoreSet::Entry>& stores,
                  const std::vector<PendingFiles>& files, int64_t now_millis) {
  wal::FlushEvent event;
  event.action = action == FlushAction::kStart ? wal::FlushEvent::Action::kStart
                                               : wal::FlushEvent::Action::kCommit;
  event.region = MarkedRegion(info);
  event.flush_sequence_id = sequence_id;
  for (size_t i = 0; i < stores.size(); ++i) {
    event.stores.push_back({stores[i].family, {}});
    if (i >= files.size()) continue;
    for (const PendingFile& file : files[i]) event.stores.back().files.push_back(file.name);
  }
  return wal::EncodeMarker(event, now_millis);
}

Bytes CompactionMarker(const RegionInfo& info, const Bytes& family,
                       const CompactionRequest& request, const PendingFiles& results,
                       int64_t now_millis) {
  wal::CompactionEvent event;
  event.region = MarkedRegion(info);
  event.family = family;
  for (const auto& input : request.inputs) event.inputs.push_back(input->name());
  for (const PendingFile& file : results) event.outputs.push_back(file.name);
  return wal::EncodeMarker(event, now_millis);
}

Bytes BulkLoadMarker(const RegionInfo& info, const std::vector<BulkLoadFile>& files,
                     uint64_t sequence_id, int64_t now_millis) {
  wal::BulkLoadEvent event;
  event.region = MarkedRegion(info);
  event.sequence_id = sequence_id;
  for (const BulkLoadFile& file : files) {  // sorted by family
    if (event.stores.empty() || event.stores.back().family != file.family) {
      event.stores.push_back({file.family, {}, 0});
    }
    event.stores.back().files.push_back(file.name);
    event.stores.back().size_bytes = file.size_bytes;
  }
  return wal::EncodeMarker(event, now_millis);
}

bool ParseCompactionMarker(const wal::WalEntry& entry, Bytes* family,
                           std::vector<std::string>* inputs, std::vector<std::string>* outputs) {
  if (entry.cell_count != 1) return false;
  Cell cell;
  CellAt(entry.cells, 0, &cell);
  if (!wal::IsMarker(cell)) return false;
  auto event = wal::DecodeCompactionEvent(cell);
  if (!event.ok()) {
    LogWarning("recovery: a compaction's marker is left out: {}", event.status().ToString());
    return false;
  }
  if (!event->has_value()) return false;
  *family = (*event)->family;
  *inputs = std::move((*event)->inputs);
  *outputs = std::move((*event)->outputs);
  return true;
}

bool IsBulkLoadMarker(const wal::WalEntry& entry) {
  if (entry.cell_count != 1) return false;
  Cell cell;
  CellAt(entry.cells, 0, &cell);
  return wal::IsBulkLoadMarker(cell);
}

}  // namespace bennu::engine
