// OpenedStore: a store that this process holds, and SQL over it. Engine, SQL, the division of
// memory, the statistics of compactions and the space for temporary files are put together here
// and nowhere else; the library, the commands and the server hold their store by this class.
#ifndef BENNU_SRC_BENNU_OPENED_STORE_H_
#define BENNU_SRC_BENNU_OPENED_STORE_H_

#include <memory>
#include <string>

#include "bennu/database.h"
#include "bennu/status.h"
#include "src/bennu/sql_host.h"
#include "src/engine/open.h"
#include "src/sql/index/indexes.h"

namespace bennu::front {

struct StoreOptions {
  engine::EngineOptions engine;  // OpenedStore adds the observer of compactions
  SqlOptions sql;
  // Off: as in an HBase without Phoenix, each client keeps indexes up for itself, for tests of
  // those who do.
  bool keeps_indexes = true;
};

// InvalidArgument: a property of 'options' has a value that it may not have, or there is less
// memory than a store can work with.
Result<StoreOptions> StoreOptionsOf(const DatabaseOptions& options);

// Thread-safe.
class OpenedStore {
 public:
  // Opens the engine alone: SQL takes no memory, and SYSTEM tables are not looked at, before
  // somebody asks for it. Errors are those of engine::OpenEngine.
  static Result<std::unique_ptr<OpenedStore>> Open(const std::string& path,
                                                   const StoreOptions& options);
  // The same for a database's options; errors also as of StoreOptionsOf.
  static Result<std::unique_ptr<OpenedStore>> Open(const std::string& path,
                                                   const DatabaseOptions& options);

  OpenedStore(const OpenedStore&) = delete;
  OpenedStore& operator=(const OpenedStore&) = delete;

  // For those who stand on HBase's data model.
  engine::Engine* engine() const { return engine_.get(); }

  SqlHost* sql_host() { return sql_host_.get(); }
  Result<sql::session::SqlStore*> Sql() { return sql_host_->Sql(); }

  // SqlHost::Close, then Engine::Close. The destructor does the same and logs the error.
  Status Close();

 private:
  OpenedStore() = default;

  // Set by Open. The engine asks it until its end, so it is before the engine here and goes after.
  std::unique_ptr<sql::index::Indexes> indexes_;
  std::unique_ptr<engine::Engine> engine_;  // set by Open
  // Behind the engine that it stands on, so that it goes first. Set by Open.
  std::unique_ptr<SqlHost> sql_host_;
};

}  // namespace bennu::front

#endif  // BENNU_SRC_BENNU_OPENED_STORE_H_
