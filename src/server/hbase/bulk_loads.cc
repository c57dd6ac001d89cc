#include "src/server/hbase/bulk_loads.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bennu/admin.h"
#include "src/api/descriptor_pb.h"
#include "src/base/env.h"
#include "src/base/log.h"

namespace bennu::server::hbase {

namespace {

namespace exceptions = rpc::exceptions;

constexpr std::string_view kFileScheme = "file:";

// "file:/a/b", "file:///a/b" and "/a/b" as a path; empty for other file systems.
std::string LocalPath(std::string_view uri) {
  if (uri.starts_with(kFileScheme)) uri.remove_prefix(kFileScheme.size());
  if (!uri.starts_with('/')) return {};
  while (uri.starts_with("//")) uri.remove_prefix(1);
  return std::string(uri);
}

std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// A second name for the file, or a copy of it where it can not have one. What a symbolic link leads
// to is copied, since a relative one would lead elsewhere from the folder, and since it stays.
Status PutInto(const std::string& folder, const std::string& file, bool* is_link) {
  Env* const env = Env::Default();
  ASSIGN_OR_RETURN(const PathShape shape, env->Shape(file));
  if (shape.kind == PathShape::Kind::kMissing && !shape.is_link) {
    return NotFound("there is no file " + file);
  }
  if (shape.kind != PathShape::Kind::kFile) {
    return InvalidArgument(fmt::format(
        "{} is {}, where an HFile is expected; move it out of the folder that is loaded", file,
        PathShapeText(shape)));
  }
  *is_link = shape.is_link;
  const std::string target = JoinPath(folder, NameOf(file));
  if (!shape.is_link && env->LinkFile(file, target).ok()) return Status::Ok();
  ASSIGN_OR_RETURN(const Bytes content, env->ReadFile(file));  // on another file system
  return env->WriteFileAtomically(target, content);
}

}  // namespace

BulkLoads::BulkLoads(Connection* store, const std::string& root)
    : store_(store), staging_(JoinPath(root, "staging")) {}

std::string BulkLoads::NewDirectory(const std::string& parent, const std::string& prefix) const {
  Env* const env = Env::Default();
  return JoinPath(parent,
                  fmt::format("{}{:016x}{:016x}", prefix, env->RandomU64(), env->RandomU64()));
}

CallError BulkLoads::Prepare(const pb::PrepareBulkLoadRequest& request, const std::string& user,
                             std::string* token) const {
  std::string table = api::TableNameFromPb(request.table_name()).ToString();
  std::replace(table.begin(), table.end(), ':', '_');
  // A user's name comes from the client, and must not lead elsewhere.
  std::string owner = user;
  std::replace(owner.begin(), owner.end(), '/', '_');
  const std::string directory = NewDirectory(staging_, fmt::format("{}__{}__", owner, table));
  if (const Status status = Env::Default()->CreateDirectories(directory); !status.ok()) {
    return rpc::RemoteError(status);
  }
  *token = std::string(kFileScheme) + directory;
  return std::nullopt;
}

CallError BulkLoads::CheckToken(const std::string& token) const {
  const std::string path = LocalPath(token);
  const std::string name = NameOf(path);
  if (!name.empty() && name != "." && name != ".." && path == JoinPath(staging_, name)) {
    return std::nullopt;
  }
  return rpc::RemoteError(exceptions::kDoNotRetry,
                          fmt::format("{} is not a directory for bulk loads", token));
}

CallError BulkLoads::Load(const ServedRegion& region,
                          const pb::BulkLoadHFileRequest& request) const {
  Env* const env = Env::Default();
  if (request.has_bulk_token()) {
    if (CallError error = CheckToken(request.bulk_token()); error) return error;
  }
  if (region.space_policy->load(std::memory_order_relaxed) != 0) {
    return rpc::RemoteError(exceptions::kSpaceLimiting,
                            "Bulk load is disallowed because the file(s) exceed the limits of a "
                            "space quota.");
  }
  const std::string folder = NewDirectory(
      request.has_bulk_token() ? LocalPath(request.bulk_token()) : staging_, "region-");
  std::vector<std::string> files;  // which go once they are loaded
  for (const auto& file : request.family_path()) {
    if (CallError error = region.CheckFamily(file.family()); error) return error;
    const std::string path = LocalPath(file.path());
    if (path.empty()) {
      return rpc::RemoteError(exceptions::kDoNotRetry,
                              fmt::format("{} is not a file of this machine", file.path()));
    }
    const std::string of_family = JoinPath(folder, file.family());
    Status status = env->CreateDirectories(of_family);
    bool is_link = false;
    if (status.ok()) status = PutInto(of_family, path, &is_link);
    if (!status.ok()) {
      (void)env->RemoveTree(folder);
      return rpc::RemoteError(status);
    }
    if (!is_link) files.push_back(path);
  }
  // A region that was split meanwhile does not matter: files are cut where they have to be.
  BulkLoadOptions options;
  options.copy = request.copy_file();  // what is linked to must not be changed with the store's
  const auto loaded = store_->admin()->BulkLoad(region.info.table, folder, options);
  (void)env->RemoveTree(folder);
  if (!loaded.ok()) return rpc::RemoteError(loaded.status());
  for (const std::string& file : files) {
    if (request.copy_file()) break;
    if (const Status status = env->RemoveFile(file); !status.ok()) {
      LogWarning("bulk load: {} is loaded and stays: {}", file, status.ToString());
    }
  }
  return std::nullopt;
}

CallError BulkLoads::Cleanup(const std::string& token) const {
  if (CallError error = CheckToken(token); error) return error;
  const Status status = Env::Default()->RemoveTree(LocalPath(token));
  if (!status.ok()) return rpc::RemoteError(status);
  return std::nullopt;
}

}  // namespace bennu::server::hbase
