// Calls of coprocessor endpoints: what a region's classes answer beside HBase's own calls.
// Source: hbase-rpc spec section 5.6; phoenix-pushdown spec section 2.
#ifndef BENNU_SRC_CLIENT_ENDPOINT_CALL_H_
#define BENNU_SRC_CLIENT_ENDPOINT_CALL_H_

#include <google/protobuf/message_lite.h>

#include <cstdint>
#include <string>

#include "bennu/bytes.h"
#include "bennu/descriptor.h"
#include "bennu/status.h"
#include "src/client/cluster.h"

namespace bennu::client {

// One attempt of 'operation' at a call of the region of the row, which '*region' becomes unless it
// is null. NotSupported: the region has no such endpoint.
CallOutcome TryEndpoint(Cluster* cluster, const TableName& table, ByteView row,
                        const std::string& service, const std::string& method,
                        const google::protobuf::MessageLite& request, Operation* operation,
                        google::protobuf::MessageLite* response, LocationPtr* region = nullptr);

// Asks the region of the row, again after it moved. NotSupported: the region has no such endpoint.
Status CallEndpoint(Cluster* cluster, const TableName& table, ByteView row,
                    const std::string& service, const std::string& method,
                    const google::protobuf::MessageLite& request,
                    google::protobuf::MessageLite* response);

// A definition in Phoenix's catalog, and where it lies.
struct PhoenixDefinition {
  TableName catalog;  // the HBase table of SYSTEM.CATALOG
  Bytes row;          // of the definition's header
  std::string tenant, schema, table;
};

// Has Phoenix's server forget what it keeps of the definition, since it was written past it. OK,
// too, where the catalog's table has no endpoint of Phoenix's.
Status ForgetPhoenixDefinition(Cluster* cluster, const PhoenixDefinition& definition);

// The version of Phoenix on the servers, as major << 16 | minor << 8 | patch, by the endpoint of
// its catalog in the region of the row. NotSupported: the catalog's table has no such endpoint.
Result<int32_t> PhoenixVersion(Cluster* cluster, const TableName& catalog, ByteView row);

// Whether the servers keep SQL's indexes in step with tables, whoever writes these: those of Bennu
// say so, and HBase's do not know the question.
Result<bool> KeepsIndexes(Cluster* cluster);

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_ENDPOINT_CALL_H_
