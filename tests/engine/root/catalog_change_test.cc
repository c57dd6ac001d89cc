// Changes of tables that fail on their way, with an error and not with the death of the process:
// what the process goes on with is what the next opening finds. And what users may write to the
// catalog's own tables.
#include <fmt/format.h>
#include <sys/resource.h>

#include <functional>
#include <thread>

#include "bennu/admin.h"
#include "src/base/failpoint.h"
#include "src/base/fault_env.h"
#include "src/engine/admin/admin.h"
#include "src/engine/core/engine_core.h"
#include "src/engine/directory/meta_rows.h"
#include "tests/engine/root/engine_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CatalogChangeTest : public EngineFixture {
 protected:
  void TearDown() override {
    EXPECT_TRUE(ArmFailpoints("").ok());
    EngineFixture::TearDown();
  }

  EngineOptions Options() {
    EngineOptions options;
    options.env = &env_;
    options.background_compaction = false;
    options.background_split = false;
    options.wal_sync = WalSync::kOs;
    return options;
  }
  static TableDescriptor Describe(const std::string& name, const std::vector<std::string>& families,
                                  const std::string& versions = "1") {
    TableDescriptor descriptor;
    descriptor.name.qualifier = name;
    for (const std::string& family : families) {
      descriptor.families.emplace_back().name = family;
      descriptor.families.back().attributes["VERSIONS"] = versions;
    }
    return descriptor;
  }
  Status Create(const std::string& name) {
    return engine_->admin()->CreateTable(Describe(name, {"f", "g"}), {"d", "m"});
  }
  static Status PutTo(Table* table, const std::string& family, const std::string& row) {
    MutationBatch batch;
    batch.StartRow(row);
    batch.Put(family, "q", "v");
    return table->Write(&batch);
  }
  static std::vector<std::string> Cells(Table* table) {
    std::vector<std::string> cells;
    auto scanner = table->OpenScanner({});
    EXPECT_TRUE(scanner.ok()) << scanner.status().ToString();
    if (!scanner.ok()) return cells;
    CellBatch batch;
    do {
      EXPECT_TRUE((*scanner)->Next(1000, &batch).ok());
      for (const Cell& cell : batch.cells) {
        cells.push_back(Bytes(cell.row()) + "/" + Bytes(cell.family()));
      }
    } while (batch.row_count() > 0);
    return cells;
  }
  void ExpectSameAfterReopening(const std::string& where) {
    auto table = OpenTable();
    ASSERT_NE(table, nullptr) << where;
    const TableDescriptor descriptor = table->descriptor();
    // Whatever families there are now, what is acknowledged stays.
    for (const char* family : {"f", "g", "h"}) {
      for (const char* row : {"a", "k", "z"}) static_cast<void>(PutTo(table.get(), family, row));
    }
    const auto cells = Cells(table.get());
    EXPECT_THAT(cells, Contains("k/f"));
    table.reset();
    Open(Options());
    table = OpenTable();
    ASSERT_NE(table, nullptr) << where;
    EXPECT_EQ(table->descriptor(), descriptor) << where;
    EXPECT_EQ(Cells(table.get()), cells) << where;
  }

  FaultInjectionEnv env_{Env::Default()};
};

// ---- alter

TEST_F(CatalogChangeTest, AnAlterationThatFailsAtAPointIsDoneOrUndone) {
  Open(Options());
  ASSERT_TRUE(Create("t").ok());
  int version = 1;
  for (const char* point : {"root.tableinfo.before_remove", "admin.alter.before_descriptor",
                            "admin.alter.after_descriptor", "admin.alter.between_removals"}) {
    for (const std::vector<std::string>& families :
         {std::vector<std::string>{"f"}, {"f", "g"}, {"f", "h"}, {"f", "g"}}) {
      ASSERT_TRUE(ArmFailpoints(std::string(point) + "=error@1").ok());
      const TableDescriptor wanted = Describe("t", families, std::to_string(++version));
      const Status status = engine_->admin()->AlterTable(wanted);
      ASSERT_TRUE(ArmFailpoints("").ok());
      EXPECT_EQ(OpenTable()->descriptor() == wanted, status.ok()) << point;
      EXPECT_FALSE(engine_->GetStatus().read_only) << point;
      ExpectSameAfterReopening(point);
      ASSERT_FALSE(HasFailure()) << point;
    }
  }
}

