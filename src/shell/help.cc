#include "src/shell/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace bennu::shell {

namespace {

constexpr std::string_view kUsage =
    R"help(Names of tables, columns and rows stand in quotes; commas separate the arguments. Named arguments
are written KEY => value, in braces where other arguments follow. A statement ends with the line,
unless a bracket is open or the line ends with a comma.

  create 't', {NAME => 'f', VERSIONS => 3}
  put 't', 'row', 'f:q', 'value'
  scan 't', {LIMIT => 10, FILTER => "PrefixFilter('r')"}

In double quotes "\x00\xff" are bytes, in single quotes they are not:

  get 't', "key\x03\x3f"

The language is the part of Ruby that such commands need: strings, numbers, arrays, hashes,
variables (t = get_table 't'), +, # comments. Loops and blocks are not part of it.)help";

// Sorted.
constexpr std::string_view kClusterCommands[] = {"add_labels",
                                                 "add_peer",
                                                 "add_rsgroup",
                                                 "append_peer_namespaces",
                                                 "append_peer_tableCFs",
                                                 "assign",
                                                 "balance_rsgroup",
                                                 "balance_switch",
                                                 "balancer",
                                                 "balancer_enabled",
                                                 "catalogjanitor_enabled",
                                                 "catalogjanitor_run",
                                                 "catalogjanitor_switch",
                                                 "clear_block_cache",
                                                 "clear_compaction_queues",
                                                 "clear_deadservers",
                                                 "close_region",
                                                 "compact_rs",
                                                 "compaction_switch",
                                                 "decommission_regionservers",
                                                 "disable_peer",
                                                 "disable_table_replication",
                                                 "enable_peer",
                                                 "enable_table_replication",
                                                 "get_peer_config",
                                                 "grant",
                                                 "hbck_chore_run",
                                                 "list_deadservers",
                                                 "list_liveservers",
                                                 "list_locks",
                                                 "list_peers",
                                                 "list_procedures",
                                                 "list_quotas",
                                                 "list_replicated_tables",
                                                 "list_rsgroups",
                                                 "list_security_capabilities",
                                                 "move",
                                                 "normalize",
                                                 "normalizer_enabled",
                                                 "normalizer_switch",
                                                 "processlist",
                                                 "regioninfo",
                                                 "remove_peer",
                                                 "revoke",
                                                 "rit",
                                                 "set_quota",
                                                 "splitormerge_enabled",
                                                 "splitormerge_switch",
                                                 "stop_master",
                                                 "stop_regionserver",
                                                 "trace",
                                                 "unassign",
                                                 "update_all_config",
                                                 "update_config",
                                                 "user_permission",
                                                 "wal_roll",
                                                 "zk_dump"};

void ShowGroup(const Environment& environment, std::string_view name) {
  for (const Command& command : Commands()) {
    if (command.group != name) continue;
    environment.printer->Line(fmt::format("Command: {}", command.name));
    environment.printer->Line(HelpOf(command.name));
    environment.printer->Line("");
  }
}

void ShowGroups(const Environment& environment) {
  Printer* const printer = environment.printer;
  printer->Line("Bennu's HBase shell, version " + environment.version);
  printer->Line("help 'COMMAND' tells about a command, help 'GROUP' about all of a group.");
  printer->Line("\nCOMMAND GROUPS:");
  for (const CommandGroup& group : CommandGroups()) {
    std::string names;
    for (const Command& command : Commands()) {
      if (command.group != group.name) continue;
      names += (names.empty() ? "" : ", ") + std::string(command.name);
    }
    printer->Line(fmt::format("  Group name: {} ({})", group.name, group.title));
    printer->Line(fmt::format("  Commands: {}\n", names));
  }
}

}  // namespace

bool IsClusterCommand(std::string_view name) {
  return std::binary_search(std::begin(kClusterCommands), std::end(kClusterCommands), name);
}

void ShowHelp(const Environment& environment, std::string_view name) {
  Printer* const printer = environment.printer;
  if (const Command* const command = FindCommand(name)) return printer->Line(HelpOf(command->name));
  const auto& groups = CommandGroups();
  if (std::any_of(groups.begin(), groups.end(),
                  [&](const CommandGroup& group) { return group.name == name; })) {
    return ShowGroup(environment, name);
  }
  if (!name.empty()) {
    printer->Line(fmt::format("ERROR: Invalid command or command group name: {}\n", name));
  }
  ShowGroups(environment);
  if (name.empty()) {
    printer->Line("SHELL USAGE:");
    printer->Line(kUsage);
  }
}

}  // namespace bennu::shell
