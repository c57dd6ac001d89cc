#include "src/hfile/block_cache.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace bennu::hfile {
namespace {

class FakeBlock final : public CachedBlock {
 public:
  explicit FakeBlock(size_t size) : CachedBlock(Kind::kData), size_(size) {}
  size_t memory_bytes() const override { return size_; }

 private:
  const size_t size_;
};

std::shared_ptr<const CachedBlock> Fake(size_t size) { return std::make_shared<FakeBlock>(size); }

TEST(BlockCache, FindsWhatWasPut) {
  BlockCache cache(1 << 20);
  const auto block = Fake(1000);
  EXPECT_EQ(cache.Lookup({1, 0}), nullptr);
  EXPECT_EQ(cache.Insert({1, 0}, block), block);
  EXPECT_EQ(cache.Lookup({1, 0}), block);
  EXPECT_EQ(cache.Lookup({1, 1}), nullptr);
  EXPECT_EQ(cache.Lookup({2, 0}), nullptr);
  // The first one stays, so that two readers of a block share it.
  EXPECT_EQ(cache.Insert({1, 0}, Fake(1000)), block);
  EXPECT_EQ(cache.counters().hits, 1u);
  EXPECT_EQ(cache.counters().misses, 3u);
}

TEST(BlockCache, StaysWithinItsBudget) {
  BlockCache cache(1 << 20);
  for (uint64_t i = 0; i < 5000; ++i) {
    cache.Insert({1, i}, Fake(1000));
    EXPECT_LE(cache.used_bytes(), cache.capacity_bytes());
  }
  EXPECT_GT(cache.used_bytes(), cache.capacity_bytes() / 2);
  EXPECT_GT(cache.counters().evictions, 0u);
}

TEST(BlockCache, GivesBackWhatIsTooBig) {
  BlockCache cache(1 << 20);
  const auto block = Fake(1 << 20);
  EXPECT_EQ(cache.Insert({1, 0}, block), block);
  EXPECT_EQ(cache.Lookup({1, 0}), nullptr);
  EXPECT_EQ(cache.used_bytes(), 0u);
}

// A scan many times the cache's size does not push out what is used again and again.
TEST(BlockCache, ResistsScans) {
  BlockCache cache(1 << 20);
  constexpr uint64_t kHot = 200;
  for (int round = 0; round < 2; ++round) {
    for (uint64_t i = 0; i < kHot; ++i) {
      if (cache.Lookup({1, i}) == nullptr) cache.Insert({1, i}, Fake(1000));
    }
  }
  for (uint64_t i = 0; i < 20000; ++i) cache.Insert({2, i}, Fake(1000));
  uint64_t kept = 0;
  for (uint64_t i = 0; i < kHot; ++i) kept += cache.Lookup({1, i}) != nullptr;
  EXPECT_EQ(kept, kHot);
}

// Blocks that are asked for again and again do not push out those of IN_MEMORY families, which are
// asked for once.
TEST(BlockCache, KeepsInMemoryBlocks) {
  BlockCache cache(1 << 20);
  constexpr uint64_t kKept = 200;
  for (uint64_t i = 0; i < kKept; ++i) cache.Insert({1, i}, Fake(1000), /*in_memory=*/true);
  for (uint64_t i = 0; i < 20000; ++i) {
    cache.Insert({2, i}, Fake(1000));
    cache.Lookup({2, i});
    cache.Lookup({2, i / 2});
  }
  EXPECT_GT(cache.counters().evictions, 0u);
  for (uint64_t i = 0; i < kKept; ++i) EXPECT_NE(cache.Lookup({1, i}), nullptr) << i;
}

// They have a quarter; beyond it they are as others.
TEST(BlockCache, BoundsInMemoryBlocks) {
  BlockCache cache(1 << 20);
  const size_t share = cache.capacity_bytes() / 4;
  for (uint64_t i = 0; i < 2000; ++i) {
    cache.Insert({1, i}, Fake(1000), /*in_memory=*/true);
    EXPECT_LE(cache.in_memory_bytes(), share);
  }
  EXPECT_GT(cache.in_memory_bytes(), share * 9 / 10);
  EXPECT_GT(cache.used_bytes(), cache.capacity_bytes() * 9 / 10);  // what is free is theirs too
  for (uint64_t i = 0; i < 20000; ++i) cache.Insert({2, i}, Fake(1000));
  EXPECT_GT(cache.in_memory_bytes(), share * 9 / 10);
  EXPECT_LE(cache.used_bytes(), cache.capacity_bytes());
  uint64_t kept = 0;
  for (uint64_t i = 0; i < 2000; ++i) kept += cache.Lookup({1, i}) != nullptr;
  EXPECT_GT(kept, 200u);
  EXPECT_LT(kept, 300u);
  cache.Clear();
  EXPECT_EQ(cache.in_memory_bytes(), 0u);
}

TEST(BlockCache, ErasesFiles) {
  BlockCache cache(1 << 20);
  for (uint64_t i = 0; i < 50; ++i) {
    cache.Insert({1, i}, Fake(100));
    cache.Insert({2, i}, Fake(100));
  }
  cache.EraseFile(1);
  for (uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(cache.Lookup({1, i}), nullptr);
    EXPECT_NE(cache.Lookup({2, i}), nullptr);
  }
  cache.Clear();
  EXPECT_EQ(cache.used_bytes(), 0u);
}

// For the thread sanitizer: all calls at once.
TEST(BlockCache, TakesManyThreads) {
  BlockCache cache(200000);
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&cache, thread] {
      for (uint64_t i = 0; i < 20000; ++i) {
        const BlockCache::Key key{1 + i % 3, (i * 7 + thread) % 400};
        if (cache.Lookup(key) == nullptr) cache.Insert(key, Fake(1000), i % 5 == 0);
        if (i % 5000 == 0) cache.EraseFile(1 + thread % 3);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(cache.used_bytes(), cache.capacity_bytes());
}

}  // namespace
}  // namespace bennu::hfile
