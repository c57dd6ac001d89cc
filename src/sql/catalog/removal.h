// Removal: what a DROP takes away, gathered first and then done.
#ifndef BENNU_SRC_SQL_CATALOG_REMOVAL_H_
#define BENNU_SRC_SQL_CATALOG_REMOVAL_H_

#include <vector>

#include "bennu/descriptor.h"
#include "bennu/mutation.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/api/table_changes.h"

namespace bennu::sql::catalog {

// In a store of this process all of it goes in one step, so that a crash leaves the whole or
// nothing of what is dropped. A cluster has no such step: there one thing goes after another, in
// the order in which they were added. One thread.
class Removal {
 public:
  explicit Removal(Connection* connection);  // must outlive this

  // An HBase table, which may be missing.
  void DropTable(const TableName& table);
  // Where to add what is to be written to the table, with times of its own; until the next call.
  MutationBatch* RowsOf(const TableName& table);
  // Errors as of the changes. In a store of this process all is as it was then.
  Status Run();

 private:
  struct Step {
    TableName table;
    bool drops = false;
    MutationBatch rows;
  };

  Connection* const connection_;
  api::TableChanges* const changes_;  // null: a cluster's
  std::vector<Step> steps_;           // of a cluster
  std::vector<TableName> tables_;
  api::TableRows rows_;
};

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_REMOVAL_H_
