#include "src/base/temporary_files.h"

#include "src/base/status_macros.h"

namespace bennu {

bool IsTemporaryName(std::string_view name) {
  constexpr std::string_view kInfix = ".tmp-";
  constexpr std::string_view kDigits = "0123456789";
  const size_t infix = name.rfind(kInfix);
  if (infix == std::string_view::npos || infix == 0) return false;
  const std::string_view numbers = name.substr(infix + kInfix.size());
  const size_t dash = numbers.find('-');
  if (dash == 0 || dash == std::string_view::npos || dash + 1 == numbers.size()) return false;
  return numbers.substr(0, dash).find_first_not_of(kDigits) == std::string_view::npos &&
         numbers.substr(dash + 1).find_first_not_of(kDigits) == std::string_view::npos;
}

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
