// Scans: over regions, with limits and filters, and with rows that take several answers.
#include <algorithm>

#include "bennu/filter.h"
#include "tests/client/dialogue_fixture.h"

namespace bennu::client {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<Bytes> Reversed(std::vector<Bytes> rows) {
  std::reverse(rows.begin(), rows.end());
  return rows;
}

TEST_F(DialogueTest, ScansOverRegions) {
  ClientOptions small = options();
  small.scan_bytes_max = 200;  // several answers for each region
  const auto connection = ConnectBy(small);
  ASSERT_NE(connection, nullptr);
  const auto table = Create(connection.get(), Describe("scans", {"f"}), {RowOf(10), RowOf(20)});
  ASSERT_NE(table, nullptr);
  ASSERT_TRUE(PutRows(table.get(), 0, 24).ok());
  EXPECT_EQ(ReadRows(table.get(), {}), RowsOf(0, 24));
  EXPECT_EQ(ReadRows(table.get(), {.reversed = true}), Reversed(RowsOf(0, 24)));
  EXPECT_EQ(ReadRows(table.get(), {.range = {.start = RowOf(8), .stop = RowOf(22)}}),
            RowsOf(8, 22));
  EXPECT_EQ(ReadRows(table.get(), {.range = {.start = RowOf(9),
                                             .start_inclusive = false,
                                             .stop = RowOf(20),
                                             .stop_inclusive = true}}),
            RowsOf(10, 21));
  EXPECT_EQ(
      ReadRows(table.get(), {.range = {.start = RowOf(20), .stop = RowOf(9)}, .reversed = true}),
      Reversed(RowsOf(10, 21)));
  // Begins in the region before that of its first row.
  EXPECT_EQ(ReadRows(table.get(), {.range = {.start = RowOf(20),
                                             .start_inclusive = false,
                                             .stop = RowOf(17),
                                             .stop_inclusive = true},
                                   .reversed = true}),
            Reversed(RowsOf(17, 20)));
  EXPECT_THAT(ReadRows(table.get(), {.range = {.start = "x"}}), IsEmpty());
}

TEST_F(DialogueTest, ScansWithLimits) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  const auto table = Create(connection.get(), Describe("limits", {"f"}), {RowOf(10)});
  ASSERT_NE(table, nullptr);
  ASSERT_TRUE(PutRows(table.get(), 0, 20).ok());
  EXPECT_EQ(ReadRows(table.get(), {.row_limit = 3}), RowsOf(0, 3));
  // The limit counts over regions.
  EXPECT_EQ(ReadRows(table.get(), {.range = {.start = RowOf(7)}, .row_limit = 5}), RowsOf(7, 12));
  EXPECT_EQ(ReadRows(table.get(), {.reversed = true, .row_limit = 12}), Reversed(RowsOf(8, 20)));
  EXPECT_EQ(ReadRows(table.get(), {.row_limit = 10}), RowsOf(0, 10));
}

