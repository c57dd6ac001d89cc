#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "src/api/store_configuration.h"
#include "src/base/failpoint.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/admin/admin.h"
#include "src/engine/core/engine_core.h"
#include "src/engine/directory/root_directory.h"
#include "src/engine/open.h"
#include "src/engine/table.h"

namespace bennu::engine {

namespace {

class EngineConnection final : public Engine {
 public:
  EngineConnection(const std::string& path, const EngineOptions& options)
      : core_(std::make_shared<EngineCore>(path, options)), admin_(core_.get()) {}
  ~EngineConnection() override {
    const Status status = Close();
    if (!status.ok()) LogError("closing {}: {}", core_->layout.root(), status.ToString());
  }

  Status Open() {
    RETURN_IF_ERROR(core_->Open());
    if (core_->options.read_only) return Status::Ok();
    RETURN_IF_ERROR(admin_.EnsureNamespaces());
    return core_->options.server_address.empty() ? Status::Ok() : core_->ClaimRegions();
  }

  Result<std::shared_ptr<Table>> OpenTable(const TableName& name) override {
    ASSIGN_OR_RETURN(std::shared_ptr<ServedTable> table, OpenServedTable(name));
    return std::shared_ptr<Table>(std::move(table));
  }
  Result<std::shared_ptr<ServedTable>> OpenServedTable(const TableName& name) override {
    ASSIGN_OR_RETURN(std::shared_ptr<TableEntry> entry, core_->FindTable(name));
    return std::shared_ptr<ServedTable>(std::make_shared<EngineTable>(core_, std::move(entry)));
  }
  Admin* admin() override { return &admin_; }
  Capabilities capabilities() const override {
    return {.snapshots = true, .navigators = true, .shared = core_->options.shared};
  }
  std::shared_ptr<const Snapshot> TakeSnapshot() override {
    return std::make_shared<EngineSnapshot>(
        std::shared_ptr<ReadPoints>(core_, &core_->read_points));
  }
  int64_t NowMillis() override { return core_->clock.NowMillis(); }
  ThreadPool* QueryPool() override { return core_->query_pool.get(); }
  api::TableChanges* Changes() override { return this; }

  Status Close() override { return core_->Close(); }
  Env* env() override { return core_->env; }
  Result<std::string> ReadClusterId() override {
    return engine::ReadClusterId(core_->env, core_->layout);
  }
  const std::string& server_name() const override { return core_->services.server_name; }

  Status RollLog() override { return core_->RollLog(); }

  Status CleanUp() override {
    RETURN_IF_ERROR(core_->gate.Check());
    if (core_->maintenance != nullptr) core_->maintenance->CleanOldLogs();
    return core_->archive_cleaner.Run();
  }

  void StopBackground() override {
    if (core_->maintenance != nullptr) core_->maintenance->Stop();
  }

  void SetHolderNote(const std::string& note) override { core_->SetHolderNote(note); }
  bool SwitchCompactions(bool on) override {
    const bool before = core_->compactions_on.exchange(on);
    if (!on) {
      for (const auto& region : core_->AllRegions()) region->compactor()->Stop();
    }
    return before;
  }
  bool compactions_on() const override { return core_->compactions_on.load(); }
  WriteNumbers NumbersOfWrites(const TableName& table) override {
    WriteNumbers numbers;
    if (const auto entry = core_->FindTable(table); entry.ok()) {
      const auto regions = (*entry)->regions();
      for (const auto& region : *regions) {
        numbers.newest = std::max(numbers.newest, region->stores()->max_sequence_id());
      }
    }
    numbers.visible = core_->mvcc.read_point();
    return numbers;
  }

  Status SetWriteObservers(api::WriteObserverSource* source) override {
    core_->services.write_observers.store(source);
    return ForgetObservers(core_->AllRegions());
  }
  Status ObserverChanged(const TableName& table) override {
    const auto entry = core_->FindTable(table);
    // The regions of one that is to come will ask.
    return entry.ok() ? ForgetObservers(*(*entry)->regions()) : Status::Ok();
  }

  Status DropTables(const std::vector<TableName>& names, const api::TableRows& rows) override {
    return admin_.DropTables(names, rows);
  }
  Status DropNamespaceWith(const std::string& name, const api::TableRows& rows) override {
    return admin_.DropNamespaceWith(name, rows);
  }
  Status EmptyTable(const TableName& name) override { return admin_.EmptyTable(name); }

  Status DeriveFromRows(const TableName& name, std::span<const api::ReadRow> rows,
                        api::RowDeriver* deriver) override {
    ASSIGN_OR_RETURN(const auto table, core_->FindTable(name));
    std::vector<uint32_t> left(rows.size());
    std::iota(left.begin(), left.end(), 0);
    std::vector<uint32_t> here;
    std::vector<uint32_t> elsewhere;
    while (!left.empty()) {
      const std::shared_ptr<const RegionList> regions = table->regions();
      const auto& region = (*regions)[FindRegion(*regions, rows[left.front()].row)];
      here.clear();
      elsewhere.clear();
      for (const uint32_t i : left) {
        (region->info().Contains(rows[i].row) ? here : elsewhere).push_back(i);
      }
      RETURN_IF_ERROR(core_->gate.Check());
      RETURN_IF_ERROR(region->writer()->WaitForRoom());
      WaitedCompletion completion(core_->services.wal);
      RegionWrite write(&core_->mvcc, &completion, /*is_attended=*/true);
      const Status status = region->writer()->DeriveFromRows(rows, here, deriver, &write);
      if (status.code() == StatusCode::kAborted) {
        RETURN_IF_ERROR(region->writer()->WaitWhileFrozen());
        continue;  // perhaps in other regions
      }
      RETURN_IF_ERROR(status);
      RETURN_IF_ERROR(completion.Wait());
      left.swap(elsewhere);
    }
    return Status::Ok();
  }

