// Errors of statements that name nothing, or what they cannot take: 1012, 1010.
#ifndef BENNU_SRC_SQL_CATALOG_UNDEFINED_H_
#define BENNU_SRC_SQL_CATALOG_UNDEFINED_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "bennu/status.h"
#include "src/sql/catalog/table.h"

namespace bennu::sql::catalog {

Status Undefined(std::string_view schema, std::string_view name, int64_t position);

// The same for a change, 'verb' (DROP, ALTER), that finds nothing of the kind that it names. What
// bears the name is 'found'; its hint says how to change that. Null: nothing does, and
// 'other_name' is the hint.
Status NothingToChange(const TableKey& key, const TableMeta* found, std::string_view verb,
                       std::string other_name, int64_t position);

// 1010: of an index there are no indexes and no views; its hint names the table.
Status CheckIsNoIndex(const TableMeta& table, int64_t position);

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_UNDEFINED_H_
