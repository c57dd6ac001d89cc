// Tables: create, alter, describe, list, enable, disable, drop, truncate …
#include <fmt/format.h>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/shell/command.h"
#include "src/shell/descriptor_arguments.h"
#include "src/shell/descriptor_text.h"

namespace bennu::shell {

namespace {

Value Reference(const TableName& name) {
  return Value(Value::Variant(Value::TableReference{name.ToString()}));
}

Result<Value> RunCreate(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const CreateRequest request, ReadCreate(arguments));
  for (const std::string& note : request.notes) environment.printer->Line(note);
  const Status created = environment.admin()->CreateTable(request.table, request.splits);
  const std::string name = request.table.name.ToString();
  if (created.code() == StatusCode::kAlreadyExists) {
    return AlreadyExists(fmt::format("Table already exists: {}!", name));
  }
  if (created.code() == StatusCode::kNotFound) {
    return NotFound(fmt::format("Unknown namespace {}!", request.table.name.name_space));
  }
  RETURN_IF_ERROR(created);
  environment.printer->Line("Created table " + name);
  return Reference(request.table.name);
}

// Every region follows a change at once.
Status ShowUpdated(const Environment& environment, const TableName& name) {
  ASSIGN_OR_RETURN(const auto table, environment.connection->OpenTable(name));
  const size_t regions = table->regions().size();
  environment.printer->Line(fmt::format("{}/{} regions updated.", regions, regions));
  environment.printer->Line("Done.");
  return Status::Ok();
}

Result<Value> RunAlter(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const TableName name, ParseTableName(arguments[0]));
  ASSIGN_OR_RETURN(const bool exists, environment.admin()->TableExists(name));
  if (!exists) return NotFound("Can't find a table: " + name.ToString());
  ASSIGN_OR_RETURN(const auto table, environment.connection->OpenTable(name));
  TableDescriptor descriptor = table->descriptor();
  std::vector<std::string> notes;
  RETURN_IF_ERROR(ReadAlter(arguments, environment.cluster != nullptr, &descriptor, &notes));
  for (const std::string& note : notes) environment.printer->Line(note);
  if (descriptor.families.empty()) {
    return InvalidArgument("Table should have at least one column family");
  }
  environment.printer->Line("Updating all regions with the new schema...");
  RETURN_IF_ERROR(environment.admin()->AlterTable(descriptor));
  RETURN_IF_ERROR(ShowUpdated(environment, name));
  return Value();
}

Result<Value> RunAlterStatus(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const TableName name, ExistingTable(environment, arguments[0]));
  RETURN_IF_ERROR(ShowUpdated(environment, name));
  return Value();
}

Result<Value> RunDescribe(const Environment& environment, const Arguments& arguments) {
  Printer* const printer = environment.printer;
  ASSIGN_OR_RETURN(const TableName name, ExistingTable(environment, arguments[0]));
  ASSIGN_OR_RETURN(const bool enabled, environment.admin()->IsTableEnabled(name));
  ASSIGN_OR_RETURN(const auto table, environment.connection->OpenTable(name));
  const TableDescriptor descriptor = table->descriptor();
  printer->Header(fmt::format("Table {} is {}", name.ToString(), enabled ? "ENABLED" : "DISABLED"));
  printer->Row(name.ToString() + TableAttributesText(descriptor));
  printer->Header("COLUMN FAMILIES DESCRIPTION");
  for (const ColumnFamilyDescriptor& family : descriptor.families) {
    printer->Row(FamilyText(family));
    printer->Line("");
  }
  printer->Footer(descriptor.families.size());
  printer->Line("Quota is disabled");
  return Value();
}

Result<Value> RunList(const Environment& environment, const Arguments& arguments) {
  environment.printer->Header("TABLE");
  ASSIGN_OR_RETURN(const auto tables, MatchingTables(environment, ArgumentAt(arguments, 0)));
  std::vector<std::string> names;
  for (const TableName& table : tables) {
    names.push_back(table.ToString());
    environment.printer->Row(names.back());
  }
  environment.printer->Footer(names.size());
  return Value::Strings(names);
}

