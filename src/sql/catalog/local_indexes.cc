// What CREATE INDEX does to the HBase table of a local index, which is that of its table.
#include <algorithm>

#include "bennu/admin.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/physical_table.h"

namespace bennu::sql::catalog {

Status Catalog::MakeRoomForLocalIndex(const TableMeta& table, const TableMeta& index,
                                      const TableDescriptor& described) {
  ASSIGN_OR_RETURN(const auto storage, connection_->OpenTable(table.physical));
  for (const RegionInfo& region : storage->regions()) {
    RETURN_IF_ERROR(CheckLocalRowsFit(index, region));
  }
  TableDescriptor descriptor = storage->descriptor();
  const TableDescriptor before = descriptor;
  for (const ColumnFamilyDescriptor& family : described.families) {
    if (descriptor.FindFamily(family.name) == nullptr) descriptor.families.push_back(family);
  }
  std::sort(descriptor.families.begin(), descriptor.families.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  AddLocalIndexAttributes(table, &descriptor.attributes);
  if (!(descriptor == before)) RETURN_IF_ERROR(connection_->admin()->AlterTable(descriptor));
  // A table that was cloned from a snapshot may have rows of an index that had the number there.
  return HasLocalFamilies(before) ? EraseIndexRows(index) : Status::Ok();
}

}  // namespace bennu::sql::catalog
