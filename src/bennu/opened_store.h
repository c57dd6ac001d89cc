// OpenedStore: a store that this process holds, and SQL over it. Engine, SQL, the division of
// memory, the statistics of compactions and the space for temporary files are put together here
// and nowhere else; the library, the commands and the server hold their store by this class.
#ifndef BENNU_SRC_BENNU_OPENED_STORE_H_
#define BENNU_SRC_BENNU_OPENED_STORE_H_

#include <memory>
#include <optional>
#include <string>

#include "bennu/database.h"
#include "bennu/status.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"
#include "src/bennu/memory_plan.h"
#include "src/engine/open.h"
#include "src/sql/catalog/features.h"
#include "src/sql/index/indexes.h"
#include "src/sql/session/session.h"
#include "src/sql/session/sql_store.h"
#include "src/sql/session/statements.h"

namespace bennu::front {

struct SqlOptions {
  sql::catalog::Features features;
  sql::session::SessionOptions session;  // what sessions are opened with by default
  // Its shares for queries bound what SQL uses. Unset: PlanMemory's for a database without options.
  std::optional<MemoryPlan> memory;
};

struct StoreOptions {
  engine::EngineOptions engine;  // OpenedStore adds the observer of compactions
  SqlOptions sql;
};

// InvalidArgument: a property of 'options' has a value that it may not have, or there is less
// memory than a store can work with.
Result<StoreOptions> StoreOptionsOf(const DatabaseOptions& options);

// Thread-safe.
class OpenedStore {
 public:
  // Opens the engine alone: SQL takes no memory, and SYSTEM tables are not looked at, before Sql()
  // is called. Errors are those of engine::OpenEngine.
  static Result<std::unique_ptr<OpenedStore>> Open(const std::string& path,
                                                   const StoreOptions& options);
  // The same for a database's options; errors also as of StoreOptionsOf.
  static Result<std::unique_ptr<OpenedStore>> Open(const std::string& path,
                                                   const DatabaseOptions& options);

  OpenedStore(const OpenedStore&) = delete;
  OpenedStore& operator=(const OpenedStore&) = delete;

  // For those who stand on HBase's data model.
  engine::Engine* engine() const { return engine_.get(); }

  // SQL over the store, the same one for all callers until CloseSql. The first call opens it, while
  // other first calls wait; this creates no tables, which the first definition does. When the
  // opening fails, its error goes to this caller, and the next call tries again.
  // FailedPrecondition: SQL was closed.
  Result<sql::session::SqlStore*> Sql();
  // Statements that end from now on are told to 'observer', whoever opens SQL, and whether it is
  // open yet or not; null: nobody is told any more. It must outlive SQL's sessions.
  void ObserveStatements(sql::session::StatementObserver* observer);
  const sql::session::SessionOptions& session_options() const { return sql_options_.session; }

  // Gives back what SQL reserved, for which it writes. Its sessions must be gone. Idempotent.
  void CloseSql();
  // CloseSql, then Engine::Close. The destructor does the same and logs the error.
  Status Close();

 private:
  OpenedStore(std::string path, const StoreOptions& options)
      : path_(std::move(path)), read_only_(options.engine.read_only), sql_options_(options.sql) {}

  Status OpenSql() REQUIRES(mu_);

  const std::string path_;
  const bool read_only_;
  const SqlOptions sql_options_;
  // Set by Open. The engine asks it until its end, so it is before the engine here and goes after.
  std::unique_ptr<sql::index::Indexes> indexes_;
  std::unique_ptr<engine::Engine> engine_;  // set by Open
  Mutex mu_;                                // held while SQL is opened or closed
  bool sql_closed_ GUARDED_BY(mu_) = false;
  sql::session::StatementObserver* statement_observer_ GUARDED_BY(mu_) = nullptr;
  // Behind the engine that it stands on, so that it goes first.
  std::unique_ptr<sql::session::SqlStore> sql_ GUARDED_BY(mu_);
};

}  // namespace bennu::front

#endif  // BENNU_SRC_BENNU_OPENED_STORE_H_
