// Scans with filters, beyond what the recordings of HBase show: what is read, how errors come out,
// and filters beside the other things a scan may ask for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "bennu/filter.h"
#include "src/cell/flat_key.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::shared_ptr<const Filter> Share(FilterPtr filter) {
  return std::shared_ptr<const Filter>(std::move(filter));
}
std::shared_ptr<const Filter> Share(Result<FilterPtr> filter) {
  EXPECT_TRUE(filter.ok()) << filter.status().ToString();
  return filter.ok() ? Share(std::move(filter).value()) : nullptr;
}

class FilterScanTest : public EngineFixture {
 protected:
  // Rows 'a00' … 'j99', each with the columns p and q; row 'x57' is stamped 57.
  void SetUp() override {
    EngineFixture::SetUp();
    EngineOptions options;
    options.wal_sync = WalSync::kOs;
    options.background_compaction = false;  // the number of files matters
    Open(options);
    TableDescriptor descriptor;
    descriptor.name.qualifier = "t";
    descriptor.families.resize(1);
    descriptor.families[0].name = "f";
    ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, {"d", "g"}).ok());
    table_ = OpenTable();
    for (char letter = 'a'; letter <= 'j'; ++letter) {
      MutationBatch batch;
      for (int number = 0; number < 100; ++number) {
        batch.StartRow(Row(letter, number));
        batch.Put("f", "p", "value", number);
        batch.Put("f", "q", std::to_string(number), number);
      }
      ASSERT_TRUE(table_->Write(&batch).ok());
    }
  }
  void TearDown() override {
    table_.reset();
    EngineFixture::TearDown();
  }
  static std::string Row(char letter, int number) {
    return std::string(1, letter) + (number < 10 ? "0" : "") + std::to_string(number);
  }
  // The rows, one by one; a part of a row ends in '+'.
  std::vector<std::string> Rows(const Scan& scan, size_t step = 4) {
    std::vector<std::string> rows;
    auto scanner = table_->OpenScanner(scan);
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    if (!scanner.ok()) return rows;
    CellBatch batch;
    do {
      const Status status = (*scanner)->Next(step, &batch);
      EXPECT_TRUE(status.ok()) << status.ToString();
      if (!status.ok()) break;
      for (size_t i = 0; i < batch.row_count(); ++i) {
        rows.emplace_back(batch.cells[batch.row_starts[i]].row());
        if (batch.row_goes_on(i)) rows.back() += '+';
      }
    } while (batch.row_count() > 0);
    metrics_ = (*scanner)->metrics();
    return rows;
  }
  static std::shared_ptr<const Filter> NumbersAre(const std::string& digits) {
    return Share(NewFuzzyRowFilter({{"?" + digits, std::string("\1\0\0", 3)}}));
  }

  std::shared_ptr<Table> table_;
  Scanner::Metrics metrics_;
};

TEST_F(FilterScanTest, HintsJumpOverRows) {
  Scan scan;
  scan.filter = NumbersAre("57");
  EXPECT_THAT(Rows(scan),
              ElementsAre("a57", "b57", "c57", "d57", "e57", "f57", "g57", "h57", "i57", "j57"));
  EXPECT_LE(metrics_.rows_touched, 30u);
  EXPECT_GT(metrics_.seeks, 0u);
  EXPECT_EQ(metrics_.rows, 10u);
}

// A filter of rows jumps also where no cell of a row is in the range of times.
TEST_F(FilterScanTest, HintsJumpOverRowsOutsideTheTimeRange) {
  Scan scan;
  scan.filter = NumbersAre("57");
  scan.time_range = {57, 58};
  EXPECT_EQ(Rows(scan).size(), 10u);
  EXPECT_LE(metrics_.rows_touched, 30u);
  scan.time_range = {58, 59};
  EXPECT_THAT(Rows(scan), IsEmpty());
  EXPECT_LE(metrics_.rows_touched, 30u);
}

// The same rows in four files of each region, by their numbers and so by their times: jumps pass
// over rows in all of them, and files of other times are not opened.
class FilterFilesTest : public FilterScanTest {
 protected:
  void SetUp() override {
    FilterScanTest::SetUp();
    ASSERT_TRUE(engine_->admin()->DisableTable(kTable).ok());
    ASSERT_TRUE(engine_->admin()->TruncateTable(kTable, /*preserve_splits=*/true).ok());
    table_ = OpenTable();
    for (int first = 0; first < 100; first += 25) {
      MutationBatch batch;
      for (char letter = 'a'; letter <= 'j'; ++letter) {
        for (int number = first; number < first + 25; ++number) {
          batch.StartRow(Row(letter, number));
          batch.Put("f", "q", "value", number);
        }
      }
      ASSERT_TRUE(table_->Write(&batch).ok());
      ASSERT_TRUE(engine_->admin()->Flush(kTable).ok());
    }
  }

