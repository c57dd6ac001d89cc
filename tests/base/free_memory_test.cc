#include "src/base/free_memory.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "src/base/arena.h"
#include "src/base/machine_memory.h"
#include "src/base/sanitizers.h"

namespace bennu {
namespace {

constexpr uint64_t kMegabyte = 1 << 20;

uint64_t ResidentMb() { return ResidentAnonymousBytes(Env::Default()) / kMegabyte; }

TEST(FreeMemory, WhatMallocKeepsGoesBackBehindALoad) {
  if (kAddressSanitizer || kThreadSanitizer) {
    GTEST_SKIP() << "a sanitizer has a malloc of its own";
  }
  FreeMemoryKeeper keeper(Env::Default());
  keeper.Look();
  const uint64_t before = ResidentMb();
  constexpr size_t kPieces = 100 * 1024;
  constexpr size_t kPieceBytes = 1024;
  std::vector<std::unique_ptr<char[]>> pieces(kPieces);
  for (auto& piece : pieces) {
    piece = std::make_unique<char[]>(kPieceBytes);
    std::memset(piece.get(), 1, kPieceBytes);
  }
  // The last one keeps malloc from giving back the end of the heap by itself.
  const std::unique_ptr<char[]> last = std::move(pieces.back());
  EXPECT_GE(ResidentMb(), before + 90);
  keeper.Look();
  EXPECT_GE(ResidentMb(), before + 90);  // it is in use
  pieces.clear();
  EXPECT_GE(ResidentMb(), before + 90);
  keeper.Look();
  EXPECT_LE(ResidentMb(), before + 20);
}

TEST(FreeMemory, ChunksThatNobodyWantedGoBack) {
  if (ChunkPoolBytes() > 0) GTEST_SKIP() << "other arenas are alive";
  constexpr size_t kSmall = 4000;
  const auto fill = [](ConcurrentArena* arena, uint64_t megabytes) {
    for (uint64_t i = 0; i < megabytes * kMegabyte / kSmall; ++i) {
      std::memset(arena->Allocate(kSmall), 1, kSmall);
    }
  };
  FreeMemoryKeeper keeper(Env::Default());
  ConcurrentArena alive;
  fill(&alive, 40);
  {
    ConcurrentArena dies;
    fill(&dies, 40);
  }
  const size_t kept = ChunkPoolBytes();
  if (!kAddressSanitizer) {  // the pool keeps nothing there
    EXPECT_GE(kept, 70 * kMegabyte);
  }
  keeper.Look();  // they were in use since the look before
  EXPECT_EQ(ChunkPoolBytes(), kept);
  keeper.Look();
  EXPECT_LE(ChunkPoolBytes(), 44 * kMegabyte);
}

}  // namespace
}  // namespace bennu
