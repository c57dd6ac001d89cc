// An Env that is another's in all it does: a base for those that change a few calls. ReadFile,
// WriteFileAtomically and CreateDurableDirectories stay made of the calls below, so that they go by
// what was changed. As thread-safe as the target, which must outlive this.
#ifndef BENNU_SRC_BASE_FORWARDING_ENV_H_
#define BENNU_SRC_BASE_FORWARDING_ENV_H_

#include <memory>
#include <string>
#include <vector>

#include "src/base/env.h"

namespace bennu {

class ForwardingEnv : public Env {
 public:
  explicit ForwardingEnv(Env* target) : target_(target) {}

  Result<std::unique_ptr<RandomAccessFile>> OpenForRead(const std::string& path) override {
    return target_->OpenForRead(path);
  }
  Result<std::unique_ptr<WritableFile>> CreateFile(const std::string& path) override {
    return target_->CreateFile(path);
  }
  Result<bool> Exists(const std::string& path) override { return target_->Exists(path); }
  Result<uint64_t> FileSize(const std::string& path) override { return target_->FileSize(path); }
  Result<int64_t> ChangeMillis(const std::string& path) override {
    return target_->ChangeMillis(path);
  }
  Result<bool> IsDirectory(const std::string& path) override { return target_->IsDirectory(path); }
  Result<PathShape> Shape(const std::string& path) override { return target_->Shape(path); }
  Result<std::vector<std::string>> ListDirectory(const std::string& path) override {
    return target_->ListDirectory(path);
  }
  Status CreateDirectories(const std::string& path) override {
    return target_->CreateDirectories(path);
  }
  Status Rename(const std::string& from, const std::string& to) override {
    return target_->Rename(from, to);
  }
  Status LinkFile(const std::string& from, const std::string& to) override {
    return target_->LinkFile(from, to);
  }
  Status RemoveFile(const std::string& path) override { return target_->RemoveFile(path); }
  Status RemoveTree(const std::string& path) override { return target_->RemoveTree(path); }
  Status RemoveEmptyDirectory(const std::string& path) override {
    return target_->RemoveEmptyDirectory(path);
  }
  Status SyncFile(const std::string& path) override { return target_->SyncFile(path); }
  Status TruncateFile(const std::string& path, uint64_t size) override {
    return target_->TruncateFile(path, size);
  }
  Status SyncDirectory(const std::string& path) override { return target_->SyncDirectory(path); }
  Result<std::unique_ptr<DirectoryLock>> LockFile(const std::string& path) override {
    return target_->LockFile(path);
  }
  Result<std::unique_ptr<DirectoryLock>> LockFileToRead(const std::string& path) override {
    return target_->LockFileToRead(path);
  }
  int64_t NowMillis() override { return target_->NowMillis(); }
  uint64_t MonotonicNanos() override { return target_->MonotonicNanos(); }
  uint64_t RandomU64() override { return target_->RandomU64(); }
  void SleepMicros(uint64_t micros) override { target_->SleepMicros(micros); }

 protected:
  Env* const target_;
};

}  // namespace bennu

#endif  // BENNU_SRC_BASE_FORWARDING_ENV_H_
