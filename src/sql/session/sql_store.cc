#include "src/sql/session/sql_store.h"

namespace bennu::sql::session {

Result<std::unique_ptr<SqlStore>> SqlStore::Open(Connection* connection,
                                                 PrepareQueryFunction prepare_query) {
  ASSIGN_OR_RETURN(auto catalog, catalog::Catalog::Open(connection));
  return std::unique_ptr<SqlStore>(
      new SqlStore(connection, std::move(catalog), std::move(prepare_query)));
}

}  // namespace bennu::sql::session
