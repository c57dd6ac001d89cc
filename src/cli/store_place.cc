#include "src/cli/store_place.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "src/cli/server_target.h"
#include "src/engine/open.h"
#include "src/engine/root_layout.h"

namespace bennu::cli {

namespace {

namespace fs = std::filesystem;

// A path that can not be looked at counts as there: opening it tells why.
bool Exists(const fs::path& path) {
  std::error_code error;
  const bool exists = fs::exists(path, error);
  return exists || error;
}

}  // namespace

bool IsMemoryStore(const std::string& directory) { return directory == engine::kMemoryStore; }

Status CheckStorePlace(const std::string& directory) {
  if (IsMemoryStore(directory) || Exists(directory)) return Status();
  if (LooksLikeServer(directory) || directory.find("://") != std::string::npos) {
    return InvalidArgument(
        fmt::format("'{0}' is the address of a server, and this command opens a directory. "
                    "`bennu shell`, `snapshot`, `backup`, `bulkload`, `export` and `import` take a "
                    "server, as HOST:PORT of its master; `bennu sql` takes http://HOST:8765. A "
                    "directory of this name is written "
                    "./{0}",
                    directory));
  }
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

bool StoreExists(const std::string& directory) {
  const engine::RootLayout layout(directory);
  return Exists(layout.VersionFile()) || Exists(layout.IdFile());
}

}  // namespace bennu::cli
