// An operation that a client sends twice counts once.
#include "src/server/hbase/nonces.h"

#include <gtest/gtest.h>

namespace bennu::server::hbase {
namespace {

using Turn = Nonces::Turn;

TEST(Nonces, ASecondComerIsToldWhatBecameOfTheFirst) {
  Nonces nonces;
  EXPECT_EQ(nonces.TryBegin(1, 7), Turn::kFirst);
  EXPECT_EQ(nonces.TryBegin(1, 7), Turn::kRunning);
  EXPECT_EQ(nonces.TryBegin(2, 7), Turn::kFirst) << "another group";
  nonces.End(1, 7, /*done=*/true);
  EXPECT_EQ(nonces.TryBegin(1, 7), Turn::kDone);
  EXPECT_FALSE(nonces.Begin(1, 7));
}

TEST(Nonces, WhatFailedMayBeTriedAgain) {
  Nonces nonces;
  EXPECT_EQ(nonces.TryBegin(1, 7), Turn::kFirst);
  nonces.End(1, 7, /*done=*/false);
  EXPECT_EQ(nonces.TryBegin(1, 7), Turn::kFirst);
}

TEST(Nonces, ZeroIsNone) {
  Nonces nonces;
  EXPECT_EQ(nonces.TryBegin(1, 0), Turn::kFirst);
  EXPECT_EQ(nonces.TryBegin(1, 0), Turn::kFirst);
  nonces.End(1, 0, /*done=*/true);
  EXPECT_EQ(nonces.TryBegin(1, 0), Turn::kFirst);
}

TEST(Nonces, ManyAreKnown) {
  constexpr uint64_t kMany = 100'000;
  Nonces nonces;
  for (uint64_t i = 1; i <= kMany; ++i) {
    // Alike in their low and in their high bits, as no honest client's.
    for (const uint64_t nonce : {i, i << 32}) {
      ASSERT_EQ(nonces.TryBegin(1, nonce), Turn::kFirst) << nonce;
      nonces.End(1, nonce, /*done=*/true);
    }
  }
  for (uint64_t i = 1; i <= kMany; ++i) {
    for (const uint64_t nonce : {i, i << 32}) ASSERT_EQ(nonces.TryBegin(1, nonce), Turn::kDone);
  }
  EXPECT_EQ(nonces.TryBegin(2, 1), Turn::kFirst);
}

TEST(Nonces, OldOnesAreForgotten) {
  Nonces nonces(std::chrono::seconds(0));
  EXPECT_EQ(nonces.TryBegin(1, 7), Turn::kFirst);
  nonces.End(1, 7, /*done=*/true);
  EXPECT_EQ(nonces.TryBegin(1, 7), Turn::kDone) << "the latest one is always known";
  for (uint64_t i = 100; i < 10'000; ++i) {
    ASSERT_TRUE(nonces.Begin(1, i));
    nonces.End(1, i, /*done=*/true);
  }
  EXPECT_EQ(nonces.TryBegin(1, 7), Turn::kFirst);
}

}  // namespace
}  // namespace bennu::server::hbase
