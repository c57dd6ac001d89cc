// Snapshots of tables: taken, listed, restored, cloned and deleted.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/engine/directory/snapshot_files.h"
#include "src/server/hbase/master_service.h"
#include "src/server/hbase/namespace_quota.h"

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

// HBase's hbase.snapshot.master.timeout.millis.
constexpr int64_t kSnapshotTimeoutMillis = 300'000;
// Of the layout of snapshots.
constexpr int32_t kSnapshotVersion = 2;
// In HBase 2.5 a snapshot is not a procedure, but holds the lock of one.
constexpr char kSnapshotClass[] = "org.apache.hadoop.hbase.master.locking.LockProcedure";

void ToPb(const SnapshotDescription& snapshot, pb::SnapshotDescription* message) {
  message->set_name(snapshot.name);
  message->set_table(snapshot.table.ToString());
  message->set_creation_time(snapshot.creation_millis);
  message->set_type(static_cast<pb::SnapshotDescription::Type>(snapshot.type));
  message->set_version(kSnapshotVersion);
  message->set_owner(snapshot.owner);
  message->set_ttl(snapshot.ttl_seconds);
}

rpc::RemoteError NoSuchSnapshot(const std::string& name) {
  return {exceptions::kSnapshotDoesNotExist,
          fmt::format("Snapshot '{}' doesn't exist on the filesystem", name)};
}

// What it refers to is not there or not what it was.
CallError FromSnapshot(const Status& status) {
  if (status.code() != StatusCode::kCorruption) return FromAdmin(status);
  return rpc::RemoteError(exceptions::kCorruptedSnapshot, status.message());
}

// By which IsSnapshotDone finds what Snapshot began.
std::string SubjectOf(const pb::SnapshotDescription& snapshot) {
  return "snapshot " + snapshot.name();
}

}  // namespace

CallError MasterService::FindSnapshot(const std::string& name,
                                      std::optional<SnapshotDescription>* found) const {
  const auto all = store_->admin()->ListSnapshots();
  if (!all.ok()) return rpc::RemoteError(all.status());
  const auto snapshot =
      std::find_if(all->begin(), all->end(), [&name](const auto& one) { return one.name == name; });
  if (snapshot != all->end()) *found = *snapshot;
  return std::nullopt;
}

CallError MasterService::TakeSnapshot(const pb::SnapshotDescription& asked) {
  const auto table = TableName::Parse(asked.table());
  if (!table.ok()) return rpc::RemoteError(table.status());
  if (CheckExists(*table)) {
    return rpc::RemoteError(
        exceptions::kSnapshotCreation,
        fmt::format("Table '{}' doesn't exist, can't take snapshot.", asked.table()));
  }
  SnapshotOptions options;
  options.skip_flush = asked.type() == pb::SnapshotDescription::SKIPFLUSH;
  options.ttl_seconds = asked.ttl();
  options.owner = asked.owner();
  const Status status = store_->admin()->SnapshotTable(asked.name(), *table, options);
  if (status.code() != StatusCode::kAlreadyExists) return FromAdmin(status);
  return rpc::RemoteError(
      exceptions::kSnapshotExists,
      fmt::format("Snapshot '{}' already stored on the filesystem.", asked.name()));
}

std::vector<ProcedureLock> MasterService::LocksOfRestore(
    const pb::SnapshotDescription& asked) const {
  if (asked.has_table()) {
    const auto table = TableName::Parse(asked.table());
    return table.ok() ? TableLocks(*table, true) : std::vector<ProcedureLock>();
  }
  std::optional<SnapshotDescription> snapshot;
  if (FindSnapshot(asked.name(), &snapshot) || !snapshot.has_value()) return {};
  return TableLocks(snapshot->table, true);
}

