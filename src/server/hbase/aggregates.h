// AggregateService: what rows of one region come to; the client adds the regions up.
// Source: AggregateImplementation and the column interpreters of HBase.
#ifndef BENNU_SRC_SERVER_HBASE_AGGREGATES_H_
#define BENNU_SRC_SERVER_HBASE_AGGREGATES_H_

#include <string>

#include "proto/endpoints.pb.h"
#include "src/server/hbase/call.h"
#include "src/server/hbase/regions.h"

namespace bennu::server::hbase {

// GetMax, GetMin, GetSum, GetRowNum, GetAvg, GetStd, GetMedian, of values that are longs,
// doubles or BigDecimals. UnknownProtocolException: another method. DoNotRetryIOException: another
// kind of value.
CallError Aggregate(const ServedRegion& region, const std::string& method,
                    const pb::AggregateRequest& request, pb::AggregateResponse* response);

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_AGGREGATES_H_
