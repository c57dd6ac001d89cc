// `bennu snapshot TARGET take|list|describe|clone|restore|delete|export` and `bennu backup`, on a
// directory or on a running server.
#ifndef BENNU_SRC_CLI_SNAPSHOT_COMMAND_H_
#define BENNU_SRC_CLI_SNAPSHOT_COMMAND_H_

#include <cstdint>
#include <string>

#include "src/cli/exit_code.h"
#include "src/cli/result_printer.h"
#include "src/cli/store_conf.h"

namespace bennu::cli {

struct SnapshotCommandOptions {
  enum class Action { kTake, kList, kDescribe, kClone, kRestore, kDelete, kExport };
  Action action = Action::kList;
  std::string directory;
  StoreArguments store;
  std::string name;
  std::string table;   // of take and clone
  std::string target;  // of export
  bool sql = false;    // of clone: with the SQL definition of the snapshot's table
  bool skip_flush = false;
  int64_t ttl_seconds = 0;
  OutputFormat format = OutputFormat::kTable;
};

ExitCode RunSnapshot(const SnapshotCommandOptions& options);

struct BackupCommand {
  std::string directory;
  StoreArguments store;
  std::string target;
};
ExitCode RunBackup(const BackupCommand& command);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SNAPSHOT_COMMAND_H_
