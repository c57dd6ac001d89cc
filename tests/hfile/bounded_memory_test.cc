// An open file takes memory for the roots of its indexes alone: index blocks, bloom chunks and data
// are the cache's, however big the file is.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include "tests/hfile/random_cells.h"

namespace bennu::hfile {
namespace {

constexpr uint32_t kRows = 400'000;
constexpr size_t kCacheBytes = 600 << 10;

Bytes RowName(uint32_t row) { return fmt::format("a-row-with-a-name-{:08}", row); }

size_t HeapBytes() {
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Many small blocks: an index of 1.6 MB and a bloom filter of 0.5 MB.
void WriteBigFile(const std::string& path) {
  WriterOptions options;
  options.block_size_bytes = 700;
  options.bloom = BloomType::kRow;
  auto writer = Writer::Create(Env::Default(), path, options);
  ASSERT_TRUE(writer.ok());
  Bytes key;
  for (uint32_t row = 0; row < kRows; ++row) {
    key.clear();
    cell::AppendFlatKey(&key, RowName(row), "f", "q", 1, CellType::kPut);
    Cell cell;
    cell.key = key.data();
    cell.key_length = static_cast<uint32_t>(key.size());
    cell.value = "value";
    cell.value_length = 5;
    ASSERT_TRUE((*writer)->Append(cell).ok());
  }
  ASSERT_TRUE((*writer)->Finish({}).ok());
}

TEST(BoundedMemory, IndexesAndBloomsAreTheCaches) {
  TemporaryFile file("big");
  ASSERT_NO_FATAL_FAILURE(WriteBigFile(file.path()));
  const size_t before = HeapBytes();
  BlockCache cache(kCacheBytes);
  auto reader = Reader::Open(Env::Default(), file.path(), &cache);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  ASSERT_GT((*reader)->trailer().index_levels, 1u);
  ASSERT_GT((*reader)->trailer().uncompressed_data_index_size, 2 * kCacheBytes);
  const size_t opened = HeapBytes();
  EXPECT_LT(opened, before + (256 << 10));

  Cursor cursor(*reader);
  CellMaker random(5);
  for (int i = 0; i < 3'000; ++i) {
    const Bytes row = RowName(random.Below(kRows));
    const auto maybe = (*reader)->MayContainRow(row);
    ASSERT_TRUE(maybe.ok() && *maybe);
    ASSERT_TRUE(cursor.SeekToRow(row).ok());
    ASSERT_TRUE(cursor.Valid());
    ASSERT_EQ(cursor.cell().row(), row);
    ASSERT_LE(cache.used_bytes(), kCacheBytes);
  }
  EXPECT_GT(cache.counters().evictions, 0u);
  // Its own count is about what it takes.
  EXPECT_LT(HeapBytes(), opened + kCacheBytes + (512 << 10));
}

}  // namespace
}  // namespace bennu::hfile