Result<Value> RunExists(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const TableName name, ParseTableName(arguments[0]));
  ASSIGN_OR_RETURN(const bool exists, environment.admin()->TableExists(name));
  environment.printer->Line(
      fmt::format("Table {} {}", name.ToString(), exists ? "does exist" : "does not exist"));
  return Value::Boolean(exists);
}

Result<bool> IsEnabled(const Environment& environment, const Value& value) {
  ASSIGN_OR_RETURN(const TableName name, ParseTableName(value));
  ASSIGN_OR_RETURN(const bool exists, environment.admin()->TableExists(name));
  if (!exists) return NotFound(fmt::format("Unknown table {}!", name.ToString()));
  return environment.admin()->IsTableEnabled(name);
}

Result<Value> ShowTruth(const Environment& environment, bool truth) {
  environment.printer->Line(truth ? "true" : "false");
  return Value::Boolean(truth);
}

Result<Value> RunIsEnabled(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const bool enabled, IsEnabled(environment, arguments[0]));
  return ShowTruth(environment, enabled);
}

Result<Value> RunIsDisabled(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const bool enabled, IsEnabled(environment, arguments[0]));
  return ShowTruth(environment, !enabled);
}

// To be what it already is, is fine.
Status Switch(Admin* admin, const TableName& name, bool enable) {
  ASSIGN_OR_RETURN(const bool enabled, admin->IsTableEnabled(name));
  if (enabled == enable) return Status::Ok();
  return enable ? admin->EnableTable(name) : admin->DisableTable(name);
}

Result<Value> RunEnable(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const TableName name, ExistingTable(environment, arguments[0]));
  RETURN_IF_ERROR(Switch(environment.admin(), name, true));
  return Value();
}

Result<Value> RunDisable(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const TableName name, ExistingTable(environment, arguments[0]));
  RETURN_IF_ERROR(Switch(environment.admin(), name, false));
  return Value();
}

Status Drop(Admin* admin, const TableName& name) {
  ASSIGN_OR_RETURN(const bool enabled, admin->IsTableEnabled(name));
  if (enabled) {
    return FailedPrecondition(
        fmt::format("Table {} is enabled. Disable it first.", name.ToString()));
  }
  return admin->DropTable(name);
}

Result<Value> RunDrop(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const TableName name, ExistingTable(environment, arguments[0]));
  RETURN_IF_ERROR(Drop(environment.admin(), name));
  return Value();
}

// 'verb' and 'done' are for the texts: "Drop" and "dropped".
template <typename Action>
Result<Value> ForAllTables(const Environment& environment, const Arguments& arguments,
                           std::string_view verb, std::string_view done, const Action& action) {
  Printer* const printer = environment.printer;
  if (arguments[0].As<Bytes>() == nullptr) {
    return InvalidArgument("a regular expression in quotes is wanted");
  }
  ASSIGN_OR_RETURN(const auto tables, MatchingTables(environment, arguments[0]));
  if (tables.empty()) {
    printer->Line("No tables matched the regex " + arguments[0].ToText());
    return Value();
  }
  for (const TableName& table : tables) printer->Row(table.ToString());
  if (!Confirmed(environment, fmt::format("{} the above {} tables", verb, tables.size()))) {
    return Value();
  }
  std::string failed;
  size_t failures = 0;
  for (const TableName& table : tables) {
    if (const Status status = action(table); !status.ok()) {
      ++failures;
      failed += (failed.empty() ? "" : ",") + table.ToString();
    }
  }
  printer->Line(fmt::format("{} tables successfully {}", tables.size() - failures, done));
  if (failures > 0) {
    printer->Line(fmt::format("{} tables not {} due to an exception: {}", failures, done, failed));
  }
  return Value();
}

Result<Value> RunDropAll(const Environment& environment, const Arguments& arguments) {
  return ForAllTables(environment, arguments, "Drop", "dropped",
                      [&](const TableName& table) { return Drop(environment.admin(), table); });
}

Result<Value> RunEnableAll(const Environment& environment, const Arguments& arguments) {
  return ForAllTables(environment, arguments, "Enable", "enabled", [&](const TableName& table) {
    return Switch(environment.admin(), table, true);
  });
}

