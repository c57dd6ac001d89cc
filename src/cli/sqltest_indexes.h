// The mode 'indexed' of sqltest: every table of the recorded SQL has indexes that nobody recorded.
//
// Each table and view gets two: one that includes what is not in its key, and one that has to look
// that up. The columns of the table are shared out between their keys, in both directions, so that
// conditions on most columns, and scans of everything, can be answered from one of them.
#ifndef BENNU_SRC_CLI_SQLTEST_INDEXES_H_
#define BENNU_SRC_CLI_SQLTEST_INDEXES_H_

#include <string>
#include <string_view>
#include <vector>

#include "bennu/database.h"
#include "bennu/status.h"
#include "src/cli/sqltest_store.h"

namespace bennu::cli {

// A query that reads no index: each of its SELECTs gets the hint NO_INDEX.
std::string WithoutIndexes(std::string_view sql);

// A column of a table, as its indexes are chosen by it.
struct SqlTestColumn {
  std::string name;      // as statements write it, quoted
  bool in_key = false;   // of the table
  bool sortable = true;  // false: no key can have it, such as an array or a document
};

// The statements that make the indexes of the table 'name', which is written with its schema and
// without quotes. None where no column can be in a key.
std::vector<std::string> IndexStatements(std::string_view schema, std::string_view name,
                                         const std::vector<SqlTestColumn>& columns);

// Makes the indexes of the table or view that 'sql', a CREATE TABLE or CREATE VIEW, has made on a
// connection of this tenant. What Phoenix would not index has none afterwards, and neither has a
// view that cannot be read; all other failures are returned.
Status IndexNewTable(const std::string& sql, const std::string& tenant, SqlTestStore* store);

// Drops the indexes of all tables and views.
Status DropAllIndexes(SqlTestStore* store);

// Whether an error says that an index of the mode cannot hold a row.
bool IsRefusedByIndex(std::string_view error);
// Drops both indexes of the table that the error is about.
Status DropIndexesThatRefuse(std::string_view error, SqlTestStore* store);

// Compares every index that queries may read with its table. Corruption: some differ; the message
// has the first differences of each.
Status CheckAllIndexes(SqlTestStore* store);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SQLTEST_INDEXES_H_