  // Of each letter at most the row before, the row itself and the one behind it are looked at.
  void ExpectJumps(Scan scan, const std::vector<std::string>& rows) {
    for (const bool reversed : {false, true}) {
      std::vector<std::string> expected = rows;
      scan.reversed = reversed;
      if (reversed) std::reverse(expected.begin(), expected.end());
      EXPECT_EQ(Rows(scan), expected);
      EXPECT_LE(metrics_.rows_touched, 33u);
      EXPECT_GE(metrics_.seeks, 9u);
    }
  }

  const TableName kTable{"default", "t"};
  const std::vector<std::string> kRows = {"a57", "b57", "c57", "d57", "e57",
                                          "f57", "g57", "h57", "i57", "j57"};
};

TEST_F(FilterFilesTest, HintsJumpOverRows) {
  Scan fuzzy;
  fuzzy.filter = NumbersAre("57");
  std::vector<RowRange> ranges;
  for (const std::string& row : kRows) ranges.push_back({row, true, row, true});
  Scan by_ranges;
  by_ranges.filter = Share(NewMultiRowRangeFilter(ranges));
  for (int round = 0; round < 2; ++round) {
    ExpectJumps(fuzzy, kRows);
    ExpectJumps(by_ranges, kRows);
    ASSERT_TRUE(engine_->admin()->Compact(kTable, /*major=*/true).ok());
  }
}

TEST_F(FilterFilesTest, FilesOfOtherTimesAreLeftOut) {
  Scan scan;
  scan.filter = NumbersAre("57");
  scan.time_range = {50, 75};
  ExpectJumps(scan, kRows);
  EXPECT_EQ(metrics_.files_opened, 3u);
  EXPECT_EQ(metrics_.files_skipped_by_time, 9u);
}

TEST_F(FilterScanTest, RowLimitCountsRowsOfAllRegions) {
  Scan scan;
  scan.filter = Share(NewPageFilter(2));
  EXPECT_THAT(Rows(scan), ElementsAre("a00", "a01", "d00", "d01", "g00", "g01"));
  scan.row_limit = 3;
  EXPECT_THAT(Rows(scan), ElementsAre("a00", "a01", "d00"));
  // A row is counted once, whatever the number of its parts.
  scan.filter = NumbersAre("57");
  scan.batch = 1;
  EXPECT_THAT(Rows(scan), ElementsAre("a57+", "a57", "b57+", "b57", "c57+", "c57"));
}

TEST_F(FilterScanTest, LittleMemoryAtATime) {
  Scan scan;
  scan.filter = NumbersAre("57");
  scan.max_result_bytes = 1;
  EXPECT_EQ(Rows(scan).size(), 10u);
}

