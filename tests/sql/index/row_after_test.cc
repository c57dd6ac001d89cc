#include "src/sql/index/row_after.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bennu::sql::index {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The cells of a batch.
std::vector<Cell> CellsOf(const MutationBatch& batch) {
  std::vector<Cell> cells;
  for (size_t offset = 0; offset < batch.buffer().size();) {
    offset = CellAt(batch.buffer(), offset, &cells.emplace_back());
  }
  return cells;
}

std::vector<std::string> Texts(const std::vector<Cell>& cells) {
  std::vector<std::string> texts;
  for (const Cell& cell : cells) {
    texts.push_back(std::string(cell.family()) + ":" + std::string(cell.qualifier()) + "=" +
                    std::string(cell.value_view()));
  }
  return texts;
}

class RowAfterTest : public ::testing::Test {
 protected:
  RowAfterTest() {
    stored_.StartRow("r");
    stored_.Put("a", "p", "new", 7);
    stored_.Put("a", "p", "old", 5);
    stored_.Put("a", "q", "1", 6);
    stored_.Put("b", "p", "2", 3);
    versions_ = CellsOf(stored_);
  }
  std::vector<std::string> After(const MutationBatch& write) {
    return Texts(CellsAfter(NewestCells(versions_), write, write.rows()[0]));
  }

  MutationBatch stored_;
  std::vector<Cell> versions_;
};

TEST_F(RowAfterTest, TheNewestCellOfEachColumn) {
  EXPECT_THAT(Texts(NewestCells(versions_)), ElementsAre("a:p=new", "a:q=1", "b:p=2"));
}

TEST_F(RowAfterTest, PutsAndMarkers) {
  MutationBatch write;
  write.StartRow("r");
  write.Put("a", "o", "3");
  write.Put("b", "p", "4");
  write.DeleteColumn("a", "q");
  EXPECT_THAT(After(write), ElementsAre("a:o=3", "a:p=new", "b:p=4"));
}

// As in a store, where all of it has one time.
TEST_F(RowAfterTest, MarkersHidePutsOfTheSameWrite) {
  MutationBatch write;
  write.StartRow("r");
  write.DeleteFamily("a");
  write.Put("a", "o", "3");
  EXPECT_THAT(After(write), ElementsAre("b:p=2"));
}

TEST_F(RowAfterTest, TheWholeRowGoes) {
  MutationBatch write;
  write.DeleteRow("r");
  EXPECT_THAT(After(write), IsEmpty());
}

}  // namespace
}  // namespace bennu::sql::index