// What the alteration added in vain is gone at once; what it could not remove, at the next opening.
TEST_F(CatalogChangeTest, AnAlterationLeavesNoFamilyBehind) {
  const auto directories_of = [&](const std::string& family) {
    int count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root_ + "/data")) {
      if (entry.is_directory() && entry.path().filename() == family) ++count;
    }
    return count;
  };
  Open(Options());
  ASSERT_TRUE(Create("t").ok());
  const int regions = directories_of("g");
  ASSERT_GT(regions, 0);
  ASSERT_TRUE(ArmFailpoints("admin.alter.before_descriptor=error@1").ok());
  EXPECT_FALSE(engine_->admin()->AlterTable(Describe("t", {"f", "g", "h"})).ok());
  EXPECT_EQ(directories_of("h"), 0);
  ASSERT_TRUE(ArmFailpoints("admin.alter.between_removals=error@1").ok());
  EXPECT_TRUE(engine_->admin()->AlterTable(Describe("t", {"f"})).ok());
  ASSERT_TRUE(ArmFailpoints("").ok());
  EXPECT_EQ(directories_of("g"), regions - 1);
  EXPECT_THAT(Find(".altering"), Not(IsEmpty()));
  // Another alteration remembers it.
  ASSERT_TRUE(ArmFailpoints("admin.alter.between_removals=error@1").ok());
  EXPECT_TRUE(engine_->admin()->AlterTable(Describe("t", {"f", "k"})).ok());
  ASSERT_TRUE(ArmFailpoints("").ok());
  Open(Options());
  EXPECT_EQ(directories_of("g"), 0);
  EXPECT_EQ(directories_of("k"), regions);
  EXPECT_THAT(Find(".altering"), IsEmpty());
}

// A namespace whose creation died before its row; one that holds something is left alone.
TEST_F(CatalogChangeTest, AnEmptyNamespaceThatNobodyKnowsIsRemoved) {
  Open(Options());
  ASSERT_TRUE(engine_->admin()->CreateNamespace("known").ok());
  engine_.reset();
  std::filesystem::create_directories(root_ + "/data/unknown");
  std::filesystem::create_directories(root_ + "/data/full/something");
  Open(Options());
  EXPECT_FALSE(std::filesystem::exists(root_ + "/data/unknown"));
  EXPECT_TRUE(std::filesystem::exists(root_ + "/data/known"));
}

// Atomic writes that died have left their files; the name that they are for is not touched.
TEST_F(CatalogChangeTest, TemporaryFilesAreRemoved) {
  Open(Options());
  ASSERT_TRUE(Create("t").ok());
  engine_.reset();
  const std::string table = root_ + "/data/default/t";
  const std::vector<std::string> left = {
      root_ + "/.bennu.clock.tmp-1-2", root_ + "/hbase.version.tmp-1-2",
      table + "/.dropping.tmp-7-0", table + "/.tabledesc/.tableinfo.0000000002.9.tmp-7-1",
      root_ + "/data/hbase/meta/.tabledesc/.bennu.checksum.tmp-7-1"};
  for (const std::string& path : left) {
    ASSERT_TRUE(Env::Default()->WriteFileAtomically(path, "").ok());
  }
  Open(Options());
  EXPECT_THAT(Find(".tmp-"), IsEmpty());
  EXPECT_TRUE(OpenTable() != nullptr);
}

TEST_F(CatalogChangeTest, AnAlterationWhoseCallsFailIsDoneOrUndone) {
  Open(Options());
  ASSERT_TRUE(Create("t").ok());
  using Fail = void (FaultInjectionEnv::*)(uint64_t);
  bool with_g = true;
  for (const Fail fail : {&FaultInjectionEnv::FailWrites, &FaultInjectionEnv::FailSyncs,
                          &FaultInjectionEnv::FailDirectorySyncs}) {
    int failures = 0;
    for (uint64_t n = 1; n <= 5; ++n) {
      (env_.*fail)(n);
      const TableDescriptor wanted =
          with_g ? Describe("t", {"f"}, std::to_string(n)) : Describe("t", {"f", "g"});
      const Status status = engine_->admin()->AlterTable(wanted);
      env_.ClearFaults();
      if (!status.ok()) ++failures;
      if (status.ok()) with_g = !with_g;
      EXPECT_EQ(OpenTable()->descriptor() == wanted, status.ok()) << n;
      ExpectSameAfterReopening("call " + std::to_string(n));
      ASSERT_FALSE(HasFailure()) << n;
    }
    EXPECT_GT(failures, 0);
  }
}

