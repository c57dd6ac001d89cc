// Regions that come and go: splits, merges, their traces in hbase:meta and on disk, lazy opening.
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "bennu/admin.h"
#include "src/api/descriptor_pb.h"
#include "src/base/failpoint.h"
#include "src/base/hex.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Key(int number) {
  char text[16];
  std::snprintf(text, sizeof(text), "r%06d", number);
  return text;
}

class RegionTest : public EngineFixture {
 protected:
  void SetUp() override {
    EngineFixture::SetUp();
    options_.background_compaction = false;
    options_.background_split = false;
    options_.wal_sync = WalSync::kOs;
    options_.eager_regions_max = 0;
    Open(options_);
  }
  void TearDown() override {
    EXPECT_TRUE(ArmFailpoints("").ok());
    EngineFixture::TearDown();
  }

  void Fill(Table* table, int count, const std::string& value = std::string(200, 'v')) {
    MutationBatch batch;
    for (int i = 0; i < count; ++i) {
      batch.StartRow(Key(i));
      batch.Put("f", "q", value);
    }
    const Status status = table->Write(&batch);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  Admin* admin() { return engine_->admin(); }
  static std::string Name(Table* table, size_t index) {
    return table->regions()[index].EncodedName();
  }
  static std::vector<std::string> Borders(Table* table) {
    std::vector<std::string> borders;
    for (const RegionInfo& region : table->regions()) borders.push_back(region.start_key);
    return borders;
  }
  std::vector<std::string> References() {
    std::vector<std::string> found;
    for (const std::string& path : Find("/data/default/")) {
      const std::string name = path.substr(path.rfind('/') + 1);
      if (name.find('.') == 32 && name.size() == 65) found.push_back(path);
    }
    return found;
  }
  // The info columns of a region's row in hbase:meta.
  std::map<std::string, std::string> MetaRow(const RegionInfo& info) {
    std::map<std::string, std::string> columns;
    auto meta = engine_->OpenTable({"hbase", "meta"});
    EXPECT_TRUE(meta.ok());
    Get get;
    get.row = info.RegionName();
    auto row = (*meta)->GetRow(get);
    EXPECT_TRUE(row.ok());
    for (const Cell& cell : row->cells) columns[std::string(cell.qualifier())] = cell.value_view();
    return columns;
  }
  // Until the janitor has been there.
  bool Wait(const std::function<bool()>& condition) {
    for (int i = 0; i < 1000 && !condition(); ++i) Env::Default()->SleepMicros(10'000);
    return condition();
  }

  EngineOptions options_;
};

TEST_F(RegionTest, ASplitKeepsEveryRowAndTellsTheCatalog) {
  auto table = CreateTable();
  Fill(table.get(), 100);
  const RegionInfo parent = table->regions()[0];
  ASSERT_TRUE(admin()->SplitTable(table->name(), Key(40)).ok());
  EXPECT_THAT(Borders(table.get()), ElementsAre("", Key(40)));
  EXPECT_EQ(Rows(table.get()).size(), 100u);
  EXPECT_EQ(References().size(), 2u);  // one file, a half for each

  const auto row = MetaRow(parent);
  EXPECT_EQ(row.at("state"), "SPLIT");
  const auto info = api::DecodeRegionInfo(row.at("regioninfo"));
  ASSERT_TRUE(info.ok());
  EXPECT_TRUE(info->split);
  EXPECT_TRUE(info->offline);
  EXPECT_EQ(*api::DecodeRegionInfo(row.at("splitA")), table->regions()[0]);
  EXPECT_EQ(*api::DecodeRegionInfo(row.at("splitB")), table->regions()[1]);
  EXPECT_EQ(MetaRow(table->regions()[0]).at("state"), "OPEN");
  EXPECT_GT(table->regions()[0].region_id, parent.region_id);

  // Writes go to the halves, and reads see both.
  ASSERT_TRUE(Put(table.get(), Key(39), "new").ok());
  ASSERT_TRUE(Put(table.get(), Key(40), "new").ok());
  EXPECT_EQ(Rows(table.get()).size(), 100u);
  Open(options_);
  table = OpenTable();
  EXPECT_THAT(Borders(table.get()), ElementsAre("", Key(40)));
  EXPECT_EQ(Rows(table.get()).size(), 100u);
}

// The bytes are those that HBase 2.5 writes for a split at "r3".
TEST_F(RegionTest, ReferencesAreHBases) {
  auto table = CreateTable();
  for (const char* row : {"r1", "r2", "r3", "r4"}) ASSERT_TRUE(Put(table.get(), row).ok());
  const RegionInfo parent = table->regions()[0];
  ASSERT_TRUE(admin()->SplitTable(table->name(), "r3").ok());
  const Bytes border("PBUF\x0a\x0e\x00\x02r3\x00\x7f\xff\xff\xff\xff\xff\xff\xff\xff\x10", 21);
  std::map<std::string, Bytes> contents;
  for (const std::string& path : References()) {
    const std::string name = path.substr(path.rfind('/') + 1);
    EXPECT_EQ(name.substr(33), parent.EncodedName());
    contents[path] = *Env::Default()->ReadFile(path);
  }
  ASSERT_EQ(contents.size(), 2u);
  for (const auto& [path, bytes] : contents) {
    const bool top = path.find(Name(table.get(), 1)) != std::string::npos;
    EXPECT_EQ(ToStringBinary(bytes), ToStringBinary(border + (top ? '\x00' : '\x01'))) << path;
  }
}

TEST_F(RegionTest, AFileInOneHalfIsReferredToFromThereAlone) {
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "a").ok());
  ASSERT_TRUE(admin()->Flush(table->name()).ok());
  ASSERT_TRUE(Put(table.get(), "z").ok());
  ASSERT_TRUE(admin()->SplitTable(table->name(), "m").ok());
  ASSERT_EQ(References().size(), 2u);
  EXPECT_THAT(Rows(table.get()), ElementsAre("a", "z"));
}

