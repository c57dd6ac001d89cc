// Dumps: what a store holds, told in the words of roots/Roots.java.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "bennu/admin.h"
#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "tests/peers/store_steps.h"

namespace bennu::peers {
namespace {

std::string Full(const TableName& name) { return name.name_space + ":" + name.qualifier; }

// ---- dumps

std::string TypeText(CellType type) {
  switch (type) {
    case CellType::kPut: return "Put";
    case CellType::kDelete: return "Delete";
    case CellType::kDeleteFamilyVersion: return "DeleteFamilyVersion";
    case CellType::kDeleteColumn: return "DeleteColumn";
    case CellType::kDeleteFamily: return "DeleteFamily";
    default: return "?";
  }
}

Status DumpCells(Table* table, bool raw, std::ofstream* out) {
  *out << (raw ? "# raw\n" : "# visible\n");
  Scan scan;
  scan.raw = raw;
  scan.max_versions = INT32_MAX;
  ASSIGN_OR_RETURN(const auto scanner, table->OpenScanner(scan));
  CellBatch batch;
  for (;;) {
    RETURN_IF_ERROR(scanner->Next(1000, &batch));
    if (batch.cells.empty()) return Status::Ok();
    for (const Cell& cell : batch.cells) {
      *out << HexEncode(cell.row()) << '\t' << cell.family() << '\t' << HexEncode(cell.qualifier())
           << '\t' << cell.timestamp() << '\t' << TypeText(cell.type()) << '\t'
           << HexEncode(cell.tags_view()) << '\t' << HexEncode(cell.value_view()) << '\n';
    }
  }
}

Status DumpTable(Connection* store, const TableName& name, const std::string& directory,
                 std::ofstream* catalog) {
  Admin* const admin = store->admin();
  ASSIGN_OR_RETURN(const bool enabled, admin->IsTableEnabled(name));
  ASSIGN_OR_RETURN(const auto table, store->OpenTable(name));
  const TableDescriptor descriptor = table->descriptor();
  *catalog << "table " << Full(name) << (enabled ? "" : " disabled") << '\n';
  for (const auto& [key, value] : descriptor.attributes) {
    *catalog << "  " << key << " = " << value << '\n';
  }
  for (const auto& family : descriptor.families) {
    *catalog << "  family " << family.name << '\n';
    for (const auto& [key, value] : family.attributes) {
      *catalog << "    " << key << " = " << value << '\n';
    }
  }
  for (const RegionInfo& region : table->regions()) {
    *catalog << "  region " << region.EncodedName() << " [" << ToStringBinary(region.start_key)
             << ", " << ToStringBinary(region.end_key) << ")\n";
  }
  if (!enabled) return Status::Ok();
  std::ofstream cells(directory + "/" + name.name_space + "." + name.qualifier + ".cells");
  RETURN_IF_ERROR(DumpCells(table.get(), false, &cells));
  return DumpCells(table.get(), true, &cells);
}

}  // namespace

Status Dump(Connection* store, const std::string& directory) {
  std::filesystem::create_directories(directory);
  std::ofstream catalog(directory + "/catalog");
  Admin* const admin = store->admin();
  ASSIGN_OR_RETURN(const auto namespaces, admin->ListNamespaces());
  for (const std::string& name : namespaces) catalog << "namespace " << name << '\n';
  ASSIGN_OR_RETURN(auto tables, admin->ListTables());
  std::sort(tables.begin(), tables.end(),
            [](const auto& left, const auto& right) { return Full(left) < Full(right); });
  for (const TableName& name : tables) {
    if (name.name_space == "hbase") continue;
    RETURN_IF_ERROR(DumpTable(store, name, directory, &catalog).Annotate(name.ToString()));
  }
  return Status::Ok();
}

}  // namespace bennu::peers
