#include "src/sql/exec/spill.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/base/status_macros.h"

namespace bennu::sql::exec {
namespace {

// Small enough for a writer of each partition and a reader of each of many runs at one time.
constexpr size_t kWriteBytes = 64 << 10;
constexpr size_t kReadBytes = 32 << 10;
// A record is its length, 4 bytes of this machine's order, and its bytes.
constexpr size_t kLengthBytes = sizeof(uint32_t);

}  // namespace

Status SpillReader::Need(size_t bytes) {
  if (buffer_.size() - position_ >= bytes) return Status::Ok();
  buffer_.erase(0, position_);
  position_ = 0;
  const size_t have = buffer_.size();
  const size_t wanted = std::max(bytes, kReadBytes);
  const auto more = static_cast<size_t>(std::min<uint64_t>(wanted - have, end_ - next_));
  buffer_.resize(have + more);
  RETURN_IF_ERROR(file_->ReadExact(next_, more, buffer_.data() + have));
  next_ += more;
  if (buffer_.size() < bytes) {
    return Corruption("temporary file " + file_->path() + " ends within a record");
  }
  return Status::Ok();
}

Result<bool> SpillReader::Next(ByteView* record) {
  if (next_ == end_ && position_ == buffer_.size()) return false;
  RETURN_IF_ERROR(Need(kLengthBytes));
  uint32_t length = 0;
  std::memcpy(&length, buffer_.data() + position_, kLengthBytes);
  RETURN_IF_ERROR(Need(kLengthBytes + length));
  *record = ByteView(buffer_).substr(position_ + kLengthBytes, length);
  position_ += kLengthBytes + length;
  return true;
}

SpillFile::~SpillFile() {
  (void)file_->Close();
  (void)env_->RemoveFile(file_->path());
}

Status SpillFile::Append(ByteView record) {
  const auto length = static_cast<uint32_t>(record.size());
  buffer_.append(reinterpret_cast<const char*>(&length), kLengthBytes);
  buffer_.append(record);
  return buffer_.size() < kWriteBytes ? Status::Ok() : Flush();
}

Status SpillFile::Flush() {
  if (buffer_.empty()) return Status::Ok();
  RETURN_IF_ERROR(file_->Append(buffer_));
  buffer_.clear();
  return Status::Ok();
}

Result<std::unique_ptr<SpillReader>> SpillFile::Read(uint64_t begin, uint64_t end) const {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, env_->OpenForRead(file_->path()));
  return std::make_unique<SpillReader>(std::move(file), begin, end);
}

SpillSpace::~SpillSpace() {
  if (made_) (void)env_->RemoveTree(directory_);
}

Result<std::unique_ptr<SpillFile>> SpillSpace::NewFile() {
  std::string path;
  {
    MutexLock lock(&mu_);
    if (!made_) {
      RETURN_IF_ERROR(env_->RemoveTree(directory_));  // a crash may have left files
      RETURN_IF_ERROR(env_->CreateDirectories(directory_));
      made_ = true;
    }
    path = JoinPath(directory_, "rows-" + std::to_string(next_++));
  }
  ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, env_->CreateFile(path));
  return std::make_unique<SpillFile>(env_, std::move(file));
}

}  // namespace bennu::sql::exec
