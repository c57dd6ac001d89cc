// RETURNING *: the row that an UPSERT left or a DELETE removed.
//
// As in Phoenix only under autocommit and for statements about one row; others give their count
// alone. Source: the recordings of dml/returning.
#ifndef BENNU_SRC_SQL_SESSION_RETURNING_H_
#define BENNU_SRC_SQL_SESSION_RETURNING_H_

#include <memory>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/catalog/table.h"
#include "src/sql/session/change.h"

namespace bennu::sql::session {

// Immutable; one thread at a time.
class RowReturner {
 public:
  // context.store must outlive this.
  RowReturner(std::shared_ptr<const catalog::TableMeta> table, const ChangeContext& context)
      : table_(std::move(table)), context_(context) {}

  // The columns of the rows that Read gives.
  Result<std::vector<exec::ResultColumn>> Columns() const;
  // The row as it is now; when it is not there, its key and NULLs.
  Result<ReturnedRow> Read(ByteView key, const exec::RunOptions& options) const;

 private:
  const std::shared_ptr<const catalog::TableMeta> table_;
  const ChangeContext context_;
};

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_RETURNING_H_
