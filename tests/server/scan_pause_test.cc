// Scans that show nothing for long, since a filter refuses the rows, or they are deleted or too
// old, stop when their time is over, tell where they are, and go on (hbase-rpc spec section 5.5:
// heartbeats and cursors). Time is over at once here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bennu/admin.h"
#include "bennu/filter.h"
#include "src/server/hbase/scanners.h"
#include "tests/server/table_fixture.h"

namespace bennu::server::hbase {
namespace {

constexpr int kRows = 100;

std::string RowName(int i) { return fmt::format("row{:03}", i); }

class ScanPauseTest : public TableFixture<> {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(OpenStore());
    MutationBatch batch;
    for (int i = 0; i < kRows; ++i) {
      batch.StartRow(RowName(i));
      batch.Put("f", "q", std::to_string(i));
    }
    ASSERT_TRUE(table_->Write(&batch).ok());
    region_ = std::make_shared<ServedRegion>();
    region_->info = table_->regions().front();
    region_->table = engine_->OpenServedTable(table_->name()).value();
  }
  void TearDown() override {
    region_.reset();
    CloseStore();
  }

  // A table of small blocks, so that few cells are many of them.
  std::shared_ptr<Table> MakeTable(const std::string& name,
                                   const std::vector<std::string>& families) {
    TableDescriptor descriptor;
    descriptor.name.qualifier = name;
    for (const std::string& family : families) {
      descriptor.families.emplace_back().name = family;
      descriptor.families.back().attributes["BLOCKSIZE"] = "1024";
    }
    EXPECT_TRUE(engine_->admin()->CreateTable(descriptor, {}).ok());
    auto table = engine_->OpenTable(descriptor.name);
    EXPECT_TRUE(table.ok());
    return table.ok() ? *table : nullptr;
  }
  // Scans go to its first region from now on.
  void Serve(const std::shared_ptr<Table>& table) {
    region_->info = table->regions().front();
    region_->table = engine_->OpenServedTable(table->name()).value();
  }

  struct Seen {
    std::vector<std::string> rows;
    std::vector<std::string> cells;  // ROW/QUALIFIER
    std::vector<std::string> cursors;
    int heartbeats = 0;
    int64_t scanned = 0;
    int64_t filtered = 0;
  };

  Seen RunScan(FilterPtr filter, bool reversed, bool heartbeats) {
    Scan asked;
    asked.reversed = reversed;
    asked.filter = std::move(filter);
    return RunScan(std::move(asked), heartbeats);
  }

  // All calls of one scan.
  Seen RunScan(Scan asked, bool heartbeats) {
    asked.max_result_bytes = 1 << 20;
    auto scanner = region_->table->OpenPausableScanner(asked);
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    RegionScan scan(region_, ReadMoment(), std::move(scanner).value(), 1u << 20);
    RegionScan::Limits limits;
    limits.rows = 1000;
    limits.heartbeats = heartbeats;
    limits.cursor = true;
    limits.metrics = true;
    limits.deadline = std::chrono::nanoseconds(0);  // long ago
    const rpc::ResultWriter writer(rpc::CellCodec::kNone, nullptr);
    Seen seen;
    for (int call = 0; call < 2 * kRows; ++call) {
      pb::ScanResponse response;
      const Status status = scan.Fill(limits, writer, &response);
      EXPECT_TRUE(status.ok()) << status.ToString();
      for (const pb::Result& result : response.results()) {
        seen.rows.push_back(result.cell(0).row());
        for (const pb::Cell& cell : result.cell()) {
          seen.cells.push_back(cell.row() + "/" + cell.qualifier());
        }
      }
      for (const auto& metric : response.scan_metrics().metrics()) {
        if (metric.name() == "ROWS_SCANNED") seen.scanned += metric.value();
        if (metric.name() == "ROWS_FILTERED") seen.filtered += metric.value();
      }
      if (!response.more_results_in_region()) return seen;
      EXPECT_TRUE(response.heartbeat_message());
      ++seen.heartbeats;
      seen.cursors.push_back(response.cursor().row());
    }
    ADD_FAILURE() << "the scan does not end";
    return seen;
  }

