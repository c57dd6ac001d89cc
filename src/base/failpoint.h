// Named places where a test may make the process die or an operation fail.
//
//   BENNU_FAILPOINT("store.flush.before_rename");
//
// Costs one relaxed atomic load while nothing is armed. A crash test arms points through the
// environment variable BENNU_FAILPOINTS ("name=kill@N" dies with SIGKILL at the N-th passage,
// "name=error@N" makes it return IoError) or with ArmFailpoints. Every point that a process passes
// is counted, so a test can check that each named point was hit. Thread-safe.
//
// The calls by which Env::Default() changes the file system are points as well, by kind:
// env.create, env.append, env.sync, env.rename, env.link, env.unlink, env.rmdir, env.mkdir,
// env.truncate, env.syncdir, env.lock; env.any is passed by each of them. So a test can try the
// N-th for all N. Death and errors (EIO) come in place of the call. More can be asked of them:
//   full@N   ENOSPC
//   short@N  of an append: half of the bytes are written, then ENOSPC
//   torn@N   of an append: half of the bytes are written, then SIGKILL
// They are counted only while one of them is armed, and do not stand in the log but for a death.
#ifndef BENNU_SRC_BASE_FAILPOINT_H_
#define BENNU_SRC_BASE_FAILPOINT_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/base/status_macros.h"

namespace bennu {

namespace internal {
extern std::atomic<bool> g_failpoints_active;
extern std::atomic<bool> g_env_failpoints_active;
Status PassFailpoint(std::string_view name);
}  // namespace internal

// What a call of the file system is to do in place of its work.
enum class EnvFault : uint8_t { kNone, kError, kFull, kShort, kTorn };

namespace internal {
EnvFault PassEnvFailpoint(std::string_view name);
}  // namespace internal

// Passes the point of a call of the file system. Does not return when it is the place of a death.
inline EnvFault EnvFailpoint(std::string_view name) {
  if (!internal::g_env_failpoints_active.load(std::memory_order_relaxed)) return EnvFault::kNone;
  return internal::PassEnvFailpoint(name);
}
// The death of a torn append, once it has written its half.
[[noreturn]] void DieAtEnvFailpoint(std::string_view name);

// "name=action@N[,…]", action is kill or error, or one of those above; empty disarms all.
// InvalidArgument: bad text.
Status ArmFailpoints(std::string_view spec);
// How often an armed point was passed since it was armed; 0 when it is not armed.
uint64_t FailpointPassages(std::string_view name);
// Reads BENNU_FAILPOINTS; when BENNU_FAILPOINT_LOG names a file, each passage of a point for the
// first time, and the point of death, is appended to it as a line. Called once at start.
Status ArmFailpointsFromEnvironment();

}  // namespace bennu

// Inside a function that returns Status or Result.
#define BENNU_FAILPOINT(name)                                                     \
  do {                                                                            \
    if (::bennu::internal::g_failpoints_active.load(std::memory_order_relaxed)) { \
      RETURN_IF_ERROR(::bennu::internal::PassFailpoint(name));                    \
    }                                                                             \
  } while (false)

#endif  // BENNU_SRC_BASE_FAILPOINT_H_