TEST_F(RegionTest, ACompactionFreesTheParentAndTheJanitorRemovesIt) {
  auto table = CreateTable();
  Fill(table.get(), 100);
  const RegionInfo parent = table->regions()[0];
  ASSERT_TRUE(admin()->SplitTable(table->name(), Key(50)).ok());
  ASSERT_TRUE(admin()->Compact(table->name(), false).ok());
  EXPECT_THAT(References(), IsEmpty());
  EXPECT_TRUE(Wait([&] { return MetaRow(parent).empty(); }));
  EXPECT_FALSE(std::filesystem::exists(root_ + "/data/default/t/" + parent.EncodedName()));
  EXPECT_EQ(Rows(table.get()).size(), 100u);
  // Each file holds its own half now.
  auto regions = admin()->ListRegions(table->name());
  ASSERT_TRUE(regions.ok());
  for (const RegionStatus& region : *regions) {
    EXPECT_FALSE(region.has_references);
    EXPECT_EQ(region.store_files, 1u);
  }
  ASSERT_TRUE(admin()->SplitRegion(Name(table.get(), 1), Key(70)).ok());
  Open(options_);
  EXPECT_EQ(Rows(OpenTable().get()).size(), 100u);
}

TEST_F(RegionTest, AMergeJoinsNeighbours) {
  auto table = CreateTable();
  Fill(table.get(), 90);
  ASSERT_TRUE(admin()->SplitTable(table->name(), Key(30)).ok());
  ASSERT_TRUE(admin()->SplitTable(table->name(), Key(60)).ok());
  const std::vector<RegionInfo> parents = table->regions();
  EXPECT_EQ(admin()->MergeRegions({Name(table.get(), 0), Name(table.get(), 2)}).code(),
            StatusCode::kInvalidArgument);
  const Status merged = admin()->MergeRegions({Name(table.get(), 2), Name(table.get(), 1)});
  ASSERT_TRUE(merged.ok()) << merged.ToString();
  EXPECT_THAT(Borders(table.get()), ElementsAre("", Key(30)));
  EXPECT_EQ(Rows(table.get()).size(), 90u);
  const auto row = MetaRow(table->regions()[1]);
  EXPECT_EQ(*api::DecodeRegionInfo(row.at("merge0000")), parents[1]);
  EXPECT_EQ(*api::DecodeRegionInfo(row.at("merge0001")), parents[2]);
  EXPECT_THAT(MetaRow(parents[1]), IsEmpty());

  Open(options_);
  table = OpenTable();
  EXPECT_EQ(Rows(table.get()).size(), 90u);
  ASSERT_TRUE(admin()->Compact(table->name(), false).ok());
  EXPECT_TRUE(Wait([&] { return MetaRow(table->regions()[1]).count("merge0000") == 0; }));
  EXPECT_FALSE(std::filesystem::exists(root_ + "/data/default/t/" + parents[2].EncodedName()));
  EXPECT_EQ(Rows(table.get()).size(), 90u);
}

