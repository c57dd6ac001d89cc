// The parts of Env that are made of its other parts, so that every Env has them.
#include "src/base/env.h"

#include <unistd.h>

#include <atomic>

#include "src/base/status_macros.h"

namespace bennu {

namespace {

// Two writers of one path, in one process or in two, must not share a temporary file.
std::string TemporaryPathFor(const std::string& path) {
  static std::atomic<uint64_t> next_number{0};
  return path + ".tmp-" + std::to_string(::getpid()) + "-" +
         std::to_string(next_number.fetch_add(1, std::memory_order_relaxed));
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status WriteAndSync(Env* env, const std::string& path, ByteView content) {
  ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, env->CreateFile(path));
  RETURN_IF_ERROR(file->Append(content));
  RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

}  // namespace

Result<Bytes> Env::ReadFile(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, OpenForRead(path));
  Bytes content(file->size(), '\0');
  RETURN_IF_ERROR(file->ReadExact(0, content.size(), content.data()));
  return content;
}

Status Env::WriteFileAtomically(const std::string& path, ByteView content) {
  const std::string temporary = TemporaryPathFor(path);
  Status status = WriteAndSync(this, temporary, content);
  if (status.ok()) status = Rename(temporary, path);
  if (!status.ok()) {
    // The first error is the one to tell; a left-over temporary file does no harm.
    static_cast<void>(RemoveFile(temporary));
    return status;
  }
  return SyncDirectory(DirectoryOf(path));
}

Status Env::CreateDurableDirectories(const std::string& path) {
  ASSIGN_OR_RETURN(const bool exists, Exists(path));
  if (exists) return Status::Ok();
  const std::string parent = DirectoryOf(path);
  if (parent != path) RETURN_IF_ERROR(CreateDurableDirectories(parent));
  RETURN_IF_ERROR(CreateDirectories(path));
  return SyncDirectory(parent);
}

std::string PathShapeText(const PathShape& shape) {
  using Kind = PathShape::Kind;
  if (shape.kind == Kind::kMissing) {
    return shape.is_link ? "a symbolic link that leads nowhere" : "nothing";
  }
  const std::string link = shape.is_link ? "a symbolic link to " : "";
  switch (shape.kind) {
    case Kind::kFile: return link + "a file";
    case Kind::kDirectory: return link + "a directory";
    case Kind::kFifo: return link + "a FIFO";
    case Kind::kSocket: return link + "a socket";
    default: return link + "a device";
  }
}

Result<PathShape> Env::Shape(const std::string& path) {
  PathShape shape;
  ASSIGN_OR_RETURN(const bool exists, Exists(path));
  if (!exists) return shape;
  ASSIGN_OR_RETURN(const bool is_directory, IsDirectory(path));
  shape.kind = is_directory ? PathShape::Kind::kDirectory : PathShape::Kind::kFile;
  return shape;
}

Result<std::unique_ptr<DirectoryLock>> Env::LockFileToRead(const std::string& path) {
  return LockFile(path);
}

Status Env::LinkFile(const std::string& from, const std::string& to) {
  return NotSupported("link " + from + " as " + to + ": files have one name here");
}

Status Env::RemoveEmptyDirectory(const std::string& path) {
  return NotSupported("remove the directory " + path + ": not possible here");
}

Result<int64_t> Env::ChangeMillis(const std::string& path) {
  return NotSupported(path + ": the times of files are not known here");
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  while (directory.size() > 1 && directory.back() == '/') directory.remove_suffix(1);
  while (!name.empty() && name.front() == '/') name.remove_prefix(1);
  if (directory.empty()) return std::string(name);
  std::string path(directory);
  if (!name.empty()) {
    if (path.back() != '/') path += '/';
    path += name;
  }
  return path;
}

}  // namespace bennu
