#include "src/check/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/check/catalog_check.h"
#include "src/check/log_check.h"
#include "src/check/root_check.h"
#include "src/check/shape_check.h"
#include "src/check/shape_env.h"
#include "src/check/snapshot_check.h"
#include "src/check/sql_check.h"
#include "src/check/table_check.h"
#include "src/engine/open.h"

namespace bennu::check {

namespace {

// A repair may bring the next fault to light: hbase:meta's files, then what it says, then holes.
constexpr int kRoundsMax = 6;

uint64_t Count(const std::vector<Finding>& findings, Level level) {
  return static_cast<uint64_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.level == level; }));
}

class Checker {
 public:
  Checker(Env* env, const std::string& directory, const CheckOptions& options)
      : env_(env), directory_(directory), options_(options) {}

  Result<Report> Run() {
    RETURN_IF_ERROR(CheckIsStore());
    ASSIGN_OR_RETURN(const auto lock, TakeLock());
    Report report;
    for (int round = 0;; ++round) {
      ShapeEnv env(env_);
      CheckRun run(&env, directory_);
      run.progress = options_.progress;
      run.sound_files = &sound_files_;
      RETURN_IF_ERROR(CheckOnce(&run, env));
      report.files = run.files;
      report.bytes = run.bytes;
      AddNew(run.findings, &report.findings);
      report.remaining = run.findings;
      const bool can_repair = std::any_of(
          run.findings.begin(), run.findings.end(),
          [](const Finding& finding) { return finding.repair.kind != RepairKind::kNone; });
      if (!options_.repair || !can_repair || round == kRoundsMax) return report;
      RETURN_IF_ERROR(RepairFindings(run, inventory_, meta_is_readable_, &report.actions));
    }
  }

 private:
  Status CheckIsStore() const {
    const engine::RootLayout layout(directory_);
    ASSIGN_OR_RETURN(const bool exists, env_->Exists(directory_));
    if (!exists) return NotFound("there is no directory " + directory_);
    ASSIGN_OR_RETURN(const bool is_directory, env_->IsDirectory(directory_));
    if (!is_directory) return FailedPrecondition(directory_ + " is a file, not a directory");
    ShapeEnv env(env_);  // what is there, and be it a link in a circle
    ASSIGN_OR_RETURN(const bool is_store, IsRoot(&env, directory_));
    // The folder above a store called `data`, which a repair by an older version may have given an
    // hbase.version. What cannot be read is told by the check itself.
    const Result<bool> data_is_store = IsRoot(&env, layout.Data());
    const bool is_above = data_is_store.ok() && *data_is_store;
    if (is_store && !is_above) return Status::Ok();
    ASSIGN_OR_RETURN(const std::string inner, FindStoreBelow(&env));
    return FailedPrecondition(fmt::format(
        "directory {} is no store: {}; {}", directory_,
        is_store ? "a store begins in its folder data"
                 : "it has neither the file hbase.version nor hbase.id",
        inner.empty() ? "name the store's own directory (one that lost both files needs "
                        "hbase.id back from a backup)"
                      : fmt::format("check {} instead", inner)));
  }

  // Whether a store begins at 'directory'. Either of its two files may be lost.
  static Result<bool> IsRoot(Env* env, const std::string& directory) {
    const engine::RootLayout layout(directory);
    ASSIGN_OR_RETURN(const bool has_version, env->Exists(layout.VersionFile()));
    if (has_version) return true;
    return env->Exists(layout.IdFile());
  }

  // The first store directly below the directory, empty when there is none.
  Result<std::string> FindStoreBelow(Env* env) const {
    ASSIGN_OR_RETURN(const auto names, env->ListDirectory(directory_));
    for (const std::string& name : names) {
      const std::string path = JoinPath(directory_, name);
      const Result<bool> is_store = IsRoot(env, path);
      if (is_store.ok() && *is_store) return path;
    }
    return std::string();
  }

  // Null: nobody can have it, in a directory that may not be written and never was taken.
  Result<std::unique_ptr<DirectoryLock>> TakeLock() {
    const std::string path = engine::RootLayout(directory_).LockFile();
    auto lock = env_->LockFile(path);
    if (!lock.ok() && lock.status().code() != StatusCode::kHeld && !options_.repair) {
      auto reading = env_->LockFileToRead(path);
      if (reading.status().code() == StatusCode::kNotFound) {
        return std::unique_ptr<DirectoryLock>();
      }
      if (reading.ok() || reading.status().code() == StatusCode::kHeld) lock = std::move(reading);
    }
    if (!lock.ok() && lock.status().code() == StatusCode::kHeld) {
      return Status(StatusCode::kHeld, "directory " + lock.status().message());
    }
    return lock;
  }

