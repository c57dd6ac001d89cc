#include "src/cli/snapshot_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "bennu/database.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/bennu/opened_store.h"
#include "src/cli/error_report.h"
#include "src/cli/server_target.h"
#include "src/cli/sql_definition.h"
#include "src/cli/store_place.h"
#include "src/cli/table_name.h"
#include "src/cli/terminal.h"
#include "src/client/cluster_url.h"
#include "src/engine/directory/root_directory.h"
#include "src/engine/directory/snapshot_files.h"

namespace bennu::cli {

namespace {

using Action = SnapshotCommandOptions::Action;

// Rows that are known already, for the printer of results.
class FixedRows final : public ResultSet {
 public:
  explicit FixedRows(std::vector<ColumnInfo> columns) : columns_(std::move(columns)) {}
  void Add(std::vector<Datum> row) { rows_.push_back(std::move(row)); }

  const std::vector<ColumnInfo>& columns() const override { return columns_; }
  int64_t update_count() const override { return -1; }
  Result<bool> Next() override { return next_++ < rows_.size(); }
  Result<const ResultChunk*> NextChunk() override {
    return NotSupported("these rows come one by one");
  }
  bool HasRow() const override { return next_ > 0 && next_ <= rows_.size(); }
  bool IsNull(size_t column) const override { return Get(column).is_null(); }
  Datum Get(size_t column) const override { return rows_[next_ - 1][column]; }
  std::string GetText(size_t column) const override {
    const Datum datum = Get(column);
    if (const auto* const text = std::get_if<std::string>(&datum.variant())) return *text;
    if (const auto* const number = std::get_if<int64_t>(&datum.variant())) {
      return std::to_string(*number);
    }
    return "NULL";
  }

 private:
  const std::vector<ColumnInfo> columns_;
  std::vector<std::vector<Datum>> rows_;
  size_t next_ = 0;
};

std::string TimeText(int64_t millis) {
  const std::time_t seconds = millis / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}", parts.tm_year + 1900,
                     parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                     millis % 1000);
}

std::string TypeText(SnapshotDescription::Type type) {
  switch (type) {
    case SnapshotDescription::Type::kDisabled: return "DISABLED";
    case SnapshotDescription::Type::kFlush: return "FLUSH";
    case SnapshotDescription::Type::kSkipFlush: return "SKIPFLUSH";
  }
  return "";
}

std::unique_ptr<FixedRows> ListRows(const std::vector<SnapshotDescription>& snapshots) {
  auto rows = std::make_unique<FixedRows>(std::vector<ColumnInfo>{{"NAME", "VARCHAR"},
                                                                  {"TABLE", "VARCHAR"},
                                                                  {"CREATED", "VARCHAR"},
                                                                  {"TYPE", "VARCHAR"},
                                                                  {"TTL", "BIGINT"},
                                                                  {"REGIONS", "BIGINT"},
                                                                  {"FILES", "BIGINT"},
                                                                  {"BYTES", "BIGINT"}});
  for (const SnapshotDescription& snapshot : snapshots) {
    const Datum ttl = snapshot.ttl_seconds > 0 ? Datum(snapshot.ttl_seconds) : Datum();
    rows->Add({snapshot.name, snapshot.table.ToString(), TimeText(snapshot.creation_millis),
               TypeText(snapshot.type), ttl, snapshot.region_count, snapshot.file_count,
               snapshot.file_bytes});
  }
  return rows;
}

std::unique_ptr<FixedRows> FileRows(const SnapshotContents& contents) {
  auto rows = std::make_unique<FixedRows>(std::vector<ColumnInfo>{
      {"REGION", "VARCHAR"}, {"FAMILY", "VARCHAR"}, {"FILE", "VARCHAR"}, {"BYTES", "BIGINT"}});
  for (const SnapshotRegion& region : contents.regions) {
    const std::string encoded = region.info.EncodedName();
    if (region.files.empty()) rows->Add({encoded, Datum(), Datum(), Datum()});
    for (const SnapshotFile& file : region.files) {
      rows->Add({encoded, file.family, file.name, file.size_bytes});
    }
  }
  return rows;
}

