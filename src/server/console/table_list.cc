#include "src/server/console/table_list.h"

#include <memory>
#include <utility>

#include "bennu/admin.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/sql/session/sql_store.h"

namespace bennu::server::console {

namespace {

std::shared_ptr<const sql::catalog::TableMeta> SqlTableOf(front::SqlHost* host,
                                                          const TableName& name) {
  const auto sql = host->Sql();
  if (!sql.ok()) return nullptr;
  sql::catalog::Catalog* const catalog = (*sql)->catalog();
  const auto key = catalog->KeyOfPhysical(name);
  if (!key.ok()) return nullptr;
  auto table = catalog->GetTable(key->schema, key->name);
  return table.ok() ? std::move(table).value() : nullptr;
}

}  // namespace

void AddSqlName(front::SqlHost* sql, const TableName& name, Json* json) {
  const auto table = SqlTableOf(sql, name);
  if (table == nullptr) return;
  (*json)["sql_name"] = table->FullName();
  (*json)["sql_type"] = table->is_index()                                 ? "index"
                        : table->is_view()                                ? "view"
                        : table->type == sql::catalog::TableType::kSystem ? "system"
                                                                          : "table";
  if (table->is_salted()) (*json)["salt_buckets"] = table->salt_buckets;
}

Result<std::vector<ListedTable>> ListTables(Connection* connection, front::SqlHost* sql) {
  Admin* const admin = connection->admin();
  ASSIGN_OR_RETURN(const std::vector<TableName> names, admin->ListTables());
  std::vector<ListedTable> tables;
  for (const TableName& name : names) {
    const auto opened = connection->OpenTable(name);
    if (!opened.ok()) continue;
    const auto enabled = admin->IsTableEnabled(name);
    Json table = {{"name", name.ToString()}};
    AddSqlName(sql, name, &table);
    table["enabled"] = !enabled.ok() || *enabled;
    Json families = Json::array();
    for (const ColumnFamilyDescriptor& family : (*opened)->descriptor().families) {
      families.push_back(ToStringBinary(family.name));
    }
    table["families"] = std::move(families);
    tables.push_back({name, std::move(table)});
  }
  return tables;
}

Json WithCounts(const std::vector<ListedTable>& tables,
                const std::map<TableName, TableCounts>& counts) {
  Json list = Json::array();
  for (const ListedTable& table : tables) {
    const auto found = counts.find(table.name);
    const TableCounts of_table = found == counts.end() ? TableCounts() : found->second;
    Json json = table.json;
    json["regions"] = of_table.regions;
    json["store_files"] = of_table.store_files;
    json["file_bytes"] = of_table.file_bytes;
    json["memstore_bytes"] = of_table.memstore_bytes;
    json["reads"] = of_table.reads;
    json["writes"] = of_table.writes;
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace bennu::server::console
