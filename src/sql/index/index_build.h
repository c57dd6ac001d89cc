// The rows of a table that an index is filled with, read by several threads.
#ifndef BENNU_SRC_SQL_INDEX_INDEX_BUILD_H_
#define BENNU_SRC_SQL_INDEX_INDEX_BUILD_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "bennu/bytes.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "src/sql/index/index_keeper.h"
#include "src/sql/plan/index_definition.h"

namespace bennu::sql::index {

// Takes rows. One thread at a time.
class RowSink {
 public:
  virtual ~RowSink() = default;
  // The cells are as of Scanner::Next.
  virtual Status Add(const CellBatch& rows) = 0;
  // What was added has been dealt with when this returns; then more may be added.
  virtual Status Finish() = 0;
};

// Hands all rows of the table that the index may have to sinks, at most 'rows_at_once' at a time,
// with what 'columns' says, as in Scan. Each thread has a sink of its own, which 'make_sink' makes;
// at the end of each piece of the table it is finished. 'snapshot': as in Scan. The first error
// ends it. Returns the number of rows.
Result<int64_t> ForEachRowToIndex(Connection* connection, const plan::IndexDefinition& definition,
                                  const std::map<Bytes, std::set<Bytes>>& columns,
                                  const std::shared_ptr<const Snapshot>& snapshot,
                                  size_t rows_at_once,
                                  const std::function<std::unique_ptr<RowSink>()>& make_sink,
                                  const IndexKeeper::Progress& progress);

}  // namespace bennu::sql::index

#endif  // BENNU_SRC_SQL_INDEX_INDEX_BUILD_H_
