#include "src/engine/region/region_opener.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "src/api/attributes.h"
#include "src/api/store_configuration.h"
#include "src/base/hex.h"
#include "src/base/log.h"
#include "src/base/no_wait.h"
#include "src/base/temporary_files.h"
#include "src/engine/region/bulk_load_journal.h"

namespace bennu::engine {

namespace {

// By the table's attribute DURABILITY; null, or another word: the store's default.
Durability DurabilityNamed(const std::string* text) {
  if (text == nullptr) return Durability::kUseDefault;
  if (*text == "SKIP_WAL") return Durability::kSkipWal;
  if (*text == "ASYNC_WAL") return Durability::kAsyncWal;
  if (*text == "SYNC_WAL") return Durability::kSyncWal;
  if (*text == "FSYNC_WAL") return Durability::kFsyncWal;
  return Durability::kUseDefault;
}

// Of the names in a store's directory; 0: there is none.
uint64_t FloorAmong(const std::vector<std::string>& names) {
  uint64_t greatest = 0;
  for (const std::string& name : names) {
    if (!name.starts_with(kReplayFloorPrefix)) continue;
    const auto floor = api::ParseInteger(std::string_view(name).substr(kReplayFloorPrefix.size()));
    if (floor) greatest = std::max(greatest, static_cast<uint64_t>(*floor));
  }
  return greatest;
}

}  // namespace

void RegionOpener::Refuse(const Status& why) {
  MutexLock lock(&state_->open_mu);
  refusal_ = why;
}

// Finishes or takes away what an earlier process was at, before files are looked for.
Status RegionOpener::PrepareDirectory(const TableDescriptor& descriptor) const {
  Env* const env = state_->services->env;
  const std::string& directory = state_->paths.directory;
  RETURN_IF_ERROR(CompleteBulkLoad(env, directory));
  // Files that an earlier process was still writing.
  RETURN_IF_ERROR(env->RemoveTree(JoinPath(directory, ".tmp")));
  RETURN_IF_ERROR(RemoveTemporaries(env, directory));
  // Bennu makes a region with the directories of all families. HBase makes those of families that
  // were added later when it opens the region.
  RETURN_IF_ERROR(MakeFamilies(descriptor, [this](const std::string& family) {
    LogWarning(
        "region {} of table {} has no directory for family {}; if it had one, what it held is "
        "lost. It is made anew, empty",
        state_->encoded_name, state_->table_text, ToStringBinary(family));
  }));
  for (const ColumnFamilyDescriptor& family : descriptor.families) {
    RETURN_IF_ERROR(RemoveTemporaries(env, JoinPath(directory, family.name)));
  }
  return Status::Ok();
}

Status RegionOpener::OpenNow() {
  if (NoWaitScope::Refuses()) return WouldWait();
  MutexLock lock(&state_->open_mu);
  if (state_->opened.load()) return Status::Ok();
  RETURN_IF_ERROR(refusal_);
  // A region of a dropped table must not make its directories again.
  if (state_->phase() == RegionPhase::kClosed) {
    return NotFound("table " + state_->table_text + " was dropped or closed");
  }
  const RegionServices& services = *state_->services;
  ASSIGN_OR_RETURN(const bool exists, services.env->Exists(state_->paths.directory));
  if (!exists) {
    return Corruption("region " + state_->encoded_name + " of table " + state_->table_text +
                      " has lost its directory " + state_->paths.directory +
                      ", and its rows with it; `bennu check --repair` makes it an empty region");
  }
  if (!state_->read_only) RETURN_IF_ERROR(PrepareDirectory(*descriptor_));
  ReadAttributes(*descriptor_);
  auto stores = std::make_shared<StoreSet>();
  for (const ColumnFamilyDescriptor& family : descriptor_->families) {
    auto store = OpenStore(family, *descriptor_);
    if (!store.ok()) {
      return store.status().Annotate("opening region " + state_->encoded_name + " of table " +
                                     state_->table_text + ", family " + family.name);
    }
    stores->entries.push_back(*std::move(store));
  }
  RETURN_IF_ERROR(ReadFloors(stores.get()));
  stores->SortByFamily();
  // Nobody observes the store's own tables: those who would be asked read them.
  stores->observer_known = state_->IsOfSystem();
  {
    std::unique_lock update(state_->update_mu);
    MutexLock stores_lock(&state_->stores_mu);
    state_->SetStores(std::move(stores));
  }
  state_->row_locks = std::make_unique<RowLocks>();
  state_->opened_at_millis = services.clock->NowMillis();
  if (services.wal != nullptr) {
    // Without its marker the region can still be read.
    const Status marked = StartLogging();
    if (!marked.ok()) {
      LogWarning("region {}: opening: {}", state_->encoded_name, marked.ToString());
    }
  }
  descriptor_.reset();
  state_->opened.store(true, std::memory_order_release);
  return Status::Ok();
}

// Once all stores are open, since the directories that are listed for it also tell of a bulk load
// that goes on beside a store that is only read: a part of its files may be in stores that were
// opened. All or none are, unless its journal is there and names some that are, or it is not, and
// there are files that came since.
Status RegionOpener::ReadFloors(StoreSet* stores) const {
  Env* const env = state_->services->env;
  const std::string& directory = state_->paths.directory;
  std::set<std::string> unfinished;
  if (state_->read_only) {
    ASSIGN_OR_RETURN(unfinished, UnfinishedBulkLoad(env, directory));
  }
  bool is_partial = false;
  for (StoreSet::Entry& entry : stores->entries) {
    const std::string place = JoinPath(directory, entry.family);
    ASSIGN_OR_RETURN(const bool exists, env->Exists(place));
    if (!exists) continue;
    ASSIGN_OR_RETURN(const auto names, env->ListDirectory(place));
    entry.replay_floor = FloorAmong(names);
    if (!state_->read_only) continue;
    const std::set<std::string>& loaded = entry.store->loaded_when_opened();
    for (const std::string& name : loaded) is_partial = is_partial || unfinished.contains(name);
    for (const std::string& name : names) {
      const bool counts = !name.starts_with('.') && !name.starts_with('_');
      const bool is_new = counts && BulkLoadSequenceId(name).has_value() &&
                          !loaded.contains(name) && !unfinished.contains(name);
      is_partial = is_partial || is_new;
    }
  }
  if (!is_partial) return Status::Ok();
  return Status(StatusCode::kAborted, "files were bulk loaded into region " + state_->encoded_name +
                                          " of table " + state_->table_text);
}

Status RegionOpener::StartLogging() {
  state_->wal_region =
      state_->services->wal->RegisterRegion(state_->encoded_name, state_->table_text);
  return state_->LogRegionEvent(/*is_opening=*/true);
}

Result<StoreSet::Entry> RegionOpener::OpenStore(const ColumnFamilyDescriptor& family,
                                                const TableDescriptor& table) const {
  const RegionServices& services = *state_->services;
  const RegionPaths& paths = state_->paths;
  StoreOptions options;
  options.env = services.env;
  options.block_cache = services.block_cache;
  options.store_directory = JoinPath(paths.directory, family.name);
  options.temp_directory = JoinPath(JoinPath(paths.directory, ".tmp"), family.name);
  options.archive_directory = JoinPath(paths.archive_directory, family.name);
  options.read_only = state_->read_only;
  options.meta_order = state_->is_meta;
  options.bounds_rows = !state_->IsOfSystem();
  options.given_up = &services.mvcc->given_up();
  if (state_->read_only) {
    ASSIGN_OR_RETURN(options.excluded_files, UnfinishedBulkLoad(options.env, paths.directory));
  }
  options.rows.start = state_->info.start_key;
  options.rows.stop = state_->info.end_key;
  options.memstore_flush_bytes = services.memstore_flush_bytes;
  options.configuration = services.configuration;
  StoreSet::Entry entry;
  entry.family = family.name;
  ASSIGN_OR_RETURN(entry.store, Store::Open(options, family, table.attributes));
  return entry;
}

void RegionOpener::ReadAttributes(const TableDescriptor& descriptor) {
  constexpr uint64_t kNoBound = std::numeric_limits<uint64_t>::max();
  uint64_t flush_bytes = state_->services->memstore_flush_bytes;
  if (const std::string* text = api::Find(descriptor.attributes, "MEMSTORE_FLUSHSIZE")) {
    const auto bytes = api::ParseInteger(*text);
    if (bytes && *bytes > 0) flush_bytes = static_cast<uint64_t>(*bytes);
  }
  const api::StoreConfiguration properties(state_->services->configuration, &descriptor.attributes,
                                           nullptr);
  const uint64_t multiplier = static_cast<uint64_t>(
      std::max<int64_t>(1, properties.Integer("hbase.hregion.memstore.block.multiplier", 4)));
  // A catalog that waits would hold up all that changes tables.
  const bool has_bound = !state_->is_meta && flush_bytes < kNoBound / multiplier;
  state_->memstores.SetLimits(flush_bytes, has_bound ? flush_bytes * multiplier : kNoBound);

  RegionSettings& settings = state_->settings;
  constexpr int64_t kCellBytesMax = 10 << 20;  // HBase's default
  settings.cell_bytes_max.store(
      state_->IsOfSystem() ? 0
                           : properties.Integer("hbase.server.keyvalue.maxsize", kCellBytesMax));
  settings.durability.store(DurabilityNamed(api::Find(descriptor.attributes, "DURABILITY")));
  const std::string* const read_only = api::Find(descriptor.attributes, "READONLY");
  settings.read_only.store(read_only != nullptr && api::ParseBool(*read_only).value_or(false));
  const std::string* const compacts = api::Find(descriptor.attributes, "COMPACTION_ENABLED");
  settings.compaction_enabled.store(compacts == nullptr ||
                                    api::ParseBool(*compacts).value_or(true));
}

Status RegionOpener::MakeFamilies(
    const TableDescriptor& descriptor,
    const std::function<void(const std::string& family)>& on_missing) const {
  Env* const env = state_->services->env;
  bool made = false;
  for (const ColumnFamilyDescriptor& family : descriptor.families) {
    const std::string directory = JoinPath(state_->paths.directory, family.name);
    ASSIGN_OR_RETURN(const bool exists, env->Exists(directory));
    if (exists) continue;
    if (on_missing) on_missing(family.name);
    RETURN_IF_ERROR(env->CreateDirectories(directory));
    made = true;
  }
  return made ? env->SyncDirectory(state_->paths.directory) : Status::Ok();
}

Result<std::shared_ptr<StoreSet>> RegionOpener::StoresOf(const TableDescriptor& descriptor) {
  {
    MutexLock lock(&state_->open_mu);
    if (!state_->opened.load()) {
      RETURN_IF_ERROR(MakeFamilies(descriptor));
      descriptor_ = std::make_shared<const TableDescriptor>(descriptor);
      return std::shared_ptr<StoreSet>();
    }
  }
  const std::shared_ptr<const StoreSet> old = state_->stores();
  auto next = std::make_shared<StoreSet>();
  for (const ColumnFamilyDescriptor& family : descriptor.families) {
    const int present = old->Find(family.name);
    if (present >= 0) {
      next->entries.push_back(old->entries[static_cast<size_t>(present)]);
      next->entries.back().store->SetFamily(family, descriptor.attributes);
    } else {
      ASSIGN_OR_RETURN(StoreSet::Entry entry, OpenStore(family, descriptor));
      next->entries.push_back(std::move(entry));
    }
  }
  RETURN_IF_ERROR(MakeFamilies(descriptor));
  next->SortByFamily();
  ReadAttributes(descriptor);
  return next;
}

}  // namespace bennu::engine
