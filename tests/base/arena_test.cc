#include "src/base/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

namespace bennu {
namespace {

// Allocations of many sizes keep what was written to them, whatever comes after.
TEST(ArenaTest, AllocationsDoNotOverlap) {
  Arena arena(1024);
  std::vector<ByteView> kept;
  size_t total = 0;
  for (size_t i = 0; i < 2000; ++i) {
    const Bytes value(i % 700, static_cast<char>('a' + i % 26));
    kept.push_back(arena.Copy(value));
    total += value.size();
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(kept[i], Bytes(i % 700, static_cast<char>('a' + i % 26)));
  }
  EXPECT_EQ(arena.used_bytes(), total);
  EXPECT_GE(arena.reserved_bytes(), total);
}

TEST(ArenaTest, Alignment) {
  Arena arena(256);
  for (size_t i = 0; i < 500; ++i) {
    const size_t alignment = size_t{1} << i % 5;
    char* place = arena.Allocate(i % 11 + 1, alignment);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(place) % alignment, 0u);
    std::memset(place, 0x5a, i % 11 + 1);  // for the address sanitizer
  }
}

// A request beyond the chunk's size is served, and leaves the current chunk in use.
TEST(ArenaTest, LargeAllocationGetsItsOwnChunk) {
  Arena arena(1024);
  arena.Allocate(1);
  char* large = arena.Allocate(100000);
  std::memset(large, 1, 100000);
  EXPECT_EQ(arena.reserved_bytes(), 1024u + 100000u);
  arena.Allocate(900);
  EXPECT_EQ(arena.reserved_bytes(), 1024u + 100000u);
}

// Writers on several threads get memory of their own, aligned to 8, and the count is exact
// once they have ended.
TEST(ArenaTest, ConcurrentWriters) {
  constexpr size_t kThreads = 4;
  constexpr size_t kAllocations = 20000;
  ConcurrentArena arena;
  std::vector<std::vector<ByteView>> kept(kThreads);
  std::vector<std::thread> threads;
  const auto size_of = [](size_t i) { return i % 97 == 0 ? 9000 : i % 120 + 1; };
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = 0; i < kAllocations; ++i) {
        kept[t].push_back(arena.Copy(Bytes(size_of(i), static_cast<char>('a' + t))));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  size_t padded = 0;
  for (size_t t = 0; t < kThreads; ++t) {
    for (size_t i = 0; i < kAllocations; ++i) {
      const ByteView view = kept[t][i];
      ASSERT_EQ(reinterpret_cast<uintptr_t>(view.data()) % 8, 0u);
      ASSERT_EQ(view.size(), size_of(i));
      ASSERT_EQ(view.find_first_not_of(static_cast<char>('a' + t)), ByteView::npos);
      padded += (view.size() + 7) / 8 * 8;
    }
  }
  EXPECT_GE(arena.used_bytes(), padded);
  EXPECT_LE(arena.used_bytes(), arena.reserved_bytes());
  EXPECT_LT(arena.reserved_bytes(), padded + padded / 4 + ConcurrentArena::kChunkSizeBytesMax);
}

// Arenas hand large chunks on to later ones, also while others live: what is written to one is in
// no other.
TEST(ArenaTest, ChunksOfDeadArenasAreReused) {
  constexpr size_t kPieceBytes = 100'000;
  constexpr size_t kPieces = 100;  // several chunks of the largest size
  const auto fill = [](ConcurrentArena* arena, char letter) {
    std::vector<ByteView> pieces;
    for (size_t i = 0; i < kPieces; ++i) pieces.push_back(arena->Copy(Bytes(kPieceBytes, letter)));
    return pieces;
  };
  const auto is_all = [](const std::vector<ByteView>& pieces, char letter) {
    return std::all_of(pieces.begin(), pieces.end(), [letter](ByteView piece) {
      return piece.size() == kPieceBytes && piece.find_first_not_of(letter) == ByteView::npos;
    });
  };
  ConcurrentArena lasting;
  const auto kept = fill(&lasting, 'a');
  for (int round = 0; round < 4; ++round) {
    ConcurrentArena first;
    ConcurrentArena second;
    const auto of_first = fill(&first, 'b');
    const auto of_second = fill(&second, 'c');
    EXPECT_TRUE(is_all(of_first, 'b'));
    EXPECT_TRUE(is_all(of_second, 'c'));
    EXPECT_EQ(first.reserved_bytes(), second.reserved_bytes());
  }
  EXPECT_TRUE(is_all(kept, 'a'));
}

// An empty memstore must cost little: thousands of regions have one.
TEST(ArenaTest, ConcurrentArenaStartsSmall) {
  ConcurrentArena arena;
  EXPECT_EQ(arena.used_bytes(), 0u);
  EXPECT_LE(arena.reserved_bytes(), 16u * 1024);
}

}  // namespace
}  // namespace bennu
