// What is asked of a cluster's master and servers: switches, work done from time to time, servers,
// regions' places, procedures and locks. Only on a server; a directory has none of it.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "src/base/status_macros.h"
#include "src/shell/command.h"
#include "src/shell/options.h"

namespace bennu::shell {

namespace {

using api::ClusterControl;
using Switch = ClusterControl::Switch;

// What Ruby gives for a command that ends with showing a row.
Value OneRow() { return Value::Integer(1); }

std::string TextOf(bool value) { return value ? "true" : "false"; }

Result<std::vector<std::string>> ServerNames(const Arguments& arguments, size_t from) {
  std::vector<std::string> names;
  for (size_t i = from; i < arguments.size(); ++i) {
    const auto* const array = arguments[i].As<Value::Array>();
    for (const Value& each : array != nullptr ? *array : Value::Array{arguments[i]}) {
      if (each.As<Bytes>() == nullptr) {
        return InvalidArgument("a server's name in quotes is wanted, not " + each.Inspect());
      }
      names.push_back(*each.As<Bytes>());
    }
  }
  return names;
}

// ---- switches

Result<Value> Flip(const Environment& environment, Switch which, const Value& argument) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const bool on, BooleanOf("the switch", argument));
  ASSIGN_OR_RETURN(const bool before, cluster->SetSwitch(which, on));
  environment.printer->Line(TextOf(before));
  return OneRow();
}

Result<Value> Tell(const Environment& environment, Switch which) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const bool on, cluster->GetSwitch(which));
  environment.printer->Line(TextOf(on));
  return OneRow();
}

template <Switch kWhich>
Result<Value> RunSwitch(const Environment& environment, const Arguments& arguments) {
  return Flip(environment, kWhich, arguments[0]);
}

template <Switch kWhich>
Result<Value> RunEnabled(const Environment& environment, const Arguments& /*arguments*/) {
  return Tell(environment, kWhich);
}

// Of these HBase's shell gives the state as the value.
Result<Value> RunBalanceSwitch(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const bool on, BooleanOf("the switch", arguments[0]));
  ASSIGN_OR_RETURN(const bool before, cluster->SetSwitch(Switch::kBalancer, on));
  environment.printer->Line("Previous balancer state : " + TextOf(before));
  return Value::String(TextOf(before));
}

Result<Value> RunBalancerEnabled(const Environment& environment, const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const bool on, cluster->GetSwitch(Switch::kBalancer));
  environment.printer->Line(TextOf(on));
  return Value::Boolean(on);
}

Result<Value> SetThrottling(const Environment& environment, bool on) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const bool before, cluster->SetSwitch(Switch::kRpcThrottle, on));
  environment.printer->Line("Previous rpc throttle state : " + TextOf(before));
  return Value::String(TextOf(before));
}

Result<Value> RunEnableThrottle(const Environment& environment, const Arguments& /*arguments*/) {
  return SetThrottling(environment, true);
}

Result<Value> RunDisableThrottle(const Environment& environment, const Arguments& /*arguments*/) {
  return SetThrottling(environment, false);
}

Result<Switch> SplitOrMerge(const Value& type) {
  if (type.ToText() == "SPLIT") return Switch::kSplit;
  if (type.ToText() == "MERGE") return Switch::kMerge;
  return InvalidArgument("only SPLIT or MERGE accepted for type!");
}

Result<Value> RunSplitOrMergeSwitch(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Switch which, SplitOrMerge(arguments[0]));
  return Flip(environment, which, arguments[1]);
}

Result<Value> RunSplitOrMergeEnabled(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const Switch which, SplitOrMerge(arguments[0]));
  return Tell(environment, which);
}

Result<Value> RunCompactionSwitch(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const bool on, BooleanOf("the switch", arguments[0]));
  ASSIGN_OR_RETURN(const auto servers, ServerNames(arguments, 1));
  ASSIGN_OR_RETURN(const auto before, cluster->SwitchCompactions(on, servers));
  environment.printer->Header("['SERVER'", "'PREV_STATE']");  // as HBase's shell has it
  for (const auto& [server, was_on] : before) environment.printer->Row(server, TextOf(was_on));
  environment.printer->Footer(before.size());
  return Value();
}

