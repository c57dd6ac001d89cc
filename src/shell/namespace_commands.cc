// Namespaces.
#include <fmt/format.h>

#include <algorithm>

#include "src/shell/command.h"
#include "src/shell/options.h"

namespace bennu::shell {

namespace {

Result<std::string> NamespaceName(const Value& value) {
  if (value.As<Bytes>() == nullptr) {
    return InvalidArgument("a namespace's name in quotes is wanted, not " + value.Inspect());
  }
  return *value.As<Bytes>();
}

Status CheckExists(const Environment& environment, const std::string& name) {
  ASSIGN_OR_RETURN(const auto names, environment.admin()->ListNamespaces());
  if (std::find(names.begin(), names.end(), name) != names.end()) return Status::Ok();
  return NotFound(fmt::format("Unknown namespace {}!", name));
}

Status NoProperties() {
  return NotSupported("properties of namespaces can not be set here yet: leave them out");
}

Result<Value> RunCreateNamespace(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string name, NamespaceName(arguments[0]));
  if (const auto* hash = ArgumentAt(arguments, 1).As<Value::Hash>(); hash && !hash->empty()) {
    return NoProperties();
  }
  const Status created = environment.admin()->CreateNamespace(name);
  if (created.code() == StatusCode::kAlreadyExists) {
    return AlreadyExists(fmt::format("Namespace {} already exists", name));
  }
  RETURN_IF_ERROR(created);
  return Value();
}

Result<Value> RunAlterNamespace(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string name, NamespaceName(arguments[0]));
  RETURN_IF_ERROR(CheckExists(environment, name));
  return NoProperties();
}

Result<Value> RunDropNamespace(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string name, NamespaceName(arguments[0]));
  RETURN_IF_ERROR(CheckExists(environment, name));
  RETURN_IF_ERROR(environment.admin()->DropNamespace(name));
  return Value();
}

Result<Value> RunDescribeNamespace(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string name, NamespaceName(arguments[0]));
  RETURN_IF_ERROR(CheckExists(environment, name));
  environment.printer->Header("DESCRIPTION");
  environment.printer->Row(fmt::format("{{NAME => '{}'}}", name));
  environment.printer->Line("Quota is disabled");
  return Value();
}

Result<Value> RunListNamespace(const Environment& environment, const Arguments& arguments) {
  environment.printer->Header("NAMESPACE");
  ASSIGN_OR_RETURN(const auto names, environment.admin()->ListNamespaces());
  ASSIGN_OR_RETURN(const auto matching, MatchingNames(names, ArgumentAt(arguments, 0)));
  for (const std::string& name : matching) environment.printer->Row(name);
  environment.printer->Footer(matching.size());
  return Value();
}

Result<Value> RunListNamespaceTables(const Environment& environment, const Arguments& arguments) {
  environment.printer->Header("TABLE");
  ASSIGN_OR_RETURN(const std::string name, NamespaceName(arguments[0]));
  RETURN_IF_ERROR(CheckExists(environment, name));
  ASSIGN_OR_RETURN(const auto tables, environment.admin()->ListTables());
  std::vector<std::string> names;
  for (const TableName& table : tables) {
    if (table.name_space == name) names.push_back(table.qualifier);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& table : names) environment.printer->Row(table);
  environment.printer->Footer(names.size());
  return Value::Strings(names);
}

}  // namespace

std::vector<Command> NamespaceCommands() {
  return {
      {"create_namespace", "namespace", 1, 2, RunCreateNamespace, false},
      {"alter_namespace", "namespace", 2, Command::kAnyCount, RunAlterNamespace, false},
      {"drop_namespace", "namespace", 1, 1, RunDropNamespace, false},
      {"describe_namespace", "namespace", 1, 1, RunDescribeNamespace, false},
      {"list_namespace", "namespace", 0, 1, RunListNamespace, false},
      {"list_namespace_tables", "namespace", 1, 1, RunListNamespaceTables, false},
  };
}

}  // namespace bennu::shell
