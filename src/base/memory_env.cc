#include "src/base/memory_env.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <new>
#include <utility>

#include "src/base/env_errors.h"
#include "src/base/status_macros.h"

namespace bennu {

// The bytes of a file, in pieces, so that it grows without being copied. A lock over each call:
// pieces are copied under it, at most a block of a store file in one read.
class MemoryFile {
 public:
  explicit MemoryFile(int64_t now_millis) : change_millis_(now_millis) {}

  uint64_t size() const {
    MutexLock lock(&mu_);
    return size_;
  }
  int64_t change_millis() const {
    MutexLock lock(&mu_);
    return change_millis_;
  }
  void Touch(int64_t now_millis) {
    MutexLock lock(&mu_);
    change_millis_ = now_millis;
  }

  // False: the file has not all of these bytes. *size_now: how many it has.
  bool Read(uint64_t offset, size_t length, char* out, uint64_t* size_now) const {
    MutexLock lock(&mu_);
    *size_now = size_;
    if (offset > size_ || length > size_ - offset) return false;
    while (length > 0) {
      const size_t within = offset % kPieceBytes;
      const size_t count = std::min(length, kPieceBytes - within);
      std::memcpy(out, pieces_[offset / kPieceBytes].data() + within, count);
      offset += count;
      out += count;
      length -= count;
    }
    return true;
  }

  // Zeros come between the end and an offset behind it. std::bad_alloc: a part may be written.
  void Write(uint64_t offset, ByteView data, int64_t now_millis) {
    MutexLock lock(&mu_);
    if (offset > size_) Resize(offset);
    change_millis_ = now_millis;
    while (!data.empty()) {
      const size_t within = offset % kPieceBytes;
      const size_t count = std::min(data.size(), kPieceBytes - within);
      if (offset + count > size_) Resize(offset + count);
      std::memcpy(pieces_[offset / kPieceBytes].data() + within, data.data(), count);
      offset += count;
      data.remove_prefix(count);
    }
  }

  void Truncate(uint64_t size, int64_t now_millis) {
    MutexLock lock(&mu_);
    Resize(size);
    change_millis_ = now_millis;
  }

  // Locks as of flock: any number of sharers, or one holder alone. False: others are in the way.
  bool TryLock(bool shared) {
    MutexLock lock(&mu_);
    if (held_alone_ || (!shared && sharers_ > 0)) return false;
    held_alone_ = !shared;
    sharers_ += shared ? 1 : 0;
    return true;
  }
  void Unlock(bool shared) {
    MutexLock lock(&mu_);
    if (shared) {
      --sharers_;
    } else {
      held_alone_ = false;
    }
  }

 private:
  static constexpr size_t kPieceBytes = 64 << 10;
  // Small files take what they need; what grows beyond this gets the memory of a whole piece.
  static constexpr size_t kSmallBytes = 4 << 10;

  void Resize(uint64_t size) REQUIRES(mu_) {
    const size_t piece_count = (size + kPieceBytes - 1) / kPieceBytes;
    if (pieces_.size() > piece_count) pieces_.resize(piece_count);
    while (pieces_.size() < piece_count) {
      ResizeLast(kPieceBytes);
      pieces_.emplace_back();
    }
    if (piece_count > 0) ResizeLast(size - (piece_count - 1) * kPieceBytes);
    size_ = size;
  }
  void ResizeLast(size_t size) REQUIRES(mu_) {
    if (pieces_.empty()) return;
    if (size > kSmallBytes) pieces_.back().reserve(kPieceBytes);
    pieces_.back().resize(size);
  }

  mutable Mutex mu_;
  std::vector<Bytes> pieces_ GUARDED_BY(mu_);  // all but the last have kPieceBytes
  uint64_t size_ GUARDED_BY(mu_) = 0;
  int64_t change_millis_ GUARDED_BY(mu_);
  bool held_alone_ GUARDED_BY(mu_) = false;
  int sharers_ GUARDED_BY(mu_) = 0;
};

namespace {

class MemoryRandomAccessFile final : public RandomAccessFile {
 public:
  MemoryRandomAccessFile(std::string path, std::shared_ptr<const MemoryFile> file)
      : path_(std::move(path)), file_(std::move(file)), size_(file_->size()) {}

