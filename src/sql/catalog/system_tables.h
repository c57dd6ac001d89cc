// The SYSTEM tables as Phoenix 5.3 defines them: built in, because they must be known before the
// catalog can be read. Source: phoenix-storage.md sections 3 and 4.
#ifndef BENNU_SRC_SQL_CATALOG_SYSTEM_TABLES_H_
#define BENNU_SRC_SQL_CATALOG_SYSTEM_TABLES_H_

#include <memory>
#include <string_view>
#include <vector>

#include "src/sql/catalog/table.h"

namespace bennu::sql::catalog {

inline constexpr std::string_view kSystemSchema = "SYSTEM";
inline constexpr std::string_view kCatalogName = "CATALOG";

// Cells that describe the SYSTEM tables have this timestamp, from which clients read the version
// of the metadata: 44 is 5.3.
inline constexpr int64_t kMetadataVersionTimestamp = 44;

// The same as Phoenix 5.2 has it.
inline constexpr int64_t kMetadataVersionTimestamp52 = 38;

// The table SYSTEM.<name>, or null when there is none. Lives as long as the process. 'mapped':
// where the SYSTEM tables lie in the namespace SYSTEM.
const std::shared_ptr<const TableMeta>& SystemTable(std::string_view name, bool mapped = false);
// The table without the columns that Phoenix 5.2 does not know, whose types it may not know either.
// Phoenix 5.3 takes such a table for one of 5.2, and adds them.
TableMeta AsOfPhoenix52(const TableMeta& table);
// All of them, CATALOG first.
const std::vector<std::shared_ptr<const TableMeta>>& SystemTables(bool mapped = false);

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_SYSTEM_TABLES_H_
