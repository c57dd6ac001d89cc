#include "src/bennu/sql_host.h"

#include <utility>

#include "src/base/status_macros.h"
#include "src/bennu/engine_options.h"
#include "src/sql/exec/query.h"

namespace bennu::front {

Result<sql::session::SqlStore*> SqlHost::Sql() {
  MutexLock lock(&mu_);
  if (closed_) {
    return FailedPrecondition("there is no SQL over " + place_ +
                              " any more: the store is being closed");
  }
  if (sql_ == nullptr) RETURN_IF_ERROR(Open());
  return sql_.get();
}

Status SqlHost::Open() {
  ASSIGN_OR_RETURN(auto sql, sql::session::SqlStore::Open(connection_, sql::exec::PrepareQuery,
                                                          options_.features));
  const MemoryPlan memory =
      options_.memory.has_value() ? *options_.memory : PlanMemory(DatabaseOptions());
  sql->set_query_memory_bytes(memory.query_bytes);
  sql->set_all_queries_memory_bytes(memory.queries_bytes);
  sql->statements()->SetObserver(observer_);
  sql->set_index_build_meter(index_builds_);
  set_up_(sql.get());
  sql_ = std::move(sql);
  return Status::Ok();
}

void SqlHost::ObserveStatements(sql::session::StatementObserver* observer) {
  MutexLock lock(&mu_);
  observer_ = observer;
  if (sql_ != nullptr) sql_->statements()->SetObserver(observer);
}

void SqlHost::Close() {
  MutexLock lock(&mu_);
  closed_ = true;
  sql_.reset();
}

}  // namespace bennu::front
