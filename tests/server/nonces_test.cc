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

}  // namespace
}  // namespace bennu::server::hbase
