// Rows handed out as columns are the rows handed out as cells, whatever is in the files and beside
// them.
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "src/base/env.h"
#include "src/cell/flat_key.h"
#include "src/engine/store/store.h"
#include "src/hfile/block_cache.h"

namespace bennu::engine {
namespace {

constexpr uint64_t kNewest = std::numeric_limits<uint64_t>::max();
constexpr int64_t kNow = 100'000;

class ColumnScanTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = ::testing::TempDir() + "/bennu_columns_" + std::to_string(Env::Default()->RandomU64());
    family_.name = "f";
    family_.attributes = {{"BLOCKSIZE", "512"}, {"VERSIONS", "3"}};
    Open();
  }
  void TearDown() override {
    store_.reset();
    std::filesystem::remove_all(root_);
  }

  // Opens the store again, with an empty cache.
  void Open(size_t cache_bytes = 1 << 20) {
    store_.reset();
    cache_ = cache_bytes == 0 ? nullptr : std::make_unique<hfile::BlockCache>(cache_bytes);
    StoreOptions options;
    options.env = Env::Default();
    options.block_cache = cache_.get();
    options.store_directory = root_ + "/store";
    options.temp_directory = root_ + "/tmp";
    options.archive_directory = root_ + "/archive";
    auto store = Store::Open(options, family_);
    ASSERT_TRUE(store.ok()) << store.status().ToString();
    store_ = std::move(*store);
  }

  void Add(ByteView row, ByteView qualifier, int64_t timestamp, ByteView value,
           CellType type = CellType::kPut) {
    Bytes key;
    cell::AppendFlatKey(&key, row, "f", qualifier, timestamp, type);
    Cell cell;
    cell.key = key.data();
    cell.key_length = static_cast<uint32_t>(key.size());
    cell.value = value.data();
    cell.value_length = static_cast<uint32_t>(value.size());
    MemStore::InsertHint hint;
    store_->Add(cell, ++sequence_, &hint);
  }
  static std::string Row(int number) {
    std::string digits = std::to_string(number);
    return "r" + std::string(4 - digits.size(), '0') + digits;
  }
  // Rows as SQL writes them: a column that every row has, and two more.
  void AddRows(int begin, int end, int64_t timestamp = kNow) {
    for (int i = begin; i < end; ++i) {
      Add(Row(i), "_0", timestamp, "x");
      Add(Row(i), "a", timestamp, "value of " + std::to_string(i));
      Add(Row(i), "b", timestamp, std::string(8, static_cast<char>(i)));
    }
  }
  void Flush(uint64_t smallest_read_point = kNewest) {
    if (!store_->PrepareFlush(++sequence_)) return;
    auto file = store_->WriteFlush(smallest_read_point, kNow);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    ASSERT_TRUE(store_->CommitFlush(*file).ok());
  }
  void Compact() {
    const CompactionRequest request = store_->SelectCompaction(true);
    auto file = store_->WriteCompaction(request, kNewest, kNow, nullptr);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    ASSERT_TRUE(store_->CommitCompaction(request, *file).ok());
  }

  struct Found {
    std::vector<std::string> lines;  // "row/qualifier=value"
    Scanner::Metrics metrics;
    uint64_t column_blocks = 0;
  };
  static bool Wanted(const Scan& scan, ByteView qualifier) {
    const auto columns = scan.columns.find("f");
    return columns == scan.columns.end() || columns->second.empty() ||
           columns->second.contains(Bytes(qualifier));
  }
  static void AddCells(const CellBatch& batch, std::vector<std::string>* lines) {
    for (const Cell& cell : batch.cells) {
      lines->push_back(Bytes(cell.row()) + "/" + Bytes(cell.qualifier()) + "=" +
                       Bytes(cell.value_view()));
    }
  }
  static void AddSlice(const Scan& scan, const ColumnSlice& slice,
                       std::vector<std::string>* lines) {
    for (uint32_t row = slice.begin; row < slice.end; ++row) {
      for (const ColumnRows::Column& column : slice.rows->columns) {
        if (!Wanted(scan, column.qualifier) || !column.Has(row)) continue;
        lines->push_back(Bytes(slice.rows->KeyAt(row)) + "/" + Bytes(column.qualifier) + "=" +
                         Bytes(column.ValueAt(row)));
      }
    }
  }

