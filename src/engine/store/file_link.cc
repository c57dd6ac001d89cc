#include "src/engine/store/file_link.h"

#include "src/base/env.h"
#include "src/engine/store/store_file.h"

namespace bennu::engine {

namespace {

bool IsHex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// "table" or "namespace=table".
std::string FormatTable(const TableName& table) {
  return table.name_space == "default" ? table.qualifier : table.name_space + "=" + table.qualifier;
}

std::optional<TableName> ParseTable(std::string text) {
  if (const size_t equals = text.find('='); equals != std::string::npos) text[equals] = ':';
  auto name = TableName::Parse(text);
  if (!name.ok()) return std::nullopt;
  return *std::move(name);
}

}  // namespace

// Neither a table's name nor a region's has '=', and a region's has no '-'.
std::optional<FileLink> ParseLinkName(const std::string& name) {
  const size_t equals = name.rfind('=');
  if (equals == std::string::npos) return std::nullopt;
  const size_t dash = name.find('-', equals);
  if (dash == std::string::npos) return std::nullopt;
  const auto table = ParseTable(name.substr(0, equals));
  if (!table.has_value()) return std::nullopt;
  FileLink link{*table, name.substr(equals + 1, dash - equals - 1), name.substr(dash + 1)};
  if (!IsHex(link.region) || !IsStoreFileName(link.file)) return std::nullopt;
  return link;
}

std::string MakeLinkName(const FileLink& link) {
  return FormatTable(link.table) + "=" + link.region + "-" + link.file;
}

std::array<std::string, 3> LinkedPlaces(const std::string& root, const FileLink& link,
                                        const std::string& family) {
  std::string place = "data";
  for (const std::string* part :
       {&link.table.name_space, &link.table.qualifier, &link.region, &family, &link.file}) {
    place = JoinPath(place, *part);
  }
  return {JoinPath(root, place), JoinPath(JoinPath(root, ".tmp"), place),
          JoinPath(JoinPath(root, "archive"), place)};
}

std::string MakeBackReferenceName(const BackReference& back_reference) {
  return back_reference.region + "." + FormatTable(back_reference.table);
}

std::optional<BackReference> ParseBackReferenceName(const std::string& name) {
  const size_t dot = name.find('.');
  if (dot == std::string::npos || !IsHex(name.substr(0, dot))) return std::nullopt;
  const auto table = ParseTable(name.substr(dot + 1));
  if (!table.has_value()) return std::nullopt;
  return BackReference{*table, name.substr(0, dot)};
}

}  // namespace bennu::engine
