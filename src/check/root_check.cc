#include "src/check/root_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "src/api/descriptor_pb.h"
#include "src/base/status_macros.h"
#include "src/base/temporary_files.h"
#include "src/check/hfile_check.h"
#include "src/engine/directory/master_files.h"
#include "src/engine/directory/root_directory.h"
#include "src/engine/store/store_file.h"

namespace bennu::check {

namespace {

// What Bennu and HBase 2.x keep in a root directory.
constexpr std::array<std::string_view, 18> kKnownNames = {
    ".bennu.lock",   ".bennu.clock", ".hbase-snapshot", ".hbck",   ".mobdir", ".tmp",
    "MasterData",    "WALs",         "archive",         "corrupt", "data",    "hbase.id",
    "hbase.version", "lost+found",   "mobdir",          "oldWALs", "staging", ".bennu.config"};

Status CheckVersionFile(CheckRun* run) {
  const std::string path = run->layout.VersionFile();
  const Status status = engine::CheckRoot(run->env, run->layout);
  if (status.ok()) return Status::Ok();
  if (status.code() == StatusCode::kIoError) return status;
  if (status.code() == StatusCode::kNotSupported) {
    run->Fault(path, status.message());
    return Status::Ok();
  }
  run->Fault(path,
             status.code() == StatusCode::kCorruption ? "not a version file of HBase" : "missing",
             Repair(RepairKind::kWriteVersion), "write version 8 (HBase 2.x)");
  return Status::Ok();
}

Status CheckIdFile(CheckRun* run) {
  const Status read = engine::ReadClusterId(run->env, run->layout).status();
  if (read.ok()) return read;
  const bool missing = read.code() == StatusCode::kNotFound;
  if (!missing && read.code() != StatusCode::kCorruption) return read;
  // The next opening makes one where there is none.
  run->Add(missing ? Level::kWarning : Level::kFault, run->layout.IdFile(),
           missing ? "missing" : "not a cluster id: no server starts", Repair(RepairKind::kWriteId),
           "write a new id");
  return Status::Ok();
}

}  // namespace

Status CheckRootFiles(CheckRun* run) {
  RETURN_IF_ERROR(CheckVersionFile(run));
  RETURN_IF_ERROR(CheckIdFile(run));
  if (const Status notes = engine::CheckNotes(run->env, run->layout); !notes.ok()) {
    if (notes.code() != StatusCode::kCorruption) return notes;
    // Damaged notes are done without; where no file is, nothing opens.
    ASSIGN_OR_RETURN(const PathShape shape, run->env->Shape(run->layout.ClockFile()));
    const bool is_file = shape.kind == PathShape::Kind::kFile;
    run->MoveAway(is_file ? Level::kWarning : Level::kFault, run->layout.ClockFile(),
                  notes.message());
  }
  if (const Status peers = engine::ReadPeers(run->env, run->layout).status(); !peers.ok()) {
    if (peers.code() != StatusCode::kCorruption) return peers;
    run->MoveAway(Level::kFault, run->layout.PeersFile(), peers.message());
  }
  const Status switches = engine::ReadSwitches(run->env, run->layout).status();
  if (!switches.ok()) {
    if (switches.code() != StatusCode::kCorruption) return switches;
    run->MoveAway(Level::kFault, run->layout.SwitchesFile(), switches.message());
  }
  ASSIGN_OR_RETURN(const auto names, run->env->ListDirectory(run->layout.root()));
  for (const std::string& name : names) {
    if (std::find(kKnownNames.begin(), kKnownNames.end(), name) != kKnownNames.end()) continue;
    const std::string path = run->Absolute(name);
    if (IsTemporaryName(name)) {
      run->MoveAway(Level::kWarning, path, "left by a write that died");
    } else if (!name.starts_with(".bennu.")) {
      run->Warn(path, "nothing that Bennu or HBase puts here; it is left alone");
    }
  }
  ASSIGN_OR_RETURN(const bool has_temp, run->env->Exists(run->layout.Temp()));
  if (!has_temp) return Status::Ok();
  ASSIGN_OR_RETURN(const auto leftovers, run->env->ListDirectory(run->layout.Temp()));
  for (const std::string& name : leftovers) {
    const std::string path = JoinPath(run->layout.Temp(), name);
    ASSIGN_OR_RETURN(const bool is_directory, run->env->IsDirectory(path));
    // Empty directories stay behind every change of a table.
    if (is_directory && name == "data") continue;
    run->Warn(path, "left by work that died; the next opening empties .tmp");
  }
  return Status::Ok();
}

// ---- archive

namespace {

Status CheckArchived(CheckRun* run, const std::string& directory, int depth) {
  ASSIGN_OR_RETURN(const auto names, run->env->ListDirectory(directory));
  for (const std::string& name : names) {
    const std::string path = JoinPath(directory, name);
    ASSIGN_OR_RETURN(const bool is_directory, run->env->IsDirectory(path));
    if (is_directory) {
      // data / namespace / table / region / family
      if (depth < 5) RETURN_IF_ERROR(CheckArchived(run, path, depth + 1));
      continue;
    }
    if (!engine::IsStoreFileName(name)) continue;
    ASSIGN_OR_RETURN(const uint64_t size, run->env->FileSize(path));
    const auto known = run->sound_files->find(path);
    if (known == run->sound_files->end() || known->second != size) {
      const auto damages = CheckHFile(run->env, path, {}, nullptr);
      for (const Damage& damage : damages) {
        run->Add(Level::kWarning, path, damage.what + " (an archived file)", {}, {}, damage.offset);
      }
      if (damages.empty()) (*run->sound_files)[path] = size;
    }
    run->CountFile(size);
  }
  return Status::Ok();
}

}  // namespace

Status CheckArchive(CheckRun* run) {
  ASSIGN_OR_RETURN(const bool exists, run->env->Exists(run->layout.Archive()));
  if (!exists) return Status::Ok();
  return CheckArchived(run, run->layout.Archive(), 0);
}

}  // namespace bennu::check
