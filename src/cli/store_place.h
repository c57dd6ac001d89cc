// Typing errors that would make a store.
#ifndef BENNU_SRC_CLI_STORE_PLACE_H_
#define BENNU_SRC_CLI_STORE_PLACE_H_

#include <string>

#include "bennu/status.h"
#include "src/cli/exit_code.h"

namespace bennu::cli {

// ":memory:", which is no directory.
bool IsMemoryStore(const std::string& directory);

// Whether 'directory' may name a store that is there. InvalidArgument: there is no such directory,
// and the name looks like the address of a server; the message says what takes one.
Status CheckStoreName(const std::string& directory);

// Whether a store may be created at 'directory'; OK, too, when the directory is there already.
// InvalidArgument: it looks like the address of a server. NotFound: the directory that it is to lie
// in is not there. Both say what to do.
Status CheckStorePlace(const std::string& directory);

// The exit code of such an error: wrong usage, or a store that cannot be opened.
ExitCode ExitCodeOfPlace(const Status& status);

// Whether a store is there, be it held or damaged.
bool StoreExists(const std::string& directory);

// Says on a terminal that a store was created, so that a typing error is noticed.
void TellOfNewStore(const std::string& directory);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_STORE_PLACE_H_