TEST_F(RegionTest, TheMiddleIsFoundOrTheSplitRefused) {
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "a").ok());
  EXPECT_EQ(admin()->SplitTable(table->name(), std::nullopt).code(),
            StatusCode::kFailedPrecondition);
  Fill(table.get(), 2000);
  const Status split = admin()->SplitTable(table->name(), std::nullopt);
  ASSERT_TRUE(split.ok()) << split.ToString();
  ASSERT_EQ(table->regions().size(), 2u);
  const std::string border = table->regions()[1].start_key;
  EXPECT_GT(border, Key(500));
  EXPECT_LT(border, Key(1500));
  EXPECT_EQ(admin()->SplitRegion(Name(table.get(), 0), border).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(admin()->SplitRegion("0123", Key(7)).code(), StatusCode::kNotFound);
  EXPECT_EQ(admin()->SplitTable({"hbase", "meta"}, "x").code(), StatusCode::kInvalidArgument);
}

TEST_F(RegionTest, ThePolicyForbidsASplit) {
  TableDescriptor descriptor;
  descriptor.name.qualifier = "t";
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  descriptor.attributes["SPLIT_POLICY"] =
      "org.apache.hadoop.hbase.regionserver.DisabledRegionSplitPolicy";
  ASSERT_TRUE(admin()->CreateTable(descriptor, {}).ok());
  EXPECT_THAT(admin()->SplitTable(descriptor.name, "m").ToString(), HasSubstr("SPLIT_POLICY"));
}

TEST_F(RegionTest, ABigRegionIsSplitByItself) {
  options_.background_split = true;
  options_.background_compaction = true;
  Open(options_);
  TableDescriptor descriptor;
  descriptor.name.qualifier = "t";
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  descriptor.attributes = {
      {"SPLIT_POLICY", "org.apache.hadoop.hbase.regionserver.ConstantSizeRegionSplitPolicy"},
      {"MAX_FILESIZE", "300000"},
      {"MEMSTORE_FLUSHSIZE", "100000"},
      {"hbase.table.sanity.checks", "false"}};
  ASSERT_TRUE(admin()->CreateTable(descriptor, {}).ok());
  auto table = OpenTable();
  for (int round = 0; round < 10; ++round) {
    MutationBatch batch;
    for (int i = 0; i < 500; ++i) {
      batch.StartRow(Key(i * 10 + round));
      batch.Put("f", "q", std::string(200, 'v'));
    }
    ASSERT_TRUE(table->Write(&batch).ok());
    ASSERT_TRUE(admin()->Flush(table->name()).ok());
  }
  EXPECT_TRUE(Wait([&] { return table->regions().size() >= 3; }));
  EXPECT_EQ(Rows(table.get()).size(), 5000u);
}

