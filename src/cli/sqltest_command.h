// bennu sqltest: runs recorded SQL (sqltest_file.h) and tells what does not come out as recorded.
#ifndef BENNU_SRC_CLI_SQLTEST_COMMAND_H_
#define BENNU_SRC_CLI_SQLTEST_COMMAND_H_

#include <string>
#include <vector>

#include "src/cli/exit_code.h"
#include "src/cli/sqltest_modes.h"

namespace bennu::cli {

struct SqlTestOptions {
  std::vector<std::string> paths;    // files and folders
  std::string scratch_directory;     // where stores are made; empty: a temporary folder
  std::string deviations_directory;  // empty: none
  std::string pending_file;          // empty: none
  std::string cluster;               // whose tables are used, and dropped; empty: scratch stores
  std::string exceptions_file;       // what the cluster cannot do; empty: nothing
  SqlTestModes modes;                // none: as it was recorded
  std::vector<std::string> conf;     // of the scratch stores, each NAME=VALUE
};

// Prints a diff for each failure and, last, `N passed, N failed, N pending`, with modes also `, N
// not applicable`, with a cluster also `, N exceptions`, after their number for each reason. An
// exception that passes is a failure. Ends well only with no failure.
ExitCode RunSqlTest(const SqlTestOptions& options);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SQLTEST_COMMAND_H_
