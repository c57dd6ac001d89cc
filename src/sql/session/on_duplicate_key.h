// UPSERT … ON DUPLICATE KEY: what happens to a row depends on whether it is there already.
//
// Each row is looked up and decided upon, and written on the condition that it still has what was
// read of it; else it is decided anew. So the decision is right whoever else writes the row,
// whether by SQL or not, here or in another process. Without autocommit that happens at the commit,
// in the order of the statements. Source: phoenix-sql.md section 3.
#ifndef BENNU_SRC_SQL_SESSION_ON_DUPLICATE_KEY_H_
#define BENNU_SRC_SQL_SESSION_ON_DUPLICATE_KEY_H_

#include <memory>

#include "bennu/status.h"
#include "src/sql/bind/change_binder.h"
#include "src/sql/session/change.h"

namespace bennu::sql::session {

// Wraps 'inserts', the plain UPSERT VALUES of the statement. 203: a value that its column cannot
// take.
Result<std::unique_ptr<Change>> MakeOnDuplicateKey(const bind::BoundUpsert& bound,
                                                   std::shared_ptr<Table> storage,
                                                   std::unique_ptr<Change> inserts,
                                                   const ChangeContext& context);

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_ON_DUPLICATE_KEY_H_
