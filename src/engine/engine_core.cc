#include "src/engine/engine_core.h"

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/engine/meta_rows.h"
#include "src/engine/recovery.h"
#include "src/engine/root_directory.h"

namespace bennu::engine {

namespace {

// Writers wait when memstores hold this much more than what triggers flushes.
uint64_t StallBytes(const EngineOptions& options) { return options.memstore_total_bytes * 3 / 2; }

size_t QueryThreads(const EngineOptions& options) {
  if (options.query_threads != 0) return options.query_threads;
  return std::max<size_t>(1, std::thread::hardware_concurrency());
}

constexpr int kReadOnlyAttempts = 10;

}  // namespace

Status TableEntry::CheckUsable() const {
  if (dropped()) return NotFound("table " + name_.ToString() + " was dropped");
  if (!disabled()) return Status::Ok();
  return FailedPrecondition("table " + name_.ToString() + " is disabled; enable it first");
}

size_t TableEntry::FindRegion(ByteView row) const {
  const RegionList& list = *regions_;
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

EngineCore::EngineCore(const std::string& path, const EngineOptions& given)
    : options(given),
      env(given.env != nullptr ? given.env : Env::Default()),
      layout(path),
      block_cache(given.block_cache_bytes),
      clock(env),
      memory(given.memstore_total_bytes, StallBytes(given), given.write_stall_millis_max),
      query_pool(std::make_unique<ThreadPool>("query", QueryThreads(given))) {
  services.env = env;
  services.clock = &clock;
  services.mvcc = &mvcc;
  services.read_points = &read_points;
  services.block_cache = &block_cache;
  services.gate = &gate;
  services.memory = &memory;
  services.default_sync =
      options.wal_sync == WalSync::kFsync ? wal::SyncLevel::kFdatasync : wal::SyncLevel::kWrite;
  services.memstore_flush_bytes = options.memstore_flush_bytes;
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

std::vector<std::shared_ptr<TableEntry>> EngineCore::AllTables() const {
  MutexLock lock(&tables_mu_);
  std::vector<std::shared_ptr<TableEntry>> all;
  for (const auto& [name, table] : tables_) all.push_back(table);
  return all;
}

std::vector<std::shared_ptr<Region>> EngineCore::AllRegions() const {
  std::vector<std::shared_ptr<Region>> all;
  for (const auto& table : AllTables()) {
    all.insert(all.end(), table->regions().begin(), table->regions().end());
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

Result<RegionList> EngineCore::OpenRegions(const TableDescriptor& descriptor,
                                           const std::vector<RegionInfo>& infos) {
  RegionList regions(infos.size());
  std::vector<Status> outcomes(infos.size());
  const auto open_one = [&](size_t i) {
    const std::string encoded = infos[i].EncodedName();
    const Region::Paths paths = {layout.RegionDirectory(descriptor.name, encoded),
                                 layout.ArchivedRegionDirectory(descriptor.name, encoded)};
    auto region = Region::Open(&services, paths, infos[i], descriptor, options.read_only);
    if (region.ok()) {
      regions[i] = *std::move(region);
    } else {
      outcomes[i] = std::move(region).status();
    }
  };
  if (infos.size() == 1) {
    open_one(0);
  } else {
    query_pool->ParallelFor(infos.size(), open_one);
  }
  for (const Status& outcome : outcomes) RETURN_IF_ERROR(outcome);
  return regions;
}

std::shared_ptr<Region> EngineCore::CatalogRegion(const TableName& name) const {
  const auto table = FindTable(name);
  return table.ok() ? (*table)->regions().front() : nullptr;
}

Status EngineCore::WriteCatalog(const TableName& name, MutationBatch* batch) {
  clock.NotBefore(clock.NowMillis() + 1);
  RETURN_IF_ERROR(gate.Check());
  std::vector<uint32_t> rows(batch->rows().size());
  for (uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
  std::sort(rows.begin(), rows.end(), [&](uint32_t left, uint32_t right) {
    return batch->row_key(batch->rows()[left]) < batch->row_key(batch->rows()[right]);
  });
  // The catalog is worth a sync whatever users chose for their rows.
  batch->durability = Durability::kFsyncWal;
  WaitedCompletion completion(services.wal);
  RegionWrite write(&mvcc, &completion, /*is_attended=*/true);
  RETURN_IF_ERROR(CatalogRegion(name)->Write(batch, rows, &write, nullptr));
  const Status status = completion.Wait();
  NoteWriteOutcome(status);
  return status;
}

void EngineCore::NoteWriteOutcome(const Status& status) {
  if (status.ok()) return;
  const Status lost = mvcc.status();
  if (lost.ok()) return;
  gate.Close("the log can not be written (" + lost.message() + "); reopen the store", true);
}

// ---- opening

Status EngineCore::Open() {
  if (!options.read_only) {
    ASSIGN_OR_RETURN(lock_, TakeRoot(env, layout, options.create_if_missing));
    return OpenOnce();
  }
  gate.Close("it was opened to read only", true);
  Status status;
  for (int attempt = 0; attempt < kReadOnlyAttempts; ++attempt) {
    RETURN_IF_ERROR(CheckRoot(env, layout));
    status = OpenOnce();
    if (status.ok()) return status;
    // The holder may have moved files between our listing them and opening them.
    if (status.code() != StatusCode::kNotFound && status.code() != StatusCode::kCorruption) break;
    {
      MutexLock lock(&tables_mu_);
      tables_.clear();
    }
    env->SleepMicros(20'000);
  }
  return status;
}

Status EngineCore::OpenOnce() {
  LogRecovery recovery(env, layout, options.read_only);
  RETURN_IF_ERROR(recovery.Find());
  if (!options.read_only) {
    RETURN_IF_ERROR(env->RemoveTree(layout.Temp()));
    RETURN_IF_ERROR(env->CreateDirectories(layout.Temp()));
  }
  RETURN_IF_ERROR(OpenCatalog());
  RETURN_IF_ERROR(recovery.Scan(CatalogRegion(MetaTableName()).get()));
  RETURN_IF_ERROR(OpenUserTables());
  std::map<std::string, Region*, std::less<>> by_name;
  uint64_t max_sequence_id = 0;
  for (const auto& region : AllRegions()) {
    by_name[region->encoded_name()] = region.get();
    max_sequence_id = std::max(max_sequence_id, region->max_sequence_id());
    RETURN_IF_ERROR(recovery.ReplayRecoveredEdits(region.get()));
  }
  RETURN_IF_ERROR(recovery.Replay(
      [&](std::string_view encoded) {
        const auto found = by_name.find(encoded);
        return found == by_name.end() ? nullptr : found->second;
      },
      [&] { return memory.wants_flush(); }));
  replayed_edits_ = recovery.replayed_edits();
  max_sequence_id = std::max(max_sequence_id, recovery.max_sequence_id());
  clock.NotBefore(std::max(recovery.max_write_time(), ReadClock(env, layout)) + 1);
  mvcc.Restart(max_sequence_id);
  if (options.read_only) return Status::Ok();

  RETURN_IF_ERROR(recovery.FlushReplayed());
  RETURN_IF_ERROR(recovery.Retire());
  RETURN_IF_ERROR(OpenLog(max_sequence_id + 1));
  if (replayed_edits_ > 0) {
    LogInfo("recovery: replayed {} edits, next sequence id {}", replayed_edits_,
            max_sequence_id + 1);
  }
  return CleanOrphans();
}

Status EngineCore::OpenCatalog() {
  const TableName name = MetaTableName();
  auto descriptor = ReadTableInfo(env, layout.TableDirectory(name));
  if (!descriptor.ok() && descriptor.status().code() != StatusCode::kNotFound) {
    return std::move(descriptor).status();
  }
  // HBase keeps it in a file as well; a root without one has the families of always.
  const TableDescriptor meta = descriptor.ok() ? *descriptor : MetaDescriptor();
  ASSIGN_OR_RETURN(RegionList regions, OpenRegions(meta, {MetaRegionInfo()}));
  AddTable(std::make_shared<TableEntry>(meta, std::move(regions)));
  return Status::Ok();
}

Status EngineCore::OpenUserTables() {
  ASSIGN_OR_RETURN(const MetaContents contents,
                   ReadMeta(CatalogRegion(MetaTableName()), UINT64_MAX, clock.NowMillis()));
  for (const auto& [name, infos] : contents.tables) {
    if (name == MetaTableName()) continue;
    if (infos.empty()) {
      LogWarning("table {} has a state but no region in hbase:meta; it is left out",
                 name.ToString());
      continue;
    }
    auto descriptor = ReadTableInfo(env, layout.TableDirectory(name));
    if (!descriptor.ok()) {
      return descriptor.status().Annotate("opening table " + name.ToString());
    }
    ASSIGN_OR_RETURN(RegionList regions, OpenRegions(*descriptor, infos));
    auto table = std::make_shared<TableEntry>(*descriptor, std::move(regions));
    table->set_disabled(contents.disabled.contains(name));
    AddTable(std::move(table));
  }
  return Status::Ok();
}

Status EngineCore::OpenLog(uint64_t first_sequence_id) {
  services.server_name = "localhost,16020," + std::to_string(clock.NowMillis());
  wal::WalOptions log;
  log.env = env;
  log.wal_root = layout.root();
  log.server_name = services.server_name;
  log.first_sequence_id = first_sequence_id;
  log.roll_size_bytes = options.wal_roll_bytes;
  ASSIGN_OR_RETURN(wal_, wal::Wal::Open(log));
  services.wal = wal_.get();
  for (const auto& region : AllRegions()) RETURN_IF_ERROR(region->StartLogging());
  maintenance =
      std::make_unique<Maintenance>(options, layout, &services, [this] { return AllRegions(); });
  services.host = maintenance.get();
  return Status::Ok();
}

// Directories of tables that the catalog does not know: a creation or a drop that died.
Status EngineCore::CleanOrphans() {
  ASSIGN_OR_RETURN(const auto namespaces, env->ListDirectory(layout.Data()));
  for (const std::string& name_space : namespaces) RETURN_IF_ERROR(CleanNamespace(name_space));
  return Status::Ok();
}

Status EngineCore::CleanNamespace(const std::string& name_space) {
  const std::string directory = layout.NamespaceDirectory(name_space);
  ASSIGN_OR_RETURN(const bool is_directory, env->IsDirectory(directory));
  if (!is_directory) return Status::Ok();
  ASSIGN_OR_RETURN(const auto names, env->ListDirectory(directory));
  for (const std::string& name : names) {
    const TableName table = {name_space, name};
    const std::string mark = JoinPath(layout.TableDirectory(table), kDroppingMark);
    ASSIGN_OR_RETURN(const bool dropping, env->Exists(mark));
    if (FindTable(table).ok()) {
      // The drop died before it was decided.
      if (dropping) RETURN_IF_ERROR(env->RemoveFile(mark));
      continue;
    }
    if (!dropping) {
      bool holds_data = false;
      const auto regions = env->ListDirectory(layout.TableDirectory(table));
      if (!regions.ok()) continue;
      for (const std::string& region : *regions) {
        if (region.starts_with('.')) continue;
        const std::string path = layout.RegionDirectory(table, region);
        const auto families = env->ListDirectory(path);
        if (!families.ok()) continue;
        for (const std::string& family : *families) {
          if (family.starts_with('.')) continue;
          const auto files = env->ListDirectory(JoinPath(path, family));
          holds_data = holds_data || (files.ok() && !files->empty());
        }
      }
      if (holds_data) {
        LogWarning("{} holds data of a table that hbase:meta does not know; it is left alone",
                   layout.TableDirectory(table));
        continue;
      }
    }
    LogInfo("removing what an interrupted change left: {}", layout.TableDirectory(table));
    RETURN_IF_ERROR(env->RemoveTree(layout.TableDirectory(table)));
  }
  return Status::Ok();
}

// ---- closing

// Everything into files, and the logs that were needed for it out of the way, so that the next
// opening reads a log that is as good as empty.
Status EngineCore::FlushAll() {
  const auto regions = AllRegions();
  Status first;
  for (const auto& region : regions) {
    const Status flushed = region->Flush();
    if (first.ok() && !flushed.ok()) first = flushed;
    region->Close(flushed.ok());
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

Status EngineCore::Close() {
  if (closed_) return Status::Ok();
  closed_ = true;
  Status first;
  const auto note = [&first](const Status& status) {
    if (first.ok() && !status.ok()) first = status;
  };
  if (wal_ != nullptr) {
    maintenance->Stop();
    gate.Close("it is closed", true);
    if (mvcc.status().ok()) {
      note(options.flush_on_close ? FlushAll() : wal_->SyncAll());
    } else {
      for (const auto& region : AllRegions()) region->Close(false);
    }
    note(wal_->Close());
    note(WriteClock(env, layout, clock.NowMillis()));
  }
  Forget();
  lock_.reset();
  return first;
}

}  // namespace bennu::engine
