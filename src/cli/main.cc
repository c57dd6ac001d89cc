// The bennu command: reads the command line and hands over.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <memory>

#include "src/base/failpoint.h"
#include "src/cli/check_command.h"
#include "src/cli/hbase_shell_command.h"
#include "src/cli/inspect_commands.h"
#include "src/cli/load_command.h"
#include "src/cli/passwd_command.h"
#include "src/cli/serve_command.h"
#include "src/cli/snapshot_command.h"
#include "src/cli/sql_command.h"
#include "src/cli/sqltest_command.h"
#include "src/cli/transfer_commands.h"

namespace bennu::cli {
namespace {

constexpr char kDescription[] =
    "Bennu: Apache HBase and Apache Phoenix in one small program.\n\n"
    "Opens a directory and runs Phoenix SQL over it, with no server. The directory is an HBase "
    "root\n"
    "directory: HFiles and write-ahead logs in HBase's formats, SYSTEM.CATALOG in Phoenix's "
    "layout.";

constexpr char kFooter[] =
    "Examples:\n"
    "  bennu sql                          the shell, on ./bennu-data\n"
    "  bennu sql data -c \"SELECT 1\"       one statement\n"
    "  bennu sql :memory:                 a store in memory, gone at the end\n"
    "  bennu sql data --format csv -f report.sql > report.csv\n"
    "  bennu load data FLIGHTS flights.csv.zst\n"
    "  bennu shell data                   HBase's shell\n"
    "  bennu serve data                   for clients of HBase and Phoenix, on this machine\n\n"
    "Exit status: 0 success, 1 a statement failed, 2 wrong usage, 3 the store could not be "
    "opened,\n"
    "is held by another process, is damaged, or the disk failed.";

struct Arguments {
  SqlOptions sql;
  std::string format = "auto";
  LoadOptions load;
  CheckCommandOptions check;
  ServeOptions serve;
  PasswdOptions passwd;
  SqlTestOptions sqltest;
  SnapshotCommandOptions snapshot;
  HBaseShellOptions shell;
  BackupCommand backup;
  BulkLoadCommand bulk_load;
  ExportCommand export_table;
  ImportCommand import_table;
  std::string file;
  bool cells = false;
  bool meta = false;
  bool skip_damage = false;
};

void AddConf(CLI::App* command, const char* names, std::vector<std::string>* conf) {
  command
      ->add_option(
          names, *conf,
          "A property of HBase's or Phoenix's, by its name in hbase-site.xml (may be given "
          "again)")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->expected(1)
      ->take_all();
}

// Of tables that are there; those that a command makes are named exactly.
constexpr char kTableHelp[] =
    "The table by its name in HBase, t or ns:t; if there is none, the name in upper case";

constexpr char kConf[] = "--conf";
// Of commands that take a cluster in place of a directory too; -D is the name in HBase's shell.
constexpr char kConfOrD[] = "-D,--conf";
constexpr bool kOrCluster = true;
// How a cluster is named.
constexpr char kClusterHelp[] =
    "a cluster: hbase://ZK1,ZK2:2181/hbase (its ZooKeeper), hbase+rpc://MASTER:16000 or "
    "HOST:PORT (masters or region servers), a URL of jdbc:phoenix:, or hbase: for the cluster "
    "that --config or HBASE_CONF_DIR names";

// "The store, or " and how a cluster is named.
std::string OrCluster(const std::string& store) { return store + ", or " + kClusterHelp; }

// As a size below nothing would be taken for one near the largest number.
std::string CheckSizeText(const std::string& text) {
  if (!text.empty() && text.front() != '-' && text.find_first_not_of("0. ") != std::string::npos) {
    return "";
  }
  return "'" + text + "' is not a size; an example is 2G, and the least size is 1M";
}

// What commands that open a store have in common; 'or_cluster': they take a cluster in its place.
void AddStoreOptions(CLI::App* command, StoreArguments* arguments, bool or_cluster = false) {
  command
      ->add_option("--memory", arguments->memory_bytes,
                   "Memory for caches, unsaved data and queries, such as 512M or 2G "
                   "(default: a quarter of the memory that the process may have)")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Validator(CheckSizeText, ""))
      ->type_name("SIZE");
  AddConf(command, or_cluster ? kConfOrD : kConf, &arguments->conf);
  if (or_cluster) {
    command
        ->add_option("--config", arguments->config_file,
                     "Read HBase's properties for a cluster from this file, in the syntax of "
                     "hbase-site.xml (default: hbase-site.xml in HBASE_CONF_DIR); -D wins over it")
        ->type_name("FILE");
  }
  command->add_flag(
      "--mmap", arguments->map_files,
      "Read store files through mappings of them; a disk error then ends the process");
}

// Phoenix's TenantId.
void AddTenant(CLI::App* command, std::string* tenant, const std::string& help) {
  command->add_option("--tenant", *tenant, help)
      ->check([](const std::string& text) {
        return text.empty() ? "the tenant's name is empty; leave the option out for a connection "
                              "without a tenant"
                            : "";
      })
      ->type_name("NAME");
}

CLI::App* AddSql(CLI::App* app, Arguments* arguments) {
  SqlOptions* options = &arguments->sql;
  CLI::App* command =
      app->add_subcommand("sql", "Run SQL: typed in, from -c, -f or standard input");
  command
      ->add_option("DIR", options->directory,
                   "The store; created when missing. :memory: is one in memory, gone at the end. "
                   "hbase://ZK1,ZK2:2181/hbase is a cluster of HBase's by its ZooKeeper, "
                   "hbase+rpc://MASTER:16000 or HOST:PORT by its servers, hbase: the one that "
                   "--config or HBASE_CONF_DIR names; SQL then runs here, over its tables. "
                   "http://HOST:8765 (or https) is a running `bennu serve`, or Apache's Phoenix "
                   "Query Server; http://USER@HOST:8765 where it wants a user, whose password is "
                   "asked for or stands in the variable BENNU_PASSWORD. For https, "
                   "-D hbase.rpc.tls.truststore.location=FILE tells whom to trust")
      ->default_str("./bennu-data");
  command->add_option("--connect", options->directory, "The same as DIR, for a URL")
      ->type_name("URL");
  // Both kinds share one list, because their order counts.
  command
      ->add_option_function<std::vector<std::string>>(
          "-c,--command",
          [options](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) options->inputs.emplace_back(false, text);
          },
          "Run this SQL (may be given again; -c and -f run in the order given)")
      ->trigger_on_parse()
      ->expected(1)
      ->take_all();
  command
      ->add_option_function<std::vector<std::string>>(
          "-f,--file",
          [options](const std::vector<std::string>& paths) {
            for (const std::string& path : paths) options->inputs.emplace_back(true, path);
          },
          "Run the statements of this file (- is standard input)")
      ->trigger_on_parse()
      ->expected(1)
      ->take_all();
  command->add_option("--format", arguments->format, "The format of results")
      ->check(CLI::IsMember(OutputFormatNames()))
      ->default_str("auto");
  command->add_flag("--timing", options->timing, "Print how long each statement took");
  command->add_flag("--continue", options->keep_going, "Go on after a statement that failed");
  command->add_flag("--echo", options->echo, "Print each statement before its answer");
  command
      ->add_option_function<std::string>(
          "--scn",
          [options](const std::string& text) {
            const Result<int64_t> scn = ParseScn(text);
            if (!scn.ok()) throw CLI::ValidationError("--scn", scn.status().message());
            options->scn = *scn;
          },
          "Read as of this time: milliseconds since 1970, or a moment of UTC such as "
          "'2024-05-01 12:00:00' (Phoenix's CurrentSCN)")
      ->type_name("TIME");
  command
      ->add_option("--timeout", options->timeout_millis,
                   "Statements that take longer fail (Phoenix's phoenix.query.timeoutMs; default: "
                   "600000, 0: none)")
      ->check(CLI::NonNegativeNumber)
      ->type_name("MS");
  AddTenant(command, &options->tenant,
            "See and write only the rows of this tenant (Phoenix's TenantId)");
  command->add_flag("--read-only", options->read_only,
                    "Open what is on disk, beside a process that holds the store");
  AddStoreOptions(command, &options->store, kOrCluster);
  return command;
}

