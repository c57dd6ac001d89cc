// Where queries put rows that memory has no room for: temporary files of records.
#ifndef BENNU_SRC_SQL_EXEC_SPILL_H_
#define BENNU_SRC_SQL_EXEC_SPILL_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/base/env.h"
#include "src/base/mutex.h"

namespace bennu::sql::exec {

// Records [begin, end) of a file, in the order in which they were written. One thread.
class SpillReader {
 public:
  SpillReader(std::unique_ptr<RandomAccessFile> file, uint64_t begin, uint64_t end)
      : file_(std::move(file)), next_(begin), end_(end) {}

  // False at the end. The record is valid until the next call.
  Result<bool> Next(ByteView* record);

 private:
  // Makes 'bytes' further bytes stand at position_.
  Status Need(size_t bytes);

  const std::unique_ptr<RandomAccessFile> file_;
  uint64_t next_;  // of the file, not in the buffer yet
  const uint64_t end_;
  Bytes buffer_;
  size_t position_ = 0;  // in the buffer
};

// Written once, by one thread; then read by several readers. Removed with this object.
class SpillFile {
 public:
  SpillFile(Env* env, std::unique_ptr<WritableFile> file) : env_(env), file_(std::move(file)) {}
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  Status Append(ByteView record);
  // Before it is read.
  Status Flush();
  uint64_t size() const { return file_->size() + buffer_.size(); }
  Result<std::unique_ptr<SpillReader>> Read(uint64_t begin, uint64_t end) const;

 private:
  Env* const env_;
  const std::unique_ptr<WritableFile> file_;
  Bytes buffer_;
};

// A directory for the files of one open store. Thread-safe.
class SpillSpace {
 public:
  // The directory is made with the first file. What is in it from before is removed.
  SpillSpace(Env* env, std::string directory) : env_(env), directory_(std::move(directory)) {}
  ~SpillSpace();  // removes the directory; no files may be left

  Result<std::unique_ptr<SpillFile>> NewFile();

 private:
  Env* const env_;
  const std::string directory_;
  Mutex mu_;
  bool made_ GUARDED_BY(mu_) = false;
  uint64_t next_ GUARDED_BY(mu_) = 0;
};

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_SPILL_H_
