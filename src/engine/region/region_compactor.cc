#include "src/engine/region/region_compactor.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/base/status_macros.h"
#include "src/engine/region/region_markers.h"
#include "src/engine/store/compaction_observer.h"

namespace bennu::engine {

namespace {

// Tells of a compaction while it lives.
class CompactionAtWork {
 public:
  CompactionAtWork(std::atomic<CompactionState>* state, bool major) : state_(state) {
    state_->store(major ? CompactionState::kMajor : CompactionState::kMinor);
  }
  ~CompactionAtWork() { state_->store(CompactionState::kNone); }
  CompactionAtWork(const CompactionAtWork&) = delete;
  CompactionAtWork& operator=(const CompactionAtWork&) = delete;

 private:
  std::atomic<CompactionState>* const state_;
};

}  // namespace

Status RegionCompactor::Compact(bool major, CompactionThrottle* throttle, ByteView family) {
  if (state_->read_only) return FailedPrecondition("the store is open read-only");
  RETURN_IF_ERROR(opener_->EnsureOpen());
  const auto set = state_->stores();  // named: an alteration of the table replaces it meanwhile
  for (const auto& entry : set->entries) {
    if (!family.empty() && entry.family != family) continue;
    bool did = true;
    while (did) {
      std::unique_ptr<CompactionWatch> watch;
      RETURN_IF_ERROR(CompactStore(entry, major, throttle, &did, &watch));
      if (watch != nullptr) watch->Committed();
      if (major) break;  // one step takes every file
    }
  }
  return Status::Ok();
}

void RegionCompactor::AskToStop() {
  MutexLock lock(&state_->phase_mu);
  ++stops_asked_;
  cancelled_.store(true);
}

void RegionCompactor::LetRun() {
  MutexLock lock(&state_->phase_mu);
  if (--stops_asked_ == 0 && state_->phase() == RegionPhase::kOpen) cancelled_.store(false);
}

void RegionCompactor::Stop() {
  AskToStop();
  MutexLock none_runs(&state_->compaction_mu);
  LetRun();
}

bool RegionCompactor::MayCompact() const {
  const std::atomic<bool>* const on = services_->compactions_on;
  return state_->settings.compaction_enabled.load() && (on == nullptr || on->load());
}

bool RegionCompactor::NeedsCompaction(uint64_t round) const {
  if (state_->read_only || !MayCompact() || state_->phase() != RegionPhase::kOpen ||
      at_rest_.load()) {
    return false;
  }
  const auto set = state_->stores();
  return std::any_of(set->entries.begin(), set->entries.end(), [round](const auto& entry) {
    return entry.store->is_checked_in(round) &&
           !entry.store->SelectCompaction(false).inputs.empty();
  });
}

bool RegionCompactor::HasTooManyFiles() const {
  if (!MayCompact()) return false;
  const auto set = state_->stores();
  return std::any_of(set->entries.begin(), set->entries.end(),
                     [](const auto& entry) { return entry.store->has_too_many_files(); });
}

double RegionCompactor::pressure() const {
  double pressure = 0;
  const auto set = state_->stores();
  for (const auto& entry : set->entries) {
    pressure = std::max(pressure, entry.store->compaction_pressure());
  }
  return pressure;
}

Status RegionCompactor::CompactStore(const StoreSet::Entry& entry, bool major,
                                     CompactionThrottle* throttle, bool* did,
                                     std::unique_ptr<CompactionWatch>* watch) {
  *did = false;
  MutexLock lock(&state_->compaction_mu);
  if (cancelled_.load() || state_->phase() != RegionPhase::kOpen) {
    return Status(StatusCode::kCancelled, "region " + state_->encoded_name + " is being changed");
  }
  // As in HBase who asks is not told that nothing was compacted.
  if (at_rest_.load() || !MayCompact()) return Status::Ok();
  const CompactionRequest request = entry.store->SelectCompaction(major);
  if (request.inputs.empty()) return Status::Ok();
  const CompactionAtWork at_work(&at_work_, major || request.is_major);
  std::unique_ptr<CompactionWatch> seen_by;
  if (request.all_files && services_->compaction_observer != nullptr) {
    seen_by = services_->compaction_observer->Begin(state_->info, entry.family);
  }
  auto files = entry.store->WriteCompaction(request, services_->read_points->Smallest(),
                                            services_->clock->NowMillis(), &cancelled_, throttle,
                                            seen_by.get());
  if (!files.ok()) {
    return files.status().Annotate("compacting region " + state_->encoded_name + " of table " +
                                   state_->table_text + ", family " + entry.family);
  }
  CrashPoint("region.compaction.before_marker");
  RETURN_IF_ERROR(state_->LogMarker(
      CompactionMarker(state_->info, entry.family, request, *files, services_->clock->NowMillis()),
      true));
  CrashPoint("region.compaction.after_marker");
  RETURN_IF_ERROR(entry.store->CommitCompaction(request, *files));
  *watch = std::move(seen_by);
  *did = true;
  return Status::Ok();
}

Status RegionCompactor::FinishCompaction(ByteView family, const std::vector<std::string>& inputs,
                                         const std::vector<std::string>& outputs) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const StoreSet> set, opener_->OpenedStores());
  const int index = set->Find(family);
  if (index < 0) return Status::Ok();
  Store* const store = set->entries[static_cast<size_t>(index)].store.get();
  const std::vector<std::string> names = store->file_names();
  const std::set<std::string> present(names.begin(), names.end());
  const auto is_present = [&](const std::string& name) { return present.contains(name); };
  if (!std::all_of(outputs.begin(), outputs.end(), is_present)) {
    // Not all were moved into place before the crash: the inputs still count, and what some of the
    // outputs hold is there twice.
    if (!std::all_of(inputs.begin(), inputs.end(), is_present)) return Status::Ok();
    return store->ArchiveFiles(outputs);
  }
  return store->ArchiveFiles(inputs);
}

}  // namespace bennu::engine
