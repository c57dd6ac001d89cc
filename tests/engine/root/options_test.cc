// What options of tables and families do while the table is in use, and what scans and mutations
// may ask of this engine beyond the contract of the data API.
#include <limits>

#include "bennu/admin.h"
#include "src/hfile/reader.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class OptionsTest : public EngineFixture {
 protected:
  void SetUp() override {
    EngineFixture::SetUp();
    EngineOptions options;
    options.background_compaction = false;
    options.wal_sync = WalSync::kOs;
    options.flush_on_close = false;
    Open(options);
    table_ = CreateTable();
  }
  void Alter(const std::string& key, const std::string& value, bool of_table = false) {
    TableDescriptor descriptor = table_->descriptor();
    (of_table ? descriptor.attributes : descriptor.families[0].attributes)[key] = value;
    const Status status = engine_->admin()->AlterTable(descriptor);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  void Flush() { ASSERT_TRUE(engine_->admin()->Flush(table_->name()).ok()); }
  void Compact() { ASSERT_TRUE(engine_->admin()->Compact(table_->name(), true).ok()); }
  // HFiles that are in use.
  std::vector<std::string> FamilyFiles() {
    std::vector<std::string> files;
    for (const std::string& path : Find("data/default/t/")) {
      const bool is_file = path.find("/f/") != std::string::npos &&
                           path.find("/f/.") == std::string::npos &&
                           path.find("/archive/") == std::string::npos;
      if (is_file) files.push_back(path);
    }
    return files;
  }
  size_t RawCells() {
    Scan scan;
    scan.raw = true;
    scan.max_versions = std::numeric_limits<int32_t>::max();
    auto scanner = table_->OpenScanner(scan);
    EXPECT_TRUE(scanner.ok());
    CellBatch batch;
    EXPECT_TRUE((*scanner)->Next(1000, &batch).ok());
    return batch.cells.size();
  }
  std::shared_ptr<Table> table_;
};

TEST_F(OptionsTest, CompactionCanBeSwitchedOff) {
  Alter("COMPACTION_ENABLED", "false", true);
  for (const char* row : {"a", "b"}) {
    ASSERT_TRUE(Put(table_.get(), row).ok());
    Flush();
  }
  Compact();
  EXPECT_THAT(FamilyFiles(), SizeIs(2));
  Alter("COMPACTION_ENABLED", "true", true);
  Compact();
  EXPECT_THAT(FamilyFiles(), SizeIs(1));
}

// Old files follow new options at their next compaction, not before.
TEST_F(OptionsTest, CompactionsHaveTheirOwnCompression) {
  Alter("COMPRESSION", "GZ");
  Alter("COMPRESSION_COMPACT_MAJOR", "SNAPPY");
  ASSERT_TRUE(Put(table_.get(), "a", std::string(1000, 'v')).ok());
  Flush();
  const auto compression = [&] {
    const auto files = FamilyFiles();
    EXPECT_THAT(files, SizeIs(1));
    auto reader = hfile::Reader::Open(Env::Default(), files[0], nullptr);
    EXPECT_TRUE(reader.ok()) << reader.status().ToString();
    return (*reader)->trailer().compression;
  };
  EXPECT_EQ(compression(), Compression::kGz);
  Compact();
  EXPECT_EQ(compression(), Compression::kSnappy);
}

// Fewer versions count for reads at once, for what is stored from the next compaction on.
TEST_F(OptionsTest, VersionsReachOldFiles) {
  Alter("VERSIONS", "3");
  for (int64_t timestamp = 1; timestamp <= 3; ++timestamp) {
    MutationBatch batch;
    batch.StartRow("a");
    batch.Put("f", "q", "v", timestamp);
    ASSERT_TRUE(table_->Write(&batch).ok());
  }
  Flush();
  Alter("VERSIONS", "1");
  EXPECT_EQ(RawCells(), 3u);
  Get get;
  get.row = "a";
  get.max_versions = 3;
  EXPECT_THAT(table_->GetRow(get)->cells, SizeIs(1));
  Compact();
  EXPECT_EQ(RawCells(), 1u);
}