TEST_F(DialogueTest, ScansWithFilters) {
  const auto connection = ConnectByMaster();
  ASSERT_NE(connection, nullptr);
  const auto table = Create(connection.get(), Describe("filters", {"f", "g"}), {RowOf(10)});
  ASSERT_NE(table, nullptr);
  ASSERT_TRUE(PutRows(table.get(), 0, 20).ok());
  ASSERT_TRUE(table->Put(RowOf(3), "g", "q", "more", 1).ok());
  const auto value_is = [](const char* value) {
    return NewValueFilter(CompareOp::kEqual, NewBinaryComparator(value));
  };
  EXPECT_THAT(ReadCells(table.get(), {.filter = value_is("12")}), ElementsAre("112 f:q=12"));
  EXPECT_EQ(ReadRows(table.get(), {.filter = NewPrefixFilter("11")}), RowsOf(10, 20));
  EXPECT_THAT(ReadCells(table.get(), {.columns = {{"g", {"q"}}}}), ElementsAre("103 g:q=more"));
  EXPECT_THAT(ReadCells(table.get(), {.time_range = {0, 2}}), ElementsAre("103 g:q=more"));
  // Each region counts its own pages, and the client all of them.
  EXPECT_EQ(ReadRows(table.get(), {.filter = NewPageFilter(2)}),
            (std::vector<Bytes>{"100", "101", "110", "111"}));
  // Rows with a certain value, whole.
  ColumnTest test;
  test.family = "f";
  test.qualifier = "q";
  test.comparator = NewBinaryComparator("3");
  EXPECT_THAT(ReadCells(table.get(), {.filter = NewSingleColumnValueFilter(std::move(test))}),
              ElementsAre("103 f:q=3", "103 g:q=more"));
  auto parsed = ParseFilter("RowFilter(>=, 'binary:118') OR ValueFilter(=, 'substring:more')");
  ASSERT_TRUE(parsed.ok());
  EXPECT_THAT(ReadCells(table.get(), {.filter = std::move(parsed).value()}),
              ElementsAre("103 g:q=more", "118 f:q=18", "119 f:q=19"));

  Scan counted;
  counted.filter = value_is("12");
  counted.track_metrics = true;
  auto scanner = table->OpenScanner(counted);
  ASSERT_TRUE(scanner.ok());
  CellBatch batch;
  ASSERT_TRUE((*scanner)->Next(10, &batch).ok());
  EXPECT_EQ(batch.row_count(), 1U);
  ASSERT_TRUE((*scanner)->Next(10, &batch).ok());
  EXPECT_EQ(batch.row_count(), 0U);
  EXPECT_EQ((*scanner)->metrics().RowsScanned(), 20U);
  EXPECT_EQ((*scanner)->metrics().RowsFiltered(), 19U);
}

TEST_F(DialogueTest, WideRows) {
  ClientOptions small = options();
  small.scan_bytes_max = 300;  // less than a row
  const auto connection = ConnectBy(small);
  ASSERT_NE(connection, nullptr);
  const auto table = Create(connection.get(), Describe("wide", {"f"}), {"m"});
  ASSERT_NE(table, nullptr);
  constexpr int kColumns = 8;
  std::vector<std::string> expected;
  MutationBatch batch;
  for (const std::string row : {"a", "b", "z"}) {
    batch.StartRow(row);
    for (int i = 0; i < kColumns; ++i) {
      const std::string qualifier = "q" + std::to_string(i);
      batch.Put("f", qualifier, std::string(20, 'v'));
      expected.push_back(row + " f:" + qualifier + "=" + std::string(20, 'v'));
    }
  }
  ASSERT_TRUE(table->Write(&batch).ok());
  // Rows are put together from the parts that come.
  EXPECT_THAT(ReadCells(table.get(), {}), ElementsAreArray(expected));
  EXPECT_EQ(ReadRows(table.get(), {.reversed = true}), (std::vector<Bytes>{"z", "b", "a"}));
  // Parts of three cells: 3, 3 and 2.
  EXPECT_EQ(ReadRows(table.get(), {.batch = 3}),
            (std::vector<Bytes>{"a", "a", "a", "b", "b", "b", "z", "z", "z"}));
  // Parts as they come.
  EXPECT_GT(ReadRows(table.get(), {.allow_partial_results = true}).size(), 3U);
}

// Servers' scanners are closed behind those who do not read on, and the client goes on.
TEST_F(DialogueTest, ScansThatAreGivenUp) {
  ClientOptions small = options();
  small.scan_bytes_max = 200;
  const auto connection = ConnectBy(small);
  ASSERT_NE(connection, nullptr);
  const auto table = Create(connection.get(), Describe("given_up", {"f"}));
  ASSERT_NE(table, nullptr);
  ASSERT_TRUE(PutRows(table.get(), 0, 20).ok());
  for (const int32_t row_limit : {-1, 15}) {  // with and without a call ahead
    Scan scan;
    scan.row_limit = row_limit;
    auto scanner = table->OpenScanner(scan);
    ASSERT_TRUE(scanner.ok()) << scanner.status().ToString();
    CellBatch batch;
    ASSERT_TRUE((*scanner)->Next(2, &batch).ok());
    EXPECT_THAT(batch.row_starts, SizeIs(2));
    scanner->reset();
    EXPECT_EQ(table->ReadValue(RowOf(19), "f", "q").value(), Bytes("19"));
  }
}

}  // namespace
}  // namespace bennu::client
