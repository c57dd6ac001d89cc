// Rows that a TTL condition has made invisible, and that an UPSERT writes again.
#ifndef BENNU_SRC_SQL_SESSION_EXPIRED_ROWS_H_
#define BENNU_SRC_SQL_SESSION_EXPIRED_ROWS_H_

#include <memory>

#include "bennu/bytes.h"
#include "bennu/mutation.h"
#include "bennu/status.h"
#include "src/sql/catalog/table.h"
#include "src/sql/session/change.h"

namespace bennu::sql::session {

// An expired row is gone: an UPSERT makes a new one, in which no value of the old one may show. So
// the old one is deleted first, and at once, since nobody can see it. One thread at a time.
// Source: CompiledConditionalTTLExpression and IndexRegionObserver of 5.3.
class ExpiredRows {
 public:
  // Null for a table whose TTL is no condition. 'context' is copied.
  static std::unique_ptr<ExpiredRows> For(const catalog::TableMeta& table,
                                          const std::shared_ptr<Table>& storage,
                                          const ChangeContext& context);

  // Deletes those of the batch's rows that are stored and have expired.
  Status Remove(const MutationBatch& batch, const ChangeRun& run);
  // The same for the row that was appended last.
  Status RemoveLast(const MutationBatch& batch, const ChangeRun& run);

 private:
  ExpiredRows(const catalog::TableMeta& table, std::shared_ptr<Table> storage,
              const ChangeContext& context);

  Status RemoveRow(ByteView key, const ChangeRun& run);
  Result<bool> HasExpired(ByteView key, const ChangeRun& run);

  const catalog::TableMeta table_;
  const std::shared_ptr<Table> storage_;
  const ChangeContext context_;
};

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_EXPIRED_ROWS_H_