Result<Value> RunDisableAll(const Environment& environment, const Arguments& arguments) {
  return ForAllTables(environment, arguments, "Disable", "disabled", [&](const TableName& table) {
    return Switch(environment.admin(), table, false);
  });
}

Result<Value> Truncate(const Environment& environment, const Value& value, bool keep_splits) {
  Printer* const printer = environment.printer;
  Admin* const admin = environment.admin();
  ASSIGN_OR_RETURN(const TableName name, ParseTableName(value));
  printer->Line(fmt::format("Truncating '{}' table (it may take a while):", name.ToString()));
  const auto table = environment.connection->OpenTable(name);
  if (!table.ok()) return NotFound(fmt::format("Unknown table {}!", name.ToString()));
  printer->Line("Disabling table...");
  RETURN_IF_ERROR(Switch(admin, name, false));
  printer->Line("Truncating table...");
  RETURN_IF_ERROR(admin->TruncateTable(name, keep_splits));
  return Value();
}

Result<Value> RunTruncate(const Environment& environment, const Arguments& arguments) {
  return Truncate(environment, arguments[0], false);
}

Result<Value> RunTruncatePreserve(const Environment& environment, const Arguments& arguments) {
  return Truncate(environment, arguments[0], true);
}

Result<Value> RunGetTable(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const TableName name, ParseTableName(arguments[0]));
  const auto table = environment.connection->OpenTable(name);
  if (!table.ok()) return NotFound(fmt::format("Unknown table {}!", name.ToString()));
  return Reference(name);
}

Result<Value> RunCloneSchema(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const TableName from, ExistingTable(environment, arguments[0]));
  ASSIGN_OR_RETURN(const TableName to, ParseTableName(arguments[1]));
  bool keep_splits = true;
  if (arguments.size() > 2) {
    ASSIGN_OR_RETURN(keep_splits, BooleanOf("whether to keep the splits", arguments[2]));
  }
  ASSIGN_OR_RETURN(const auto table, environment.connection->OpenTable(from));
  TableDescriptor descriptor = table->descriptor();
  descriptor.name = to;
  std::vector<Bytes> splits;
  for (const RegionInfo& region : table->regions()) {
    if (keep_splits && !region.start_key.empty()) splits.push_back(region.start_key);
  }
  const Status created = environment.admin()->CreateTable(descriptor, splits);
  if (created.code() == StatusCode::kAlreadyExists) {
    return AlreadyExists(fmt::format("Table already exists: {}!", to.ToString()));
  }
  RETURN_IF_ERROR(created);
  return Value();
}

}  // namespace

std::vector<Command> TableCommands() {
  return {
      {"create", "ddl", 1, Command::kAnyCount, RunCreate, false},
      {"alter", "ddl", 1, Command::kAnyCount, RunAlter, true},
      {"alter_async", "ddl", 1, Command::kAnyCount, RunAlter, true},
      {"alter_status", "ddl", 1, 1, RunAlterStatus, true},
      {"describe", "ddl", 1, 1, RunDescribe, true},
      {"list", "ddl", 0, 1, RunList, false},
      {"exists", "ddl", 1, 1, RunExists, true},
      {"is_enabled", "ddl", 1, 1, RunIsEnabled, true},
      {"is_disabled", "ddl", 1, 1, RunIsDisabled, true},
      {"enable", "ddl", 1, 1, RunEnable, true},
      {"disable", "ddl", 1, 1, RunDisable, true},
      {"drop", "ddl", 1, 1, RunDrop, true},
      {"enable_all", "ddl", 1, 1, RunEnableAll, false},
      {"disable_all", "ddl", 1, 1, RunDisableAll, false},
      {"drop_all", "ddl", 1, 1, RunDropAll, false},
      {"get_table", "ddl", 1, 1, RunGetTable, false},
      {"clone_table_schema", "ddl", 2, 3, RunCloneSchema, true},
      {"truncate", "dml", 1, 1, RunTruncate, true},
      {"truncate_preserve", "dml", 1, 1, RunTruncatePreserve, true},
  };
}

}  // namespace bennu::shell
