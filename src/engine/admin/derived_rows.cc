#include "src/engine/admin/derived_rows.h"

#include <utility>

#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/admin/table_creation.h"
#include "src/engine/admin/table_replacement.h"

namespace bennu::engine {

Status WhileRowsAreReplaced(EngineCore* core, const TableName& table, const ReplaceRows& replace) {
  api::WriteObserverSource* const source = core->services.write_observers.load();
  if (source == nullptr) return replace({});
  ASSIGN_OR_RETURN(const auto replacement, source->RowsAreReplaced(table));
  const Status replaced = replace(replacement);
  if (replacement.derive_anew == nullptr) return replaced;
  const Status begun = replacement.derive_anew();
  // The table is whole without them.
  if (!begun.ok()) {
    LogWarning("what is derived from table {} is not in use: {}", table.ToString(),
               begun.ToString());
  }
  return replaced;
}

Status LetGoOfDerivedRows(EngineCore* core, const TableName& table) {
  api::WriteObserverSource* const source = core->services.write_observers.load();
  return source == nullptr ? Status::Ok() : source->DerivedRowsGo(table);
}

Status EmptyDerivedTables(EngineCore* core, const std::vector<TableName>& names) {
  std::vector<TableReplacement> tables;
  RETURN_IF_ERROR(AddEmptied(core, names, &tables));
  return tables.empty() ? Status::Ok() : ReplaceTables(core, tables, Replacing::kTruncate);
}

TableDescriptor WithDerivedFamilies(const std::vector<std::string>& families,
                                    const TableDescriptor& now, TableDescriptor restored) {
  for (const std::string& name : families) {
    const ColumnFamilyDescriptor* const family = now.FindFamily(name);
    if (family == nullptr) continue;
    std::erase_if(restored.families, [&](const auto& other) { return other.name == name; });
    restored.families.push_back(*family);
  }
  return WithSortedFamilies(std::move(restored));
}

}  // namespace bennu::engine
