// Damage to each part of a store: what a check says of it, and that a repair leaves a store that is
// sound, opens, and has lost no more than what it told.
#include <gmock/gmock.h>

#include <algorithm>

#include "src/engine/core/engine_core.h"
#include "src/engine/directory/alteration_mark.h"
#include "src/engine/directory/master_files.h"
#include "src/engine/directory/meta_rows.h"
#include "src/engine/directory/root_directory.h"
#include "tests/check/store_fixture.h"

namespace bennu::check {
namespace {

namespace fs = std::filesystem;

class CheckTest : public StoreFixture {
 protected:
  // A store as it lies on disk when its process is killed: files, references, and a log that holds
  // the newest rows.
  void MakeKilledStore() {
    auto engine = Open();
    ASSERT_NE(engine, nullptr);
    Connection* const store = engine.get();
    ASSERT_NO_FATAL_FAILURE(CreateTable(store, "t", {"a", "b", "c"}, {"m"}));
    ASSERT_NO_FATAL_FAILURE(Fill(store, "t", "a", 60));
    ASSERT_NO_FATAL_FAILURE(Fill(store, "t", "n", 60));
    ASSERT_TRUE(store->admin()->Flush({"default", "t"}).ok());
    ASSERT_NO_FATAL_FAILURE(Fill(store, "t", "b", 20));
    ASSERT_NO_FATAL_FAILURE(Fill(store, "t", "o", 20));
    ASSERT_TRUE(store->admin()->Flush({"default", "t"}).ok());
    ASSERT_NO_FATAL_FAILURE(CreateTable(store, "s", {"f"}, {}));
    ASSERT_NO_FATAL_FAILURE(Fill(store, "s", "k", 50));
    ASSERT_TRUE(store->admin()->Flush({"default", "s"}).ok());
    ASSERT_TRUE(store->admin()->SplitTable({"default", "s"}, Bytes("k025")).ok());
    ASSERT_NO_FATAL_FAILURE(Fill(store, "t", "c", 10));
    ASSERT_TRUE(store->admin()->CreateNamespace("ns").ok());
    t_ = MustRead(store, "t");
    s_ = MustRead(store, "s");
    const std::string copy = base_ + "/copy";
    fs::copy(root_, copy, fs::copy_options::recursive);
    engine.reset();
    fs::remove_all(root_);
    fs::rename(copy, root_);
  }

  // The same, closed in order.
  void MakeClosedStore() {
    MakeKilledStore();
    auto engine = Open();
    ASSERT_NE(engine, nullptr);
    ASSERT_TRUE(engine->Close().ok());
  }

  void ExpectSound() {
    const Report report = Check();
    EXPECT_EQ(Text(report.findings), "");
  }

  // Finds the damage, changes nothing; repairs it; then all is sound, and every row that is there
  // is as it was. Returns what was done.
  Report ExpectRepaired(const std::string& path, const std::string& what) {
    const Report found = Check();
    EXPECT_TRUE(Tells(found.findings, path, what)) << Text(found.findings);
    EXPECT_GT(found.faults(), 0u) << Text(found.findings);
    EXPECT_EQ(Text(Check().findings), Text(found.findings)) << "a check changes nothing";
    Report repaired = Check(/*repair=*/true);
    EXPECT_EQ(Text(repaired.remaining), "");
    auto engine = Open();
    if (engine == nullptr) return repaired;
    found_t_ = MustRead(engine.get(), "t");
    found_s_ = MustRead(engine.get(), "s");
    EXPECT_TRUE(engine->Close().ok());
    ExpectSound();
    return repaired;
  }

  static bool TellsLoss(const Report& report, const std::string& what) {
    return std::any_of(report.actions.begin(), report.actions.end(), [&](const auto& action) {
      return action.is_loss && action.what.find(what) != std::string::npos;
    });
  }
  void ExpectNothingLost() {
    EXPECT_EQ(found_t_, t_);
    EXPECT_EQ(found_s_, s_);
  }
  void ExpectRowsAreThere() {
    auto engine = Open();
    ASSERT_NE(engine, nullptr);
    EXPECT_EQ(MustRead(engine.get(), "t"), t_);
    EXPECT_EQ(MustRead(engine.get(), "s"), s_);
    EXPECT_TRUE(engine->Close().ok());
  }
  // Rows may be gone or have lost cells, and no cell came from nowhere.
  void ExpectSomeLost() {
    EXPECT_NE(std::tie(found_t_, found_s_), std::tie(t_, s_));
    for (const auto& [row, cells] : found_t_) {
      ASSERT_TRUE(t_.contains(row)) << row;
      EXPECT_LE(cells.size(), t_[row].size()) << row;
    }
    for (const auto& [row, cells] : found_s_) EXPECT_EQ(cells, s_[row]);
  }

