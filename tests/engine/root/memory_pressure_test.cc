// What memstores do before they are flushed: compaction in memory, and flushes held back because a
// store has too many files.
#include <atomic>
#include <chrono>
#include <thread>

#include "src/api/attributes.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

class MemoryPressureTest : public EngineFixture {
 protected:
  static EngineOptions Options() {
    EngineOptions options;
    options.wal_sync = WalSync::kOs;
    options.flush_on_close = false;
    return options;
  }
  std::shared_ptr<Table> Create(const api::Attributes& family, const api::Attributes& table = {},
                                const std::vector<Bytes>& splits = {}) {
    TableDescriptor descriptor;
    descriptor.name.qualifier = "t";
    descriptor.families.resize(1);
    descriptor.families[0].name = "f";
    descriptor.families[0].attributes = family;
    descriptor.attributes = table;
    const Status status = engine_->admin()->CreateTable(descriptor, splits);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return OpenTable();
  }
  // 40 rows, each overwritten again and again.
  void Overwrite(Table* table, int from, int to) {
    for (int i = from; i < to; ++i) {
      ASSERT_TRUE(Put(table, "row" + std::to_string(i % 40),
                      std::string(500, static_cast<char>('a' + i % 26)))
                      .ok());
    }
  }
  // Each row is as its last write made it.
  static void ExpectOverwritten(Table* table, int to) {
    const auto scanner = table->OpenScanner({});
    ASSERT_TRUE(scanner.ok());
    int rows = 0;
    CellBatch batch;
    do {
      ASSERT_TRUE((*scanner)->Next(100, &batch).ok());
      for (const Cell& cell : batch.cells) {
        if (!cell.row().starts_with("row")) continue;
        const int row = std::stoi(std::string(cell.row().substr(3)));
        const int last = (to - 1 - row) / 40 * 40 + row;
        ++rows;
        EXPECT_EQ(cell.value_view(), ByteView(std::string(500, static_cast<char>('a' + last % 26))))
            << cell.row();
      }
    } while (batch.row_count() > 0);
    EXPECT_EQ(rows, 40);
  }
  RegionStatus Region() { return engine_->admin()->ListRegions({"default", "t"}).value().front(); }
};

