// RowRangeReader::ReadRows gives what a Get of each row gives, wherever the rows lie.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "src/api/row_range_reader.h"
#include "src/api/store_tools.h"
#include "src/base/hex.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RowsTest : public EngineFixture {
 protected:
  static constexpr int kRows = 300;

  // Two regions of two families; blocks of a few rows.
  void SetUp() override {
    EngineFixture::SetUp();
    EngineOptions options;
    options.wal_sync = WalSync::kOs;
    Open(options);
    TableDescriptor descriptor;
    descriptor.name.qualifier = "t";
    descriptor.families.resize(2);
    descriptor.families[0].name = "f";
    descriptor.families[1].name = "g";
    for (auto& family : descriptor.families) family.attributes["BLOCKSIZE"] = "1024";
    const Status created = engine_->admin()->CreateTable(descriptor, {Row(150)});
    ASSERT_TRUE(created.ok()) << created.ToString();
    table_ = OpenTable();
    // Every third row is not there; every seventh is not in family g.
    MutationBatch batch;
    for (int i = 0; i < kRows; ++i) {
      if (i % 3 == 2) continue;
      batch.StartRow(Row(i));
      batch.Put("f", "p", "p" + std::to_string(i), 10);
      batch.Put("f", "q", "q" + std::to_string(i), 10);
      if (i % 7 != 0) batch.Put("g", "r", "r" + std::to_string(i), 10);
    }
    ASSERT_TRUE(table_->Write(&batch).ok());
  }
  void TearDown() override {
    table_.reset();
    EngineFixture::TearDown();
  }

  static std::string Row(int number) {
    std::string digits = std::to_string(number);
    return std::string(4 - digits.size(), '0') + digits;
  }
  void Flush() { ASSERT_TRUE(engine_->admin()->Flush({"default", "t"}).ok()); }
  void Compact() { ASSERT_TRUE(engine_->admin()->Compact({"default", "t"}, true).ok()); }

  static std::string Text(const Cell& cell) {
    return ToStringBinary(cell.flat_key()) + " = " + ToStringBinary(cell.value_view());
  }
  // Cells as text, a line between rows.
  std::vector<std::string> ByRows(const std::vector<Bytes>& rows, Get get) {
    std::vector<std::string> found;
    auto* const reader = StoreTools::RowsAtHand(table_.get());
    EXPECT_NE(reader, nullptr);
    CellBatch batch;
    std::vector<std::shared_ptr<const void>> pins;
    const Status status = reader->ReadRows(rows, &get, &batch, &pins);
    EXPECT_TRUE(status.ok()) << status.ToString();
    for (size_t i = 0; i < batch.row_count(); ++i) {
      found.emplace_back("--");
      for (uint32_t cell = batch.row_starts[i]; cell < batch.row_end(i); ++cell) {
        found.push_back(Text(batch.cells[cell]));
      }
    }
    return found;
  }
  std::vector<std::string> ByGets(const std::vector<Bytes>& rows, Get get) {
    std::vector<std::string> found;
    for (const Bytes& row : rows) {
      get.row = row;
      const Status status = table_->GetCells(get, [&found](const Cell* cells, size_t count) {
        if (count > 0) found.emplace_back("--");
        for (size_t i = 0; i < count; ++i) found.push_back(Text(cells[i]));
      });
      EXPECT_TRUE(status.ok()) << status.ToString();
    }
    return found;
  }
  // In several orders, for several columns.
  void ExpectSame(const std::shared_ptr<const Snapshot>& snapshot) {
    std::vector<Bytes> ascending;
    for (int i = 0; i < kRows; ++i) ascending.push_back(Row(i));
    std::vector<Bytes> descending(ascending.rbegin(), ascending.rend());
    std::vector<Bytes> scattered;
    for (int i = 0; i < kRows; ++i) scattered.push_back(Row(i * 77 % kRows));
    const std::vector<Bytes> repeated = {Row(10), Row(10), Row(9), Row(9)};
    const std::vector<Bytes> outside = {"!", Row(0), "0000!", Row(299), "~"};
    Get all;
    all.snapshot = snapshot;
    Get one_column = all;
    one_column.columns["f"].insert("q");
    Get two_families = one_column;
    two_families.columns["g"];
    Get of_a_time = all;
    of_a_time.time_range = {0, 15};
    for (const Get& get : {all, one_column, two_families, of_a_time}) {
      for (const auto& rows : {ascending, descending, scattered, repeated, outside}) {
        EXPECT_EQ(ByRows(rows, get), ByGets(rows, get));
      }
    }
  }
  void ExpectSame() { ExpectSame(engine_->TakeSnapshot()); }
  void Change() {
    MutationBatch batch;
    for (int i = 0; i < kRows; i += 5) {
      batch.StartRow(Row(i));
      batch.Put("f", "q", "changed", 20);
    }
    for (int i = 4; i < kRows; i += 10) {
      batch.StartRow(Row(i));
      batch.DeleteFamily("f", 30);
    }
    ASSERT_TRUE(table_->Write(&batch).ok());
  }

  std::shared_ptr<Table> table_;
};

