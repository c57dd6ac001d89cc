#include "src/base/fault_env.h"

#include <algorithm>
#include <utility>

namespace bennu {

namespace {

std::string_view DirectoryOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view(".") : path.substr(0, slash);
}

std::string_view WithoutTrailingSlash(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

bool IsBelow(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() && path.substr(0, directory.size()) == directory &&
         path[directory.size()] == '/';
}

}  // namespace

// Keeps to 'env', which must outlive it.
class FaultWritableFile final : public WritableFile {
 public:
  FaultWritableFile(FaultInjectionEnv* env, std::unique_ptr<WritableFile> target)
      : env_(env), target_(std::move(target)) {}

  Status Append(ByteView data) override {
    Status failure;
    const uint64_t allowed = env_->BeforeWrite(data.size(), &failure);
    RETURN_IF_ERROR(target_->Append(data.substr(0, allowed)));
    return failure.Annotate("append to " + path());
  }

  Status Sync() override {
    RETURN_IF_ERROR(env_->BeforeSync(path()));
    RETURN_IF_ERROR(target_->Sync());
    env_->AfterSync(path(), target_->size());
    return Status::Ok();
  }

  Status Close() override { return target_->Close(); }
  uint64_t size() const override { return target_->size(); }
  const std::string& path() const override { return target_->path(); }

 private:
  FaultInjectionEnv* const env_;
  const std::unique_ptr<WritableFile> target_;
};

void FaultInjectionEnv::FailWrites(uint64_t n) {
  MutexLock lock(&mu_);
  failing_write_ = write_count_ + n;
}

void FaultInjectionEnv::FailSyncs(uint64_t n) {
  MutexLock lock(&mu_);
  failing_sync_ = sync_count_ + n;
}

void FaultInjectionEnv::FailDirectorySyncs(uint64_t n) {
  MutexLock lock(&mu_);
  directory_syncs_left_ = n - 1;
}

void FaultInjectionEnv::SetFreeSpace(uint64_t bytes) {
  MutexLock lock(&mu_);
  free_bytes_ = bytes;
}

void FaultInjectionEnv::ClearFaults() {
  MutexLock lock(&mu_);
  failing_write_ = kNever;
  failing_sync_ = kNever;
  directory_syncs_left_ = kNever;
  free_bytes_ = kNever;
}

uint64_t FaultInjectionEnv::write_count() const {
  MutexLock lock(&mu_);
  return write_count_;
}

uint64_t FaultInjectionEnv::sync_count() const {
  MutexLock lock(&mu_);
  return sync_count_;
}

uint64_t FaultInjectionEnv::BeforeWrite(uint64_t wanted, Status* failure) {
  MutexLock lock(&mu_);
  if (++write_count_ >= failing_write_) {
    *failure = IoError("injected write failure");
    return 0;
  }
  const uint64_t allowed = std::min(wanted, free_bytes_);
  if (free_bytes_ != kNever) free_bytes_ -= allowed;
  if (allowed < wanted) *failure = Status(StatusCode::kNoSpace, "injected full disk");
  return allowed;
}

Status FaultInjectionEnv::BeforeSync(const std::string& path) {
  MutexLock lock(&mu_);
  if (++sync_count_ >= failing_sync_) return IoError("sync " + path + ": injected sync failure");
  return Status::Ok();
}

void FaultInjectionEnv::AfterSync(const std::string& path, uint64_t size) {
  MutexLock lock(&mu_);
  // Absent when the file was renamed or removed while open: then there is no name to keep it under.
  if (const auto found = synced_size_.find(path); found != synced_size_.end()) {
    found->second = size;
  }
}

Result<std::unique_ptr<RandomAccessFile>> FaultInjectionEnv::OpenForRead(const std::string& path) {
  return target_->OpenForRead(path);
}

Result<std::unique_ptr<WritableFile>> FaultInjectionEnv::CreateFile(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, target_->CreateFile(path));
  MutexLock lock(&mu_);
  synced_size_[path] = 0;
  unsynced_entries_.push_back({"", path, std::nullopt});
  return std::unique_ptr<WritableFile>(std::make_unique<FaultWritableFile>(this, std::move(file)));
}