// EAGER drops what a flush would leave out; what is left is a small part of what was written.
TEST_F(MemoryPressureTest, EagerDropsSurplusVersions) {
  Open(Options());
  const auto table = Create({{"IN_MEMORY_COMPACTION", "EAGER"}},
                            {{"hbase.memstore.inmemoryflush.threshold.factor", "0.001"}});
  Overwrite(table.get(), 0, 4000);  // 2 MB
  EXPECT_TRUE(Eventually([&] {
    EXPECT_TRUE(Put(table.get(), "row0", "x").ok());
    return Region().memstore_bytes < 400'000;
  })) << Region().memstore_bytes;
  EXPECT_EQ(Region().store_files, 0u);
  // Memory that is free again is not waited for.
  EXPECT_LT(engine_->GetStatus().memstore_bytes, 600'000u);
  Overwrite(table.get(), 0, 4000);
  ExpectOverwritten(table.get(), 4000);
  ASSERT_TRUE(engine_->admin()->Flush({"default", "t"}).ok());
  EXPECT_EQ(Region().memstore_bytes, 0u);
  ExpectOverwritten(table.get(), 4000);
}

// BASIC keeps every cell; a flush writes all parts, and a log replays what was not flushed.
TEST_F(MemoryPressureTest, BasicKeepsEverything) {
  for (const char* policy : {"BASIC", "ADAPTIVE", "NONE"}) {
    SCOPED_TRACE(policy);
    Open(Options());
    const auto table = Create({{"IN_MEMORY_COMPACTION", policy}, {"VERSIONS", "1000"}},
                              {{"hbase.memstore.inmemoryflush.threshold.factor", "0.0005"}});
    Overwrite(table.get(), 0, 2000);
    ExpectOverwritten(table.get(), 2000);
    const auto versions = [&](Table* of) {
      Scan scan;
      scan.max_versions = 1000;
      const auto scanner = of->OpenScanner(scan);
      CellBatch batch;
      size_t cells = 0;
      do {
        EXPECT_TRUE((*scanner)->Next(100, &batch).ok());
        cells += batch.cells.size();
      } while (batch.row_count() > 0);
      return cells;
    };
    // Writes of one millisecond to one column replace each other.
    const size_t count = versions(table.get());
    EXPECT_GT(count, 40u);
    Open(Options());
    EXPECT_EQ(versions(OpenTable().get()), count);
    ASSERT_TRUE(engine_->admin()->Flush({"default", "t"}).ok());
    EXPECT_EQ(versions(OpenTable().get()), count);
    ASSERT_TRUE(engine_->admin()->DropTable({"default", "t"}).ok());
  }
}

// Readers at every moment of it, forward and backward, beside writers and flushes.
TEST_F(MemoryPressureTest, ReadersBesideInMemoryCompaction) {
  for (const char* policy : {"BASIC", "EAGER"}) {
    SCOPED_TRACE(policy);
    Open(Options());
    const auto table = Create({{"IN_MEMORY_COMPACTION", policy}},
                              {{"hbase.memstore.inmemoryflush.threshold.factor", "0.00005"}});
    Overwrite(table.get(), 0, 40);
    std::atomic<bool> stop{false};
    std::thread writer([&] {
      for (int i = 40; !stop.load(); ++i) {
        EXPECT_TRUE(Put(table.get(), "row" + std::to_string(i % 40), std::to_string(i)).ok());
        if (i % 1000 == 0) {
          EXPECT_TRUE(engine_->admin()->Flush({"default", "t"}).ok());
        }
      }
    });
    for (int i = 0; i < 200; ++i) {
      Scan scan;
      scan.reversed = i % 2 == 1;
      const auto scanner = table->OpenScanner(scan);
      CellBatch batch;
      size_t rows = 0;
      do {
        EXPECT_TRUE((*scanner)->Next(7, &batch).ok());
        rows += batch.row_count();
        EXPECT_EQ(batch.cells.size(), batch.row_count());
      } while (batch.row_count() > 0);
      EXPECT_EQ(rows, 40u);
    }
    stop = true;
    writer.join();
    ASSERT_TRUE(engine_->admin()->DropTable({"default", "t"}).ok());
  }
}

// Every file is too big to be merged, so nothing gets a store out of it.
const api::Attributes kNeverCompacted = {{"hbase.hstore.compaction.max.size", "1"},
                                         {"hbase.hstore.blockingStoreFiles", "2"}};

TEST_F(MemoryPressureTest, FlushWaitsForACompaction) {
  EngineOptions options = Options();
  options.memstore_flush_bytes = 50'000;
  options.configuration["hbase.hstore.blockingWaitTime"] = "2500";
  Open(options);
  const auto table = Create(kNeverCompacted);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Put(table.get(), "flushed" + std::to_string(i)).ok());
    ASSERT_TRUE(engine_->admin()->Flush({"default", "t"}).ok());  // who asks for it gets it
  }
  ASSERT_EQ(Region().store_files, 3u);
  const auto start = std::chrono::steady_clock::now();
  Overwrite(table.get(), 0, 200);
  std::this_thread::sleep_for(std::chrono::milliseconds(1000));
  EXPECT_EQ(Region().store_files, 3u);
  EXPECT_GT(Region().memstore_bytes, 50'000u);
  ExpectOverwritten(table.get(), 200);
  EXPECT_TRUE(Eventually([&] { return Region().store_files == 4; }));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(2000));
  ExpectOverwritten(table.get(), 200);
}

// A store that a compaction helps is flushed as soon as it has come.
TEST_F(MemoryPressureTest, HeldFlushGoesOnAfterTheCompaction) {
  EngineOptions options = Options();
  options.memstore_flush_bytes = 50'000;
  options.configuration = {{"hbase.hstore.blockingStoreFiles", "2"},
                           {"hbase.hstore.compaction.min", "2"}};
  Open(options);
  const auto table = Create({});
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(Put(table.get(), "flushed" + std::to_string(i)).ok());
    ASSERT_TRUE(engine_->admin()->Flush({"default", "t"}).ok());
  }
  Overwrite(table.get(), 0, 200);
  EXPECT_TRUE(Eventually([&] { return Region().memstore_bytes < 50'000; }))
      << "long before the 90 s of hbase.hstore.blockingWaitTime";
}

// A compaction may take for ever, and be asked for again with each flush: flushes come all the
// same, and writers need not wait.
TEST_F(MemoryPressureTest, FlushesDoNotStandBehindACompaction) {
  EngineOptions options = Options();
  options.memstore_flush_bytes = 50'000;
  options.configuration = {{"hbase.hstore.compaction.throughput.lower.bound", "1"},
                           {"hbase.hstore.compaction.throughput.higher.bound", "1"},
                           {"hbase.hstore.blockingStoreFiles", "1000"}};
  Open(options);
  const auto table = Create({});
  Overwrite(table.get(), 0, 4000);  // 2 MB, ten times what the region may hold unflushed
  EXPECT_GE(Region().store_files, 10u);
  ExpectOverwritten(table.get(), 4000);
}

// Once all memory is taken, a region is flushed though it has too many files: no writer is stuck.
TEST_F(MemoryPressureTest, ShortMemoryFlushesAllTheSame) {
  EngineOptions options = Options();
  options.memstore_flush_bytes = 50'000;
  options.memstore_total_bytes = 200'000;
  Open(options);
  const auto table = Create(kNeverCompacted);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Put(table.get(), "flushed" + std::to_string(i)).ok());
    ASSERT_TRUE(engine_->admin()->Flush({"default", "t"}).ok());
  }
  Overwrite(table.get(), 0, 2000);  // 1 MB
  EXPECT_GT(Region().store_files, 3u);
  ExpectOverwritten(table.get(), 2000);
}