TEST_F(FilterScanTest, ErrorsOfComparatorsFailTheScan) {
  Scan scan;
  scan.filter = Share(NewValueFilter(CompareOp::kEqual, NewLongComparator(1)));
  auto scanner = table_->OpenScanner(scan);
  ASSERT_TRUE(scanner.ok());
  CellBatch batch;
  const Status status = (*scanner)->Next(1, &batch);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("LongComparator"));
  Get get;
  get.row = "a00";
  get.filter = scan.filter;
  EXPECT_EQ(table_->GetRow(get).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(FilterScanTest, WholeRowsAreNotCut) {
  Scan scan;
  scan.filter = Share(NewPageFilter(2));
  scan.batch = 1;
  EXPECT_EQ(table_->OpenScanner(scan).status().code(), StatusCode::kInvalidArgument);
}

// HBase's SKIP and WHILE do not hand on that the scan is reversed, so that an InclusiveStop in them
// ends at rows behind its own, and a reversed scan goes on before it.
TEST_F(FilterScanTest, WrappedFiltersAreNotReversed) {
  Scan scan;
  scan.reversed = true;
  scan.range.start = "a05";
  scan.range.stop = "a02";
  scan.filter = Share(NewInclusiveStopFilter("a04"));
  EXPECT_THAT(Rows(scan), ElementsAre("a05", "a04"));
  scan.filter = Share(NewWhileMatchFilter(NewInclusiveStopFilter("a04")));
  EXPECT_THAT(Rows(scan), IsEmpty());
  scan.filter = Share(NewWhileMatchFilter(NewInclusiveStopFilter("a06")));
  EXPECT_THAT(Rows(scan), ElementsAre("a05", "a04", "a03"));
}

// A WHILE that ends at the last row of a region that gave nothing ends the scan.
TEST_F(FilterScanTest, WhileEndsAtTheLastRowOfARegion) {
  Scan scan;
  scan.range.start = "c99";
  scan.columns["f"] = {"q"};
  scan.filter =
      Share(NewWhileMatchFilter(NewValueFilter(CompareOp::kNotEqual, NewBinaryComparator("99"))));
  EXPECT_THAT(Rows(scan), IsEmpty());
}

// A row that the filter refuses by its key is walked over forwards, so that the filter sees its
// cells, and jumped over backwards: HBase's ReversedRegionScannerImpl.nextRow.
TEST_F(FilterScanTest, CellsOfRefusedRowsAreNotSeenBackwards) {
  std::vector<FilterPtr> filters;
  filters.push_back(
      NewWhileMatchFilter(NewValueFilter(CompareOp::kNotEqual, NewBinaryComparator("3"))));
  filters.push_back(NewRowFilter(CompareOp::kNotEqual, NewBinaryComparator("a03")));
  Scan scan;
  scan.columns["f"] = {"q"};
  scan.filter = Share(NewFilterList(FilterListOp::kMustPassAll, std::move(filters)));
  scan.range.start = "a02";
  scan.range.stop = "a05";
  EXPECT_THAT(Rows(scan), ElementsAre("a02"));
  scan.reversed = true;
  scan.range.start = "a04";
  scan.range.stop = "a01";
  EXPECT_THAT(Rows(scan), ElementsAre("a04", "a02"));
}

// One filter serves many scanners at a time: each works on clones.
TEST_F(FilterScanTest, FiltersAreNotUsedUp) {
  Scan scan;
  scan.filter = Share(NewPageFilter(1));
  EXPECT_EQ(Rows(scan), Rows(scan));
}

TEST_F(FilterScanTest, GetsTakeFilters) {
  Get get;
  get.row = "c42";
  get.filter = Share(NewQualifierFilter(CompareOp::kEqual, NewBinaryComparator("q")));
  const auto row = table_->GetRow(get);
  ASSERT_TRUE(row.ok()) << row.status().ToString();
  ASSERT_EQ(row->cells.size(), 1u);
  EXPECT_EQ(row->cells[0].value_view(), "42");
}

// Values that a filter makes last as long as the batch.
TEST_F(FilterScanTest, ValuesMadeByFilters) {
  Scan scan;
  scan.filter = Share(NewKeyOnlyFilter(/*length_as_value=*/true));
  auto scanner = table_->OpenScanner(scan);
  ASSERT_TRUE(scanner.ok());
  CellBatch batch;
  ASSERT_TRUE((*scanner)->Next(50, &batch).ok());
  ASSERT_EQ(batch.row_count(), 50u);
  for (size_t i = 0; i < batch.cells.size(); i += 2) {
    EXPECT_EQ(batch.cells[i].value_view(), ByteView("\0\0\0\5", 4));
  }
}

// A filter of the embedding program.
class EverySecondRow final : public Filter {
 public:
  FilterPtr Clone() const override { return std::make_unique<EverySecondRow>(); }
  Code FilterCell(const Cell& /*cell*/) override {
    return odd_ ? Code::kNextRow : Code::kIncludeAndSeekNextRow;
  }
  void Reset() override { odd_ = !odd_; }
  Bytes class_name() const override { return "com.example.EverySecondRow"; }
  Bytes Encode() const override { return ""; }

 private:
  bool odd_ = false;
};

TEST_F(FilterScanTest, FiltersOfOnesOwn) {
  Scan scan;
  scan.range = {"a00", true, "a05", false};
  scan.filter = std::make_shared<EverySecondRow>();
  auto scanner = table_->OpenScanner(scan);
  ASSERT_TRUE(scanner.ok());
  CellBatch batch;
  ASSERT_TRUE((*scanner)->Next(10, &batch).ok());
  EXPECT_EQ(batch.row_count(), 3u);
  EXPECT_EQ(batch.cells.size(), 3u);  // the first column of each
}

// A navigator chooses rows before the filter sees them.
class Skipper final : public RowNavigator {
 public:
  Decision Navigate(ByteView row, Bytes* seek_row) override {
    if (row >= "e") return Decision::kDone;
    if (row[0] != 'b') return Decision::kInclude;
    *seek_row = "c";
    return Decision::kSeek;
  }
  std::unique_ptr<RowNavigator> Clone() const override { return std::make_unique<Skipper>(); }
};

TEST_F(FilterScanTest, BesideANavigator) {
  Scan scan;
  scan.filter = NumbersAre("57");
  scan.navigator = std::make_shared<Skipper>();
  EXPECT_THAT(Rows(scan), ElementsAre("a57", "c57", "d57"));
}

// What HBase 2.5.10 answered to the same (the comparison of tests/peers/rows.sh found it):
// versions, markers and limits beside filters and batches.
class FilteredVersionsTest : public FilterScanTest {
 protected:
  // One row: a family marker, and columns of one or two versions.
  void SetUp() override {
    EngineFixture::SetUp();
    Open();
    TableDescriptor descriptor;
    descriptor.name.qualifier = "t";
    descriptor.families.resize(1);
    descriptor.families[0].name = "f";
    descriptor.families[0].attributes["VERSIONS"] = "2";
    ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, {}).ok());
    table_ = OpenTable();
    for (const int64_t timestamp : {20, 30}) {
      MutationBatch batch;
      batch.StartRow("r");
      batch.Put("f", "", "v", timestamp);
      batch.Put("f", "a", "v" + std::to_string(timestamp), timestamp);
      batch.Put("f", "b", "v", timestamp);
      ASSERT_TRUE(table_->Write(&batch).ok());
    }
    MutationBatch batch;
    batch.StartRow("r");
    batch.DeleteFamily("f", 10);
    ASSERT_TRUE(table_->Write(&batch).ok());
  }
  // 'qualifier@timestamp' of each cell, '|' between the entries.
  std::string Cells(const Scan& scan) {
    auto scanner = table_->OpenScanner(scan);
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    if (!scanner.ok()) return "";
    std::string all;
    CellBatch batch;
    do {
      EXPECT_TRUE((*scanner)->Next(1, &batch).ok());
      for (size_t i = 0; i < batch.row_count(); ++i) {
        if (!all.empty()) all += '|';
        for (size_t at = batch.row_starts[i]; at < batch.row_end(i); ++at) {
          const Cell& cell = batch.cells[at];
          all += ' ' + std::string(cell.qualifier()) + '@' + std::to_string(cell.timestamp());
        }
      }
    } while (batch.row_count() > 0);
    return all;
  }
};

