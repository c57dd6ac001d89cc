#include "src/cli/sqltest_cluster.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <limits>
#include <thread>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/cli/sqltest_splits.h"
#include "src/cli/store_conf.h"

namespace bennu::cli {

namespace {

// A master works on several tables at a time, and most of a table's end is waiting.
constexpr size_t kDroppers = 4;

Status DropTables(Admin* admin, const std::set<TableName>& names) {
  const std::vector<TableName> tables(names.begin(), names.end());
  std::vector<Status> ends(tables.size());
  std::atomic<size_t> next{0};
  std::vector<std::thread> threads;
  for (size_t i = 0; i < std::min(kDroppers, tables.size()); ++i) {
    threads.emplace_back([&] {
      for (size_t at = next++; at < tables.size(); at = next++) {
        ends[at] = admin->DropTable(tables[at]);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& end : ends) RETURN_IF_ERROR(end);
  return Status::Ok();
}

// A cluster's compaction ends some time after it was asked for.
Status AwaitNoMarkers(Table* table) {
  constexpr uint64_t kPauseMicros = 20'000;
  constexpr int kPausesMax = 3000;
  for (int i = 0; i < kPausesMax; ++i) {
    Scan scan;
    scan.raw = true;
    ASSIGN_OR_RETURN(const std::unique_ptr<Scanner> scanner, table->OpenScanner(scan));
    CellBatch batch;
    bool any = false;
    do {
      RETURN_IF_ERROR(scanner->Next(1000, &batch));
      any = any || std::any_of(batch.cells.begin(), batch.cells.end(),
                               [](const Cell& cell) { return IsDelete(cell.type()); });
    } while (batch.row_count() > 0);
    if (!any) return Status::Ok();
    Env::Default()->SleepMicros(kPauseMicros);
  }
  return Status(StatusCode::kTimedOut,
                table->name().ToString() +
                    ": delete markers are still there a minute after a major compaction was asked "
                    "for; see whether the region servers compact at all");
}

}  // namespace

Result<std::unique_ptr<SqlTestCluster>> SqlTestCluster::Open(const std::string& target,
                                                             const std::vector<std::string>& conf) {
  std::unique_ptr<SqlTestCluster> cluster(new SqlTestCluster(target, conf));
  ASSIGN_OR_RETURN(cluster->database_, cluster->OpenDatabase());
  // Whoever asks first makes them.
  ASSIGN_OR_RETURN(const auto connection, cluster->database_->Connect());
  RETURN_IF_ERROR(connection->Execute("SELECT COUNT(*) FROM SYSTEM.CATALOG").status());
  Connection* const store = cluster->database_->store();
  ASSIGN_OR_RETURN(const std::set<TableName> others, UserTables(store));
  if (!others.empty()) {
    return FailedPrecondition(target + " has the table " + others.begin()->ToString() +
                              ", and a run drops all tables: name a cluster that has none");
  }
  ASSIGN_OR_RETURN(const std::vector<TableName> names, store->admin()->ListTables());
  for (const TableName& name : names) {
    ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, store->OpenTable(name));
    ASSIGN_OR_RETURN(cluster->system_[name], RowsOf(table.get()));
  }
  return cluster;
}

Result<std::unique_ptr<Database>> SqlTestCluster::OpenDatabase() const {
  DatabaseOptions options;
  RETURN_IF_ERROR(ApplyConf(conf_, &options));
  return Database::Open(target_, options);
}

Result<SqlTestCluster::Rows> SqlTestCluster::RowsOf(Table* table) {
  Scan scan;
  scan.max_versions = std::numeric_limits<int32_t>::max();
  ASSIGN_OR_RETURN(const std::unique_ptr<Scanner> scanner, table->OpenScanner(scan));
  Rows rows;
  CellBatch batch;
  while (true) {
    RETURN_IF_ERROR(scanner->Next(1000, &batch));
    if (batch.row_count() == 0) return rows;
    for (const Cell& cell : batch.cells) {
      rows[Bytes(cell.row())].emplace(cell.family(), cell.qualifier(), cell.timestamp());
    }
  }
}

Status SqlTestCluster::Clean(bool without_markers) {
  Connection* const store = database_->store();
  ASSIGN_OR_RETURN(const std::set<TableName> tables, UserTables(store));
  RETURN_IF_ERROR(DropTables(store->admin(), tables));
  for (const auto& [name, kept] : system_) {
    ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, store->OpenTable(name));
    ASSIGN_OR_RETURN(const Rows rows, RowsOf(table.get()));
    MutationBatch batch;
    for (const auto& [row, cells] : rows) {
      const auto old = kept.find(row);
      if (old == kept.end()) {
        batch.DeleteRow(row);
        continue;
      }
      std::vector<CellPlace> changed;
      std::set_difference(cells.begin(), cells.end(), old->second.begin(), old->second.end(),
                          std::back_inserter(changed));
      if (!changed.empty()) batch.StartRow(row);
      for (const auto& [family, qualifier, timestamp] : changed) {
        batch.DeleteVersion(family, qualifier, timestamp);
      }
    }
    if (!batch.empty()) RETURN_IF_ERROR(table->Write(&batch));
    if (!without_markers) continue;
    RETURN_IF_ERROR(store->admin()->Flush(name));
    RETURN_IF_ERROR(store->admin()->Compact(name, /*major=*/true));
    RETURN_IF_ERROR(AwaitNoMarkers(table.get()));
  }
  return Status::Ok();
}

}  // namespace bennu::cli
