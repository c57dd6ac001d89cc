// HFiles as a client's bulk load asks for them, by what the engine knows of them.
#ifndef BENNU_SRC_CLI_LOAD_TOOLS_H_
#define BENNU_SRC_CLI_LOAD_TOOLS_H_

#include <memory>

#include "src/client/load_tools.h"

namespace bennu::cli {

std::shared_ptr<client::LoadTools> MakeLoadTools();

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_LOAD_TOOLS_H_