  std::shared_ptr<ServedRegion> region_;
};

TEST_F(ScanPauseTest, EveryRowIsLookedAtOnce) {
  for (const bool reversed : {false, true}) {
    const Seen seen =
        RunScan(NewValueFilter(CompareOp::kEqual, NewBinaryComparator("none")), reversed, true);
    EXPECT_TRUE(seen.rows.empty());
    EXPECT_GE(seen.heartbeats, 3) << reversed;
    EXPECT_EQ(seen.scanned, kRows) << reversed;
    for (size_t i = 1; i < seen.cursors.size(); ++i) {
      if (reversed) {
        EXPECT_LT(seen.cursors[i], seen.cursors[i - 1]);
      } else {
        EXPECT_GT(seen.cursors[i], seen.cursors[i - 1]);
      }
    }
  }
}

TEST_F(ScanPauseTest, RowsThatPassAreNeitherLostNorDoubled) {
  for (const bool reversed : {false, true}) {
    const Seen seen =
        RunScan(NewValueFilter(CompareOp::kEqual, NewSubstringComparator("5")), reversed, true);
    std::vector<std::string> expected;
    for (int i = 0; i < kRows; ++i) {
      const int row = reversed ? kRows - 1 - i : i;
      if (std::to_string(row).find('5') != std::string::npos) expected.push_back(RowName(row));
    }
    EXPECT_EQ(seen.rows, expected);
    EXPECT_GE(seen.heartbeats, 3);
  }
}

// As HBase counts (RegionScannerImpl.nextInternal): a row at whose key a filter ends the scan is
// filtered, but was not scanned; others that a filter refuses are both.
TEST_F(ScanPauseTest, RowsThatEndAScanAreFilteredOnly) {
  const Seen prefix = RunScan(NewPrefixFilter(RowName(0)), false, true);
  EXPECT_EQ(prefix.rows.size(), 1u);
  EXPECT_EQ(prefix.scanned, 1);
  EXPECT_EQ(prefix.filtered, 1);
  const Seen value =
      RunScan(NewValueFilter(CompareOp::kEqual, NewBinaryComparator("0")), false, true);
  EXPECT_EQ(value.rows.size(), 1u);
  EXPECT_EQ(value.scanned, kRows);
  EXPECT_EQ(value.filtered, kRows - 1);
}

TEST_F(ScanPauseTest, WhatTheFilterRemembersGoesOn) {
  const Seen seen = RunScan(NewPageFilter(40), false, true);
  EXPECT_EQ(seen.rows.size(), 40u);
  EXPECT_GE(seen.heartbeats, 2);
}

// Every row but the last is deleted, by a marker of its family.
TEST_F(ScanPauseTest, DeletedRowsAreWalkedInParts) {
  for (const bool in_files : {false, true}) {
    if (in_files) {
      ASSERT_TRUE(engine_->admin()->Flush(region_->table->descriptor().name).ok());
    }
    MutationBatch batch;
    for (int i = 0; i + 1 < kRows; ++i) {
      batch.StartRow(RowName(i));
      batch.DeleteFamily("f");
    }
    ASSERT_TRUE(region_->table->Write(&batch).ok());
    for (const bool reversed : {false, true}) {
      Scan asked;
      asked.reversed = reversed;
      const Seen seen = RunScan(asked, true);
      EXPECT_EQ(seen.rows, std::vector<std::string>{RowName(kRows - 1)});
      EXPECT_GE(seen.heartbeats, 3) << "in files: " << in_files << ", reversed: " << reversed;
      for (size_t i = 1; i < seen.cursors.size(); ++i)
        EXPECT_NE(seen.cursors[i], seen.cursors[i - 1]);
      // HBase counts rows that it has read, whatever was left of them (RegionScannerImpl's
      // populateResult).
      EXPECT_EQ(seen.scanned, kRows) << "in files: " << in_files << ", reversed: " << reversed;
      EXPECT_EQ(seen.filtered, kRows - 1) << "in files: " << in_files << ", reversed: " << reversed;
      EXPECT_EQ(RunScan(asked, false).heartbeats, 0);
    }
  }
}

// A row that is deleted in one family and not in the other counts once, as does one that is deleted
// in both; one that is written after the scan's beginning does not.
TEST_F(ScanPauseTest, RowsOfSeveralFamiliesCountOnce) {
  TableDescriptor descriptor;
  descriptor.name.qualifier = "families";
  for (const char* const family : {"f", "g"}) descriptor.families.emplace_back().name = family;
  ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, {}).ok());
  auto table = engine_->OpenTable(descriptor.name);
  ASSERT_TRUE(table.ok());
  MutationBatch batch;
  for (int i = 0; i < kRows; ++i) {
    batch.StartRow(RowName(i));
    batch.Put("f", "q", "v");
    if (i % 2 == 0) batch.Put("g", "q", "v");
  }
  ASSERT_TRUE((*table)->Write(&batch).ok());
  MutationBatch deletes;
  for (int i = 0; i < kRows; i += 4) {
    deletes.StartRow(RowName(i));
    deletes.DeleteFamily("f");
    if (i % 8 == 0) deletes.DeleteFamily("g");
  }
  ASSERT_TRUE((*table)->Write(&deletes).ok());
  region_->info = (*table)->regions().front();
  region_->table = engine_->OpenServedTable((*table)->name()).value();
  for (const std::vector<std::string>& families :
       {std::vector<std::string>{}, std::vector<std::string>{"f"}}) {
    Scan asked;
    for (const std::string& family : families) asked.columns[family];
    asked.snapshot = engine_->TakeSnapshot();
    MutationBatch later;
    later.StartRow("row000later" + std::to_string(families.size()));
    later.Put("f", "q", "v");
    ASSERT_TRUE((*table)->Write(&later).ok());
    const Seen seen = RunScan(asked, false);
    const int deleted = families.empty() ? 13 : 25;
    const int laters = static_cast<int>(families.size());  // of the round before
    EXPECT_EQ(seen.rows.size(), static_cast<size_t>(kRows - deleted + laters));
    EXPECT_EQ(seen.scanned, kRows + laters);
    EXPECT_EQ(seen.filtered, deleted);
  }
}

