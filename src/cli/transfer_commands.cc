#include "src/cli/transfer_commands.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/mutex.h"
#include "src/base/status_macros.h"
#include "src/bennu/opened_store.h"
#include "src/cli/error_report.h"
#include "src/cli/server_target.h"
#include "src/cli/sql_definition.h"
#include "src/cli/store_conf.h"
#include "src/cli/store_place.h"
#include "src/cli/table_name.h"
#include "src/cli/terminal.h"
#include "src/client/cluster_url.h"
#include "src/encoding/bytes_codec.h"
#include "src/engine/transfer/load_files.h"
#include "src/engine/transfer/table_export.h"
#include "src/engine/transfer/table_transfer.h"

namespace bennu::cli {

namespace {

using front::OpenedStore;

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// What the work tells of itself, for the thread that draws it.
template <typename T>
class Shared {
 public:
  void Set(const T& value) {
    MutexLock lock(&mu_);
    value_ = value;
  }
  T Get() const {
    MutexLock lock(&mu_);
    return value_;
  }

 private:
  mutable Mutex mu_;
  T value_ GUARDED_BY(mu_);
};

// Beside a process that holds the store, what is on disk is read.
Result<std::unique_ptr<OpenedStore>> OpenToRead(const std::string& directory,
                                                DatabaseOptions options) {
  RETURN_IF_ERROR(CheckStoreName(directory));
  options.create_if_missing = false;
  auto opened = OpenedStore::Open(directory, options);
  if (opened.ok() || opened.status().code() != StatusCode::kHeld) return opened;
  options.read_only = true;
  return OpenedStore::Open(directory, options);
}

// The error of a folder from which no table can be made: neither files nor a description.
Status CheckFolder(const std::string& folder) {
  Env* const env = Env::Default();
  const Status listed = engine::ListLoadFiles(env, folder).status();
  if (listed.code() != StatusCode::kNotFound) return listed;
  const auto described = engine::DescribeFolder(env, folder, std::nullopt, {});
  return described.ok() && !described->families.empty() ? Status() : listed;
}

// An import may well be the first that a store sees.
Result<std::unique_ptr<OpenedStore>> OpenToLoad(const std::string& directory,
                                                DatabaseOptions options, bool create) {
  // Whatever came into a store in memory would go with the command.
  options.create_if_missing = create && !IsMemoryStore(directory);
  return OpenedStore::Open(directory, options);
}

std::string LoadText(const BulkLoadProgress& progress) {
  if (progress.files_checked < progress.files || progress.regions == 0) {
    return fmt::format("checked {} of {} files", progress.files_checked, progress.files);
  }
  return fmt::format("loaded {} of {} regions, {} bytes written", progress.regions_loaded,
                     progress.regions, progress.bytes_written);
}

// Runs 'load' with options that show its progress.
template <typename Load>
Result<BulkLoadResult> LoadWithProgress(Connection* connection, bool move, Load load) {
  Shared<BulkLoadProgress> shared;
  BulkLoadOptions options;
  options.copy = !move;
  options.progress = [&](const BulkLoadProgress& progress) { shared.Set(progress); };
  ProgressLine line([&](double) { return LoadText(shared.Get()); });
  return load(connection, options);
}

ExitCode Tell(const BulkLoadResult& result, const Stopwatch& watch) {
  fmt::print("loaded {} files ({} cells, {} bytes) into {} regions in {:.2f} s\n", result.files,
             result.cells, result.bytes, result.regions, watch.seconds());
  return kExitOk;
}

template <typename Load>
ExitCode RunLoad(Result<std::unique_ptr<OpenedStore>> opened, bool move, Load load) {
  if (!opened.ok()) return ReportError(opened.status(), ExitCodeOfOpening(opened.status()));
  const std::unique_ptr<OpenedStore> store = std::move(opened).value();
  const Stopwatch watch;
  const auto loaded = LoadWithProgress(store->engine(), move, load);
  if (!loaded.ok()) return ReportError(loaded.status(), ExitCodeOf(loaded.status()));
  if (const Status closed = store->Close(); !closed.ok())
    return ReportError(closed, ExitCodeOf(closed));
  return Tell(*loaded, watch);
}

template <typename Load>
ExitCode RunLoadIntoServer(const std::string& target, const StoreArguments& arguments, bool move,
                           Load load) {
  ExitCode failure = kExitOk;
  const auto connection = ConnectToServer(target, arguments, &failure);
  if (!connection.ok()) return ReportError(connection.status(), failure);
  const Stopwatch watch;
  const auto loaded = LoadWithProgress(connection->get(), move, load);
  if (!loaded.ok()) return ReportError(loaded.status(), ExitCodeOf(loaded.status()));
  return Tell(*loaded, watch);
}

// Into whatever the command names: a directory, which may be made, or a server.
template <typename Command, typename Load>
ExitCode RunLoadInto(const Command& command, bool create, const std::string& folder, Load load) {
  if (client::LooksLikeCluster(command.directory)) {
    return RunLoadIntoServer(command.directory, command.store, command.move, load);
  }
  const auto options = DatabaseOptionsOf(command.store);
  if (!options.ok()) return ReportError(options.status(), kExitUsage);
  const Status place =
      create ? CheckStorePlace(command.directory) : CheckStoreName(command.directory);
  if (!place.ok()) return ReportError(place, ExitCodeOfPlace(place));
  // No store is made for a folder that cannot be loaded.
  if (create && !IsMemoryStore(command.directory) && !StoreExists(command.directory)) {
    const Status loadable = CheckFolder(folder);
    if (!loadable.ok()) return ReportError(loadable, ExitCodeOf(loadable));
  }
  return RunLoad(OpenToLoad(command.directory, *options, create), command.move, load);
}

// Runs an export, shows its progress and what it came to.
template <typename Run>
ExitCode ExportWithProgress(ExportOptions options, Run run) {
  const Stopwatch watch;
  Shared<ExportResult> shared;
  options.progress = [&](uint64_t cells, uint64_t bytes) { shared.Set({0, cells, bytes}); };
  std::optional<Result<ExportResult>> done;
  {
    ProgressLine line([&](double seconds) {
      const ExportResult progress = shared.Get();
      return fmt::format("{} cells, {} bytes, {:.0f} cells/s", progress.cells, progress.bytes,
                         static_cast<double>(progress.cells) / seconds);
    });
    done = run(options);
  }
  if (!done->ok()) return ReportError(done->status(), ExitCodeOf(done->status()));
  const ExportResult& result = **done;
  fmt::print("exported {} cells into {} files ({} bytes) in {:.2f} s\n", result.cells, result.files,
             result.bytes, watch.seconds());
  return kExitOk;
}

// Imports, and sees to it or says how SQL gets to see the table.
Result<BulkLoadResult> ImportForSql(Connection* connection, const std::string& folder,
                                    const ImportOptions& import, const Configuration& configuration,
                                    bool with_definition, std::string* hint) {
  Admin* const admin = connection->admin();
  const auto exported = engine::DescribeFolder(Env::Default(), folder, std::nullopt, {});
  if (!exported.ok()) {
    if (with_definition) return exported.status();
    return admin->ImportTable(folder, import);
  }
  const TableName table = import.table.value_or(exported->name);
  if (with_definition) {
    Result<BulkLoadResult> loaded = BulkLoadResult();
    RETURN_IF_ERROR(MakeWithDefinition(connection, configuration, exported->name, table,
                                       std::numeric_limits<int64_t>::max(), [&] {
                                         loaded = admin->ImportTable(folder, import);
                                         return loaded.status();
                                       }));
    *hint = QuotedNameHint(table);
    return loaded;
  }
  Result<BulkLoadResult> loaded = admin->ImportTable(folder, import);
  if (loaded.ok()) *hint = DefinitionHint(connection, configuration, exported->name, table);
  return loaded;
}

}  // namespace

ExitCode RunBulkLoad(const BulkLoadCommand& command) {
  const auto name = TableName::Parse(command.table);
  if (!name.ok()) return ReportError(name.status(), kExitUsage);
  const std::string folder = AbsolutePath(command.folder);
  const auto load = [&](Connection* connection,
                        const BulkLoadOptions& options) -> Result<BulkLoadResult> {
    Admin* const admin = connection->admin();
    if (command.create) return admin->ImportTable(folder, {*name, options});
    ASSIGN_OR_RETURN(const TableName table, FindTable(admin, command.table));
    return admin->BulkLoad(table, folder, options);
  };
  return RunLoadInto(command, command.create, folder, load);
}

ExitCode RunImport(const ImportCommand& command) {
  const std::string folder = AbsolutePath(command.folder);
  ImportOptions import;
  if (!command.table.empty()) {
    const auto name = TableName::Parse(command.table);
    if (!name.ok()) return ReportError(name.status(), kExitUsage);
    import.table = *name;
  }
  const bool is_server = client::LooksLikeCluster(command.directory);
  if (command.sql && is_server)
    return ReportError(NoDefinitionsOnServers(command.directory), kExitUsage);
  Configuration configuration;
  if (const auto options = DatabaseOptionsOf(command.store); options.ok() && !is_server) {
    configuration = options->configuration;
  }
  std::string hint;
  const auto load = [&](Connection* connection,
                        const BulkLoadOptions& options) -> Result<BulkLoadResult> {
    import.load = options;
    return ImportForSql(connection, folder, import, configuration, command.sql, &hint);
  };
  // A store that is yet to be made has no definitions, and need not be made.
  const bool create = !command.sql || IsMemoryStore(command.directory);
  const ExitCode code = RunLoadInto(command, create, folder, load);
  if (code == kExitOk) PrintHint(hint);
  return code;
}

ExitCode RunExport(const ExportCommand& command) {
  const auto name = TableName::Parse(command.table);
  if (!name.ok()) return ReportError(name.status(), kExitUsage);
  ExportOptions options;
  const auto start = encoding::FromStringBinary(command.start_row);
  const auto stop = encoding::FromStringBinary(command.stop_row);
  for (const auto& row : {start, stop}) {
    if (!row.ok()) return ReportError(row.status(), kExitUsage);
  }
  options.rows.start = *start;
  options.rows.stop = *stop;
  options.time_range = {command.min_time, command.max_time};
  options.max_versions = command.versions;
  options.raw = command.raw;
  options.file_bytes_max = command.file_bytes;
  if (client::LooksLikeCluster(command.directory)) {
    ExitCode failure = kExitOk;
    const auto connection = ConnectToServer(command.directory, command.store, &failure);
    if (!connection.ok()) return ReportError(connection.status(), failure);
    const auto table = FindTable((*connection)->admin(), command.table);
    if (!table.ok()) return ReportError(table.status(), ExitCodeOf(table.status()));
    return ExportWithProgress(options, [&](const ExportOptions& with) {
      return engine::ExportByScans(Env::Default(), connection->get(), *table, command.folder, with);
    });
  }
  const auto store_options = DatabaseOptionsOf(command.store);
  if (!store_options.ok()) return ReportError(store_options.status(), kExitUsage);
  auto opened = OpenToRead(command.directory, *store_options);
  if (!opened.ok()) return ReportError(opened.status(), ExitCodeOfOpening(opened.status()));
  const std::unique_ptr<OpenedStore> store = std::move(opened).value();
  Admin* const admin = store->engine()->admin();
  const auto table = FindTable(admin, command.table);
  if (!table.ok()) return ReportError(table.status(), ExitCodeOf(table.status()));
  return ExportWithProgress(options, [&](const ExportOptions& with) {
    return admin->ExportTable(*table, command.folder, with);
  });
}

}  // namespace bennu::cli
