#include "src/sql/index/indexes.h"

#include <string>
#include <utility>
#include <vector>

#include "src/base/status_macros.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/index/index_build.h"
#include "src/sql/index/index_observer.h"
#include "src/sql/index/local_index_rows.h"
#include "src/sql/index/table_indexes.h"
#include "src/sql/plan/index_definition.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::index {
namespace {

// Rows that are locked at a time while an index is built.
constexpr size_t kRowsPerStep = 256;

bool IsOfSystem(const catalog::TableKey& key) { return key.schema == catalog::kSystemSchema; }

}  // namespace

Result<catalog::Catalog*> Indexes::OpenCatalog() {
  MutexLock lock(&mu_);
  if (catalog_ == nullptr) {
    ASSIGN_OR_RETURN(catalog_, OpenIndexCatalog(connection_, features_));
  }
  return catalog_.get();
}

Result<std::shared_ptr<api::WriteObserver>> Indexes::ObserverOf(const TableName& table) {
  ASSIGN_OR_RETURN(catalog::Catalog* const catalog, OpenCatalog());
  catalog->Invalidate();
  ASSIGN_OR_RETURN(TableIndexes indexes, FindTableIndexes(catalog, table));
  if (indexes.kept_up.empty()) return std::shared_ptr<api::WriteObserver>();
  return std::shared_ptr<api::WriteObserver>(
      std::make_shared<IndexObserver>(std::move(indexes.kept_up)));
}

Result<std::unique_ptr<api::RegionRows>> Indexes::RegionRowsOf(const TableName& table,
                                                               const std::string& family) {
  std::unique_ptr<api::RegionRows> rows;
  if (!catalog::IsLocalFamily(family)) return rows;
  ASSIGN_OR_RETURN(catalog::Catalog* const catalog, OpenCatalog());
  const auto key = catalog->KeyOfPhysical(table);
  if (!key.ok() || IsOfSystem(*key)) return rows;
  catalog->Invalidate();
  const auto meta = catalog->GetTable(key->schema, key->name);
  if (!meta.ok()) {
    if (meta.status().code() == StatusCode::kSql) return rows;
    return meta.status();
  }
  ASSIGN_OR_RETURN(auto of_indexes, LocalIndexRows::Of(catalog, *meta));
  // Without an index the family may be one that somebody made for rows of another kind.
  if (!of_indexes->empty()) rows = std::move(of_indexes);
  return rows;
}

Result<int64_t> Indexes::Build(const std::shared_ptr<const catalog::TableMeta>& table,
                               const std::shared_ptr<const catalog::TableMeta>& index,
                               const Progress& progress) {
  ASSIGN_OR_RETURN(const auto definition, plan::DefineIndex(table, index));
  IndexObserver observer({definition}, /*builds=*/true);
  return ForEachRowToIndex(
      connection_, *definition, observer.columns(), kRowsPerStep,
      [&](const CellBatch& found) {
        std::vector<Bytes> rows;
        for (size_t i = 0; i < found.row_count(); ++i) {
          rows.emplace_back(found.cells[found.row_starts[i]].row());
        }
        return store_->ObserveRows(table->physical, rows, &observer);
      },
      progress);
}

}  // namespace bennu::sql::index