CLI::App* AddLoad(CLI::App* app, Arguments* arguments) {
  LoadOptions* options = &arguments->load;
  CLI::App* command = app->add_subcommand("load", "Load a CSV file into a table");
  command
      ->add_option("DIR", options->directory,
                   "The store; a cluster, as `bennu sql` takes it; or http://HOST:8765 (or https): "
                   "a running `bennu serve`, or "
                   "Apache's Phoenix Query Server")
      ->required();
  command
      ->add_option("TABLE", options->table,
                   "The table by its name in SQL; if there is none, by exactly this name")
      ->required();
  command->add_option("FILE", options->file, "CSV, also .gz or .zst; - is standard input")
      ->required();
  command->add_option("--columns", options->columns,
                      "Names of the file's columns, separated by commas");
  command->add_flag(
      "--no-header", options->no_header,
      "The first line is data; the columns are those of --columns, or the table's in its order");
  command
      ->add_option("--null", options->null_text,
                   "The text that stands for NULL, besides the empty field")
      ->default_str("the empty field");
  command
      ->add_option("--delimiter", options->delimiter,
                   "The byte between fields, \\t for a tab (default: found in the first line: , ; "
                   "| or a tab)")
      ->check([](const std::string& text) {
        return text.size() == 1 || text == "\\t" ? "" : "expected is one byte, or \\t for a tab";
      });
  command->add_option("--batch", options->batch_rows, "Rows per durable batch")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--skip-errors", options->skip_errors_file,
                      "Write lines that do not fit to this file, with their reasons, and go on");
  AddTenant(command, &options->tenant,
            "Load the rows as this tenant's; the file has no tenant column (Phoenix's TenantId)");
  AddStoreOptions(command, &options->store, kOrCluster);
  return command;
}

