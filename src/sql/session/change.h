// Changes: compiled UPSERT and DELETE statements.
//
// A Change is made once from a statement's tree and run with any number of parameter sets. It knows
// the table as it was when it was made: the session makes it again when the catalog has changed.
// One thread at a time (it keeps buffers). Source: phoenix-sql.md section 3.
#ifndef BENNU_SRC_SQL_SESSION_CHANGE_H_
#define BENNU_SRC_SQL_SESSION_CHANGE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bennu/cell.h"
#include "bennu/status.h"
#include "src/sql/bind/select_binder.h"
#include "src/sql/exec/query.h"
#include "src/sql/parse/ast.h"
#include "src/sql/session/pending_writes.h"
#include "src/sql/session/sql_store.h"
#include "src/sql/types/value.h"

namespace bennu::sql::session {

// What making a change needs to know of the session.
struct ChangeContext {
  SqlStore* store = nullptr;  // must outlive the change
  std::string default_schema;
  std::string tenant;              // of the connection; empty: a global one
  int64_t scn = kLatestTimestamp;  // CurrentSCN
  int32_t bind_count = 0;
  exec::PrepareContext prepare;

  bind::BindContext ForBinder() const;
};

// What RETURNING * gives.
struct ReturnedRow {
  std::vector<exec::ResultColumn> columns;
  std::vector<Value> row;
};

// What one run needs to know.
struct ChangeRun {
  std::span<const Value> params;
  PendingWrites* writes = nullptr;
  bool autocommit = true;  // large changes go out in parts
  int64_t now_ms = 0;
  exec::RunOptions query;
  // Gets the row of a statement with RETURNING that is about one row, under autocommit.
  std::optional<ReturnedRow>* returned = nullptr;
};

class Change {
 public:
  virtual ~Change() = default;
  // Adds the statement's mutations to the pending writes, and with autocommit may write parts of
  // them. Returns the update count. After an error in a statement of VALUES nothing was added.
  virtual Result<int64_t> Run(const ChangeRun& run) = 0;
  // Lines of EXPLAIN.
  virtual Result<std::vector<exec::PlanLine>> Explain(std::span<const Value> params) = 0;
  // Types that the parameters are assigned to or that their places want, kNull where that is not
  // known.
  virtual std::vector<DataType> parameter_types() const = 0;
  // 203: a run fails whatever the other parameters are, because the one with this index is assigned
  // to a column that takes nothing of the type of 'value', or compared with something of another
  // type.
  virtual Status CheckParameter(size_t index, const Value& value) const;
  // Columns of the row that RETURNING gives; none without RETURNING.
  virtual Result<std::vector<exec::ResultColumn>> ReturnedColumns() const;
  // As exec::PreparedQuery's, of a change that reads.
  virtual std::vector<bool> compared_parameters() const { return {}; }
};

// The tree stays as it is and must outlive the change. Errors: Phoenix's of names, types and counts
// (203, 204, 206, 502, 504, 1012, 1020 …); kSql without code for a feature that is not there yet.
Result<std::unique_ptr<Change>> MakeUpsert(const parse::Upsert& statement,
                                           const ChangeContext& context);
Result<std::unique_ptr<Change>> MakeDelete(const parse::Delete& statement,
                                           const ChangeContext& context);

}  // namespace bennu::sql::session

#endif  // BENNU_SRC_SQL_SESSION_CHANGE_H_
