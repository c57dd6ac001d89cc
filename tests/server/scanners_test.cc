// Leases and sequence numbers of scanners (hbase-rpc spec section 5.5).
#include "src/server/hbase/scanners.h"

#include <gtest/gtest.h>

#include <thread>

namespace bennu::server::hbase {
namespace {

std::unique_ptr<RegionScan> NoScan() {
  return std::make_unique<RegionScan>(nullptr, ReadMoment(), nullptr, 1);
}

TEST(Scanners, CallsComeInOrder) {
  Scanners scanners(std::chrono::minutes(1));
  const uint64_t id = scanners.Add(NoScan(), "ann");
  for (uint64_t sequence = 0; sequence < 3; ++sequence) {
    Scanners::Use use;
    ASSERT_FALSE(scanners.Take(id, "ann", sequence, &use).has_value());
    EXPECT_TRUE(static_cast<bool>(use));
    scanners.Return(std::move(use));
  }
  Scanners::Use use;
  const CallError error = scanners.Take(id, "ann", 7, &use);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(rpc::exceptions::kOutOfOrderScannerNext.name, error->type().name);
  EXPECT_FALSE(scanners.Take(id, "ann", 3, &use).has_value()) << "the scanner is kept";
}

// Who learns an id that is another user's can neither read on nor close the scan.
TEST(Scanners, BelongToTheUserWhoOpenedThem) {
  Scanners scanners(std::chrono::minutes(1));
  const uint64_t id = scanners.Add(NoScan(), "ann");
  Scanners::Use use;
  for (const char* other : {"bob", ""}) {
    const CallError error = scanners.Take(id, other, 0, &use);
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(rpc::exceptions::kAccessDenied.name, error->type().name);
    EXPECT_FALSE(static_cast<bool>(use));
  }
  ASSERT_FALSE(scanners.Take(id, "ann", 0, &use).has_value()) << "its sequence is as it was";
  EXPECT_TRUE(static_cast<bool>(use));
}

TEST(Scanners, WhatIsOverIsRememberedForAWhile) {
  Scanners scanners(std::chrono::milliseconds(1));
  const uint64_t id = scanners.Add(NoScan(), "ann");
  Scanners::Use use;
  ASSERT_FALSE(scanners.Take(id, "ann", 0, &use).has_value());
  EXPECT_EQ(1u, scanners.size());
  scanners.Finish(std::move(use));
  EXPECT_EQ(0u, scanners.size()) << "nobody has it open, as the metrics are to tell";
  const uint64_t open = scanners.Add(NoScan(), "ann");
  EXPECT_EQ(1u, scanners.size());
  Scanners::Use again;
  ASSERT_FALSE(scanners.Take(id, "ann", 1, &again).has_value());
  EXPECT_FALSE(static_cast<bool>(again));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  scanners.ExpireLeases();
  EXPECT_EQ(0u, scanners.size()) << "neither " << open << " nor what is forgotten counts";
  const CallError error = scanners.Take(id, "ann", 1, &again);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(rpc::exceptions::kUnknownScanner.name, error->type().name);
}

TEST(Scanners, ALeaseEndsWhatNobodyAsksFor) {
  Scanners scanners(std::chrono::milliseconds(1));
  const uint64_t idle = scanners.Add(NoScan(), "ann");
  const uint64_t busy = scanners.Add(NoScan(), "ann");
  Scanners::Use use;
  ASSERT_FALSE(scanners.Take(busy, "ann", 0, &use).has_value());
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  scanners.ExpireLeases();
  EXPECT_EQ(1u, scanners.size()) << "a call that runs keeps its scanner";
  Scanners::Use gone;
  EXPECT_TRUE(scanners.Take(idle, "ann", 0, &gone).has_value());
  scanners.Return(std::move(use));
}

TEST(Scanners, TwoCallsDoNotShareAScanner) {
  Scanners scanners(std::chrono::minutes(1));
  const uint64_t id = scanners.Add(NoScan(), "ann");
  Scanners::Use first;
  ASSERT_FALSE(scanners.Take(id, "ann", std::nullopt, &first).has_value());
  Scanners::Use second;
  EXPECT_TRUE(scanners.Take(id, "ann", std::nullopt, &second).has_value());
}

}  // namespace
}  // namespace bennu::server::hbase