CLI::App* AddCheck(CLI::App* app, Arguments* arguments) {
  CheckCommandOptions* options = &arguments->check;
  CLI::App* command = app->add_subcommand("check", "Check a store that nobody has open");
  command->add_option("DIR", options->directory, "The store")->required();
  command->add_flag(
      "--repair", options->repair,
      "Repair the store; nothing is deleted, damaged files move to corrupt/ in the store");
  command->add_flag("--indexes", options->indexes,
                    "Compare each index with its table too, both ways");
  command->add_flag("--json", options->json, "Print one JSON object instead of lines");
  command->footer(
      "Examples:\n"
      "  bennu check data              what is wrong, and what --repair would do\n"
      "  bennu check data --repair     do it\n"
      "  bennu check data --indexes    compare the indexes with their tables, too\n\n"
      "Exit status: 0 no fault (there may be warnings), 3 faults are left, or the store is held "
      "by\n"
      "another process or cannot be read.");
  return command;
}

CLI::App* AddServe(CLI::App* app, Arguments* arguments) {
  ServeOptions* options = &arguments->serve;
  CLI::App* command = app->add_subcommand(
      "serve", "Serve the store to clients of HBase and Phoenix, until SIGTERM");
  command
      ->add_option("DIR", options->directory,
                   "The store; created when missing. :memory: is one in memory, gone at the end")
      ->default_str("./bennu-data");
  command
      ->add_option("--cluster", options->cluster,
                   "Serve Phoenix's clients over this cluster in place of a store: "
                   "hbase://ZK1,ZK2:2181/hbase and the other names that `bennu sql` takes")
      ->type_name("CLUSTER");
  command->add_option("--config", options->config_file,
                      "Read HBase's properties from this file, in the syntax of hbase-site.xml; "
                      "the options here win over it");
  command->add_flag("--check-config", options->check_config,
                    "Check the file and the options, print what they mean, and exit");
  command->add_option("--listen", options->address, "The address to listen on")
      ->default_str("127.0.0.1");
  command->add_option("--zk-port", options->zookeeper_port, "ZooKeeper's port; 0: any, none: off")
      ->default_str("2181");
  command->add_option("--master-port", options->master_port, "The master's port; 0: any, none: off")
      ->default_str("16000");
  command
      ->add_option("--rs-port", options->region_server_port,
                   "The region server's port; 0: any, none: off")
      ->default_str("16020");
  command
      ->add_option("--http-port", options->http_port,
                   "The port for console, metrics and health, on 127.0.0.1; 0: any, none: off")
      ->default_str("16010");
  command
      ->add_option(
          "--phoenix-port", options->phoenix_port,
          "The port for Phoenix's clients (its query server's protocol); 0: any, none: off")
      ->default_str("8765");
  command
      ->add_option("--users", options->users_file,
                   "A file of users, made by `bennu passwd`, who alone may ask Phoenix's port "
                   "and see the pages")
      ->type_name("FILE");
  command->add_option("--ready-file", options->ready_file, "Write the ready line to this file too");
  command->add_flag(
      "--allow-unauthenticated", options->allow_unauthenticated,
      "Allow --listen on an address that other machines reach without users and TLS; anybody "
      "there may then read and change all data");
  command
      ->add_option("--log-format", options->log_format,
                   "The format of the log on standard error: text or json")
      ->default_str("text");
  command->add_flag("--verbose", options->verbose, "Log what happens, not only what goes wrong");
  return command;
}

