// How a test's own process ends when something does not hold: at once, and under its program's
// name. Others of its processes may be anywhere, so that nothing is unwound.
#ifndef BENNU_TESTS_SUPPORT_VIOLATION_H_
#define BENNU_TESTS_SUPPORT_VIOLATION_H_

#include <errno.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

#include "bennu/status.h"

namespace bennu {

[[noreturn]] inline void Violation(const std::string& what) {
  std::fprintf(stderr, "%s: violation: %s\n", program_invocation_short_name, what.c_str());
  std::fflush(stderr);
  ::_exit(1);
}

inline void Must(const Status& status, const std::string& what) {
  if (!status.ok()) Violation(what + ": " + status.ToString());
}

template <typename T>
T Must(Result<T> result, const std::string& what) {
  if (!result.ok()) Violation(what + ": " + result.status().ToString());
  return std::move(result).value();
}

}  // namespace bennu

#endif  // BENNU_TESTS_SUPPORT_VIOLATION_H_