// BusyRegionSplitPolicy: a small region whose writers meet full memstores is split, once it is old
// enough. (How often they must is in split_policy_test.cc: here it depends on how quickly flushes
// go.)
TEST_F(RegionTest, ABusyRegionIsSplitByItself) {
  options_.background_split = true;
  Open(options_);
  for (const std::string age_millis : {"600000", "0"}) {
    TableDescriptor descriptor;
    descriptor.name.qualifier = "t" + age_millis;
    descriptor.families.resize(1);
    descriptor.families[0].name = "f";
    // Far below the size at which it would be split anyway.
    descriptor.families[0].attributes = {{"COMPRESSION", "GZ"}, {"BLOCKSIZE", "4096"}};
    descriptor.attributes = {
        {"SPLIT_POLICY", "org.apache.hadoop.hbase.regionserver.BusyRegionSplitPolicy"},
        {"hbase.busy.policy.blockedRequests", "0.0001"},
        {"hbase.busy.policy.minAge", age_millis},
        {"hbase.busy.policy.aggWindow", "1"},
        {"hbase.hregion.memstore.block.multiplier", "1"},
        {"MEMSTORE_FLUSHSIZE", "100000"},
        {"hbase.table.sanity.checks", "false"}};
    ASSERT_TRUE(admin()->CreateTable(descriptor, {}).ok());
    auto table = OpenTable(descriptor.name.qualifier);
    for (int round = 0; round < 20 && table->regions().size() == 1; ++round) {
      MutationBatch batch;
      for (int i = 0; i < 500; ++i) {
        batch.StartRow(Key(i * 10 + round % 10));
        batch.Put("f", "q", std::string(200, 'v'));
      }
      ASSERT_TRUE(table->Write(&batch).ok());
    }
    if (age_millis != "0") {
      EXPECT_EQ(table->regions().size(), 1u);
    } else {
      EXPECT_TRUE(Wait([&] { return table->regions().size() >= 2; }));
    }
  }
}

TEST_F(RegionTest, AnOpenScanAndAnOldSnapshotSeeWhatTheySaw) {
  auto table = CreateTable();
  Fill(table.get(), 1000);
  auto scanner = table->OpenScanner({});
  ASSERT_TRUE(scanner.ok());
  CellBatch batch;
  ASSERT_TRUE((*scanner)->Next(10, &batch).ok());
  const auto snapshot = engine_->TakeSnapshot();
  ASSERT_TRUE(Put(table.get(), Key(999), "later").ok());
  ASSERT_TRUE(admin()->SplitTable(table->name(), Key(500)).ok());
  MutationBatch removal;
  for (int i = 0; i < 1000; i += 2) {
    removal.StartRow(Key(i));
    removal.DeleteFamily("f");
  }
  ASSERT_TRUE(table->Write(&removal).ok());
  ASSERT_TRUE(admin()->Compact(table->name(), true).ok());
  ASSERT_TRUE(admin()->MergeRegions({Name(table.get(), 0), Name(table.get(), 1)}).ok());
  size_t rows = 10;
  do {
    ASSERT_TRUE((*scanner)->Next(100, &batch).ok());
    rows += batch.row_count();
  } while (batch.row_count() > 0);
  EXPECT_EQ(rows, 1000u);
  Scan then;
  then.snapshot = snapshot;
  auto old = table->OpenScanner(then);
  ASSERT_TRUE(old.ok());
  rows = 0;
  std::string last;
  do {
    ASSERT_TRUE((*old)->Next(100, &batch).ok());
    rows += batch.row_count();
    if (batch.row_count() > 0) last = batch.cells.back().value_view();
  } while (batch.row_count() > 0);
  EXPECT_EQ(rows, 1000u);
  EXPECT_EQ(last, std::string(200, 'v'));
  EXPECT_EQ(Rows(table.get()).size(), 500u);
}