TEST_F(RowsTest, FindsTheCellsOfTheRowsThatAreThere) {
  Flush();
  Get get;
  get.columns["f"].insert("p");
  get.snapshot = engine_->TakeSnapshot();
  CellBatch batch;
  std::vector<std::shared_ptr<const void>> pins;
  ASSERT_TRUE(StoreTools::RowsAtHand(table_.get())
                  ->ReadRows(std::vector<Bytes>{Row(3), Row(5), Row(4)}, &get, &batch, &pins)
                  .ok());
  std::vector<std::string> values;
  for (const Cell& cell : batch.cells) values.emplace_back(cell.value_view());
  EXPECT_THAT(values, ElementsAre("p3", "p4"));
  EXPECT_THAT(batch.row_starts, ElementsAre(0, 1));
}

TEST_F(RowsTest, AsGetsWhereverTheRowsLie) {
  ExpectSame();  // in memory
  const auto before_changes = engine_->TakeSnapshot();
  Flush();
  ExpectSame();  // in a file
  Change();
  ExpectSame();  // in a file and in memory
  ExpectSame(before_changes);
  Flush();
  ExpectSame();  // in two files
  ExpectSame(before_changes);
  Compact();
  ExpectSame();
  ExpectSame(before_changes);
}

TEST_F(RowsTest, AsGetsOfRowsThatGoOnInFurtherBlocks) {
  MutationBatch batch;
  for (int i = 0; i < kRows; i += 20) {
    batch.StartRow(Row(i));
    for (int column = 0; column < 40; ++column) {
      batch.Put("f", "long" + std::to_string(column), std::string(50, 'x'), 12);
    }
  }
  ASSERT_TRUE(table_->Write(&batch).ok());
  Flush();
  ExpectSame();
}

TEST_F(RowsTest, CellsOutliveTheStoreFilesAndMemstores) {
  Flush();
  Change();
  Get get;
  get.snapshot = engine_->TakeSnapshot();
  std::vector<Bytes> rows;
  for (int i = 0; i < kRows; ++i) rows.push_back(Row(i));
  const std::vector<std::string> expected = ByGets(rows, get);
  CellBatch batch;
  std::vector<std::shared_ptr<const void>> pins;
  ASSERT_TRUE(StoreTools::RowsAtHand(table_.get())->ReadRows(rows, &get, &batch, &pins).ok());
  Flush();
  Compact();
  std::vector<std::string> found;
  for (size_t i = 0; i < batch.row_count(); ++i) {
    found.emplace_back("--");
    for (uint32_t cell = batch.row_starts[i]; cell < batch.row_end(i); ++cell) {
      found.push_back(Text(batch.cells[cell]));
    }
  }
  EXPECT_EQ(found, expected);
}

TEST_F(RowsTest, RefusesAnEmptyRowAndAnUnknownFamily) {
  auto* const reader = StoreTools::RowsAtHand(table_.get());
  Get get;
  get.snapshot = engine_->TakeSnapshot();
  CellBatch batch;
  std::vector<std::shared_ptr<const void>> pins;
  EXPECT_THAT(reader->ReadRows(std::vector<Bytes>{""}, &get, &batch, &pins).ToString(),
              HasSubstr("needs a row"));
  get.columns["none"];
  EXPECT_THAT(reader->ReadRows(std::vector<Bytes>{"a"}, &get, &batch, &pins).ToString(),
              HasSubstr("has no family 'none'"));
  EXPECT_THAT(batch.cells, IsEmpty());
}

}  // namespace
}  // namespace bennu::engine
