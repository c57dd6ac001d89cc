// Namespaces.
#include <fmt/format.h>

#include <algorithm>

#include "src/base/status_macros.h"
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

// Of the hashes behind the name; nil counts for none.
Result<std::vector<Value::Hash>> HashesOf(const Arguments& arguments) {
  std::vector<Value::Hash> hashes;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const Value& value = arguments[i];
    const auto* const array = value.As<Value::Array>();
    for (const Value& each : array != nullptr ? *array : Value::Array{value}) {
      if (each.is_nil()) continue;
      if (each.As<Value::Hash>() == nullptr) {
        return InvalidArgument(
            fmt::format("{} of {} is not of Hash type", each.TypeName(), each.Inspect()));
      }
      hashes.push_back(*each.As<Value::Hash>());
    }
  }
  return hashes;
}

// As HBase's NamespaceDescriptor.Builder: nil takes a property away.
void SetProperty(const Value& key, const Value& value, NamespaceDescriptor* descriptor) {
  if (value.is_nil()) {
    descriptor->properties.erase(key.ToText());
  } else {
    descriptor->properties[key.ToText()] = value.ToText();
  }
}

Result<Value> RunCreateNamespace(const Environment& environment, const Arguments& arguments) {
  NamespaceDescriptor descriptor;
  ASSIGN_OR_RETURN(descriptor.name, NamespaceName(arguments[0]));
  ASSIGN_OR_RETURN(const auto hashes, HashesOf(arguments));
  for (const Value::Hash& hash : hashes) {
    for (const auto& [key, value] : hash) SetProperty(key, value, &descriptor);
  }
  const Status created = descriptor.properties.empty()
                             ? environment.admin()->CreateNamespace(descriptor.name)
                             : environment.admin()->CreateNamespaceWith(descriptor);
  if (created.code() == StatusCode::kAlreadyExists) {
    return AlreadyExists(fmt::format("Namespace {} already exists", descriptor.name));
  }
  RETURN_IF_ERROR(created);
  return Value();
}

// {METHOD => 'set', KEY => VALUE, …} or {METHOD => 'unset', NAME => KEY}.
Status ChangeProperties(const Value::Hash& hash, NamespaceDescriptor* descriptor) {
  std::string method;
  Value name;
  for (const auto& [key, value] : hash) {
    if (key.ToText() == "METHOD") method = value.ToText();
    if (key.ToText() == "NAME") name = value;
  }
  if (method == "unset") {
    if (name.is_nil()) return InvalidArgument("unset wants NAME => the property to take away");
    descriptor->properties.erase(name.ToText());
    return Status::Ok();
  }
  if (method != "set") {
    return InvalidArgument(
        fmt::format("Unknown method {}; METHOD => 'set' or 'unset' is wanted", method));
  }
  for (const auto& [key, value] : hash) {
    if (key.ToText() != "METHOD") SetProperty(key, value, descriptor);
  }
  return Status::Ok();
}

Result<Value> RunAlterNamespace(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::string name, NamespaceName(arguments[0]));
  RETURN_IF_ERROR(CheckExists(environment, name));
  ASSIGN_OR_RETURN(const auto hashes, HashesOf(arguments));
  ASSIGN_OR_RETURN(NamespaceDescriptor descriptor, environment.admin()->DescribeNamespace(name));
  for (const Value::Hash& hash : hashes) {
    RETURN_IF_ERROR(ChangeProperties(hash, &descriptor));
  }
  if (!hashes.empty()) RETURN_IF_ERROR(environment.admin()->AlterNamespace(descriptor));
  return Value();
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
  ASSIGN_OR_RETURN(const NamespaceDescriptor descriptor,
                   environment.admin()->DescribeNamespace(name));
  std::string text = fmt::format("{{NAME => '{}'", name);
  for (const auto& [key, value] : descriptor.properties) {
    text += fmt::format(", {} => '{}'", key, value);
  }
  environment.printer->Row(text + "}");
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
      {"create_namespace", "namespace", 1, Command::kAnyCount, RunCreateNamespace, false},
      {"alter_namespace", "namespace", 2, Command::kAnyCount, RunAlterNamespace, false},
      {"drop_namespace", "namespace", 1, 1, RunDropNamespace, false},
      {"describe_namespace", "namespace", 1, 1, RunDescribeNamespace, false},
      {"list_namespace", "namespace", 0, 1, RunListNamespace, false},
      {"list_namespace_tables", "namespace", 1, 1, RunListNamespaceTables, false},
  };
}

}  // namespace bennu::shell
