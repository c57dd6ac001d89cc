#include "src/shell/help.h"

#include <fmt/format.h>

#include <algorithm>

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

struct MissingGroup {
  std::string_view about;
  std::string_view names;  // with a space between two
};

// Commands of HBase's shell 2.5.
constexpr MissingGroup kMissing[] = {
    {"the servers of a cluster, and what its master does on them",
     "clear_slowlog_responses decommission_regionservers get_balancer_decisions "
     "get_balancer_rejections get_largelog_responses get_slowlog_responses processlist "
     "recommission_regionserver regioninfo trace zk_dump"},
    {"how store files are kept track of", "change_sft change_sft_all"},
    {"replication between clusters",
     "add_peer append_peer_exclude_namespaces append_peer_exclude_tableCFs "
     "append_peer_namespaces append_peer_tableCFs disable_peer disable_table_replication "
     "enable_peer enable_table_replication get_peer_config list_peer_configs list_peers "
     "list_replicated_tables remove_peer remove_peer_exclude_namespaces "
     "remove_peer_exclude_tableCFs remove_peer_namespaces remove_peer_tableCFs "
     "set_peer_bandwidth set_peer_exclude_namespaces set_peer_exclude_tableCFs "
     "set_peer_namespaces set_peer_replicate_all set_peer_serial set_peer_tableCFs "
     "show_peer_tableCFs update_peer_config"},
    {"quotas", "disable_exceed_throttle_quota enable_exceed_throttle_quota list_snapshot_sizes"},
    {"who may do what",
     "add_labels clear_auths get_auths grant list_labels list_security_capabilities revoke "
     "set_auths set_visibility user_permission"},
    {"groups of region servers",
     "add_rsgroup alter_rsgroup_config balance_rsgroup get_namespace_rsgroup get_rsgroup "
     "get_server_rsgroup get_table_rsgroup list_rsgroups move_namespaces_rsgroup "
     "move_servers_namespaces_rsgroup move_servers_rsgroup move_servers_tables_rsgroup "
     "move_tables_rsgroup remove_rsgroup remove_servers_rsgroup rename_rsgroup "
     "show_rsgroup_config"},
};

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
  printer->Line("Of HBase's shell, not here:");
  for (const MissingGroup& group : kMissing) {
    printer->Line(fmt::format("  About {}: {}", group.about, group.names));
  }
  printer->Line("");
}

}  // namespace

std::string WhyMissing(std::string_view name) {
  for (const MissingGroup& group : kMissing) {
    const std::string names = fmt::format(" {} ", group.names);
    if (name.find(' ') != name.npos || names.find(fmt::format(" {} ", name)) == names.npos)
      continue;
    return fmt::format(
        "{} is not here: it is about {}, which this shell leaves alone; HBase's own shell can ask "
        "a "
        "running server for it",
        name, group.about);
  }
  return "";
}

void ShowHelp(const Environment& environment, std::string_view name) {
  Printer* const printer = environment.printer;
  if (const Command* const command = FindCommand(name)) return printer->Line(HelpOf(command->name));
  if (const std::string why = WhyMissing(name); !why.empty()) return printer->Line(why);
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
