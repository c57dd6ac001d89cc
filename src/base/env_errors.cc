#include "src/base/env_errors.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace bennu {

// "staging/..\0x" would be another place.
Status CheckPath(const std::string& path) {
  const size_t zero = path.find('\0');
  if (zero == std::string::npos) return Status::Ok();
  return InvalidArgument("a path with a zero byte at position " + std::to_string(zero) + ": '" +
                         path.substr(0, zero) + "…'");
}

Status ErrnoStatus(int error, const std::string& what) {
  std::string message = what + ": " + std::generic_category().message(error) + " (errno " +
                        std::to_string(error) + ")";
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return Status(StatusCode::kNoSpace, std::move(message) + "; free some space and try again");
    case ENOENT:
    case ENOTDIR: return NotFound(std::move(message));
    case EEXIST: return AlreadyExists(std::move(message));
    default: return IoError(std::move(message));
  }
}

Status HeldStatus(const std::string& lock_path, const LockHolder& holder) {
  const size_t slash = lock_path.rfind('/');
  std::string message = slash == std::string::npos ? "." : lock_path.substr(0, slash);
  const std::string& pid = holder.pid;
  if (pid.empty()) {
    message += " is in use by another process";
  } else {
    message += " is in use by process " + pid;
    if (pid == std::to_string(::getpid())) message += " (this one)";
  }
  if (!holder.note.empty()) message += ", " + holder.note;
  return Status(StatusCode::kHeld, std::move(message));
}

Status NotAFile(const std::string& path, const PathShape& shape) {
  const bool is_directory = shape.kind == PathShape::Kind::kDirectory;
  return InvalidArgument("open " + path + ": it is " + PathShapeText(shape) +
                         (is_directory ? "" : ", not a file"));
}

}  // namespace bennu
