// Who decides that blocks stay in the cache: the family (BLOCKCACHE), and each Scan and Get.
#include <limits>

#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

class CacheHintsTest : public EngineFixture {
 protected:
  void SetUp() override {
    EngineFixture::SetUp();
    EngineOptions options;
    options.background_compaction = false;
    options.wal_sync = WalSync::kOs;
    Open(options);
  }
  // A table of one file with some 60 blocks.
  std::shared_ptr<Table> Fill(const std::string& name, const std::string& block_cache) {
    TableDescriptor descriptor;
    descriptor.name.qualifier = name;
    descriptor.families.resize(1);
    descriptor.families[0].name = "f";
    descriptor.families[0].attributes = {{"BLOCKCACHE", block_cache}, {"BLOCKSIZE", "4096"}};
    EXPECT_TRUE(engine_->admin()->CreateTable(descriptor, {}).ok());
    const auto table = OpenTable(name);
    MutationBatch batch;
    for (int i = 0; i < kRows; ++i) {
      batch.StartRow(RowOf(i));
      batch.Put("f", "q", std::string(1000, 'v'));
    }
    EXPECT_TRUE(table->Write(&batch).ok());
    EXPECT_TRUE(engine_->admin()->Flush(descriptor.name).ok());
    return table;
  }
  static Scanner::Metrics ScanAll(Table* table, bool cache_blocks) {
    Scan scan;
    scan.cache_blocks = cache_blocks;
    const auto scanner = std::move(table->OpenScanner(scan)).value();
    CellBatch batch;
    int rows = 0;
    do {
      EXPECT_TRUE(scanner->Next(100, &batch).ok());
      rows += static_cast<int>(batch.row_count());
    } while (batch.row_count() > 0);
    EXPECT_EQ(rows, kRows);
    return scanner->metrics();
  }
  // Of what a scan of all finds in the cache; it leaves nothing there itself.
  static uint64_t Cached(Table* table) { return ScanAll(table, false).blocks_cached; }

  static std::string RowOf(int i) { return std::to_string(10'000 + i); }
  static constexpr int kRows = 240;
};

TEST_F(CacheHintsTest, AScanKeepsWhatItReads) {
  const auto table = Fill("t", "true");
  EXPECT_EQ(Cached(table.get()), 0u);
  const Scanner::Metrics first = ScanAll(table.get(), true);
  EXPECT_GE(first.blocks_read, 50u);
  const Scanner::Metrics second = ScanAll(table.get(), true);
  EXPECT_EQ(second.blocks_read, 0u);
  EXPECT_GE(second.blocks_cached, first.blocks_read);
}

TEST_F(CacheHintsTest, AScanThatIsNotToKeepThem) {
  const auto table = Fill("t", "true");
  EXPECT_GE(ScanAll(table.get(), false).blocks_read, 50u);
  EXPECT_GE(ScanAll(table.get(), false).blocks_read, 50u);
  // What is there is used all the same.
  ScanAll(table.get(), true);
  EXPECT_EQ(ScanAll(table.get(), false).blocks_read, 0u);
}

TEST_F(CacheHintsTest, Gets) {
  const auto table = Fill("t", "true");
  Get get;
  get.cache_blocks = false;
  for (int i = 0; i < kRows; ++i) {
    get.row = RowOf(i);
    ASSERT_EQ(table->GetRow(get)->cells.size(), 1u);
  }
  EXPECT_EQ(Cached(table.get()), 0u);
  get.cache_blocks = true;
  for (int round = 0; round < 2; ++round) {  // the first keeps of each block what it needs
    for (int i = 0; i < kRows; ++i) {
      get.row = RowOf(i);
      ASSERT_EQ(table->GetRow(get)->cells.size(), 1u);
    }
  }
  EXPECT_GE(Cached(table.get()), 50u);
}

// Whatever its readers want; and from the alteration on, either way.
TEST_F(CacheHintsTest, AFamilyThatIsNotToBeCached) {
  auto table = Fill("t", "false");
  Get get;
  for (int round = 0; round < 2; ++round) {
    ScanAll(table.get(), true);
    for (int i = 0; i < kRows; ++i) {
      get.row = RowOf(i);
      ASSERT_EQ(table->GetRow(get)->cells.size(), 1u);
    }
  }
  EXPECT_EQ(Cached(table.get()), 0u);
  TableDescriptor descriptor = table->descriptor();
  descriptor.families[0].attributes["BLOCKCACHE"] = "true";
  ASSERT_TRUE(engine_->admin()->AlterTable(descriptor).ok());
  ScanAll(table.get(), true);
  EXPECT_GE(Cached(table.get()), 50u);
}

}  // namespace
}  // namespace bennu::engine
