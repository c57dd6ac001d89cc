// bennu bulkload, export and import: HFiles into a table and out of one (docs/bulk-load.md).
#ifndef BENNU_SRC_CLI_TRANSFER_COMMANDS_H_
#define BENNU_SRC_CLI_TRANSFER_COMMANDS_H_

#include <cstdint>
#include <string>

#include "src/cli/exit_code.h"
#include "src/cli/store_conf.h"

namespace bennu::cli {

struct BulkLoadCommand {
  std::string directory;  // or a cluster, whose servers see the same files
  StoreArguments store;   // of a server: its properties are those of HBase's clients
  std::string table;      // see FindTable; with 'create' exactly as HBase names it
  std::string folder;
  bool move = false;
  bool create = false;
};

// Prints `loaded N files (C cells, B bytes) into R regions in S s` last.
ExitCode RunBulkLoad(const BulkLoadCommand& command);

struct ExportCommand {
  std::string directory;  // or a cluster, as above
  StoreArguments store;
  std::string table;  // see FindTable
  std::string folder;
  std::string start_row;  // \xHH stands for a byte
  std::string stop_row;
  int64_t min_time = 0;  // milliseconds since 1970
  int64_t max_time = INT64_MAX;
  int32_t versions = INT32_MAX;
  bool raw = false;
  uint64_t file_bytes = 1ull << 30;
};

// Prints `exported C cells into N files (B bytes) in S s` last.
ExitCode RunExport(const ExportCommand& command);

struct ImportCommand {
  std::string directory;  // or a cluster, as above
  StoreArguments store;
  std::string folder;
  std::string table;  // empty: the one that the folder names
  bool move = false;
  bool sql = false;  // with the SQL definition that the store has of the folder's table
};

// Prints what RunBulkLoad prints.
ExitCode RunImport(const ImportCommand& command);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_TRANSFER_COMMANDS_H_