// What is on disk tells all, so a process that holds the store is not in the way.
Status Show(const SnapshotCommandOptions& options) {
  Env* const env = Env::Default();
  const engine::RootLayout layout(options.directory);
  RETURN_IF_ERROR(engine::CheckRoot(env, layout));
  const engine::SnapshotFiles snapshots(env, layout);
  ResultPrinter printer(options.format, stdout, stderr);
  if (options.action == Action::kList) {
    std::vector<SnapshotDescription> all;
    ASSIGN_OR_RETURN(const auto names, snapshots.List());
    Status damaged;  // the first that is; the others are shown all the same
    for (const std::string& name : names) {
      const auto record = snapshots.Read(name);
      if (record.status().code() == StatusCode::kNotFound) continue;  // deleted meanwhile
      if (record.ok()) all.push_back(engine::DescribeRecord(*record).description);
      if (damaged.ok()) damaged = record.status();
    }
    RETURN_IF_ERROR(printer.Print(ListRows(all).get()));
    return damaged;
  }
  ASSIGN_OR_RETURN(const auto record, snapshots.Read(options.name));
  const SnapshotContents contents = engine::DescribeRecord(record);
  RETURN_IF_ERROR(printer.Print(ListRows({contents.description}).get()));
  return printer.Print(FileRows(contents).get());
}

// Of a directory that nobody else has open: the command may disable the table for as long as it
// takes. On a server others may be using it, and they are to disable it first, as with HBase.
Status Restore(Admin* admin, const std::string& name) {
  ASSIGN_OR_RETURN(const SnapshotContents contents, admin->DescribeSnapshot(name));
  const TableName& table = contents.description.table;
  ASSIGN_OR_RETURN(const bool exists, admin->TableExists(table));
  if (!exists) return admin->RestoreSnapshot(name);
  ASSIGN_OR_RETURN(const bool enabled, admin->IsTableEnabled(table));
  if (enabled) RETURN_IF_ERROR(admin->DisableTable(table));
  const Status restored = admin->RestoreSnapshot(name);
  if (!enabled) return restored;
  const Status enabled_again = admin->EnableTable(table);
  return restored.ok() ? enabled_again : restored;
}

Status Clone(Connection* connection, const SnapshotCommandOptions& options,
             const Configuration& configuration, std::string* hint) {
  Admin* const admin = connection->admin();
  ASSIGN_OR_RETURN(const TableName table, TableName::Parse(options.table));
  ASSIGN_OR_RETURN(const std::vector<SnapshotDescription> snapshots, admin->ListSnapshots());
  const auto snapshot = std::find_if(snapshots.begin(), snapshots.end(),
                                     [&](const auto& one) { return one.name == options.name; });
  const auto make = [&] { return admin->CloneSnapshot(options.name, table); };
  if (snapshot == snapshots.end()) return make();  // which says that it is not there
  if (options.sql) {
    RETURN_IF_ERROR(MakeWithDefinition(connection, configuration, snapshot->table, table,
                                       snapshot->creation_millis, make));
    *hint = QuotedNameHint(table);
    return Status::Ok();
  }
  RETURN_IF_ERROR(make());
  *hint = DefinitionHint(connection, configuration, snapshot->table, table);
  return Status::Ok();
}

Status Change(Connection* connection, const SnapshotCommandOptions& options,
              const Configuration& configuration, std::string* hint) {
  Admin* const admin = connection->admin();
  switch (options.action) {
    case Action::kTake: {
      ASSIGN_OR_RETURN(const TableName table, FindTable(admin, options.table));
      SnapshotOptions snapshot;
      snapshot.skip_flush = options.skip_flush;
      snapshot.ttl_seconds = options.ttl_seconds;
      return admin->SnapshotTable(options.name, table, snapshot);
    }
    case Action::kClone: return Clone(connection, options, configuration, hint);
    case Action::kRestore:
      return client::LooksLikeCluster(options.directory) ? admin->RestoreSnapshot(options.name)
                                                         : Restore(admin, options.name);
    case Action::kDelete: return admin->DeleteSnapshot(options.name);
    case Action::kExport: return admin->ExportSnapshot(options.name, AbsolutePath(options.target));
    default: return Status::Ok();
  }
}

Result<std::unique_ptr<front::OpenedStore>> OpenToChange(const std::string& directory,
                                                         DatabaseOptions options) {
  options.create_if_missing = false;
  RETURN_IF_ERROR(CheckStoreName(directory));
  return front::OpenedStore::Open(directory, options);
}

