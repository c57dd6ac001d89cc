#include "src/bennu/opened_store.h"

#include <utility>

#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/bennu/engine_options.h"
#include "src/bennu/phoenix_properties.h"
#include "src/bennu/statistics_observer.h"
#include "src/sql/catalog/catalog.h"
#include "src/sql/catalog/system_tables.h"

namespace bennu::front {

Result<StoreOptions> StoreOptionsOf(const DatabaseOptions& options) {
  StoreOptions store;
  store.sql.memory = PlanMemory(options);
  ASSIGN_OR_RETURN(store.sql.session, SessionOptionsOf(options.configuration));
  ASSIGN_OR_RETURN(store.sql.features, FeaturesOf(options.configuration));
  ASSIGN_OR_RETURN(store.engine, EngineOptionsOf(options, *store.sql.memory));
  return store;
}

Result<std::unique_ptr<OpenedStore>> OpenedStore::Open(const std::string& path,
                                                       const StoreOptions& options) {
  std::unique_ptr<OpenedStore> store(new OpenedStore());
  engine::EngineOptions engine_options = options.engine;
  // Statistics are collected whether SQL is used or not, as Phoenix's coprocessors do it.
  engine_options.compaction_observer =
      std::make_shared<StatisticsObserver>(options.sql.features.statistics);
  ASSIGN_OR_RETURN(store->engine_, engine::OpenEngine(path, engine_options));
  engine::Engine* const engine = store->engine_.get();
  const bool writes = !options.engine.read_only;
  if (writes && options.keeps_indexes) {
    // Indexes follow their tables whoever writes these, and whether SQL is used or not.
    store->indexes_ = std::make_unique<sql::index::Indexes>(engine, engine, options.sql.features);
    RETURN_IF_ERROR(engine->SetWriteObservers(store->indexes_.get()));
  }
  const auto set_up = [engine, path, indexes = store->indexes_.get(), writes,
                       features = options.sql.features](sql::session::SqlStore* sql) {
    sql->set_indexes(indexes);
    if (engine->capabilities().shared) {
      const TableName catalog =
          sql::catalog::SystemTable(sql::catalog::kCatalogName, features.system_is_mapped())
              ->physical;
      sql->catalog()->set_writes([engine, catalog] {
        const auto numbers = engine->NumbersOfWrites(catalog);
        return sql::catalog::Catalog::Writes{numbers.newest, numbers.visible};
      });
    }
    // Beside a process that holds the directory nothing is written into it.
    if (!writes) return;
    sql->set_spill_directory(engine->env(), JoinPath(path, ".tmp/bennu-spill"));
    sql->StartIndexBuilds();
    if (indexes != nullptr) indexes->set_builder(sql->index_builds());
  };
  store->sql_host_ = std::make_unique<SqlHost>(path, engine, options.sql, set_up);
  return store;
}

Result<std::unique_ptr<OpenedStore>> OpenedStore::Open(const std::string& path,
                                                       const DatabaseOptions& options) {
  ASSIGN_OR_RETURN(const StoreOptions store_options, StoreOptionsOf(options));
  return Open(path, store_options);
}

Status OpenedStore::Close() {
  if (indexes_ != nullptr) indexes_->set_builder(nullptr);
  sql_host_->Close();
  return engine_->Close();
}

}  // namespace bennu::front
