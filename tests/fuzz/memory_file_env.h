// An Env that holds one file in memory, to read from: a fuzz target must not touch the disk.
#ifndef BENNU_TESTS_FUZZ_MEMORY_FILE_ENV_H_
#define BENNU_TESTS_FUZZ_MEMORY_FILE_ENV_H_

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/env.h"

namespace bennu {

class MemoryFile final : public RandomAccessFile {
 public:
  // 'content' must outlive this.
  MemoryFile(std::string path, ByteView content) : path_(std::move(path)), content_(content) {}

  Status ReadExact(uint64_t offset, size_t length, char* out) const override {
    if (offset > content_.size() || length > content_.size() - offset) {
      return Corruption(path_ + ": the file ends before offset " + std::to_string(offset) + " + " +
                        std::to_string(length));
    }
    if (length > 0) std::memcpy(out, content_.data() + offset, length);
    return Status::Ok();
  }
  void ReadAhead(uint64_t, uint64_t) const override {}
  uint64_t size() const override { return content_.size(); }
  const std::string& path() const override { return path_; }

 private:
  const std::string path_;
  const ByteView content_;
};

// Every path is that file; nothing can be written. Time stands still. 'content' must outlive this
// and what it opens.
class MemoryFileEnv final : public Env {
 public:
  explicit MemoryFileEnv(ByteView content) : content_(content) {}

  Result<std::unique_ptr<RandomAccessFile>> OpenForRead(const std::string& path) override {
    return std::unique_ptr<RandomAccessFile>(std::make_unique<MemoryFile>(path, content_));
  }
  Result<bool> Exists(const std::string&) override { return true; }
  Result<uint64_t> FileSize(const std::string&) override { return content_.size(); }
  Result<bool> IsDirectory(const std::string&) override { return false; }

  Result<std::unique_ptr<WritableFile>> CreateFile(const std::string&) override { return Refuse(); }
  Result<std::vector<std::string>> ListDirectory(const std::string&) override { return Refuse(); }
  Status CreateDirectories(const std::string&) override { return Refuse(); }
  Status Rename(const std::string&, const std::string&) override { return Refuse(); }
  Status RemoveFile(const std::string&) override { return Refuse(); }
  Status RemoveTree(const std::string&) override { return Refuse(); }
  Status TruncateFile(const std::string&, uint64_t) override { return Refuse(); }
  Status SyncFile(const std::string&) override { return Refuse(); }
  Status SyncDirectory(const std::string&) override { return Refuse(); }
  Result<std::unique_ptr<DirectoryLock>> LockFile(const std::string&) override { return Refuse(); }

  int64_t NowMillis() override { return 1700000000000; }
  uint64_t MonotonicNanos() override { return 0; }
  uint64_t RandomU64() override { return 4; }
  void SleepMicros(uint64_t) override {}

 private:
  static Status Refuse() { return NotSupported("a file in memory can only be read"); }

  const ByteView content_;
};

}  // namespace bennu

#endif  // BENNU_TESTS_FUZZ_MEMORY_FILE_ENV_H_