Status FaultInjectionEnv::Rename(const std::string& from, const std::string& to) {
  UnsyncedEntry entry{from, to, std::nullopt};
  ASSIGN_OR_RETURN(const bool exists, target_->Exists(to));
  if (exists) {
    ASSIGN_OR_RETURN(const bool is_directory, target_->IsDirectory(to));
    if (!is_directory) {
      ASSIGN_OR_RETURN(entry.overwritten, target_->ReadFile(to));
    }
  }
  RETURN_IF_ERROR(target_->Rename(from, to));

  MutexLock lock(&mu_);
  std::map<std::string, uint64_t> moved;
  for (const auto& [path, size] : synced_size_) {
    if (path == to) continue;
    if (path == from) {
      moved[to] = size;
    } else {
      moved[IsBelow(path, from) ? to + path.substr(from.size()) : path] = size;
    }
  }
  synced_size_ = std::move(moved);
  unsynced_entries_.push_back(std::move(entry));
  return Status::Ok();
}

Status FaultInjectionEnv::LinkFile(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(target_->LinkFile(from, to));
  MutexLock lock(&mu_);
  unsynced_entries_.push_back({"", to, std::nullopt});
  return Status::Ok();
}

void FaultInjectionEnv::ForgetPath(const std::string& path) {
  const auto gone = [&](const std::string& other) { return other == path || IsBelow(other, path); };
  std::erase_if(synced_size_, [&](const auto& item) { return gone(item.first); });
  std::erase_if(unsynced_entries_, [&](const UnsyncedEntry& entry) { return gone(entry.to); });
}

Status FaultInjectionEnv::RemoveFile(const std::string& path) {
  RETURN_IF_ERROR(target_->RemoveFile(path));
  MutexLock lock(&mu_);
  ForgetPath(path);
  return Status::Ok();
}

Status FaultInjectionEnv::RemoveTree(const std::string& path) {
  RETURN_IF_ERROR(target_->RemoveTree(path));
  MutexLock lock(&mu_);
  ForgetPath(std::string(WithoutTrailingSlash(path)));
  return Status::Ok();
}

Status FaultInjectionEnv::TruncateFile(const std::string& path, uint64_t size) {
  RETURN_IF_ERROR(target_->TruncateFile(path, size));
  MutexLock lock(&mu_);
  if (const auto found = synced_size_.find(path); found != synced_size_.end()) {
    found->second = std::min(found->second, size);
  }
  return Status::Ok();
}

Status FaultInjectionEnv::SyncDirectory(const std::string& path) {
  {
    MutexLock lock(&mu_);
    if (directory_syncs_left_ == 0) return IoError("sync " + path + ": told to fail");
    if (directory_syncs_left_ != kNever) --directory_syncs_left_;
  }
  RETURN_IF_ERROR(target_->SyncDirectory(path));
  const std::string_view directory = WithoutTrailingSlash(path);
  MutexLock lock(&mu_);
  std::erase_if(unsynced_entries_,
                [&](const UnsyncedEntry& entry) { return DirectoryOf(entry.to) == directory; });
  return Status::Ok();
}

Status FaultInjectionEnv::TakeBack(const UnsyncedEntry& entry) {
  if (entry.from.empty()) return target_->RemoveFile(entry.to);
  RETURN_IF_ERROR(target_->Rename(entry.to, entry.from));
  if (!entry.overwritten.has_value()) return Status::Ok();
  return target_->WriteFileAtomically(entry.to, *entry.overwritten);
}

Status FaultInjectionEnv::DropUnsynced() {
  std::map<std::string, uint64_t> sizes;
  std::vector<UnsyncedEntry> entries;
  {
    MutexLock lock(&mu_);
    sizes.swap(synced_size_);
    entries.swap(unsynced_entries_);
  }
  for (const auto& [path, size] : sizes) {
    ASSIGN_OR_RETURN(const uint64_t present, target_->FileSize(path));
    if (present > size) RETURN_IF_ERROR(target_->TruncateFile(path, size));
  }
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const Status status = TakeBack(*entry);
    // What was removed later under another name is not there any more.
    if (!status.ok() && status.code() != StatusCode::kNotFound) return status;
  }
  return Status::Ok();
}

}  // namespace bennu
