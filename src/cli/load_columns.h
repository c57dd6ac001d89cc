// Which column of the table each field of a file goes to.
#ifndef BENNU_SRC_CLI_LOAD_COLUMNS_H_
#define BENNU_SRC_CLI_LOAD_COLUMNS_H_

#include <string>
#include <string_view>
#include <vector>

#include "bennu/status.h"
#include "src/sql/types/type.h"

namespace bennu::cli {

// "SCHEMA.NAME" as SQL reads it: unquoted parts in upper case.
struct SqlName {
  std::string schema;
  std::string name;
};
SqlName ParseSqlName(std::string_view text);
// The same where the letters are taken as they are, quoted or not.
SqlName ParseExactName(std::string_view text);

struct LoadColumn {
  std::string family;  // empty: of the key, or not known
  std::string name;
  sql::DataType type;
};

// A table as far as a file's rows need it: the columns in their order, without that of the tenant.
struct LoadTable {
  std::string schema;
  std::string name;
  std::vector<LoadColumn> columns;

  std::string FullName() const { return schema.empty() ? name : schema + "." + name; }
};

// Indexes into table.columns, one for each name. A name is `COLUMN` or `FAMILY.COLUMN`, its case
// does not matter unless two columns differ in nothing else. InvalidArgument: no such column
// (tells those that there are), one that is named twice, or a name that fits several.
Result<std::vector<uint32_t>> MatchColumns(const LoadTable& table,
                                           const std::vector<std::string>& names);

// Whether the table has a column that the name means.
bool HasColumn(const LoadTable& table, const std::string& name);

// UPSERT INTO … VALUES (?, …) for these columns.
std::string UpsertText(const LoadTable& table, const std::vector<uint32_t>& columns);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_LOAD_COLUMNS_H_
