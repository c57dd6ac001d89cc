// RowDecoder finds wanted cells among others, whatever is missing; arrays of single-cell tables.
#include "src/sql/exec/row_decoder.h"

#include "bennu/mutation.h"
#include "gtest/gtest.h"
#include "src/sql/types/single_cell.h"

namespace bennu::sql::exec {
namespace {

// The example of phoenix-storage spec section 2: ('aa', 7, null, 'd') behind the constant 'x'.
TEST(SingleCellElement, RecordedExample) {
  const Bytes array(
      "xaa\x80\x00\x00\x07"
      "d\x00\x00\x00\x01\x00\x03\xff\xf9\x00\x07\x00\x00\x00\x08\x00\x00\x00\x05\x03",
      8 + 10 + 9);
  EXPECT_EQ(SingleCellElement(array, 0), "x");
  EXPECT_EQ(SingleCellElement(array, 1), "aa");
  EXPECT_EQ(SingleCellElement(array, 2), ByteView("\x80\x00\x00\x07", 4));
  EXPECT_EQ(SingleCellElement(array, 3), std::nullopt);
  EXPECT_EQ(SingleCellElement(array, 4), "d");
  EXPECT_EQ(SingleCellElement(array, 5), std::nullopt);
  for (size_t size = 0; size < array.size(); ++size) {
    (void)SingleCellElement(ByteView(array).substr(0, size), 1);  // damaged: no crash
  }
}

ScanColumn CellColumn(const Bytes& family, const Bytes& qualifier, uint32_t output) {
  ScanColumn column;
  column.family = family;
  column.qualifier = qualifier;
  column.type = {TypeId::kVarchar};
  column.output = output;
  return column;
}

// All subsets of five columns in a row: present ones come out, absent ones are NULL.
TEST(RowDecoder, FindsWhatIsThere) {
  const std::vector<std::pair<Bytes, Bytes>> names = {
      {"a", "p"}, {"a", "q"}, {"ab", "a"}, {"b", ""}, {"b", "pp"}};
  const KeySchema schema({{"K", {TypeId::kVarchar}}});
  std::vector<ScanColumn> columns = {CellColumn("b", "pp", 0), CellColumn("a", "q", 1),
                                     CellColumn("ab", "a", 2)};
  columns[1].default_value = Value::Varchar("dflt");
  ScanColumn key;
  key.source = ScanColumn::Source::kKey;
  key.type = {TypeId::kVarchar};
  key.output = 3;
  columns.push_back(key);
  RowDecoder decoder(&schema, columns, 64);
  std::vector<MutationBatch> batches(32);
  for (unsigned mask = 1; mask < 32; ++mask) {
    MutationBatch& batch = batches[mask];
    batch.StartRow("row" + std::to_string(mask));
    for (size_t i = 0; i < names.size(); ++i) {
      if ((mask >> i & 1) != 0) batch.Put(names[i].first, names[i].second, "v", 5);
    }
    std::vector<Cell> cells(batch.cell_count());
    size_t offset = 0;
    for (Cell& cell : cells) offset = CellAt(batch.buffer(), offset, &cell);
    decoder.AddRow(cells.data(), cells.size());
  }
  DataChunk chunk;
  chunk.columns.resize(4);
  ASSERT_TRUE(decoder.Finish(&chunk).ok());
  ASSERT_EQ(chunk.size, 31u);
  for (unsigned mask = 1; mask < 32; ++mask) {
    const size_t row = mask - 1;
    EXPECT_EQ(chunk.columns[3].GetValue(row), Value::Varchar("row" + std::to_string(mask)));
    EXPECT_EQ(chunk.columns[0].IsNull(row), (mask & 16) == 0) << mask;
    EXPECT_EQ(chunk.columns[1].GetValue(row), Value::Varchar((mask & 2) != 0 ? "v" : "dflt"));
    EXPECT_EQ(chunk.columns[2].IsNull(row), (mask & 4) == 0) << mask;
  }
}

}  // namespace
}  // namespace bennu::sql::exec
