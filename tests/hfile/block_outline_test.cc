// Look-ups by pieces of blocks: a cache that no block fits in, so that all but the first look-up
// into a block goes by its outline, against a sorted vector.
#include "src/hfile/block_outline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>

#include "tests/hfile/random_cells.h"

namespace bennu::hfile {
namespace {

using testing::HasSubstr;

struct Kind {
  DataBlockEncoding encoding;
  bool tags;
};

class BlockOutlineTest : public testing::TestWithParam<Kind> {
 protected:
  BlockOutlineTest() : file_("outline"), cache_(60 << 10) {
    MakeCells();
    WriterOptions options;
    options.encoding = GetParam().encoding;
    options.include_tags = GetParam().tags;
    EXPECT_TRUE(WriteFile(file_.path(), options, cells_).ok());
    auto reader = Reader::Open(Env::Default(), file_.path(), &cache_);
    EXPECT_TRUE(reader.ok()) << reader.status().ToString();
    reader_ = *reader;
  }

  // Narrow rows, and now and then one of several pieces, or of several blocks.
  void MakeCells() {
    CellMaker maker(21);
    for (uint32_t row = 0; row < 5000; ++row) {
      const uint32_t columns = row % 1000 == 500 ? 2000 : row % 100 == 7 ? 200 : 1 + maker.Below(3);
      for (uint32_t column = 0; column < columns; ++column) {
        OwnedCell cell;
        cell::AppendFlatKey(&cell.key, fmt::format("row{:05}", row * 3), "f",
                            fmt::format("q{:05}", column), 1000, CellType::kPut);
        cell.value = maker.RandomBytes(120);
        if (GetParam().tags && maker.Below(4) == 0) cell.tags = Bytes("\x00\x02\x41z", 4);
        cell.sequence_id = maker.Below(3) == 0 ? maker.Below(100'000) : 0;
        cells_.push_back(std::move(cell));
      }
      row_starts_.push_back(cells_.size() - columns);
    }
    row_starts_.push_back(cells_.size());
  }

  void ExpectAt(const Cursor& cursor, size_t index) const {
    ASSERT_EQ(cursor.Valid(), index < cells_.size());
    if (cursor.Valid()) {
      ASSERT_TRUE(Own(cursor.cell()) == cells_[index]) << "wanted cell " << index;
    }
  }
  // The number 'third' is between rows unless it is a multiple of 3.
  static Bytes RowName(uint32_t third) { return fmt::format("row{:05}", third); }
  size_t RowLowerBound(uint32_t third) const { return row_starts_[(third + 2) / 3]; }

  // So that every block has its outline in the cache.
  void TouchAll() {
    Cursor cursor(reader_);
    for (uint32_t row = 0; row < 5000; row += 20) {
      ASSERT_TRUE(cursor.SeekToRow(RowName(row * 3)).ok());
    }
  }

  TemporaryFile file_;
  BlockCache cache_;
  std::vector<OwnedCell> cells_;
  std::vector<size_t> row_starts_;
  std::shared_ptr<const Reader> reader_;
};

TEST_P(BlockOutlineTest, SeeksAndWalks) {
  CellMaker maker(22);
  Cursor cursor(reader_);
  for (int i = 0; i < 6000; ++i) {
    const uint32_t third = maker.Below(15'000);
    ASSERT_TRUE(cursor.SeekToRow(RowName(third)).ok());
    size_t index = RowLowerBound(third);
    ASSERT_NO_FATAL_FAILURE(ExpectAt(cursor, index));
    const uint32_t way = maker.Below(4);
    for (uint32_t step = maker.Below(way == 0 ? 300 : 12); step > 0 && cursor.Valid(); --step) {
      if (way == 1) {
        ASSERT_TRUE(cursor.NextRow().ok());
        index = *std::upper_bound(row_starts_.begin(), row_starts_.end(), index);
      } else {
        ASSERT_TRUE(cursor.Next().ok());
        ++index;
      }
      ASSERT_NO_FATAL_FAILURE(ExpectAt(cursor, index));
    }
    if (way == 2) {
      ASSERT_TRUE(cursor.SeekToRowBefore(RowName(third)).ok());
      const size_t row = (third + 2) / 3;
      if (row > 0) {
        ASSERT_NO_FATAL_FAILURE(ExpectAt(cursor, row_starts_[row - 1]));
      }
    }
    if (way == 3) {
      index = maker.Below(static_cast<uint32_t>(cells_.size()));
      ASSERT_TRUE(cursor.SeekTo(cells_[index].key).ok());
      ASSERT_NO_FATAL_FAILURE(ExpectAt(cursor, index));
    }
  }
}

TEST_P(BlockOutlineTest, ReadsLittle) {
  ASSERT_NO_FATAL_FAILURE(TouchAll());
  const uint64_t before = reader_->counters().bytes_read;
  CellMaker maker(23);
  Cursor cursor(reader_);
  constexpr uint64_t kSeeks = 500;
  for (uint64_t i = 0; i < kSeeks; ++i) {
    // Not the rows of several blocks.
    ASSERT_TRUE(cursor.SeekToRow(RowName((maker.Below(5) * 1000 + 20 + maker.Below(70)) * 3)).ok());
  }
  EXPECT_LT(reader_->counters().bytes_read - before, kSeeks * 8192);
}

TEST_P(BlockOutlineTest, DamageSinceTheFirstReadIsFound) {
  ASSERT_NO_FATAL_FAILURE(TouchAll());
  {
    std::fstream file(file_.path(), std::ios::in | std::ios::out | std::ios::binary);
    for (std::streamoff at = 700; at < 1'000'000; at += 1500) {
      file.seekp(at);
      file.put('\xee');
    }
  }
  Cursor cursor(reader_);
  CellMaker maker(24);
  int damaged = 0;
  for (int i = 0; i < 500; ++i) {
    const Status status = cursor.SeekToRow(RowName(maker.Below(1000) * 3));
    if (status.ok()) continue;
    ++damaged;
    EXPECT_EQ(status.code(), StatusCode::kCorruption);
    EXPECT_THAT(status.message(), HasSubstr(file_.path()));
    EXPECT_THAT(status.message(), HasSubstr("offset"));
  }
  EXPECT_GT(damaged, 100);
}

TEST_P(BlockOutlineTest, ManyBlocksButNoMoreMemory) {
  ASSERT_NO_FATAL_FAILURE(TouchAll());
  EXPECT_LE(cache_.used_bytes(), cache_.capacity_bytes());
  EXPECT_GT(cache_.used_bytes(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BlockOutlineTest,
    testing::Values(Kind{DataBlockEncoding::kNone, false}, Kind{DataBlockEncoding::kNone, true},
                    Kind{DataBlockEncoding::kRowIndexV1, false},
                    Kind{DataBlockEncoding::kRowIndexV1, true}),
    [](const auto& info) {
      return std::string(info.param.encoding == DataBlockEncoding::kNone ? "None" : "RowIndexV1") +
             (info.param.tags ? "WithTags" : "");
    });

}  // namespace
}  // namespace bennu::hfile
