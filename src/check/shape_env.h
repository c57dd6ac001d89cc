// An Env for the checker, through which what is no file or no directory reads as a damaged one.
//
// A link that leads nowhere, a directory in place of a file, a FIFO, a file that this process may
// not read: to the calls of an Env these are errors like that of a failing disk, which ends a
// check. Here they are Corruption, or an empty directory, and are noted, so that each check tells
// them as it tells a damaged file of its kind and goes on. Errors of the disk stay what they are.
// Thread-safe; the target must outlive this.
#ifndef BENNU_SRC_CHECK_SHAPE_ENV_H_
#define BENNU_SRC_CHECK_SHAPE_ENV_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/base/forwarding_env.h"
#include "src/base/mutex.h"

namespace bennu::check {

// What stands where it was no use.
struct OddShape {
  std::string what;         // "a FIFO, where a file is expected"
  bool is_readable = true;  // false: it may be sound, this process may only not read it
};

class ShapeEnv final : public ForwardingEnv {
 public:
  explicit ShapeEnv(Env* target) : ForwardingEnv(target) {}

  // By path, those that were asked for since this was made.
  std::map<std::string, OddShape> odd() const;

  Result<std::unique_ptr<RandomAccessFile>> OpenForRead(const std::string& path) override;
  Result<bool> Exists(const std::string& path) override;
  Result<uint64_t> FileSize(const std::string& path) override;
  Result<bool> IsDirectory(const std::string& path) override;
  Result<std::vector<std::string>> ListDirectory(const std::string& path) override;

 private:
  // Notes what keeps 'path' from being read as a 'wanted' and returns it as Corruption, which names
  // the path; 'error' when it is what it must be, or nothing.
  Status Explain(const std::string& path, PathShape::Kind wanted, const Status& error);
  Status Note(const std::string& path, OddShape odd);

  mutable Mutex mu_;
  std::map<std::string, OddShape> odd_ GUARDED_BY(mu_);
};

}  // namespace bennu::check

#endif  // BENNU_SRC_CHECK_SHAPE_ENV_H_