TEST_F(RegionTest, AReversedScanCrossesHalves) {
  auto table = CreateTable();
  Fill(table.get(), 100);
  ASSERT_TRUE(admin()->SplitTable(table->name(), Key(50)).ok());
  Scan scan;
  scan.reversed = true;
  scan.range.start = Key(60);
  scan.range.stop = Key(40);
  auto scanner = table->OpenScanner(scan);
  ASSERT_TRUE(scanner.ok());
  CellBatch batch;
  std::vector<std::string> rows;
  do {
    ASSERT_TRUE((*scanner)->Next(7, &batch).ok());
    for (const uint32_t start : batch.row_starts) rows.emplace_back(batch.cells[start].row());
  } while (batch.row_count() > 0);
  std::vector<std::string> expected;
  for (int i = 60; i > 40; --i) expected.push_back(Key(i));
  EXPECT_EQ(rows, expected);
}

TEST_F(RegionTest, ASplitThatFailsLeavesEverythingAsItWas) {
  auto table = CreateTable();
  Fill(table.get(), 100);
  for (const char* point :
       {"region.change.settled", "region.change.frozen", "region.change.flushed",
        "region.change.between_references", "region.change.before_rename",
        "region.change.between_renames", "region.change.before_meta"}) {
    ASSERT_TRUE(ArmFailpoints(std::string(point) + "=error@1").ok());
    EXPECT_FALSE(admin()->SplitTable(table->name(), Key(50)).ok()) << point;
    ASSERT_TRUE(ArmFailpoints("").ok());
    EXPECT_EQ(table->regions().size(), 1u);
    EXPECT_THAT(References(), IsEmpty()) << point;
    ASSERT_TRUE(Put(table.get(), Key(7), "still").ok());
    EXPECT_EQ(Rows(table.get()).size(), 100u);
  }
  EXPECT_TRUE(admin()->SplitTable(table->name(), Key(50)).ok());
}

TEST_F(RegionTest, ADropTakesReplacedRegionsAlong) {
  auto table = CreateTable();
  Fill(table.get(), 100);
  const RegionInfo parent = table->regions()[0];
  ASSERT_TRUE(admin()->SplitTable(table->name(), Key(50)).ok());
  ASSERT_TRUE(admin()->DropTable(table->name()).ok());
  EXPECT_THAT(MetaRow(parent), IsEmpty());
  table = CreateTable();
  EXPECT_THAT(Rows(table.get()), IsEmpty());
  Open(options_);
  EXPECT_THAT(Rows(OpenTable().get()), IsEmpty());
}

TEST_F(RegionTest, AHoleInTheCatalogIsTold) {
  auto table = CreateTable();
  ASSERT_TRUE(admin()->SplitTable(table->name(), "m").ok());
  const Bytes row = table->regions()[1].RegionName();
  auto meta = engine_->OpenTable({"hbase", "meta"});
  ASSERT_TRUE(meta.ok());
  MutationBatch batch;
  batch.StartRow(row);
  batch.DeleteFamily("info");
  ASSERT_TRUE((*meta)->Write(&batch).ok());
  meta->reset();
  const Status opened = TryOpen(options_);
  EXPECT_EQ(opened.code(), StatusCode::kCorruption);
  EXPECT_THAT(opened.ToString(), HasSubstr("no region of table t holds the rows from 'm'"));
}

// ---- opening

TEST_F(RegionTest, RegionsAreOpenedByTheirFirstUse) {
  TableDescriptor descriptor;
  descriptor.name.qualifier = "t";
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  ASSERT_TRUE(admin()->CreateTable(descriptor, {"b", "c", "d"}).ok());
  auto table = OpenTable();
  for (const char* row : {"a", "b", "c", "d"}) ASSERT_TRUE(Put(table.get(), row, "1").ok());
  table.reset();
  Open(options_);
  table = OpenTable();
  const uint64_t before = engine_->GetStatus().open_regions;
  EXPECT_EQ(engine_->GetStatus().regions, before + 4);
  Get get;
  get.row = "c";
  ASSERT_TRUE(table->GetRow(get).ok());
  EXPECT_EQ(engine_->GetStatus().open_regions, before + 1);
  ASSERT_TRUE(Put(table.get(), "c", "2").ok());
  EXPECT_EQ(engine_->GetStatus().open_regions, before + 1);
  EXPECT_THAT(Rows(table.get()), ElementsAre("a", "b", "c", "d"));
  EXPECT_EQ(engine_->GetStatus().open_regions, before + 4);
}

