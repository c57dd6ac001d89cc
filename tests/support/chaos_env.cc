#include "tests/support/chaos_env.h"

#include <utility>

#include "src/base/status_macros.h"

namespace bennu::testing {

namespace {

class ChaosReadFile final : public RandomAccessFile {
 public:
  ChaosReadFile(ChaosEnv* env, std::unique_ptr<RandomAccessFile> target)
      : env_(env), target_(std::move(target)) {}

  Status ReadExact(uint64_t offset, size_t length, char* out) const override {
    RETURN_IF_ERROR(env_->MayFailRead(path()));
    return target_->ReadExact(offset, length, out);
  }
  void ReadAhead(uint64_t offset, uint64_t length) const override {
    target_->ReadAhead(offset, length);
  }
  uint64_t size() const override { return target_->size(); }
  const std::string& path() const override { return target_->path(); }

 private:
  ChaosEnv* const env_;
  const std::unique_ptr<RandomAccessFile> target_;
};

class ChaosWriteFile final : public WritableFile {
 public:
  ChaosWriteFile(ChaosEnv* env, std::unique_ptr<WritableFile> target)
      : env_(env), target_(std::move(target)) {}

  Status Append(ByteView data) override {
    Status fault;
    const size_t part = env_->MayCutWrite(data.size(), path(), &fault);
    if (part > 0) RETURN_IF_ERROR(target_->Append(data.substr(0, part)));
    return fault;
  }
  Status Sync() override {
    RETURN_IF_ERROR(env_->MayFail("sync", path()));
    return target_->Sync();
  }
  Status Close() override { return target_->Close(); }
  uint64_t size() const override { return target_->size(); }
  const std::string& path() const override { return target_->path(); }

 private:
  ChaosEnv* const env_;
  const std::unique_ptr<WritableFile> target_;
};

}  // namespace

bool ChaosEnv::Roll() {
  const uint64_t one_in = one_in_.load(std::memory_order_relaxed);
  if (one_in == 0 || target_->RandomU64() % one_in != 0) return false;
  injected_.fetch_add(1);
  return true;
}

Status ChaosEnv::MayFail(const char* call, const std::string& path) {
  if (!Roll()) return Status::Ok();
  return IoError(std::string("injected: ") + call + " " + path);
}

Status ChaosEnv::MayFailRead(const std::string& path) {
  return fail_reads_.load(std::memory_order_relaxed) ? MayFail("read", path) : Status::Ok();
}

size_t ChaosEnv::MayCutWrite(size_t size, const std::string& path, Status* fault) {
  if (!Roll()) return size;
  if (target_->RandomU64() % 2 == 0) {
    *fault = IoError("injected: write " + path);
    return 0;
  }
  *fault = Status(StatusCode::kNoSpace, "injected: no space for " + path);
  return size == 0 ? 0 : target_->RandomU64() % size;
}

Result<std::unique_ptr<RandomAccessFile>> ChaosEnv::OpenForRead(const std::string& path) {
  RETURN_IF_ERROR(MayFailRead(path));
  ASSIGN_OR_RETURN(auto file, target_->OpenForRead(path));
  return std::unique_ptr<RandomAccessFile>(new ChaosReadFile(this, std::move(file)));
}

Result<std::unique_ptr<WritableFile>> ChaosEnv::CreateFile(const std::string& path) {
  RETURN_IF_ERROR(MayFail("create", path));
  ASSIGN_OR_RETURN(auto file, target_->CreateFile(path));
  return std::unique_ptr<WritableFile>(new ChaosWriteFile(this, std::move(file)));
}

Result<std::vector<std::string>> ChaosEnv::ListDirectory(const std::string& path) {
  RETURN_IF_ERROR(MayFailRead(path));
  return target_->ListDirectory(path);
}

Status ChaosEnv::CreateDirectories(const std::string& path) {
  RETURN_IF_ERROR(MayFail("make directory", path));
  return target_->CreateDirectories(path);
}

Status ChaosEnv::Rename(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(MayFail("rename", from));
  return target_->Rename(from, to);
}

Status ChaosEnv::RemoveFile(const std::string& path) {
  RETURN_IF_ERROR(MayFail("remove", path));
  return target_->RemoveFile(path);
}

Status ChaosEnv::RemoveTree(const std::string& path) {
  RETURN_IF_ERROR(MayFail("remove", path));
  return target_->RemoveTree(path);
}

Status ChaosEnv::TruncateFile(const std::string& path, uint64_t size) {
  RETURN_IF_ERROR(MayFail("truncate", path));
  return target_->TruncateFile(path, size);
}

Status ChaosEnv::SyncDirectory(const std::string& path) {
  RETURN_IF_ERROR(MayFail("sync directory", path));
  return target_->SyncDirectory(path);
}

Status ChaosEnv::LinkFile(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(MayFail("link", from));
  return target_->LinkFile(from, to);
}

Status ChaosEnv::RemoveEmptyDirectory(const std::string& path) {
  RETURN_IF_ERROR(MayFail("remove", path));
  return target_->RemoveEmptyDirectory(path);
}

}  // namespace bennu::testing
