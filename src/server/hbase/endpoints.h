// The coprocessor endpoints that HBase ships, which here are always there: AggregateService and
// MultiRowMutationService.
// Source: hbase-rpc spec section 5.6; AggregateImplementation, MultiRowMutationEndpoint of HBase.
#ifndef BENNU_SRC_SERVER_HBASE_ENDPOINTS_H_
#define BENNU_SRC_SERVER_HBASE_ENDPOINTS_H_

#include "bennu/scan.h"
#include "proto/client.pb.h"
#include "src/server/hbase/call.h"
#include "src/server/hbase/nonces.h"
#include "src/server/hbase/regions.h"

namespace bennu::server::hbase {

// Runs one call on one region; *value gets the answer's message and the name of its Java class.
// UnknownProtocolException: no such service or method. Waits for the disk.
CallError RunEndpoint(const ServedRegion& region, const pb::CoprocessorServiceCall& call,
                      Nonces* nonces, pb::NameBytesPair* value);

// The part of a scan that lies in the region.
void ClipToRegion(const RegionInfo& region, Scan* scan);

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_ENDPOINTS_H_
