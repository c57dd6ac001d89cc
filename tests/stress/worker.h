// The load: threads that do a bit of everything to an open store, and note it in the model.
#ifndef BENNU_TESTS_STRESS_WORKER_H_
#define BENNU_TESTS_STRESS_WORKER_H_

#include <cstdint>

#include "bennu/table.h"
#include "tests/stress/model.h"
#include "tests/support/memory_store.h"

namespace bennu::stress {

struct LoadOptions {
  uint64_t seed = 0;
  int threads = 4;
  int64_t milliseconds = 500;
  bool may_fail = false;  // faults are being injected: operations may fail, answers stay right
};

// Returns when the time is over, or the store accepts no writes any more. 'mirror': see
// VerifyAndSettle.
void RunLoad(Connection* store, Model* model, testing::MemoryStore* mirror,
             const LoadOptions& options);

}  // namespace bennu::stress

#endif  // BENNU_TESTS_STRESS_WORKER_H_