  Status CheckOnce(CheckRun* run, const ShapeEnv& env) {
    RETURN_IF_ERROR(CheckRootFiles(run));
    RETURN_IF_ERROR(CheckLogs(run));
    ASSIGN_OR_RETURN(inventory_, TakeInventory(run));
    ASSIGN_OR_RETURN(const auto meta, ReadMetaOffline(run, inventory_));
    meta_is_readable_ = meta.has_value();
    CheckMetaRegionInfo(run, inventory_);
    if (meta.has_value()) {
      RETURN_IF_ERROR(CheckMeta(run, *meta, inventory_));
      RETURN_IF_ERROR(CheckNamespaces(run, *meta, inventory_));
    }
    for (const auto& [name, table] : inventory_.tables) {
      const bool goes = meta.has_value() ? IsLeftover(*meta, name, table) : table.dropping;
      if (goes || IsForeign(meta.has_value() ? &*meta : nullptr, name, table)) continue;
      if (table.descriptor_fault.has_value()) run->findings.push_back(*table.descriptor_fault);
      RETURN_IF_ERROR(CheckTableFiles(run, name, table, meta));
    }
    RETURN_IF_ERROR(CheckArchive(run));
    RETURN_IF_ERROR(CheckSnapshots(run));
    TellOddShapes(env.odd(), run);
    if (!options_.sql_catalog || Count(run->findings, Level::kFault) > 0) return Status::Ok();
    return CheckSql(run);
  }

  Status CheckTableFiles(CheckRun* run, const TableName& name, const TableOnDisk& table,
                         const std::optional<engine::MetaContents>& meta) {
    std::map<std::string, RegionInfo> infos;
    if (meta.has_value()) {
      if (const auto found = meta->tables.find(name); found != meta->tables.end()) {
        for (const RegionInfo& info : found->second) infos[info.EncodedName()] = info;
      }
    }
    for (const auto& [encoded, region] : table.regions) {
      const RegionInfo* info = region.info.has_value() ? &*region.info : nullptr;
      if (const auto known = infos.find(encoded); known != infos.end()) info = &known->second;
      RETURN_IF_ERROR(CheckRegionFiles(run, name, encoded, region,
                                       table.descriptor.has_value() ? &*table.descriptor : nullptr,
                                       info, table.altering));
    }
    return Status::Ok();
  }

  // The store has no fault that would keep it from opening.
  Status CheckSql(CheckRun* run) {
    engine::EngineOptions engine_options;
    engine_options.env = env_;
    engine_options.read_only = true;
    const auto store = engine::OpenStore(directory_, engine_options);
    if (!store.ok()) {
      if (store.status().code() == StatusCode::kIoError) return store.status();
      run->Fault(directory_, "the store does not open: " + store.status().message());
      return Status::Ok();
    }
    RETURN_IF_ERROR(CheckSqlCatalog(run, store->get()));
    if (!options_.compare_indexes || Count(run->findings, Level::kFault) > 0) return Status::Ok();
    return options_.compare_indexes(store->get(), [run](const std::string& path, std::string what) {
      run->Fault(run->Absolute(path), std::move(what));
    });
  }

  static void AddNew(const std::vector<Finding>& found, std::vector<Finding>* all) {
    for (const Finding& finding : found) {
      const std::string text = FormatFinding(finding);
      const bool is_known = std::any_of(all->begin(), all->end(), [&](const Finding& other) {
        return FormatFinding(other) == text;
      });
      if (!is_known) all->push_back(finding);
    }
  }

  Env* const env_;
  const std::string directory_;
  const CheckOptions& options_;
  std::map<std::string, uint64_t> sound_files_;
  Inventory inventory_;
  bool meta_is_readable_ = false;
};

}  // namespace

uint64_t Report::faults() const { return Count(remaining, Level::kFault); }
uint64_t Report::warnings() const { return Count(remaining, Level::kWarning); }

Result<Report> CheckStore(Env* env, const std::string& directory, const CheckOptions& options) {
  std::string root = directory;
  while (root.size() > 1 && root.back() == '/') root.pop_back();
  return Checker(env, root, options).Run();
}

}  // namespace bennu::check