// A region that was not open when a process wrote elsewhere must not hold ids from the future.
TEST_F(RegionTest, NewWritesHaveLaterIdsThanFilesOfRegionsThatWereNotOpened) {
  TableDescriptor descriptor;
  descriptor.name.qualifier = "t";
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  ASSERT_TRUE(admin()->CreateTable(descriptor, {"m"}).ok());
  auto table = OpenTable();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(Put(table.get(), "a", std::to_string(i), Durability::kSkipWal).ok());
  }
  ASSERT_TRUE(admin()->Flush(table->name()).ok());
  for (int round = 0; round < 3; ++round) {
    table.reset();
    Open(options_);
    table = OpenTable();
    ASSERT_TRUE(Put(table.get(), "z", "x").ok());
    const std::string value = "round " + std::to_string(round);
    ASSERT_TRUE(Put(table.get(), "a", value).ok());
    Get get;
    get.row = "a";
    auto row = table->GetRow(get);
    ASSERT_TRUE(row.ok());
    ASSERT_EQ(row->cells.size(), 1u);
    EXPECT_EQ(row->cells[0].value_view(), value);
    EXPECT_GT(row->cells[0].sequence_id, 1000u);
  }
}

TEST_F(RegionTest, WithoutItsNotesEveryRegionIsLookedAt) {
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "a").ok());
  table.reset();
  engine_.reset();
  ASSERT_TRUE(Env::Default()->WriteFileAtomically(root_ + "/.bennu.clock", "12345").ok());
  Open(options_);
  EXPECT_EQ(engine_->GetStatus().open_regions, engine_->GetStatus().regions);
  EXPECT_THAT(Rows(OpenTable().get()), ElementsAre("a"));
}

// ---- everything at once

