#include "src/base/fault_env.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "src/base/check.h"
#include "src/base/log.h"
#include "src/base/status_macros.h"

namespace bennu {

// Keeps to 'env', which must outlive it.
class FaultWritableFile final : public WritableFile {
 public:
  FaultWritableFile(FaultInjectionEnv* env, std::unique_ptr<WritableFile> target,
                    UnsyncedChanges::DurableSize durable)
      : env_(env), target_(std::move(target)), durable_(std::move(durable)) {}

  Status Append(ByteView data) override { return env_->Append(target_.get(), data); }
  Status Sync() override { return env_->Sync(target_.get(), durable_); }
  Status Close() override { return target_->Close(); }
  uint64_t size() const override { return target_->size(); }
  const std::string& path() const override { return target_->path(); }

 private:
  FaultInjectionEnv* const env_;
  const std::unique_ptr<WritableFile> target_;
  const UnsyncedChanges::DurableSize durable_;
};

FaultInjectionEnv::FaultInjectionEnv(Env* target)
    : FaultInjectionEnv(target, std::filesystem::temp_directory_path() /
                                    ("bennu_aside_" + std::to_string(target->RandomU64()))) {}

FaultInjectionEnv::FaultInjectionEnv(Env* target, std::string aside)
    : ForwardingEnv(target), unsynced_(target, std::move(aside)) {}

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

void FaultInjectionEnv::CutPower(uint64_t n, uint64_t seed, std::function<void()> then) {
  MutexLock lock(&mu_);
  changes_until_cut_ = n;
  cut_seed_ = seed;
  after_cut_ = std::move(then);
}

void FaultInjectionEnv::BeforeChange() {
  if (changes_until_cut_ == kNever || --changes_until_cut_ > 0) return;
  const Status status = unsynced_.TakeBack(cut_seed_);
  if (!status.ok()) LogError("the power failure failed: {}", status.ToString());
  BENNU_CHECK(status.ok());
  after_cut_();
}

uint64_t FaultInjectionEnv::BeforeWrite(uint64_t wanted, Status* failure) {
  if (++write_count_ >= failing_write_) {
    *failure = IoError("injected write failure");
    return 0;
  }
  const uint64_t allowed = std::min(wanted, free_bytes_);
  if (free_bytes_ != kNever) free_bytes_ -= allowed;
  if (allowed < wanted) *failure = Status(StatusCode::kNoSpace, "injected full disk");
  return allowed;
}

Status FaultInjectionEnv::Append(WritableFile* file, ByteView data) {
  MutexLock lock(&mu_);
  BeforeChange();
  Status failure;
  const uint64_t allowed = BeforeWrite(data.size(), &failure);
  RETURN_IF_ERROR(file->Append(data.substr(0, allowed)));
  return failure.Annotate("append to " + file->path());
}

Status FaultInjectionEnv::Sync(WritableFile* file, const UnsyncedChanges::DurableSize& durable) {
  MutexLock lock(&mu_);
  BeforeChange();
  if (++sync_count_ >= failing_sync_) {
    return IoError("sync " + file->path() + ": injected sync failure");
  }
  RETURN_IF_ERROR(file->Sync());
  *durable = file->size();
  return Status::Ok();
}

Result<std::unique_ptr<RandomAccessFile>> FaultInjectionEnv::OpenForRead(const std::string& path) {
  return target_->OpenForRead(path);
}

Result<std::unique_ptr<WritableFile>> FaultInjectionEnv::CreateFile(const std::string& path) {
  MutexLock lock(&mu_);
  BeforeChange();
  ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, target_->CreateFile(path));
  return std::unique_ptr<WritableFile>(
      std::make_unique<FaultWritableFile>(this, std::move(file), unsynced_.NoteFile(path)));
}

Status FaultInjectionEnv::CreateDirectories(const std::string& path) {
  MutexLock lock(&mu_);
  std::vector<std::string> missing;
  std::filesystem::path above = path;
  if (!above.has_filename()) above = above.parent_path();  // a slash at the end
  for (; !above.empty(); above = above.parent_path()) {
    ASSIGN_OR_RETURN(const bool exists, target_->Exists(above));
    if (exists) break;
    missing.push_back(above);
  }
  if (missing.empty()) return target_->CreateDirectories(path);
  for (auto directory = missing.rbegin(); directory != missing.rend(); ++directory) {
    BeforeChange();
    RETURN_IF_ERROR(target_->CreateDirectories(*directory));
    unsynced_.NoteCreated(*directory);
  }
  return Status::Ok();
}

Status FaultInjectionEnv::Rename(const std::string& from, const std::string& to) {
  MutexLock lock(&mu_);
  BeforeChange();
  return unsynced_.Rename(from, to);
}

Status FaultInjectionEnv::LinkFile(const std::string& from, const std::string& to) {
  MutexLock lock(&mu_);
  BeforeChange();
  RETURN_IF_ERROR(target_->LinkFile(from, to));
  unsynced_.NoteLink(from, to);
  return Status::Ok();
}

Status FaultInjectionEnv::RemoveFile(const std::string& path) {
  MutexLock lock(&mu_);
  BeforeChange();
  ASSIGN_OR_RETURN(const bool exists, target_->Exists(path));
  if (!exists) return target_->RemoveFile(path);  // which says so
  return unsynced_.RemoveFile(path);
}

Status FaultInjectionEnv::RemoveTree(const std::string& path) {
  MutexLock lock(&mu_);
  BeforeChange();
  ASSIGN_OR_RETURN(const bool exists, target_->Exists(path));
  return exists ? unsynced_.RemoveTree(path) : Status::Ok();
}

Status FaultInjectionEnv::RemoveEmptyDirectory(const std::string& path) {
  MutexLock lock(&mu_);
  BeforeChange();
  const auto names = target_->ListDirectory(path);
  if (!names.ok() || !names->empty()) return target_->RemoveEmptyDirectory(path);  // which says so
  return unsynced_.RemoveTree(path);
}

Status FaultInjectionEnv::SyncFile(const std::string& path) {
  MutexLock lock(&mu_);
  BeforeChange();
  if (++sync_count_ >= failing_sync_) return IoError("sync " + path + ": injected sync failure");
  RETURN_IF_ERROR(target_->SyncFile(path));
  ASSIGN_OR_RETURN(const uint64_t size, target_->FileSize(path));
  unsynced_.NoteFileSynced(path, size);
  return Status::Ok();
}

Status FaultInjectionEnv::TruncateFile(const std::string& path, uint64_t size) {
  MutexLock lock(&mu_);
  BeforeChange();
  RETURN_IF_ERROR(target_->TruncateFile(path, size));
  unsynced_.NoteTruncated(path, size);
  return Status::Ok();
}

Status FaultInjectionEnv::SyncDirectory(const std::string& path) {
  MutexLock lock(&mu_);
  BeforeChange();
  if (directory_syncs_left_ == 0) return IoError("sync " + path + ": told to fail");
  if (directory_syncs_left_ != kNever) --directory_syncs_left_;
  RETURN_IF_ERROR(target_->SyncDirectory(path));
  unsynced_.NoteSynced(path);
  return Status::Ok();
}

Status FaultInjectionEnv::DropUnsynced() {
  MutexLock lock(&mu_);
  return unsynced_.TakeBack(/*seed=*/0);
}

}  // namespace bennu
