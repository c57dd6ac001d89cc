// What options of tables and families do while the table is in use, and what scans and mutations
// may ask of this engine beyond the contract of the data API.
#include <algorithm>
#include <fstream>
#include <limits>
#include <set>

#include "bennu/admin.h"
#include "src/hfile/reader.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
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
  // Again, with store files mapped and next to no cache before them.
  void OpenMapped() {
    table_.reset();
    EngineOptions options;
    options.background_compaction = false;
    options.configuration = {{"bennu.storefile.mmap", "true"}};
    options.block_cache_bytes = 1;
    Open(options);
    table_ = OpenTable();
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

// Reads that find nothing in a row come to an end, however much they looked at.
TEST_F(OptionsTest, NothingFoundInARowLargerThanWhatIsPinned) {
  MutationBatch batch;
  for (const char* qualifier : {"a", "b", "c"}) {
    batch.StartRow("r");
    batch.Put("f", qualifier, std::string(4 << 20, 'v'));
  }
  ASSERT_TRUE(table_->Write(&batch).ok());
  ASSERT_TRUE(Put(table_.get(), "s").ok());
  Flush();
  Get get;
  get.row = "r";
  get.columns["f"].insert("z");
  const auto none = table_->GetRow(get);
  ASSERT_TRUE(none.ok()) << none.status().ToString();
  EXPECT_TRUE(none->empty());
  Scan scan;
  scan.columns["f"].insert("q");
  auto scanner = table_->OpenScanner(scan);
  ASSERT_TRUE(scanner.ok());
  CellBatch found;
  ASSERT_TRUE((*scanner)->Next(10, &found).ok());
  ASSERT_EQ(found.cells.size(), 1u);
  EXPECT_EQ(found.cells[0].row(), "s");
  const auto counted = table_->Increment("r", "f", "n", 5);
  ASSERT_TRUE(counted.ok()) << counted.status().ToString();
  EXPECT_EQ(*counted, 5);
  MutationBatch newest;
  newest.StartRow("r");
  newest.DeleteVersion("f", "none");
  ASSERT_TRUE(table_->Write(&newest).ok());
}

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

// A minor compaction that leaves a file out uses the one for minor compactions; without it the
// general one.
TEST_F(OptionsTest, MinorCompactionsHaveTheirOwnCompression) {
  const auto newest = [&] {
    // The oldest file is too big to be merged with the small ones.
    std::set<Compression> found;
    for (const std::string& path : FamilyFiles()) {
      auto reader = hfile::Reader::Open(Env::Default(), path, nullptr);
      EXPECT_TRUE(reader.ok()) << reader.status().ToString();
      found.insert((*reader)->trailer().compression);
    }
    return found;
  };
  Alter("hbase.hstore.compaction.min.size", "1");
  Alter("COMPRESSION_COMPACT_MINOR", "LZ4");
  Alter("COMPRESSION_COMPACT", "GZ");
  ASSERT_TRUE(Put(table_.get(), "a", std::string(300'000, 'v')).ok());
  Flush();
  const auto merge_small = [&] {
    for (const char* row : {"b", "c", "d"}) {
      ASSERT_TRUE(Put(table_.get(), row, std::string(1000, 'v')).ok());
      Flush();
    }
    ASSERT_TRUE(engine_->admin()->Compact(table_->name(), false).ok());
  };
  merge_small();
  EXPECT_EQ(newest(), (std::set<Compression>{Compression::kNone, Compression::kLz4}));
  TableDescriptor descriptor = table_->descriptor();
  descriptor.families[0].attributes.erase("COMPRESSION_COMPACT_MINOR");
  ASSERT_TRUE(engine_->admin()->AlterTable(descriptor).ok());
  merge_small();
  EXPECT_TRUE(newest().contains(Compression::kGz));
}

// A region that still has references is not split again; what keeps them is named.
TEST_F(OptionsTest, SplittingAgainWantsCompactions) {
  Alter("COMPACTION_ENABLED", "false", true);
  for (const char* row : {"a", "f", "p"}) ASSERT_TRUE(Put(table_.get(), row).ok());
  ASSERT_TRUE(engine_->admin()->SplitTable(table_->name(), "m").ok());
  const Status refused = engine_->admin()->SplitTable(table_->name(), "c");
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("COMPACTION_ENABLED"));
  Alter("COMPACTION_ENABLED", "true", true);
  EXPECT_TRUE(engine_->admin()->SplitTable(table_->name(), "c").ok());
  EXPECT_THAT(table_->regions(), SizeIs(3));
}

TEST_F(OptionsTest, MergesCanBeSwitchedOff) {
  Admin* const admin = engine_->admin();
  const auto merge = [&] {
    std::vector<std::string> names;
    for (const RegionInfo& region : table_->regions()) names.push_back(region.EncodedName());
    return admin->MergeRegions(names);
  };
  ASSERT_TRUE(admin->SplitTable(table_->name(), "m").ok());
  TableDescriptor descriptor = table_->descriptor();
  descriptor.attributes["MERGE_ENABLED"] = "false";
  ASSERT_TRUE(admin->AlterTable(descriptor).ok());
  const Status refused = merge();
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("MERGE_ENABLED"));
  EXPECT_THAT(table_->regions(), SizeIs(2));
  descriptor.attributes.erase("MERGE_ENABLED");
  ASSERT_TRUE(admin->AlterTable(descriptor).ok());
  EXPECT_TRUE(merge().ok());
  EXPECT_THAT(table_->regions(), SizeIs(1));
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

// Those of a table that write to the log: what was acknowledged is there after a death, and only
// the batch itself may say otherwise.
TEST_F(OptionsTest, DurabilitiesOfATableThatLog) {
  std::vector<std::string> rows;
  for (const char* durability : {"ASYNC_WAL", "FSYNC_WAL", "USE_DEFAULT"}) {
    Alter("DURABILITY", durability, true);
    ASSERT_TRUE(Put(table_.get(), durability).ok());
    rows.emplace_back(durability);
    ASSERT_TRUE(
        Put(table_.get(), std::string("unlogged ") + durability, "v", Durability::kSkipWal).ok());
  }
  table_.reset();
  EngineOptions options;
  options.flush_on_close = false;
  Open(options);
  table_ = OpenTable();
  std::sort(rows.begin(), rows.end());
  EXPECT_EQ(Rows(table_.get()), rows);
}

// An attribute is for whoever handles the batch on its way: it changes nothing that is stored.
TEST_F(OptionsTest, AttributesOfMutations) {
  MutationBatch batch;
  batch.StartRow("r");
  batch.SetAttribute("who", "me");
  batch.Put("f", "q", "v", 5);
  batch.StartIncrement("n");
  batch.SetAttribute("who", Bytes(1 << 20, 'x'));
  batch.Increment("f", "q", 7, 5);
  std::vector<Row> results;
  ASSERT_TRUE(table_->Mutate(&batch, &results).ok());
  EXPECT_THAT(Rows(table_.get()), ElementsAre("n", "r"));
  EXPECT_EQ(RawCells(), 2u);
}

// What HBase's master refuses is refused by create and alter, here with the properties of the whole
// store in mind; and these are looked at when it is opened.
TEST_F(OptionsTest, RefusesTablesThatHBaseRefuses) {
  TableDescriptor descriptor = table_->descriptor();
  descriptor.attributes["MAX_FILESIZE"] = "1";
  EXPECT_THAT(engine_->admin()->AlterTable(descriptor).message(), HasSubstr("MAX_FILESIZE"));
  descriptor.name.qualifier = "other";
  EXPECT_THAT(engine_->admin()->CreateTable(descriptor, {}).message(), HasSubstr("MAX_FILESIZE"));
  EXPECT_FALSE(*engine_->admin()->TableExists(descriptor.name));
  EngineOptions options;
  options.configuration = {{"hbase.table.sanity.checks", "false"}};
  table_.reset();
  Open(options);
  EXPECT_TRUE(engine_->admin()->CreateTable(descriptor, {}).ok());
  engine_.reset();
  options.configuration = {{"hbase.hstore.blockingStoreFiles", "many"}};
  const auto refused = OpenEngine(root_, options);
  EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.status().message(),
              AllOf(HasSubstr("hbase.hstore.blockingStoreFiles"), HasSubstr("many")));
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
  Alter("hbase.table.sanity.checks", "false", true);
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

// Store files are mapped as the store, or a family, asks for it.
TEST_F(OptionsTest, MapsFiles) {
  const auto mapped_files = [] {
    std::ifstream maps("/proc/self/maps");
    std::vector<std::string> files;
    for (std::string line; std::getline(maps, line);) {
      const size_t path = line.find('/');
      if (line.find("/data/default/t/") != std::string::npos) files.push_back(line.substr(path));
    }
    return files;
  };
  ASSERT_TRUE(Put(table_.get(), "a").ok());
  Flush();
  EXPECT_THAT(mapped_files(), IsEmpty());
  Alter("bennu.storefile.mmap", "true");
  Compact();
  EXPECT_EQ(mapped_files(), FamilyFiles());
  EXPECT_THAT(Rows(table_.get()), ElementsAre("a"));

  TableDescriptor descriptor = table_->descriptor();
  descriptor.families[0].attributes["bennu.storefile.mmap"] = "perhaps";
  EXPECT_EQ(engine_->admin()->AlterTable(descriptor).code(), StatusCode::kInvalidArgument);
}

// A scanner holds mapped files that compactions replaced and the cleaner deleted.
TEST_F(OptionsTest, MappedFilesOutliveTheirNames) {
  OpenMapped();
  for (const char* row : {"a", "b", "c"}) {
    ASSERT_TRUE(Put(table_.get(), row, std::string(100'000, row[0])).ok());
    Flush();
  }
  const auto scanner = std::move(table_->OpenScanner({})).value();
  const std::vector<std::string> files = FamilyFiles();
  ASSERT_THAT(files, SizeIs(3));
  Compact();
  for (const std::string& file : files) {
    for (const std::string& path : Find(file.substr(file.rfind('/')))) {
      std::filesystem::remove(path);
    }
  }
  CellBatch batch;
  const Status status = scanner->Next(10, &batch);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(batch.row_count(), 3u);
  EXPECT_EQ(batch.cells.back().value_view(), std::string(100'000, 'c'));
}

// What changes or vanishes below a mapping is told, as without one.
TEST_F(OptionsTest, MappedFilesAreVerified) {
  OpenMapped();
  ASSERT_TRUE(Put(table_.get(), "a", std::string(300'000, 'v')).ok());
  Flush();
  const std::string path = FamilyFiles().at(0);
  const auto read = [&] {
    Get get;
    get.row = "a";
    return table_->GetRow(get).status();
  };
  EXPECT_TRUE(read().ok());
  {
    std::fstream file(path, std::ios::in | std::ios::out);
    file.seekp(200'000);
    file.put('x');
  }
  EXPECT_EQ(read().code(), StatusCode::kCorruption);
  EXPECT_THAT(read().message(), ::testing::HasSubstr(path));
  std::filesystem::resize_file(path, 100'000);
  EXPECT_EQ(read().code(), StatusCode::kCorruption);
  EXPECT_THAT(read().message(), ::testing::HasSubstr("the file ends after 100000 bytes"));
}

// What reads of another table bring into the cache, again and again, takes nothing from a family
// that is IN_MEMORY.
TEST_F(OptionsTest, InMemoryFamiliesStayInTheCache) {
  table_.reset();
  EngineOptions options;
  options.background_compaction = false;
  options.wal_sync = WalSync::kOs;
  options.block_cache_bytes = 1 << 20;
  Open(options);
  table_ = OpenTable();
  const auto large = CreateTable("large");
  const auto fill = [](Table* table, int rows) {
    MutationBatch batch;
    for (int i = 0; i < rows; ++i) {
      batch.StartRow(std::to_string(10'000 + i));
      batch.Put("f", "q", std::string(1000, 'v'));
    }
    ASSERT_TRUE(table->Write(&batch).ok());
  };
  fill(table_.get(), 100);
  fill(large.get(), 4000);
  Flush();
  ASSERT_TRUE(engine_->admin()->Flush(large->name()).ok());
  const auto scan = [](Table* table, const std::string& start_row, const std::string& stop_row) {
    Scan scan;
    scan.range.start = start_row;
    scan.range.stop = stop_row;
    const auto scanner = std::move(table->OpenScanner(scan)).value();
    CellBatch batch;
    do {
      EXPECT_TRUE(scanner->Next(1000, &batch).ok());
    } while (batch.row_count() > 0);
    return scanner->metrics();
  };
  // How many blocks of the small table must be read after the large one was.
  const auto read_again = [&] {
    scan(table_.get(), "", "");
    for (int row = 10'000; row < 14'000; row += 200) {
      for (int i = 0; i < 3; ++i) {
        scan(large.get(), std::to_string(row), std::to_string(row + 200));
      }
    }
    return scan(table_.get(), "", "").blocks_read;
  };
  EXPECT_GT(read_again(), 0u);
  Alter("IN_MEMORY", "true");
  EXPECT_EQ(read_again(), 0u);
  EXPECT_GT(scan(table_.get(), "", "").blocks_cached, 0u);
  Alter("IN_MEMORY", "false");
  Compact();
  EXPECT_GT(read_again(), 0u);
}

}  // namespace
}  // namespace bennu::engine
