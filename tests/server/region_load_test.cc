// The compaction state that clients are told: of what they have asked for and of what is at work.
// Expected: HRegion.getCompactionState, the numbers of AdminProtos.
#include "src/server/hbase/region_load.h"

#include <gtest/gtest.h>

#include "proto/admin.pb.h"

namespace bennu::server::hbase {
namespace {

using RegionAnswer = pb::GetRegionInfoResponse;

RegionAnswer::CompactionState StateOf(const RegionCounters* counters, CompactionState at_work) {
  return CompactionStateOf<RegionAnswer::CompactionState>(counters, at_work);
}

TEST(CompactionStateOf, TellsOfTheStoresOwn) {
  EXPECT_EQ(StateOf(nullptr, CompactionState::kNone), RegionAnswer::NONE);
  EXPECT_EQ(StateOf(nullptr, CompactionState::kMinor), RegionAnswer::MINOR);
  EXPECT_EQ(StateOf(nullptr, CompactionState::kMajor), RegionAnswer::MAJOR);
}

TEST(CompactionStateOf, TellsOfThoseThatWereAskedFor) {
  RegionCounters counters;
  EXPECT_EQ(StateOf(&counters, CompactionState::kNone), RegionAnswer::NONE);
  EXPECT_EQ(StateOf(&counters, CompactionState::kMinor), RegionAnswer::MINOR);
  counters.major_compactions = 1;
  EXPECT_EQ(StateOf(&counters, CompactionState::kNone), RegionAnswer::MAJOR);
  EXPECT_EQ(StateOf(&counters, CompactionState::kMajor), RegionAnswer::MAJOR);
  EXPECT_EQ(StateOf(&counters, CompactionState::kMinor), RegionAnswer::MAJOR_AND_MINOR);
  counters.minor_compactions = 2;
  EXPECT_EQ(StateOf(&counters, CompactionState::kNone), RegionAnswer::MAJOR_AND_MINOR);
}

// HBase 2.5.10 told 5 MB uncompressed of 5.9, 1 MB of 0.3 in the file, 3 KB of index of 3.3.
TEST(RegionLoad, SizesAreRoundedAsInHBase) {
  const Regions regions(nullptr, "host,1,2");
  RegionStatus status;
  status.file_bytes = 302'297;
  status.uncompressed_bytes = 5'900'000;
  status.index_bytes = 3414;
  status.bloom_bytes = 131'072;
  pb::RegionLoad load;
  FillRegionLoad(status, regions, &load);
  EXPECT_EQ(load.storefile_size_mb(), 1u);
  EXPECT_EQ(load.store_uncompressed_size_mb(), 5u);
  EXPECT_EQ(load.total_static_index_size_kb(), 3u);
  EXPECT_EQ(load.total_static_bloom_size_kb(), 128u);
  EXPECT_EQ(load.mem_store_size_mb(), 0u);
}

}  // namespace
}  // namespace bennu::server::hbase
