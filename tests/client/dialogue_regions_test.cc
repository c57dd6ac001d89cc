// Regions and tables that are no longer what a client remembers.
#include "tests/client/dialogue_fixture.h"

namespace bennu::client {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST_F(DialogueTest, ARegionThatMoved) {
  const auto changer = ConnectByMaster();
  ASSERT_NE(changer, nullptr);
  ASSERT_NE(Create(changer.get(), Describe("moved", {"f"}), {RowOf(10)}), nullptr);
  const auto reader = ConnectByMaster();
  ASSERT_NE(reader, nullptr);
  const auto table = Open(reader.get(), "moved");
  ASSERT_NE(table, nullptr);
  ASSERT_TRUE(PutRows(table.get(), 0, 20).ok());
  const std::vector<RegionInfo> regions = table->regions();
  ASSERT_THAT(regions, SizeIs(2));

  // To any other server.
  for (const RegionInfo& region : regions) {
    const Status moved = changer->control()->MoveRegion(region.EncodedName(), std::nullopt);
    ASSERT_TRUE(moved.ok()) << moved.ToString();
  }
  EXPECT_FALSE(partner()->Answered("RegionMovedException"));
  EXPECT_EQ(table->ReadValue(RowOf(0), "f", "q").value(), Bytes("0"));
  EXPECT_TRUE(partner()->Answered("RegionMovedException"));
  EXPECT_EQ(ReadRows(table.get(), {}), RowsOf(0, 20));

  // A batch and a scan find out themselves.
  for (const RegionInfo& region : regions) {
    const Status moved = changer->control()->MoveRegion(region.EncodedName(), std::nullopt);
    ASSERT_TRUE(moved.ok()) << moved.ToString();
  }
  const Status written = PutRows(table.get(), 15, 22);
  EXPECT_TRUE(written.ok()) << written.ToString();
  EXPECT_EQ(ReadRows(table.get(), {}), RowsOf(0, 22));
}

TEST_F(DialogueTest, ARegionThatMovedDuringAScan) {
  ClientOptions small = options();
  small.scan_bytes_max = 200;
  const auto reader = ConnectBy(small);
  ASSERT_NE(reader, nullptr);
  const auto table = Create(reader.get(), Describe("moved_scan", {"f"}));
  ASSERT_NE(table, nullptr);
  ASSERT_TRUE(PutRows(table.get(), 0, 20).ok());
  Scan scan;
  scan.row_limit = 100;  // nothing is asked ahead
  auto scanner = table->OpenScanner(scan);
  ASSERT_TRUE(scanner.ok()) << scanner.status().ToString();
  CellBatch batch;
  ASSERT_TRUE((*scanner)->Next(2, &batch).ok());
  std::vector<Bytes> rows;
  for (const uint32_t start : batch.row_starts) rows.emplace_back(batch.cells[start].row());

  const Status moved =
      reader->control()->MoveRegion(table->regions().at(0).EncodedName(), std::nullopt);
  ASSERT_TRUE(moved.ok()) << moved.ToString();
  while (batch.row_count() > 0) {
    const Status read = (*scanner)->Next(100, &batch);
    ASSERT_TRUE(read.ok()) << read.ToString();
    for (const uint32_t start : batch.row_starts) rows.emplace_back(batch.cells[start].row());
  }
  EXPECT_EQ(rows, RowsOf(0, 20));
}

TEST_F(DialogueTest, ARegionThatWasSplit) {
  const auto changer = ConnectByMaster();
  ASSERT_NE(changer, nullptr);
  ASSERT_NE(Create(changer.get(), Describe("split", {"f"})), nullptr);
  const auto reader = ConnectByMaster();
  ASSERT_NE(reader, nullptr);
  const auto table = Open(reader.get(), "split");
  ASSERT_NE(table, nullptr);
  ASSERT_TRUE(PutRows(table.get(), 0, 20).ok());

  const Status split = changer->admin()->SplitTable({"default", "split"}, RowOf(12));
  ASSERT_TRUE(split.ok()) << split.ToString();
  EXPECT_EQ(table->ReadValue(RowOf(12), "f", "q").value(), Bytes("12"));
  const Status written = PutRows(table.get(), 10, 22);
  EXPECT_TRUE(written.ok()) << written.ToString();
  EXPECT_EQ(ReadRows(table.get(), {}), RowsOf(0, 22));
  const std::vector<RegionInfo> regions = table->regions();
  ASSERT_THAT(regions, SizeIs(2));
  EXPECT_EQ(regions[0].end_key, RowOf(12));
  EXPECT_EQ(regions[1].start_key, RowOf(12));
}

TEST_F(DialogueTest, RegionsThatWereMerged) {
  const auto changer = ConnectByMaster();
  ASSERT_NE(changer, nullptr);
  ASSERT_NE(Create(changer.get(), Describe("merged", {"f"}), {RowOf(10), RowOf(20)}), nullptr);
  const auto reader = ConnectByMaster();
  ASSERT_NE(reader, nullptr);
  const auto table = Open(reader.get(), "merged");
  ASSERT_NE(table, nullptr);
  ASSERT_TRUE(PutRows(table.get(), 0, 24).ok());

  std::vector<RegionInfo> regions = table->regions();
  ASSERT_THAT(regions, SizeIs(3));
  const Status merged =
      changer->admin()->MergeRegions({regions[0].EncodedName(), regions[1].EncodedName()});
  ASSERT_TRUE(merged.ok()) << merged.ToString();
  EXPECT_EQ(ReadRows(table.get(), {.reversed = true, .row_limit = 15}).size(), 15U);
  const Status written = PutRows(table.get(), 5, 25);
  EXPECT_TRUE(written.ok()) << written.ToString();
  EXPECT_EQ(ReadRows(table.get(), {}), RowsOf(0, 25));
  regions = table->regions();
  ASSERT_THAT(regions, SizeIs(2));
  EXPECT_EQ(regions[0].end_key, RowOf(20));
}

TEST_F(DialogueTest, TablesThatAreNotThere) {
  const auto changer = ConnectByMaster();
  ASSERT_NE(changer, nullptr);
  ASSERT_NE(Create(changer.get(), Describe("gone", {"f"}), {RowOf(10)}), nullptr);
  const auto reader = ConnectByMaster();
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(reader->OpenTable({"default", "never"}).status().code(), StatusCode::kNotFound);
  const auto table = Open(reader.get(), "gone");
  ASSERT_NE(table, nullptr);
  ASSERT_TRUE(PutRows(table.get(), 0, 20).ok());

  Admin* const admin = changer->admin();
  Status status = admin->DisableTable(table->name());
  ASSERT_TRUE(status.ok()) << status.ToString();
  const auto row = table->ReadRow(RowOf(0));
  EXPECT_EQ(row.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(row.status().message(), HasSubstr("gone is disabled"));
  EXPECT_EQ(PutRows(table.get(), 5, 15).code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(table->OpenScanner({}).status().code(), StatusCode::kFailedPrecondition);

  status = admin->EnableTable(table->name());
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(ReadRows(table.get(), {}), RowsOf(0, 20));

  status = admin->DropTable(table->name());
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(table->ReadRow(RowOf(0)).status().code(), StatusCode::kNotFound);
  EXPECT_EQ(PutRows(table.get(), 5, 15).code(), StatusCode::kNotFound);
  EXPECT_EQ(table->OpenScanner({}).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace bennu::client
