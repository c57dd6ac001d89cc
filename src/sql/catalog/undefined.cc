#include "src/sql/catalog/undefined.h"

#include <fmt/format.h>

#include <utility>

#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {

namespace {

std::string ChangeOf(const TableMeta& found, std::string_view verb) {
  const std::string name = found.FullName();
  switch (found.type) {
    case TableType::kTable: return fmt::format("{} is a table: {} TABLE {}", name, verb, name);
    case TableType::kView: return fmt::format("{} is a view: {} VIEW {}", name, verb, name);
    case TableType::kIndex:
      return fmt::format("{} is an index: {} INDEX {} ON {}", name, verb, found.name,
                         found.parent.name);
    case TableType::kSystem:
    case TableType::kCdc: break;
  }
  return "";
}

}  // namespace

Status Undefined(std::string_view schema, std::string_view name, int64_t position) {
  return MakeSqlError(1012, "tableName=" + FullTableName(schema, name), position);
}

Status NothingToChange(const TableKey& key, const TableMeta* found, std::string_view verb,
                       std::string other_name, int64_t position) {
  return WithHint(Undefined(key.schema, key.name, position),
                  found == nullptr ? std::move(other_name) : ChangeOf(*found, verb));
}

}  // namespace bennu::sql::catalog