// Neither done nor undone: no write is taken that the next opening would not know.
TEST_F(CatalogChangeTest, RegionsThatCanNotFollowEndAllWrites) {
  Open(Options());
  ASSERT_TRUE(Create("t").ok());
  ASSERT_TRUE(PutTo(OpenTable().get(), "g", "k").ok());
  ASSERT_TRUE(ArmFailpoints("admin.alter.between_regions=error@1").ok());
  EXPECT_FALSE(engine_->admin()->AlterTable(Describe("t", {"f"})).ok());
  ASSERT_TRUE(ArmFailpoints("").ok());
  EXPECT_TRUE(engine_->GetStatus().read_only);
  EXPECT_THAT(engine_->GetStatus().read_only_reason, HasSubstr("reopen the store"));
  EXPECT_FALSE(PutTo(OpenTable().get(), "g", "k").ok());
  Open(Options());
  EXPECT_EQ(OpenTable()->descriptor(), Describe("t", {"f"}));
  EXPECT_TRUE(PutTo(OpenTable().get(), "f", "k").ok());
}

// ---- create and drop

TEST_F(CatalogChangeTest, ACreationThatFailedCanBeTriedAgain) {
  Open(Options());
  for (const char* point : {"admin.create.between_regions", "admin.create.before_rename",
                            "admin.create.after_dir", "admin.create.before_meta"}) {
    ASSERT_TRUE(ArmFailpoints(std::string(point) + "=error@1").ok());
    EXPECT_FALSE(Create("t").ok()) << point;
    ASSERT_TRUE(ArmFailpoints("").ok());
    EXPECT_THAT(Find("data/default/t/"), IsEmpty()) << point;
    Status again = Create("t");
    ASSERT_TRUE(again.ok()) << point << ": " << again.ToString();
    ASSERT_TRUE(PutTo(OpenTable().get(), "f", "a").ok());
    ASSERT_TRUE(engine_->admin()->DropTable({"default", "t"}).ok());
  }
  for (uint64_t n = 1; n <= 9; ++n) {
    env_.FailDirectorySyncs(n);
    const Status status = Create("t");
    env_.ClearFaults();
    if (!status.ok()) {
      const Status again = Create("t");
      ASSERT_TRUE(again.ok()) << n << ": " << again.ToString();
    }
    ASSERT_TRUE(engine_->admin()->DropTable({"default", "t"}).ok());
  }
}

TEST_F(CatalogChangeTest, ADropThatFailsBeforeItIsDecidedLeavesNoMark) {
  Open(Options());
  ASSERT_TRUE(Create("t").ok());
  ASSERT_TRUE(PutTo(OpenTable().get(), "f", "a").ok());
  ASSERT_TRUE(ArmFailpoints("admin.drop.after_mark=error@1").ok());
  EXPECT_FALSE(engine_->admin()->DropTable({"default", "t"}).ok());
  ASSERT_TRUE(ArmFailpoints("").ok());
  EXPECT_THAT(Find(std::string(kDroppingMark)), IsEmpty());
  EXPECT_THAT(Cells(OpenTable().get()), ElementsAre("a/f"));
}

TEST_F(CatalogChangeTest, ADropWhoseFilesStayIsFinishedByTheNextCreation) {
  Open(Options());
  for (const char* point : {"admin.drop.before_remove", "archive.between_files"}) {
    ASSERT_TRUE(Create("t").ok());
    ASSERT_TRUE(PutTo(OpenTable().get(), "f", "a").ok());
    ASSERT_TRUE(PutTo(OpenTable().get(), "f", "k").ok());
    ASSERT_TRUE(engine_->admin()->Flush({"default", "t"}).ok());
    ASSERT_TRUE(ArmFailpoints(std::string(point) + "=error@1").ok());
    const Status dropped = engine_->admin()->DropTable({"default", "t"});
    EXPECT_TRUE(dropped.ok()) << dropped.ToString();
    ASSERT_TRUE(ArmFailpoints("").ok());
    EXPECT_FALSE(engine_->OpenTable({"default", "t"}).ok());
    const Status again = Create("t");
    ASSERT_TRUE(again.ok()) << point << ": " << again.ToString();
    EXPECT_THAT(Cells(OpenTable().get()), IsEmpty());
    ASSERT_TRUE(engine_->admin()->DropTable({"default", "t"}).ok());
  }
}

TEST_F(CatalogChangeTest, ADropWhoseFilesStayIsFinishedInTheBackground) {
  Open(Options());
  ASSERT_TRUE(Create("t").ok());
  ASSERT_TRUE(PutTo(OpenTable().get(), "f", "a").ok());
  ASSERT_TRUE(engine_->admin()->Flush({"default", "t"}).ok());
  ASSERT_TRUE(ArmFailpoints("admin.drop.before_remove=error@1").ok());
  ASSERT_TRUE(engine_->admin()->DropTable({"default", "t"}).ok());
  ASSERT_TRUE(ArmFailpoints("").ok());
  EXPECT_TRUE(Eventually([&] { return !std::filesystem::exists(root_ + "/data/default/t"); }));
  EXPECT_THAT(Find("archive/data/default/t/"), Not(IsEmpty()));
}

