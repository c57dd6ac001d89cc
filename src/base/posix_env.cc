// Env over POSIX calls. Every call is repeated after EINTR, every descriptor is closed on exec, and
// every error says what was tried, on which path, and errno's own words.
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "src/base/check.h"
#include "src/base/env.h"
#include "src/base/env_errors.h"
#include "src/base/failpoint.h"
#include "src/base/file_limit.h"
#include "src/base/log.h"
#include "src/base/mapped_file.h"
#include "src/base/status_macros.h"
#include "src/base/write_back.h"

namespace bennu {

namespace {

// One read or write moves at most this much: Linux stops at 2 GiB - 4 KiB anyway.
constexpr size_t kTransferSizeBytesMax = size_t{1} << 30;
// What is in a store is not for everybody on the machine.
constexpr mode_t kFileMode = 0640;
constexpr mode_t kDirectoryMode = 0750;

// The errno that a test told this call to end with, in place of its work; 0: none.
int InjectedErrno(std::string_view point) {
  switch (EnvFailpoint(point)) {
    case EnvFault::kNone: return 0;
    case EnvFault::kError: return EIO;
    default: return ENOSPC;
  }
}

template <typename Call>
auto RetryOnInterrupt(Call call) -> decltype(call()) {
  decltype(call()) result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result;
}

int OpenDescriptor(const std::string& path, int flags) {
  return RetryOnInterrupt([&] { return ::open(path.c_str(), flags | O_CLOEXEC, kFileMode); });
}

// Closes the descriptor at the end of a scope; errors there have nobody to be told to.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

class PosixRandomAccessFile final : public RandomAccessFile {
 public:
  PosixRandomAccessFile(std::string path, int fd, uint64_t size)
      : path_(std::move(path)), fd_(fd), size_(size) {}

  Status ReadExact(uint64_t offset, size_t length, char* out) const override {
    size_t done = 0;
    while (done < length) {
      const size_t wanted = std::min(length - done, kTransferSizeBytesMax);
      const ssize_t count = RetryOnInterrupt([&] {
        return ::pread(fd_.get(), out + done, wanted, static_cast<off_t>(offset + done));
      });
      if (count < 0) return ErrnoStatus(errno, Place("read", offset + done, length - done));
      if (count == 0) {
        return Corruption(Place("read", offset, length) + ": the file ends after " +
                          std::to_string(SizeNow(offset + done)) + " bytes");
      }
      done += static_cast<size_t>(count);
    }
    return Status::Ok();
  }

  void ReadAhead(uint64_t offset, uint64_t length) const override {
    static_cast<void>(::posix_fadvise(fd_.get(), static_cast<off_t>(offset),
                                      static_cast<off_t>(length), POSIX_FADV_WILLNEED));
  }

  uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }
  int fd() const { return fd_.get(); }

 private:
  // At most 'bound', where a read found nothing.
  uint64_t SizeNow(uint64_t bound) const {
    struct stat info;
    if (::fstat(fd_.get(), &info) != 0) return bound;
    return std::min(bound, static_cast<uint64_t>(info.st_size));
  }
  std::string Place(const char* verb, uint64_t offset, size_t length) const {
    return std::string(verb) + " " + path_ + ", " + std::to_string(length) + " bytes at offset " +
           std::to_string(offset);
  }

  const std::string path_;
  const Descriptor fd_;
  const uint64_t size_;
};

// The mapping is of the size at the opening. What is not certain to be there is read by system
// calls, which find the words for it.
class PosixMappedFile final : public RandomAccessFile {
 public:
  // Null when the system gives no mapping; '*file' is left alone then.
  static std::unique_ptr<PosixMappedFile> Make(std::unique_ptr<PosixRandomAccessFile>* file) {
    const uint64_t size = (*file)->size();
    if (size == 0) return nullptr;  // EINVAL
    void* const map = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, (*file)->fd(), 0);
    if (map == MAP_FAILED) return nullptr;
    return std::make_unique<PosixMappedFile>(std::move(*file), static_cast<const char*>(map));
  }