// Whole blocks of rows that are out of the scan's time.
TEST_F(ScanPauseTest, BlocksWithNothingToShowAreWalkedInParts) {
  const auto table = MakeTable("blocks", {"f"});
  ASSERT_NE(table, nullptr);
  constexpr int kManyRows = 1000;
  MutationBatch batch;
  for (int i = 0; i < kManyRows; ++i) {
    batch.StartRow(fmt::format("row{:04}", i));
    batch.Put("f", "q", std::string(100, 'v'), i == kManyRows - 1 ? 2000 : 1000);
  }
  ASSERT_TRUE(table->Write(&batch).ok());
  ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
  Serve(table);
  Scan asked;
  asked.time_range.min = 2000;
  const Seen seen = RunScan(asked, true);
  EXPECT_EQ(seen.rows, std::vector<std::string>{"row0999"});
  EXPECT_GE(seen.heartbeats, 3);
}

// One row of many blocks, of which only the first and the last cell are not deleted.
TEST_F(ScanPauseTest, ALongRowWithLittleToShowIsWalkedInParts) {
  for (const bool two_families : {false, true}) {
    const auto table = two_families ? MakeTable("long2", {"f", "g"}) : MakeTable("long", {"f"});
    ASSERT_NE(table, nullptr);
    constexpr int kCells = 1000;
    MutationBatch batch;
    batch.StartRow("long");
    for (int i = 0; i < kCells; ++i) {
      const bool stays = i == 0 || i == kCells - 1;
      batch.Put("f", fmt::format("q{:04}", i), std::string(100, 'v'), stays ? 2000 : 1000);
    }
    batch.StartRow("short");
    batch.Put(two_families ? "g" : "f", "q", "v");
    ASSERT_TRUE(table->Write(&batch).ok());
    ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
    MutationBatch later;  // a flush would drop what it hides
    later.StartRow("long");
    later.DeleteFamily("f", 1500);
    ASSERT_TRUE(table->Write(&later).ok());
    Serve(table);
    for (const bool reversed : {false, true}) {
      Scan asked;
      asked.reversed = reversed;
      asked.allow_partial_results = true;
      const Seen seen = RunScan(asked, true);
      std::vector<std::string> expected = {"long/q0000", "long/q0999"};
      expected.insert(reversed ? expected.begin() : expected.end(), "short/q");
      EXPECT_EQ(seen.cells, expected) << two_families << reversed;
      EXPECT_GE(seen.heartbeats, 3) << two_families << reversed;
      EXPECT_GE(std::count(seen.cursors.begin(), seen.cursors.end(), "long"), 3)
          << two_families << reversed;
      EXPECT_EQ(seen.scanned, 2) << two_families << reversed;
      asked.allow_partial_results = false;  // then a row comes whole
      const Seen whole = RunScan(asked, true);
      EXPECT_EQ(whole.cells, expected) << two_families << reversed;
    }
  }
}