// Writers, scanners and point readers run while the table's regions are split and merged. Each
// writer owns every kWriters-th row and writes growing numbers; a scan must see each row once, no
// number lower than an earlier scan saw, and the pair of rows written by one batch of one region...
// is not promised across regions, so pairs are not looked at.
TEST_F(RegionTest, WritersAndScannersWhileRegionsChange) {
  constexpr int kWriters = 2;
  constexpr int kRows = 300;
  options_.background_compaction = true;
  options_.memstore_flush_bytes = 64 << 10;
  Open(options_);
  auto table = CreateTable();
  Fill(table.get(), kRows, "0");
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  std::vector<std::vector<int>> written(kWriters, std::vector<int>(kRows, 0));
  std::atomic<int64_t> counted{0};
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      std::mt19937 random(static_cast<unsigned>(w));
      for (int number = 1; !stop.load(); ++number) {
        MutationBatch batch;
        std::vector<int> rows;
        for (int i = 0; i < 10; ++i) {
          const int row = static_cast<int>(random() % (kRows / kWriters)) * kWriters + w;
          rows.push_back(row);
          batch.StartRow(Key(row));
          batch.Put("f", "q", std::to_string(number));
        }
        const Status status = table->Write(&batch);
        ASSERT_TRUE(status.ok()) << status.ToString();
        for (const int row : rows)
          written[static_cast<size_t>(w)][static_cast<size_t>(row)] = number;
      }
    });
  }
  threads.emplace_back([&] {
    while (!stop.load()) {
      const auto value = table->Increment(Key(kRows / 2) + "counter", "f", "n", 1);
      ASSERT_TRUE(value.ok()) << value.status().ToString();
      ASSERT_EQ(*value, counted.fetch_add(1) + 1);
    }
  });
  for (int s = 0; s < 2; ++s) {
    threads.emplace_back([&, s] {
      std::vector<int> seen(kRows, 0);
      while (!stop.load()) {
        Scan scan;
        scan.reversed = s == 1;
        auto scanner = table->OpenScanner(scan);
        ASSERT_TRUE(scanner.ok());
        CellBatch batch;
        std::vector<std::string> rows;
        do {
          ASSERT_TRUE((*scanner)->Next(17, &batch).ok());
          for (size_t i = 0; i < batch.row_count(); ++i) {
            const Cell& cell = batch.cells[batch.row_starts[i]];
            if (cell.row().ends_with("counter")) continue;
            rows.emplace_back(cell.row());
            const auto row = static_cast<size_t>(std::stoi(rows.back().substr(1)));
            const int number = std::stoi(std::string(cell.value_view()));
            ASSERT_GE(number, seen[row]) << rows.back();
            seen[row] = number;
          }
        } while (batch.row_count() > 0);
        ASSERT_EQ(rows.size(), static_cast<size_t>(kRows));
        if (s == 1) std::reverse(rows.begin(), rows.end());
        ASSERT_TRUE(std::is_sorted(rows.begin(), rows.end()));
        ASSERT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
      }
    });
  }
  std::mt19937 random(7);
  int splits = 0;
  int merges = 0;
  const uint64_t deadline = Env::Default()->MonotonicNanos() + 4'000'000'000;
  while (Env::Default()->MonotonicNanos() < deadline && !HasFailure()) {
    const size_t count = table->regions().size();
    if (count < 5 && (count == 1 || random() % 2 == 0)) {
      const std::string key = Key(static_cast<int>(random() % kRows));
      splits += admin()->SplitTable(table->name(), key).ok() ? 1 : 0;
    } else {
      const size_t first = random() % (count - 1);
      const Status status =
          admin()->MergeRegions({Name(table.get(), first), Name(table.get(), first + 1)});
      // Refused while an earlier merge is not cleaned up, as HBase refuses it.
      EXPECT_TRUE(status.ok() || status.code() == StatusCode::kFailedPrecondition)
          << status.ToString();
      merges += status.ok() ? 1 : 0;
    }
    if (random() % 4 == 0) {
      EXPECT_TRUE(admin()->Flush(table->name()).ok());
    }
  }
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(splits, 0);
  EXPECT_GT(merges, 0);
  for (const bool reopen : {false, true}) {
    if (reopen) {
      table.reset();
      Open(options_);
      table = OpenTable();
    }
    for (int row = 0; row < kRows; ++row) {
      Get get;
      get.row = Key(row);
      auto found = table->GetRow(get);
      ASSERT_TRUE(found.ok());
      ASSERT_EQ(found->cells.size(), 1u);
      EXPECT_EQ(
          found->cells[0].value_view(),
          std::to_string(written[static_cast<size_t>(row % kWriters)][static_cast<size_t>(row)]));
    }
    const auto value = table->Increment(Key(kRows / 2) + "counter", "f", "n", 0);
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(*value, counted.load());
  }
}

// Whose start key sorts before the comma between a row's parts: hbase:meta has an order of its own.
TEST_F(RegionTest, CatalogRowsOfEveryStartKeyAreFound) {
  Open();
  TableDescriptor descriptor;
  descriptor.name.qualifier = "M";
  descriptor.families.emplace_back().name = "f";
  ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, {Bytes("\x01", 1), "-", "z"}).ok());
  Open();  // what was in memory is in files
  const auto meta = engine_->OpenTable({"hbase", "meta"}).value();
  const auto regions = engine_->OpenTable({"default", "M"}).value()->regions();
  ASSERT_EQ(regions.size(), 4u);
  for (const RegionInfo& region : regions) {
    Get get;
    get.row = region.RegionName();
    get.columns["info"].emplace("state");
    EXPECT_TRUE(meta->Exists(get).value()) << get.row;
  }
}

}  // namespace
}  // namespace bennu::engine