  PosixMappedFile(std::unique_ptr<PosixRandomAccessFile> file, const char* map)
      : file_(std::move(file)), map_(map) {}
  ~PosixMappedFile() override { ::munmap(const_cast<char*>(map_), file_->size()); }
  PosixMappedFile(const PosixMappedFile&) = delete;
  PosixMappedFile& operator=(const PosixMappedFile&) = delete;

  Status ReadExact(uint64_t offset, size_t length, char* out) const override {
    const bool is_mapped = offset <= file_->size() && length <= file_->size() - offset;
    if (!is_mapped || !IsWhole()) return file_->ReadExact(offset, length, out);
    std::memcpy(out, map_ + offset, length);
    return Status::Ok();
  }
  void ReadAhead(uint64_t offset, uint64_t length) const override {
    file_->ReadAhead(offset, length);
  }
  uint64_t size() const override { return file_->size(); }
  const std::string& path() const override { return file_->path(); }

 private:
  // Pages past the end of a file that got shorter are a SIGBUS.
  bool IsWhole() const {
    struct stat info;
    return ::fstat(file_->fd(), &info) == 0 && static_cast<uint64_t>(info.st_size) >= file_->size();
  }

  const std::unique_ptr<PosixRandomAccessFile> file_;
  const char* const map_;
};

PathShape::Kind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return PathShape::Kind::kFile;
  if (S_ISDIR(mode)) return PathShape::Kind::kDirectory;
  if (S_ISFIFO(mode)) return PathShape::Kind::kFifo;
  if (S_ISSOCK(mode)) return PathShape::Kind::kSocket;
  return PathShape::Kind::kDevice;
}

