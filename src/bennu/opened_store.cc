#include "src/bennu/opened_store.h"

#include <utility>

#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "src/bennu/engine_options.h"
#include "src/bennu/phoenix_properties.h"
#include "src/bennu/statistics_observer.h"
#include "src/sql/exec/query.h"

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
  std::unique_ptr<OpenedStore> store(new OpenedStore(path, options));
  engine::EngineOptions engine_options = options.engine;
  // Statistics are collected whether SQL is used or not, as Phoenix's coprocessors do it.
  engine_options.compaction_observer =
      std::make_shared<StatisticsObserver>(options.sql.features.statistics);
  ASSIGN_OR_RETURN(store->engine_, engine::OpenEngine(path, engine_options));
  if (!options.engine.read_only) {
    // Indexes follow their tables whoever writes these, and whether SQL is used or not.
    engine::Engine* const engine = store->engine_.get();
    store->indexes_ = std::make_unique<sql::index::Indexes>(engine, engine, options.sql.features);
    RETURN_IF_ERROR(engine->SetWriteObservers(store->indexes_.get()));
  }
  return store;
}

Result<std::unique_ptr<OpenedStore>> OpenedStore::Open(const std::string& path,
                                                       const DatabaseOptions& options) {
  ASSIGN_OR_RETURN(const StoreOptions store_options, StoreOptionsOf(options));
  return Open(path, store_options);
}

Result<sql::session::SqlStore*> OpenedStore::Sql() {
  MutexLock lock(&mu_);
  if (sql_closed_) {
    return FailedPrecondition("there is no SQL over " + path_ +
                              " any more: the store is being closed");
  }
  if (sql_ == nullptr) RETURN_IF_ERROR(OpenSql());
  return sql_.get();
}

Status OpenedStore::OpenSql() {
  ASSIGN_OR_RETURN(auto sql, sql::session::SqlStore::Open(engine_.get(), sql::exec::PrepareQuery,
                                                          sql_options_.features));
  const MemoryPlan memory =
      sql_options_.memory.has_value() ? *sql_options_.memory : PlanMemory(DatabaseOptions());
  sql->set_query_memory_bytes(memory.query_bytes);
  sql->set_all_queries_memory_bytes(memory.queries_bytes);
  sql->set_indexes(indexes_.get());
  // Beside a process that holds the directory nothing is written into it.
  if (!read_only_) sql->set_spill_directory(engine_->env(), JoinPath(path_, ".tmp/bennu-spill"));
  sql->statements()->SetObserver(statement_observer_);
  if (indexes_ != nullptr) sql->StartIndexBuilds();
  sql_ = std::move(sql);
  return Status::Ok();
}

void OpenedStore::ObserveStatements(sql::session::StatementObserver* observer) {
  MutexLock lock(&mu_);
  statement_observer_ = observer;
  if (sql_ != nullptr) sql_->statements()->SetObserver(observer);
}

void OpenedStore::CloseSql() {
  MutexLock lock(&mu_);
  sql_closed_ = true;
  sql_.reset();
}

Status OpenedStore::Close() {
  CloseSql();
  return engine_->Close();
}

}  // namespace bennu::front
