#include "src/base/temporary_files.h"

#include "src/base/status_macros.h"

namespace bennu {

bool IsTemporaryName(std::string_view name) { return name.find(".tmp-") != std::string_view::npos; }

Status RemoveTemporaries(Env* env, const std::string& directory) {
  ASSIGN_OR_RETURN(const bool exists, env->Exists(directory));
  if (!exists) return Status::Ok();
  ASSIGN_OR_RETURN(const auto names, env->ListDirectory(directory));
  for (const std::string& name : names) {
    if (IsTemporaryName(name)) RETURN_IF_ERROR(env->RemoveFile(JoinPath(directory, name)));
  }
  return Status::Ok();
}

}  // namespace bennu
