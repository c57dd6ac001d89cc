// An Env for tests that misbehaves on demand: it fails the n-th write or sync, runs out of disk,
// and takes back what a machine may lose when its power fails.
//
//   FaultInjectionEnv env(Env::Default());
//   env.FailSyncs(3);                 // the third sync from now on fails, and all later ones
//   …
//   env.DropUnsynced();               // as after a power failure; close all files first
//
// What survives DropUnsynced is only what the contract of Env promises: of each file the bytes
// before its last Sync, and of each directory the entries as of its last SyncDirectory
// (unsynced_changes.h). What was there when this Env was made is taken as synced.
// Thread-safe; the target must outlive this.
#ifndef BENNU_SRC_BASE_FAULT_ENV_H_
#define BENNU_SRC_BASE_FAULT_ENV_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "src/base/forwarding_env.h"
#include "src/base/mutex.h"
#include "src/base/unsynced_changes.h"

namespace bennu {

class FaultInjectionEnv : public ForwardingEnv {
 public:
  explicit FaultInjectionEnv(Env* target);
  // 'aside': where removed files are kept until their removal is durable, a directory of this
  // Env's own, on the file system of what is tested. Without it one of the system's temporary
  // directory.
  FaultInjectionEnv(Env* target, std::string aside);

  // ---- faults; each call replaces the one before

  // The n-th Append from now on (1 is the next) and all later ones write nothing and return
  // IoError.
  void FailWrites(uint64_t n);
  // The same for Sync; the unsynced bytes are lost at the next DropUnsynced.
  void FailSyncs(uint64_t n);
  // The n-th SyncDirectory from now on and all later ones return IoError; what they were to make
  // durable is there, and is lost at the next DropUnsynced.
  void FailDirectorySyncs(uint64_t n);
  // Appends take 'bytes' more in all; the one that goes beyond writes what fits and returns
  // NoSpace.
  void SetFreeSpace(uint64_t bytes);
  // Ends all of the above.
  void ClearFaults();

  // In place of the n-th change of the file system from now on the power fails: what was not synced
  // is lost, all of it (seed 0) or some, and 'then' is called, which must end the process.
  void CutPower(uint64_t n, uint64_t seed, std::function<void()> then);

  // Takes the unsynced bytes and entries back.
  Status DropUnsynced();

  uint64_t write_count() const;  // Append calls so far, failed ones included
  uint64_t sync_count() const;   // Sync calls so far, failed ones included

  // ---- Env
  Result<std::unique_ptr<RandomAccessFile>> OpenForRead(const std::string& path) override;
  Result<std::unique_ptr<WritableFile>> CreateFile(const std::string& path) override;
  Status CreateDirectories(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status LinkFile(const std::string& from, const std::string& to) override;
  Status RemoveFile(const std::string& path) override;
  Status RemoveTree(const std::string& path) override;
  Status RemoveEmptyDirectory(const std::string& path) override;
  Status SyncFile(const std::string& path) override;
  Status TruncateFile(const std::string& path, uint64_t size) override;
  Status SyncDirectory(const std::string& path) override;

 private:
  friend class FaultWritableFile;

  static constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

  // Of a file: like its own, with faults.
  Status Append(WritableFile* file, ByteView data);
  Status Sync(WritableFile* file, const UnsyncedChanges::DurableSize& durable);
  // How many of 'wanted' bytes may be written.
  uint64_t BeforeWrite(uint64_t wanted, Status* failure) REQUIRES(mu_);
  void BeforeChange() REQUIRES(mu_);  // where the power may fail

  mutable Mutex mu_;
  uint64_t write_count_ GUARDED_BY(mu_) = 0;
  uint64_t sync_count_ GUARDED_BY(mu_) = 0;
  uint64_t failing_write_ GUARDED_BY(mu_) = kNever;  // counts as write_count_ does
  uint64_t failing_sync_ GUARDED_BY(mu_) = kNever;
  uint64_t directory_syncs_left_ GUARDED_BY(mu_) = kNever;  // until they fail
  uint64_t free_bytes_ GUARDED_BY(mu_) = kNever;
  uint64_t changes_until_cut_ GUARDED_BY(mu_) = kNever;
  uint64_t cut_seed_ GUARDED_BY(mu_) = 0;
  std::function<void()> after_cut_ GUARDED_BY(mu_);
  UnsyncedChanges unsynced_ GUARDED_BY(mu_);
};

}  // namespace bennu

#endif  // BENNU_SRC_BASE_FAULT_ENV_H_
