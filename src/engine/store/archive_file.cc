#include "src/engine/store/archive_file.h"

#include <fmt/format.h>

#include "src/base/failpoint.h"
#include "src/base/status_macros.h"
#include "src/engine/store/store_file.h"

namespace bennu::engine {

namespace {

Status MoveOnce(Env* env, const std::string& from, const std::string& archive_directory,
                const std::string& name) {
  const std::string to = JoinPath(archive_directory, name);
  RETURN_IF_ERROR(env->CreateDurableDirectories(archive_directory));
  ASSIGN_OR_RETURN(const bool taken, env->Exists(to));
  if (taken) RETURN_IF_ERROR(env->Rename(to, to + "." + std::to_string(env->NowMillis())));
  RETURN_IF_ERROR(env->Rename(from, to));
  return env->SyncDirectory(archive_directory);
}

}  // namespace

Status MoveToArchive(Env* env, const std::string& store_directory,
                     const std::string& archive_directory, const std::string& name) {
  const std::string from = JoinPath(store_directory, name);
  constexpr int kAttempts = 10;
  for (int attempt = 1;; ++attempt) {
    ASSIGN_OR_RETURN(const bool present, env->Exists(from));
    if (!present && attempt > 1)
      return Status::Ok();  // it was moved; its directory is gone already
    if (!present) return NotFound("archiving " + from + ": there is no such file");
    const Status moved = MoveOnce(env, from, archive_directory, name);
    // The cleaner of the archive may have taken a directory away, at any step, because it was
    // empty.
    if (moved.ok()) return moved;
    if (moved.code() != StatusCode::kNotFound) return moved.Annotate("archiving " + from);
    // "Not found" is kept for the file itself; here something else stands where a directory should.
    if (attempt == kAttempts) {
      return IoError(fmt::format("archiving {}: {}; make room for the directory {}", from,
                                 moved.message(), archive_directory));
    }
  }
}

Status MoveStoreToArchive(Env* env, const std::string& store_directory,
                          const std::string& archive_directory) {
  ASSIGN_OR_RETURN(const auto names, env->ListDirectory(store_directory));
  for (const std::string& name : names) {
    if (!IsStoreFileName(name)) continue;
    RETURN_IF_ERROR(MoveToArchive(env, store_directory, archive_directory, name));
    BENNU_FAILPOINT("archive.between_files");
  }
  return Status::Ok();
}

}  // namespace bennu::engine
