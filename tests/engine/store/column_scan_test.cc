// Rows handed out as columns are the rows handed out as cells, whatever is in the files and beside
// them.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "src/base/coding.h"
#include "src/cell/tags.h"
#include "tests/engine/store/compaction_fixture.h"

namespace bennu::engine {
namespace {

constexpr int64_t kNow = 100'000;

class ColumnScanTest : public CompactionTest {
 protected:
  void SetUp() override {
    CompactionTest::SetUp();
    family_.attributes = {{"BLOCKSIZE", "512"}, {"VERSIONS", "3"}};
    now_ = kNow;
    Open();
  }

  // Opens the store again, with an empty cache.
  void Open(size_t cache_bytes = 1 << 20) {
    store_.reset();
    cache_ = cache_bytes == 0 ? nullptr : std::make_unique<hfile::BlockCache>(cache_bytes);
    CompactionTest::Open();
  }

  static std::string Row(int number) {
    std::string digits = std::to_string(number);
    return "r" + std::string(4 - digits.size(), '0') + digits;
  }
  // Rows as SQL writes them: a column that every row has, and two more.
  void AddRows(int begin, int end, int64_t timestamp = kNow) {
    for (int i = begin; i < end; ++i) {
      AddCell(Row(i), "_0", timestamp, "x");
      AddCell(Row(i), "a", timestamp, "value of " + std::to_string(i));
      AddCell(Row(i), "b", timestamp, std::string(8, static_cast<char>(i)));
    }
  }
  void Compact() { Run(store_->SelectCompaction(true)); }

