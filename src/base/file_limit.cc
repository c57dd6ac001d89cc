#include "src/base/file_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <string>

namespace bennu {

uint64_t RaiseOpenFileLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur == limit.rlim_max) return limit.rlim_cur;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before;
}

Status CheckOpenFiles(int descriptor) {
  constexpr rlim_t kKeptMax = 128;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return Status::Ok();
  }
  const rlim_t kept = std::min(limit.rlim_cur / 8, kKeptMax);
  if (static_cast<rlim_t>(descriptor) < limit.rlim_cur - kept) return Status::Ok();
  return IoError("too many open files: the process may have " + std::to_string(limit.rlim_cur) +
                 ", the last " + std::to_string(kept) +
                 " of them for connections and what is written; raise its limit (ulimit -Hn)");
}

}  // namespace bennu
