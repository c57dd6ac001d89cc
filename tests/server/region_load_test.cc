// The compaction state that clients are told: of what they have asked for and of what is at work.
// Expected: HRegion.getCompactionState, the numbers of AdminProtos.
#include "src/server/hbase/region_load.h"

#include <gtest/gtest.h>

#include "proto/admin.pb.h"

namespace bennu::server::hbase {
namespace {

using Answer = pb::GetRegionInfoResponse;

Answer::CompactionState StateOf(const RegionCounters* counters, CompactionState at_work) {
  return CompactionStateOf<Answer::CompactionState>(counters, at_work);
}

TEST(CompactionStateOf, TellsOfTheStoresOwn) {
  EXPECT_EQ(StateOf(nullptr, CompactionState::kNone), Answer::NONE);
  EXPECT_EQ(StateOf(nullptr, CompactionState::kMinor), Answer::MINOR);
  EXPECT_EQ(StateOf(nullptr, CompactionState::kMajor), Answer::MAJOR);
}

TEST(CompactionStateOf, TellsOfThoseThatWereAskedFor) {
  RegionCounters counters;
  EXPECT_EQ(StateOf(&counters, CompactionState::kNone), Answer::NONE);
  EXPECT_EQ(StateOf(&counters, CompactionState::kMinor), Answer::MINOR);
  counters.major_compactions = 1;
  EXPECT_EQ(StateOf(&counters, CompactionState::kNone), Answer::MAJOR);
  EXPECT_EQ(StateOf(&counters, CompactionState::kMajor), Answer::MAJOR);
  EXPECT_EQ(StateOf(&counters, CompactionState::kMinor), Answer::MAJOR_AND_MINOR);
  counters.minor_compactions = 2;
  EXPECT_EQ(StateOf(&counters, CompactionState::kNone), Answer::MAJOR_AND_MINOR);
}

}  // namespace
}  // namespace bennu::server::hbase
