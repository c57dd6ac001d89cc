#include <algorithm>

#include "bennu/descriptor.h"
#include "src/base/hex.h"

namespace bennu {

namespace {

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

Status Refuse(std::string_view text, std::string_view why) {
  return InvalidArgument("table name '" + ToStringBinary(text) + "': " + std::string(why));
}

}  // namespace

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
  name.qualifier = std::string(qualifier);
  return name;
}

std::string TableName::ToString() const {
  return name_space == "default" ? qualifier : name_space + ":" + qualifier;
}

}  // namespace bennu
