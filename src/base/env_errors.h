// Errors that every Env of this folder gives in the same words: callers see no difference between
// them.
#ifndef BENNU_SRC_BASE_ENV_ERRORS_H_
#define BENNU_SRC_BASE_ENV_ERRORS_H_

#include <string>

#include "bennu/status.h"
#include "src/base/env.h"

namespace bennu {

// InvalidArgument: a path with a zero byte, where the system would take it to end.
Status CheckPath(const std::string& path);

// 'error' is an errno; 'what' was tried, on which path.
Status ErrnoStatus(int error, const std::string& what);

// Held. 'pid': the holder's; empty when he has not written it yet.
struct LockHolder {
  std::string pid;   // empty: unknown
  std::string note;  // of DirectoryLock::SetNote
};
Status HeldStatus(const std::string& lock_path, const LockHolder& holder);

// InvalidArgument: 'path' cannot be opened, since no file is there.
Status NotAFile(const std::string& path, const PathShape& shape);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_ENV_ERRORS_H_
