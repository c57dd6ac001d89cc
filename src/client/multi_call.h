// MultiCall: a batch of mutations on its way to the regions of a table.
// Source: hbase-rpc spec section 5.4; AsyncBatchRpcRetryingCaller of HBase.
#ifndef BENNU_SRC_CLIENT_MULTI_CALL_H_
#define BENNU_SRC_CLIENT_MULTI_CALL_H_

#include <cstdint>
#include <map>
#include <vector>

#include "bennu/mutation.h"
#include "bennu/table.h"
#include "src/client/cluster.h"
#include "src/client/result_reader.h"

namespace bennu::client {

// For one batch, which must stay as it is; used once. One thread at a time.
class MultiCall {
 public:
  MultiCall(Cluster* cluster, const TableName& table, const MutationBatch& batch);

  // The part of each region is applied whole or not at all. 'one_region': InvalidArgument when
  // there are several. (*results)[i]: the new cells of mutation i; null: nobody wants them.
  Status RunAtomically(bool one_region, std::vector<Row>* results);
  // Each mutation by itself.
  Status RunEach(std::vector<Table::Outcome>* outcomes);
  // All of the condition's row. Not tried again when it may have been done.
  Result<Table::CheckedResult> RunChecked(const Table::Condition& condition);

 private:
  // What goes to one region at once.
  struct Part {
    const RegionLocation* region = nullptr;
    std::vector<size_t> mutations;
    bool atomic = false;
  };

  // InvalidArgument: it holds what cannot be sent.
  Status Check() const;
  bool HasSeveralKinds(size_t mutation) const;
  // Parts of those mutations that are not done yet, by server.
  CallOutcome Divide(bool atomic, std::map<Address, std::vector<Part>>* parts);
  CallOutcome Send(const std::vector<Part>& parts, const Table::Condition* condition,
                   pb::MultiResponse* response, Answer* answer);
  void AddPart(const Part& part, const Table::Condition* condition, Bytes* cells,
               pb::MultiRequest* request);
  // Gives the cells that were made by all mutations of a part to each its own.
  void Distribute(const Part& part, const std::vector<Cell>& cells, std::vector<Row>* results);

  Cluster* const cluster_;
  const TableName table_;
  const MutationBatch& batch_;
  std::vector<bool> done_;
  std::vector<uint64_t> nonces_;  // of Increments and Appends; the same at each attempt
  std::shared_ptr<const TableRegions> regions_;
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_MULTI_CALL_H_