  Found Read(const Scan& scan, bool by_columns, size_t rows = 40, uint64_t read_point = kNewest,
             int64_t now = kNow) {
    Found found;
    auto scanner = store_->OpenScanner(scan, read_point, now);
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    CellBatch batch;
    std::vector<ColumnSlice> kept;  // a slice outlives the scanner's moves
    for (bool done = false; scanner.ok() && !done;) {
      batch.Clear();
      (*scanner)->Unpin();
      ColumnSlice slice;
      const Status status = by_columns ? (*scanner)->NextColumns(rows, &batch, &slice, &done)
                                       : (*scanner)->NextRows(rows, &batch, &done);
      EXPECT_TRUE(status.ok()) << status.ToString();
      EXPECT_LE(batch.row_count() + slice.size(), rows);
      EXPECT_TRUE(slice.rows == nullptr || batch.row_count() == 0);
      for (const ColumnSlice& one : kept) AddSlice(scan, one, &found.lines);
      kept.clear();
      AddCells(batch, &found.lines);
      if (slice.rows != nullptr) kept.push_back(slice);
    }
    (*scanner)->AddMetrics(&found.metrics);
    found.column_blocks = (*scanner)->blocks_as_columns();
    scanner->reset();
    for (const ColumnSlice& one : kept) AddSlice(scan, one, &found.lines);
    return found;
  }
  // Both ways, twice: the second time with what the first left in the cache. Returns the second.
  Found Check(const Scan& scan, size_t rows = 40, uint64_t read_point = kNewest,
              int64_t now = kNow) {
    const Found cells = Read(scan, false, rows, read_point, now);
    EXPECT_EQ(Read(scan, true, rows, read_point, now).lines, cells.lines);
    Found again = Read(scan, true, rows, read_point, now);
    EXPECT_EQ(again.lines, cells.lines);
    return again;
  }

  std::string root_;
  ColumnFamilyDescriptor family_;
  std::unique_ptr<hfile::BlockCache> cache_;
  std::unique_ptr<Store> store_;
  uint64_t sequence_ = 0;
};

TEST_F(ColumnScanTest, BlocksOfPlainRowsAreTakenWhole) {
  AddRows(0, 200);
  Flush();
  const Found found = Check(Scan());
  EXPECT_EQ(found.lines.size(), 600u);
  EXPECT_GT(found.column_blocks, 10u);
  EXPECT_EQ(found.metrics.blocks_read, 0u);
  EXPECT_EQ(found.metrics.cells_seen, 600u);
}

// Rows lie across the ends of blocks wherever those fall; one row may be larger than a block.
TEST_F(ColumnScanTest, RowsAcrossBlocks) {
  for (const char* encoding : {"NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"}) {
    for (const char* block_size : {"64", "190", "256", "500", "4096"}) {
      SCOPED_TRACE(std::string(encoding) + " " + block_size);
      TearDown();
      family_.attributes["DATA_BLOCK_ENCODING"] = encoding;
      family_.attributes["BLOCKSIZE"] = block_size;
      Open();
      AddRows(0, 60);
      Add(Row(30), "c", kNow, std::string(1500, 'c'));
      for (int i = 0; i < 40; ++i) Add(Row(40), "d" + Row(i), kNow, "many columns");
      AddRows(60, 100);
      Flush();
      Check(Scan());
      Check(Scan(), 1);
      Scan part;
      part.range = {Row(20), true, Row(70), true};
      part.columns["f"] = {"_0", "b"};
      Check(part);
    }
  }
}

