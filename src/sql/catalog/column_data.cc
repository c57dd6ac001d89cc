// What ALTER TABLE … DROP COLUMN does to the rows that are there.
#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "bennu/admin.h"
#include "src/base/status_macros.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/options.h"
#include "src/sql/catalog/physical_table.h"
#include "src/sql/catalog/view_indexes.h"

namespace bennu::sql::catalog {
namespace {

constexpr size_t kRowsPerStep = 1000;

// Whether the empty column stays where it is without the columns 'dropped': in the family of the
// first one.
bool StaysInFamily(const TableMeta& table, const std::vector<uint32_t>& dropped) {
  for (uint32_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].is_key()) continue;
    if (std::find(dropped.begin(), dropped.end(), i) != dropped.end()) continue;
    return table.columns[i].family == table.empty_family;
  }
  return false;
}

Status ChangeRange(bennu::Table* physical, const Scan& scan,
                   const std::function<void(const CellBatch& found, uint32_t begin, uint32_t end,
                                            MutationBatch* batch)>& add,
                   const std::function<Status()>& check) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Scanner> scanner, physical->OpenScanner(scan));
  CellBatch found;
  MutationBatch batch;
  for (;;) {
    RETURN_IF_ERROR(scanner->Next(kRowsPerStep, &found));
    if (found.row_count() == 0) return Status::Ok();
    if (check != nullptr) RETURN_IF_ERROR(check());
    batch.Clear();
    for (size_t i = 0; i < found.row_count(); ++i) {
      batch.StartRow(found.cells[found.row_starts[i]].row());
      add(found, found.row_starts[i], found.row_end(i), &batch);
    }
    RETURN_IF_ERROR(physical->Write(&batch));
  }
}

}  // namespace

Status Catalog::ChangeRows(const TableMeta& table, const Scan& scan, const AddChanges& add,
                           const std::function<Status()>& check) {
  ASSIGN_OR_RETURN(const auto physical, connection_->OpenTable(table.physical));
  Scan some = scan;
  // Rows of a table and of its local indexes lie in one HBase table, in families of their own.
  if (some.columns.empty()) {
    for (const ColumnFamilyDescriptor& family : physical->descriptor().families) {
      if (IsLocalFamily(family.name) == table.is_local_index()) some.columns[family.name];
    }
  }
  if (!table.is_local_index()) {
    for (const RowRange& range : RowsOfIndex(table)) {
      some.range = range;
      RETURN_IF_ERROR(ChangeRange(physical.get(), some, add, check));
    }
    return Status::Ok();
  }
  // Rows get other keys when regions are replaced: then all are looked at again.
  std::vector<RegionInfo> regions;
  do {
    regions = physical->regions();
    for (const RegionInfo& region : regions) {
      some.range = LocalRows(table, region);
      RETURN_IF_ERROR(ChangeRange(physical.get(), some, add, check));
    }
  } while (physical->regions() != regions);
  return Status::Ok();
}

// As by Phoenix, every row gets a marker, unless the empty column moves: then those that have the
// column. A single-cell table keeps a dropped column's bytes inside its arrays, where nothing asks
// for them.
Status Catalog::EraseColumnData(const TableMeta& table, const std::vector<uint32_t>& columns,
                                int64_t timestamp) {
  if (table.single_cell()) return Status::Ok();
  Scan scan;
  const bool every_row = StaysInFamily(table, columns);
  if (every_row) scan.columns[table.empty_family].insert(table.empty_qualifier);
  for (const uint32_t index : columns) {
    scan.columns[table.columns[index].family].insert(table.columns[index].qualifier);
  }
  const auto add = [&](const CellBatch& found, uint32_t begin, uint32_t end, MutationBatch* batch) {
    for (const uint32_t index : columns) {
      const ColumnMeta& column = table.columns[index];
      bool has_column = false;
      int64_t time = timestamp;
      for (uint32_t c = begin; c < end; ++c) {
        const Cell& cell = found.cells[c];
        if (cell.family() != column.family || cell.qualifier() != column.qualifier) continue;
        has_column = true;
        // Data may be newer than the statement's time, on a connection that looks at the past.
        time = std::max(time, cell.timestamp());
      }
      if (every_row || has_column) batch->DeleteColumn(column.family, column.qualifier, time);
    }
  };
  return ChangeRows(table, scan, add);
}

// A row is what has an empty column. When the last column of its family goes, or the first column
// of all comes, it stands in another family from then on: with each time that the row has been
// written at, so that the past stays.
Status Catalog::MoveEmptyColumn(const TableMeta& old_table, TableMeta* table) {
  ASSIGN_OR_RETURN(const auto physical, connection_->OpenTable(table->physical));
  // That of a table without columns need not be there yet.
  TableDescriptor descriptor = physical->descriptor();
  RETURN_IF_ERROR(UpdateDescriptor(*table, {table->empty_family}, TableOptions(), &descriptor));
  if (!(descriptor == physical->descriptor())) {
    RETURN_IF_ERROR(connection_->admin()->AlterTable(descriptor));
  }
  // Until whoever keeps the index up has learnt of the change, rows come with the column in its old
  // place.
  if (table->index_state == IndexState::kActive && !remote_) {
    table->index_state = IndexState::kBuilding;
    return Status::Ok();
  }
  return AddEmptyCells(old_table, table->empty_family);
}

Status Catalog::AddEmptyCells(const TableMeta& table, const std::string& family) {
  const auto add = [&](const CellBatch& found, uint32_t begin, uint32_t end, MutationBatch* batch) {
    std::map<int64_t, ByteView> values;
    for (uint32_t c = begin; c < end; ++c) {
      const Cell& cell = found.cells[c];
      const auto at = values.emplace(cell.timestamp(), table.empty_value).first;
      // That of an index tells whether its row is verified. One that is there already was copied.
      if (cell.qualifier() == table.empty_qualifier) at->second = cell.value_view();
    }
    for (const auto& [time, value] : values) {
      batch->Put(family, table.empty_qualifier, value, time);
    }
    // Whoever takes a row out of an index does so in the families that the index has by then.
    if (table.is_index() && family != table.empty_family) {
      batch->DeleteColumn(table.empty_family, table.empty_qualifier, values.rbegin()->first);
    }
  };
  return ChangeRows(table, Scan(), add);
}

}  // namespace bennu::sql::catalog
