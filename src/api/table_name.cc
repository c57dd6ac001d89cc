#include "bennu/descriptor.h"
#include "src/api/name_characters.h"
#include "src/api/namespace_name.h"
#include "src/base/hex.h"

namespace bennu {

namespace {

// Namespace and table are directories, and a file system's names are no longer.
constexpr size_t kNameLengthMax = 255;
constexpr size_t kShownMax = 40;

// The name as messages have it: a long one by its beginning.
std::string Shown(std::string_view text) {
  if (text.size() <= kShownMax && api::IsNameText(text, ".-:"))
    return "'" + std::string(text) + "'";
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
  if (!IsNameText(name, "")) {
    return InvalidArgument(owner + "its name may hold letters, digits and '_' only");
  }
  if (name == kForbiddenName) return InvalidArgument(owner + "HBase allows no such name");
  if (name.size() > kNameLengthMax) return InvalidArgument(owner + TooLong(name.size()));
  return Status::Ok();
}

Result<TableName> TableName::Parse(std::string_view text) {
  TableName name;
  std::string_view qualifier = text;
  if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view name_space = text.substr(0, colon);
    if (name_space.empty()) return Refuse(text, "the namespace before ':' is empty");
    if (!api::IsNameText(name_space, "")) {
      return Refuse(text, "a namespace may hold letters, digits and '_' only");
    }
    name.name_space = std::string(name_space);
    qualifier = text.substr(colon + 1);
  }
  if (qualifier.empty()) return Refuse(text, "it is empty");
  if (qualifier.front() == '.' || qualifier.front() == '-') {
    return Refuse(text, "it must not start with '.' or '-'");
  }
  if (!api::IsNameText(qualifier, ".-")) {
    return Refuse(text, "it may hold letters, digits, '_', '-' and '.' only");
  }
  for (const std::string_view part : {std::string_view(name.name_space), qualifier}) {
    if (part.size() > kNameLengthMax) return Refuse(text, TooLong(part.size()));
    if (part == api::kForbiddenName) return Refuse(text, "HBase allows no such name");
  }
  name.qualifier = std::string(qualifier);
  return name;
}

std::string TableName::ToString() const {
  return name_space == "default" ? qualifier : name_space + ":" + qualifier;
}

}  // namespace bennu