  // A cell of any kind in one of the rows.
  void AddAnything(int64_t timestamp, std::mt19937* random) {
    static constexpr CellType kTypes[] = {CellType::kPut,
                                          CellType::kPut,
                                          CellType::kPut,
                                          CellType::kDeleteColumn,
                                          CellType::kDelete,
                                          CellType::kDeleteFamily,
                                          CellType::kDeleteFamilyVersion};
    const CellType type = kTypes[(*random)() % std::size(kTypes)];
    const bool of_family =
        type == CellType::kDeleteFamily || type == CellType::kDeleteFamilyVersion;
    static constexpr const char* kQualifiers[] = {"_0", "a", "b", "c", "d"};
    const char* const qualifier = of_family ? "" : kQualifiers[(*random)() % 5];
    const std::string value = type == CellType::kPut ? "other" + std::to_string(sequence_) : "";
    Bytes tags;
    if ((*random)() % 8 == 0) {
      Bytes ttl(8, '\0');
      StoreBE64(ttl.data(), (*random)() % 200'000);
      cell::AppendTag(&tags, cell::kTagTtl, ttl);
    }
    AddCell(Row(static_cast<int>((*random)() % 200)), qualifier, timestamp,
            value.substr(0, (*random)() % 9), type, tags);
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
  static ByteView RowOf(const std::string& line) {
    return ByteView(line).substr(0, line.find('/'));
  }
  // By columns, with leaps to rows ahead: of 'lines', all that come without them, nothing is left
  // out but what lies before such a row.
  void CheckLeaps(const Scan& scan, const std::vector<std::string>& lines, size_t rows,
                  uint64_t read_point, int64_t now) {
    auto scanner = store_->OpenScanner(scan, read_point, now);
    ASSERT_TRUE(scanner.ok()) << scanner.status().ToString();
    CellBatch batch;
    Bytes target;
    size_t next = 0;  // of 'lines'
    for (bool done = false; !done;) {
      batch.Clear();
      (*scanner)->Unpin();
      if (random_() % 3 == 0 && next < lines.size()) {
        target = RowOf(lines[next + random_() % std::min<size_t>(lines.size() - next, 150)]);
        if (random_() % 2 == 0) target.push_back('\0');
        ASSERT_TRUE((*scanner)->SeekToRow(target).ok());
      }
      ColumnSlice slice;
      const Status status = (*scanner)->NextColumns(rows, &batch, &slice, &done);
      ASSERT_TRUE(status.ok()) << status.ToString();
      std::vector<std::string> found;
      AddCells(batch, &found);
      if (slice.rows != nullptr) AddSlice(scan, slice, &found);
      for (const std::string& line : found) {
        while (next < lines.size() && lines[next] != line && RowOf(lines[next]) < target) ++next;
        ASSERT_LT(next, lines.size()) << line;
        ASSERT_EQ(line, lines[next++]) << "after a leap to " << target;
      }
    }
    while (next < lines.size() && RowOf(lines[next]) < target) ++next;
    EXPECT_EQ(next, lines.size());
  }
  // Both ways, twice: the second time with what the first left in the cache. Returns the second.
  Found Check(const Scan& scan, size_t rows = 40, uint64_t read_point = kNewest,
              int64_t now = kNow) {
    const Found cells = Read(scan, false, rows, read_point, now);
    EXPECT_EQ(Read(scan, true, rows, read_point, now).lines, cells.lines);
    Found again = Read(scan, true, rows, read_point, now);
    EXPECT_EQ(again.lines, cells.lines);
    for (int round = 0; round < 3 && !scan.reversed; ++round) {
      CheckLeaps(scan, cells.lines, rows, read_point, now);
    }
    return again;
  }

  std::mt19937 random_{1};
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
      AddCell(Row(30), "c", kNow, std::string(1500, 'c'));
      for (int i = 0; i < 40; ++i) AddCell(Row(40), "d" + Row(i), kNow, "many columns");
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
    AddCell(Row(row), "c", kNow, std::string(50'000, static_cast<char>('a' + row)));
  }
  Flush();
  EXPECT_EQ(Check(Scan()).column_blocks, 1u);
  EXPECT_LT(cache_->used_bytes(), 500'000u);
}

TEST_F(ColumnScanTest, MemStoreAmongTheRowsOfABlock) {
  AddRows(0, 200);
  Flush();
  const Found before = Check(Scan());
  AddCell(Row(100), "a", kNow + 1, "newer");
  AddCell(Row(101), "", kNow + 1, "", CellType::kDeleteFamily);
  AddCell(Row(101) + "x", "_0", kNow, "x");
  AddCell(Row(102), "b", kNow + 1, "", CellType::kDeleteColumn);
  const Found found = Check(Scan());
  EXPECT_EQ(found.column_blocks, before.column_blocks);
  EXPECT_EQ(found.metrics.blocks_read, 0u);
  EXPECT_EQ(found.metrics.blocks_cached, before.metrics.blocks_cached);  // columns alone
  EXPECT_EQ(found.lines.size(), 200u * 3 - 3 - 1 + 1);
}

TEST_F(ColumnScanTest, NewerFileOverSomeRows) {
  AddRows(0, 200);
  Flush();
  const size_t all = Check(Scan()).column_blocks;
  AddRows(50, 53, kNow + 1);
  AddCell(Row(150), "a", kNow + 1, "", CellType::kDeleteColumn);
  Flush();
  EXPECT_EQ(Check(Scan()).column_blocks, all);
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
  AddCell(Row(20), "a", 1001, "a second version");
  AddCell(Row(60), "a", 1001, "", CellType::kDelete);
  AddCell(Row(100), "", 1001, "", CellType::kDeleteFamily);
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
  for (int i = 0; i < 200; i += 7) AddCell(Row(i), "c", kNow, "");
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
      for (int i = 0; i < 3; ++i) AddAnything(1 + static_cast<int64_t>(random() % 12), &random);
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

// Changes in memstores and newer files, most of them newer than the rows, over files of columns.
TEST_F(ColumnScanTest, AsCellsWhateverChangesAfterwards) {
  uint64_t column_blocks = 0;
  for (uint32_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    TearDown();
    static const char* const kKept[] = {"FALSE", "FALSE", "TRUE", "TTL"};
    family_.attributes = {{"BLOCKSIZE", std::to_string(200 + random() % 3000)},
                          {"VERSIONS", std::to_string(1 + random() % 2)},
                          {"KEEP_DELETED_CELLS", kKept[random() % 4]}};
    if (random() % 3 == 0) family_.attributes["TTL"] = "40";
    Open(seed % 4 == 0 ? 20'000 : 1 << 20);
    AddRows(0, 120, kNow - 50);
    const uint64_t loaded = sequence_;
    if (random() % 2 == 0) Flush();
    AddRows(120, 200, kNow - 40);
    Flush();
    std::vector<uint64_t> read_points = {kNewest, kNewest, loaded};
    for (int round = 0; round < 8; ++round) {
      for (uint32_t i = 0, changes = 1 + random() % 30; i < changes; ++i) {
        AddAnything(kNow - 40 + static_cast<int64_t>(random() % 50) - (random() % 8 == 0 ? 20 : 0),
                    &random);
      }
      read_points.push_back(sequence_);
      if (random() % 5 == 0) Flush(loaded);
      for (int i = 0; i < 6; ++i) {
        Scan scan;
        if (random() % 3 == 0) scan.range.start = Row(static_cast<int>(random() % 200));
        if (random() % 3 == 0) scan.range.stop = Row(static_cast<int>(random() % 200));
        if (random() % 3 == 0)
          scan.time_range = {0, kNow - 45 + static_cast<int64_t>(random() % 60)};
        if (random() % 3 != 0) scan.columns["f"] = {"_0", std::string(1, "abcd"[random() % 4])};
        if (random() % 4 == 0) scan.columns["f"] = {"b", "c"};
        column_blocks += Check(scan, 1 + random() % 100, read_points[random() % read_points.size()],
                               kNow + static_cast<int64_t>(random() % 2) * 39'970)
                             .column_blocks;
      }
    }
  }
  EXPECT_GT(column_blocks, 1000u);
}

}  // namespace
}  // namespace bennu::engine