  Status ReadExact(uint64_t offset, size_t length, char* out) const override {
    uint64_t size_now = 0;
    if (file_->Read(offset, length, out, &size_now)) return Status::Ok();
    return Corruption("read " + path_ + ", " + std::to_string(length) + " bytes at offset " +
                      std::to_string(offset) + ": the file ends after " + std::to_string(size_now) +
                      " bytes");
  }
  void ReadAhead(uint64_t, uint64_t) const override {}
  uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

 private:
  const std::string path_;
  const std::shared_ptr<const MemoryFile> file_;
  const uint64_t size_;
};

class MemoryWritableFile final : public WritableFile {
 public:
  MemoryWritableFile(Env* clock, std::string path, std::shared_ptr<MemoryFile> file)
      : clock_(clock), path_(std::move(path)), file_(std::move(file)) {}

  Status Append(ByteView data) override {
    if (is_closed_) return FailedPrecondition("append to " + path_ + ": the file is closed");
    try {
      file_->Write(size_, data, clock_->NowMillis());
    } catch (const std::bad_alloc&) {
      return ErrnoStatus(ENOSPC, "append " + std::to_string(data.size()) + " bytes to " + path_ +
                                     " in memory at offset " + std::to_string(size_));
    }
    size_ += data.size();
    return Status::Ok();
  }
  Status Sync() override {
    if (is_closed_) return FailedPrecondition("sync " + path_ + ": the file is closed");
    return Status::Ok();
  }
  Status Close() override {
    is_closed_ = true;
    return Status::Ok();
  }
  uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

 private:
  Env* const clock_;  // the target of the MemoryEnv
  const std::string path_;
  const std::shared_ptr<MemoryFile> file_;
  uint64_t size_ = 0;
  bool is_closed_ = false;
};

class MemoryFileLock final : public DirectoryLock {
 public:
  MemoryFileLock(std::shared_ptr<MemoryFile> file, bool shared)
      : file_(std::move(file)), shared_(shared) {}
  ~MemoryFileLock() override { file_->Unlock(shared_); }
  MemoryFileLock(const MemoryFileLock&) = delete;
  MemoryFileLock& operator=(const MemoryFileLock&) = delete;