Result<std::unique_ptr<PosixRandomAccessFile>> OpenPosixFile(const std::string& path) {
  // Without O_NONBLOCK the opening of a FIFO waits for somebody who writes to it. On regular files
  // it does nothing.
  Descriptor fd(OpenDescriptor(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
  if (fd.get() < 0) {
    // A socket, or a device that is not there.
    if (errno == ENXIO || errno == ENODEV) {
      struct stat info;
      const int error = errno;
      if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
        return NotAFile(path, {KindOf(info.st_mode), false});
      }
      errno = error;
    }
    return ErrnoStatus(errno, "open " + path);
  }
  RETURN_IF_ERROR(CheckOpenFiles(fd.get()).Annotate("open " + path));
  struct stat info;
  if (::fstat(fd.get(), &info) != 0) return ErrnoStatus(errno, "stat " + path);
  if (!S_ISREG(info.st_mode)) return NotAFile(path, {KindOf(info.st_mode), false});
  return std::make_unique<PosixRandomAccessFile>(path, fd.Release(),
                                                 static_cast<uint64_t>(info.st_size));
}

class PosixWritableFile final : public WritableFile {
 public:
  PosixWritableFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  ~PosixWritableFile() override {
    if (fd_ >= 0) ::close(fd_);
  }

  Status Append(ByteView data) override {
    if (fd_ < 0) return FailedPrecondition("append to " + path_ + ": the file is closed");
    switch (EnvFailpoint("env.append")) {
      case EnvFault::kNone: return Write(data);
      case EnvFault::kError: return AppendStatus(EIO, data.size());
      case EnvFault::kFull: return AppendStatus(ENOSPC, data.size());
      case EnvFault::kShort:
        RETURN_IF_ERROR(Write(data.substr(0, data.size() / 2)));
        return AppendStatus(ENOSPC, data.size() - data.size() / 2);
      case EnvFault::kTorn:
        RETURN_IF_ERROR(Write(data.substr(0, data.size() / 2)));
        DieAtEnvFailpoint("env.append");
    }
    return Status::Ok();
  }

  Status Sync() override {
    if (fd_ < 0) return FailedPrecondition("sync " + path_ + ": the file is closed");
    if (const int error = InjectedErrno("env.sync"); error != 0) {
      return ErrnoStatus(error, "sync " + path_);
    }
    if (RetryOnInterrupt([&] { return ::fdatasync(fd_); }) != 0) {
      return ErrnoStatus(errno, "sync " + path_);
    }
    return Status::Ok();
  }

  Status Close() override {
    if (fd_ < 0) return Status::Ok();
    // Not repeated after EINTR: Linux has released the descriptor by then.
    if (::close(std::exchange(fd_, -1)) != 0 && errno != EINTR) {
      return ErrnoStatus(errno, "close " + path_);
    }
    return Status::Ok();
  }

  uint64_t size() const override { return size_; }
  const std::string& path() const override { return path_; }

  // A hint: where it is not understood, the sync has more to do.
  void BeginWriteBack(uint64_t offset, uint64_t length) const {
    static_cast<void>(::sync_file_range(fd_, static_cast<off_t>(offset), static_cast<off_t>(length),
                                        SYNC_FILE_RANGE_WRITE));
  }

 private:
  Status Write(ByteView data) {
    while (!data.empty()) {
      const size_t wanted = std::min(data.size(), kTransferSizeBytesMax);
      const ssize_t count = RetryOnInterrupt([&] { return ::write(fd_, data.data(), wanted); });
      if (count < 0) return AppendStatus(errno, data.size());
      size_ += static_cast<uint64_t>(count);
      data.remove_prefix(static_cast<size_t>(count));
    }
    return Status::Ok();
  }
  Status AppendStatus(int error, size_t length) const {
    return ErrnoStatus(error, "append " + std::to_string(length) + " bytes to " + path_ +
                                  " at offset " + std::to_string(size_));
  }

  const std::string path_;
  int fd_;
  uint64_t size_ = 0;
};

// The lock belongs to the open file (flock), not to the process as with fcntl: a second opener in
// the same process is refused too, and closing some other descriptor of the file gives nothing up.
// The lock file says who has it: the process id in a line, and the note in the next.
Status WriteHolder(int fd, const std::string& path, const std::string& note) {
  std::string text = std::to_string(::getpid()) + "\n";
  if (!note.empty()) text += note + "\n";
  if (::ftruncate(fd, 0) != 0) return ErrnoStatus(errno, "truncate " + path);
  const ssize_t count = RetryOnInterrupt([&] { return ::pwrite(fd, text.data(), text.size(), 0); });
  if (count < 0) return ErrnoStatus(errno, "write the pid into " + path);
  if (static_cast<size_t>(count) != text.size()) return IoError("write the pid into " + path);
  return Status::Ok();
}

// Anybody may have written the file: what is no process id, or no plain text, is left out.
// One that an earlier version made, which others could read and so hold. Theirs to open or not, it
// is our own only.
void RestrictLockFile(int fd, const std::string& path) {
  struct stat info;
  if (::fstat(fd, &info) != 0 || info.st_uid != ::geteuid()) return;
  const mode_t mode = info.st_mode & 07777;
  if ((mode & ~kFileMode) == 0) return;
  if (::fchmod(fd, mode & kFileMode) != 0) {
    LogWarning("{}: others may read it: {}", path, std::strerror(errno));
  }
}

LockHolder ReadHolder(int fd) {
  char text[256];
  const ssize_t count = RetryOnInterrupt([&] { return ::pread(fd, text, sizeof(text), 0); });
  const std::string_view all(text, count > 0 ? static_cast<size_t>(count) : 0);
  const size_t line_end = std::min(all.find('\n'), all.size());
  LockHolder holder;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::string_view pid = all.substr(0, line_end);
  holder.pid = pid.substr(
      0, static_cast<size_t>(std::find_if_not(pid.begin(), pid.end(), is_digit) - pid.begin()));
  const std::string_view rest = all.substr(std::min(line_end + 1, all.size()));
  const std::string_view note = rest.substr(0, rest.find('\n'));
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  if (std::all_of(note.begin(), note.end(), is_plain)) holder.note = note;
  return holder;
}

class PosixDirectoryLock final : public DirectoryLock {
 public:
  PosixDirectoryLock(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  Status SetNote(const std::string& note) override { return WriteHolder(fd_.get(), path_, note); }

 private:
  const Descriptor fd_;
  const std::string path_;
};

// ---- changes of directories, call by call, so that a test can stop between any two. Each returns
// errno, 0 when all is well.

int Unlink(const std::string& path) {
  if (const int error = InjectedErrno("env.unlink"); error != 0) return error;
  return ::unlink(path.c_str()) == 0 ? 0 : errno;
}

int RemoveDirectory(const std::string& path) {
  if (const int error = InjectedErrno("env.rmdir"); error != 0) return error;
  return ::rmdir(path.c_str()) == 0 ? 0 : errno;
}

int MakeDirectory(const std::string& path) {
  if (const int error = InjectedErrno("env.mkdir"); error != 0) return error;
  return ::mkdir(path.c_str(), kDirectoryMode) == 0 ? 0 : errno;
}

// Existing is fine, of the directory and of what is above it.
int MakeDirectories(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0) return S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
  if (errno != ENOENT) return errno;
  const std::filesystem::path whole(path);
  // "a/" is "a", whose parent is to be made.
  const std::filesystem::path parent =
      whole.has_filename() ? whole.parent_path() : whole.parent_path().parent_path();
  if (!parent.empty()) {
    if (const int error = MakeDirectories(parent.string()); error != 0) return error;
  }
  const int error = MakeDirectory(path);
  // Another was faster.
  if (error == EEXIST && ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return 0;
  return error;
}

int ListEntries(const std::string& path, std::vector<std::string>* names) {
  DIR* directory = ::opendir(path.c_str());
  if (directory == nullptr) return errno;
  errno = 0;
  while (const dirent* entry = ::readdir(directory)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names->emplace_back(name);
    errno = 0;
  }
  const int error = errno;
  ::closedir(directory);
  std::sort(names->begin(), names->end());
  return error;
}

// Missing is fine, of the tree and, as another may remove it too, of what is in it.
int UnlinkTree(const std::string& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) return errno == ENOENT ? 0 : errno;
  int error = 0;
  if (S_ISDIR(info.st_mode)) {
    std::vector<std::string> names;
    error = ListEntries(path, &names);
    for (const std::string& name : names) {
      if (error == 0) error = UnlinkTree(JoinPath(path, name));
    }
    if (error == 0) error = RemoveDirectory(path);
  } else {
    error = Unlink(path);
  }
  return error == ENOENT ? 0 : error;
}

class PosixEnv final : public Env {
 public:
  Result<std::unique_ptr<RandomAccessFile>> OpenForRead(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    ASSIGN_OR_RETURN(auto file, OpenPosixFile(path));
    return std::unique_ptr<RandomAccessFile>(std::move(file));
  }

  // Files of the kernel (/proc, /sys) say that they are empty, and are read to their end.
  Result<Bytes> ReadFile(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    ASSIGN_OR_RETURN(const auto file, OpenPosixFile(path));
    Bytes content(file->size(), '\0');
    RETURN_IF_ERROR(file->ReadExact(0, content.size(), content.data()));
    if (!content.empty()) return content;
    char buffer[4096];
    while (true) {
      const ssize_t count = ::read(file->fd(), buffer, sizeof(buffer));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return ErrnoStatus(errno, "read " + path);
      if (count == 0) return content;
      content.append(buffer, static_cast<size_t>(count));
    }
  }

  Result<std::unique_ptr<WritableFile>> CreateFile(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    if (const int error = InjectedErrno("env.create"); error != 0) {
      return ErrnoStatus(error, "create " + path);
    }
    const int fd = OpenDescriptor(path, O_WRONLY | O_CREAT | O_EXCL);
    if (fd < 0) return ErrnoStatus(errno, "create " + path);
    return std::unique_ptr<WritableFile>(std::make_unique<PosixWritableFile>(path, fd));
  }

  Result<bool> Exists(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    struct stat info;
    if (::stat(path.c_str(), &info) == 0) return true;
    if (errno == ENOENT || errno == ENOTDIR) return false;
    return ErrnoStatus(errno, "stat " + path);
  }

  Result<uint64_t> FileSize(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    struct stat info;
    if (::stat(path.c_str(), &info) != 0) return ErrnoStatus(errno, "stat " + path);
    return static_cast<uint64_t>(info.st_size);
  }

  Result<int64_t> ChangeMillis(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    struct stat info;
    if (::stat(path.c_str(), &info) != 0) return ErrnoStatus(errno, "stat " + path);
    return static_cast<int64_t>(info.st_ctim.tv_sec) * 1000 + info.st_ctim.tv_nsec / 1'000'000;
  }

  Result<bool> IsDirectory(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    struct stat info;
    if (::stat(path.c_str(), &info) != 0) return ErrnoStatus(errno, "stat " + path);
    return S_ISDIR(info.st_mode);
  }

  Result<PathShape> Shape(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    PathShape shape;
    struct stat info;
    if (::lstat(path.c_str(), &info) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) return shape;
      return ErrnoStatus(errno, "stat " + path);
    }
    shape.is_link = S_ISLNK(info.st_mode);
    if (shape.is_link && ::stat(path.c_str(), &info) != 0) {
      if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return shape;
      return ErrnoStatus(errno, "stat " + path);
    }
    shape.kind = KindOf(info.st_mode);
    const bool is_directory = shape.kind == PathShape::Kind::kDirectory;
    const int wanted = is_directory ? R_OK | X_OK : R_OK;
    shape.is_readable = ::faccessat(AT_FDCWD, path.c_str(), wanted, AT_EACCESS) == 0;
    return shape;
  }

  Result<std::vector<std::string>> ListDirectory(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    std::vector<std::string> names;
    if (const int error = ListEntries(path, &names); error != 0) {
      return ErrnoStatus(error, "list " + path);
    }
    return names;
  }

  Status CreateDirectories(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    const int error = MakeDirectories(path);
    return error == 0 ? Status::Ok() : ErrnoStatus(error, "create the directory " + path);
  }

  Status Rename(const std::string& from, const std::string& to) override {
    RETURN_IF_ERROR(CheckPath(from));
    RETURN_IF_ERROR(CheckPath(to));
    int error = InjectedErrno("env.rename");
    if (error == 0 && ::rename(from.c_str(), to.c_str()) != 0) error = errno;
    return error == 0 ? Status::Ok() : ErrnoStatus(error, "rename " + from + " to " + to);
  }

  Status LinkFile(const std::string& from, const std::string& to) override {
    RETURN_IF_ERROR(CheckPath(from));
    RETURN_IF_ERROR(CheckPath(to));
    const std::string what = "link " + from + " as " + to;
    if (const int error = InjectedErrno("env.link"); error != 0) return ErrnoStatus(error, what);
    if (::link(from.c_str(), to.c_str()) == 0) return Status::Ok();
    // EPERM: the file system has no hard links; EMLINK: the file has as many names as it may have.
    if (errno == EXDEV || errno == EPERM || errno == EMLINK || errno == EOPNOTSUPP) {
      return NotSupported(what + ": " + std::generic_category().message(errno));
    }
    return ErrnoStatus(errno, what);
  }

  Status RemoveFile(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    const int error = Unlink(path);
    return error == 0 ? Status::Ok() : ErrnoStatus(error, "remove " + path);
  }

  Status RemoveTree(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    const int error = UnlinkTree(path);
    return error == 0 ? Status::Ok() : ErrnoStatus(error, "remove the tree " + path);
  }

  Status RemoveEmptyDirectory(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    const int error = RemoveDirectory(path);
    if (error == 0) return Status::Ok();
    const std::string what = "remove the directory " + path;
    if (error == ENOTEMPTY || error == EEXIST) return FailedPrecondition(what + ": not empty");
    return ErrnoStatus(error, what);
  }

  Status SyncFile(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    const Descriptor fd(OpenDescriptor(path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
    if (fd.get() < 0) return ErrnoStatus(errno, "open " + path);
    int error = InjectedErrno("env.sync");
    if (error == 0 && RetryOnInterrupt([&] { return ::fsync(fd.get()); }) != 0) error = errno;
    return error == 0 ? Status::Ok() : ErrnoStatus(error, "sync " + path);
  }

  Status TruncateFile(const std::string& path, uint64_t size) override {
    RETURN_IF_ERROR(CheckPath(path));
    if (const int error = InjectedErrno("env.truncate"); error != 0) {
      return ErrnoStatus(error, "truncate " + path);
    }
    if (RetryOnInterrupt([&] { return ::truncate(path.c_str(), static_cast<off_t>(size)); }) != 0) {
      return ErrnoStatus(errno, "truncate " + path + " to " + std::to_string(size) + " bytes");
    }
    return Status::Ok();
  }

  Status SyncDirectory(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    const Descriptor fd(OpenDescriptor(path, O_RDONLY | O_DIRECTORY));
    if (fd.get() < 0) return ErrnoStatus(errno, "open the directory " + path);
    int error = InjectedErrno("env.syncdir");
    if (error == 0 && RetryOnInterrupt([&] { return ::fsync(fd.get()); }) != 0) error = errno;
    return error == 0 ? Status::Ok() : ErrnoStatus(error, "sync the directory " + path);
  }

  Result<std::unique_ptr<DirectoryLock>> LockFile(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    if (const int error = InjectedErrno("env.lock"); error != 0) {
      return ErrnoStatus(error, "open the lock file " + path);
    }
    Descriptor fd(OpenDescriptor(path, O_RDWR | O_CREAT));
    if (fd.get() < 0) return ErrnoStatus(errno, "open the lock file " + path);
    RestrictLockFile(fd.get(), path);
    if (RetryOnInterrupt([&] { return ::flock(fd.get(), LOCK_EX | LOCK_NB); }) != 0) {
      if (errno == EWOULDBLOCK) return HeldStatus(path, ReadHolder(fd.get()));
      return ErrnoStatus(errno, "lock " + path);
    }
    RETURN_IF_ERROR(WriteHolder(fd.get(), path, ""));
    return std::unique_ptr<DirectoryLock>(std::make_unique<PosixDirectoryLock>(fd.Release(), path));
  }

  Result<std::unique_ptr<DirectoryLock>> LockFileToRead(const std::string& path) override {
    RETURN_IF_ERROR(CheckPath(path));
    Descriptor fd(OpenDescriptor(path, O_RDONLY | O_NONBLOCK));
    if (fd.get() < 0) return ErrnoStatus(errno, "open the lock file " + path);
    if (RetryOnInterrupt([&] { return ::flock(fd.get(), LOCK_SH | LOCK_NB); }) != 0) {
      if (errno == EWOULDBLOCK) return HeldStatus(path, ReadHolder(fd.get()));
      return ErrnoStatus(errno, "lock " + path);
    }
    return std::unique_ptr<DirectoryLock>(std::make_unique<PosixDirectoryLock>(fd.Release(), path));
  }

  int64_t NowMillis() override {
    timespec now;
    ::clock_gettime(CLOCK_REALTIME, &now);
    return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
  }

  uint64_t MonotonicNanos() override {
    timespec now;
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
  }

  uint64_t RandomU64() override {
    uint64_t number = 0;
    const auto draw = [&] { return ::getrandom(&number, sizeof(number), 0); };
    BENNU_CHECK(RetryOnInterrupt(draw) == sizeof(number));
    return number;
  }

  void SleepMicros(uint64_t micros) override {
    timespec left{static_cast<time_t>(micros / 1000000),
                  static_cast<long>(micros % 1000000) * 1000};
    while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
  }
};

}  // namespace

Env* Env::Default() {
  // Never destroyed: threads may still read the clock while the process ends.
  static Env* const env = new PosixEnv;
  return env;
}

Result<std::unique_ptr<RandomAccessFile>> OpenMapped(Env* env, const std::string& path) {
  if (env != Env::Default()) return env->OpenForRead(path);
  ASSIGN_OR_RETURN(auto file, OpenPosixFile(path));
  if (auto mapped = PosixMappedFile::Make(&file); mapped != nullptr) {
    return std::unique_ptr<RandomAccessFile>(std::move(mapped));
  }
  return std::unique_ptr<RandomAccessFile>(std::move(file));
}

void WriteBack::Begin() {
  if (const auto* const file = dynamic_cast<const PosixWritableFile*>(file_); file != nullptr) {
    file->BeginWriteBack(begun_, file->size() - begun_);
  }
  begun_ = file_->size();
}

}  // namespace bennu