CLI::App* AddPasswd(CLI::App* app, Arguments* arguments) {
  PasswdOptions* options = &arguments->passwd;
  CLI::App* command = app->add_subcommand(
      "passwd", "Add a user to a file of users for bennu serve, or change a password");
  command->add_option("FILE", options->file, "The file; created when missing")->required();
  command->add_option("USER", options->user, "The user")->required();
  command->add_flag("--remove", options->remove, "Take the user out of the file");
  command->footer(
      "On a terminal the password is asked for; otherwise it is the first line of standard "
      "input.\n"
      "A server reads the file at its start and at SIGHUP.\n\n"
      "Examples:\n"
      "  bennu passwd users ann\n"
      "  bennu serve data --users users\n"
      "  bennu sql http://ann@localhost:8765");
  return command;
}

CLI::App* AddSqlTest(CLI::App* app, Arguments* arguments) {
  SqlTestOptions* options = &arguments->sqltest;
  CLI::App* command = app->add_subcommand("sqltest", "Run recorded SQL and compare the answers");
  command->add_option("PATH", options->paths, "Files and folders of *.test files")->required();
  command->add_option("--dir", options->scratch_directory,
                      "Where scratch stores are made (default: a temporary folder)");
  command->add_option("--deviations", options->deviations_directory,
                      "A file of the same relative path here is used instead of the recorded one");
  command->add_option("--pending", options->pending_file,
                      "Records that may fail for now, each `path:line feature`");
  CLI::Option* const cluster = command->add_option(
      "--cluster", options->cluster,
      "Run the files one after another over a cluster that has no tables yet, such as "
      "hbase://127.0.0.1:2181/hbase. All tables that they make are dropped");
  command
      ->add_option("--exceptions", options->exceptions_file,
                   "Records that this cluster cannot answer as recorded, each `path:line reason`. "
                   "They are run and counted, and one that passes is a failure")
      ->needs(cluster);
  command
      ->add_option_function<std::vector<std::string>>(
          "--mode",
          [options](const std::vector<std::string>& names) {
            for (const std::string& name : names) {
              const Status added = AddSqlTestMode(name, &options->modes);
              if (!added.ok()) throw CLI::ValidationError("--mode", added.message());
            }
          },
          kSqlTestModesHelp)
      ->type_name("MODE")
      ->allow_extra_args(false)
      ->expected(1)
      ->take_all();
  AddConf(command, kConf, &options->conf);
  return command;
}

