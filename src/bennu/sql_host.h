// SqlHost: SQL over a connection to a store, of this process or elsewhere, opened when somebody
// first asks for it. The library and the servers of SQL get their sessions from one.
#ifndef BENNU_SRC_BENNU_SQL_HOST_H_
#define BENNU_SRC_BENNU_SQL_HOST_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bennu/status.h"
#include "bennu/table.h"
#include "src/base/mutex.h"
#include "src/base/thread_annotations.h"
#include "src/bennu/memory_plan.h"
#include "src/sql/catalog/features.h"
#include "src/sql/session/index_build_meter.h"
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

// Thread-safe.
class SqlHost {
 public:
  // Gives SQL what only the kind of store knows: who keeps indexes up, where to spill. Called once
  // for each opening.
  using SetUp = std::function<void(sql::session::SqlStore*)>;

  // 'place' names the store in messages. 'connection' must outlive this.
  SqlHost(std::string place, Connection* connection, SqlOptions options, SetUp set_up)
      : place_(std::move(place)),
        connection_(connection),
        options_(std::move(options)),
        set_up_(std::move(set_up)) {}

  SqlHost(const SqlHost&) = delete;
  SqlHost& operator=(const SqlHost&) = delete;

  Connection* connection() const { return connection_; }
  // The same SQL for all callers until Close. The first call opens it, while other first calls
  // wait; this creates no tables, which the first definition does. When the opening fails, its
  // error goes to this caller, and the next call tries again. FailedPrecondition: it was closed.
  Result<sql::session::SqlStore*> Sql();
  // Statements that end from now on are told to 'observer', whoever opens SQL, and whether it is
  // open yet or not; null: nobody is told any more. It must outlive SQL's sessions.
  void ObserveStatements(sql::session::StatementObserver* observer);
  // Of indexes, by SQL of this host, whether it is open or not.
  sql::session::IndexBuildCounts index_builds() const { return index_builds_->Read(); }
  const sql::session::SessionOptions& session_options() const { return options_.session; }

  // Gives back what SQL reserved, for which it writes. Its sessions must be gone. Idempotent.
  void Close();

 private:
  Status Open() REQUIRES(mu_);

  const std::string place_;
  Connection* const connection_;
  const SqlOptions options_;
  const SetUp set_up_;
  const std::shared_ptr<sql::session::IndexBuildMeter> index_builds_ =
      std::make_shared<sql::session::IndexBuildMeter>();
  Mutex mu_;  // held while SQL is opened or closed
  bool closed_ GUARDED_BY(mu_) = false;
  sql::session::StatementObserver* observer_ GUARDED_BY(mu_) = nullptr;
  std::unique_ptr<sql::session::SqlStore> sql_ GUARDED_BY(mu_);
};

}  // namespace bennu::front

#endif  // BENNU_SRC_BENNU_SQL_HOST_H_