// ---- what is asked of a table

TEST_F(CatalogChangeTest, ADisabledTableIsNotFlushedCompactedOrSplit) {
  Open(Options());
  ASSERT_TRUE(Create("t").ok());
  const TableName name = {"default", "t"};
  Admin* const admin = engine_->admin();
  ASSERT_TRUE(admin->DisableTable(name).ok());
  const auto regions = OpenTable()->regions();
  for (const Status& status :
       {admin->Flush(name), admin->Compact(name, true), admin->SplitTable(name, Bytes("e")),
        admin->SplitRegion(regions[0].EncodedName(), Bytes("b")),
        admin->MergeRegions({regions[0].EncodedName(), regions[1].EncodedName()})}) {
    EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
    EXPECT_THAT(status.message(), HasSubstr("table t is disabled; enable it first"));
  }
  ASSERT_TRUE(admin->EnableTable(name).ok());
  EXPECT_TRUE(admin->Compact(name, true).ok());
}

// As in HBase a disabled table's regions are closed, so that they hold no files. What they are like
// is still told, reads that had begun go on, nothing is lost, and the log is kept for what is
// written after the table is enabled again.
TEST_F(CatalogChangeTest, ADisabledTableHasNoOpenRegions) {
  Open(Options());
  ASSERT_TRUE(Create("t").ok());
  const TableName name = {"default", "t"};
  Admin* const admin = engine_->admin();
  auto table = OpenTable();
  for (const char* row : {"a", "e", "z"}) ASSERT_TRUE(PutTo(table.get(), "f", row).ok());
  auto scanner = table->OpenScanner({}).value();
  ASSERT_TRUE(admin->DisableTable(name).ok());
  auto regions = admin->ListRegions(name).value();
  ASSERT_EQ(regions.size(), 3u);
  for (const RegionStatus& region : regions) {
    EXPECT_FALSE(region.open);
    EXPECT_EQ(region.store_files, 1u);
    EXPECT_EQ(region.stores, 2u);
    EXPECT_GT(region.file_bytes, 0u);
  }
  CellBatch batch;
  size_t rows = 0;
  do {
    ASSERT_TRUE(scanner->Next(1, &batch).ok());
    rows += batch.row_count();
  } while (batch.row_count() > 0);
  EXPECT_EQ(rows, 3u);
  scanner.reset();
  ASSERT_TRUE(admin->EnableTable(name).ok());
  EXPECT_EQ(Cells(table.get()).size(), 3u);
  ASSERT_TRUE(PutTo(table.get(), "g", "b").ok());
  ASSERT_TRUE(engine_->RollLog().ok());
  // What a process that is killed leaves.
  const std::string copy = base_ + "/copy";
  std::filesystem::copy(root_, copy, std::filesystem::copy_options::recursive);
  auto killed = OpenEngine(copy, Options());
  ASSERT_TRUE(killed.ok()) << killed.status().ToString();
  EXPECT_THAT(Cells((*killed)->OpenTable(name).value().get()),
              ElementsAre("a/f", "b/g", "e/f", "z/f"));
}

// Each flushed region has an open file until it is closed: they are closed as they are flushed.
TEST_F(CatalogChangeTest, ManyRegionsAreDisabledWithFewFiles) {
  constexpr int kRegions = 160;
  Open(Options());
  std::vector<Bytes> splits;
  for (int i = 1; i < kRegions; ++i) splits.push_back(fmt::format("{:04}", i));
  ASSERT_TRUE(engine_->admin()->CreateTable(Describe("t", {"f"}), splits).ok());
  auto table = OpenTable();
  MutationBatch batch;
  for (int i = 0; i < kRegions; ++i) {
    batch.StartRow(fmt::format("{:04}", i));
    batch.Put("f", "q", "v");
  }
  ASSERT_TRUE(table->Write(&batch).ok());
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 140;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const Status disabled = engine_->admin()->DisableTable({"default", "t"});
  EXPECT_TRUE(disabled.ok()) << disabled.ToString();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(engine_->admin()->EnableTable({"default", "t"}).ok());
  EXPECT_EQ(Cells(table.get()).size(), static_cast<size_t>(kRegions));
}

