#include "src/sql/catalog/row_existence.h"

namespace bennu::sql::catalog {

void AddExistence(const TableMeta& table, std::map<Bytes, std::set<Bytes>>* columns) {
  if (!table.is_view() || table.view_type != ViewType::kMapped) {
    (*columns)[table.empty_family].insert(table.empty_qualifier);
    return;
  }
  for (const std::string& family : table.families) (*columns)[family].clear();
}

}  // namespace bennu::sql::catalog
