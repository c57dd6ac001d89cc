// Named places where a test may make the process die or an operation fail.
//
//   BENNU_FAILPOINT("store.flush.before_rename");
//
// Costs one relaxed atomic load while nothing is armed. A crash test arms points through the
// environment variable BENNU_FAILPOINTS ("name=kill@N" dies with SIGKILL at the N-th passage,
// "name=error@N" makes it return IoError) or with ArmFailpoint. Every point that a process passes
// is counted, so a test can check that each named point was hit. Thread-safe.
#ifndef BENNU_SRC_BASE_FAILPOINT_H_
#define BENNU_SRC_BASE_FAILPOINT_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"

namespace bennu {

namespace internal {
extern std::atomic<bool> g_failpoints_active;
Status PassFailpoint(std::string_view name);
}  // namespace internal

// "name=action@N[,…]", action is kill or error; empty disarms all. InvalidArgument: bad text.
Status ArmFailpoints(std::string_view spec);
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
