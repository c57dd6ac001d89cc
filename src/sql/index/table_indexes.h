// Which indexes a table has that are to be kept up.
#ifndef BENNU_SRC_SQL_INDEX_TABLE_INDEXES_H_
#define BENNU_SRC_SQL_INDEX_TABLE_INDEXES_H_

#include <memory>
#include <vector>

#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/features.h"
#include "src/sql/plan/index_definition.h"

namespace bennu::sql::index {

// A catalog for those who keep indexes up, beside that of the sessions.
Result<std::unique_ptr<catalog::Catalog>> OpenIndexCatalog(Connection* connection,
                                                           const catalog::Features& features);

struct TableIndexes {
  std::shared_ptr<const catalog::TableMeta> table;  // null: no table of SQL
  // Of the table and of all views over it, those that are kept up.
  std::vector<std::shared_ptr<const plan::IndexDefinition>> kept_up;
};
struct OwnedIndex {
  std::shared_ptr<const catalog::TableMeta> owner;  // the table, or a view over it
  std::shared_ptr<const catalog::TableMeta> index;
};
// All indexes of the HBase table's rows, in whatever state; none of one that SQL does not know.
Result<std::vector<OwnedIndex>> FindIndexesOver(catalog::Catalog* catalog,
                                                const TableName& physical);
// All indexes whose rows lie in the HBase table, other than local ones.
Result<std::vector<OwnedIndex>> FindIndexesIn(catalog::Catalog* catalog, const TableName& physical);
// Of the HBase table, as the catalog says.
Result<TableIndexes> FindTableIndexes(catalog::Catalog* catalog, const TableName& physical);

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_TABLE_INDEXES_H_
