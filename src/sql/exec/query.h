// PreparedQuery: a SELECT that was bound and planned once and can be run many times.
//
//   ASSIGN_OR_RETURN(auto query, PrepareQuery(select, &context));
//   ASSIGN_OR_RETURN(auto rows, query->Open(params, options));
//   DataChunk chunk;
//   for (;;) { RETURN_IF_ERROR(rows->Next(&chunk)); if (chunk.size == 0) break; … }
//
// Who uses it: the session (SELECT, EXPLAIN, UPSERT SELECT, DELETE … WHERE). A PreparedQuery is
// immutable and may be opened by several threads at a time; a RowStream belongs to one thread at a
// time (it uses the connection's threads by itself).
#ifndef BENNU_SRC_SQL_EXEC_QUERY_H_
#define BENNU_SRC_SQL_EXEC_QUERY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/base/status_macros.h"
#include "src/sql/parse/ast.h"
#include "src/sql/types/column_origin.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"
#include "src/sql/types/vector.h"

namespace bennu::sql::catalog {
class Catalog;
}

namespace bennu::sql::plan {
struct WriteSpec;
}

namespace bennu::sql::exec {

class Analysis;
class MemoryPool;
class RunControl;
class SequenceSource;
class SpillSpace;

// Memory that the sorts, groups and joins of one query may hold before they go to temporary files,
// or it fails with 999: a quarter of a small server, far above what interactive queries need.
inline constexpr size_t kQueryMemoryBytesMax = size_t{2} << 30;

// What preparing needs to know of its surroundings. All pointers must outlive the PreparedQuery.
struct PrepareContext {
  Connection* connection = nullptr;
  catalog::Catalog* catalog = nullptr;
  std::string tenant;          // empty for a global connection
  std::string default_schema;  // of USE; empty when there is none
  bool with_expired = false;   // rows that met a TTL condition are shown too
  // CurrentSCN: tables as they were defined before then.
  int64_t as_of = kLatestTimestamp;
  // Statement time for CURRENT_DATE() and kin that are folded at once, epoch milliseconds.
  int64_t now_millis = 0;
  // The values of the one run that is prepared for: those that do not fit what their places want
  // become constants (bind/parameters.h). Empty: for any run. Read while preparing alone.
  std::span<const Value> parameters;
  // For EXPLAIN, which says it; a run goes by its RunOptions.
  Consistency consistency = Consistency::kStrong;
  // The change that the query's rows are for; null: they are the answer. Read while preparing
  // alone.
  const plan::WriteSpec* write = nullptr;
};

// What one run needs to know. Pointers must outlive the RowStream.
struct RunOptions {
  TimeRange time_range;  // CurrentSCN: [0, scn)
  // Who may answer, but for SYSTEM tables, whose primaries always do.
  Consistency consistency = Consistency::kStrong;
  RunControl* control = nullptr;  // stops the run, and sees how far it is; null: nobody looks
  size_t memory_bytes_max = kQueryMemoryBytesMax;
  MemoryPool* memory_pool = nullptr;  // of all queries of the store; null: no bound but its own
  SpillSpace* spill = nullptr;        // for what has no room; null: the query fails then
  int64_t now_millis = 0;
  std::shared_ptr<const Snapshot> snapshot;  // null: taken when the query is opened
  Analysis* analysis = nullptr;              // not null: gets the plan with what each step did
  SequenceSource* sequences = nullptr;       // null: a query with sequences fails (1205)
};

struct ResultColumn {
  std::string label;  // as JDBC's getColumnLabel: alias or the expression's text
  DataType type;
  bool nullable = true;
  ColumnOrigin origin = {};
};
using SharedColumns = std::shared_ptr<const std::vector<ResultColumn>>;

// One line of EXPLAIN. The estimates are negative when there are none (NULL).
struct PlanLine {
  std::string text;
  int64_t bytes = -1;
  int64_t rows = -1;
  int64_t info_millis = -1;
};

// A running query. Destroying it stops it.
class RowStream {
 public:
  virtual ~RowStream() = default;
  // Replaces *chunk by further rows, at most VectorSize(); size 0 is the end, and it stays the end.
  // Bytes of the chunk are valid until the next call or until the stream is destroyed.
  // Errors: those of expressions (201, 212 …), Cancelled, 6000 (out of time), 999 (out of memory),
  // storage.
  virtual Status Next(DataChunk* chunk) = 0;

  struct Metrics {
    uint64_t rows_scanned = 0;
    uint64_t cells_scanned = 0;
    uint64_t blocks_read = 0;
    uint64_t blocks_cached = 0;
    uint64_t files_opened = 0;
    uint64_t files_skipped = 0;
    uint64_t seeks = 0;
    uint64_t rows_returned = 0;
    size_t morsels = 0;
    size_t threads = 0;
    uint64_t memory_peak_bytes = 0;  // of sorts, groups and joins
    uint64_t spilled_bytes = 0;      // written to temporary files
  };
  // So far; complete at the end.
  virtual Metrics metrics() const = 0;
};

class PreparedQuery {
 public:
  virtual ~PreparedQuery() = default;
  const std::vector<ResultColumn>& columns() const { return *shared_columns(); }
  // The same, which may outlive the query. Never null.
  virtual const SharedColumns& shared_columns() const = 0;
  std::vector<DataType> types() const;
  // Types of the bind parameters, by index from 0, as their contexts want them; kNull where the
  // text does not say.
  virtual const std::vector<DataType>& parameter_types() const = 0;
  // Of these, those that are only compared with something; see bind::Parameters::compared.
  virtual const std::vector<bool>& compared_parameters() const = 0;
  // See bind::CheckComparable.
  virtual Status CheckParameter(size_t index, const Value& value) const = 0;
  // 'params': one for each parameter, of any type that can be assigned to the wanted one.
  // Errors: 2004 (a parameter is missing), 203 and kin for a value that does not fit, storage.
  virtual Result<std::unique_ptr<RowStream>> Open(std::span<const Value> params,
                                                  const RunOptions& options) const = 0;
  // Whether rows of the HBase table, or of an index of it, are among what a run reads.
  virtual bool Reads(const TableName& table) const = 0;
  // The lines of EXPLAIN. With parameters not given the ranges show what is known.
  virtual Result<std::vector<PlanLine>> Explain(std::span<const Value> params) const = 0;
};

// Binds and plans. The tree is not referred to afterwards. Errors: Phoenix's of names and types
// (203, 502, 504, 1012, 1017, 1018 …); kSql without code for a feature that is not there.
Result<std::unique_ptr<PreparedQuery>> PrepareQuery(const parse::Select& select,
                                                    const PrepareContext& context);

// The lines of EXPLAIN of a change that reads nothing.
Result<std::vector<PlanLine>> ExplainWrite(const plan::WriteSpec& write, Connection* connection);

}  // namespace bennu::sql::exec

#endif  // BENNU_SRC_SQL_EXEC_QUERY_H_
