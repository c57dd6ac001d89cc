#include "src/sql/catalog/phoenix_upgrade.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/physical_table.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::catalog {

namespace {

constexpr std::string_view kCoprocessor = "coprocessor$";

// The table of SQL that the HBase table belongs to; nothing: it is none of SQL's.
Result<std::optional<TableMeta>> TableOf(Catalog* catalog, const TableName& name) {
  const auto key = catalog->KeyOfPhysical(name);
  if (!key.ok()) return std::optional<TableMeta>();
  const auto table = catalog->GetTable(key->schema, key->name);
  if (IsSqlError(table.status(), 1012)) return std::optional<TableMeta>();
  RETURN_IF_ERROR(table.status());
  // What a view is over is a table of HBase's own.
  if ((*table)->is_view() || (*table)->physical != name) return std::optional<TableMeta>();
  return std::optional<TableMeta>(**table);
}

// Adds the classes under numbers that are free; the table's own coprocessors keep theirs.
void AddClasses(const Attributes& classes, TableDescriptor* descriptor) {
  int last = 0;
  for (const auto& [name, value] : descriptor->attributes) {
    if (name.starts_with(kCoprocessor)) {
      last = std::max(last, std::atoi(name.c_str() + kCoprocessor.size()));
    }
  }
  // In the order of their numbers, which is not that of their names from 10 on.
  std::vector<std::pair<int, std::string>> coprocessors;
  for (const auto& [name, value] : classes) {
    if (name.starts_with(kCoprocessor)) {
      coprocessors.emplace_back(std::atoi(name.c_str() + kCoprocessor.size()), value);
    } else {
      descriptor->attributes[name] = value;
    }
  }
  std::sort(coprocessors.begin(), coprocessors.end());
  for (auto& [number, value] : coprocessors) {
    descriptor->attributes[std::string(kCoprocessor) + std::to_string(++last)] = std::move(value);
  }
}

// Whether the table lacked them.
Result<bool> Upgrade(Connection* connection, const TableMeta& table) {
  ASSIGN_OR_RETURN(const auto opened, connection->OpenTable(table.physical));
  TableDescriptor descriptor = opened->descriptor();
  if (NamesPhoenixClasses(descriptor)) return false;
  Attributes classes = PhoenixClassesOf(table);
  // What HBase itself brings is there already.
  std::erase_if(classes, [](const auto& attribute) {
    return !IsPhoenixClassAttribute(attribute.first, attribute.second);
  });
  AddClasses(classes, &descriptor);
  const Status altered = connection->admin()->AlterTable(descriptor);
  if (altered.ok()) return true;
  if (altered.message().find("org.apache.phoenix") == std::string::npos) return altered;
  return MakeUncodedSqlError("HBase's servers cannot load Phoenix's classes (" +
                             std::string(altered.message()) +
                             "); put Phoenix's server jar on the class path of the master and of "
                             "all region servers, start "
                             "them again, and give the statement once more");
}

}  // namespace

Result<size_t> AddPhoenixClasses(Connection* connection, Catalog* catalog) {
  const auto& system_tables = SystemTables(catalog->features().system_is_mapped());
  size_t upgraded = 0;
  const auto upgrade = [&](const TableMeta& table) -> Status {
    ASSIGN_OR_RETURN(const bool lacked, Upgrade(connection, table));
    upgraded += lacked ? 1 : 0;
    return Status::Ok();
  };
  ASSIGN_OR_RETURN(const auto names, connection->admin()->ListTables());
  const auto is_there = [&](const TableName& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::shared_ptr<const TableMeta> catalog_table;
  for (const auto& table : system_tables) {
    if (!is_there(table->physical)) continue;
    if (table->name == kCatalogName) {
      catalog_table = table;
    } else {
      RETURN_IF_ERROR(upgrade(*table));
    }
  }
  for (const TableName& name : names) {
    ASSIGN_OR_RETURN(const std::optional<TableMeta> table, TableOf(catalog, name));
    if (!table.has_value() || table->is_system()) continue;
    RETURN_IF_ERROR(upgrade(*table));
    TableMeta indexes_of_views;
    indexes_of_views.type = TableType::kIndex;
    indexes_of_views.physical = ViewIndexTableName(name);
    if (is_there(indexes_of_views.physical)) RETURN_IF_ERROR(upgrade(indexes_of_views));
  }
  if (catalog_table != nullptr) RETURN_IF_ERROR(upgrade(*catalog_table));
  return upgraded;
}

}  // namespace bennu::sql::catalog
