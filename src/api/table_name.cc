#include <algorithm>

#include "bennu/descriptor.h"
#include "src/api/namespace_name.h"
#include "src/base/hex.h"

namespace bennu {

namespace {

// Namespace and table are directories, and a file system's names are no longer.
constexpr size_t kNameLengthMax = 255;
constexpr size_t kShownMax = 40;

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The name as messages have it: a long one by its beginning.
std::string Shown(std::string_view text) {
  return "'" + ToStringBinary(text.substr(0, kShownMax)) + (text.size() > kShownMax ? "…'" : "'");
}

Status Refuse(std::string_view text, std::string_view why) {
  return InvalidArgument("table name " + Shown(text) + ": " + std::string(why));
}

std::string TooLong(size_t length) {
  return "it has " + std::to_string(length) + " bytes; at most " + std::to_string(kNameLengthMax) +
         " are possible, as for a directory";
}

}  // namespace

Status api::CheckNamespaceName(std::string_view name) {
  const std::string owner = "namespace " + Shown(name) + ": ";
  if (name.empty()) return InvalidArgument(owner + "its name is empty");
  if (!std::all_of(name.begin(), name.end(), IsWordCharacter)) {
    return InvalidArgument(owner + "its name may hold letters, digits and '_' only");
  }
  if (name.size() > kNameLengthMax) return InvalidArgument(owner + TooLong(name.size()));
  return Status::Ok();
}

Result<TableName> TableName::Parse(std::string_view text) {
  TableName name;
  std::string_view qualifier = text;
  if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view name_space = text.substr(0, colon);
    if (name_space.empty()) return Refuse(text, "the namespace before ':' is empty");
    if (!std::all_of(name_space.begin(), name_space.end(), IsWordCharacter)) {
      return Refuse(text, "a namespace may hold letters, digits and '_' only");
    }
    name.name_space = std::string(name_space);
    qualifier = text.substr(colon + 1);
  }
  if (qualifier.empty()) return Refuse(text, "it is empty");
  if (qualifier.front() == '.' || qualifier.front() == '-') {
    return Refuse(text, "it must not start with '.' or '-'");
  }
  const auto is_legal = [](char c) { return IsWordCharacter(c) || c == '.' || c == '-'; };
  if (!std::all_of(qualifier.begin(), qualifier.end(), is_legal)) {
    return Refuse(text, "it may hold letters, digits, '_', '-' and '.' only");
  }
  for (const std::string_view part : {std::string_view(name.name_space), qualifier}) {
    if (part.size() > kNameLengthMax) return Refuse(text, TooLong(part.size()));
  }
  name.qualifier = std::string(qualifier);
  return name;
}

std::string TableName::ToString() const {
  return name_space == "default" ? qualifier : name_space + ":" + qualifier;
}

}  // namespace bennu