CLI::App* AddSnapshot(CLI::App* app, Arguments* arguments) {
  using Action = SnapshotCommandOptions::Action;
  SnapshotCommandOptions* options = &arguments->snapshot;
  CLI::App* command = app->add_subcommand(
      "snapshot", "Snapshots of tables: taken at once, without copying, in HBase's format");
  command->add_option("DIR", options->directory, OrCluster("The store"))->required();
  AddStoreOptions(command, &options->store, kOrCluster);
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  bennu snapshot data take before_import FLIGHTS\n"
      "  bennu snapshot data list\n"
      "  bennu snapshot data clone before_import FLIGHTS_OLD --sql\n"
      "  bennu snapshot data restore before_import\n"
      "  bennu snapshot data delete before_import\n"
      "  bennu snapshot data export before_import /backup/root\n"
      "  bennu snapshot hbase://localhost take before_import FLIGHTS");
  const auto add = [&](const char* name, Action action, const char* help) {
    CLI::App* one = command->add_subcommand(name, help);
    one->callback([options, action] { options->action = action; });
    if (action != Action::kList) {
      one->add_option("NAME", options->name, "The snapshot")->required();
    }
    return one;
  };
  CLI::App* const take = add("take", Action::kTake, "Take a snapshot of a table");
  take->add_option("TABLE", options->table, kTableHelp)->required();
  take->add_flag("--skip-flush", options->skip_flush,
                 "Leave out data that is only in memory and in the log");
  take->add_option("--ttl", options->ttl_seconds, "Delete the snapshot after this time")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 53))
      ->type_name("SECONDS");
  CLI::App* const list = add("list", Action::kList, "All snapshots");
  CLI::App* const describe = add("describe", Action::kDescribe, "A snapshot and its files");
  for (CLI::App* const shows : {list, describe}) {
    shows->add_option("--format", arguments->format, "The format of the result")
        ->check(CLI::IsMember(OutputFormatNames()))
        ->default_str("auto");
  }
  CLI::App* const clone = add("clone", Action::kClone, "Make a new table of a snapshot");
  clone->add_option("TABLE", options->table, "The new table, as HBase names it")->required();
  clone->add_flag("--sql", options->sql,
                  "Give the new table the SQL definition of the snapshot's table");
  add("restore", Action::kRestore,
      "Put the table back to what it was (disabled meanwhile; a failsafe snapshot is taken first)");
  add("delete", Action::kDelete, "Delete a snapshot; tables made of it stay whole");
  add("export", Action::kExport, "Copy a snapshot and its files into another root directory")
      ->add_option("TARGET", options->target, "The other store, made when missing")
      ->required();
  return command;
}

CLI::App* AddShell(CLI::App* app, Arguments* arguments) {
  HBaseShellOptions* options = &arguments->shell;
  CLI::App* command = app->add_subcommand(
      "shell", "HBase's shell: create, put, scan … on a directory or a cluster");
  command
      ->add_option("TARGET", options->target,
                   OrCluster("The store's directory, created when missing; :memory:, a store in "
                             "memory, gone at the end"))
      ->default_str("./bennu-data");
  command->add_option("SCRIPT", options->script, "Run the commands of this file");
  command
      ->add_option("-e,--execute", options->commands,
                   "Run this command, without echo; stops at the first error (may be given again)")
      ->allow_extra_args(false)
      ->take_all();
  command->add_flag("-n,--noninteractive", options->noninteractive,
                    "Stop at the first error and exit with 1");
  command->add_flag("-q,--quiet", options->quiet,
                    "Show neither prompts nor the lines of a file or pipe");
  AddStoreOptions(command, &options->store, kOrCluster);
  command->add_flag("--read-only", options->read_only,
                    "Open what is on disk, beside a process that holds the store");
  command->footer(
      "Examples:\n"
      "  bennu shell data\n"
      "  bennu shell data -e \"create 't', {NAME => 'f', VERSIONS => 3}\" -e \"list\"\n"
      "  bennu shell data -n setup.txt\n"
      "  bennu shell hbase://zk1,zk2,zk3/hbase -e \"status\"\n"
      "  bennu shell hbase: --config hbase-site.xml\n"
      "  echo \"scan 't', {LIMIT => 10}\" | bennu shell data -q");
  return command;
}

