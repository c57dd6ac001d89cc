// Changes of tables that come at one moment, together with rows of other tables. Who describes
// tables in rows of its own, as SQL does in SYSTEM.CATALOG, changes both by this, so that no crash
// parts them.
#ifndef BENNU_SRC_API_TABLE_CHANGES_H_
#define BENNU_SRC_API_TABLE_CHANGES_H_

#include <map>
#include <string>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/mutation.h"
#include "bennu/status.h"

namespace bennu::api {

// Rows by their table. Puts, and deletes of columns and families, all with times of their own. The
// batches' durability and options have no effect. Nobody is told of these writes, so the tables
// must not have observers, and their rows are not locked: who else writes them has to be held off
// otherwise.
using TableRows = std::map<TableName, MutationBatch>;

// Of a store that this process holds; a cluster of HBase's has nothing like it. Thread-safe.
class TableChanges {
 public:
  virtual ~TableChanges() = default;

  // Drops those of the tables that are there, and writes 'rows', in one step: whoever opens the
  // store after a crash finds both or neither. The first of 'names' takes no more writes before the
  // others go, so that those may hold what is derived from it. Nothing else is told of their end
  // (WriteObserverSource::DerivedRowsGo is not called). After an error all is as it was, unless the
  // log was lost, which the message says. InvalidArgument: a table belongs to the store, or 'rows'
  // are none that may be written.
  virtual Status DropTables(const std::vector<TableName>& names, const TableRows& rows) = 0;
  // Drops the namespace and writes 'rows' in one step. Other errors are those of
  // Admin::DropNamespace.
  virtual Status DropNamespaceWith(const std::string& name, const TableRows& rows) = 0;
  // Takes all rows away in one step, while the table stays enabled; a crash leaves all of them or
  // none, and never a disabled table. Reads are refused meanwhile, as those of a disabled table,
  // and so are writes. The regions are new ones between the same keys. NotFound;
  // FailedPrecondition: the table is disabled.
  virtual Status EmptyTable(const TableName& name) = 0;
};

}  // namespace bennu::api

#endif  // BENNU_SRC_API_TABLE_CHANGES_H_
