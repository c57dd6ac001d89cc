// `bennu shell`: HBase's shell, on a directory.
#ifndef BENNU_SRC_CLI_HBASE_SHELL_COMMAND_H_
#define BENNU_SRC_CLI_HBASE_SHELL_COMMAND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/cli/exit_code.h"
#include "src/cli/store_conf.h"

namespace bennu::cli {

struct HBaseShellOptions {
  std::string target = "./bennu-data";
  std::string script;                 // a file; empty: standard input
  std::vector<std::string> commands;  // -e
  StoreArguments store;
  bool noninteractive = false;  // stops at the first error
  bool quiet = false;           // no prompts and no echo of what is read from a file
  bool read_only = false;
  std::string version;  // of this program
};

ExitCode RunHBaseShell(const HBaseShellOptions& options);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_HBASE_SHELL_COMMAND_H_