CLI::App* AddBackup(CLI::App* app, Arguments* arguments) {
  CLI::App* command = app->add_subcommand(
      "backup", "Copy a whole store; files are shared by hard links where that is possible");
  BackupCommand* options = &arguments->backup;
  command
      ->add_option("DIR", options->directory,
                   OrCluster("The store, which no other process may hold") +
                       "; of a cluster, a Bennu server, which goes on serving")
      ->required();
  command
      ->add_option("TARGET", options->target,
                   "An empty or missing directory; for a server, on the server's machine")
      ->required();
  AddStoreOptions(command, &options->store, kOrCluster);
  command->footer(
      "Examples:\n"
      "  bennu backup data /backup/data-2024-05-01\n"
      "  bennu backup localhost:16000 /backup/data-2024-05-01");
  return command;
}

CLI::App* AddBulkLoad(CLI::App* app, Arguments* arguments) {
  BulkLoadCommand* options = &arguments->bulk_load;
  CLI::App* command = app->add_subcommand("bulkload", "Take a folder of HFiles into a table");
  command->add_option("DIR", options->directory, OrCluster("The store"))->required();
  command->add_option("TABLE", options->table, kTableHelp)->required();
  command->add_option("FOLDER", options->folder, "Holds FAMILY/HFILE")->required();
  command->add_flag("--move", options->move,
                    "Move files that fit as they are, where the file system allows it");
  command->add_flag("--create", options->create,
                    "Make the table (and the store) if missing, like the files");
  AddStoreOptions(command, &options->store, kOrCluster);
  command->footer(
      "All files are checked first. Files that cross a border between regions are cut there.\n"
      "All cells for one region appear in it at once, or after a failure not at all. Indexes of\n"
      "SQL tables are not updated: rebuild them, or load the files of the index tables too.\n\n"
      "Examples:\n"
      "  bennu bulkload data events hfiles/              copies the files\n"
      "  bennu bulkload data ns:events hfiles/ --move    takes them away\n"
      "  bennu bulkload localhost:16000 events hfiles/   into a running server, which reads them");
  return command;
}

CLI::App* AddExport(CLI::App* app, Arguments* arguments) {
  ExportCommand* options = &arguments->export_table;
  CLI::App* command = app->add_subcommand("export", "Write a table to a folder of HFiles");
  command
      ->add_option("DIR", options->directory,
                   OrCluster("The store, which another process may hold"))
      ->required();
  command->add_option("TABLE", options->table, kTableHelp)->required();
  command->add_option("FOLDER", options->folder, "Empty or missing")->required();
  command->add_option("--start", options->start_row, "The first row; \\xHH is a byte");
  command->add_option("--stop", options->stop_row, "The row to stop before");
  command->add_option("--min-time", options->min_time, "Cells from this time on, ms since 1970")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--max-time", options->max_time, "Cells before this time")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--versions", options->versions,
                   "The most versions of a column (default: all that it keeps)")
      ->check(CLI::Range(1, std::numeric_limits<int32_t>::max()));
  AddStoreOptions(command, &options->store, kOrCluster);
  command->add_flag(
      "--raw", options->raw,
      "Also write deleted cells, delete markers, and every version that is still stored");
  command->add_option("--file-size", options->file_bytes, "Bytes after which a file ends")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->footer(
      "Writes the table as it is at one moment, while it is in use: its descriptor in\n"
      ".tabledesc, its cells in FAMILY/HFILE. `bennu import` and HBase's\n"
      "LoadIncrementalHFiles take such a folder. The SQL definition of a table is in\n"
      "SYSTEM.CATALOG: export it too, and the table's indexes, which are tables of their own.\n\n"
      "Examples:\n"
      "  bennu export data events backup/events\n"
      "  bennu export data events june --min-time 1780272000000 --max-time 1782864000000\n"
      "  bennu export data SYSTEM.CATALOG backup/catalog --raw\n"
      "  bennu export hbase://localhost events events/   from a running server");
  return command;
}

