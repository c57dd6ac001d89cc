// Env: the only way to files, clocks and randomness.
//
// Production code never calls the operating system directly: fault tests, crash tests and replay
// by seed put another Env in its place and run the real code. Thread rule: an Env and everything
// it hands out is thread-safe, except WritableFile (one thread at a time).
#ifndef BENNU_SRC_BASE_ENV_H_
#define BENNU_SRC_BASE_ENV_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"

namespace bennu {

// Reads at any position; any number of threads at once.
class RandomAccessFile {
 public:
  virtual ~RandomAccessFile() = default;

  // Reads exactly 'length' bytes at 'offset' into 'out' (caller owns, at least 'length' bytes).
  // Corruption: the file ends before offset + length. IoError: the read failed.
  virtual Status ReadExact(uint64_t offset, size_t length, char* out) const = 0;

  // Tells the system that [offset, offset + length) will be read soon. A hint: never fails.
  virtual void ReadAhead(uint64_t offset, uint64_t length) const = 0;

  virtual uint64_t size() const = 0;  // bytes, as of opening
  virtual const std::string& path() const = 0;
};

// Appends to one file. One thread at a time.
class WritableFile {
 public:
  virtual ~WritableFile() = default;  // closes without syncing

  // Hands the bytes to the operating system before returning; they survive the process, not the
  // machine. On an error some prefix may have been written: size() tells how much is certain.
  virtual Status Append(ByteView data) = 0;
  // Forces what was appended to the device (fdatasync). After a failure nothing is known of
  // unsynced bytes, and trying again proves nothing: treat the file as lost.
  virtual Status Sync() = 0;
  virtual Status Close() = 0;
  virtual uint64_t size() const = 0;  // bytes appended successfully since creation
  virtual const std::string& path() const = 0;
};

// Held as long as the object lives.
class DirectoryLock {
 public:
  virtual ~DirectoryLock() = default;

  // What others that are refused are told of the holder, one line, beside its process id.
  virtual Status SetNote(const std::string& /*note*/) { return Status::Ok(); }
};

// What stands at a path.
struct PathShape {
  enum class Kind { kMissing, kFile, kDirectory, kFifo, kSocket, kDevice };
  // Of what a symbolic link leads to: kMissing when it leads nowhere, or in a circle.
  Kind kind = Kind::kMissing;
  bool is_link = false;
  bool is_readable = true;  // may be read, or listed and entered, by this process
};

// "a directory", "a symbolic link that leads nowhere", "a FIFO", …
std::string PathShapeText(const PathShape& shape);

class Env {
 public:
  virtual ~Env() = default;

  // The operating system's own. Lives as long as the process.
  static Env* Default();

  // ---- files; paths are UTF-8, '/' separated. NotFound when the path does not exist;
  // InvalidArgument when it has a zero byte, where the system would take it to end. Files are made
  // for their owner to write and his group to read, directories likewise.
  // InvalidArgument: what is there is no regular file. That is told at once, even of a FIFO.
  virtual Result<std::unique_ptr<RandomAccessFile>> OpenForRead(const std::string& path) = 0;
  // Creates 'path', which must not exist (AlreadyExists).
  virtual Result<std::unique_ptr<WritableFile>> CreateFile(const std::string& path) = 0;
  // The whole file, which the caller knows to be small or its own.
  virtual Result<Bytes> ReadFile(const std::string& path);
  // Writes 'content' to path + ".tmp-…", syncs, renames over 'path' and syncs the directory, so
  // that a reader or a crash sees the old content or the new, never a part.
  virtual Status WriteFileAtomically(const std::string& path, ByteView content);

  virtual Result<bool> Exists(const std::string& path) = 0;
  virtual Result<uint64_t> FileSize(const std::string& path) = 0;
  // When the file was last written, renamed or linked: wall clock, milliseconds since 1970.
  // NotSupported: that is not known.
  virtual Result<int64_t> ChangeMillis(const std::string& path);
  virtual Result<bool> IsDirectory(const std::string& path) = 0;
  // Does not open it. Where an Env has no links and special files of its own, it is made of the
  // calls above.
  virtual Result<PathShape> Shape(const std::string& path);
  // Names (not paths) of the entries, sorted, without "." and "..".
  virtual Result<std::vector<std::string>> ListDirectory(const std::string& path) = 0;
  // Creates the directory and its missing parents; existing is fine.
  virtual Status CreateDirectories(const std::string& path) = 0;
  // The same, and what it created is durable: each new entry's directory is synced.
  Status CreateDurableDirectories(const std::string& path);
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  // Gives a file a second name, which must not exist (AlreadyExists); the bytes are there once.
  // NotSupported: the two places are on different file systems, or this one has no such thing.
  virtual Status LinkFile(const std::string& from, const std::string& to);
  virtual Status RemoveFile(const std::string& path) = 0;
  virtual Status RemoveTree(const std::string& path) = 0;        // missing is fine
  virtual Status RemoveEmptyDirectory(const std::string& path);  // FailedPrecondition: not empty
  // Makes the bytes of a file durable that somebody else may have written. Not its entry.
  virtual Status SyncFile(const std::string& path) = 0;
  virtual Status TruncateFile(const std::string& path, uint64_t size) = 0;
  // Makes creations, renames and removals in 'path' durable.
  virtual Status SyncDirectory(const std::string& path) = 0;

  // Takes 'path' (created if missing) for this process and writes the pid into it.
  // Held: another process has it; its pid is in the message.
  virtual Result<std::unique_ptr<DirectoryLock>> LockFile(const std::string& path) = 0;
  // For directories that may not be written: keeps holders of LockFile out, not other callers of
  // this, and changes nothing. Held; NotFound: there is no such file, so that nobody holds it.
  virtual Result<std::unique_ptr<DirectoryLock>> LockFileToRead(const std::string& path);

  // ---- time and randomness
  virtual int64_t NowMillis() = 0;  // wall clock, milliseconds since 1970, UTC
  virtual uint64_t MonotonicNanos() = 0;
  // The system's own are not to be foreseen by those who know earlier ones.
  virtual uint64_t RandomU64() = 0;
  virtual void SleepMicros(uint64_t micros) = 0;
};

// Joins with one '/' between.
std::string JoinPath(std::string_view directory, std::string_view name);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_ENV_H_