// ---- work that is otherwise done from time to time

Result<Value> RunBalancer(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  const Value& force = ArgumentAt(arguments, 0);
  ASSIGN_OR_RETURN(const bool ran, cluster->RunBalancer(force.ToText() == "force"));
  environment.printer->Line(TextOf(ran));
  return OneRow();
}

Result<Value> RunNormalize(const Environment& environment, const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const bool ran, cluster->RunNormalizer());
  environment.printer->Line(TextOf(ran));
  return OneRow();
}

Result<Value> RunCatalogJanitor(const Environment& environment, const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const int64_t cleaned, cluster->RunCatalogJanitor());
  return Value::Integer(cleaned);
}

Result<Value> RunCleanerChore(const Environment& environment, const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const bool ran, cluster->RunCleanerChore());
  return Value::Boolean(ran);
}

Result<Value> RunHbckChore(const Environment& environment, const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const bool ran, cluster->RunHbckChore());
  return Value::Boolean(ran);
}

// ---- servers

Value ListNames(const Environment& environment, std::string_view title,
                const std::vector<std::string>& names) {
  environment.printer->Header(title);
  for (const std::string& name : names) environment.printer->Row(name);
  environment.printer->Footer(names.size());
  return Value();
}

Result<Value> RunListLive(const Environment& environment, const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const auto state, cluster->ReadState());
  std::vector<std::string> names;
  for (const auto& server : state.servers) names.push_back(server.name);
  return ListNames(environment, "SERVERNAME", names);
}

Result<Value> RunListDead(const Environment& environment, const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const auto state, cluster->ReadState());
  return ListNames(environment, "SERVERNAME", state.dead_servers);
}

Result<Value> RunListUnknown(const Environment& environment, const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const auto state, cluster->ReadState());
  return ListNames(environment, "SERVERNAME", state.unknown_servers);
}

Result<Value> RunListDecommissioned(const Environment& environment,
                                    const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const auto names, cluster->ListDecommissioned());
  return ListNames(environment, "DECOMMISSIONED REGION SERVERS", names);
}

Result<Value> RunClearDead(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const auto servers, ServerNames(arguments, 0));
  ASSIGN_OR_RETURN(const auto left, cluster->ClearDeadServers(servers));
  if (left.empty()) {
    environment.printer->Line("true");
    return OneRow();
  }
  environment.printer->Line("Some dead server clear failed");
  return ListNames(environment, "SERVERNAME", left);
}

Result<Value> RunInTransition(const Environment& environment, const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const auto state, cluster->ReadState());
  for (const std::string& region : state.regions_in_transition) environment.printer->Line(region);
  environment.printer->Footer(state.regions_in_transition.size());
  return Value();
}

Result<Value> RunInMaintenanceMode(const Environment& environment, const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const bool on, cluster->IsInMaintenanceMode());
  environment.printer->Line(TextOf(on));
  return Value::Boolean(on);
}

Result<Value> RunWalRoll(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  RETURN_IF_ERROR(cluster->RollLog(arguments[0].ToText()));
  return Value();
}

Result<Value> RunUpdateConfig(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  RETURN_IF_ERROR(cluster->UpdateConfiguration(arguments[0].ToText()));
  return Value();
}

Result<Value> RunUpdateAllConfig(const Environment& environment, const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const auto state, cluster->ReadState());
  for (const auto& server : state.servers) {
    RETURN_IF_ERROR(cluster->UpdateConfiguration(server.name));
  }
  return Value();
}

Result<Value> RunClearQueues(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  std::vector<std::string> queues = {"long", "short"};
  if (arguments.size() > 1 && !arguments[1].is_nil()) {
    ASSIGN_OR_RETURN(queues, ServerNames(arguments, 1));
  }
  for (const std::string& queue : queues) {
    if (queue == "long" || queue == "short") continue;
    return InvalidArgument(
        fmt::format("Unknown queue name {}; there are 'long' and 'short'", queue));
  }
  RETURN_IF_ERROR(cluster->ClearCompactionQueues(arguments[0].ToText(), queues));
  return Value();
}

