// Writes of a table for a caller that must not wait: a server's event loop.
#ifndef BENNU_SRC_ENGINE_ASYNC_WRITES_H_
#define BENNU_SRC_ENGINE_ASYNC_WRITES_H_

#include <functional>
#include <span>
#include <vector>

#include "bennu/status.h"
#include "bennu/table.h"

namespace bennu::engine {

// What the tables of an engine are besides Table (ServedTable). Thread-safe.
//
// What is passed must stay until 'done' was called, once, on this thread or another. The caller
// calls LeadLog soon after, for any number of writes at a time: that is when they get into the log,
// or else within a tenth of a second. Row locks and full memstores are waited for.
class AsyncWrites {
 public:
  virtual ~AsyncWrites() = default;

  // As Table::Mutate; 'results' may be null.
  virtual void MutateAsync(MutationBatch* batch, std::vector<Row>* results,
                           std::function<void(Status)> done) = 0;
  // As Table::CheckAndMutate.
  virtual void CheckAndMutateAsync(const Table::Condition& condition, MutationBatch* batch,
                                   Table::CheckedResult* result,
                                   std::function<void(Status)> done) = 0;
  // As Table::MutateAtomically, if all conditions hold, of which there is at least one: of rows of
  // the same region, that the batch need not write; it may be empty. HBase's
  // MultiRowMutationEndpoint.
  virtual void CheckRowsAndMutateAsync(std::span<const Table::Condition> conditions,
                                       MutationBatch* batch, Table::CheckedResult* result,
                                       std::function<void(Status)> done) = 0;
  // Writes what was handed in; leaves what has to reach the disk to the log's thread.
  virtual void LeadLog() = 0;
};

}  // namespace bennu::engine

#endif  // BENNU_SRC_ENGINE_ASYNC_WRITES_H_
