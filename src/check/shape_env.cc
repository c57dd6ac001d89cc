#include "src/check/shape_env.h"

#include <utility>

namespace bennu::check {

namespace {

using Kind = PathShape::Kind;

constexpr std::string_view kUnreadable =
    " that this user may not read; nothing is repaired until it may: check as the store's owner, "
    "or "
    "give the right to read it";

}  // namespace

std::map<std::string, OddShape> ShapeEnv::odd() const {
  MutexLock lock(&mu_);
  return odd_;
}

Status ShapeEnv::Note(const std::string& path, OddShape odd) {
  Status status = Corruption(path + " is " + odd.what);
  MutexLock lock(&mu_);
  odd_[path] = std::move(odd);
  return status;
}

Status ShapeEnv::Explain(const std::string& path, Kind wanted, const Status& error) {
  const auto shape = target_->Shape(path);
  if (!shape.ok()) {
    // Perhaps what it lies in may not be entered.
    const size_t slash = path.rfind('/');
    if (slash == std::string::npos || slash == 0) return error;
    const std::string parent = path.substr(0, slash);
    const auto above = target_->Shape(parent);
    if (!above.ok()) return Explain(parent, Kind::kDirectory, error);
    if (above->kind != Kind::kDirectory || above->is_readable) return error;
    return Note(parent, {"a directory" + std::string(kUnreadable), false});
  }
  if (shape->kind == Kind::kMissing && !shape->is_link) return error;
  if (shape->kind != wanted) {
    return Note(path, {PathShapeText(*shape) + ", where a " +
                           (wanted == Kind::kDirectory ? "directory" : "file") + " is expected",
                       true});
  }
  if (shape->is_readable) return error;
  return Note(path, {PathShapeText(*shape) + std::string(kUnreadable), false});
}

Result<std::unique_ptr<RandomAccessFile>> ShapeEnv::OpenForRead(const std::string& path) {
  auto file = target_->OpenForRead(path);
  if (file.ok()) return file;
  return Explain(path, Kind::kFile, file.status());
}

Result<bool> ShapeEnv::Exists(const std::string& path) {
  const auto exists = target_->Exists(path);
  if (exists.ok() && *exists) return exists;
  const Status error = exists.ok() ? NotFound(path) : exists.status();
  const auto shape = target_->Shape(path);
  // A link is there, wherever it leads.
  if (shape.ok() && shape->is_link) return true;
  if (shape.ok()) return exists;
  const Status odd = Explain(path, Kind::kFile, error);
  if (odd.code() == StatusCode::kCorruption) return false;  // below what may not be entered
  return error;
}

Result<uint64_t> ShapeEnv::FileSize(const std::string& path) {
  const auto size = target_->FileSize(path);
  if (size.ok()) return size;
  const Status odd = Explain(path, Kind::kFile, size.status());
  if (odd.code() == StatusCode::kCorruption) return uint64_t{0};
  return odd;
}

Result<bool> ShapeEnv::IsDirectory(const std::string& path) {
  const auto is_directory = target_->IsDirectory(path);
  if (is_directory.ok()) return is_directory;
  const auto shape = target_->Shape(path);
  if (shape.ok() && shape->is_link) return false;
  const Status odd = Explain(path, Kind::kDirectory, is_directory.status());
  if (odd.code() == StatusCode::kCorruption) return false;
  return odd;
}

Result<std::vector<std::string>> ShapeEnv::ListDirectory(const std::string& path) {
  auto names = target_->ListDirectory(path);
  if (names.ok()) {
    // Listed, but what it holds cannot be looked at.
    const auto shape = target_->Shape(path);
    if (!shape.ok() || shape->is_readable) return names;
  }
  const Status odd = Explain(path, Kind::kDirectory, names.status());
  if (odd.code() == StatusCode::kCorruption) return std::vector<std::string>();
  if (names.ok()) return names;
  return odd;
}

}  // namespace bennu::check
