// A table of a store that this process opens.
#ifndef BENNU_SRC_CLI_STORE_LOAD_TARGET_H_
#define BENNU_SRC_CLI_STORE_LOAD_TARGET_H_

#include <memory>
#include <string>

#include "bennu/database.h"
#include "src/cli/load_target.h"

namespace bennu::cli {

// 'tenant': whose rows they are; empty: no tenant's. Errors as of an opening.
Result<std::unique_ptr<LoadTarget>> OpenStoreLoadTarget(const std::string& directory,
                                                        DatabaseOptions options,
                                                        const std::string& tenant);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_STORE_LOAD_TARGET_H_
