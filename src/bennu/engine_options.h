// What a database's options mean to the engine below it.
#ifndef BENNU_SRC_BENNU_ENGINE_OPTIONS_H_
#define BENNU_SRC_BENNU_ENGINE_OPTIONS_H_

#include "bennu/database.h"
#include "src/bennu/memory_plan.h"
#include "src/engine/open.h"

namespace bennu::front {

// InvalidArgument: a property of 'options' whose value cannot be, less memory than works. Names
// that nobody reads are passed over.
Result<engine::EngineOptions> EngineOptionsOf(const DatabaseOptions& options,
                                              const MemoryPlan& memory);

// The plan for this machine. bennu.memory of the configuration stands for options.memory_bytes
// where that is 0.
MemoryPlan PlanMemory(const DatabaseOptions& options);

}  // namespace bennu::front

#endif  // BENNU_SRC_BENNU_ENGINE_OPTIONS_H_