CLI::App* AddImport(CLI::App* app, Arguments* arguments) {
  ImportCommand* options = &arguments->import_table;
  CLI::App* command = app->add_subcommand("import", "Load a folder that `bennu export` wrote");
  command->add_option("DIR", options->directory, OrCluster("The store, created when missing"))
      ->required();
  command->add_option("FOLDER", options->folder, "Holds .tabledesc and FAMILY/HFILE")->required();
  command->add_option("--table", options->table, "The table's name (default: as exported)");
  command->add_flag("--move", options->move,
                    "Move files that fit as they are, where the file system allows it");
  command->add_flag("--sql", options->sql,
                    "Give the table the SQL definition that this store has of the exported table");
  AddStoreOptions(command, &options->store, kOrCluster);
  command->footer(
      "A missing table is made, with regions where the files suggest them. An existing table\n"
      "must have the families of the folder.\n\n"
      "Examples:\n"
      "  bennu import data backup/events\n"
      "  bennu import data backup/events --table events_copy");
  return command;
}

int Main(int argc, char** argv) {
  if (const Status armed = ArmFailpointsFromEnvironment(); !armed.ok()) {
    std::fprintf(stderr, "ERROR: %s\n", armed.ToString().c_str());
    return kExitUsage;
  }
  CLI::App app(kDescription, "bennu");
  app.footer(kFooter);
  app.set_version_flag("--version", "bennu " BENNU_VERSION);
  app.require_subcommand(1);
  Arguments arguments;
  CLI::App* const sql = AddSql(&app, &arguments);
  CLI::App* const load = AddLoad(&app, &arguments);
  CLI::App* const check = AddCheck(&app, &arguments);
  CLI::App* const snapshot = AddSnapshot(&app, &arguments);
  CLI::App* const shell = AddShell(&app, &arguments);
  CLI::App* const backup = AddBackup(&app, &arguments);
  CLI::App* const serve = AddServe(&app, &arguments);
  CLI::App* const passwd = AddPasswd(&app, &arguments);
  CLI::App* const sqltest = AddSqlTest(&app, &arguments);
  CLI::App* const bulk_load = AddBulkLoad(&app, &arguments);
  CLI::App* const export_table = AddExport(&app, &arguments);
  CLI::App* const import_table = AddImport(&app, &arguments);
  CLI::App* const hfile = app.add_subcommand("hfile", "Show what is in an HFile");
  hfile->add_option("FILE", arguments.file, "The HFile")->required();
  CLI::Option* const meta = hfile->add_flag("--meta", arguments.meta,
                                            "Trailer, file info, blocks, indexes (the default)");
  hfile->add_flag("--cells", arguments.cells, "Every cell")->excludes(meta);
  CLI::App* const wal = app.add_subcommand("wal", "Show what is in a write-ahead log");
  wal->add_option("FILE", arguments.file, "The log")->required();
  wal->add_flag("--skip-damage", arguments.skip_damage,
                "Leave damaged stretches out and show what is behind them");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  arguments.sql.format = *OutputFormatByName(arguments.format);
  if (sql->parsed()) return RunSql(arguments.sql);
  if (load->parsed()) return RunLoad(arguments.load);
  if (check->parsed()) return RunCheck(arguments.check);
  if (snapshot->parsed()) {
    arguments.snapshot.format = arguments.sql.format;
    return RunSnapshot(arguments.snapshot);
  }
  if (shell->parsed()) {
    arguments.shell.version = BENNU_VERSION;
    return RunHBaseShell(arguments.shell);
  }
  if (backup->parsed()) return RunBackup(arguments.backup);
  if (serve->parsed()) return RunServe(arguments.serve);
  if (passwd->parsed()) return RunPasswd(arguments.passwd);
  if (sqltest->parsed()) return RunSqlTest(arguments.sqltest);
  if (bulk_load->parsed()) return RunBulkLoad(arguments.bulk_load);
  if (export_table->parsed()) return RunExport(arguments.export_table);
  if (import_table->parsed()) return RunImport(arguments.import_table);
  if (hfile->parsed()) return RunHFile(arguments.file, arguments.cells);
  return RunWal(arguments.file, arguments.skip_damage);
}

}  // namespace
}  // namespace bennu::cli

int main(int argc, char** argv) { return bennu::cli::Main(argc, argv); }
