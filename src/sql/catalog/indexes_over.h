// All indexes that the rows of a table are in.
#ifndef BENNU_SRC_SQL_CATALOG_INDEXES_OVER_H_
#define BENNU_SRC_SQL_CATALOG_INDEXES_OVER_H_

#include <memory>
#include <vector>

#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog.h"

namespace bennu::sql::catalog {

// Those of the table or view, and of the views over it, in whatever state; each with whose it is.
// Errors are those of reading the catalog.
inline Result<std::vector<Catalog::IndexAndTable>> IndexesOver(
    Catalog* catalog, const std::shared_ptr<const TableMeta>& table) {
  std::vector<Catalog::IndexAndTable> found;
  ASSIGN_OR_RETURN(auto owners, catalog->IndexedViews(*table));
  owners.insert(owners.begin(), table);
  for (const auto& owner : owners) {
    ASSIGN_OR_RETURN(const auto indexes, catalog->IndexesOf(*owner));
    for (const auto& index : indexes) found.push_back({index, owner});
  }
  return found;
}

}  // namespace bennu::sql::catalog

#endif  // BENNU_SRC_SQL_CATALOG_INDEXES_OVER_H_
