// bennu sql: statements from the command line, from files, from standard input, or typed in.
#ifndef BENNU_SRC_CLI_SQL_COMMAND_H_
#define BENNU_SRC_CLI_SQL_COMMAND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bennu/status.h"
#include "src/cli/exit_code.h"
#include "src/cli/result_printer.h"
#include "src/cli/store_conf.h"

namespace bennu::cli {

struct SqlOptions {
  std::string directory = "./bennu-data";
  // -c and -f in the order given: true for a file's name, false for the text itself.
  std::vector<std::pair<bool, std::string>> inputs;
  OutputFormat format = OutputFormat::kTable;
  bool timing = false;
  bool keep_going = false;  // --continue
  bool read_only = false;
  StoreArguments store;
  bool echo = false;                      // print each statement before its answer
  std::optional<int64_t> timeout_millis;  // ConnectOptions::query_timeout_millis
  std::string tenant;                     // ConnectOptions::tenant; empty: none
  std::optional<int64_t> scn;  // read as of this time, write with it (Phoenix's CurrentSCN)
};

// The milliseconds since 1970 that --scn means: a whole number is their count, anything else a
// moment in the form of SQL's TO_TIMESTAMP, in UTC where it names no zone. InvalidArgument.
Result<int64_t> ParseScn(const std::string& text);

ExitCode RunSql(const SqlOptions& options);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SQL_COMMAND_H_
