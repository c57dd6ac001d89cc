// Rows put together from parts, without a server.
#include "src/client/row_assembler.h"

#include <gtest/gtest.h>

#include <deque>
#include <optional>
#include <string>

#include "tests/client/test_cell.h"

namespace bennu::client {
namespace {

class RowAssemblerTest : public ::testing::Test {
 protected:
  // A part: one cell for each letter.
  void Add(const std::string& row, const std::string& letters, bool goes_on) {
    const size_t begin = rows_.cells.size();
    for (const char letter : letters) {
      rows_.cells.push_back(TestCell(row, "f", ByteView(&letter, 1), "", &memory_.emplace_back()));
    }
    assembler_->Add(begin, goes_on, &rows_);
    assembler_->EndAnswer();
  }
  // "a:xy b:z…": rows with their letters; … for those that go on.
  std::string Text() const {
    std::string text;
    for (size_t row = 0; row < rows_.row_count(); ++row) {
      const uint32_t begin = rows_.row_starts[row];
      if (row > 0) text += " ";
      text += Bytes(rows_.cells[begin].row()) + ":";
      for (uint32_t i = begin; i < rows_.row_end(row); ++i) {
        text += Bytes(rows_.cells[i].qualifier());
      }
      if (rows_.row_goes_on(row)) text += "…";
    }
    return text;
  }
  void Begin(int32_t batch, bool parts) {
    Scan scan;
    scan.batch = batch;
    scan.allow_partial_results = parts;
    assembler_.emplace(scan);
    rows_.Clear();
  }

  std::deque<Bytes> memory_;
  std::optional<RowAssembler> assembler_;
  CellBatch rows_;
};

// A promise of more that is not kept is found out by the next row, or by the region's end.
TEST_F(RowAssemblerTest, WholeRows) {
  Begin(-1, false);
  Add("a", "xy", true);
  EXPECT_EQ(Text(), "");
  EXPECT_TRUE(assembler_->has_open_row());
  Add("a", "z", true);
  Add("b", "x", false);
  EXPECT_EQ(Text(), "a:xyz b:x");
  Add("c", "x", true);
  assembler_->EndRow(&rows_);
  EXPECT_EQ(Text(), "a:xyz b:x c:x");
  EXPECT_FALSE(assembler_->has_open_row());
}

TEST_F(RowAssemblerTest, Pieces) {
  Begin(2, false);
  Add("a", "v", true);
  Add("a", "wxy", true);
  EXPECT_EQ(Text(), "a:vw… a:xy…");
  Add("a", "z", false);
  Add("b", "v", true);
  Add("c", "vw", false);
  EXPECT_EQ(Text(), "a:vw… a:xy… a:z b:v c:vw");
}

TEST_F(RowAssemblerTest, Parts) {
  Begin(-1, true);
  Add("a", "v", true);
  Add("a", "wx", false);
  EXPECT_EQ(Text(), "a:v… a:wx");
}

// A whole row begins again; of pieces and parts the rest comes.
TEST_F(RowAssemblerTest, GoesOnWithinARow) {
  for (const bool parts : {false, true}) {
    Begin(-1, parts);
    RowRange range;
    EXPECT_FALSE(assembler_->GoOn(&range)) << "nothing has come";
    Add("a", "v", false);
    ASSERT_TRUE(assembler_->GoOn(&range));
    EXPECT_EQ(range.start, "a");
    EXPECT_FALSE(range.start_inclusive);
    Add("b", "vw", true);
    ASSERT_TRUE(assembler_->GoOn(&range));
    EXPECT_EQ(range.start, "b");
    EXPECT_TRUE(range.start_inclusive);
    EXPECT_EQ(assembler_->in_a_row(), parts);
    // Another cell was written in between, among those that came before.
    Add("b", "uvw", true);
    ASSERT_TRUE(assembler_->GoOn(&range)) << "lost again, with nothing new";
    Add("b", "uvwx", false);
    EXPECT_EQ(Text(), parts ? "a:v b:vw… b:x" : "a:v b:uvwx");
  }
}

// The row whose rest was wanted is gone.
TEST_F(RowAssemblerTest, ARowThatIsGone) {
  Begin(2, false);
  Add("a", "vwx", true);
  RowRange range;
  ASSERT_TRUE(assembler_->GoOn(&range));
  Add("b", "uv", false);
  EXPECT_EQ(Text(), "a:vw… a:x b:uv");
}

TEST_F(RowAssemblerTest, LeavesWhatItKnew) {
  Begin(-1, false);
  Add("a", "v", true);
  assembler_->Leave();
  RowRange range;
  EXPECT_FALSE(assembler_->GoOn(&range));
  Add("b", "v", false);
  EXPECT_EQ(Text(), "b:v");
}

}  // namespace
}  // namespace bennu::client