 private:
  const std::shared_ptr<MemoryFile> file_;
  const bool shared_;
};

// "a//b/./c/" is "a/b/c".
std::string NormalPath(const std::string& path) {
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  return normal;
}

std::string ParentOf(const std::string& normal) {
  const std::string parent = std::filesystem::path(normal).parent_path().string();
  return parent.empty() ? "." : parent;
}

Status CrossingStatus(const std::string& what) {
  return NotSupported(what + ": one is in memory, the other is not");
}

}  // namespace

MemoryEnv::MemoryEnv(Env* target, const std::string& root)
    : ForwardingEnv(target), root_(NormalPath(root)), parent_(ParentOf(root_)) {}

MemoryEnv::~MemoryEnv() = default;

bool MemoryEnv::IsInMemory(const std::string& path, Names* names) const {
  // A path with a zero byte would be cut at it by the target, which refuses it.
  const std::string normal = NormalPath(path);
  if (!normal.starts_with(root_)) return false;
  std::string_view rest = std::string_view(normal).substr(root_.size());
  if (!rest.empty() && !rest.starts_with('/')) return false;
  names->assign(1, root_);
  while (!rest.empty()) {
    rest.remove_prefix(1);
    names->emplace_back(rest.substr(0, rest.find('/')));
    rest.remove_prefix(names->back().size());
  }
  return true;
}

MemoryEnv::Node* MemoryEnv::Find(const Names& names, int* error) {
  Node* node = FindParent(names, error);
  if (node == nullptr) return nullptr;
  const auto found = node->entries.find(names.back());
  *error = ENOENT;
  return found == node->entries.end() ? nullptr : found->second.get();
}

MemoryEnv::Node* MemoryEnv::FindParent(const Names& names, int* error) {
  Node* node = &top_;
  for (size_t i = 0; i + 1 < names.size(); ++i) {
    const auto found = node->entries.find(names[i]);
    *error = ENOENT;
    if (found == node->entries.end()) return nullptr;
    node = found->second.get();
    *error = ENOTDIR;
    if (node->file != nullptr) return nullptr;
  }
  return node;
}

Result<std::shared_ptr<MemoryFile>> MemoryEnv::FindFile(const Names& names,
                                                        const std::string& what) {
  int error = 0;
  Node* const node = Find(names, &error);
  if (node == nullptr) return ErrnoStatus(error, what);
  if (node->file == nullptr) return ErrnoStatus(EISDIR, what);
  return node->file;
}

// ---- files

Result<std::unique_ptr<RandomAccessFile>> MemoryEnv::OpenForRead(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->OpenForRead(path);
  MutexLock lock(&mu_);
  int error = 0;
  Node* const node = Find(names, &error);
  if (node == nullptr) return ErrnoStatus(error, "open " + path);
  if (node->file == nullptr) return NotAFile(path, {PathShape::Kind::kDirectory, false});
  return std::unique_ptr<RandomAccessFile>(
      std::make_unique<MemoryRandomAccessFile>(path, node->file));
}

Result<Bytes> MemoryEnv::ReadFile(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  // The target may have a way of its own, as for files of the kernel.
  return IsInMemory(path, &names) ? Env::ReadFile(path) : target_->ReadFile(path);
}

Result<std::unique_ptr<WritableFile>> MemoryEnv::CreateFile(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->CreateFile(path);
  MutexLock lock(&mu_);
  int error = 0;
  Node* const parent = FindParent(names, &error);
  if (parent == nullptr) return ErrnoStatus(error, "create " + path);
  auto& node = parent->entries[names.back()];
  if (node != nullptr) return ErrnoStatus(EEXIST, "create " + path);
  node = std::make_unique<Node>();
  node->file = std::make_shared<MemoryFile>(target_->NowMillis());
  return std::unique_ptr<WritableFile>(
      std::make_unique<MemoryWritableFile>(target_, path, node->file));
}

Result<bool> MemoryEnv::Exists(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->Exists(path);
  MutexLock lock(&mu_);
  int error = 0;
  return Find(names, &error) != nullptr;
}

Result<uint64_t> MemoryEnv::FileSize(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->FileSize(path);
  MutexLock lock(&mu_);
  ASSIGN_OR_RETURN(const auto file, FindFile(names, "stat " + path));
  return file->size();
}

Result<int64_t> MemoryEnv::ChangeMillis(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->ChangeMillis(path);
  MutexLock lock(&mu_);
  int error = 0;
  const Node* const node = Find(names, &error);
  if (node == nullptr) return ErrnoStatus(error, "stat " + path);
  return node->file != nullptr ? node->file->change_millis() : node->change_millis;
}

Result<bool> MemoryEnv::IsDirectory(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->IsDirectory(path);
  MutexLock lock(&mu_);
  int error = 0;
  const Node* const node = Find(names, &error);
  if (node == nullptr) return ErrnoStatus(error, "stat " + path);
  return node->file == nullptr;
}

Result<PathShape> MemoryEnv::Shape(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->Shape(path);
  MutexLock lock(&mu_);
  int error = 0;
  const Node* const node = Find(names, &error);
  PathShape shape;
  if (node != nullptr) {
    shape.kind = node->file != nullptr ? PathShape::Kind::kFile : PathShape::Kind::kDirectory;
  }
  return shape;
}

Status MemoryEnv::LinkFile(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(CheckPath(from));
  RETURN_IF_ERROR(CheckPath(to));
  const std::string what = "link " + from + " as " + to;
  Names from_names;
  Names to_names;
  const bool is_ours = IsInMemory(from, &from_names);
  if (is_ours != IsInMemory(to, &to_names)) return CrossingStatus(what);
  if (!is_ours) return target_->LinkFile(from, to);
  MutexLock lock(&mu_);
  ASSIGN_OR_RETURN(const auto file, FindFile(from_names, what));
  int error = 0;
  Node* const parent = FindParent(to_names, &error);
  if (parent == nullptr) return ErrnoStatus(error, what);
  auto& node = parent->entries[to_names.back()];
  if (node != nullptr) return ErrnoStatus(EEXIST, what);
  node = std::make_unique<Node>();
  node->file = file;
  file->Touch(target_->NowMillis());
  return Status::Ok();
}

Status MemoryEnv::RemoveFile(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->RemoveFile(path);
  MutexLock lock(&mu_);
  RETURN_IF_ERROR(FindFile(names, "remove " + path).status());
  int error = 0;
  FindParent(names, &error)->entries.erase(names.back());
  return Status::Ok();
}

Status MemoryEnv::SyncFile(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->SyncFile(path);
  MutexLock lock(&mu_);
  int error = 0;
  return Find(names, &error) != nullptr ? Status::Ok() : ErrnoStatus(error, "open " + path);
}

Status MemoryEnv::TruncateFile(const std::string& path, uint64_t size) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->TruncateFile(path, size);
  MutexLock lock(&mu_);
  const std::string what = "truncate " + path + " to " + std::to_string(size) + " bytes";
  ASSIGN_OR_RETURN(const auto file, FindFile(names, what));
  try {
    file->Truncate(size, target_->NowMillis());
  } catch (const std::bad_alloc&) {
    return ErrnoStatus(ENOSPC, what);
  }
  return Status::Ok();
}

