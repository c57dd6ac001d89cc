// A clock for waiting: it never jumps.
#ifndef BENNU_SRC_SERVER_NET_CLOCK_H_
#define BENNU_SRC_SERVER_NET_CLOCK_H_

#include <chrono>

#include "src/base/env.h"

namespace bennu::server::net {

inline std::chrono::nanoseconds MonotonicNow() {
  return std::chrono::nanoseconds(Env::Default()->MonotonicNanos());
}

}  // namespace bennu::server::net

#endif  // BENNU_SRC_SERVER_NET_CLOCK_H_
