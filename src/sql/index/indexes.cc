#include "src/sql/index/indexes.h"

#include <atomic>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "src/api/store_tools.h"
#include "src/base/status_macros.h"
#include "src/base/thread_pool.h"
#include "src/sql/bind/expression_binder.h"
#include "src/sql/bind/parameters.h"
#include "src/sql/catalog/local_index.h"
#include "src/sql/catalog/system_tables.h"
#include "src/sql/index/index_observer.h"
#include "src/sql/index/local_index_rows.h"
#include "src/sql/plan/index_definition.h"
#include "src/sql/types/sql_errors.h"

namespace bennu::sql::index {
namespace {

// Rows that are locked at a time while an index is built.
constexpr size_t kRowsPerStep = 256;
// More pieces than threads, so that none is idle for long at the end.
constexpr size_t kPiecesPerThread = 4;

// Constants that the binder folds: those of conditions of views.
Result<Value> FoldConstant(const parse::Expr& expr) {
  bind::Parameters parameters;
  bind::ExpressionBinder binder(nullptr, &parameters);
  ASSIGN_OR_RETURN(const bind::ExprPtr bound,
                   binder.Bind(expr, bind::ExpressionBinder::Place::kWhere));
  if (!bound->is_constant()) return MakeSqlError(1031, "", expr.position);
  return bound->constant;
}

bool IsOfSystem(const catalog::TableKey& key) { return key.schema == catalog::kSystemSchema; }

}  // namespace

Result<catalog::Catalog*> Indexes::OpenCatalog() {
  MutexLock lock(&mu_);
  if (catalog_ == nullptr) {
    ASSIGN_OR_RETURN(catalog_, catalog::Catalog::Open(connection_, features_));
    catalog_->set_constant_evaluator(FoldConstant);
  }
  return catalog_.get();
}

Result<std::shared_ptr<api::WriteObserver>> Indexes::ObserverOf(const TableName& table) {
  const std::shared_ptr<api::WriteObserver> nobody;
  ASSIGN_OR_RETURN(catalog::Catalog* const catalog, OpenCatalog());
  const auto key = catalog->KeyOfPhysical(table);
  if (!key.ok() || IsOfSystem(*key)) return nobody;  // no table of SQL
  catalog->Invalidate();
  const auto meta = catalog->GetTable(key->schema, key->name);
  if (!meta.ok()) {
    if (meta.status().code() == StatusCode::kSql) return nobody;
    return meta.status();
  }
  std::vector<std::shared_ptr<const plan::IndexDefinition>> definitions;
  const auto add_indexes_of =
      [&](const std::shared_ptr<const catalog::TableMeta>& owner) -> Status {
    ASSIGN_OR_RETURN(const auto indexes, catalog->IndexesOf(*owner));
    for (const auto& index : indexes) {
      if (!index->is_kept_up()) continue;
      ASSIGN_OR_RETURN(auto definition, plan::DefineIndex(owner, index));
      definitions.push_back(std::move(definition));
    }
    return Status::Ok();
  };
  RETURN_IF_ERROR(add_indexes_of(*meta));
  ASSIGN_OR_RETURN(const auto views, catalog->IndexedViews(**meta));
  for (const auto& view : views) RETURN_IF_ERROR(add_indexes_of(view));
  if (definitions.empty()) return nobody;
  return std::shared_ptr<api::WriteObserver>(
      std::make_shared<IndexObserver>(std::move(definitions)));
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
  ASSIGN_OR_RETURN(auto definition, plan::DefineIndex(table, index));
  const std::vector<RowRange> ranges = plan::RowsToIndex(*definition);
  IndexObserver observer({std::move(definition)}, /*builds=*/true);
  ASSIGN_OR_RETURN(const auto data, connection_->OpenTable(table->physical));
  std::vector<RowRange> pieces;
  for (const RowRange& range : ranges) {
    ASSIGN_OR_RETURN(std::vector<RowRange> parts,
                     data->SplitRange(range, ThreadCount(StoreTools::QueryPool(connection_)) *
                                                 kPiecesPerThread));
    pieces.insert(pieces.end(), parts.begin(), parts.end());
  }
  std::atomic<int64_t> rows_done{0};
  Mutex mu;
  Status first_error;
  std::atomic<bool> failed{false};
  const auto build = [&](const RowRange& piece) -> Status {
    Scan scan;
    scan.range = piece;
    scan.columns = observer.columns();
    ASSIGN_OR_RETURN(const auto scanner, data->OpenScanner(scan));
    CellBatch found;
    std::vector<Bytes> rows;
    while (!failed.load()) {
      RETURN_IF_ERROR(scanner->Next(kRowsPerStep, &found));
      if (found.row_count() == 0) return Status::Ok();
      rows.clear();
      for (size_t i = 0; i < found.row_count(); ++i) {
        rows.emplace_back(found.cells[found.row_starts[i]].row());
      }
      RETURN_IF_ERROR(store_->ObserveRows(table->physical, rows, &observer));
      rows_done.fetch_add(static_cast<int64_t>(rows.size()));
      RETURN_IF_ERROR(progress(rows.size()));
    }
    return Status::Ok();
  };
  ParallelFor(StoreTools::QueryPool(connection_), pieces.size(), [&](size_t i) {
    if (failed.load()) return;
    const Status status = build(pieces[i]);
    if (status.ok()) return;
    MutexLock lock(&mu);
    if (first_error.ok()) first_error = status;
    failed.store(true);
  });
  RETURN_IF_ERROR(first_error);
  return rows_done.load();
}

}  // namespace bennu::sql::index
