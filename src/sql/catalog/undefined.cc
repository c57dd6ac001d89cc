#include "src/sql/catalog/undefined.h"

#include <fmt/format.h>

#include <utility>

#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {

namespace {

std::string IndexedTableName(const TableMeta& index) {
  return FullTableName(index.schema, index.data_table_name);
}

std::string ChangeOf(const TableMeta& found, std::string_view verb) {
  const std::string name = found.FullName();
  switch (found.type) {
    case TableType::kTable: return fmt::format("{} is a table: {} TABLE {}", name, verb, name);
    case TableType::kView: return fmt::format("{} is a view: {} VIEW {}", name, verb, name);
    case TableType::kIndex:
      if (verb == "ALTER") {
        return fmt::format(
            "{} is an index, whose columns and options follow those of its table: "
            "ALTER TABLE {}",
            name, IndexedTableName(found));
      }
      return fmt::format("{} is an index: {} INDEX {} ON {}", name, verb, found.name,
                         IndexedTableName(found));
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

Status CheckIsNoIndex(const TableMeta& table, int64_t position) {
  if (!table.is_index()) return Status::Ok();
  return MakeSqlError(1010, "tableName=" + table.FullName(), position,
                      fmt::format("{0} is an index of {1}: name {1} instead", table.FullName(),
                                  IndexedTableName(table)));
}

}  // namespace bennu::sql::catalog
