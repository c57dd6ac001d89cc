// The tables of a store or cluster as the console lists them.
#ifndef BENNU_SRC_SERVER_CONSOLE_TABLE_LIST_H_
#define BENNU_SRC_SERVER_CONSOLE_TABLE_LIST_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "bennu/status.h"
#include "bennu/table.h"
#include "src/bennu/sql_host.h"
#include "src/server/console/json.h"

namespace bennu::server::console {

// Of the regions of one table, or of all.
struct TableCounts {
  size_t regions = 0;
  size_t store_files = 0;
  uint64_t file_bytes = 0;
  uint64_t memstore_bytes = 0;
  uint64_t reads = 0;
  uint64_t writes = 0;
};

struct ListedTable {
  TableName name;
  Json json;  // "name", SQL's name and kind, "enabled" and "families"
};

// "sql_name", "sql_type" and "salt_buckets", where SQL knows the table.
void AddSqlName(front::SqlHost* sql, const TableName& name, Json* json);

// Errors are those of Admin::ListTables; what is dropped meanwhile is left out. Thread-safe.
Result<std::vector<ListedTable>> ListTables(Connection* connection, front::SqlHost* sql);

// An array of the tables with what 'counts' has of each.
Json WithCounts(const std::vector<ListedTable>& tables,
                const std::map<TableName, TableCounts>& counts);

}  // namespace bennu::server::console

#endif  // BENNU_SRC_SERVER_CONSOLE_TABLE_LIST_H_
