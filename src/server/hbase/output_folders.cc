#include "src/server/hbase/output_folders.h"

#include <fmt/format.h>

#include "src/base/resolved_path.h"

namespace bennu::server::hbase {

Result<std::string> OutputFolders::Check(const std::string& target) const {
  if (!target.starts_with('/')) {
    return InvalidArgument(
        fmt::format("'{}' is not an absolute path; the server writes it, where it runs", target));
  }
  ASSIGN_OR_RETURN(std::string path, ResolvePath(target));
  if (below.empty()) {
    if (clients_are_local) return path;
    return InvalidArgument(fmt::format(
        "{} is not written: the server can be reached from other machines, and its property "
        "bennu.backup.root does not say below which directory clients may have it write",
        target));
  }
  ASSIGN_OR_RETURN(const std::string root, ResolvePath(below));
  if (LiesIn(root, path) && path != root) return path;
  return InvalidArgument(fmt::format(
      "{} is not below {}, where alone this server writes for clients (bennu.backup.root)", target,
      below));
}

}  // namespace bennu::server::hbase