// As HBase 2.5.10 does, but for filters that decide by whole rows, and not where rows are to come
// whole.
TEST_F(ScanPauseTest, ALongRowThatAFilterRefusesIsWalkedInParts) {
  const auto table = MakeTable("long", {"f"});
  ASSERT_NE(table, nullptr);
  constexpr int kCells = 1000;
  MutationBatch batch;
  batch.StartRow("long");
  for (int i = 0; i < kCells; ++i) {
    const bool passes = i == 0 || i == 7 || i == kCells - 1;
    batch.Put("f", fmt::format("q{:04}", i), std::string(100, passes ? 'v' : 'w'));
  }
  batch.StartRow("short");
  batch.Put("f", "q", "v");
  ASSERT_TRUE(table->Write(&batch).ok());
  ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
  Serve(table);
  const auto with_v = [] { return NewValueFilter(CompareOp::kEqual, NewSubstringComparator("v")); };
  const auto whole_row = [] {
    ColumnTest test;
    test.family = "f";
    test.qualifier = "none";
    test.comparator = NewBinaryComparator("v");
    test.filter_if_missing = true;
    return NewSingleColumnValueFilter(std::move(test));
  };
  const std::vector<std::string> passing = {"long/q0000", "long/q0007", "long/q0999"};
  for (const bool reversed : {false, true}) {
    for (const int32_t in_batches : {0, 1, 2}) {
      Scan asked;
      asked.reversed = reversed;
      asked.allow_partial_results = true;
      asked.batch = in_batches;
      asked.filter = with_v();
      const Seen seen = RunScan(asked, true);
      std::vector<std::string> expected = passing;
      expected.insert(reversed ? expected.begin() : expected.end(), "short/q");
      EXPECT_EQ(seen.cells, expected) << reversed << in_batches;
      EXPECT_GE(std::count(seen.cursors.begin(), seen.cursors.end(), "long"), 3)
          << reversed << in_batches;
      EXPECT_EQ(seen.scanned, 2) << reversed << in_batches;
      EXPECT_EQ(seen.filtered, 0) << reversed << in_batches;
      EXPECT_EQ(RunScan(asked, false).cells, expected) << reversed << in_batches;
    }
    Scan nothing;
    nothing.reversed = reversed;
    nothing.allow_partial_results = true;
    nothing.filter = NewValueFilter(CompareOp::kEqual, NewBinaryComparator("nothing"));
    const Seen none = RunScan(nothing, true);
    EXPECT_TRUE(none.cells.empty());
    EXPECT_GE(std::count(none.cursors.begin(), none.cursors.end(), "long"), 3) << reversed;
    EXPECT_EQ(none.scanned, 2);
    EXPECT_EQ(none.filtered, 2);
    nothing.allow_partial_results = false;  // then a row comes whole
    const Seen whole = RunScan(nothing, true);
    EXPECT_LE(std::count(whole.cursors.begin(), whole.cursors.end(), "long"), 1) << reversed;
    Scan by_row;
    by_row.reversed = reversed;
    by_row.allow_partial_results = true;
    by_row.filter = whole_row();
    by_row.load_families_on_demand = false;
    const Seen rows = RunScan(by_row, true);
    EXPECT_TRUE(rows.cells.empty());
    EXPECT_LE(std::count(rows.cursors.begin(), rows.cursors.end(), "long"), 1) << reversed;
  }
}

