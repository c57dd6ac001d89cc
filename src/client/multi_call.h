// MultiCall: a batch of mutations on its way to the regions of a table.
//
// It goes in rounds. A round divides what is not done yet into parts, one for each region, and
// packs the parts of each server into requests of hbase.client.max.perrequest.heapsize bytes. The
// requests go to all servers at the same time, to each server hbase.client.max.perserver.tasks of
// them; the others are encoded when one has been answered, so that what is on its way is bounded as
// well. What failed and may pass is the next round's, after a pause. A mutation keeps its nonce in
// all rounds. Source: hbase-rpc spec section 5.4; AsyncBatchRpcRetryingCaller,
// SimpleRequestController of HBase.
#ifndef BENNU_SRC_CLIENT_MULTI_CALL_H_
#define BENNU_SRC_CLIENT_MULTI_CALL_H_

#include <cstdint>
#include <deque>
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

  // The part of each region is applied whole or not at all, and is never cut. 'one_region':
  // InvalidArgument when there are several. (*results)[i]: the new cells of mutation i; null:
  // nobody wants them.
  Status RunAtomically(bool one_region, std::vector<Row>* results);
  // Each mutation by itself.
  Status RunEach(std::vector<Table::Outcome>* outcomes);
  // All of the condition's row. Not tried again when it may have been done.
  Result<Table::CheckedResult> RunChecked(const Table::Condition& condition);

 private:
  // What goes to one region at once.
  struct Part {
    LocationPtr region;
    std::vector<size_t> mutations;
    bool atomic = false;
    uint64_t bytes = 0;
  };
  // Parts for one server, in the order of the batch.
  using Parts = std::deque<Part>;
  // The last part of a region; its server's parts may go on behind it.
  struct OpenPart {
    Parts* parts;
    size_t index;
  };
  struct Divided {
    std::map<Address, Parts> parts;
    std::map<ByteView, OpenPart> open;  // by the regions' names, which the parts hold
  };
  // What a round came to: OK, or the worst of its failures.
  struct Round {
    CallOutcome worst;
    size_t worst_mutation = 0;
  };

  // InvalidArgument: it holds what cannot be sent.
  Status Check() const;
  bool HasSeveralKinds(size_t mutation) const;
  uint64_t BytesOf(size_t mutation) const;
  ByteView RowOf(size_t mutation) const { return batch_.row_key(batch_.rows()[mutation]); }

  // Parts of those mutations that are not done yet, by server. Mutations whose region is not found
  // fail; none is left to be sent if that cannot be mended, as for a table that does not exist.
  std::map<Address, Parts> Divide(bool atomic, const Operation& operation, Round* round);
  void AddTo(Divided* divided, bool atomic, const LocationPtr& region, size_t mutation) const;
  // The next request of a server.
  Parts TakeRequest(Parts* waiting) const;
  // Sends all and takes what comes back.
  void SendAll(std::map<Address, Parts> parts, const Operation& operation, Round* round);
  void Encode(const Parts& parts, const Table::Condition* condition, pb::MultiRequest* request,
              Bytes* cells) const;
  void AddPart(const Part& part, const Table::Condition* condition, Bytes* cells,
               pb::MultiRequest* request) const;

  void TakeAnswer(const Parts& parts, CallOutcome outcome, Round* round);
  Status TakePart(const Part& part, const pb::RegionActionResult& result, ResultReader* reader,
                  Round* round);
  Status TakeAtomicPart(const Part& part, const pb::RegionActionResult& result,
                        ResultReader* reader, Round* round);
  void Fail(const Part& part, const CallOutcome& failed, Round* round);
  void FailOne(size_t mutation, const CallOutcome& failed, Round* round);
  void Succeed(size_t mutation, const Cell* cells, size_t count);
  // Gives the cells that were made by all mutations of a part to each its own.
  void Distribute(const Part& part, const std::vector<Cell>& cells);

  Status Run(bool atomic, bool one_region);

  Cluster* const cluster_;
  const TableName table_;
  const MutationBatch& batch_;
  std::vector<bool> done_;
  std::vector<uint64_t> nonces_;         // of Increments and Appends; the same at each attempt
  std::vector<Row>* results_ = nullptr;  // null: nobody wants them
  std::vector<Table::Outcome>* outcomes_ = nullptr;  // null: the batch succeeds or fails as one
};

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_MULTI_CALL_H_
