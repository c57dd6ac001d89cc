// Cursor against a sorted vector: every seek and every walk, forward and backward, in a file of
// many blocks and index levels with rows that span blocks.
#include "src/hfile/cursor.h"

#include <gtest/gtest.h>

#include "tests/hfile/random_cells.h"

namespace bennu::hfile {
namespace {

class CursorTest : public testing::TestWithParam<DataBlockEncoding> {
 protected:
  CursorTest() : file_("cursor"), cache_(4 << 20) {
    WriterOptions options;
    options.encoding = GetParam();
    options.block_size_bytes = 400;
    options.index_chunk_size_bytes = 300;
    options.index_chunk_entries_min = 2;
    cells_ = CellMaker(11).Make(3000);
    for (OwnedCell& cell : cells_) cell.tags.clear();
    EXPECT_TRUE(WriteFile(file_.path(), options, cells_).ok());
    auto reader = Reader::Open(Env::Default(), file_.path(), &cache_);
    EXPECT_TRUE(reader.ok()) << reader.status().ToString();
    reader_ = *reader;
  }

  // Index of the first cell at or after 'key'.
  size_t LowerBound(ByteView key) const {
    return static_cast<size_t>(std::partition_point(cells_.begin(), cells_.end(),
                                                    [&](const OwnedCell& cell) {
                                                      return cell::CompareFlatKeys(cell.key, key) <
                                                             0;
                                                    }) -
                               cells_.begin());
  }
  size_t RowLowerBound(ByteView row) const {
    Bytes key;
    cell::AppendFirstOnRow(&key, row);
    return LowerBound(key);
  }
  void ExpectAt(const Cursor& cursor, size_t index) const {
    if (index >= cells_.size()) {
      EXPECT_FALSE(cursor.Valid());
      return;
    }
    ASSERT_TRUE(cursor.Valid()) << "wanted cell " << index;
    ASSERT_TRUE(Own(cursor.cell()) == cells_[index]) << "wanted cell " << index;
  }
  ByteView RowOf(size_t index) const { return cells_[index].view().row(); }

  // Keys of cells, near them, and far from any.
  Bytes RandomKey(CellMaker* maker) const {
    const Cell cell = cells_[maker->Below(static_cast<uint32_t>(cells_.size()))].view();
    Bytes key;
    switch (maker->Below(6)) {
      case 0: return Bytes(cell.flat_key());
      case 1: cell::AppendFirstOnRow(&key, cell.row()); break;
      case 2: cell::AppendLastOnRow(&key, cell.row()); break;
      case 3:
        cell::AppendFlatKey(&key, cell.row(), "cf", maker->RandomBytes(3), 50, CellType::kPut);
        break;
      case 4:
        cell::AppendFlatKey(&key, cell.row(), "cf", cell.qualifier(), maker->Below(400),
                            CellType::kPut);
        break;
      default: cell::AppendFirstOnRow(&key, maker->RandomBytes(30) + "x"); break;
    }
    return key;
  }