Result<Value> RunCompactServer(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  bool major = false;
  if (const Value& given = ArgumentAt(arguments, 1); !given.is_nil()) {
    ASSIGN_OR_RETURN(major, BooleanOf("whether it is a major compaction", given));
  }
  RETURN_IF_ERROR(cluster->CompactServer(arguments[0].ToText(), major));
  return Value();
}

Result<Value> RunStopServer(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  RETURN_IF_ERROR(cluster->StopServer(arguments[0].ToText()));
  return Value();
}

Result<Value> RunStopMaster(const Environment& environment, const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  RETURN_IF_ERROR(cluster->StopMaster());
  return Value();
}

// ---- regions

Result<Value> RunAssign(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  RETURN_IF_ERROR(cluster->AssignRegion(arguments[0].ToText()));
  return Value();
}

Result<Value> RunUnassign(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  bool force = false;
  if (const Value& given = ArgumentAt(arguments, 1); !given.is_nil()) {
    ASSIGN_OR_RETURN(force, BooleanOf("force", given));
  }
  RETURN_IF_ERROR(cluster->UnassignRegion(arguments[0].ToText(), force));
  return Value();
}

Result<Value> RunMove(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  std::optional<std::string> server;
  if (const Value& given = ArgumentAt(arguments, 1); !given.is_nil()) server = given.ToText();
  RETURN_IF_ERROR(cluster->MoveRegion(arguments[0].ToText(), server));
  return Value();
}

Result<Value> RunCloseRegion(const Environment& environment, const Arguments& /*arguments*/) {
  environment.printer->Line("DEPRECATED!!! Use 'unassign' command instead.");
  return Value();
}

Result<Value> RunClearBlockCache(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const TableName table, ExistingTable(environment, arguments[0]));
  ASSIGN_OR_RETURN(const uint64_t blocks, cluster->ClearBlockCache(table));
  environment.printer->Line(fmt::format("CacheEvictionStats{{evictedBlocks={}}}", blocks));
  return OneRow();
}

// ---- procedures

Result<Value> RunListProcedures(const Environment& environment, const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const auto procedures, cluster->ListProcedures());
  Printer* const printer = environment.printer;
  printer->Columns({"PID", "Name", "State", "Submitted", "Last_Update", "Parameters"});
  for (const auto& procedure : procedures) {
    printer->Columns({std::to_string(procedure.id), procedure.class_name, procedure.state,
                      TimeText(procedure.submitted_millis), TimeText(procedure.updated_millis),
                      "[]"});
  }
  printer->Footer(procedures.size());
  return Value();
}

Result<Value> RunListLocks(const Environment& environment, const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const auto locks, cluster->ListLocks());
  Printer* const printer = environment.printer;
  for (const auto& lock : locks) {
    printer->Line(fmt::format("{}({})", lock.type, lock.name));
    printer->Line(lock.owner.has_value()
                      ? fmt::format("Lock type: EXCLUSIVE, procedure: {}", *lock.owner)
                      : fmt::format("Lock type: SHARED, count: {}", lock.shared_count));
    if (!lock.waiting.empty()) {
      printer->Header("Waiting procedures");
      for (const uint64_t id : lock.waiting) printer->Row(std::to_string(id));
      printer->Footer(lock.waiting.size());
    }
    printer->Line("");
  }
  return Value();
}

Result<Value> RunAbortProcedure(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const int64_t id, IntegerOf("a procedure's number", arguments[0]));
  bool may_interrupt = true;
  if (const Value& given = ArgumentAt(arguments, 1); !given.is_nil()) {
    ASSIGN_OR_RETURN(may_interrupt, BooleanOf("whether what runs is interrupted", given));
  }
  ASSIGN_OR_RETURN(const bool aborted,
                   cluster->AbortProcedure(static_cast<uint64_t>(id), may_interrupt));
  environment.printer->Line(TextOf(aborted));
  return OneRow();
}

}  // namespace

