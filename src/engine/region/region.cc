#include "src/engine/region/region.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "src/api/attributes.h"
#include "src/api/store_configuration.h"
#include "src/base/check.h"
#include "src/base/hex.h"
#include "src/base/log.h"
#include "src/base/no_wait.h"
#include "src/base/status_macros.h"
#include "src/base/temporary_files.h"
#include "src/engine/region/region_markers.h"

namespace bennu::engine {

Region::Region(const RegionServices* services, const Paths& paths, const RegionInfo& info,
               std::shared_ptr<const TableDescriptor> descriptor, bool read_only)
    : services_(services),
      paths_(paths),
      info_(info),
      encoded_name_(info.EncodedName()),
      table_text_(info.table.ToString()),
      is_meta_(info.table.name_space == "hbase" && info.table.qualifier == "meta"),
      read_only_(read_only),
      descriptor_(std::move(descriptor)) {
  static const auto kNoStores = std::make_shared<const StoreSet>();
  stores_ = kNoStores;
}

Region::~Region() {
  const uint64_t accounted = accounted_bytes_.load();
  if (accounted > 0) services_->memory->Release(accounted);
}

std::shared_ptr<Region> Region::Make(const RegionServices* services, const Paths& paths,
                                     const RegionInfo& info,
                                     std::shared_ptr<const TableDescriptor> descriptor,
                                     bool read_only) {
  return std::shared_ptr<Region>(
      new Region(services, paths, info, std::move(descriptor), read_only));
}

void Region::Refuse(const Status& why) {
  MutexLock lock(&open_mu_);
  refusal_ = why;
}

// Finishes or takes away what an earlier process was at, before files are looked for.
Status Region::PrepareDirectory(const TableDescriptor& descriptor) const {
  Env* const env = services_->env;
  RETURN_IF_ERROR(CompleteBulkLoad(env, paths_.directory));
  // Files that an earlier process was still writing.
  RETURN_IF_ERROR(env->RemoveTree(JoinPath(paths_.directory, ".tmp")));
  RETURN_IF_ERROR(RemoveTemporaries(env, paths_.directory));
  // Here regions are made with all of them, and HBase makes those that come when it opens one.
  RETURN_IF_ERROR(MakeFamilies(descriptor, [this](const std::string& family) {
    LogWarning(
        "region {} of table {} has no directory for family {}; if it had one, what it held is "
        "lost. It is made anew, empty",
        encoded_name_, table_text_, ToStringBinary(family));
  }));
  for (const ColumnFamilyDescriptor& family : descriptor.families) {
    RETURN_IF_ERROR(RemoveTemporaries(env, JoinPath(paths_.directory, family.name)));
  }
  return Status::Ok();
}

Status Region::OpenNow() {
  if (NoWaitScope::Refuses()) return WouldWait();
  MutexLock lock(&open_mu_);
  if (opened_.load()) return Status::Ok();
  RETURN_IF_ERROR(refusal_);
  // A region of a dropped table must not make its directories again.
  if (state() == State::kClosed) return NotFound("table " + table_text_ + " was dropped or closed");
  ASSIGN_OR_RETURN(const bool exists, services_->env->Exists(paths_.directory));
  if (!exists) {
    return Corruption("region " + encoded_name_ + " of table " + table_text_ +
                      " has lost its directory " + paths_.directory +
                      ", and its rows with it; `bennu check --repair` makes it an empty region");
  }
  if (!read_only_) RETURN_IF_ERROR(PrepareDirectory(*descriptor_));
  ReadAttributes(*descriptor_);
  auto stores = std::make_shared<StoreSet>();
  for (const ColumnFamilyDescriptor& family : descriptor_->families) {
    auto store = OpenStore(family, *descriptor_);
    if (!store.ok()) {
      return store.status().Annotate("opening region " + encoded_name_ + " of table " +
                                     table_text_ + ", family " + family.name);
    }
    stores->entries.push_back(*std::move(store));
  }
  std::sort(stores->entries.begin(), stores->entries.end(),
            [](const auto& left, const auto& right) { return left.family < right.family; });
  // Nobody observes the store's own tables: those who would be asked read them.
  stores->observer_known = IsOfSystem();
  {
    std::unique_lock update(update_mu_);
    MutexLock stores_lock(&stores_mu_);
    NoteInMemoryFlushBytes(*stores);
    observer_known_.store(stores->observer_known, std::memory_order_release);
    stores_ = std::move(stores);
  }
  row_locks_ = std::make_unique<RowLocks>();
  {
    MutexLock pressure_lock(&pressure_mu_);
    pressure_.emplace(services_->clock->NowMillis());
  }
  if (services_->wal != nullptr) {
    // Without its marker the region can still be read.
    const Status marked = StartLogging();
    if (!marked.ok()) LogWarning("region {}: opening: {}", encoded_name_, marked.ToString());
  }
  descriptor_.reset();
  opened_.store(true, std::memory_order_release);
  return Status::Ok();
}

Result<StoreSet::Entry> Region::OpenStore(const ColumnFamilyDescriptor& family,
                                          const TableDescriptor& table) const {
  StoreOptions options;
  options.env = services_->env;
  options.block_cache = services_->block_cache;
  options.store_directory = JoinPath(paths_.directory, family.name);
  options.temp_directory = JoinPath(JoinPath(paths_.directory, ".tmp"), family.name);
  options.archive_directory = JoinPath(paths_.archive_directory, family.name);
  options.read_only = read_only_;
  options.meta_order = is_meta_;
  options.bounds_rows = !IsOfSystem();
  options.given_up = &services_->mvcc->given_up();
  if (read_only_) {
    ASSIGN_OR_RETURN(options.excluded_files, UnfinishedBulkLoad(options.env, paths_.directory));
  }
  options.rows.start = info_.start_key;
  options.rows.stop = info_.end_key;
  options.memstore_flush_bytes = services_->memstore_flush_bytes;
  options.configuration = services_->configuration;
  StoreSet::Entry entry;
  entry.family = family.name;
  ASSIGN_OR_RETURN(entry.store, Store::Open(options, family, table.attributes));
  ASSIGN_OR_RETURN(const bool exists, options.env->Exists(options.store_directory));
  if (!exists) return entry;
  ASSIGN_OR_RETURN(const auto names, options.env->ListDirectory(options.store_directory));
  for (const std::string& name : names) {
    if (!name.starts_with(kReplayFloorPrefix)) continue;
    const auto floor = api::ParseInteger(std::string_view(name).substr(kReplayFloorPrefix.size()));
    if (floor) entry.replay_floor = std::max(entry.replay_floor, static_cast<uint64_t>(*floor));
  }
  return entry;
}

void Region::NoteInMemoryFlushBytes(const StoreSet& stores) {
  uint64_t least = 0;
  for (const auto& entry : stores.entries) {
    const uint64_t bytes = entry.store->in_memory_flush_bytes();
    if (bytes != 0 && (least == 0 || bytes < least)) least = bytes;
  }
  in_memory_flush_bytes_.store(least);
}

void Region::ReadAttributes(const TableDescriptor& descriptor) {
  uint64_t flush_bytes = services_->memstore_flush_bytes;
  if (const std::string* text = api::Find(descriptor.attributes, "MEMSTORE_FLUSHSIZE")) {
    const auto bytes = api::ParseInteger(*text);
    if (bytes && *bytes > 0) flush_bytes = static_cast<uint64_t>(*bytes);
  }
  flush_bytes_.store(flush_bytes);
  const api::StoreConfiguration properties(services_->configuration, &descriptor.attributes,
                                           nullptr);
  const uint64_t multiplier = static_cast<uint64_t>(
      std::max<int64_t>(1, properties.Integer("hbase.hregion.memstore.block.multiplier", 4)));
  constexpr int64_t kCellBytesMax = 10 << 20;  // HBase's default
  cell_bytes_max_.store(
      IsOfSystem() ? 0 : properties.Integer("hbase.server.keyvalue.maxsize", kCellBytesMax));
  // A catalog that waits would hold up all that changes tables.
  const bool has_bound =
      !is_meta_ && flush_bytes < std::numeric_limits<uint64_t>::max() / multiplier;
  block_bytes_.store(has_bound ? flush_bytes * multiplier : std::numeric_limits<uint64_t>::max());

  Durability durability = Durability::kUseDefault;
  if (const std::string* text = api::Find(descriptor.attributes, "DURABILITY")) {
    if (*text == "SKIP_WAL") durability = Durability::kSkipWal;
    if (*text == "ASYNC_WAL") durability = Durability::kAsyncWal;
    if (*text == "SYNC_WAL") durability = Durability::kSyncWal;
    if (*text == "FSYNC_WAL") durability = Durability::kFsyncWal;
  }
  table_durability_.store(durability);

  const std::string* const read_only = api::Find(descriptor.attributes, "READONLY");
  const std::string* const compacts = api::Find(descriptor.attributes, "COMPACTION_ENABLED");
  compaction_enabled_.store(compacts == nullptr || api::ParseBool(*compacts).value_or(true));

  table_read_only_.store(read_only != nullptr && api::ParseBool(*read_only).value_or(false));
}

std::shared_ptr<const StoreSet> Region::stores() const {
  MutexLock lock(&stores_mu_);
  return stores_;
}

uint64_t Region::max_sequence_id() const {
  uint64_t max = 0;
  const auto set = stores();
  for (const auto& entry : set->entries) max = std::max(max, entry.store->max_sequence_id());
  return max;
}

Status Region::StartLogging() {
  wal_region_ = services_->wal->RegisterRegion(encoded_name_, table_text_);
  return LogMarker(
      RegionEventMarker(info_, *stores(), services_->server_name,
                        services_->wal->last_sequence_id(), true, services_->clock->NowMillis()),
      false);
}

Status Region::LogMarker(const Bytes& cells, bool sync) {
  const ByteView piece = cells;
  wal::AppendRequest request;
  request.region = wal_region_;
  request.cells = std::span<const ByteView>(&piece, 1);
  request.cell_count = 1;
  request.write_time_ms = static_cast<uint64_t>(services_->clock->NowMillis());
  uint64_t sequence_id = 0;
  ASSIGN_OR_RETURN(const wal::Ticket ticket, services_->wal->Append(request, &sequence_id));
  if (!sync) return Status::Ok();
  return services_->wal->WaitSynced(ticket, services_->default_sync);
}

Status Region::MakeFamilies(
    const TableDescriptor& descriptor,
    const std::function<void(const std::string& family)>& on_missing) const {
  Env* const env = services_->env;
  bool made = false;
  for (const ColumnFamilyDescriptor& family : descriptor.families) {
    const std::string directory = JoinPath(paths_.directory, family.name);
    ASSIGN_OR_RETURN(const bool exists, env->Exists(directory));
    if (exists) continue;
    if (on_missing) on_missing(family.name);
    RETURN_IF_ERROR(env->CreateDirectories(directory));
    made = true;
  }
  return made ? env->SyncDirectory(paths_.directory) : Status::Ok();
}

Status Region::SetDescriptor(const TableDescriptor& descriptor) {
  {
    MutexLock lock(&open_mu_);
    if (!opened_.load()) {
      RETURN_IF_ERROR(MakeFamilies(descriptor));
      descriptor_ = std::make_shared<const TableDescriptor>(descriptor);
      return Status::Ok();
    }
  }
  const std::shared_ptr<const StoreSet> old = stores();
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
  std::sort(next->entries.begin(), next->entries.end(),
            [](const auto& left, const auto& right) { return left.family < right.family; });
  ReadAttributes(descriptor);
  // A flush or compaction of a store that goes must not bring its directory back. One that runs
  // would go on by the old options; it is stopped, and begins again when it is looked for.
  // None that waits for its turn comes in between.
  AskCompactionsToStop();
  MutexLock no_flush(&flush_mu_);
  MutexLock no_compaction(&compaction_mu_);
  LetCompactionsRun();
  std::unique_lock update(update_mu_);
  MutexLock lock(&stores_mu_);
  NoteInMemoryFlushBytes(*next);
  next->observer = stores_->observer;
  next->observer_known = stores_->observer_known;
  stores_ = std::move(next);
  return Status::Ok();
}

void Region::Close() {
  const Status closed = Close(false);
  BENNU_CHECK(closed.ok());  // only a marker can fail
}

Status Region::CloseAndMark() { return Close(true); }

Status Region::Close(bool mark) {
  cancelled_.store(true);
  // An opening under way ends first, and none begins after.
  MutexLock no_opening(&open_mu_);
  if (state() == State::kClosed) return Status::Ok();
  SetState(State::kClosed);
  MutexLock no_flush(&flush_mu_);
  MutexLock no_compaction(&compaction_mu_);
  if (!mark || wal_region_ == nullptr) return Status::Ok();
  return LogMarker(
      RegionEventMarker(info_, *stores(), services_->server_name,
                        services_->wal->last_sequence_id(), false, services_->clock->NowMillis()),
      false);
}

// ---- a split or merge

void Region::SetState(State state) {
  std::unique_lock update(update_mu_);
  MutexLock lock(&state_mu_);
  state_.store(state, std::memory_order_release);
  state_changed_.SignalAll();
}

void Region::Settle() {
  cancelled_.store(true);
  MutexLock no_compaction(&compaction_mu_);
  SetState(State::kSettled);
}

void Region::Freeze() { SetState(State::kFrozen); }

void Region::Thaw() {
  SetState(State::kOpen);
  cancelled_.store(false);
}

void Region::MoveAway() { SetState(State::kMoved); }

Status Region::WaitWhileFrozen() {
  MutexLock lock(&state_mu_);
  while (state() == State::kFrozen) {
    if (NoWaitScope::Refuses()) return WouldWait();
    state_changed_.Wait(&state_mu_);
  }
  return Status::Ok();
}

bool Region::has_references() const {
  const auto set = stores();
  return std::any_of(set->entries.begin(), set->entries.end(),
                     [](const auto& entry) { return entry.store->has_references(); });
}

uint64_t Region::size_bytes() const {
  uint64_t bytes = 0;
  for (const auto& entry : stores()->entries) bytes += entry.store->size_bytes();
  return bytes;
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
    MutexLock lock(&stores_mu_);
    if (recalled_.has_value()) return *recalled_;
    status.info = info_;
    return status;
  }
  status.info = info_;
  status.open = true;
  const auto set = stores();
  for (const auto& entry : set->entries) {
    ++status.stores;
    status.largest_store_files =
        std::max(status.largest_store_files, entry.store->file_names().size());
    for (const auto& file : entry.store->view()->files) {
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
  status.has_references = has_references();
  status.compaction = compaction_state();
  return status;
}

void Region::Recall(RegionStatus status) {
  status.open = false;
  MutexLock lock(&stores_mu_);
  recalled_ = std::move(status);
}

bool Region::NeedsCompaction(uint64_t round) const {
  if (read_only_ || !may_compact() || state() != State::kOpen || at_rest_.load()) {
    return false;
  }
  const auto set = stores();
  return std::any_of(set->entries.begin(), set->entries.end(), [round](const auto& entry) {
    return entry.store->is_checked_in(round) &&
           !entry.store->SelectCompaction(false).inputs.empty();
  });
}

double Region::compaction_pressure() const {
  double pressure = 0;
  const auto set = stores();
  for (const auto& entry : set->entries) {
    pressure = std::max(pressure, entry.store->compaction_pressure());
  }
  return pressure;
}

Status Region::FinishCompaction(ByteView family, const std::vector<std::string>& inputs,
                                const std::vector<std::string>& outputs) {
  ASSIGN_OR_RETURN(const std::shared_ptr<const StoreSet> set, OpenedStores());
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