  TemporaryFile file_;
  BlockCache cache_;
  std::vector<OwnedCell> cells_;
  std::shared_ptr<const Reader> reader_;
};

TEST_P(CursorTest, SeeksFromAnywhere) {
  CellMaker maker(12);
  Cursor cursor(reader_);
  for (int i = 0; i < 4000; ++i) {
    const Bytes key = RandomKey(&maker);
    const size_t expected = LowerBound(key);
    switch (maker.Below(3)) {
      case 0:
        ASSERT_TRUE(cursor.SeekTo(key).ok());
        ExpectAt(cursor, expected);
        break;
      case 1:
        ASSERT_TRUE(cursor.SeekBefore(key).ok());
        ExpectAt(cursor, expected == 0 ? cells_.size() : expected - 1);
        break;
      default: {
        const ByteView row(key.data() + 2, LoadBE16(key.data()));
        ASSERT_TRUE(cursor.SeekToRow(row).ok());
        ExpectAt(cursor, RowLowerBound(row));
        break;
      }
    }
    if (HasFatalFailure()) return;
    // A few steps, so that seeks start in the middle of things.
    for (uint32_t step = maker.Below(4); step > 0 && cursor.Valid(); --step) {
      ASSERT_TRUE(cursor.Next().ok());
    }
  }
}

TEST_P(CursorTest, SeeksToRowsOfAnyLength) {
  for (const size_t length : {1, 83, 84, 85, 86, 300, 32767}) {
    Bytes row(RowOf(cells_.size() / 2));
    row.resize(length, 'r');
    Cursor cursor(reader_);
    ASSERT_TRUE(cursor.SeekToRow(row).ok());
    ExpectAt(cursor, RowLowerBound(row));
  }
}

TEST_P(CursorTest, WalksRowsForward) {
  Cursor cursor(reader_, {.cache_blocks = false, .sequential = true});
  ASSERT_TRUE(cursor.SeekToFirst().ok());
  for (size_t index = 0; index < cells_.size();) {
    ExpectAt(cursor, index);
    if (HasFatalFailure()) return;
    const ByteView row = RowOf(index);
    while (index < cells_.size() && RowOf(index) == row) ++index;
    ASSERT_TRUE(cursor.NextRow().ok());
  }
  EXPECT_FALSE(cursor.Valid());
}

TEST_P(CursorTest, WalksRowsBackward) {
  Cursor cursor(reader_);
  ASSERT_TRUE(cursor.SeekToLast().ok());
  ExpectAt(cursor, cells_.size() - 1);
  size_t start = RowLowerBound(RowOf(cells_.size() - 1));
  while (start > 0) {
    ASSERT_TRUE(cursor.PreviousRow().ok());
    start = RowLowerBound(RowOf(start - 1));
    ExpectAt(cursor, start);
    if (HasFatalFailure()) return;
  }
  ASSERT_TRUE(cursor.PreviousRow().ok());
  EXPECT_FALSE(cursor.Valid());
}

// The parts cover the file, in order, and are about even.
TEST_P(CursorTest, SplitsRows) {
  for (const size_t count : {1, 2, 5, 16}) {
    const auto rows = reader_->SplitRows(count, "", "");
    ASSERT_TRUE(rows.ok());
    EXPECT_EQ(rows->size(), count - 1);
    size_t before = 0;
    for (const Bytes& row : *rows) {
      const size_t at = RowLowerBound(row);
      EXPECT_GT(at, before);
      EXPECT_LT(at - before, 3 * cells_.size() / count);
      before = at;
    }
  }
  const ByteView low = RowOf(1000);
  const ByteView high = RowOf(2000);
  const auto inside = reader_->SplitRows(4, low, high);
  ASSERT_TRUE(inside.ok());
  EXPECT_EQ(inside->size(), 3u);
  for (const Bytes& row : *inside) EXPECT_TRUE(low < row && row < high);
}

TEST_P(CursorTest, MidKeyIsInTheMiddle) {
  const auto key = reader_->MidKey();
  ASSERT_TRUE(key.ok());
  const size_t at = LowerBound(*key);
  EXPECT_GT(at, cells_.size() * 2 / 5);
  EXPECT_LT(at, cells_.size() * 3 / 5);
}

// A pinned block outlives cursor, cache and reader.
TEST_P(CursorTest, PinKeepsCells) {
  std::shared_ptr<const Block> pin;
  Cell cell;
  {
    Cursor cursor(reader_);
    ASSERT_TRUE(cursor.SeekTo(cells_[1500].key).ok());
    pin = cursor.block_pin();
    cell = cursor.cell();
  }
  cache_.Clear();
  reader_ = nullptr;
  EXPECT_EQ(cell.flat_key(), cells_[1500].key);
}

// Blocks that a cursor does not want kept are not, those that it does are.
TEST_P(CursorTest, CachesBlocks) {
  cache_.Clear();
  Cursor passing(reader_, {.cache_blocks = false, .sequential = false});
  ASSERT_TRUE(passing.SeekTo(cells_[1500].key).ok());
  const uint64_t before = reader_->counters().blocks_read;
  Cursor keeping(reader_);
  ASSERT_TRUE(keeping.SeekTo(cells_[1500].key).ok());
  EXPECT_EQ(reader_->counters().blocks_read, before + 1);  // the index was kept, the data not
  Cursor third(reader_);
  ASSERT_TRUE(third.SeekTo(cells_[1500].key).ok());
  EXPECT_EQ(reader_->counters().blocks_read, before + 1);
}

// Which row a cell of a block belongs to, whatever share of the cells each row has.
TEST(BlockRowsTest, FindsTheRowOfEachCell) {
  const std::vector<std::vector<uint32_t>> blocks = {
      {1},
      {300},
      {1, 1, 1, 1, 1, 1, 1},
      {200, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
      {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 200},
      {3, 1, 90, 2, 2, 40, 1, 1, 1, 70, 5, 1, 1, 33},
  };
  for (const std::vector<uint32_t>& widths : blocks) {
    std::vector<OwnedCell> cells;
    for (size_t row = 0; row < widths.size(); ++row) {
      for (uint32_t column = 0; column < widths[row]; ++column) {
        OwnedCell cell;
        const Bytes qualifier(1, static_cast<char>(column / 250 + 1));
        cell::AppendFlatKey(&cell.key, Bytes(1, static_cast<char>(row)), "cf",
                            qualifier + static_cast<char>(column % 250), 50, CellType::kPut);
        cells.push_back(std::move(cell));
      }
    }
    TemporaryFile file("rows");
    ASSERT_TRUE(WriteFile(file.path(), WriterOptions(), cells).ok());
    BlockCache cache(4 << 20);
    auto reader = Reader::Open(Env::Default(), file.path(), &cache);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    Cursor cursor(*reader);
    ASSERT_TRUE(cursor.SeekToFirst().ok());
    const Block& block = *cursor.block_pin();
    ASSERT_EQ(block.cell_count(), cells.size());  // all in one
    uint32_t index = 0;
    for (uint32_t row = 0; row < widths.size(); ++row) {
      for (uint32_t column = 0; column < widths[row]; ++column, ++index) {
        ASSERT_EQ(block.RowOf(index), row) << "cell " << index << " of " << cells.size();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Encodings, CursorTest,
                         testing::Values(DataBlockEncoding::kNone, DataBlockEncoding::kFastDiff,
                                         DataBlockEncoding::kRowIndexV1));

}  // namespace
}  // namespace bennu::hfile
