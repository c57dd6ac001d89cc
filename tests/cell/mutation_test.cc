#include "bennu/mutation.h"

#include <gtest/gtest.h>

#include "bennu/scan.h"
#include "src/base/hex.h"
#include "src/cell/key_value.h"

namespace bennu {
namespace {

// The bytes are a WAL's: length, then the KeyValue of the specification's vector.
TEST(MutationBatchTest, LayoutIsTheWalsOwn) {
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("f", "q", "v", 1);
  EXPECT_EQ(
      "00000018"
      "0000000f"
      "00000001"
      "00017201667100000000000000010476",
      HexEncode(batch.buffer()));
  batch.Clear();
  batch.StartRow("r");
  batch.AddCell("f", "q", 1, CellType::kPut, "v",
                HexDecode("0009080000000000"
                          "0003e8")
                    .value());
  EXPECT_EQ(
      "00000025"
      "0000000f"
      "00000001"
      "00017201667100000000000000010476"
      "000b00090800000000000003e8",
      HexEncode(batch.buffer()));
}

TEST(MutationBatchTest, CellAtReadsBackEveryCell) {
  MutationBatch batch;
  batch.StartRow("row1");
  batch.Put("cf", "", "");
  batch.DeleteFamily("cf", 7);
  batch.StartRow("row2");
  batch.AddCell("d", "qual", 5, CellType::kPut, "value", "tags!");
  ASSERT_TRUE(batch.Check().ok());
  ASSERT_EQ(2u, batch.row_count());
  ASSERT_EQ(3u, batch.cell_count());
  EXPECT_EQ("row2", batch.row_key(batch.rows()[1]));
  EXPECT_EQ(batch.rows()[0].cells_end, batch.rows()[1].cells_begin);

  Cell cell;
  size_t offset = CellAt(batch.buffer(), 0, &cell);
  EXPECT_EQ("row1", cell.row());
  EXPECT_EQ("cf", cell.family());
  EXPECT_EQ("", cell.qualifier());
  EXPECT_EQ(kLatestTimestamp, cell.timestamp());
  EXPECT_EQ(CellType::kPut, cell.type());
  EXPECT_EQ(0u, cell.value_length);
  offset = CellAt(batch.buffer(), offset, &cell);
  EXPECT_EQ(CellType::kDeleteFamily, cell.type());
  EXPECT_EQ(7, cell.timestamp());
  EXPECT_EQ(batch.rows()[0].cells_end, offset);
  offset = CellAt(batch.buffer(), offset, &cell);
  EXPECT_EQ("value", cell.value_view());
  EXPECT_EQ("tags!", cell.tags_view());
  EXPECT_EQ(batch.buffer().size(), offset);

  // The same bytes come out of the plain writer.
  Bytes copy;
  cell::AppendKeyValue(&copy, cell);
  EXPECT_EQ(batch.buffer().substr(batch.rows()[1].cells_begin), copy);
}

// What cannot be a cell is refused with its name instead of being cut.
TEST(MutationBatchTest, RemembersBadArguments) {
  MutationBatch batch;
  batch.Put("f", "q", "v");
  EXPECT_FALSE(batch.Check().ok());
  batch.Clear();
  EXPECT_TRUE(batch.Check().ok());
  batch.StartRow(std::string(40000, 'r'));
  batch.Put("f", "q", "v");  // must not get into a row with a cut key
  EXPECT_EQ(StatusCode::kInvalidArgument, batch.Check().code());
  EXPECT_EQ(0u, batch.cell_count());
  EXPECT_EQ(40000u, batch.row_key(batch.rows()[0]).size());
  batch.Clear();
  batch.StartRow("r");
  batch.Put(std::string(128, 'f'), "q", "v");
  EXPECT_FALSE(batch.Check().ok());
  EXPECT_EQ(0u, batch.cell_count());
}

// Every prefix of a cell is told to be short, never whole, and never read past its end.
TEST(KeyValueTest, CheckTellsShortFromBad) {
  MutationBatch batch;
  batch.StartRow("row");
  batch.AddCell("f", "q", 5, CellType::kPut, "value", "tag");
  const Bytes& whole = batch.buffer();
  size_t size = 0;
  for (size_t n = 0; n < whole.size(); ++n) {
    const Bytes prefix = whole.substr(0, n);
    EXPECT_EQ(cell::KeyValueCheck::kShort, cell::CheckKeyValue(prefix, &size)) << n;
  }
  EXPECT_EQ(cell::KeyValueCheck::kWhole, cell::CheckKeyValue(whole, &size));
  EXPECT_EQ(whole.size(), size);
  Bytes bad = whole;
  bad[0] = '\x80';
  EXPECT_EQ(cell::KeyValueCheck::kBad, cell::CheckKeyValue(bad, &size));
  bad = whole;
  bad[11] = '\x70';  // value longer than the cell
  EXPECT_EQ(cell::KeyValueCheck::kBad, cell::CheckKeyValue(bad, &size));
}

TEST(RowTest, FindReturnsTheNewest) {
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("f", "a", "new", 9);
  batch.Put("f", "a", "old", 8);
  batch.Put("f", "b", "other", 8);
  Row row;
  Cell cell;
  for (size_t at = 0; at < batch.buffer().size();) {
    at = CellAt(batch.buffer(), at, &cell);
    row.cells.push_back(cell);
  }
  ASSERT_NE(nullptr, row.Find("f", "a"));
  EXPECT_EQ("new", row.Find("f", "a")->value_view());
  EXPECT_EQ(nullptr, row.Find("g", "a"));
}

}  // namespace
}  // namespace bennu
