#include "src/sql/index/table_indexes.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/sql/bind/expression_binder.h"
#include "src/sql/bind/parameters.h"
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

Result<TableIndexes> FindTableIndexes(catalog::Catalog* catalog, const TableName& physical) {
  TableIndexes found;
  const auto key = catalog->KeyOfPhysical(physical);
  if (!key.ok() || key->schema == catalog::kSystemSchema) return found;
  const auto meta = catalog->GetTable(key->schema, key->name);
  if (!meta.ok()) {
    if (meta.status().code() == StatusCode::kSql) return found;
    return meta.status();
  }
  found.table = *meta;
  const auto add_indexes_of =
      [&](const std::shared_ptr<const catalog::TableMeta>& owner) -> Status {
    ASSIGN_OR_RETURN(const auto indexes, catalog->IndexesOf(*owner));
    for (const auto& index : indexes) {
      if (!index->is_kept_up()) continue;
      ASSIGN_OR_RETURN(auto definition, plan::DefineIndex(owner, index));
      found.kept_up.push_back(std::move(definition));
    }
    return Status::Ok();
  };
  RETURN_IF_ERROR(add_indexes_of(*meta));
  ASSIGN_OR_RETURN(const auto views, catalog->IndexedViews(**meta));
  for (const auto& view : views) RETURN_IF_ERROR(add_indexes_of(view));
  return found;
}

}  // namespace bennu::sql::index