// Two regions; the first has so many files that its flushes are held back.
class BusyRegionTest : public MemoryPressureTest {
 protected:
  static constexpr uint64_t kBoundBytes = 100'000;

  void OpenWithBusyRegion(int64_t stall_millis_max) {
    EngineOptions options = Options();
    options.memstore_flush_bytes = kBoundBytes / 2;
    options.write_stall_millis_max = stall_millis_max;
    Open(options);
    table_ = Create(kNeverCompacted, {{"hbase.hregion.memstore.block.multiplier", "2"}}, {"s"});
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(Put(table_.get(), "flushed" + std::to_string(i)).ok());
      ASSERT_TRUE(engine_->admin()->Flush(table_->name()).ok());
    }
  }
  Status PutBusy(int i) {
    return Put(table_.get(), "busy" + std::to_string(i), std::string(500, 'v'));
  }
  std::shared_ptr<Table> table_;
};

// Past the table's flush size times the multiplier a region takes no more, others do.
TEST_F(BusyRegionTest, FailsWhenNoFlushComes) {
  OpenWithBusyRegion(/*stall_millis_max=*/30);
  int written = 0;
  Status status;
  while (written < 1000 && (status = PutBusy(written)).ok()) ++written;
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.ToString();
  EXPECT_THAT(status.message(), ::testing::HasSubstr("hbase.hregion.memstore.block.multiplier"));
  const uint64_t held = engine_->GetStatus().memstore_bytes;
  EXPECT_GT(held, kBoundBytes);
  EXPECT_LT(held, kBoundBytes + 20'000);  // with the catalog
  EXPECT_EQ(table_->Increment("busy", "f", "n", 1).status().code(), StatusCode::kResourceExhausted);
  MutationBatch batch;
  batch.StartRow("busy");
  batch.Put("f", "q", "v");
  Table::Condition absent;
  absent.row = "busy";
  absent.family = "f";
  absent.qualifier = "q";
  absent.expect_absent = true;
  EXPECT_EQ(table_->CheckAndWrite(absent, &batch).status().code(), StatusCode::kResourceExhausted);
  // A batch writes what is of other regions.
  batch.StartRow("t");
  batch.Put("f", "q", "v");
  EXPECT_EQ(table_->Write(&batch).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(engine_->GetStatus().read_only, false);
  EXPECT_TRUE(Put(table_.get(), "u").ok());
  EXPECT_TRUE(Put(CreateTable("other").get(), "busy").ok());
  EXPECT_EQ(Rows(table_.get()).size(), static_cast<size_t>(written) + 5);

  // More room by the options, and by a flush.
  TableDescriptor descriptor = table_->descriptor();
  descriptor.attributes["hbase.hregion.memstore.block.multiplier"] = "3";
  ASSERT_TRUE(engine_->admin()->AlterTable(descriptor).ok());
  EXPECT_TRUE(PutBusy(written++).ok());
  descriptor.attributes["hbase.hregion.memstore.block.multiplier"] = "2";
  ASSERT_TRUE(engine_->admin()->AlterTable(descriptor).ok());
  EXPECT_FALSE(PutBusy(written).ok());
  ASSERT_TRUE(engine_->admin()->Flush(table_->name()).ok());
  EXPECT_TRUE(PutBusy(written++).ok());
  descriptor.attributes["hbase.hregion.memstore.block.multiplier"] = "0";
  EXPECT_EQ(engine_->admin()->AlterTable(descriptor).code(), StatusCode::kInvalidArgument);
}

// While it lasts its writers wait, and go on with the flush.
TEST_F(BusyRegionTest, WaitsForAFlush) {
  OpenWithBusyRegion(/*stall_millis_max=*/600'000);
  constexpr int kRows = 400;  // more than the bound twice over
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < kRows; ++i) EXPECT_TRUE(PutBusy(i).ok());
    done = true;
  });
  EXPECT_TRUE(Eventually([&] { return engine_->GetStatus().memstore_bytes > kBoundBytes; }));
  EXPECT_TRUE(Put(table_.get(), "t").ok());
  EXPECT_FALSE(done.load());
  while (!done.load()) EXPECT_TRUE(engine_->admin()->Flush(table_->name()).ok());
  writer.join();
  EXPECT_EQ(Rows(table_.get()).size(), size_t{kRows} + 4);
}

}  // namespace
}  // namespace bennu::engine