  RegionInfo RegionOf(const std::string& table, const std::string& row) {
    auto engine = Open();
    const auto opened = engine->OpenTable({"default", table});
    for (const RegionInfo& info : (*opened)->regions()) {
      if (info.Contains(row)) return info;
    }
    return {};
  }
  std::string DirectoryOf(const RegionInfo& info) const {
    return "data/default/" + info.table.qualifier + "/" + info.EncodedName();
  }
  void MoveOut(const std::string& path) {
    fs::create_directories(fs::path(base_ + "/out/" + path).parent_path());
    fs::rename(root_ + "/" + path, base_ + "/out/" + path);
  }
  void MoveIn(const std::string& path) { fs::rename(base_ + "/out/" + path, root_ + "/" + path); }

  Content t_, s_;              // as written
  Content found_t_, found_s_;  // after the repair
};

TEST_F(CheckTest, KilledStoreHasNoFault) {
  MakeKilledStore();
  const Report report = Check();
  EXPECT_EQ(report.faults(), 0u) << Text(report.findings);
  EXPECT_GT(report.files, 20u);
  EXPECT_GT(report.bytes, 10000u);
}

TEST_F(CheckTest, ClosedStoreIsSound) {
  MakeClosedStore();
  ExpectSound();
}

// Snapshots, clones of them (links), and clones that were split (references to links).
TEST_F(CheckTest, LinksAreSound) {
  {
    auto engine = Open();
    Admin* const admin = engine->admin();
    CreateTable(engine.get(), "origin", {"f"}, {});
    Fill(engine.get(), "origin", "r", 100);
    ASSERT_TRUE(admin->SnapshotTable("s", {"default", "origin"}, {}).ok());
    ASSERT_TRUE(admin->CloneSnapshot("s", {"default", "clone"}).ok());
    ASSERT_TRUE(admin->CloneSnapshot("s", {"default", "split_clone"}).ok());
    ASSERT_TRUE(admin->SplitTable({"default", "split_clone"}, "r050").ok());
    ASSERT_TRUE(admin->DropTable({"default", "origin"}).ok());
  }
  const Report report = Check();
  EXPECT_EQ(report.faults(), 0u) << Text(report.findings);
  EXPECT_EQ(report.warnings(), 0u) << Text(report.findings);
  Check(/*repair=*/true);
  auto engine = Open();
  for (const char* table : {"clone", "split_clone"}) {
    auto opened = engine->OpenTable({"default", table});
    ASSERT_TRUE(opened.ok());
    auto scanner = (*opened)->OpenScanner({});
    ASSERT_TRUE(scanner.ok());
    size_t rows = 0;
    CellBatch batch;
    do {
      ASSERT_TRUE((*scanner)->Next(1000, &batch).ok());
      rows += batch.row_count();
    } while (batch.row_count() > 0);
    EXPECT_EQ(rows, 100u) << table;
  }
}

TEST_F(CheckTest, HeldStoreIsNotChecked) {
  auto engine = Open();
  const auto report = CheckStore(Env::Default(), root_, {});
  EXPECT_EQ(report.status().code(), StatusCode::kHeld);
  EXPECT_THAT(report.status().message(), ::testing::HasSubstr(std::to_string(::getpid())));
}

TEST_F(CheckTest, OtherDirectoriesAreRefused) {
  EXPECT_EQ(CheckStore(Env::Default(), root_, {}).status().code(), StatusCode::kNotFound);
  fs::create_directories(root_ + "/photos");
  EXPECT_EQ(CheckStore(Env::Default(), root_, {}).status().code(), StatusCode::kFailedPrecondition);
}

// ---- HFiles

TEST_F(CheckTest, DamagedBlockIsSalvaged) {
  MakeClosedStore();
  std::vector<std::string> files = StoreFiles("t");
  const std::string file =
      *std::max_element(files.begin(), files.end(), [&](const auto& left, const auto& right) {
        return ReadFile(left).size() < ReadFile(right).size();
      });
  Flip(file, 300);
  const Report report = ExpectRepaired(file, ":");
  EXPECT_TRUE(TellsLoss(report, "row '"));
  ExpectSomeLost();
  EXPECT_FALSE(Find("corrupt/" + file).empty()) << "the damaged file is kept";
}

TEST_F(CheckTest, EveryStoreFileSurvivesTheLossOfItsTrailer) {
  MakeClosedStore();
  for (const std::string& file : StoreFiles("t")) {
    Bytes content = ReadFile(file);
    content.resize(content.size() - 200);
    WriteFile(file, content);
  }
  ExpectRepaired("data/default/t/", "trailer");
  ExpectNothingLost();
}

TEST_F(CheckTest, FileOfZeros) {
  MakeClosedStore();
  const std::string file = StoreFiles("t").front();
  WriteFile(file, Bytes(9000, '\0'));
  const Report report = ExpectRepaired(file, "trailer");
  EXPECT_TRUE(TellsLoss(report, "all of the file"));
  ExpectSomeLost();
}

TEST_F(CheckTest, RowsOfAnotherRegion) {
  MakeClosedStore();
  const std::string low = DirectoryOf(RegionOf("t", "a"));
  const std::string high = DirectoryOf(RegionOf("t", "n"));
  const auto files = Find(low + "/a/");
  const auto file = std::find_if(files.begin(), files.end(), [](const std::string& path) {
    return path.find("/.") == std::string::npos;
  });
  ASSERT_NE(file, files.end());
  const std::string stray = high + "/a/" + std::string(32, '7');
  WriteFile(stray, ReadFile(*file));
  const Report report = ExpectRepaired(stray, "is not of this region");
  EXPECT_TRUE(TellsLoss(report, "not the region's"));
  ExpectNothingLost();
}

TEST_F(CheckTest, MetaFileIsDamaged) {
  MakeClosedStore();
  const auto files = Find("data/hbase/meta/1588230740/info/");
  const auto file = std::find_if(files.begin(), files.end(), [](const std::string& path) {
    return path.find("/.") == std::string::npos;
  });
  ASSERT_NE(file, files.end());
  Bytes content = ReadFile(*file);
  for (size_t i = 0; i < content.size(); i += 97) content[i] = 'x';
  constexpr size_t kTrailerBytes = 4096;
  content.replace(content.size() - kTrailerBytes, 8, 8, 'x');  // its magic
  WriteFile(*file, content);
  ExpectRepaired(*file, "trailer");
  // The tables came back by their directories.
  ExpectNothingLost();
}

TEST_F(CheckTest, MetaIsGone) {
  MakeClosedStore();
  MoveOut("data/hbase/meta");
  ExpectRepaired("data/hbase/meta", "missing");
  ExpectNothingLost();
}

// ---- the list of files, references, strangers

TEST_F(CheckTest, MissingFileComesBackFromTheArchive) {
  MakeClosedStore();
  const std::string file = StoreFiles("t").front();
  fs::create_directories(fs::path(root_ + "/archive/" + file).parent_path());
  fs::rename(root_ + "/" + file, root_ + "/archive/" + file);
  ExpectRepaired(file, "missing");
  ExpectNothingLost();
}

TEST_F(CheckTest, MissingFileIsGivenUp) {
  MakeClosedStore();
  const std::string file = StoreFiles("t").front();
  MoveOut(file);
  ExpectRepaired(file.substr(0, file.rfind('/')), "is missing (");
  ExpectSomeLost();
}

TEST_F(CheckTest, DamagedListIsMadeAnew) {
  MakeClosedStore();
  std::vector<std::string> lists = Find(".store-files");
  std::erase_if(lists, [](const auto& path) { return path.find("/t/") == std::string::npos; });
  ASSERT_FALSE(lists.empty());
  const std::string list = lists.front();
  Flip(list, 30);
  ExpectRepaired(list, "damaged");
  ExpectNothingLost();
}

std::vector<std::string> References(const std::vector<std::string>& files) {
  std::vector<std::string> references;
  for (const std::string& path : files) {
    const std::string name = path.substr(path.rfind('/') + 1);
    if (name.find('.') == 32) references.push_back(path);
  }
  return references;
}

TEST_F(CheckTest, DamagedReferenceIsWrittenAnew) {
  MakeClosedStore();
  const auto references = References(Find("data/default/s/"));
  ASSERT_EQ(references.size(), 2u);
  for (const std::string& reference : references) Flip(reference, 1);
  ExpectRepaired(references[0], "not a reference");
  ExpectNothingLost();
}

TEST_F(CheckTest, ReferenceToNothing) {
  MakeClosedStore();
  const auto references = References(Find("data/default/s/"));
  ASSERT_EQ(references.size(), 2u);
  const std::string parent = references[0].substr(references[0].rfind('.') + 1);
  MoveOut("data/default/s/" + parent);
  ExpectRepaired(references[0], "neither there nor in the archive");
  EXPECT_TRUE(found_s_.empty());
  EXPECT_EQ(found_t_, t_);
}

TEST_F(CheckTest, StrangersInAStore) {
  MakeClosedStore();
  const std::string store = DirectoryOf(RegionOf("t", "a")) + "/a";
  WriteFile(store + "/notes.txt", "hello");
  fs::create_directories(root_ + "/" + store + "/folder");
  ExpectRepaired(store + "/notes.txt", "not the name of a store file");
  ExpectNothingLost();
  EXPECT_EQ(ReadFile("corrupt/" + store + "/notes.txt"), "hello");
}

TEST_F(CheckTest, LeftoversAreWarnings) {
  MakeClosedStore();
  const std::string region = DirectoryOf(RegionOf("t", "a"));
  WriteFile(region + "/.tmp/a/" + std::string(32, '1'), "half a file");
  WriteFile("oldWALs/server.17", "no log");
  WriteFile("photos/1.jpg", "x");
  const Report report = Check();
  EXPECT_EQ(report.faults(), 0u);
  EXPECT_TRUE(Tells(report.findings, region + "/.tmp/a", "died")) << Text(report.findings);
  EXPECT_TRUE(Tells(report.findings, "oldWALs/server.17", "not a write-ahead log"));
  EXPECT_TRUE(Tells(report.findings, "photos", "left alone"));
  const Report repaired = Check(true);
  EXPECT_EQ(repaired.warnings(), 1u) << Text(repaired.remaining);
}

// A repair moves and adds nothing that it does not understand, and reports all of it.
TEST_F(CheckTest, FilesThatAreNotTheStoresStayWhereTheyAre) {
  MakeClosedStore();
  const std::string region = DirectoryOf(RegionOf("t", "a"));
  const std::vector<std::string> files = {
      "data/plain.txt",
      "data/default/plain.txt",
      "data/default/not a table/x.txt",
      "data/default/onlyfile/c.jpg",
      "data/default/t/foo/x.txt",
      "data/photos/2021/b.jpg",
      region + "/readme.txt",
      region + "/holidays/b.jpg",
      "WALs/readme.txt",
      "WALs/mydir/notes.txt",
      "WALs/mydir/photos/a.jpg",
      "oldWALs/old.log",
  };
  for (const std::string& file : files) WriteFile(file, "mine");
  const Report report = Check(/*repair=*/true);
  EXPECT_EQ(report.faults(), 0u) << Text(report.findings);
  for (const char* path : {"data/plain.txt", "default/plain.txt", "default/not a table", "onlyfile",
                           "t/foo", "photos", "readme.txt", "holidays", "WALs/readme.txt",
                           "mydir/notes.txt", "mydir/photos", "old.log"}) {
    EXPECT_TRUE(Tells(report.findings, path, "left alone")) << path << Text(report.findings);
  }
  EXPECT_TRUE(report.actions.empty());
  for (const std::string& file : files) EXPECT_TRUE(fs::exists(root_ + "/" + file)) << file;
  ExpectRowsAreThere();
  EXPECT_THAT(Open()->admin()->ListNamespaces().value(),
              ::testing::Not(::testing::Contains("photos")));
  // Without hbase:meta, whose tables are then taken from the directories.
  MoveOut("data/hbase/meta");
  EXPECT_EQ(Check(/*repair=*/true).faults(), 0u);
  for (const std::string& file : files) EXPECT_TRUE(fs::exists(root_ + "/" + file)) << file;
  EXPECT_FALSE(fs::exists(root_ + "/data/default/onlyfile/.tabledesc"));
  ExpectRowsAreThere();
}

// ---- regions and hbase:meta

TEST_F(CheckTest, LostRegionInfo) {
  MakeClosedStore();
  const std::string path = DirectoryOf(RegionOf("t", "a")) + "/.regioninfo";
  Flip(path, 12);
  ExpectRepaired(path, "hbase:meta");
  ExpectNothingLost();
  MoveOut(path);
  ExpectRepaired(path, "missing");
  ExpectNothingLost();
}

TEST_F(CheckTest, LostRegionDirectoryBecomesEmpty) {
  MakeClosedStore();
  const std::string region = DirectoryOf(RegionOf("t", "n"));
  MoveOut(region);
  ExpectRepaired(region, "its rows are lost");
  ExpectSomeLost();
  EXPECT_FALSE(found_t_.contains("n000"));
  EXPECT_EQ(found_t_["a000"], t_["a000"]);
}

// Puts rows into hbase:meta or deletes them, as a broken tool would.
void ChangeMeta(const std::string& root, const std::function<void(MutationBatch*)>& change) {
  engine::EngineOptions options;
  options.background_compaction = false;
  engine::EngineCore core(root, options);
  ASSERT_TRUE(core.Open().ok());
  MutationBatch rows;
  change(&rows);
  ASSERT_TRUE(core.WriteCatalog(engine::MetaTableName(), &rows).ok());
  ASSERT_TRUE(core.Close().ok());
}

TEST_F(CheckTest, RegionWithoutRowInMetaIsAdopted) {
  MakeClosedStore();
  const RegionInfo info = RegionOf("t", "n");
  ChangeMeta(root_, [&](MutationBatch* rows) { engine::DeleteRegionRow(rows, info); });
  EXPECT_FALSE(engine::OpenEngine(root_, Options()).ok());
  ExpectRepaired(DirectoryOf(info), "does not know it");
  ExpectNothingLost();
}

TEST_F(CheckTest, HoleIsFilled) {
  MakeClosedStore();
  const RegionInfo info = RegionOf("t", "n");
  ChangeMeta(root_, [&](MutationBatch* rows) { engine::DeleteRegionRow(rows, info); });
  MoveOut(DirectoryOf(info));
  ExpectRepaired("data/hbase/meta", "no region holds the rows 'm' to ''");
  ExpectSomeLost();
  auto engine = Open();
  Fill(engine.get(), "t", "n", 60);
  EXPECT_EQ(MustRead(engine.get(), "t").size(), t_.size() - 20);  // and those of "o" are lost
}

TEST_F(CheckTest, HomelessRegionIsMovedAway) {
  MakeClosedStore();
  const RegionInfo info = RegionOf("t", "n");
  MoveOut(DirectoryOf(info));
  ASSERT_EQ(Check(true).faults(), 0u);  // an empty region is in its place
  ChangeMeta(root_, [&](MutationBatch* rows) {
    engine::DeleteRegionRow(rows, info);
    RegionInfo other = info;
    other.region_id += 1;
    engine::PutRegionRow(rows, other, "localhost,1,1", 1);
  });
  fs::remove_all(root_ + "/" + DirectoryOf(info));
  MoveIn(DirectoryOf(info));
  ExpectRepaired(DirectoryOf(info), "hbase:meta has other regions there");
  EXPECT_FALSE(Find("corrupt/" + DirectoryOf(info)).empty());
}

TEST_F(CheckTest, OverlapWithAnEmptyRegionIsEnded) {
  MakeClosedStore();
  RegionInfo info = RegionOf("t", "n");
  info.region_id += 5;
  info.end_key = "p";
  ChangeMeta(root_,
             [&](MutationBatch* rows) { engine::PutRegionRow(rows, info, "localhost,1,1", 1); });
  ExpectRepaired("data/hbase/meta", "overlap");
  ExpectNothingLost();
}

TEST_F(CheckTest, LostTableRowsAreTakenFromTheDirectory) {
  MakeClosedStore();
  const RegionInfo low = RegionOf("t", "a");
  const RegionInfo high = RegionOf("t", "n");
  ChangeMeta(root_, [&](MutationBatch* rows) {
    engine::DeleteRegionRow(rows, low);
    engine::DeleteRegionRow(rows, high);
    engine::DeleteTableState(rows, {"default", "t"});
  });
  ExpectRepaired(DirectoryOf(low), "does not know it");
  ExpectNothingLost();
}

// What the next opening has to know stays in its place.
TEST_F(CheckTest, ARepairOfMetaKeepsTheNotes) {
  MakeClosedStore();
  const RegionInfo info = RegionOf("t", "a");
  ChangeMeta(root_, [&](MutationBatch* rows) { engine::DeleteRegionRow(rows, info); });
  const Report report = Check(/*repair=*/true);
  EXPECT_FALSE(report.actions.empty());
  EXPECT_TRUE(fs::exists(root_ + "/.bennu.clock"));
  EXPECT_FALSE(fs::exists(root_ + "/corrupt/.bennu.clock"));
  ExpectRowsAreThere();
}

// A clone of 's' that hbase:meta does not know.
std::string MakeUnknownClone(const std::string& root) {
  std::vector<RegionInfo> infos;
  {
    auto engine = engine::OpenEngine(root, {});
    EXPECT_TRUE(engine.ok());
    Admin* const admin = (*engine)->admin();
    EXPECT_TRUE(admin->SnapshotTable("s", {"default", "t"}, {}).ok());
    EXPECT_TRUE(admin->CloneSnapshot("s", {"default", "clone"}).ok());
    infos = (*(*engine)->OpenTable({"default", "clone"}))->regions();
    EXPECT_TRUE((*engine)->Close().ok());
  }
  ChangeMeta(root, [&](MutationBatch* rows) {
    for (const RegionInfo& info : infos) engine::DeleteRegionRow(rows, info);
    engine::DeleteTableState(rows, {"default", "clone"});
  });
  return "data/default/clone";
}

// A clone that died before it was decided is removed by the next opening; a repair leaves it.
TEST_F(CheckTest, CloneThatDied) {
  MakeClosedStore();
  const std::string directory = MakeUnknownClone(root_);
  WriteFile(directory + "/.cloning", "");
  for (const bool repair : {false, true}) {
    const Report report = Check(repair);
    EXPECT_EQ(report.faults(), 0u) << Text(report.findings);
    EXPECT_TRUE(Tells(report.findings, directory, "the next opening removes it"));
  }
  auto engine = Open();
  EXPECT_FALSE(engine->admin()->TableExists({"default", "clone"}).value());
  EXPECT_FALSE(fs::exists(root_ + "/" + directory));
  EXPECT_EQ(MustRead(engine.get(), "t"), t_);
}

// One that was made and whose rows of hbase:meta were lost is kept, and taken in again.
TEST_F(CheckTest, LostRowsOfAClone) {
  MakeClosedStore();
  const std::string directory = MakeUnknownClone(root_);
  Open().reset();
  ExpectRepaired(directory, "does not know it");
  ExpectNothingLost();
  auto engine = Open();
  EXPECT_EQ(MustRead(engine.get(), "clone"), t_);
}

TEST_F(CheckTest, StateWithoutTable) {
  MakeClosedStore();
  ChangeMeta(root_, [&](MutationBatch* rows) {
    engine::PutTableState(rows, {"default", "ghost"}, true);
  });
  ExpectRepaired("data/hbase/meta", "ghost has a state and no region");
  ExpectNothingLost();
}

// Cells that keep the store from opening. What stood there before counts again; without that, what
// the directories say.
TEST_F(CheckTest, CellsOfMetaThatDoNotParse) {
  MakeClosedStore();
  const RegionInfo low = RegionOf("t", "a");
  const RegionInfo high = RegionOf("t", "n");
  const int64_t later = Env::Default()->NowMillis() + 60'000;
  ChangeMeta(root_, [&](MutationBatch* rows) {
    engine::DeleteRegionRow(rows, high);
    rows->StartRow("p4");
    rows->Put("table", "state", "zz");
    rows->StartRow("t");
    rows->Put("table", "state", "zz");
    rows->StartRow(low.RegionName());
    rows->Put("info", "regioninfo", "zz");
    rows->StartRow(high.RegionName());
    rows->Put("info", "regioninfo", "zz", later);  // than the row's deletion
  });
  const auto opened = engine::OpenEngine(root_, Options());
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.status().message().find("bennu check --repair"), std::string::npos);
  const Report repaired = ExpectRepaired("data/hbase/meta", "row 'p4', table:state");
  EXPECT_TRUE(TellsLoss(repaired, "row 'p4', the value of table:state"));
  EXPECT_TRUE(TellsLoss(repaired, "the value of info:regioninfo"));
  ExpectNothingLost();
}

TEST_F(CheckTest, NamespaceWithoutRow) {
  MakeClosedStore();
  fs::create_directories(root_ + "/data/extra");
  const Report report = Check(true);
  EXPECT_TRUE(Tells(report.findings, "data/extra", "hbase:namespace"));
  EXPECT_EQ(Text(report.remaining), "");
  auto engine = Open();
  EXPECT_THAT(engine->admin()->ListNamespaces().value(), ::testing::Contains("extra"));
}

// ---- descriptors

TEST_F(CheckTest, LostDescriptorIsRebuilt) {
  MakeClosedStore();
  MoveOut("data/default/t/.tabledesc");
  EXPECT_FALSE(engine::OpenEngine(root_, Options()).ok());
  ExpectRepaired("data/default/t/.tabledesc", "no table descriptor");
  ExpectNothingLost();
  auto engine = Open();
  const TableDescriptor descriptor = engine->OpenTable({"default", "t"}).value()->descriptor();
  ASSERT_EQ(descriptor.families.size(), 3u);
  EXPECT_EQ(descriptor.families[1].data_block_encoding(), DataBlockEncoding::kFastDiff);
  EXPECT_EQ(descriptor.families[1].compression(), Compression::kGz);
  EXPECT_EQ(descriptor.families[1].bloom_type(), BloomType::kRowCol);
}

// A letter of an option's value: the file still parses.
TEST_F(CheckTest, ChangedDescriptorIsTold) {
  MakeClosedStore();
  const std::string file = Find("data/default/t/.tabledesc/.tableinfo.").front();
  Bytes content = ReadFile(file);
  const size_t at = content.find("1024");
  ASSERT_NE(at, Bytes::npos);
  content[at] = '9';
  WriteFile(file, content);
  EXPECT_EQ(engine::OpenEngine(root_, Options()).status().code(), StatusCode::kCorruption);
  ExpectRepaired("data/default/t/.tabledesc", ".bennu.checksum");
  ExpectNothingLost();
}

// Half a checksum is told, and not taken for none.
TEST_F(CheckTest, ACutChecksumIsTold) {
  for (const size_t length : {size_t{0}, size_t{5}, size_t{26}}) {
    SCOPED_TRACE(length);
    fs::remove_all(root_);
    MakeClosedStore();
    const std::string path = "data/default/t/.tabledesc/.bennu.checksum";
    const Bytes whole = ReadFile(path);
    ASSERT_GT(whole.size(), 26u);
    WriteFile(path, whole.substr(0, length));
    EXPECT_EQ(engine::OpenEngine(root_, Options()).status().code(), StatusCode::kCorruption);
    ExpectRepaired("data/default/t/.tabledesc", ".bennu.checksum");
    ExpectNothingLost();
  }
}

// The newest descriptor is gone, and an older one of HBase's style is there.
TEST_F(CheckTest, ALostDescriptorIsNotReplacedByAnOlderOneInSilence) {
  MakeClosedStore();
  const std::string file = Find("data/default/t/.tabledesc/.tableinfo.").front();
  const Bytes content = ReadFile(file);
  MoveOut(file);
  Bytes older = content;
  const size_t at = older.find("1024");
  ASSERT_NE(at, Bytes::npos);
  older[at] = '9';
  WriteFile("data/default/t/.tabledesc/.tableinfo.0000000000." + std::to_string(older.size()),
            older);
  const Status opened = engine::OpenEngine(root_, Options()).status();
  EXPECT_EQ(opened.code(), StatusCode::kCorruption);
  EXPECT_THAT(opened.message(), ::testing::HasSubstr("which is not there"));
  ExpectRepaired("data/default/t/.tabledesc", "which is not there");
  ExpectNothingLost();
}

// A region of links that a removal, cut off by a power failure, has left without its .regioninfo:
// the opening goes on, so that it is no fault.
TEST_F(CheckTest, ARegionOfLinksWhoseRemovalDied) {
  MakeClosedStore();
  std::string file;  // data/default/t/REGION/a/FILE
  for (const std::string& path : Find("data/default/t/")) {
    const size_t name = path.rfind('/') + 1;
    if (path.find("/a/") == name - 3 && path[name] != '.') file = path;
  }
  ASSERT_FALSE(file.empty());
  const std::string before = file.substr(0, file.rfind("/a/"));
  const std::string region = "data/default/t/" + std::string(32, 'b');
  WriteFile(region + "/a/t=" + before.substr(before.rfind('/') + 1) + "-" +
                file.substr(file.rfind('/') + 1),
            "");
  const Report report = Check();
  EXPECT_EQ(report.faults(), 0u) << Text(report.findings);
  EXPECT_THAT(Text(report.findings), ::testing::HasSubstr(region));
  EXPECT_TRUE(Open()->Close().ok());
  EXPECT_FALSE(fs::exists(root_ + "/" + region));
  // With data of its own it is one.
  WriteFile(region + "/a/" + std::string(32, 'd'), "x");
  EXPECT_GE(Check().faults(), 1u);
}

TEST_F(CheckTest, DescriptorOfAnotherTable) {
  MakeClosedStore();
  fs::remove_all(root_ + "/data/default/t/.tabledesc");
  fs::copy(root_ + "/data/default/s/.tabledesc", root_ + "/data/default/t/.tabledesc");
  ExpectRepaired("data/default/t/.tabledesc", "is that of table s");
  ExpectNothingLost();
}

// ---- the root's files

TEST_F(CheckTest, VersionIdAndNotes) {
  MakeClosedStore();
  WriteFile("hbase.version", "7?");
  WriteFile("hbase.id", "");
  Flip(".bennu.clock", 3);
  const Report report = ExpectRepaired("hbase.version", "not a version file");
  EXPECT_TRUE(Tells(report.findings, "hbase.id", "not a cluster id"));
  EXPECT_TRUE(Tells(report.findings, ".bennu.clock", "damaged"));
  ExpectNothingLost();
}

TEST_F(CheckTest, ReplicationPeers) {
  MakeClosedStore();
  ASSERT_TRUE(engine::WritePeers(Env::Default(), engine::RootLayout(root_), {}).ok());
  EXPECT_TRUE(Check().findings.empty());
  Flip(".bennu.peers", 2);
  ExpectRepaired(".bennu.peers", "the replication peers are damaged");
  ExpectNothingLost();
}

TEST_F(CheckTest, Switches) {
  MakeClosedStore();
  pb::SwitchesFile switches;
  switches.add_switches()->set_name("balancer");
  switches.mutable_switches(0)->set_on(false);
  ASSERT_TRUE(engine::WriteSwitches(Env::Default(), engine::RootLayout(root_), switches).ok());
  EXPECT_TRUE(Check().findings.empty());
  Flip(".bennu.switches", 6);
  ExpectRepaired(".bennu.switches", "the master's switches are damaged");
  ExpectNothingLost();
}

// ---- logs

TEST_F(CheckTest, TornLogIsCut) {
  MakeKilledStore();
  const std::string log = Find("WALs/").front();
  const Bytes content = ReadFile(log);
  WriteFile(log, ByteView(content).substr(0, content.size() - 5));
  const Report report = Check();
  EXPECT_EQ(report.faults(), 0u);
  EXPECT_TRUE(Tells(report.findings, log, "ends within an entry")) << Text(report.findings);
  const Report repaired = Check(true);
  EXPECT_EQ(Text(repaired.remaining), "");
  EXPECT_FALSE(Find("corrupt/" + log + ".tail").empty());
  auto engine = Open();
  EXPECT_EQ(MustRead(engine.get(), "t"), t_) << "the last write was that of a namespace";
}

TEST_F(CheckTest, DamagedLogIsRewritten) {
  MakeKilledStore();
  const std::string log = Find("WALs/").front();
  Bytes content = ReadFile(log);
  const size_t at = content.find("value 5 of c");
  ASSERT_NE(at, Bytes::npos);
  for (size_t i = at - 60; i < at; ++i) content[i] = '\xee';
  WriteFile(log, content);
  EXPECT_FALSE(engine::OpenEngine(root_, Options()).ok());
  const Report report = ExpectRepaired(log, "offset");
  EXPECT_TRUE(TellsLoss(report, "damaged bytes"));
  EXPECT_FALSE(found_t_.contains("c005"));
  EXPECT_EQ(found_t_["c004"], t_["c004"]);
  EXPECT_EQ(found_t_["c006"], t_["c006"]);
}

// A log is whole on the disk before the next one gets entries.
TEST_F(CheckTest, ALogThatEndsBeforeALaterOneBegins) {
  MakeKilledStore();
  const std::string log = Find("WALs/").front();
  const Bytes content = ReadFile(log);
  const size_t dot = log.rfind('.');
  const std::string before =
      log.substr(0, dot + 1) + std::to_string(std::stoll(log.substr(dot + 1)) - 1);
  for (const size_t size : {content.size() / 2, size_t{4}, size_t{0}}) {
    SCOPED_TRACE(size);
    WriteFile(before, ByteView(content).substr(0, size));
    const Report report = Check();
    EXPECT_TRUE(Tells(report.findings, before, "a later log of the same process has entries"))
        << Text(report.findings);
    EXPECT_EQ(report.faults(), 1u) << Text(report.findings);
    const Report repaired = Check(/*repair=*/true);
    EXPECT_EQ(Text(repaired.remaining), "");
    EXPECT_FALSE(Find("corrupt/" + before).empty());
    fs::remove_all(root_ + "/corrupt");
  }
}

// Of the newest log nobody knows how long it was.
TEST_F(CheckTest, TheNewestLogEmptied) {
  MakeKilledStore();
  const std::string log = Find("WALs/").front();
  WriteFile(log, "");
  const Report report = Check();
  EXPECT_TRUE(Tells(report.findings, "WARNING  " + log, "empty, not even a header"))
      << Text(report.findings);
}

TEST_F(CheckTest, OldLogsCutEmptiedAndZeroed) {
  MakeClosedStore();
  const std::string old = Find("oldWALs/").front();
  const Bytes content = ReadFile(old);
  for (const Bytes& damaged : {Bytes(), Bytes(content.size(), '\0'), content.substr(0, 3)}) {
    WriteFile(old, damaged);
    const Report report = Check();
    EXPECT_EQ(report.faults(), 0u);
    EXPECT_TRUE(Tells(report.findings, old, "an old log")) << Text(report.findings);
    EXPECT_EQ(Text(Check(/*repair=*/true).remaining), "");
    EXPECT_FALSE(fs::exists(root_ + "/" + old));
  }
  WriteFile(old, content.substr(0, content.size() - 5));
  const Report report = Check();
  EXPECT_EQ(report.faults(), 0u);
  EXPECT_TRUE(Tells(report.findings, old, "ends within an entry")) << Text(report.findings);
}

// ---- alterations

// What a whole mark names is the next opening's; of a damaged one the checker tells.
TEST_F(CheckTest, MarkOfAnAlteration) {
  MakeClosedStore();
  const engine::RootLayout layout(root_);
  const std::string left = DirectoryOf(RegionOf("t", "a")) + "/gone";
  fs::create_directories(root_ + "/" + left);
  ASSERT_TRUE(engine::WriteAlterationMark(Env::Default(), layout, {"default", "t"}, {"gone"}).ok());
  Report report = Check(/*repair=*/true);
  EXPECT_TRUE(report.actions.empty());
  EXPECT_TRUE(Tells(report.findings, left, "the next opening archives it"))
      << Text(report.findings);
  const std::string mark = "data/default/t/.altering";
  Flip(mark, 1);
  report = Check();
  EXPECT_EQ(report.faults(), 0u);
  EXPECT_TRUE(Tells(report.findings, mark, "is damaged")) << Text(report.findings);
  EXPECT_TRUE(Tells(report.findings, left, "a family that the table does not have"));
  report = Check(/*repair=*/true);
  EXPECT_EQ(Text(report.remaining), "");
  EXPECT_FALSE(Find("corrupt/" + mark).empty());
  EXPECT_FALSE(fs::exists(root_ + "/" + left));
}

// Every path below the root, with the sizes of files.
std::string Listing(const std::string& root) {
  std::vector<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    lines.push_back(entry.path().string() +
                    (entry.is_regular_file() ? " " + std::to_string(entry.file_size()) : ""));
  }
  std::sort(lines.begin(), lines.end());
  return ::testing::PrintToString(lines);
}

