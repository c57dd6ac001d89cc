#include "src/engine/region/region.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "src/base/check.h"
#include "src/base/status_macros.h"
#include "src/engine/region/region_bulk_load.h"
#include "src/engine/region/region_scanner.h"

namespace bennu::engine {

Region::Region(const RegionServices* services, const RegionPaths& paths, const RegionInfo& info,
               std::shared_ptr<const TableDescriptor> descriptor, bool read_only)
    : state_(this, services, paths, info, read_only),
      opener_(&state_, std::move(descriptor)),
      writer_(&state_, &opener_),
      flusher_(&state_),
      compactor_(&state_, &opener_) {}

std::shared_ptr<Region> Region::Make(const RegionServices* services, const RegionPaths& paths,
                                     const RegionInfo& info,
                                     std::shared_ptr<const TableDescriptor> descriptor,
                                     bool read_only) {
  return std::shared_ptr<Region>(
      new Region(services, paths, info, std::move(descriptor), read_only));
}

Result<std::unique_ptr<RegionScanner>> Region::OpenScanner(const Scan* scan,
                                                           RowNavigator* navigator,
                                                           uint64_t read_point,
                                                           int64_t now_millis) {
  RETURN_IF_ERROR(EnsureOpen());
  return RegionScanner::Open(state_, scan, navigator, read_point, now_millis);
}

Status Region::SetDescriptor(const TableDescriptor& descriptor) {
  ASSIGN_OR_RETURN(const std::shared_ptr<StoreSet> next, opener_.StoresOf(descriptor));
  if (next == nullptr) return Status::Ok();
  // A flush or compaction of a store that goes must not bring its directory back. One that runs
  // would go on by the old options; it is stopped, and begins again when it is looked for.
  // None that waits for its turn comes in between.
  compactor_.AskToStop();
  MutexLock no_flush(&state_.flush_mu);
  MutexLock no_compaction(&state_.compaction_mu);
  compactor_.LetRun();
  std::unique_lock update(state_.update_mu);
  MutexLock lock(&state_.stores_mu);
  next->observer = state_.current_stores->observer;
  next->observer_known = state_.current_stores->observer_known;
  state_.SetStores(next);
  return Status::Ok();
}

void Region::Close() {
  const Status closed = Close(false);
  BENNU_CHECK(closed.ok());  // only a marker can fail
}

Status Region::Close(bool mark) {
  compactor_.Cancel();
  // An opening under way ends first, and none begins after.
  MutexLock no_opening(&state_.open_mu);
  if (state_.phase() == RegionPhase::kClosed) return Status::Ok();
  state_.SetPhase(RegionPhase::kClosed);
  MutexLock no_flush(&state_.flush_mu);
  MutexLock no_compaction(&state_.compaction_mu);
  if (!mark || state_.wal_region == nullptr) return Status::Ok();
  return state_.LogRegionEvent(/*is_opening=*/false);
}

void Region::Settle() {
  compactor_.Cancel();
  MutexLock no_compaction(&state_.compaction_mu);
  state_.SetPhase(RegionPhase::kSettled);
}

void Region::Thaw() {
  state_.SetPhase(RegionPhase::kOpen);
  compactor_.Allow();
}

Status Region::BulkLoad(std::vector<BulkLoadFile> files) {
  RETURN_IF_ERROR(state_.services->gate->Check());
  RETURN_IF_ERROR(EnsureOpen());
  Freeze();
  const Status status = RegionBulkLoad(&state_, &flusher_, std::move(files)).Run();
  if (state_.phase() == RegionPhase::kFrozen) Thaw();
  if (!status.ok()) {
    return status.Annotate("loading files into region " + encoded_name() + " of table " +
                           state_.table_text);
  }
  if (state_.services->host != nullptr) state_.services->host->WantCompaction(this);
  return status;
}

namespace {

void DescribeFile(const StoreFile& file, RegionStatus* status) {
  const hfile::Reader& reader = *file.reader();
  status->uncompressed_bytes += reader.trailer().total_uncompressed_bytes;
  status->index_bytes += reader.trailer().uncompressed_data_index_size;
  status->root_index_bytes += reader.root_index().memory_bytes();
  if (reader.general_bloom() != nullptr) status->bloom_bytes += reader.general_bloom()->byte_size();
  status->reference_files += file.is_reference() ? 1 : 0;
  const int64_t written = file.created_millis().value_or(0);
  if (written <= 0) return;
  if (status->dated_files == 0 || written < status->oldest_file_millis) {
    status->oldest_file_millis = written;
  }
  status->newest_file_millis = std::max(status->newest_file_millis, written);
  status->file_millis_sum += written;
  ++status->dated_files;
}

}  // namespace

RegionStatus Region::Describe() const {
  RegionStatus status;
  if (!opened()) {
    MutexLock lock(&recalled_mu_);
    if (recalled_.has_value()) return *recalled_;
    status.info = info();
    return status;
  }
  status.info = info();
  status.open = true;
  const auto set = stores();
  for (const auto& entry : set->entries) {
    ++status.stores;
    status.largest_store_files =
        std::max(status.largest_store_files, entry.store->file_names().size());
    const auto view = entry.store->view();
    for (const auto& file : view->files) {
      DescribeFile(*file, &status);
      if (!file->reader()->is_major_compaction()) continue;
      const int64_t written = file->created_millis().value_or(0);
      int64_t& oldest = status.last_major_compaction_millis;
      if (written > 0 && (oldest == 0 || written < oldest)) oldest = written;
    }
    status.store_files += entry.store->file_names().size();
    status.file_bytes += entry.store->size_bytes();
    status.memstore_bytes += entry.store->memstore_bytes();
  }
  status.has_references = set->has_references();
  status.compaction = compactor_.at_work();
  return status;
}

void Region::Recall(RegionStatus status) {
  status.open = false;
  MutexLock lock(&recalled_mu_);
  recalled_ = std::move(status);
}

}  // namespace bennu::engine
