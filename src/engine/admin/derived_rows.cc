#include "src/engine/admin/derived_rows.h"

#include <utility>

#include "src/base/log.h"
#include "src/base/status_macros.h"
#include "src/engine/admin/table_creation.h"
#include "src/engine/admin/table_replacement.h"

namespace bennu::engine {

namespace {

using Replacement = api::WriteObserverSource::Replacement;

// Whether the step failed or not.
void DeriveAnew(const TableName& table, const Replacement& replacement) {
  if (replacement.derive_anew == nullptr) return;
  const Status begun = replacement.derive_anew();
  // The table is whole without them.
  if (begun.ok()) return;
  LogWarning("what is derived from table {} is not in use: {}", table.ToString(), begun.ToString());
}

}  // namespace

Status WhileRowsAreReplaced(EngineCore* core, const TableName& table, const ReplaceRows& replace) {
  api::WriteObserverSource* const source = core->services.write_observers.load();
  if (source == nullptr) return replace({});
  ASSIGN_OR_RETURN(const Replacement replacement, source->RowsAreReplaced(table));
  const Status replaced = replace(replacement);
  DeriveAnew(table, replacement);
  return replaced;
}

Status WhileFamiliesAreAltered(EngineCore* core, const TableDescriptor& before,
                               const TableDescriptor& after, const std::function<Status()>& alter) {
  api::WriteObserverSource* const source = core->services.write_observers.load();
  if (source == nullptr) return alter();
  ASSIGN_OR_RETURN(const Replacement replacement, source->FamiliesAreAltered(before, after));
  const Status altered = alter();
  DeriveAnew(after.name, replacement);
  return altered;
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