TEST_F(ScanPauseTest, ClientsWithoutHeartbeatsWait) {
  const Seen seen =
      RunScan(NewValueFilter(CompareOp::kEqual, NewSubstringComparator("5")), false, false);
  EXPECT_EQ(seen.rows.size(), 19u);
  EXPECT_EQ(seen.heartbeats, 0);
}

// The rows of the results that a client gets which wants 'limit' whole rows: like HBase's it asks
// each time for what is left of them.
class LimitedRows {
 public:
  LimitedRows(uint32_t limit, uint32_t rows_of_a_call) : limit_(limit) {
    limits_.rows = rows_of_a_call;
    limits_.deadline = std::chrono::nanoseconds::max();
  }

  void Read(RegionScan* scan) {
    const rpc::ResultWriter writer(rpc::CellCodec::kNone, nullptr);
    for (bool more = true; more && rows_.size() < 20;) {
      ASSERT_LT(whole_, limit_) << "the scan should have been over";
      limits_.whole_rows = limit_ - whole_;
      pb::ScanResponse response;
      const Status status = scan->Fill(limits_, writer, &response);
      ASSERT_TRUE(status.ok()) << status.ToString();
      for (const pb::Result& result : response.results()) Take(result);
      if (response.results().empty() && goes_on_) EndRow();
      more = response.more_results() && response.more_results_in_region();
    }
  }

  const std::vector<std::string>& rows() const { return rows_; }
  bool last_goes_on() const { return goes_on_; }
  uint32_t whole_rows() const { return whole_; }

 private:
  void Take(const pb::Result& result) {
    const std::string& row = result.cell(0).row();
    if (goes_on_ && rows_.back() != row) EndRow();
    goes_on_ = result.partial();
    if (!goes_on_) ++whole_;
    rows_.push_back(row);
  }

  void EndRow() {
    ++whole_;
    goes_on_ = false;
  }

  const uint32_t limit_;
  RegionScan::Limits limits_;
  uint32_t whole_ = 0;
  bool goes_on_ = false;
  std::vector<std::string> rows_;
};

class LimitedScanTest : public ScanPauseTest {
 protected:
  void Read(const Scan& asked, LimitedRows* into) {
    auto scanner = region_->table->OpenPausableScanner(asked);
    ASSERT_TRUE(scanner.ok()) << scanner.status().ToString();
    RegionScan scan(region_, ReadMoment(), std::move(scanner).value(), 1u << 20);
    into->Read(&scan);
  }

  // A cell more in some rows, for a filter to refuse.
  void AddRefused(int rows) {
    MutationBatch batch;
    for (int i = 0; i < rows; ++i) {
      batch.StartRow(RowName(i));
      batch.Put("f", "r", "refused");
    }
    ASSERT_TRUE(region_->table->Write(&batch).ok());
  }

  static Scan InBatches() {
    Scan asked;
    asked.batch = 1;
    asked.filter = NewQualifierFilter(CompareOp::kEqual, NewBinaryComparator("q"));
    return asked;
  }
};

// The limit is what the client still wants with each call; what earlier ones gave is taken off it.
TEST_F(LimitedScanTest, ALimitIsOfWhatIsLeft) {
  for (const uint32_t rows_of_a_call : {1u, 2u, 3u, 1000u}) {
    LimitedRows got(5, rows_of_a_call);
    Read(Scan(), &got);
    const std::vector<std::string> expected = {RowName(0), RowName(1), RowName(2), RowName(3),
                                               RowName(4)};
    EXPECT_EQ(got.rows(), expected) << rows_of_a_call;
  }
}