  void RunInBackground(std::function<void()> task) override {
    if (core_->maintenance != nullptr) core_->maintenance->RunLater(std::move(task));
  }
  Result<size_t> DropCachedBlocks(const std::string& encoded_region) override {
    for (const auto& region : core_->AllRegions()) {
      if (region->encoded_name() != encoded_region) continue;
      size_t blocks = 0;
      const auto stores = region->stores();
      for (const auto& entry : stores->entries) {
        const auto view = entry.store->view();
        for (const auto& file : view->files) {
          blocks += file->reader()->DropCachedBlocks();
        }
      }
      return blocks;
    }
    return NotFound("there is no region " + encoded_region);
  }

  EngineStatus GetStatus() override {
    EngineStatus status;
    if (core_->maintenance != nullptr) core_->maintenance->FillStatus(&status);
    status.read_only_reason = core_->gate.reason();
    if (core_->wal() != nullptr && status.read_only_reason.empty()) {
      status.read_only_reason = core_->wal()->suspended().message();
    }
    status.read_only = !status.read_only_reason.empty();
    status.memstore_bytes = core_->memory.used();
    status.wal_files = core_->wal() != nullptr ? core_->wal()->files().size() : 0;
    status.read_point = core_->mvcc.read_point();
    status.replayed_edits = core_->replayed_edits();
    status.block_cache_bytes = core_->block_cache.used_bytes();
    status.block_cache_capacity_bytes = core_->block_cache.capacity_bytes();
    const auto cached = core_->block_cache.counters();
    status.block_cache_hits = cached.hits;
    status.block_cache_misses = cached.misses;
    status.block_cache_evictions = cached.evictions;
    const auto regions = core_->AllRegions();
    status.regions = regions.size();
    for (const auto& region : regions) status.open_regions += region->opened() ? 1 : 0;
    return status;
  }

 private:
  Status ForgetObservers(const RegionList& regions) {
    for (const auto& region : regions) region->writer()->ForgetObserver();
    if (core_->wal() == nullptr) return Status::Ok();  // opened to read
    // What is in the memstores and not visible yet was not observed by the new one either.
    core_->services.wal->Lead();
    return core_->mvcc.WaitPublished(core_->services.wal->last_sequence_id());
  }

  const std::shared_ptr<EngineCore> core_;
  EngineAdmin admin_;
};

// Files that are kept for a while take memory here, and nobody comes to look at them: a log goes as
// soon as what it holds is in store files, which is sooner for small ones, and all logs together
// are about as large as all memstores. Nothing is opened again, so that nothing has to be flushed
// at the end.
EngineOptions InMemory(EngineOptions options) {
  constexpr uint64_t kRollBytes = 16ull << 20;
  constexpr uint64_t kFilesMin = 4;
  options.wal_roll_bytes = std::min(options.wal_roll_bytes, kRollBytes);
  options.wal_files_max = static_cast<uint32_t>(std::max(
      kFilesMin, options.memstore_total_bytes / std::max<uint64_t>(1, options.wal_roll_bytes)));
  options.old_wal_files_max = 0;
  options.old_wal_keep_millis = 0;
  options.archive_keep_millis = 0;
  options.flush_on_close = false;
  return options;
}

}  // namespace

Result<std::unique_ptr<Engine>> OpenEngine(const std::string& path, const EngineOptions& options) {
  RETURN_IF_ERROR(api::CheckStoreProperties("the store's configuration", options.configuration));
  const bool in_memory = path == kMemoryStore;
  if (in_memory && (options.read_only || !options.create_if_missing)) {
    return InvalidArgument(
        path +
        " is a store in memory, which is empty each time it is opened, so that there is "
        "nothing to read or to change; name a directory");
  }
  auto connection =
      std::make_unique<EngineConnection>(path, in_memory ? InMemory(options) : options);
  const Status opened = connection->Open();
  if (opened.code() == StatusCode::kNoSpace) {
    // Opening writes: what the logs have is put into files.
    return Status(StatusCode::kNoSpace,
                  opened.message() +
                      "; nothing is lost: free some space, or open it read-only (--read-only)");
  }
  RETURN_IF_ERROR(opened);
  if (options.compaction_observer != nullptr) options.compaction_observer->Attach(connection.get());
  return std::unique_ptr<Engine>(std::move(connection));
}

Result<std::unique_ptr<Connection>> OpenStore(const std::string& path,
                                              const EngineOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine, OpenEngine(path, options));
  return std::unique_ptr<Connection>(std::move(engine));
}

}  // namespace bennu::engine