std::vector<Command> ClusterCommands() {
  constexpr size_t kAny = Command::kAnyCount;
  return {
      {"assign", "tools", 1, 1, RunAssign, false},
      {"balance_switch", "tools", 1, 1, RunBalanceSwitch, false},
      {"balancer", "tools", 0, 1, RunBalancer, false},
      {"balancer_enabled", "tools", 0, 0, RunBalancerEnabled, false},
      {"catalogjanitor_enabled", "tools", 0, 0, RunEnabled<Switch::kCatalogJanitor>, false},
      {"catalogjanitor_run", "tools", 0, 0, RunCatalogJanitor, false},
      {"catalogjanitor_switch", "tools", 1, 1, RunSwitch<Switch::kCatalogJanitor>, false},
      {"cleaner_chore_enabled", "tools", 0, 0, RunEnabled<Switch::kCleanerChore>, false},
      {"cleaner_chore_run", "tools", 0, 0, RunCleanerChore, false},
      {"cleaner_chore_switch", "tools", 1, 1, RunSwitch<Switch::kCleanerChore>, false},
      {"clear_block_cache", "tools", 1, 1, RunClearBlockCache, false},
      {"clear_compaction_queues", "tools", 1, 2, RunClearQueues, false},
      {"clear_deadservers", "tools", 0, kAny, RunClearDead, false},
      {"close_region", "tools", 1, 2, RunCloseRegion, false},
      {"compact_rs", "tools", 1, 2, RunCompactServer, false},
      {"compaction_switch", "tools", 1, kAny, RunCompactionSwitch, false},
      {"hbck_chore_run", "tools", 0, 0, RunHbckChore, false},
      {"is_in_maintenance_mode", "tools", 0, 0, RunInMaintenanceMode, false},
      {"list_deadservers", "tools", 0, 0, RunListDead, false},
      {"list_decommissioned_regionservers", "tools", 0, 0, RunListDecommissioned, false},
      {"list_liveservers", "tools", 0, 0, RunListLive, false},
      {"list_unknownservers", "tools", 0, 0, RunListUnknown, false},
      {"move", "tools", 1, 2, RunMove, false},
      {"normalize", "tools", 0, 1, RunNormalize, false},
      {"normalizer_enabled", "tools", 0, 0, RunEnabled<Switch::kNormalizer>, false},
      {"normalizer_switch", "tools", 1, 1, RunSwitch<Switch::kNormalizer>, false},
      {"rit", "tools", 0, 0, RunInTransition, false},
      {"snapshot_cleanup_enabled", "tools", 0, 0, RunEnabled<Switch::kSnapshotCleanup>, false},
      {"snapshot_cleanup_switch", "tools", 1, 1, RunSwitch<Switch::kSnapshotCleanup>, false},
      {"splitormerge_enabled", "tools", 1, 1, RunSplitOrMergeEnabled, false},
      {"splitormerge_switch", "tools", 2, 2, RunSplitOrMergeSwitch, false},
      {"stop_master", "tools", 0, 0, RunStopMaster, false},
      {"stop_regionserver", "tools", 1, 1, RunStopServer, false},
      {"unassign", "tools", 1, 2, RunUnassign, false},
      {"wal_roll", "tools", 1, 1, RunWalRoll, false},
      {"update_all_config", "configuration", 0, 0, RunUpdateAllConfig, false},
      {"update_config", "configuration", 1, 1, RunUpdateConfig, false},
      {"disable_rpc_throttle", "quotas", 0, 0, RunDisableThrottle, false},
      {"enable_rpc_throttle", "quotas", 0, 0, RunEnableThrottle, false},
      {"abort_procedure", "procedures", 1, 2, RunAbortProcedure, false},
      {"list_locks", "procedures", 0, 0, RunListLocks, false},
      {"list_procedures", "procedures", 0, 0, RunListProcedures, false},
  };
}

}  // namespace bennu::shell
