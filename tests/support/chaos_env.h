// An Env whose calls fail now and then: EIO at any of them, and a disk that is full in the middle
// of a write. Unlike FaultInjectionEnv, which fails one chosen call for good, this one is for runs
// of many random faults. Thread-safe; the target must outlive this and what it hands out.
#ifndef BENNU_TESTS_SUPPORT_CHAOS_ENV_H_
#define BENNU_TESTS_SUPPORT_CHAOS_ENV_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "src/base/forwarding_env.h"

namespace bennu::testing {

class ChaosEnv final : public ForwardingEnv {
 public:
  explicit ChaosEnv(Env* target) : ForwardingEnv(target) {}

  // From now on about one in 'n' calls that change or read a file fails; 0: none.
  void FailOneIn(uint64_t n) { one_in_.store(n); }
  // Also reads? They fail without harm to anything, so a run may leave them out.
  void FailReads(bool fail) { fail_reads_.store(fail); }
  void SkipSleeps() { skip_sleeps_.store(true); }
  uint64_t injected() const { return injected_.load(); }

  Result<std::unique_ptr<RandomAccessFile>> OpenForRead(const std::string& path) override;
  Result<std::unique_ptr<WritableFile>> CreateFile(const std::string& path) override;
  Result<std::vector<std::string>> ListDirectory(const std::string& path) override;
  Status CreateDirectories(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status RemoveFile(const std::string& path) override;
  Status RemoveTree(const std::string& path) override;
  Status TruncateFile(const std::string& path, uint64_t size) override;
  Status SyncDirectory(const std::string& path) override;
  Status LinkFile(const std::string& from, const std::string& to) override;
  Status RemoveEmptyDirectory(const std::string& path) override;
  void SleepMicros(uint64_t micros) override {
    if (!skip_sleeps_.load()) target_->SleepMicros(micros);
  }

  // For the files that it hands out. OK, or the fault that this call is to have.
  Status MayFail(const char* call, const std::string& path);
  Status MayFailRead(const std::string& path);
  // How much of a write of 'size' bytes is written before the fault in '*fault'; all when it is OK.
  size_t MayCutWrite(size_t size, const std::string& path, Status* fault);

 private:
  bool Roll();

  std::atomic<uint64_t> one_in_{0};
  std::atomic<bool> fail_reads_{true};
  std::atomic<bool> skip_sleeps_{false};
  std::atomic<uint64_t> injected_{0};
};

}  // namespace bennu::testing

#endif  // BENNU_TESTS_SUPPORT_CHAOS_ENV_H_
