#include "src/server/hbase/bulk_loads.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/base/hex.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/directory/file_copy.h"
#include "src/engine/store/store_file.h"
#include "src/engine/transfer/bulk_load.h"
#include "src/hfile/reader.h"

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

// What is missing is a file, unless it is the table by now.
rpc::RemoteError Failure(Connection* store, const TableName& table, const Status& status) {
  if (status.code() != StatusCode::kNotFound) return rpc::RemoteError(status);
  const auto exists = store->admin()->TableExists(table);
  if (exists.ok() && !*exists) return rpc::RemoteError(status);
  return {exceptions::kFileNotFound, status.message()};
}

struct Source {
  bool is_link = false;
  uint64_t size = 0;
};

Result<Source> LookAt(Env* env, const std::string& file) {
  ASSIGN_OR_RETURN(const PathShape shape, env->Shape(file));
  if (shape.kind == PathShape::Kind::kMissing && !shape.is_link) {
    return NotFound("there is no file " + file);
  }
  if (shape.kind != PathShape::Kind::kFile) {
    return InvalidArgument(fmt::format(
        "{} is {}, where an HFile is expected; move it out of the folder that is loaded", file,
        PathShapeText(shape)));
  }
  // Before it is copied: files of the kernel have no end.
  ASSIGN_OR_RETURN(const auto reader, hfile::Reader::Open(env, file, nullptr));
  return Source{shape.is_link, reader->file_size()};
}

// A second name for the file, 'target', or a copy of it where it cannot have one. What a symbolic
// link leads to is copied, since a relative one would lead elsewhere from the folder, and since it
// stays.
Status PutInto(Env* env, const std::string& target, const std::string& file, const Source& source) {
  if (!source.is_link && env->LinkFile(file, target).ok()) return Status::Ok();
  return engine::CopyFile(env, file, target, source.size);  // on another file system
}

// As NewStoreFileName makes them; nobody guesses one.
bool IsRandomName(std::string_view name) {
  return name.size() == 32 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

BulkLoads::BulkLoads(Connection* store, Env* env, const std::string& root, ClientFolders sources)
    : store_(store),
      env_(env),
      root_(root),
      staging_(JoinPath(root, engine::kClientStaging)),
      sources_(std::move(sources)) {}

CallError BulkLoads::Prepare(std::string* token) const {
  *token = engine::NewStoreFileName(env_);
  const Status status = env_->CreateDirectories(JoinPath(staging_, *token));
  if (!status.ok()) return rpc::RemoteError(status);
  return std::nullopt;
}

CallError BulkLoads::CheckToken(const std::string& token) const {
  if (IsRandomName(token)) return std::nullopt;
  return rpc::RemoteError(
      exceptions::kDoNotRetry,
      fmt::format("'{}' is not a token for bulk loads of this server", ToStringBinary(token)));
}

Result<std::string> BulkLoads::SourceOf(const std::string& uri) const {
  const std::string path = LocalPath(uri);
  if (path.empty()) return InvalidArgument(uri + " is not a file of the server's machine");
  if (const Status status = sources_.Check(path).status(); !status.ok()) {
    return status.code() == StatusCode::kInvalidArgument ? status : Hide(status, uri);
  }
  RETURN_IF_ERROR(engine::CheckNoFileOfStore(root_, path));
  return path;
}

Status BulkLoads::Hide(const Status& status, const std::string& uri) const {
  if (!sources_.below.empty()) return status;
  LogInfo("bulk load: {}", ToStringBinary(status.ToString()));
  return NotFound(uri + " is not there, may not be read, or is no HFile");
}

CallError BulkLoads::Load(const ServedRegion& region,
                          const pb::BulkLoadHFileRequest& request) const {
  if (request.has_bulk_token()) {
    if (CallError error = CheckToken(request.bulk_token()); error) return error;
  }
  if (region.space_policy->load(std::memory_order_relaxed) != 0) {
    return rpc::RemoteError(exceptions::kSpaceLimiting,
                            "Bulk load is disallowed because the file(s) exceed the limits of a "
                            "space quota.");
  }
  const std::string parent =
      request.has_bulk_token() ? JoinPath(staging_, request.bulk_token()) : staging_;
  const std::string folder = JoinPath(parent, engine::NewStoreFileName(env_));
  std::vector<std::string> files;  // which go once they are loaded
  int number = 0;
  for (const auto& file : request.family_path()) {
    if (CallError error = region.CheckFamily(file.family()); error) return error;
    const std::string of_family = JoinPath(folder, file.family());
    const Result<std::string> path = SourceOf(file.path());
    Status status = path.status();
    Source source;
    if (status.ok()) {
      const Result<Source> found = LookAt(env_, *path);
      status = found.ok() ? env_->CreateDirectories(of_family) : Hide(found.status(), file.path());
      if (found.ok()) source = *found;
    }
    if (status.ok()) {
      // The number keeps names apart, and a name that would count as hidden from being passed over.
      const std::string name = fmt::format("{}-{}", number++, NameOf(*path));
      status = PutInto(env_, JoinPath(of_family, name), *path, source);
    }
    if (!status.ok()) {
      (void)env_->RemoveTree(folder);
      return Failure(store_, region.info.table, status);
    }
    if (!source.is_link) files.push_back(*path);
  }
  // A region that was split meanwhile does not matter: files are cut where they have to be.
  BulkLoadOptions options;
  options.copy = request.copy_file();  // what is linked to must not be changed with the store's
  const auto loaded = store_->admin()->BulkLoad(region.info.table, folder, options);
  (void)env_->RemoveTree(folder);
  if (!loaded.ok()) return Failure(store_, region.info.table, loaded.status());
  for (const std::string& file : files) {
    if (request.copy_file()) break;
    if (const Status status = env_->RemoveFile(file); !status.ok()) {
      LogWarning("bulk load: {} is loaded and stays: {}", file, status.ToString());
    }
  }
  return std::nullopt;
}

CallError BulkLoads::Cleanup(const std::string& token) const {
  if (CallError error = CheckToken(token); error) return error;
  const Status status = env_->RemoveTree(JoinPath(staging_, token));
  if (!status.ok()) return rpc::RemoteError(status);
  return std::nullopt;
}

}  // namespace bennu::server::hbase