// ---- directories

Result<std::vector<std::string>> MemoryEnv::ListDirectory(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->ListDirectory(path);
  MutexLock lock(&mu_);
  int error = 0;
  const Node* const node = Find(names, &error);
  if (node == nullptr) return ErrnoStatus(error, "list " + path);
  if (node->file != nullptr) return ErrnoStatus(ENOTDIR, "list " + path);
  std::vector<std::string> entries;
  for (const auto& [name, entry] : node->entries) entries.push_back(name);
  return entries;
}

Status MemoryEnv::CreateDirectories(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->CreateDirectories(path);
  MutexLock lock(&mu_);
  Node* node = &top_;
  for (const std::string& name : names) {
    auto& entry = node->entries[name];
    if (entry == nullptr) {
      entry = std::make_unique<Node>();
      entry->change_millis = target_->NowMillis();
    }
    node = entry.get();
    if (node->file != nullptr) return ErrnoStatus(ENOTDIR, "create the directory " + path);
  }
  return Status::Ok();
}

Status MemoryEnv::Rename(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(CheckPath(from));
  RETURN_IF_ERROR(CheckPath(to));
  const std::string what = "rename " + from + " to " + to;
  Names from_names;
  Names to_names;
  const bool is_ours = IsInMemory(from, &from_names);
  if (is_ours != IsInMemory(to, &to_names)) return CrossingStatus(what);
  if (!is_ours) return target_->Rename(from, to);
  MutexLock lock(&mu_);
  const int error = RenameNode(from_names, to_names);
  return error == 0 ? Status::Ok() : ErrnoStatus(error, what);
}