// A limit of rows counts a row whose last batch said that it goes on, when a filter took the rest.
TEST_F(LimitedScanTest, ALimitCountsRowsThatDoNotGoOn) {
  AddRefused(4);
  for (const uint32_t rows_of_a_call : {1u, 1000u}) {
    LimitedRows got(2, rows_of_a_call);
    Read(InBatches(), &got);
    EXPECT_EQ(got.rows(), (std::vector<std::string>{RowName(0), RowName(1)})) << rows_of_a_call;
  }
}

// The answer that has the region's end tells so of the last row, too; a call that was just full
// leaves that to an empty answer, by which HBase's client counts the row.
TEST_F(LimitedScanTest, TheLastRowDoesNotGoOn) {
  AddRefused(4);
  Scan asked = InBatches();
  asked.range.stop = RowName(3);
  for (const uint32_t rows_of_a_call : {1u, 3u, 1000u}) {
    LimitedRows got(100, rows_of_a_call);
    Read(asked, &got);
    EXPECT_EQ(got.rows(), (std::vector<std::string>{RowName(0), RowName(1), RowName(2)}));
    EXPECT_FALSE(got.last_goes_on()) << rows_of_a_call;
    EXPECT_EQ(got.whole_rows(), 3u) << rows_of_a_call;
  }
}

// A filter that ends the scan, as HBase's server tells of it: with rows the client learns that the
// region is over, and goes to the next one; without a row, that all is over.
class EndingFilterTest : public ScanPauseTest {
 protected:
  // Reads a call's rows from a scan of the rows before RowName(10), WHILE they are such.
  void Call(RegionScan* scan, uint32_t rows, pb::ScanResponse* response) {
    RegionScan::Limits limits;
    limits.rows = rows;
    limits.deadline = std::chrono::nanoseconds::max();
    const rpc::ResultWriter writer(rpc::CellCodec::kNone, nullptr);
    const Status status = scan->Fill(limits, writer, response);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  std::unique_ptr<RegionScan> OpenScan(int first_row) {
    Scan asked;
    asked.range.start = RowName(first_row);
    asked.filter =
        NewWhileMatchFilter(NewRowFilter(CompareOp::kLess, NewBinaryComparator(RowName(10))));
    auto scanner = region_->table->OpenPausableScanner(asked);
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    return std::make_unique<RegionScan>(region_, ReadMoment(), std::move(scanner).value(),
                                        1u << 20);
  }
};

TEST_F(EndingFilterTest, WithRowsOnlyTheRegionIsOver) {
  const auto scan = OpenScan(0);
  pb::ScanResponse response;
  Call(scan.get(), 1000, &response);
  EXPECT_EQ(response.results_size(), 10);
  EXPECT_TRUE(response.more_results());
  EXPECT_FALSE(response.more_results_in_region());
}

TEST_F(EndingFilterTest, WithoutARowTheScanIsOver) {
  const auto scan = OpenScan(50);
  pb::ScanResponse response;
  Call(scan.get(), 1000, &response);
  EXPECT_EQ(response.results_size(), 0);
  EXPECT_FALSE(response.more_results());
  EXPECT_FALSE(response.more_results_in_region());
}

TEST_F(EndingFilterTest, ACallThatIsFullLeavesTheNewsToTheNext) {
  const auto scan = OpenScan(0);
  pb::ScanResponse full;
  Call(scan.get(), 10, &full);
  EXPECT_EQ(full.results_size(), 10);
  EXPECT_TRUE(full.more_results());
  EXPECT_TRUE(full.more_results_in_region());
  pb::ScanResponse last;
  Call(scan.get(), 10, &last);
  EXPECT_EQ(last.results_size(), 0);
  EXPECT_FALSE(last.more_results());
}

}  // namespace
}  // namespace bennu::server::hbase
