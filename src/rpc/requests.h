// What the messages of ClientService ask for, in terms of the data API. Untrusted messages:
// InvalidArgument names what cannot be.
// Source: hbase-rpc spec sections 5.1 to 5.5; ProtobufUtil of HBase.
#ifndef BENNU_SRC_RPC_REQUESTS_H_
#define BENNU_SRC_RPC_REQUESTS_H_

#include "bennu/mutation.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "bennu/table.h"
#include "proto/client.pb.h"
#include "src/rpc/cell_codec.h"

namespace bennu::rpc {

Status ReadGet(const pb::Get& message, Get* get);
// All but what concerns single calls (number of rows, partial results).
Status ReadScan(const pb::Scan& message, Scan* scan);
// Adds the mutation to the batch; its cells come from 'cells' when the message says so.
Status ReadMutation(const pb::MutationProto& message, CellBlockReader* cells, MutationBatch* batch);
Status ReadCondition(const pb::Condition& message, Table::Condition* condition);

}  // namespace bennu::rpc

#endif  // BENNU_SRC_RPC_REQUESTS_H_
