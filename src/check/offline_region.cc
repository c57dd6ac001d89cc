#include "src/check/offline_region.h"

#include <algorithm>

#include "src/base/status_macros.h"
#include "src/cell/batch_cell.h"

namespace bennu::check {

namespace {

constexpr uint64_t kCacheBytes = 16 << 20;
constexpr uint64_t kNoBound = uint64_t{1} << 62;

}  // namespace

OfflineRegion::OfflineRegion(const CheckRun& run, const RegionInfo& info,
                             const TableDescriptor& descriptor, bool writable)
    : clock_(run.env), memory_(kNoBound, kNoBound, 0), cache_(kCacheBytes) {
  services_.env = run.env;
  services_.clock = &clock_;
  services_.mvcc = &mvcc_;
  services_.read_points = &read_points_;
  services_.block_cache = &cache_;
  services_.gate = &gate_;
  services_.memory = &memory_;
  const std::string encoded = info.EncodedName();
  region_ = engine::Region::Make(&services_,
                                 {run.layout.RegionDirectory(info.table, encoded),
                                  run.layout.ArchivedRegionDirectory(info.table, encoded)},
                                 info, std::make_shared<const TableDescriptor>(descriptor),
                                 /*read_only=*/!writable);
}

OfflineRegion::~OfflineRegion() { region_->Close(); }

Result<std::unique_ptr<OfflineRegion>> OfflineRegion::Open(const CheckRun& run,
                                                           const RegionInfo& info,
                                                           const TableDescriptor& descriptor,
                                                           bool writable) {
  std::unique_ptr<OfflineRegion> offline(new OfflineRegion(run, info, descriptor, writable));
  RETURN_IF_ERROR(offline->region_->EnsureOpen());
  for (const CatalogEdit& edit : run.catalog_edits) {
    if (edit.encoded_region != offline->region_->encoded_name()) continue;
    RETURN_IF_ERROR(
        offline->region_->writer()->Replay(edit.cells, edit.cell_count, edit.sequence_id).status());
  }
  // Beyond the logs as well: what the next opening replays must not come after the repair.
  offline->max_sequence_id_ =
      std::max(run.max_logged_sequence_id, offline->region_->stores()->max_sequence_id());
  return offline;
}

Status OfflineRegion::Write(MutationBatch* batch) {
  int64_t time = clock_.NowMillis();
  const auto set = region_->stores();
  for (const auto& entry : set->entries) time = std::max(time, entry.store->max_timestamp() + 1);
  char* const buffer = batch->mutable_buffer()->data();
  Cell cell;
  for (size_t offset = 0; offset < batch->buffer().size();) {
    offset = CellAt(batch->buffer(), offset, &cell);
    if (cell.timestamp() != kLatestTimestamp) continue;
    cell::SetTimestampIn(buffer, cell, time);
  }
  ++max_sequence_id_;
  RETURN_IF_ERROR(
      region_->writer()->Replay(batch->buffer(), batch->cell_count(), max_sequence_id_).status());
  return region_->flusher()->FlushReplayed(max_sequence_id_);
}

}  // namespace bennu::check
