// What regions count and add up by HBase's AggregateImplementation, where their servers have it.
// Source: hbase-rpc spec section 5.6; AggregationClient of HBase.
#ifndef BENNU_SRC_CLIENT_AGGREGATE_CALL_H_
#define BENNU_SRC_CLIENT_AGGREGATE_CALL_H_

#include <cstdint>
#include <optional>

#include "bennu/descriptor.h"
#include "bennu/scan.h"
#include "bennu/status.h"
#include "src/api/server_aggregates.h"
#include "src/client/cluster.h"

namespace bennu::client {

// As api::ServerAggregates::Aggregate says; asks one region after the other. A table whose regions
// turn out not to have the class is not asked again for a minute.
Result<std::optional<int64_t>> AggregateRegions(Cluster* cluster, const TableName& table,
                                                api::ServerAggregate what, const Scan& scan);

}  // namespace bennu::client

#endif  // BENNU_SRC_CLIENT_AGGREGATE_CALL_H_
