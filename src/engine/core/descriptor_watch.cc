#include "src/engine/core/descriptor_watch.h"

#include <utility>

#include "src/base/status_macros.h"

namespace bennu::engine {

Result<std::vector<std::string>> DescriptorWatch::Names(const std::string& table_directory) const {
  const std::string directory = JoinPath(table_directory, ".tabledesc");
  ASSIGN_OR_RETURN(const bool exists, env_->Exists(directory));
  if (!exists) return std::vector<std::string>();
  return env_->ListDirectory(directory);
}

Status DescriptorWatch::Note(const std::string& table_directory) {
  ASSIGN_OR_RETURN(auto names, Names(table_directory));
  noted_[table_directory] = std::move(names);
  return Status::Ok();
}

Status DescriptorWatch::Check() const {
  for (const auto& [directory, names] : noted_) {
    ASSIGN_OR_RETURN(const auto now, Names(directory));
    if (now != names)
      return Status(StatusCode::kAborted, "the table in " + directory + " was altered");
  }
  return Status::Ok();
}

}  // namespace bennu::engine
