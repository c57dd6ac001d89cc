#include "src/sql/index/table_indexes.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/expression_binder.h"
#include "src/sql/bind/parameters.h"
#include "src/sql/catalog/indexes_over.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::index {
namespace {

// Constants that the binder folds: those of conditions of views.
Result<Value> FoldConstant(const parse::Expr& expr) {
  bind::Parameters parameters;
  bind::ExpressionBinder binder(nullptr, &parameters);
  ASSIGN_OR_RETURN(const bind::ExprPtr bound,
                   binder.Bind(expr, bind::ExpressionBinder::Place::kWhere));
  if (!bound->is_constant()) return MakeSqlError(1031, "", expr.position);
  return bound->constant;
}

}  // namespace

Result<std::unique_ptr<catalog::Catalog>> OpenIndexCatalog(Connection* connection,
                                                           const catalog::Features& features) {
  ASSIGN_OR_RETURN(auto catalog, catalog::Catalog::Open(connection, features));
  catalog->set_constant_evaluator(FoldConstant);
  return catalog;
}

namespace {

// Null: SQL does not know it.
Result<std::shared_ptr<const catalog::TableMeta>> FindTable(catalog::Catalog* catalog,
                                                            const TableName& physical) {
  const std::shared_ptr<const catalog::TableMeta> none;
  const auto key = catalog->KeyOfPhysical(physical);
  if (!key.ok() || key->schema == catalog::kSystemSchema) return none;
  const auto meta = catalog->GetTable(key->schema, key->name);
  if (!meta.ok() && meta.status().code() == StatusCode::kSql) return none;
  return meta;
}

Result<std::vector<OwnedIndex>> FindIndexesOver(
    catalog::Catalog* catalog, const std::shared_ptr<const catalog::TableMeta>& table) {
  std::vector<OwnedIndex> found;
  ASSIGN_OR_RETURN(const auto indexes, catalog::IndexesOver(catalog, table));
  for (const auto& one : indexes) found.push_back({one.table, one.index});
  return found;
}

}  // namespace

Result<std::vector<OwnedIndex>> FindIndexesOver(catalog::Catalog* catalog,
                                                const TableName& physical) {
  ASSIGN_OR_RETURN(const auto table, FindTable(catalog, physical));
  if (table == nullptr) return std::vector<OwnedIndex>();
  return FindIndexesOver(catalog, table);
}

Result<std::vector<OwnedIndex>> FindIndexesIn(catalog::Catalog* catalog,
                                              const TableName& physical) {
  std::vector<OwnedIndex> found;
  if (catalog::IsViewIndexTable(physical)) {
    ASSIGN_OR_RETURN(found, FindIndexesOver(catalog, catalog::BaseOfViewIndexTable(physical)));
  } else {
    ASSIGN_OR_RETURN(const auto index, FindTable(catalog, physical));
    if (index == nullptr || !index->is_index()) return found;
    const auto owner = catalog->GetTable(index->schema, index->data_table_name);
    if (!owner.ok() && owner.status().code() == StatusCode::kSql) return found;
    RETURN_IF_ERROR(owner.status());
    found.push_back({*owner, index});
  }
  std::erase_if(found, [&](const OwnedIndex& one) {
    return one.index->is_local_index() || one.index->physical != physical;
  });
  return found;
}

namespace {

Result<TableIndexes> DefineIndexesOf(catalog::Catalog* catalog,
                                     std::shared_ptr<const catalog::TableMeta> table) {
  TableIndexes found;
  found.table = std::move(table);
  ASSIGN_OR_RETURN(const auto indexes, FindIndexesOver(catalog, found.table));
  for (const auto& [owner, index] : indexes) {
    if (!index->is_kept_up()) continue;
    ASSIGN_OR_RETURN(auto definition, plan::DefineIndex(owner, index));
    found.kept_up.push_back(std::move(definition));
  }
  return found;
}

}  // namespace

Result<TableIndexes> FindTableIndexes(catalog::Catalog* catalog, const TableName& physical) {
  for (;;) {
    ASSIGN_OR_RETURN(const auto table, FindTable(catalog, physical));
    if (table == nullptr) return TableIndexes();
    auto found = DefineIndexesOf(catalog, table);
    if (found.status().code() != StatusCode::kCorruption) return found;
    // ALTER TABLE may have changed both between the looks at the table and at its index.
    catalog->Invalidate();
    ASSIGN_OR_RETURN(const auto now, FindTable(catalog, physical));
    const bool is_as_it_was = now != nullptr && now->sequence_number == table->sequence_number &&
                              now->last_ddl_timestamp == table->last_ddl_timestamp;
    if (is_as_it_was) return found;
  }
}

}  // namespace bennu::sql::index
