// Snapshots by reference: what they hold, what links keep alive, what the archive lets go of.
#include <functional>
#include <thread>

#include "proto/snapshot.pb.h"
#include "src/api/descriptor_pb.h"
#include "src/base/failpoint.h"
#include "src/base/forwarding_env.h"
#include "src/base/mutex.h"
#include "src/engine/store/file_link.h"
#include "src/engine/store/file_reference.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class SnapshotTest : public EngineFixture {
 protected:
  static EngineOptions Options(int64_t archive_keep_millis = 0) {
    EngineOptions options;
    options.archive_keep_millis = archive_keep_millis;
    options.background_compaction = false;
    options.background_split = false;
    options.wal_sync = WalSync::kOs;
    return options;
  }
  Admin* admin() { return engine_->admin(); }
  void Fill(Table* table, const std::string& prefix, int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(Put(table, prefix + std::to_string(100 + i)).ok());
    }
  }
  void Take(const std::string& name, const std::string& table = "t") {
    const Status status = admin()->SnapshotTable(name, {"default", table}, {});
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  void Clone(const std::string& name, const std::string& table) {
    const Status status = admin()->CloneSnapshot(name, {"default", table});
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  void Drop(const std::string& table) { ASSERT_TRUE(admin()->DropTable({"default", table}).ok()); }
  void Compact(const std::string& table) {
    const Status status = admin()->Compact({"default", table}, true);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  std::vector<std::string> ReadRows(const std::string& table) {
    return Rows(OpenTable(table).get());
  }
  std::vector<std::string> Archived() {
    auto found = Find("/archive/");
    std::erase_if(found, [](const auto& path) { return path.find(".links-") != path.npos; });
    return found;
  }
  // The cleaner looks around twice a second.
  static bool WaitUntil(const std::function<bool()>& done) {
    for (int i = 0; i < 200 && !done(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return done();
  }
  static void LetTheCleanerRun() { std::this_thread::sleep_for(std::chrono::milliseconds(1300)); }
};

TEST(FileLinkTest, Names) {
  const FileLink link{{"default", "a.b-c"}, "0123abcd", "00ff"};
  EXPECT_EQ(MakeLinkName(link), "a.b-c=0123abcd-00ff");
  EXPECT_EQ(ParseLinkName("a.b-c=0123abcd-00ff"), link);
  const FileLink other{{"ns", "t"}, "0123abcd", "00ff_SeqId_12_"};
  EXPECT_EQ(MakeLinkName(other), "ns=t=0123abcd-00ff_SeqId_12_");
  EXPECT_EQ(ParseLinkName(MakeLinkName(other)), other);
  for (const char* name : {"", "00ff", "t=00ff", "t=xyz-00ff", "t=0123-xyz", "=0123-00ff",
                           "t=0123-00ff.4567", "a=b=c=0123-00ff", "00ff.0123"}) {
    EXPECT_FALSE(ParseLinkName(name).has_value()) << name;
  }
  // A reference to a link, as a region of a clone that is split has them.
  const auto reference = ParseReferenceName("ns=t.x=0123abcd-00ff.4567");
  ASSERT_TRUE(reference.has_value());
  EXPECT_EQ(reference->file, "ns=t.x=0123abcd-00ff");
  EXPECT_EQ(reference->parent, "4567");
  EXPECT_FALSE(ParseReferenceName("t.x=0123abcd-00ff").has_value());
  EXPECT_EQ(MakeBackReferenceName({{"ns", "t.x"}, "0123"}), "0123.ns=t.x");
  const auto back = ParseBackReferenceName("0123.ns=t.x");
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->table, (TableName{"ns", "t.x"}));
  EXPECT_EQ(back->region, "0123");
}

// What stands on disk is what HBase reads: names, fields, sizes.
TEST_F(SnapshotTest, FilesAreHBases) {
  Open(Options());
  auto table = CreateTable();
  Fill(table.get(), "a", 10);
  SnapshotOptions options;
  options.ttl_seconds = 3600;
  options.owner = "me";
  ASSERT_TRUE(admin()->SnapshotTable("s-1.x", {"default", "t"}, options).ok());
  pb::SnapshotDescription info;
  Env* const env = Env::Default();
  ASSERT_TRUE(
      info.ParseFromString(env->ReadFile(root_ + "/.hbase-snapshot/s-1.x/.snapshotinfo").value()));
  EXPECT_EQ(info.name(), "s-1.x");
  EXPECT_EQ(info.table(), "t");
  EXPECT_EQ(info.version(), 2);
  EXPECT_EQ(info.type(), pb::SnapshotDescription::FLUSH);
  EXPECT_EQ(info.ttl(), 3600);
  EXPECT_EQ(info.owner(), "me");
  EXPECT_GT(info.creation_time(), 1'600'000'000'000);
  pb::SnapshotDataManifest data;
  ASSERT_TRUE(
      data.ParseFromString(env->ReadFile(root_ + "/.hbase-snapshot/s-1.x/data.manifest").value()));
  EXPECT_EQ(api::DescriptorFromPb(data.table_schema()), table->descriptor());
  ASSERT_EQ(data.region_manifests_size(), 1);
  const auto& region = data.region_manifests(0);
  const RegionInfo region_info = api::RegionInfoFromPb(region.region_info());
  EXPECT_EQ(region_info, table->regions().front());
  ASSERT_EQ(region.family_files_size(), 1);
  EXPECT_EQ(region.family_files(0).family_name(), "f");
  ASSERT_EQ(region.family_files(0).store_files_size(), 1);
  const auto& file = region.family_files(0).store_files(0);
  EXPECT_FALSE(file.has_reference());
  EXPECT_EQ(
      env->FileSize(root_ + "/data/default/t/" + region_info.EncodedName() + "/f/" + file.name())
          .value(),
      file.file_size());

  const auto list = admin()->ListSnapshots().value();
  ASSERT_THAT(list, SizeIs(1));
  EXPECT_EQ(list[0].name, "s-1.x");
  EXPECT_EQ(list[0].table.qualifier, "t");
  EXPECT_EQ(list[0].region_count, 1u);
  EXPECT_EQ(list[0].file_count, 1u);
  EXPECT_EQ(list[0].file_bytes, file.file_size());
  const auto contents = admin()->DescribeSnapshot("s-1.x").value();
  EXPECT_EQ(contents.descriptor, table->descriptor());
  ASSERT_THAT(contents.regions, SizeIs(1));
  EXPECT_EQ(contents.regions[0].files.at(0).name, file.name());
}

TEST_F(SnapshotTest, RefusesWhatHBaseRefuses) {
  Open(Options());
  auto table = CreateTable();
  Take("s");
  const auto code = [&](const std::string& name, const std::string& of) {
    return admin()->SnapshotTable(name, {"default", of}, {}).code();
  };
  EXPECT_EQ(code("s", "t"), StatusCode::kAlreadyExists);
  EXPECT_EQ(code("x", "none"), StatusCode::kNotFound);
  for (const char* name : {"", ".s", "-s", "a/b", "a b", "..", "€", "zookeeper"}) {
    EXPECT_EQ(code(name, "t"), StatusCode::kInvalidArgument) << name;
  }
  EXPECT_EQ(admin()->SnapshotTable("m", {"hbase", "meta"}, {}).code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(admin()->RestoreSnapshot("s").code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(admin()->RestoreSnapshot("none").code(), StatusCode::kNotFound);
  EXPECT_EQ(admin()->DeleteSnapshot("none").code(), StatusCode::kNotFound);
  EXPECT_EQ(admin()->CloneSnapshot("none", {"default", "c"}).code(), StatusCode::kNotFound);
  EXPECT_EQ(admin()->CloneSnapshot("s", {"default", "t"}).code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(admin()->CloneSnapshot("s", {"nowhere", "t"}).code(), StatusCode::kNotFound);
  EXPECT_THAT(admin()->ListSnapshots().value(), SizeIs(1));
}

// Acknowledged before: in it. Afterwards: not.
TEST_F(SnapshotTest, CloneHoldsTheMoment) {
  Open(Options());
  auto table = CreateTable();
  Fill(table.get(), "a", 5);
  Take("s");
  Fill(table.get(), "b", 5);
  Clone("s", "c");
  EXPECT_EQ(ReadRows("c"), (std::vector<std::string>{"a100", "a101", "a102", "a103", "a104"}));
  // Each goes its way.
  auto clone = OpenTable("c");
  ASSERT_TRUE(Put(clone.get(), "z").ok());
  EXPECT_THAT(ReadRows("c"), SizeIs(6));
  EXPECT_THAT(ReadRows("t"), SizeIs(10));
  Open(Options());
  EXPECT_THAT(ReadRows("c"), SizeIs(6));
  EXPECT_THAT(ReadRows("t"), SizeIs(10));
}

// Flushes put the files of one family in place before those of the next. No snapshot is taken
// between the two: a row that was written to both families at once is in both or in none.
TEST_F(SnapshotTest, RowsAreWholeWhileFlushesGoOn) {
  EngineOptions options = Options();
  options.memstore_flush_bytes = 16'000;
  options.background_compaction = true;
  Open(options);
  TableDescriptor descriptor;
  descriptor.name.qualifier = "t";
  descriptor.families.resize(2);
  descriptor.families[0].name = "f";
  descriptor.families[1].name = "g";
  ASSERT_TRUE(admin()->CreateTable(descriptor, {}).ok());
  const auto table = OpenTable();
  const auto write = [&](int from) {
    for (int i = from; i < from + 400; ++i) {
      MutationBatch batch;
      batch.StartRow(std::to_string(100'000 + i));
      batch.Put("f", "q", std::to_string(i));
      batch.Put("g", "q", std::to_string(i));
      const Status status = table->Write(&batch);
      EXPECT_TRUE(status.ok()) << status.ToString();
    }
  };
  for (int round = 0; round < 10; ++round) {
    const std::jthread writer(write, round * 400);
    Take("s");
    Clone("s", "c");
    const auto scanner = OpenTable("c")->OpenScanner({});
    ASSERT_TRUE(scanner.ok());
    CellBatch batch;
    do {
      ASSERT_TRUE((*scanner)->Next(1000, &batch).ok());
      ASSERT_EQ(batch.cells.size(), 2 * batch.row_count());
    } while (batch.row_count() > 0);
    Drop("c");
    ASSERT_TRUE(admin()->DeleteSnapshot("s").ok());
  }
}

TEST_F(SnapshotTest, SkipFlushLeavesMemoryOut) {
  Open(Options());
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "a").ok());
  ASSERT_TRUE(admin()->Flush(table->name()).ok());
  ASSERT_TRUE(Put(table.get(), "b").ok());
  SnapshotOptions options;
  options.skip_flush = true;
  ASSERT_TRUE(admin()->SnapshotTable("s", table->name(), options).ok());
  Clone("s", "c");
  EXPECT_THAT(ReadRows("c"), ElementsAre("a"));
}

// Whatever becomes of the table: its files stay while a snapshot names them or a clone links to
// them, and go when nobody does any more.
TEST_F(SnapshotTest, FilesStayWhileNeededAndNoLonger) {
  Open(Options());
  auto table = CreateTable();
  Fill(table.get(), "a", 5);
  Take("s");
  Fill(table.get(), "b", 5);
  ASSERT_TRUE(admin()->Flush(table->name()).ok());
  Compact("t");
  LetTheCleanerRun();
  EXPECT_THAT(Archived(), SizeIs(1));  // the snapshot's; the other flush is gone
  Clone("s", "c");
  table.reset();
  Drop("t");
  ASSERT_TRUE(admin()->DeleteSnapshot("s").ok());
  LetTheCleanerRun();
  EXPECT_THAT(Archived(), SizeIs(1));  // the clone's
  EXPECT_THAT(ReadRows("c"), SizeIs(5));
  Open(Options());
  LetTheCleanerRun();
  EXPECT_THAT(ReadRows("c"), SizeIs(5));
  // A snapshot of a clone names the link; a clone of that links to the same file.
  Take("s2", "c");
  Clone("s2", "c2");
  Compact("c");
  Drop("c");
  ASSERT_TRUE(admin()->DeleteSnapshot("s2").ok());
  LetTheCleanerRun();
  EXPECT_THAT(ReadRows("c2"), SizeIs(5));
  Compact("c2");
  EXPECT_TRUE(WaitUntil([&] { return Find("/archive/").empty(); })) << Find("/archive/").front();
  EXPECT_TRUE(WaitUntil([&] { return std::filesystem::is_empty(root_ + "/archive/data"); }));
  EXPECT_THAT(ReadRows("c2"), SizeIs(5));
}

// A dropped table's files are there for the time that the option says, as in HBase.
TEST_F(SnapshotTest, DroppedTableIsArchived) {
  Open(Options(3'600'000));
  auto table = CreateTable();
  Fill(table.get(), "a", 5);
  ASSERT_TRUE(admin()->Flush(table->name()).ok());
  table.reset();
  Drop("t");
  EXPECT_FALSE(std::filesystem::exists(root_ + "/data/default/t"));
  LetTheCleanerRun();
  EXPECT_THAT(Archived(), SizeIs(1));
  Open(Options(100));  // the age counts from the drop, not from this start
  EXPECT_TRUE(WaitUntil([&] { return Archived().empty(); }));
}

TEST_F(SnapshotTest, RegionsWithReferences) {
  Open(Options());
  auto table = CreateTable();
  Fill(table.get(), "a", 20);
  Fill(table.get(), "b", 20);
  ASSERT_TRUE(admin()->SplitTable(table->name(), "b").ok());
  ASSERT_TRUE(admin()->SplitTable(table->name(), "a110").ok());  // compacts the lower half first
  Fill(table.get(), "c", 5);
  Take("s");
  const auto contents = admin()->DescribeSnapshot("s").value();
  bool any_reference = false;
  for (const auto& region : contents.regions) {
    for (const auto& file : region.files) {
      any_reference = any_reference || ParseReferenceName(file.name).has_value();
    }
  }
  EXPECT_TRUE(any_reference);
  const auto rows = ReadRows("t");
  ASSERT_THAT(rows, SizeIs(45));
  Clone("s", "c");
  EXPECT_EQ(ReadRows("c"), rows);
  EXPECT_THAT(OpenTable("c")->regions(), SizeIs(3));
  // The origin goes away altogether.
  Compact("t");
  table.reset();
  Drop("t");
  ASSERT_TRUE(admin()->DeleteSnapshot("s").ok());
  LetTheCleanerRun();
  EXPECT_EQ(ReadRows("c"), rows);
  // A split of regions of links makes references to links.
  ASSERT_TRUE(admin()->SplitTable({"default", "c"}, "b110").ok());
  Take("s2", "c");
  Clone("s2", "c2");
  EXPECT_EQ(ReadRows("c2"), rows);
  Compact("c");
  Drop("c");
  ASSERT_TRUE(admin()->DeleteSnapshot("s2").ok());
  LetTheCleanerRun();
  Open(Options());
  EXPECT_EQ(ReadRows("c2"), rows);
  Compact("c2");
  EXPECT_EQ(ReadRows("c2"), rows);
  EXPECT_TRUE(WaitUntil([&] { return Find("/archive/").empty(); }));
}

// Rows, descriptor and regions are those of the snapshot, also after a death right afterwards,
// when the log still has what was written since.
TEST_F(SnapshotTest, RestorePutsAllBack) {
  EngineOptions options = Options();
  options.flush_on_close = false;
  Open(options);
  auto table = CreateTable();
  const TableDescriptor before = table->descriptor();
  Fill(table.get(), "a", 10);
  Take("s");
  Fill(table.get(), "b", 10);
  ASSERT_TRUE(admin()->SplitTable(table->name(), "a105").ok());
  TableDescriptor changed = before;
  changed.families[0].attributes["VERSIONS"] = "7";
  changed.families.resize(2);
  changed.families[1].name = "g";
  ASSERT_TRUE(admin()->AlterTable(changed).ok());
  Fill(table.get(), "c", 10);
  MutationBatch batch;
  batch.StartRow("a100");
  batch.DeleteFamily("f");
  ASSERT_TRUE(table->Write(&batch).ok());
  ASSERT_THAT(ReadRows("t"), SizeIs(29));
  ASSERT_TRUE(admin()->DisableTable(table->name()).ok());
  const Status restored = admin()->RestoreSnapshot("s");
  ASSERT_TRUE(restored.ok()) << restored.ToString();
  EXPECT_THAT(admin()->ListSnapshots().value(), SizeIs(1));  // no failsafe is left
  EXPECT_FALSE(admin()->IsTableEnabled(table->name()).value());
  ASSERT_TRUE(admin()->EnableTable(table->name()).ok());
  const auto check = [&](size_t rows) {
    EXPECT_THAT(ReadRows("t"), SizeIs(rows));
    EXPECT_EQ(OpenTable("t")->descriptor(), before);
    EXPECT_THAT(OpenTable("t")->regions(), SizeIs(1));
  };
  check(10);
  EXPECT_EQ(ReadRows("t").front(), "a100");
  ASSERT_TRUE(Put(table.get(), "z").ok());  // the table that was open works on
  check(11);
  table.reset();
  Open(options);
  check(11);
  LetTheCleanerRun();
  check(11);
  // Again, from the same snapshot.
  ASSERT_TRUE(admin()->DisableTable({"default", "t"}).ok());
  ASSERT_TRUE(admin()->RestoreSnapshot("s").ok());
  ASSERT_TRUE(admin()->EnableTable({"default", "t"}).ok());
  check(10);
}

TEST_F(SnapshotTest, RestoreMakesADroppedTableAgain) {
  Open(Options());
  auto table = CreateTable();
  Fill(table.get(), "a", 10);
  Take("s");
  Fill(table.get(), "b", 10);
  table.reset();
  Drop("t");
  LetTheCleanerRun();
  ASSERT_TRUE(admin()->RestoreSnapshot("s").ok());
  EXPECT_THAT(ReadRows("t"), SizeIs(10));
  Open(Options());
  EXPECT_THAT(ReadRows("t"), SizeIs(10));
}

// An error at any step leaves the table, the catalog and the snapshots as they were, and the next
// attempt succeeds.
TEST_F(SnapshotTest, ErrorsLeaveThingsAsTheyWere) {
  Open(Options());
  auto table = CreateTable();
  Fill(table.get(), "a", 20);
  ASSERT_TRUE(admin()->SplitTable(table->name(), "a110").ok());
  const auto fails = [&](const std::string& point, const std::function<Status()>& act) {
    ASSERT_TRUE(ArmFailpoints(point + "=error@1").ok());
    EXPECT_FALSE(act().ok()) << point;
    ASSERT_TRUE(ArmFailpoints("").ok());
  };
  const auto take = [&] { return admin()->SnapshotTable("s", table->name(), {}); };
  for (const char* point : {"snapshot.after_info", "snapshot.before_rename"}) {
    fails(point, take);
    EXPECT_THAT(admin()->ListSnapshots().value(), IsEmpty()) << point;
  }
  ASSERT_TRUE(take().ok());
  Fill(table.get(), "b", 5);

  const auto clone = [&] { return admin()->CloneSnapshot("s", {"default", "c"}); };
  for (const char* point :
       {"snapshot.clone.back_references", "snapshot.clone.between_links",
        "admin.create.between_regions", "admin.create.before_rename", "admin.create.before_meta"}) {
    fails(point, clone);
    EXPECT_FALSE(admin()->TableExists({"default", "c"}).value()) << point;
    EXPECT_FALSE(std::filesystem::exists(root_ + "/data/default/c")) << point;
  }
  LetTheCleanerRun();  // takes the back references that were left
  EXPECT_THAT(Find(".links-"), IsEmpty());
  ASSERT_TRUE(clone().ok());
  EXPECT_THAT(ReadRows("c"), SizeIs(20));

  ASSERT_TRUE(admin()->DisableTable(table->name()).ok());
  const auto restore = [&] { return admin()->RestoreSnapshot("s"); };
  // Without a failsafe snapshot nothing is done, and no half of it is left.
  for (const char* point :
       {"snapshot.after_info", "snapshot.before_rename", "snapshot.after_rename"}) {
    fails(point, restore);
    EXPECT_THAT(admin()->ListSnapshots().value(), SizeIs(1)) << point;
    EXPECT_THAT(Find("hbase-failsafe-"), IsEmpty()) << point;
    EXPECT_THAT(Find(".restoring"), IsEmpty()) << point;
    ASSERT_TRUE(admin()->EnableTable(table->name()).ok());
    EXPECT_THAT(ReadRows("t"), SizeIs(25)) << point;
    ASSERT_TRUE(admin()->DisableTable(table->name()).ok());
  }
  for (const char* point : {"restore.after_failsafe", "snapshot.clone.between_links",
                            "restore.between_regions", "restore.before_meta"}) {
    fails(point, restore);
    ASSERT_TRUE(admin()->EnableTable(table->name()).ok());
    EXPECT_THAT(ReadRows("t"), SizeIs(25)) << point;
    ASSERT_TRUE(Put(table.get(), "b100", point).ok());  // and it takes writes
    ASSERT_TRUE(admin()->DisableTable(table->name()).ok());
  }
  ASSERT_TRUE(restore().ok());
  ASSERT_TRUE(admin()->EnableTable(table->name()).ok());
  EXPECT_THAT(ReadRows("t"), SizeIs(20));
  // The failsafe snapshots of attempts that failed are gone, but where that was all that was done.
  EXPECT_THAT(admin()->ListSnapshots().value(), SizeIs(2));
  fails("snapshot.delete.after_rename", [&] { return admin()->DeleteSnapshot("s"); });
  EXPECT_THAT(admin()->ListSnapshots().value(), SizeIs(1));
  table.reset();
  Open(Options());
  EXPECT_THAT(ReadRows("t"), SizeIs(20));
  EXPECT_THAT(ReadRows("c"), SizeIs(20));
}

TEST_F(SnapshotTest, TimeToLive) {
  Open(Options());
  auto table = CreateTable();
  SnapshotOptions options;
  options.ttl_seconds = 1;
  ASSERT_TRUE(admin()->SnapshotTable("short", table->name(), options).ok());
  Take("long");
  EXPECT_TRUE(WaitUntil([&] { return admin()->ListSnapshots().value().size() == 1; }));
  EXPECT_EQ(admin()->ListSnapshots().value()[0].name, "long");
}

// A lost or shortened file is told, with its name, and nothing is made.
TEST_F(SnapshotTest, CloneTellsLostFiles) {
  Open(Options());
  auto table = CreateTable();
  Fill(table.get(), "a", 10);
  Take("s");
  table.reset();
  Drop("t");
  const auto files = Archived();
  ASSERT_THAT(files, SizeIs(1));
  const auto refused = [&](const std::string& word) {
    const Status status = admin()->CloneSnapshot("s", {"default", "c"});
    EXPECT_EQ(status.code(), StatusCode::kCorruption);
    EXPECT_THAT(status.message(), HasSubstr(word));
    EXPECT_FALSE(admin()->TableExists({"default", "c"}).value());
    EXPECT_FALSE(std::filesystem::exists(root_ + "/data/default/c"));
  };
  std::filesystem::rename(files[0], files[0] + ".away");
  refused(files[0].substr(files[0].rfind('/') + 1));
  std::filesystem::rename(files[0] + ".away", files[0]);
  const auto size = std::filesystem::file_size(files[0]);
  std::filesystem::resize_file(files[0], size - 1);
  refused("bytes");
  std::filesystem::resize_file(files[0], size);
  refused("");  // its trailer is damaged: found when the clone's region is opened
}

// A snapshot that cannot be read: nothing in the archive is deleted, since it may be needed.
TEST_F(SnapshotTest, DamagedSnapshotKeepsTheArchive) {
  Open(Options());
  CreateTable("other");
  Take("whole", "other");
  const std::string manifest = root_ + "/.hbase-snapshot/s/data.manifest";
  const std::string info = root_ + "/.hbase-snapshot/s/.snapshotinfo";
  for (const auto& damage : std::vector<std::function<void()>>{
           [&] { ASSERT_TRUE(Env::Default()->WriteFileAtomically(manifest, "nonsense").ok()); },
           [&] { ASSERT_TRUE(std::filesystem::remove(manifest)); },
           [&] { ASSERT_TRUE(std::filesystem::remove(info)); }}) {
    auto table = CreateTable();
    Fill(table.get(), "a", 10);
    Take("s");
    table.reset();
    Drop("t");
    damage();
    LetTheCleanerRun();
    EXPECT_THAT(Archived(), SizeIs(1));
    const Status described = admin()->DescribeSnapshot("s").status();
    EXPECT_EQ(described.code(), StatusCode::kCorruption);
    EXPECT_THAT(described.message(), HasSubstr("delete the snapshot"));
    // The others are listed.
    const auto listed = admin()->ListSnapshots();
    ASSERT_TRUE(listed.ok()) << listed.status().ToString();
    ASSERT_THAT(*listed, SizeIs(1));
    EXPECT_EQ(listed->front().name, "whole");
    ASSERT_TRUE(admin()->DeleteSnapshot("s").ok());
    EXPECT_TRUE(WaitUntil([&] { return Archived().empty(); }));
  }
}

// Directories that cannot be listed now and then.
class ListingEnv final : public ForwardingEnv {
 public:
  ListingEnv() : ForwardingEnv(Env::Default()) {}
  // Every other listing of a directory with 'part' in its path fails.
  void FailEveryOther(const std::string& part) {
    MutexLock lock(&mu_);
    part_ = part;
  }
  Result<std::vector<std::string>> ListDirectory(const std::string& path) override {
    {
      MutexLock lock(&mu_);
      if (!part_.empty() && path.find(part_) != path.npos && ++count_ % 2 == 0) {
        return IoError("list " + path + ": too many open files");
      }
    }
    return ForwardingEnv::ListDirectory(path);
  }

 private:
  Mutex mu_;
  std::string part_ GUARDED_BY(mu_);
  int count_ GUARDED_BY(mu_) = 0;
};

// That nothing is seen is no sign that nothing is there.
TEST_F(SnapshotTest, AListingThatFailsKeepsTheArchive) {
  ListingEnv env;
  EngineOptions options = Options();
  options.env = &env;
  Open(options);
  auto table = CreateTable();
  Fill(table.get(), "a", 10);
  Take("s");
  Clone("s", "c");
  table.reset();
  Drop("t");
  env.FailEveryOther(".links-");
  ASSERT_TRUE(admin()->DeleteSnapshot("s").ok());
  LetTheCleanerRun();
  EXPECT_THAT(Archived(), SizeIs(1));
  env.FailEveryOther("");
  LetTheCleanerRun();
  EXPECT_THAT(Archived(), SizeIs(1));
  EXPECT_THAT(ReadRows("c"), SizeIs(10));
  engine_.reset();  // before its environment
}

// Letters that HBase takes, in every name that stands on disk.
TEST_F(SnapshotTest, NamesOfAnyLanguage) {
  Open(Options());
  ASSERT_TRUE(admin()->CreateNamespace("ню").ok());
  const TableName name{"ню", "таблица"};
  TableDescriptor descriptor;
  descriptor.name = name;
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  ASSERT_TRUE(admin()->CreateTable(descriptor, {"m"}).ok());
  Fill(engine_->OpenTable(name)->get(), "a", 10);
  ASSERT_TRUE(admin()->SnapshotTable("снимок", name, {}).ok());
  ASSERT_TRUE(admin()->CloneSnapshot("снимок", {"default", "表"}).ok());
  ASSERT_TRUE(admin()->DropTable(name).ok());
  ASSERT_TRUE(admin()->DeleteSnapshot("снимок").ok());
  LetTheCleanerRun();
  Open(Options());
  LetTheCleanerRun();
  EXPECT_THAT(ReadRows("表"), SizeIs(10));
  ASSERT_TRUE(admin()->Compact({"default", "表"}, true).ok());
  EXPECT_TRUE(WaitUntil([&] { return Archived().empty(); }));
  EXPECT_THAT(ReadRows("表"), SizeIs(10));
}

// Into a store that has given out fewer sequence ids than the files hold.
TEST_F(SnapshotTest, ExportedSnapshotIsClonedElsewhere) {
  Open(Options());
  auto table = CreateTable();
  for (int i = 0; i < 50; ++i) Fill(table.get(), "a", 10);
  Take("s");
  const std::string other = base_ + "/other";
  ASSERT_TRUE(admin()->ExportSnapshot("s", other).ok());
  EXPECT_EQ(admin()->ExportSnapshot("s", other).code(), StatusCode::kAlreadyExists);
  const auto rows = ReadRows("t");
  table.reset();
  Drop("t");
  ASSERT_TRUE(admin()->DeleteSnapshot("s").ok());
  LetTheCleanerRun();
  root_ = other;
  Open(Options());
  LetTheCleanerRun();
  ASSERT_TRUE(admin()->RestoreSnapshot("s").ok());
  EXPECT_EQ(ReadRows("t"), rows);
  ASSERT_TRUE(Put(OpenTable("t").get(), "a100", "newer").ok());
  Get get;
  get.row = "a100";
  EXPECT_EQ(OpenTable("t")->GetRow(get)->cells.at(0).value_view(), "newer");
  Open(Options());
  EXPECT_EQ(ReadRows("t"), rows);
}

// The regions of a table that hbase:meta knows, and beside them one that it does not: as after a
// death between the steps of a change. Its files go to the archive, and the table is whole.
TEST_F(SnapshotTest, OrphanRegionIsArchived) {
  Open(Options(3'600'000));
  auto table = CreateTable();
  Fill(table.get(), "a", 10);
  ASSERT_TRUE(admin()->Flush(table->name()).ok());
  RegionInfo orphan = table->regions().front();
  const std::string known = root_ + "/data/default/t/" + orphan.EncodedName();
  orphan.region_id -= 1;
  const std::string place = root_ + "/data/default/t/" + orphan.EncodedName();
  table.reset();
  engine_.reset();
  const auto copy = [&](const RegionInfo& info) {
    std::filesystem::copy(known, place, std::filesystem::copy_options::recursive);
    ASSERT_TRUE(Env::Default()
                    ->WriteFileAtomically(place + "/.regioninfo", api::EncodeRegionInfoFile(info))
                    .ok());
  };
  // Not its own .regioninfo: left alone.
  RegionInfo wrong = orphan;
  wrong.region_id -= 1;
  copy(wrong);
  Open(Options(3'600'000));
  EXPECT_TRUE(std::filesystem::exists(place));
  engine_.reset();
  std::filesystem::remove_all(place);
  copy(orphan);
  // A store that is only read changes nothing.
  EngineOptions reading = Options();
  reading.read_only = true;
  Open(reading);
  EXPECT_TRUE(std::filesystem::exists(place));
  // hbase:meta's own region has gone: who knows which of them is right.
  engine_.reset();
  std::filesystem::rename(known, known + "x");
  EXPECT_EQ(OpenEngine(root_, Options(3'600'000)).status().code(), StatusCode::kCorruption);
  EXPECT_TRUE(std::filesystem::exists(place));
  std::filesystem::rename(known + "x", known);
  Open(Options(3'600'000));
  EXPECT_FALSE(std::filesystem::exists(place));
  EXPECT_THAT(Find("/archive/data/default/t/" + orphan.EncodedName() + "/f/"), SizeIs(1));
  EXPECT_THAT(ReadRows("t"), SizeIs(10));
}

}  // namespace
}  // namespace bennu::engine
