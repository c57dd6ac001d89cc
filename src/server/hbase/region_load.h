// How large and how busy regions are, as clients are told.
// Source: hbase-rpc spec section 7, ClusterStatus.proto.
#ifndef BENNU_SRC_SERVER_HBASE_REGION_LOAD_H_
#define BENNU_SRC_SERVER_HBASE_REGION_LOAD_H_

#include "bennu/admin.h"
#include "bennu/table.h"
#include "proto/cluster_status.pb.h"
#include "src/server/hbase/call.h"
#include "src/server/hbase/regions.h"

namespace bennu::server::hbase {

void FillRegionLoad(const RegionStatus& status, const Regions& regions, pb::RegionLoad* load);
// Of all regions.
CallError FillServerLoad(const Regions& regions, pb::ServerLoad* load);
// Of compactions that clients asked for and that have not ended, and of the one that is at work,
// whoever asked for it; 'State' is one of the two enums that name it. 'counters' may be null.
template <typename State>
State CompactionStateOf(const RegionCounters* counters, CompactionState at_work) {
  if (counters != nullptr && counters->major_compactions.load() > 0) {
    at_work = Together(at_work, CompactionState::kMajor);
  }
  if (counters != nullptr && counters->minor_compactions.load() > 0) {
    at_work = Together(at_work, CompactionState::kMinor);
  }
  return static_cast<State>(at_work);
}

}  // namespace bennu::server::hbase

#endif  // BENNU_SRC_SERVER_HBASE_REGION_LOAD_H_