// A mistyped directory is refused, and a repair touches nothing in it; worst of all was the folder
// above a store that is called as a part of a store is.
TEST_F(CheckTest, AFolderThatIsNoStoreIsRefusedAndLeftAlone) {
  ASSERT_NO_FATAL_FAILURE(MakeClosedStore());
  const std::string store = base_ + "/data";
  fs::rename(root_, store);
  CheckOptions repair;
  repair.repair = true;
  const auto expect_refused = [&](const std::string& directory, const std::string& message) {
    const std::string before = Listing(base_);
    const auto report = CheckStore(Env::Default(), directory, repair);
    ASSERT_FALSE(report.ok()) << directory;
    EXPECT_EQ(report.status().code(), StatusCode::kFailedPrecondition);
    EXPECT_THAT(report.status().message(), ::testing::HasSubstr(message));
    EXPECT_EQ(Listing(base_), before);
  };
  expect_refused(base_, "neither the file hbase.version nor hbase.id; check " + store + " instead");
  expect_refused(store + "/data", "name the store's own directory");
  // What a repair by a version that took it for a store wrote there.
  fs::copy(store + "/hbase.version", base_ + "/hbase.version");
  expect_refused(base_, "a store begins in its folder data; check " + store + " instead");
  const auto report = CheckStore(Env::Default(), store, repair);
  ASSERT_TRUE(report.ok()) << report.status().ToString();
  EXPECT_EQ(Text(report->findings), "");
}

}  // namespace
}  // namespace bennu::check