// Values that few rows have take their own size, not that of a place in each row.
TEST_F(ColumnScanTest, LargeValuesInFewRows) {
  family_.attributes["BLOCKSIZE"] = "1000000";
  Open(64 << 20);
  AddRows(0, 300);
  for (const int row : {10, 20}) {
    Add(Row(row), "c", kNow, std::string(50'000, static_cast<char>('a' + row)));
  }
  Flush();
  EXPECT_EQ(Check(Scan()).column_blocks, 1u);
  EXPECT_LT(cache_->used_bytes(), 500'000u);
}

TEST_F(ColumnScanTest, MemStoreAmongTheRowsOfABlock) {
  AddRows(0, 200);
  Flush();
  const size_t all = Check(Scan()).column_blocks;
  Add(Row(100), "a", kNow + 1, "newer");
  Add(Row(101), "", kNow + 1, "", CellType::kDeleteFamily);
  Add(Row(101) + "x", "_0", kNow, "x");
  const Found found = Check(Scan());
  EXPECT_LT(found.column_blocks, all);
  EXPECT_GT(found.column_blocks, all - 5);
  EXPECT_EQ(found.lines.size(), 200u * 3 - 3 + 1);
}

TEST_F(ColumnScanTest, NewerFileOverSomeRows) {
  AddRows(0, 200);
  Flush();
  const size_t all = Check(Scan()).column_blocks;
  AddRows(50, 53, kNow + 1);
  Add(Row(150), "a", kNow + 1, "", CellType::kDeleteColumn);
  Flush();
  const Found found = Check(Scan());
  EXPECT_LT(found.column_blocks, all);
  EXPECT_GT(found.column_blocks, all / 2);
  Compact();
  Check(Scan());
}

TEST_F(ColumnScanTest, CellsAboveTheReadPoint) {
  AddRows(0, 100);
  const uint64_t read_point = sequence_;
  AddRows(100, 200);
  Flush(read_point);  // keeps sequence ids
  EXPECT_EQ(Check(Scan(), 40, read_point).lines.size(), 300u);
  EXPECT_EQ(Check(Scan()).lines.size(), 600u);
}

TEST_F(ColumnScanTest, TimeToLive) {
  family_.attributes["TTL"] = "10";
  Open();
  AddRows(0, 100, kNow - 5000);
  AddRows(100, 200, kNow);
  Flush();
  EXPECT_EQ(Check(Scan()).lines.size(), 600u);
  const Found later = Check(Scan(), 40, kNewest, kNow + 6000);
  EXPECT_EQ(later.lines.size(), 300u);
  EXPECT_GT(later.column_blocks, 5u);
  EXPECT_EQ(Check(Scan(), 40, kNewest, kNow + 20'000).lines.size(), 0u);
}

TEST_F(ColumnScanTest, TimeRanges) {
  AddRows(0, 100, 1000);
  AddRows(100, 200, 2000);
  Flush();
  Scan scan;
  scan.time_range = {0, 1500};
  const Found found = Check(scan);
  EXPECT_EQ(found.lines.size(), 300u);
  EXPECT_GT(found.column_blocks, 5u);
  scan.time_range = {2000, 2001};
  EXPECT_EQ(Check(scan).lines.size(), 300u);
  scan.time_range = {1001, 2000};
  EXPECT_EQ(Check(scan).lines.size(), 0u);
}

TEST_F(ColumnScanTest, VersionsAndDeletedCells) {
  family_.attributes["KEEP_DELETED_CELLS"] = "TRUE";
  Open();
  AddRows(0, 200, 1000);
  Add(Row(20), "a", 1001, "a second version");
  Add(Row(60), "a", 1001, "", CellType::kDelete);
  Add(Row(100), "", 1001, "", CellType::kDeleteFamily);
  Flush();
  Scan scan;
  EXPECT_GT(Check(scan).column_blocks, 5u);
  scan.max_versions = 3;
  EXPECT_GT(Check(scan).column_blocks, 5u);
  scan.time_range = {0, 1001};
  EXPECT_EQ(Check(scan).lines.size(), 600u);
  scan.raw = true;
  EXPECT_EQ(Check(scan).column_blocks, 0u);
}

// Rows that have none of the columns that are asked for are not seen.
TEST_F(ColumnScanTest, RowsWithoutTheColumns) {
  AddRows(0, 200);
  for (int i = 0; i < 200; i += 7) Add(Row(i), "c", kNow, "");
  Flush();
  Scan scan;
  scan.columns["f"] = {"c"};
  EXPECT_EQ(Check(scan).lines.size(), 29u);
  scan.columns["f"] = {"b", "c"};
  const Found found = Check(scan);
  EXPECT_EQ(found.lines.size(), 229u);
  EXPECT_GT(found.column_blocks, 5u);
  scan.columns["f"] = {"none"};
  EXPECT_EQ(Check(scan).lines.size(), 0u);
  scan.columns.clear();
  scan.reversed = true;
  EXPECT_EQ(Check(scan).column_blocks, 0u);
}

TEST_F(ColumnScanTest, CacheTooSmallOrNotThere) {
  AddRows(0, 200);
  Flush();
  for (const size_t bytes : {0, 1, 4096, 16384}) {
    SCOPED_TRACE(bytes);
    Open(bytes);
    EXPECT_EQ(Check(Scan()).lines.size(), 600u);
  }
  Open();
  Scan scan;
  scan.cache_blocks = false;
  EXPECT_EQ(Check(scan).column_blocks, 0u);
}

// A short look does not make columns of blocks that it does not read to the end.
TEST_F(ColumnScanTest, ShortRangesMakeNoColumns) {
  AddRows(0, 200);
  Flush();
  Scan scan;
  scan.range = {Row(50), true, Row(51), true};
  EXPECT_EQ(Check(scan).column_blocks, 0u);
  Check(Scan());
  EXPECT_EQ(Check(scan).column_blocks, 1u);  // they are there
  Open();
  scan.range = RowRange();
  scan.row_limit = 10;
  EXPECT_EQ(Check(scan).column_blocks, 0u);
}

// The scan's view of the store stays as it is.
TEST_F(ColumnScanTest, FlushAndCompactionDuringTheScan) {
  AddRows(0, 100);
  Flush();
  AddRows(100, 200);
  const std::vector<std::string> expected = Read(Scan(), false).lines;
  const uint64_t read_point = sequence_;
  auto scanner = store_->OpenScanner(Scan(), read_point, kNow);
  ASSERT_TRUE(scanner.ok());
  std::vector<std::string> lines;
  bool done = false;
  for (int i = 0; !done; ++i) {
    CellBatch batch;
    ColumnSlice slice;
    (*scanner)->Unpin();
    ASSERT_TRUE((*scanner)->NextColumns(10, &batch, &slice, &done).ok());
    AddCells(batch, &lines);
    if (slice.rows != nullptr) AddSlice(Scan(), slice, &lines);
    if (i == 2) AddRows(0, 150, kNow + 1);
    if (i == 4) Flush(read_point);
    if (i == 6) Compact();
  }
  EXPECT_EQ(lines, expected);
}

// Anything against anything, cells as the measure.
TEST_F(ColumnScanTest, AsCellsWhateverWasWritten) {
  for (uint32_t seed = 1; seed <= 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    TearDown();
    static const char* const kEncodings[] = {"NONE", "PREFIX", "DIFF", "FAST_DIFF", "ROW_INDEX_V1"};
    family_.attributes = {{"DATA_BLOCK_ENCODING", kEncodings[seed % 5]},
                          {"BLOCKSIZE", std::to_string(64 + random() % 1000)},
                          {"VERSIONS", std::to_string(1 + random() % 3)}};
    Open(seed % 3 == 0 ? 20'000 : 1 << 20);
    std::vector<uint64_t> read_points = {kNewest};
    for (int round = 0; round < 6; ++round) {
      const int begin = static_cast<int>(random() % 150);
      const int end = begin + static_cast<int>(random() % 50);
      AddRows(begin, end, 1 + static_cast<int64_t>(random() % 12));
      for (int i = 0; i < 3; ++i) {
        const std::string row = Row(static_cast<int>(random() % 200));
        const std::string qualifier(1, "abcd"[random() % 4]);
        const bool erase = random() % 2 == 0;
        Add(row, qualifier, 1 + static_cast<int64_t>(random() % 12), erase ? "" : "other",
            erase ? CellType::kDeleteColumn : CellType::kPut);
      }
      read_points.push_back(sequence_);
      if (random() % 3 != 0) Flush(read_points[1]);
      for (int i = 0; i < 6; ++i) {
        Scan scan;
        if (random() % 2 == 0) scan.range.start = Row(static_cast<int>(random() % 200));
        if (random() % 2 == 0) scan.range.stop = Row(static_cast<int>(random() % 200));
        scan.range.start_inclusive = random() % 2 == 0;
        scan.range.stop_inclusive = random() % 2 == 0;
        scan.max_versions = 1 + static_cast<int32_t>(random() % 3);
        if (random() % 3 == 0) scan.time_range = {0, 1 + static_cast<int64_t>(random() % 12)};
        if (random() % 2 == 0) scan.columns["f"] = {"_0", std::string(1, "abcd"[random() % 4])};
        Check(scan, 1 + random() % 60, read_points[random() % read_points.size()]);
      }
    }
  }
}

}  // namespace
}  // namespace bennu::engine