// A server tells which snapshots there are, but not their files.
Status ShowOfServer(Admin* admin, const SnapshotCommandOptions& options) {
  if (options.action == Action::kDescribe) return admin->DescribeSnapshot(options.name).status();
  ASSIGN_OR_RETURN(const std::vector<SnapshotDescription> all, admin->ListSnapshots());
  return ResultPrinter(options.format, stdout, stderr).Print(ListRows(all).get());
}

ExitCode RunOnServer(const SnapshotCommandOptions& options) {
  ExitCode failure = kExitOk;
  if (options.sql) return ReportError(NoDefinitionsOnServers(options.directory), kExitUsage);
  const auto connection = ConnectToServer(options.directory, options.store, &failure);
  if (!connection.ok()) return ReportError(connection.status(), failure);
  Admin* const admin = (*connection)->admin();
  const bool shows = options.action == Action::kList || options.action == Action::kDescribe;
  std::string hint;
  const Status status =
      shows ? ShowOfServer(admin, options) : Change(connection->get(), options, {}, &hint);
  if (!status.ok()) return ReportError(status, ExitCodeOf(status));
  if (!shows) std::puts("ok");
  PrintHint(hint);
  return kExitOk;
}

// Shows for how long it has been going on.
Status BackUp(Admin* admin, const std::string& target) {
  ProgressLine progress(
      [&](double seconds) { return fmt::format("backing up, {:.0f} s", seconds); });
  return admin->Backup(AbsolutePath(target));
}

}  // namespace

ExitCode RunSnapshot(const SnapshotCommandOptions& options) {
  if (client::LooksLikeCluster(options.directory)) return RunOnServer(options);
  const auto database_options = DatabaseOptionsOf(options.store);
  if (!database_options.ok()) return ReportError(database_options.status(), kExitUsage);
  if (options.action == Action::kList || options.action == Action::kDescribe) {
    const Status shown = Show(options);
    if (shown.ok()) return kExitOk;
    // A snapshot that is not there is the statement's fault, all else the store's.
    const bool no_such = shown.code() == StatusCode::kNotFound && !options.name.empty();
    return ReportError(shown, no_such ? kExitStatementFailed : kExitStore);
  }
  auto store = OpenToChange(options.directory, *database_options);
  if (!store.ok()) return ReportError(store.status(), ExitCodeOfOpening(store.status()));
  std::string hint;
  Status status = Change((*store)->engine(), options, database_options->configuration, &hint);
  if (status.ok()) status = (*store)->Close();
  if (!status.ok()) return ReportError(status, ExitCodeOf(status));
  std::puts("ok");
  PrintHint(hint);
  return kExitOk;
}

ExitCode RunBackup(const BackupCommand& command) {
  if (client::LooksLikeCluster(command.directory)) {
    ExitCode failure = kExitOk;
    const auto connection = ConnectToServer(command.directory, command.store, &failure);
    if (!connection.ok()) return ReportError(connection.status(), failure);
    const Status status = BackUp((*connection)->admin(), command.target);
    if (!status.ok()) return ReportError(status, ExitCodeOf(status));
    std::puts("ok");
    return kExitOk;
  }
  const auto database_options = DatabaseOptionsOf(command.store);
  if (!database_options.ok()) return ReportError(database_options.status(), kExitUsage);
  auto store = OpenToChange(command.directory, *database_options);
  if (!store.ok()) {
    Status status = store.status();
    if (status.code() == StatusCode::kHeld) {
      status = Status(StatusCode::kHeld,
                      status.message() +
                          "; a server backs itself up while it serves: name it in place of the "
                          "directory, as HOST:PORT or hbase://HOST:2181 (bennu backup "
                          "localhost:16000 TARGET). Other programs do "
                          "it from inside (Admin::Backup)");
    }
    return ReportError(status, ExitCodeOfOpening(status));
  }
  Status status = BackUp((*store)->engine()->admin(), command.target);
  if (status.ok()) status = (*store)->Close();
  if (!status.ok()) return ReportError(status, ExitCodeOf(status));
  std::puts("ok");
  return kExitOk;
}

}  // namespace bennu::cli
