// Tables of recorded SQL with several regions: a first run finds the rows of each table, the second
// has borders among them.
#ifndef BENNU_SRC_CLI_SQLTEST_SPLITS_H_
#define BENNU_SRC_CLI_SQLTEST_SPLITS_H_

#include <map>
#include <set>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "bennu/table.h"

namespace bennu::cli {

// Which tables SQL made; SYSTEM's own are left out.
Result<std::set<TableName>> UserTables(Connection* store);

// Gathers the keys of all rows, deleted ones too, as far as memory and files still hold them.
class SqlTestKeys {
 public:
  Status Collect(Connection* store);
  // Up to five borders: at quantiles of the rows, exactly at a row, right behind one, and in front
  // of one at a key that no row has.
  std::vector<Bytes> SplitKeys(const TableName& table) const;

 private:
  std::map<TableName, std::set<Bytes>> keys_;
};

// Splits an empty table of one region at these keys; leaves all others alone. Returns whether it
// did.
Result<bool> SplitEmptyTable(Connection* store, const TableName& name,
                             const std::vector<Bytes>& split_keys);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_SQLTEST_SPLITS_H_
