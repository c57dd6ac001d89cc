#include "src/server/hbase/client_folders.h"

#include <fmt/format.h>

#include "src/base/resolved_path.h"
#include "src/base/status_macros.h"

namespace bennu::server::hbase {

Result<std::string> ClientFolders::Check(const std::string& path) const {
  if (!path.starts_with('/') || path.find('\0') != std::string::npos) {
    return InvalidArgument(
        fmt::format("'{}' is not an absolute path of the machine where the server runs", path));
  }
  if (below.empty() && !anywhere) {
    return InvalidArgument(
        fmt::format("{} is not {}: the server's property {} does not name a directory below which "
                    "clients may have files {}",
                    path, verb, property, verb));
  }
  if (below.empty()) return ResolvePath(path);
  ASSIGN_OR_RETURN(const std::string root, ResolvePath(below));
  const Result<std::string> resolved = ResolvePath(path);
  if (resolved.ok() && LiesIn(root, *resolved) && *resolved != root) return resolved;
  return InvalidArgument(fmt::format("{} is not below {}, where alone files may be {} ({})", path,
                                     below, verb, property));
}

}  // namespace bennu::server::hbase
