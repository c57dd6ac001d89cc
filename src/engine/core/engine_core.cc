#include "src/engine/core/engine_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "src/api/descriptor_pb.h"
#include "src/api/family_options.h"
#include "src/api/store_configuration.h"
#include "src/base/failpoint.h"
#include "src/base/file_limit.h"
#include "src/base/hex.h"
#include "src/base/log.h"
#include "src/base/memory_env.h"
#include "src/base/status_macros.h"
#include "src/base/temporary_files.h"
#include "src/engine/core/catalog_janitor.h"
#include "src/engine/core/descriptor_watch.h"
#include "src/engine/core/recovery.h"
#include "src/engine/core/region_changes.h"
#include "src/engine/directory/alteration_mark.h"
#include "src/engine/directory/archive.h"
#include "src/engine/directory/leftovers.h"
#include "src/engine/directory/meta_rows.h"
#include "src/engine/directory/restore_mark.h"
#include "src/engine/directory/root_directory.h"
#include "src/engine/region/write_steps.h"
#include "src/engine/store/file_reference.h"

namespace bennu::engine {

namespace {

// HBase's name of a server, "host,port,startcode".
std::string ServerName(const std::string& address, int64_t start_millis) {
  constexpr char kDefaultAddress[] = "localhost:16020";
  std::string name = address.empty() ? kDefaultAddress : address;
  const size_t colon = name.rfind(':');
  if (colon != std::string::npos) name[colon] = ',';
  return name + "," + std::to_string(start_millis);
}

Env* EnvOf(const EngineOptions& options) {
  return options.env != nullptr ? options.env : Env::Default();
}

// Writers wait when memstores hold this much more than what triggers flushes.
uint64_t StallBytes(const EngineOptions& options) { return options.memstore_total_bytes * 3 / 2; }

size_t QueryThreads(const EngineOptions& options) {
  if (options.query_threads != 0) return options.query_threads;
  return std::max<size_t>(1, std::thread::hardware_concurrency());
}

// How often a store is read anew beside a process that changes it, and how often when files are not
// there, which may be so for good.
constexpr int kReadOnlyAttempts = 40;
constexpr int kVanishedAttempts = 9;

// Each region must begin where the one before ends.
Status CheckChain(const TableName& table, const std::vector<RegionInfo>& infos) {
  Bytes expected;
  for (size_t i = 0; i < infos.size(); ++i) {
    const bool first_is_open = i == 0 || !expected.empty();
    if (infos[i].start_key == expected && first_is_open) {
      expected = infos[i].end_key;
      continue;
    }
    return Corruption("hbase:meta: the regions of table " + table.ToString() +
                      " leave a hole or overlap before '" + ToStringBinary(infos[i].start_key) +
                      "' (region " + infos[i].EncodedName() + "); repair it with HBase's hbck");
  }
  if (expected.empty()) return Status::Ok();
  return Corruption("hbase:meta: no region of table " + table.ToString() +
                    " holds the rows from '" + ToStringBinary(expected) +
                    "' on; repair it with HBase's hbck");
}

Result<bool> RefersTo(Env* env, const std::string& region, const std::string& parent) {
  ASSIGN_OR_RETURN(const auto families, env->ListDirectory(region));
  for (const std::string& family : families) {
    if (family.starts_with('.')) continue;
    const auto files = env->ListDirectory(JoinPath(region, family));
    if (files.status().code() == StatusCode::kNotFound) continue;  // a file
    RETURN_IF_ERROR(files.status());
    for (const std::string& file : *files) {
      const auto reference = ParseReferenceName(file);
      if (reference.has_value() && reference->parent == parent) return true;
    }
  }
  return false;
}

}  // namespace

Status TableEntry::CheckUsable() const {
  if (dropped()) return NotFound("table " + name_.ToString() + " was dropped");
  if (!disabled()) return Status::Ok();
  return FailedPrecondition("table " + name_.ToString() + " is disabled; enable it first");
}

size_t FindRegion(const RegionList& list, ByteView row) {
  size_t low = 0;
  size_t high = list.size();
  while (high - low > 1) {  // the region sought is in [low, high)
    const size_t middle = low + (high - low) / 2;
    if (ByteView(list[middle]->info().start_key) <= row) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

void TableEntry::ReplaceRegions(const RegionList& parents, const RegionList& children) {
  MutexLock lock(&mu_);
  auto next = std::make_shared<RegionList>(*regions_);
  const auto first = std::find(next->begin(), next->end(), parents.front());
  const auto after = next->erase(first, first + static_cast<ptrdiff_t>(parents.size()));
  next->insert(after, children.begin(), children.end());
  for (const auto& child : children) child->compactor()->SetAtRest(disabled());
  regions_ = std::move(next);
}

void TableEntry::SetDisabled(bool disabled) {
  MutexLock lock(&mu_);
  disabled_.store(disabled, std::memory_order_release);
  for (const auto& region : *regions_) region->compactor()->SetAtRest(disabled);
}

EngineCore::EngineCore(const std::string& path, const EngineOptions& given)
    : options(given),
      memory_env(path == kMemoryStore ? std::make_unique<MemoryEnv>(EnvOf(given), path) : nullptr),
      env(memory_env != nullptr ? memory_env.get() : EnvOf(given)),
      layout(path),
      archive_cleaner(env, layout, given.archive_keep_millis),
      snapshot_files(env, layout),
      block_cache(given.block_cache_bytes),
      clock(env),
      memory(given.memstore_total_bytes, StallBytes(given), given.write_stall_millis_max),
      compaction_throttle(env, ThrottleConfig::Of(api::StoreConfiguration(&options.configuration,
                                                                          nullptr, nullptr))),
      compactions_on(given.compactions_on),
      query_pool(std::make_unique<ThreadPool>("query", QueryThreads(given))) {
  services.env = env;
  services.clock = &clock;
  services.mvcc = &mvcc;
  services.read_points = &read_points;
  services.block_cache = &block_cache;
  services.gate = &gate;
  services.memory = &memory;
  services.tables = this;
  services.configuration = &options.configuration;
  services.compaction_throttle = &compaction_throttle;
  services.compaction_observer = options.compaction_observer.get();
  services.compactions_on = &compactions_on;
  services.default_sync =
      options.wal_sync == WalSync::kFsync ? wal::SyncLevel::kFdatasync : wal::SyncLevel::kWrite;
  services.memstore_flush_bytes = options.memstore_flush_bytes;
  services.write_stall_millis_max = options.write_stall_millis_max;
}

EngineCore::~EngineCore() { Forget(); }

void EngineCore::Forget() {
  if (maintenance != nullptr) maintenance->Stop();
  // The log's thread may still tell waiters, so it goes before what they point to.
  wal_.reset();
  services.wal = nullptr;
  services.host = nullptr;
  maintenance.reset();
  MutexLock lock(&tables_mu_);
  tables_.clear();
}

// ---- tables

Result<std::shared_ptr<TableEntry>> EngineCore::FindTable(const TableName& name) const {
  MutexLock lock(&tables_mu_);
  const auto found = tables_.find(name);
  if (found == tables_.end()) return NotFound("there is no table " + name.ToString());
  return found->second;
}

Result<std::shared_ptr<Region>> EngineCore::RegionOf(const TableName& table, ByteView row) {
  ASSIGN_OR_RETURN(const std::shared_ptr<TableEntry> entry, FindTable(table));
  RETURN_IF_ERROR(entry->CheckUsable());
  const auto regions = entry->regions();
  return (*regions)[FindRegion(*regions, row)];
}

std::vector<std::shared_ptr<TableEntry>> EngineCore::AllTables() const {
  MutexLock lock(&tables_mu_);
  std::vector<std::shared_ptr<TableEntry>> all;
  for (const auto& [name, table] : tables_) all.push_back(table);
  return all;
}

std::vector<std::shared_ptr<Region>> EngineCore::AllRegions() const {
  std::vector<std::shared_ptr<Region>> all;
  for (const auto& table : AllTables()) {
    const auto regions = table->regions();
    all.insert(all.end(), regions->begin(), regions->end());
  }
  return all;
}

void EngineCore::AddTable(std::shared_ptr<TableEntry> table) {
  MutexLock lock(&tables_mu_);
  tables_[table->name()] = std::move(table);
}

void EngineCore::RemoveTable(const TableName& name) {
  MutexLock lock(&tables_mu_);
  tables_.erase(name);
}

std::shared_ptr<Region> EngineCore::MakeRegion(const RegionInfo& info,
                                               std::shared_ptr<const TableDescriptor> descriptor) {
  const std::string encoded = info.EncodedName();
  const RegionPaths paths = {layout.RegionDirectory(info.table, encoded),
                             layout.ArchivedRegionDirectory(info.table, encoded)};
  return Region::Make(&services, paths, info, std::move(descriptor), options.read_only);
}

RegionList EngineCore::MakeRegions(const TableDescriptor& descriptor,
                                   const std::vector<RegionInfo>& infos) {
  const auto shared = std::make_shared<const TableDescriptor>(descriptor);
  RegionList regions;
  regions.reserve(infos.size());
  const Status servable = api::CheckServable(descriptor);
  for (const RegionInfo& info : infos) {
    regions.push_back(MakeRegion(info, shared));
    if (!servable.ok()) regions.back()->Refuse(servable);
  }
  return regions;
}

std::vector<Status> EngineCore::TryOpen(const RegionList& regions) {
  if (regions.size() == 1) return {regions.front()->EnsureOpen()};
  std::vector<Status> outcomes(regions.size());
  query_pool->ParallelFor(regions.size(),
                          [&](size_t i) { outcomes[i] = regions[i]->EnsureOpen(); });
  return outcomes;
}

Status EngineCore::OpenRegions(const RegionList& regions) {
  for (const Status& outcome : TryOpen(regions)) RETURN_IF_ERROR(outcome);
  return Status::Ok();
}

Status EngineCore::OpenSupportedRegions(const RegionList& regions) {
  const std::vector<Status> outcomes = TryOpen(regions);
  for (size_t i = 0; i < regions.size(); ++i) {
    if (outcomes[i].code() != StatusCode::kNotSupported) {
      RETURN_IF_ERROR(outcomes[i]);
      continue;
    }
    // One table that is not for us does not take the others away. How far its ids go is not known,
    // so that it stays closed until the store is opened again.
    LogWarning("region {} of table {} stays closed: {}", regions[i]->encoded_name(),
               regions[i]->info().table.ToString(), outcomes[i].ToString());
    regions[i]->Refuse(outcomes[i]);
    has_refused_regions_ = true;
  }
  return Status::Ok();
}

Status EngineCore::OpenNewRegions(const RegionList& regions) {
  RETURN_IF_ERROR(OpenRegions(regions));
  uint64_t last = 0;
  for (const auto& region : regions) last = std::max(last, region->stores()->max_sequence_id());
  if (last <= services.wal->last_sequence_id()) return Status::Ok();
  RETURN_IF_ERROR(NoteSequenceId(last));
  services.wal->SkipSequenceIds(last);
  return Status::Ok();
}

SplitPolicy EngineCore::SplitPolicyOf(const TableDescriptor& descriptor) const {
  return SplitPolicy(descriptor, options.region_max_bytes, options.memstore_flush_bytes,
                     &options.configuration);
}

std::shared_ptr<Region> EngineCore::CatalogRegion(const TableName& name) const {
  const auto table = FindTable(name);
  return table.ok() ? (*table)->regions()->front() : nullptr;
}

Status EngineCore::WriteCatalogWith(const TableName& name, MutationBatch* batch,
                                    const api::TableRows& others) {
  clock.NotBefore(clock.NowMillis() + 1);
  RETURN_IF_ERROR(gate.Check());
  const std::vector<uint32_t> rows = RowsInKeyOrder(*batch);
  // The catalog is worth a sync whatever users chose for their rows.
  batch->durability = Durability::kFsyncWal;
  WaitedCompletion completion(services.wal);
  RegionWrite write(&mvcc, &completion, /*is_attended=*/true);
  RegionWriter* const writer = CatalogRegion(name)->writer();
  const bool alone = std::all_of(others.begin(), others.end(),
                                 [](const auto& other) { return other.second.empty(); });
  RETURN_IF_ERROR(alone ? writer->Write(batch, rows, &write, nullptr)
                        : writer->WriteWith(batch, rows, others, &write));
  const Status status = completion.Wait();
  NoteWriteOutcome(status);
  return status;
}

void EngineCore::NoteWriteOutcome(const Status& status) {
  if (status.ok()) return;
  const Status lost = mvcc.status();
  if (lost.ok()) return;
  gate.Close("the log cannot be written (" + lost.message() + "); reopen the store", true);
}

// ---- opening

Status EngineCore::Open() {
  if (!options.read_only) {
    ASSIGN_OR_RETURN(lock_, TakeRoot(env, layout, options.create_if_missing));
    return OpenOnce();
  }
  return OpenToRead();
}

// Another process may hold the store. What it does to files while they are read is made good where
// they are opened (Store) and where the logs are read (LogRecovery). What is left is told as
// Aborted, or shows as files that vanish; then all is read anew.
Status EngineCore::OpenToRead() {
  gate.Close("it was opened to read only", true);
  Status status;
  for (int attempt = 0; attempt < kReadOnlyAttempts; ++attempt) {
    RETURN_IF_ERROR(CheckRoot(env, layout));
    status = OpenOnce();
    if (status.ok()) return status;
    const bool is_change = status.code() == StatusCode::kAborted;
    const bool is_vanished =
        status.code() == StatusCode::kNotFound || status.code() == StatusCode::kCorruption;
    if (!is_change && !(is_vanished && attempt < kVanishedAttempts)) break;
    {
      MutexLock lock(&tables_mu_);
      tables_.clear();
    }
    env->SleepMicros(20'000);
  }
  if (status.code() != StatusCode::kAborted) return status;
  return FailedPrecondition(fmt::format(
      "directory {} was read {} times, and each time the process that holds it changed its tables "
      "or regions meanwhile (the last time: {}); try again once it does not, or ask that process, "
      "if it is a server",
      layout.root(), kReadOnlyAttempts, status.message()));
}

Status EngineCore::OpenOnce() {
  LogRecovery recovery(env, layout, options.read_only);
  RETURN_IF_ERROR(recovery.Find());
  if (!options.read_only) {
    RETURN_IF_ERROR(RemoveTemporaries(env, layout.root()));
    ASSIGN_OR_RETURN(const bool has_id, env->Exists(layout.IdFile()));
    if (!has_id) RETURN_IF_ERROR(WriteClusterId(env, layout));
    RETURN_IF_ERROR(env->RemoveTree(layout.Temp()));
    RETURN_IF_ERROR(env->CreateDirectories(layout.Temp()));
    RETURN_IF_ERROR(snapshot_files.CleanTemp());
  }
  RETURN_IF_ERROR(OpenCatalog());
  RETURN_IF_ERROR(recovery.Scan(CatalogRegion(MetaTableName()).get()));
  ASSIGN_OR_RETURN(const MetaContents contents, ReadCatalog());
  DescriptorWatch descriptors(env);
  RETURN_IF_ERROR(AddUserTables(contents, &descriptors));
  ASSIGN_OR_RETURN(const StoreNotes notes, ReadNotes(env, layout));
  const bool ids_are_known = !options.read_only && notes.sequence_id != 0 &&
                             notes.catalog_fingerprint == contents.fingerprint;
  uint64_t max_sequence_id = ids_are_known ? notes.sequence_id : 0;
  {
    MutexLock lock(&notes_mu_);
    notes_ = notes;
  }
  RETURN_IF_ERROR(RecoverRegions(&recovery, ids_are_known, &max_sequence_id));
  if (options.read_only) RETURN_IF_ERROR(descriptors.Check());
  replayed_edits_ = recovery.replayed_edits();
  clock.NotBefore(std::max(recovery.max_write_time(), notes.clock_millis) + 1);
  mvcc.Restart(max_sequence_id);
  if (options.read_only) return Status::Ok();

  RETURN_IF_ERROR(recovery.FlushReplayed());
  {
    // After a clean stop there is nothing new to be noted, neither ids nor times.
    MutexLock lock(&notes_mu_);
    const bool is_noted = ids_are_known && notes_.sequence_id == max_sequence_id &&
                          notes_.clock_millis >= recovery.max_write_time();
    notes_.catalog_fingerprint = contents.fingerprint;
    if (!is_noted) RETURN_IF_ERROR(WriteNotesNow(max_sequence_id));
  }
  RETURN_IF_ERROR(recovery.Retire());
  RETURN_IF_ERROR(OpenLog(max_sequence_id + 1));
  RETURN_IF_ERROR(StartMaintenance(contents));
  if (replayed_edits_ > 0) {
    LogInfo("recovery: replayed {} edits, next sequence id {}", replayed_edits_,
            max_sequence_id + 1);
  }
  return CleanOrphans();
}

// Opens the regions that the logs hold edits of; all of them, when it is not known which ids their
// files use, or when they could be moved later (by the holder of a store that is only read).
Status EngineCore::RecoverRegions(LogRecovery* recovery, bool ids_are_known,
                                  uint64_t* max_sequence_id) {
  std::map<std::string, Region*, std::less<>> by_name;
  const auto regions = AllRegions();
  if (options.read_only) {
    for (const auto& region : regions) RETURN_IF_ERROR(recovery->NoteRecoveredEdits(*region));
  }
  // A store of few regions is opened whole, which also finds lost and damaged files early.
  if (regions.size() > options.eager_regions_max) RaiseOpenFileLimit();
  if (!ids_are_known || regions.size() <= options.eager_regions_max) {
    RETURN_IF_ERROR(OpenSupportedRegions(regions));
  }
  for (const auto& region : regions) {
    by_name[region->encoded_name()] = region.get();
    *max_sequence_id = std::max(*max_sequence_id, region->stores()->max_sequence_id());
    RETURN_IF_ERROR(recovery->ReplayRecoveredEdits(region.get()));
  }
  if (ids_are_known) {
    // The replay may flush.
    MutexLock lock(&notes_mu_);
    const uint64_t last = std::max(*max_sequence_id, recovery->max_sequence_id());
    if (last != notes_.sequence_id) RETURN_IF_ERROR(WriteNotesNow(last));
  }
  RETURN_IF_ERROR(recovery->Replay(
      [&](std::string_view encoded) {
        const auto found = by_name.find(encoded);
        return found == by_name.end() ? nullptr : found->second;
      },
      [&] { return memory.wants_flush(); }));
  *max_sequence_id = std::max(*max_sequence_id, recovery->max_sequence_id());
  return Status::Ok();
}

// ---- notes for the next start

Status EngineCore::WriteNotesNow(uint64_t sequence_id) {
  StoreNotes notes = notes_;
  // The next opening is to look at the ids in all files.
  if (has_refused_regions_) notes.catalog_fingerprint = 0;
  notes.clock_millis = clock.NowMillis();
  notes.sequence_id = sequence_id;
  RETURN_IF_ERROR(WriteNotes(env, layout, notes));
  notes_ = notes;
  return Status::Ok();
}

Status EngineCore::NoteSequenceId(uint64_t sequence_id) {
  // So far ahead that it is rarely written.
  constexpr uint64_t kStep = 1 << 20;
  MutexLock lock(&notes_mu_);
  if (sequence_id <= notes_.sequence_id) return Status::Ok();
  return WriteNotesNow(sequence_id + kStep);
}

Status EngineCore::NoteForNextStart(uint64_t sequence_id, uint64_t fingerprint) {
  MutexLock lock(&notes_mu_);
  notes_.catalog_fingerprint = fingerprint;
  return WriteNotesNow(sequence_id);
}

Status EngineCore::RollLog() {
  RETURN_IF_ERROR(gate.Check());
  RETURN_IF_ERROR(wal_->Roll());
  maintenance->LogReleased();
  return Status::Ok();
}

Status EngineCore::NoteClock() {
  MutexLock lock(&notes_mu_);
  return WriteNotesNow(notes_.sequence_id);
}

Status EngineCore::OpenCatalog() {
  const TableName name = MetaTableName();
  auto descriptor = ReadTableInfo(env, layout.TableDirectory(name));
  if (!descriptor.ok() && descriptor.status().code() != StatusCode::kNotFound) {
    return std::move(descriptor).status();
  }
  // HBase keeps it in a file as well; a root without one has the families of always.
  const TableDescriptor meta = descriptor.ok() ? *descriptor : MetaDescriptor();
  RegionList regions = MakeRegions(meta, {MetaRegionInfo()});
  RETURN_IF_ERROR(OpenRegions(regions));
  AddTable(std::make_shared<TableEntry>(meta, std::move(regions)));
  return Status::Ok();
}

Result<MetaContents> EngineCore::ReadCatalog() {
  return ReadMeta(CatalogRegion(MetaTableName()), UINT64_MAX, clock.NowMillis());
}

// A restore of a snapshot that died after it was decided has left the descriptor in its mark.
Result<TableDescriptor> EngineCore::ReadDescriptor(const TableName& name,
                                                   const std::vector<RegionInfo>& infos) {
  ASSIGN_OR_RETURN(const auto restored, ReadRestoreMark(env, layout, name, infos));
  if (!restored.has_value()) return ReadTableInfo(env, layout.TableDirectory(name));
  if (!options.read_only) RETURN_IF_ERROR(FinishRestore(env, layout, *restored));
  return *restored;
}

Status EngineCore::AddUserTables(const MetaContents& contents, DescriptorWatch* descriptors) {
  for (const auto& [name, infos] : contents.tables) {
    if (name == MetaTableName()) continue;
    if (infos.empty()) {
      LogWarning("table {} has a state but no region in hbase:meta; it is left out",
                 name.ToString());
      continue;
    }
    RETURN_IF_ERROR(CheckChain(name, infos));
    if (options.read_only) RETURN_IF_ERROR(descriptors->Note(layout.TableDirectory(name)));
    auto descriptor = ReadDescriptor(name, infos);
    if (!descriptor.ok()) {
      return descriptor.status().Annotate("opening table " + name.ToString());
    }
    // Tables of HBase's that are there are opened whatever they say, but not in silence.
    const Status valid = descriptor->Validate();
    if (!valid.ok() && api::CheckServable(*descriptor).ok()) {
      LogWarning("table {} is served as if this were not set, and new files are written so: {}",
                 name.ToString(), valid.message());
    }
    auto table = std::make_shared<TableEntry>(*descriptor, MakeRegions(*descriptor, infos));
    table->SetDisabled(contents.disabled.contains(name));
    AddTable(std::move(table));
  }
  return Status::Ok();
}

Status EngineCore::ClaimRegions() {
  ASSIGN_OR_RETURN(const MetaContents contents, ReadCatalog());
  const uint64_t open_sequence_id = wal_->last_sequence_id() + 1;
  MutationBatch rows;
  for (const auto& [name, infos] : contents.tables) {
    if (contents.disabled.contains(name)) continue;
    for (const RegionInfo& info : infos) {
      PutRegionRow(&rows, info, services.server_name, open_sequence_id);
    }
  }
  if (rows.empty()) return Status::Ok();
  RETURN_IF_ERROR(WriteCatalog(MetaTableName(), &rows));
  ASSIGN_OR_RETURN(const MetaContents claimed, ReadCatalog());
  MutexLock lock(&notes_mu_);
  notes_.catalog_fingerprint = claimed.fingerprint;
  return WriteNotesNow(notes_.sequence_id);
}

Status EngineCore::OpenLog(uint64_t first_sequence_id) {
  services.server_name = ServerName(options.server_address, clock.NowMillis());
  wal::WalOptions log;
  log.env = env;
  log.wal_root = layout.root();
  log.server_name = services.server_name;
  log.first_sequence_id = first_sequence_id;
  log.roll_size_bytes = options.wal_roll_bytes;
  log.give_up = &mvcc;
  ASSIGN_OR_RETURN(wal_, wal::Wal::Open(log));
  services.wal = wal_.get();
  for (const auto& region : AllRegions()) {
    if (region->opened()) RETURN_IF_ERROR(region->StartLogging());
  }
  return Status::Ok();
}

Status EngineCore::StartMaintenance(const MetaContents& contents) {
  janitor = std::make_unique<CatalogJanitor>(this);
  for (const ReplacedRegions& replaced : contents.replaced) janitor->Add(replaced);
  region_changes = std::make_unique<RegionChanges>(this);
  Maintenance::Callbacks callbacks;
  callbacks.list_regions = [this] { return AllRegions(); };
  callbacks.split_if_big = [this](const std::shared_ptr<Region>& region) {
    region_changes->SplitIfBig(region);
  };
  callbacks.clean_catalog = [this] { return janitor->Run(); };
  callbacks.clean_archive = [this] { return archive_cleaner.Run(); };
  callbacks.note_sequence_id = [this](uint64_t id) { return NoteSequenceId(id); };
  callbacks.note_clock = [this] { return NoteClock(); };
  maintenance = std::make_unique<Maintenance>(options, layout, &services, std::move(callbacks));
  services.host = maintenance.get();
  return Status::Ok();
}

Result<bool> EngineCore::RemoveLeftover(const TableName& table) {
  const std::string directory = layout.TableDirectory(table);
  ASSIGN_OR_RETURN(const bool exists, env->Exists(directory));
  if (!exists) return true;
  ASSIGN_OR_RETURN(const bool holds_data, HoldsTableData(env, layout, table));
  if (holds_data) return false;
  LogInfo("removing what an interrupted change left: {}", directory);
  RETURN_IF_ERROR(ArchiveTable(env, layout, table));
  RETURN_IF_ERROR(env->SyncDirectory(layout.NamespaceDirectory(table.name_space)));
  return true;
}

// Directories of tables that the catalog does not know: a creation or a drop that died.
Status EngineCore::CleanOrphans() {
  ASSIGN_OR_RETURN(const auto namespaces, env->ListDirectory(layout.Data()));
  // A store that is being made has no table of namespaces yet.
  const auto region = CatalogRegion(NamespaceTableName());
  std::vector<std::string> known;
  if (region != nullptr) {
    ASSIGN_OR_RETURN(known, ReadNamespaces(region, UINT64_MAX, clock.NowMillis()));
  }
  for (const std::string& name_space : namespaces) {
    const bool is_known = region == nullptr || name_space == "default" || name_space == "hbase" ||
                          std::find(known.begin(), known.end(), name_space) != known.end();
    RETURN_IF_ERROR(CleanNamespace(name_space, is_known));
  }
  return Status::Ok();
}

// What an alteration that died has left: families that it added in vain, or removed.
Status EngineCore::CleanAlteration(const TableEntry& table) {
  const std::string directory = layout.TableDirectory(table.name());
  RETURN_IF_ERROR(RemoveTemporaries(env, directory));
  RETURN_IF_ERROR(RemoveTemporaries(env, JoinPath(directory, ".tabledesc")));
  std::vector<std::string> regions;
  const auto list = table.regions();
  for (const auto& region : *list) regions.push_back(region->encoded_name());
  return FinishAlteration(env, layout, table.descriptor(), regions);
}

Status EngineCore::CleanNamespace(const std::string& name_space, bool is_known) {
  const std::string directory = layout.NamespaceDirectory(name_space);
  ASSIGN_OR_RETURN(const PathShape shape, env->Shape(directory));
  if (shape.kind != PathShape::Kind::kDirectory) return Status::Ok();
  // An empty one that is not known: its creation or its drop died.
  if (!is_known && env->RemoveEmptyDirectory(directory).ok()) {
    LogInfo("removing what an interrupted change left: {}", directory);
    return env->SyncDirectory(layout.Data());
  }
  ASSIGN_OR_RETURN(const auto names, env->ListDirectory(directory));
  for (const std::string& name : names) {
    const TableName table = {name_space, name};
    if (const auto known = FindTable(table); known.ok()) {
      // The drop died before it was decided, a clone after it was.
      for (const std::string_view name_of_mark : {kDroppingMark, kCloningMark}) {
        const std::string mark = layout.TableMark(table, name_of_mark);
        ASSIGN_OR_RETURN(const bool marked, env->Exists(mark));
        if (marked) RETURN_IF_ERROR(env->RemoveFile(mark));
      }
      RETURN_IF_ERROR(RemoveRestoreMark(env, layout, table));  // likewise a restore
      RETURN_IF_ERROR(CleanAlteration(**known));
      RETURN_IF_ERROR(CleanTable(**known));
      continue;
    }
    ASSIGN_OR_RETURN(const bool removed, RemoveLeftover(table));
    if (!removed) {
      LogWarning(
          "{} holds files that are not the store's own, or data of a table that hbase:meta does "
          "not know; it is left alone",
          layout.TableDirectory(table));
    }
  }
  return Status::Ok();
}

Status EngineCore::CheckHoldsNoData(const std::string& name_space) const {
  const std::string directory = layout.NamespaceDirectory(name_space);
  ASSIGN_OR_RETURN(const bool exists, env->Exists(directory));
  if (!exists) return Status::Ok();
  ASSIGN_OR_RETURN(const auto names, env->ListDirectory(directory));
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const bool holds_data, HoldsTableData(env, layout, {name_space, name}));
    if (!holds_data) continue;
    return FailedPrecondition("namespace " + name_space + ": " + JoinPath(directory, name) +
                              " holds files, though hbase:meta knows no such table; move it away, "
                              "or have its regions added to hbase:meta, first");
  }
  return Status::Ok();
}

// Directories of regions that the catalog does not know. A split, merge or restore that died before
// it was decided leaves references and links only: they are removed. One that died afterwards, or
// HBase, leaves regions that others have replaced: they are archived.
Status EngineCore::CleanTable(const TableEntry& table) {
  std::set<std::string> known;
  const auto regions = table.regions();
  for (const auto& region : *regions) known.insert(region->encoded_name());
  ASSIGN_OR_RETURN(const auto names, env->ListDirectory(layout.TableDirectory(table.name())));
  for (const std::string& name : names) {
    if (name.starts_with('.') || known.contains(name) || janitor->Knows(name)) continue;
    if (!IsEncodedRegionName(name)) continue;
    const Status cleaned = CleanRegion(table, name);
    if (cleaned.ok()) continue;
    // The janitor, who works already, may have been faster.
    ASSIGN_OR_RETURN(const bool exists, env->Exists(layout.RegionDirectory(table.name(), name)));
    if (exists) return cleaned;
  }
  return Status::Ok();
}

Status EngineCore::CleanRegion(const TableEntry& table, const std::string& encoded) {
  const std::string directory = layout.RegionDirectory(table.name(), encoded);
  ASSIGN_OR_RETURN(const bool is_directory, env->IsDirectory(directory));
  if (!is_directory) return Status::Ok();
  ASSIGN_OR_RETURN(const bool no_data, HoldsOnlyReferences(env, directory));
  if (!no_data) {
    ASSIGN_OR_RETURN(const bool is_region, env->Exists(JoinPath(directory, ".regioninfo")));
    return is_region ? ArchiveOrphan(table, encoded) : Status::Ok();
  }
  // Perhaps without its .regioninfo: the removal died in the middle.
  LogInfo("removing what an interrupted change of regions left: {}", directory);
  RETURN_IF_ERROR(env->RemoveTree(directory));
  return env->SyncDirectory(layout.TableDirectory(table.name()));
}

// The rows of a table whose regions in hbase:meta follow each other without a hole (CheckChain) are
// all spoken for, so what else is there was replaced. Unless hbase:meta is an old one: then some of
// its regions are gone, and nothing is touched. Nor is a region that another one refers to.
Status EngineCore::ArchiveOrphan(const TableEntry& table, const std::string& encoded) {
  const std::string directory = layout.RegionDirectory(table.name(), encoded);
  const auto keep = [&](std::string_view why) {
    LogWarning(
        "{} holds data of a region that hbase:meta does not know; it is left alone, since {}",
        directory, why);
    return Status::Ok();
  };
  auto bytes = env->ReadFile(JoinPath(directory, ".regioninfo"));
  const auto info = bytes.ok() ? api::DecodeRegionInfoFile(*bytes) : bytes.status();
  if (!info.ok() || info->table != table.name() || info->EncodedName() != encoded) {
    return keep("its .regioninfo is not that of a region of this table");
  }
  ASSIGN_OR_RETURN(const bool has_foreign_files, RegionHoldsForeignFiles(env, directory));
  if (has_foreign_files) return keep("it holds files that are not the store's own, too");
  const auto regions = table.regions();
  for (const auto& region : *regions) {
    ASSIGN_OR_RETURN(const bool exists, env->Exists(JoinPath(region->directory(), ".regioninfo")));
    if (!exists)
      return keep("region " + region->encoded_name() + " of hbase:meta has no directory");
    ASSIGN_OR_RETURN(const bool refers, RefersTo(env, region->directory(), encoded));
    if (refers) return keep("region " + region->encoded_name() + " refers to its files");
  }
  LogWarning(
      "{} holds data of a region that hbase:meta does not know, and whose rows other regions hold: "
      "an interrupted change left it. Its files go to the archive",
      directory);
  return ArchiveRegion(env, layout, table.name(), encoded);
}

// ---- closing

// Everything into files, and the logs that were needed for it out of the way, so that the next
// opening reads a log that is as good as empty.
Status EngineCore::FlushAll() {
  const auto regions = AllRegions();
  Status first;
  Status first_unmarked;
  size_t unmarked = 0;
  for (const auto& region : regions) {
    const Status flushed = region->flusher()->Flush();
    if (first.ok() && !flushed.ok()) first = flushed;
    if (!flushed.ok()) {
      region->Close();
      continue;
    }
    const Status marked = region->CloseAndMark();
    if (marked.ok()) continue;
    if (unmarked++ == 0) first_unmarked = marked.Annotate("region " + region->encoded_name());
  }
  // A log that cannot be written is so for all regions alike: said once.
  if (unmarked > 0) {
    LogWarning("closing: {}{}", first_unmarked.ToString(),
               unmarked == 1 ? "" : fmt::format(" … and so {} more regions", unmarked - 1));
  }
  RETURN_IF_ERROR(first);
  RETURN_IF_ERROR(wal_->Roll());
  // Nothing was written since each region's flush but its marker.
  for (const auto& region : regions) {
    wal_->RegionFlushed(region->encoded_name(), wal_->last_sequence_id());
  }
  maintenance->LogReleased();
  return Status::Ok();
}

// HBase takes a directory below WALs for a server that may have died: it looks after each of them
// at its start, and opens its regions elsewhere. Regions of a server that it never heard of would
// stay where nobody serves them. So each server that hbase:meta names gets a directory, with a log
// or without.
Status EngineCore::NameServers(const std::set<std::string>& servers) {
  for (const std::string& server : servers) {
    if (server.empty() || server.starts_with('.') || server.find('/') != std::string::npos)
      continue;
    RETURN_IF_ERROR(env->CreateDirectories(wal::WalDirectory(layout.root(), server)));
  }
  return Status::Ok();
}

Status EngineCore::Close() {
  if (closed_) return Status::Ok();
  closed_ = true;
  Status first;
  const auto note = [&first](const Status& status) {
    if (first.ok() && !status.ok()) first = status;
  };
  if (wal_ != nullptr) {
    maintenance->Stop();
    const auto contents = ReadCatalog();
    const uint64_t fingerprint = contents.ok() ? contents->fingerprint : 0;
    gate.Close("it is closed", true);
    if (mvcc.status().ok()) {
      note(options.flush_on_close ? FlushAll() : wal_->SyncAll());
    } else {
      for (const auto& region : AllRegions()) region->Close();
    }
    const uint64_t last_sequence_id = wal_->last_sequence_id();
    note(wal_->Close());
    if (contents.ok()) note(NameServers(contents->servers));
    note(NoteForNextStart(last_sequence_id, fingerprint));
  }
  Forget();
  lock_.reset();
  return first;
}

}  // namespace bennu::engine