TEST_F(OptionsTest, RefusesMob) {
  TableDescriptor descriptor = table_->descriptor();
  descriptor.families[0].attributes["IS_MOB"] = "true";
  const Status status = engine_->admin()->AlterTable(descriptor);
  EXPECT_EQ(status.code(), StatusCode::kNotSupported);
  EXPECT_THAT(status.message(), ::testing::HasSubstr("IS_MOB"));
}

// A mutation that asked not to be logged is lost with the process; its neighbours are not.
TEST_F(OptionsTest, DurabilityOfOneMutation) {
  MutationBatch batch;
  batch.StartRow("logged");
  batch.Put("f", "q", "v");
  batch.StartRow("unlogged");
  batch.SetDurability(Durability::kSkipWal);
  batch.Put("f", "q", "v");
  ASSERT_TRUE(table_->Write(&batch).ok());
  EXPECT_THAT(Rows(table_.get()), ElementsAre("logged", "unlogged"));
  table_.reset();
  EngineOptions options;
  options.flush_on_close = false;
  Open(options);
  table_ = OpenTable();
  EXPECT_THAT(Rows(table_.get()), ElementsAre("logged"));
}

TEST_F(OptionsTest, DurabilityOfATable) {
  Alter("DURABILITY", "SKIP_WAL", true);
  ASSERT_TRUE(Put(table_.get(), "unlogged").ok());
  Alter("DURABILITY", "SYNC_WAL", true);
  ASSERT_TRUE(Put(table_.get(), "logged").ok());
  table_.reset();
  EngineOptions options;
  options.flush_on_close = false;
  Open(options);
  table_ = OpenTable();
  EXPECT_THAT(Rows(table_.get()), ElementsAre("logged"));
}

TEST_F(OptionsTest, ReadOnlyTable) {
  ASSERT_TRUE(Put(table_.get(), "before").ok());
  Alter("READONLY", "true", true);
  EXPECT_FALSE(Put(table_.get(), "during").ok());
  EXPECT_THAT(Rows(table_.get()), ElementsAre("before"));
  Alter("READONLY", "false", true);
  EXPECT_TRUE(Put(table_.get(), "later").ok());
}

TEST_F(OptionsTest, FlushSizeOfATable) {
  Alter("MEMSTORE_FLUSHSIZE", "50000", true);
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(Put(table_.get(), "r" + std::to_string(i), std::string(5000, 'v')).ok());
  }
  for (int i = 0; i < 100 && engine_->GetStatus().flushes == 0; ++i) {
    Env::Default()->SleepMicros(50'000);
  }
  EXPECT_GT(engine_->GetStatus().flushes, 0u);
}

TEST_F(OptionsTest, PartsBySize) {
  MutationBatch batch;
  for (const char* row : {"a", "b"}) {
    batch.StartRow(row);
    for (int i = 0; i < 4; ++i) batch.Put("f", std::to_string(i), std::string(100, 'v'));
  }
  ASSERT_TRUE(table_->Write(&batch).ok());
  Scan scan;
  scan.max_result_bytes = 200;
  auto scanner = table_->OpenScanner(scan);
  ASSERT_TRUE(scanner.ok());
  CellBatch found;
  ASSERT_TRUE((*scanner)->Next(10, &found).ok());
  EXPECT_EQ(found.row_count(), 1u);  // whole, and enough for one call
  EXPECT_THAT(found.cells, SizeIs(4));
  EXPECT_THAT(found.partial_rows, IsEmpty());

  scan.allow_partial_results = true;
  scanner = table_->OpenScanner(scan);
  ASSERT_TRUE(scanner.ok());
  ASSERT_TRUE((*scanner)->Next(10, &found).ok());
  EXPECT_THAT(found.row_starts, ElementsAre(0, 2));
  EXPECT_TRUE(found.row_goes_on(0));
  EXPECT_FALSE(found.row_goes_on(1));
}

}  // namespace
}  // namespace bennu::engine