TEST_F(FilteredVersionsTest, MarkersDoNotCountAsVersionsInBatches) {
  MutationBatch batch;
  batch.StartRow("r");
  batch.DeleteFamily("f", 40);
  ASSERT_TRUE(table_->Write(&batch).ok());
  Scan scan;
  scan.raw = true;
  scan.batch = 2;
  EXPECT_EQ(Cells(scan), " @40 @30| a@30 b@30");
  scan.max_versions = 2;
  EXPECT_EQ(Cells(scan), " @40 @30| @20 @10| a@30 a@20| b@30 b@20");
}

TEST_F(FilteredVersionsTest, RawScansLetFiltersSeeEveryVersion) {
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("f", "a", "v40", 40);
  ASSERT_TRUE(table_->Write(&batch).ok());
  Scan scan;
  scan.raw = true;
  scan.filter = Share(NewValueFilter(CompareOp::kEqual, NewBinaryComparator("v20")));
  EXPECT_EQ(Cells(scan), " a@20");
  scan.raw = false;  // VERSIONS is 2
  EXPECT_EQ(Cells(scan), "");
}

TEST_F(FilteredVersionsTest, VersionsOfNamedColumnsAreThoseThatPassed) {
  Scan scan;
  scan.columns["f"] = {"a", "b"};
  scan.filter = Share(NewFamilyFilter(CompareOp::kEqual, NewBinaryComparator("f")));
  EXPECT_EQ(Cells(scan), " a@30 b@30");
  scan.max_versions = 2;
  EXPECT_EQ(Cells(scan), " a@30 a@20 b@30 b@20");
}

// SkipFilter leaves a row out of which its filter refused a cell, if it was asked about it.
TEST_F(FilteredVersionsTest, FiltersAreNotAskedBehindTheLimitOfAFamily) {
  Scan scan;
  scan.columns["f"] = {"a", "b"};
  scan.filter =
      Share(NewSkipFilter(NewQualifierFilter(CompareOp::kLess, NewBinaryComparator("b"))));
  EXPECT_EQ(Cells(scan), "");
  scan.max_results_per_family = 1;
  EXPECT_EQ(Cells(scan), " a@30");
}

TEST_F(FilteredVersionsTest, ALimitOfNoCellsGivesTheFirst) {
  Scan scan;
  scan.max_results_per_family = 0;
  EXPECT_EQ(Cells(scan), " @30");
  scan.row_offset_per_family = 1;
  EXPECT_EQ(Cells(scan), " a@30");
  scan.filter = Share(NewFamilyFilter(CompareOp::kEqual, NewBinaryComparator("f")));
  EXPECT_EQ(Cells(scan), " a@30");
}

}  // namespace
}  // namespace bennu::engine