// The answer to who asks for a compaction comes when the old files are gone, though a change of the
// region ends the first try.
TEST_F(CatalogChangeTest, ACompactionThatAChangeEndsIsTriedAgain) {
  EngineCore core(root_, Options());
  ASSERT_TRUE(core.Open().ok());
  EngineAdmin admin(&core);
  ASSERT_TRUE(admin.EnsureNamespaces().ok());
  const TableDescriptor descriptor = Describe("t", {"f"});
  ASSERT_TRUE(admin.CreateTable(descriptor, {}).ok());
  const auto region = (*core.FindTable(descriptor.name))->regions()->front();
  for (const char* row : {"a", "b"}) {
    MutationBatch batch;
    batch.StartRow(row);
    batch.Put("f", "q", "v");
    WaitedCompletion completion(core.services.wal);
    RegionWrite write(&core.mvcc, &completion, /*is_attended=*/true);
    const uint32_t rows[] = {0};
    ASSERT_TRUE(region->writer()->Write(&batch, rows, &write, nullptr).ok());
    ASSERT_TRUE(completion.Wait().ok());
    ASSERT_TRUE(admin.Flush(descriptor.name).ok());
  }
  Status asked(StatusCode::kAborted, "not asked yet");
  std::thread asker;
  {
    MutexLock change(&core.ddl_mu);
    region->Settle();
    EXPECT_EQ(region->compactor()->Compact(/*major=*/true).code(), StatusCode::kCancelled);
    asker = std::thread([&] { asked = admin.Compact(descriptor.name, /*major=*/true); });
    region->Thaw();
  }
  asker.join();
  EXPECT_TRUE(asked.ok()) << asked.ToString();
  EXPECT_EQ(region->stores()->entries.front().store->file_names().size(), 1u);
  EXPECT_TRUE(core.Close().ok());
}

// ---- the catalog's own tables

TEST_F(CatalogChangeTest, WhatTheStoreCouldNotReadIsNotWrittenToItsCatalog) {
  Open(Options());
  ASSERT_TRUE(Create("t").ok());
  const auto meta = *engine_->OpenTable(MetaTableName());
  const auto namespaces = *engine_->OpenTable(NamespaceTableName());
  using Fill = std::function<void(MutationBatch*)>;
  const Bytes region = OpenTable()->regions()[0].RegionName();
  const auto put = [](const Bytes& row, const char* family, const char* qualifier) -> Fill {
    return [=](MutationBatch* batch) {
      batch->StartRow(row);
      batch->Put(family, qualifier, "zz");
    };
  };
  const std::vector<std::pair<Table*, Fill>> refused = {
      {meta.get(), put("p4", "table", "state")},
      {meta.get(), put("a/b", "table", "state")},
      {meta.get(), put(region, "info", "regioninfo")},
      {meta.get(), put(region, "info", "splitA")},
      {meta.get(), put(region, "info", "merge0000")},
      {meta.get(),
       [&](MutationBatch* batch) {
         batch->StartIncrement(region);
         batch->Increment("info", "regioninfo", 1);
       }},
      {meta.get(),
       [](MutationBatch* batch) {
         batch->StartAppend("t");
         batch->Append("table", "state", "zz");
       }},
      {namespaces.get(), put("default", "info", "d")},
      {namespaces.get(), put("../x", "info", "other")},
  };
  for (size_t i = 0; i < refused.size(); ++i) {
    const auto& [table, fill] = refused[i];
    MutationBatch batch;
    fill(&batch);
    const Bytes row(batch.row_key(batch.rows()[0]));
    const Status written = table->Write(&batch);
    EXPECT_EQ(written.code(), StatusCode::kInvalidArgument) << i;
    EXPECT_THAT(written.message(), HasSubstr("table hbase:")) << i;
    EXPECT_FALSE(table->MutateAtomically(&batch, nullptr).ok()) << i;
    std::vector<Table::Outcome> outcomes;
    ASSERT_TRUE(table->MutateEach(&batch, &outcomes).ok()) << i;
    EXPECT_EQ(outcomes[0].status.code(), StatusCode::kInvalidArgument) << i;
    Table::Condition condition;
    condition.row = row;
    condition.family = "info";
    condition.qualifier = "nothing";
    EXPECT_FALSE(table->CheckAndWrite(condition, &batch).ok()) << i;
  }
  // What can be read is taken, and so is what the store does not read.
  MutationBatch fine;
  PutTableState(&fine, {"default", "t"}, true);
  fine.StartRow(region);
  fine.Put("info", "note", "zz");
  fine.DeleteColumn("info", "merge0000");
  const Status taken = meta->Write(&fine);
  EXPECT_TRUE(taken.ok()) << taken.ToString();
  Open(Options());
  EXPECT_THAT(Cells(OpenTable().get()), IsEmpty());
}

}  // namespace
}  // namespace bennu::engine