// As rename(2) has it: a file takes the place of a file, a directory that of an empty one.
int MemoryEnv::RenameNode(const Names& from, const Names& to) {
  int error = 0;
  Node* const node = Find(from, &error);
  if (node == nullptr) return error;
  Node* const parent = FindParent(to, &error);
  if (parent == nullptr) return error;
  const bool is_above = from.size() < to.size() && std::equal(from.begin(), from.end(), to.begin());
  if (is_above) return EINVAL;
  if (from == to) return 0;
  const bool is_file = node->file != nullptr;
  if (const auto there = parent->entries.find(to.back()); there != parent->entries.end()) {
    const Node& old = *there->second;
    if (is_file && old.file == nullptr) return EISDIR;
    if (!is_file && old.file != nullptr) return ENOTDIR;
    if (!old.entries.empty()) return ENOTEMPTY;
    // Two names of one file: both stay.
    if (is_file && old.file == node->file) return 0;
  }
  const int64_t now = target_->NowMillis();
  if (is_file) {
    node->file->Touch(now);
  } else {
    node->change_millis = now;
  }
  auto moved = FindParent(from, &error)->entries.extract(from.back());
  parent->entries[to.back()] = std::move(moved.mapped());
  return 0;
}

Status MemoryEnv::RemoveTree(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->RemoveTree(path);
  MutexLock lock(&mu_);
  int error = 0;
  Node* const parent = FindParent(names, &error);
  if (parent != nullptr) parent->entries.erase(names.back());
  return parent != nullptr || error == ENOENT ? Status::Ok()
                                              : ErrnoStatus(error, "remove the tree " + path);
}

Status MemoryEnv::RemoveEmptyDirectory(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->RemoveEmptyDirectory(path);
  MutexLock lock(&mu_);
  const std::string what = "remove the directory " + path;
  int error = 0;
  const Node* const node = Find(names, &error);
  if (node == nullptr) return ErrnoStatus(error, what);
  if (node->file != nullptr) return ErrnoStatus(ENOTDIR, what);
  if (!node->entries.empty()) return FailedPrecondition(what + ": not empty");
  FindParent(names, &error)->entries.erase(names.back());
  return Status::Ok();
}

Status MemoryEnv::SyncDirectory(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) {
    // What is asked for is the root's entry, which is in no directory of the target.
    return NormalPath(path) == parent_ ? Status::Ok() : target_->SyncDirectory(path);
  }
  MutexLock lock(&mu_);
  int error = 0;
  const Node* const node = Find(names, &error);
  if (node != nullptr && node->file != nullptr) error = ENOTDIR;
  if (node != nullptr && node->file == nullptr) return Status::Ok();
  return ErrnoStatus(error, "open the directory " + path);
}

// ---- locks

Result<std::unique_ptr<DirectoryLock>> MemoryEnv::LockFile(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->LockFile(path);
  MutexLock lock(&mu_);
  int error = 0;
  Node* const parent = FindParent(names, &error);
  if (parent == nullptr) return ErrnoStatus(error, "open the lock file " + path);
  auto& node = parent->entries[names.back()];
  const int64_t now = target_->NowMillis();
  if (node == nullptr) {
    node = std::make_unique<Node>();
    node->file = std::make_shared<MemoryFile>(now);
  }
  const std::shared_ptr<MemoryFile> file = node->file;
  if (file == nullptr) return ErrnoStatus(EISDIR, "open the lock file " + path);
  // Whoever holds it is in this process.
  const std::string pid = std::to_string(::getpid());
  if (!file->TryLock(/*shared=*/false)) return HeldStatus(path, {pid, ""});
  std::unique_ptr<DirectoryLock> held = std::make_unique<MemoryFileLock>(file, /*shared=*/false);
  file->Truncate(0, now);
  file->Write(0, pid + "\n", now);
  return held;
}

Result<std::unique_ptr<DirectoryLock>> MemoryEnv::LockFileToRead(const std::string& path) {
  RETURN_IF_ERROR(CheckPath(path));
  Names names;
  if (!IsInMemory(path, &names)) return target_->LockFileToRead(path);
  MutexLock lock(&mu_);
  ASSIGN_OR_RETURN(const auto file, FindFile(names, "open the lock file " + path));
  if (!file->TryLock(/*shared=*/true)) return HeldStatus(path, {std::to_string(::getpid()), ""});
  return std::unique_ptr<DirectoryLock>(std::make_unique<MemoryFileLock>(file, /*shared=*/true));
}

}  // namespace bennu
