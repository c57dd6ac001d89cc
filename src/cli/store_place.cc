#include "src/cli/store_place.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "src/base/status_macros.h"
#include "src/cli/terminal.h"
#include "src/client/cluster_url.h"
#include "src/engine/directory/root_layout.h"
#include "src/engine/open.h"

namespace bennu::cli {

namespace {

namespace fs = std::filesystem;

// A path that cannot be looked at counts as there: opening it tells why.
bool Exists(const fs::path& path) {
  std::error_code error;
  const bool exists = fs::exists(path, error);
  return exists || error;
}

// A cluster, a URL, or the addresses of ZooKeeper as Phoenix's programs take them:
// zk1,zk2:2181:/hbase. A colon at the end is an address that is not complete.
bool LooksLikeAddress(const std::string& name) {
  for (const std::string_view scheme : {"jdbc:", "http:", "https:"}) {
    if (name.starts_with(scheme)) return true;
  }
  const std::string first = name.substr(0, name.find('/'));
  return client::LooksLikeCluster(name) || name.find("://") != std::string::npos ||
         (first.size() > 1 && first.ends_with(':'));
}

}  // namespace

bool IsMemoryStore(const std::string& directory) { return directory == engine::kMemoryStore; }

Status CheckStoreName(const std::string& directory) {
  if (IsMemoryStore(directory) || Exists(directory) || !LooksLikeAddress(directory)) {
    return Status();
  }
  return InvalidArgument(fmt::format(
      "'{0}' is the address of a server, and this command opens a directory. `bennu shell`, "
      "`snapshot`, `backup`, `bulkload`, `export` and `import` take a cluster, as "
      "hbase://HOST:2181 of its ZooKeeper or HOST:PORT of its master, and so do `bennu sql` and "
      "`load`; `bennu serve` takes one behind --cluster. A "
      "directory of this name is written ./{0}",
      client::ShownTarget(directory)));
}

Status CheckStorePlace(const std::string& directory) {
  if (IsMemoryStore(directory) || Exists(directory)) return Status();
  RETURN_IF_ERROR(CheckStoreName(directory));
  std::string path = directory;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const fs::path parent = fs::path(path).parent_path();
  if (parent.empty() || Exists(parent)) return Status();
  return NotFound(
      fmt::format("there is no directory {}, in which the store {} would be created; make it first "
                  "(mkdir -p) or correct the name",
                  parent.string(), directory));
}

ExitCode ExitCodeOfPlace(const Status& status) {
  return status.code() == StatusCode::kInvalidArgument ? kExitUsage : kExitStore;
}

void TellOfNewStore(const std::string& directory) {
  if (IsTerminal(STDERR_FILENO)) fmt::print(stderr, "Created a new store in {}.\n", directory);
}

bool StoreExists(const std::string& directory) {
  const engine::RootLayout layout(directory);
  return Exists(layout.VersionFile()) || Exists(layout.IdFile());
}

}  // namespace bennu::cli