// HBase's rule: a table that is there is put back, another name gets a new table.
CallError MasterService::RestoreSnapshot(const pb::SnapshotDescription& asked) {
  std::optional<SnapshotDescription> snapshot;
  if (CallError error = FindSnapshot(asked.name(), &snapshot); error) return error;
  if (!snapshot.has_value()) return NoSuchSnapshot(asked.name());
  if (engine::IsExpired(*snapshot, store_->NowMillis())) {
    return rpc::RemoteError(
        exceptions::kSnapshotExpired,
        fmt::format("TTL for snapshot '{}' has already expired.", asked.name()));
  }
  const auto target =
      asked.has_table() ? TableName::Parse(asked.table()) : Result<TableName>(snapshot->table);
  if (!target.ok()) return rpc::RemoteError(target.status());
  if (CheckExists(*target)) {
    const auto described = store_->admin()->DescribeNamespace(target->name_space);
    if (described.status().code() == StatusCode::kNotFound) {
      return rpc::RemoteError(exceptions::kNamespaceNotFound, target->name_space);
    }
    if (quotas_ != nullptr) {
      if (CallError error = CheckQuotaForTable(store_, *target, 1); error) return error;
    }
    return FromSnapshot(store_->admin()->CloneSnapshot(asked.name(), *target));
  }
  if (*target != snapshot->table) {
    return rpc::RemoteError(exceptions::kTableExists, target->ToString());
  }
  if (CheckDisabled(*target)) {
    return rpc::RemoteError(
        exceptions::kDoNotRetry,
        fmt::format("Table '{}' must be disabled in order to perform a restore operation.",
                    target->ToString()));
  }
  return FromSnapshot(store_->admin()->RestoreSnapshot(asked.name()));
}

void MasterService::AddSnapshots() {
  AddChange<pb::SnapshotRequest, pb::SnapshotResponse>(
      "Snapshot",
      [this](const pb::SnapshotRequest& request) {
        Change change;
        change.class_name = kSnapshotClass;
        change.subject = SubjectOf(request.snapshot());
        if (const auto table = TableName::Parse(request.snapshot().table()); table.ok()) {
          change.locks = TableLocks(*table, true);
        }
        change.run = [this, asked = request.snapshot()] { return TakeSnapshot(asked); };
        return change;
      },
      [](uint64_t, pb::SnapshotResponse* response) {
        response->set_expected_timeout(kSnapshotTimeoutMillis);
      });
  AddUnary<pb::IsSnapshotDoneRequest, pb::IsSnapshotDoneResponse>(
      "IsSnapshotDone", RunOn::kHandler,
      [this](const pb::IsSnapshotDoneRequest& request,
             pb::IsSnapshotDoneResponse* response) -> CallError {
        const auto latest = procedures_->FindLatest(SubjectOf(request.snapshot()));
        if (latest && !latest->ended) {
          response->set_done(false);
          return std::nullopt;
        }
        const std::string& name = request.snapshot().name();
        std::optional<SnapshotDescription> snapshot;
        if (CallError error = FindSnapshot(name, &snapshot); error) return error;
        if (!snapshot.has_value()) {
          if (latest && latest->error) return latest->error;
          return rpc::RemoteError(exceptions::kUnknownSnapshot,
                                  fmt::format("Snapshot {} is not currently running or one of the "
                                              "known completed snapshots.",
                                              name));
        }
        response->set_done(true);
        ToPb(*snapshot, response->mutable_snapshot());
        return std::nullopt;
      });
  AddUnary<pb::GetCompletedSnapshotsRequest, pb::GetCompletedSnapshotsResponse>(
      "GetCompletedSnapshots", RunOn::kHandler, [this](const auto&, auto* response) -> CallError {
        const auto all = store_->admin()->ListSnapshots();
        if (!all.ok()) return rpc::RemoteError(all.status());
        for (const SnapshotDescription& snapshot : *all) ToPb(snapshot, response->add_snapshots());
        return std::nullopt;
      });
  AddUnary<pb::DeleteSnapshotRequest, pb::DeleteSnapshotResponse>(
      "DeleteSnapshot", RunOn::kHandler,
      [this](const pb::DeleteSnapshotRequest& request, pb::DeleteSnapshotResponse*) -> CallError {
        const std::string& name = request.snapshot().name();
        const Status status = store_->admin()->DeleteSnapshot(name);
        if (status.code() == StatusCode::kNotFound) return NoSuchSnapshot(name);
        return FromAdmin(status);
      });
  AddProcedure<pb::RestoreSnapshotRequest, pb::RestoreSnapshotResponse>(
      "RestoreSnapshot", "procedure.RestoreSnapshotProcedure",
      [this](const pb::RestoreSnapshotRequest& request) {
        return LocksOfRestore(request.snapshot());
      },
      [this](const pb::RestoreSnapshotRequest& request) -> CallError {
        if (request.has_customsft()) {
          if (CallError error = CheckFileTracker(request.customsft()); error) return error;
        }
        return RestoreSnapshot(request.snapshot());
      });
}

}  // namespace bennu::server::hbase
