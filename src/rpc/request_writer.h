// What the data API asks for as messages of ClientService: the other way round of requests.h.
// Source: hbase-rpc spec sections 5.1 to 5.5; RequestConverter and ProtobufUtil of HBase.
#ifndef BENNU_SRC_RPC_REQUEST_WRITER_H_
#define BENNU_SRC_RPC_REQUEST_WRITER_H_

#include <cstddef>

#include "bennu/mutation.h"
#include "bennu/scan.h"
#include "bennu/table.h"
#include "proto/client.pb.h"
#include "src/rpc/cell_codec.h"

namespace bennu::rpc {

// A snapshot cannot be sent; a navigator is the client's to ask.
// NotSupported: delete markers that count up to a time of their own (TimeRange::markers_max).
Status WriteGet(const Get& get, pb::Get* message);
Status WriteScan(const Scan& scan, pb::Scan* message);
void WriteCondition(const Table::Condition& condition, pb::Condition* message);

// Mutation 'index' of the batch as messages, its cells in 'cells' by 'codec'. HBase's Put holds no
// delete markers and its Delete no puts, so that a mutation with both becomes several, in order.
// Calls add() for each message.
template <typename Add>
void WriteMutation(const MutationBatch& batch, size_t index, CellCodec codec, Bytes* cells,
                   const Add& add);

// ---- details

// Of the cells [*begin, end) in the batch's buffer writes those of the first's kind and moves
// *begin behind them.
void WriteRun(const MutationBatch& batch, size_t index, uint64_t* begin, CellCodec codec,
              Bytes* cells, pb::MutationProto* message);

template <typename Add>
void WriteMutation(const MutationBatch& batch, size_t index, CellCodec codec, Bytes* cells,
                   const Add& add) {
  const MutationBatch::Row& row = batch.rows()[index];
  uint64_t begin = row.cells_begin;
  do {
    WriteRun(batch, index, &begin, codec, cells, add());
  } while (begin < row.cells_end);
}

}  // namespace bennu::rpc

#endif  // BENNU_SRC_RPC_REQUEST_WRITER_H_
