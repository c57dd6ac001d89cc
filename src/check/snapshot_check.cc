#include "src/check/snapshot_check.h"

#include <string>

#include "src/base/status_macros.h"
#include "src/engine/directory/snapshot_files.h"

namespace bennu::check {

namespace {

// Nothing repairs a snapshot: to move it away would let its files be deleted.
Status CheckSnapshot(CheckRun* run, const engine::SnapshotFiles& snapshots, const std::string& name,
                     const std::string& directory) {
  const auto record = snapshots.Read(name);
  Status status = record.status();
  if (status.ok()) status = engine::VerifySnapshot(run->env, run->layout, *record);
  if (!status.ok()) {
    if (status.code() == StatusCode::kIoError) return status;
    run->Fault(directory, status.message());
  }
  ASSIGN_OR_RETURN(const auto files, run->env->ListDirectory(directory));
  for (const std::string& file : files) {
    const std::string path = JoinPath(directory, file);
    ASSIGN_OR_RETURN(const bool is_directory, run->env->IsDirectory(path));
    if (is_directory) continue;
    ASSIGN_OR_RETURN(const uint64_t size, run->env->FileSize(path));
    run->CountFile(size);
  }
  return Status::Ok();
}

}  // namespace

Status CheckSnapshots(CheckRun* run) {
  const std::string& folder = run->layout.Snapshots();
  ASSIGN_OR_RETURN(const bool exists, run->env->Exists(folder));
  if (!exists) return Status::Ok();
  const engine::SnapshotFiles snapshots(run->env, run->layout);
  ASSIGN_OR_RETURN(const auto names, run->env->ListDirectory(folder));
  for (const std::string& name : names) {
    if (name.starts_with('.')) continue;  // .tmp, which the next opening empties
    const std::string directory = JoinPath(folder, name);
    ASSIGN_OR_RETURN(const bool is_directory, run->env->IsDirectory(directory));
    if (!is_directory) {
      run->Warn(directory, "a file where a snapshot's directory was expected");
      continue;
    }
    RETURN_IF_ERROR(CheckSnapshot(run, snapshots, name, directory));
  }
  return Status::Ok();
}

}  // namespace bennu::check
