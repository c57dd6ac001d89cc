#include "src/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace bennu::internal {

void CheckFailed(const char* file, int line, const char* expression) {
  std::fprintf(stderr, "bennu: internal check failed: %s (%s:%d); this is a fault of bennu's\n",
               expression, file, line);
  std::fflush(stderr);
  std::abort();
}

}  // namespace bennu::internal
