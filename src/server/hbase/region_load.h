// How large and how busy regions are, as clients are told.
// Source: hbase-rpc spec section 7, ClusterStatus.proto.
#ifndef BENNU_SRC_SERVER_HBASE_REGION_LOAD_H_
#define BENNU_SRC_SERVER_HBASE_REGION_LOAD_H_

#include "bennu/admin.h"
#include "bennu/table.h"
#include "proto/cluster_status.pb.h"
#include "src/server/hbase/call.h"

namespace bennu::server::hbase {

void FillRegionLoad(const RegionStatus& status, pb::RegionLoad* load);
// Of all regions.
CallError FillServerLoad(Connection* store, pb::ServerLoad* load);

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_REGION_LOAD_H_
