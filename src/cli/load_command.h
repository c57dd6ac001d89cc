// bennu load: a CSV file into a table, in durable batches.
#ifndef BENNU_SRC_CLI_LOAD_COMMAND_H_
#define BENNU_SRC_CLI_LOAD_COMMAND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/cli/exit_code.h"
#include "src/cli/store_conf.h"

namespace bennu::cli {

struct LoadOptions {
  std::string directory;
  std::string table;
  std::string file;     // .gz and .zst are unpacked; "-" is standard input
  std::string columns;  // separated by commas; empty: the header's, or the table's order
  bool no_header = false;
  std::string null_text;  // an unquoted field with this text is NULL, as the empty one is
  std::string delimiter;  // one byte, or \t; empty: what the first line tells
  uint64_t batch_rows = 1000;
  std::string tenant;            // whose rows they are; empty: no tenant's
  std::string skip_errors_file;  // empty: the first bad line stops the load
  StoreArguments store;
};

// Prints `loaded N rows in S s (R rows/s)` last.
ExitCode RunLoad(const LoadOptions& options);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_LOAD_COMMAND_H_
