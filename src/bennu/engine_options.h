// What a database's options mean to the engine below it.
#ifndef BENNU_SRC_BENNU_ENGINE_OPTIONS_H_
#define BENNU_SRC_BENNU_ENGINE_OPTIONS_H_

#include "bennu/database.h"
#include "src/bennu/memory_plan.h"
#include "src/engine/open.h"

namespace bennu::front {

// InvalidArgument: a property of 'options' whose value can not be.
Result<engine::EngineOptions> EngineOptionsOf(const DatabaseOptions& options,
                                              const MemoryPlan& memory);

// The plan for this machine.
MemoryPlan PlanMemory(const DatabaseOptions& options);

}  // namespace bennu::front

#endif  // BENNU_SRC_BENNU_ENGINE_OPTIONS_H_
