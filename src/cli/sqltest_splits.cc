#include "src/cli/sqltest_splits.h"

#include <limits>
#include <memory>
#include <utility>

#include "bennu/admin.h"
#include "src/base/status_macros.h"

namespace bennu::cli {

namespace {

constexpr size_t kSplitsMax = 5;

// Calls 'use' with each cell of the table, deleted ones and markers too.
template <typename Use>
Status ForEachCell(Table* table, const Use& use) {
  Scan scan;
  scan.raw = true;
  scan.max_versions = std::numeric_limits<int32_t>::max();
  ASSIGN_OR_RETURN(const std::unique_ptr<Scanner> scanner, table->OpenScanner(scan));
  CellBatch batch;
  while (true) {
    RETURN_IF_ERROR(scanner->Next(1000, &batch));
    if (batch.row_count() == 0) return Status::Ok();
    for (const Cell& cell : batch.cells) use(cell);
  }
}

}  // namespace

Result<std::set<TableName>> UserTables(Connection* store) {
  ASSIGN_OR_RETURN(const std::vector<TableName> all, store->admin()->ListTables());
  std::set<TableName> names;
  for (const TableName& name : all) {
    const bool system = name.name_space == "SYSTEM" || name.qualifier.rfind("SYSTEM.", 0) == 0;
    if (!system) names.insert(name);
  }
  return names;
}

Status SqlTestKeys::Collect(Connection* store) {
  ASSIGN_OR_RETURN(const std::set<TableName> names, UserTables(store));
  for (const TableName& name : names) {
    ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, store->OpenTable(name));
    std::set<Bytes>& keys = keys_[name];
    RETURN_IF_ERROR(
        ForEachCell(table.get(), [&](const Cell& cell) { keys.insert(Bytes(cell.row())); }));
  }
  return Status::Ok();
}

std::vector<Bytes> SqlTestKeys::SplitKeys(const TableName& table) const {
  const auto found = keys_.find(table);
  if (found == keys_.end() || found->second.size() < 2) return {};
  const std::vector<Bytes> rows(found->second.begin(), found->second.end());
  const size_t count = std::min(kSplitsMax, rows.size() - 1);
  std::set<Bytes> borders;
  for (size_t i = 1; i <= count; ++i) {
    Bytes border = rows[i * rows.size() / (count + 1)];
    if (i % 3 == 1) border.pop_back();  // shorter than the row: sorts in front of it
    if (i % 3 == 2) border.push_back('\0');
    if (!border.empty()) borders.insert(std::move(border));
  }
  return {borders.begin(), borders.end()};
}

Result<bool> SplitEmptyTable(Connection* store, const TableName& name,
                             const std::vector<Bytes>& split_keys) {
  if (split_keys.empty()) return false;
  ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, store->OpenTable(name));
  if (table->regions().size() != 1) return false;
  bool empty = true;
  RETURN_IF_ERROR(ForEachCell(table.get(), [&](const Cell&) { empty = false; }));
  if (!empty) return false;
  for (const Bytes& key : split_keys) RETURN_IF_ERROR(store->admin()->SplitTable(name, key));
  return true;
}

}  // namespace bennu::cli
