// Opening a directory: what is made, what is refused and with which words.
#include <unistd.h>

#include <fstream>
#include <regex>
#include <set>
#include <thread>

#include "bennu/admin.h"
#include "src/wal/wal_writer.h"
#include "tests/engine/root/engine_fixture.h"
#include "tests/engine/store/clock_env.h"

namespace bennu::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OpenTest : public EngineFixture {
 protected:
  // The store is dead, and its root is as it was at this moment. Lets go of the table.
  void Die(std::shared_ptr<Table>* table) {
    const std::string dead = base_ + "/dead";
    std::filesystem::copy(root_, dead, std::filesystem::copy_options::recursive);
    table->reset();
    engine_.reset();
    std::filesystem::remove_all(root_);
    std::filesystem::rename(dead, root_);
  }
};

void WriteText(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << text;
}
std::string ReadText(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(in)), {});
}

// A new store has the files of an HBase root directory, byte for byte where they are fixed.
TEST_F(OpenTest, MakesAnHBaseRoot) {
  Open();
  EXPECT_EQ(ReadText(root_ + "/hbase.version"), std::string("PBUF\x0a\x01") + "8");
  EXPECT_THAT(ReadText(root_ + "/hbase.id"), HasSubstr("PBUF"));
  for (const char* path :
       {"/data/default", "/data/hbase/meta/1588230740/info", "/data/hbase/meta/1588230740/table",
        "/data/hbase/namespace", "/WALs", "/oldWALs", "/archive"}) {
    EXPECT_TRUE(std::filesystem::is_directory(root_ + path)) << path;
  }
  EXPECT_TRUE(std::filesystem::exists(root_ + "/data/hbase/meta/1588230740/.regioninfo"));
  CreateTable();
  const auto infos = Find("/data/default/t/.tabledesc/.tableinfo.");
  ASSERT_EQ(infos.size(), 1u);
  const std::string size = std::to_string(std::filesystem::file_size(infos[0]));
  EXPECT_TRUE(infos[0].ends_with("/.tableinfo.0000000001." + size)) << infos[0];
}

// The catalog is a table like any other.
TEST_F(OpenTest, MetaHasTheRows) {
  Open();
  auto table = CreateTable();
  auto meta = engine_->OpenTable({"hbase", "meta"});
  ASSERT_TRUE(meta.ok());
  Get get;
  get.row = "t";
  auto state = (*meta)->GetRow(get);
  ASSERT_TRUE(state.ok());
  ASSERT_NE(state->Find("table", "state"), nullptr);
  EXPECT_EQ(state->Find("table", "state")->value_view(), ByteView("\x08\0", 2));
  get.row = table->regions()[0].RegionName();
  auto region = (*meta)->GetRow(get);
  ASSERT_TRUE(region.ok());
  for (const char* column :
       {"regioninfo", "server", "serverstartcode", "seqnumDuringOpen", "state", "sn"}) {
    EXPECT_NE(region->Find("info", column), nullptr) << column;
  }
  EXPECT_EQ(region->Find("info", "state")->value_view(), "OPEN");
}

// HBase asks the state of the region, beside that of the table, whether it has to open it.
TEST_F(OpenTest, RegionsOfADisabledTableAreClosed) {
  Open();
  auto table = CreateTable();
  const auto state = [&] {
    auto meta = engine_->OpenTable({"hbase", "meta"});
    Get get;
    get.row = table->regions()[0].RegionName();
    auto region = (*meta)->GetRow(get);
    return std::string(region->Find("info", "state")->value_view());
  };
  ASSERT_TRUE(engine_->admin()->DisableTable({"default", "t"}).ok());
  EXPECT_EQ(state(), "CLOSED");
  ASSERT_TRUE(engine_->admin()->EnableTable({"default", "t"}).ok());
  EXPECT_EQ(state(), "OPEN");
}

// By these HBase knows which servers are gone, so that it opens their regions.
TEST_F(OpenTest, ClosingLeavesADirectoryForEachServerInMeta) {
  std::set<std::string> servers;
  for (const char* name : {"t1", "t2", "t3"}) {
    Open();
    auto table = CreateTable(name);
    auto meta = engine_->OpenTable({"hbase", "meta"});
    ASSERT_TRUE(meta.ok());
    Get get;
    get.row = table->regions()[0].RegionName();
    auto region = (*meta)->GetRow(get);
    ASSERT_TRUE(region.ok());
    servers.insert(std::string(region->Find("info", "sn")->value_view()));
    engine_.reset();
    for (const std::string& server : servers) {
      EXPECT_TRUE(std::filesystem::is_directory(root_ + "/WALs/" + server)) << server;
    }
  }
  EXPECT_EQ(servers.size(), 3u);
}

TEST_F(OpenTest, RefusesForeignDirectory) {
  std::filesystem::create_directories(root_);
  WriteText(root_ + "/letters.txt", "dear");
  const Status status = TryOpen();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("letters.txt"));
  EXPECT_THAT(status.message(), HasSubstr(root_));
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(root_)) {
    names.push_back(entry.path().filename());
  }
  EXPECT_THAT(names, ElementsAre("letters.txt"));
}

TEST_F(OpenTest, RefusesAFile) {
  WriteText(root_, "dear");
  const Status status = TryOpen();
  EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("is a file"));
}

TEST_F(OpenTest, RefusesMissingWhenTold) {
  EngineOptions options;
  options.create_if_missing = false;
  EXPECT_EQ(TryOpen(options).code(), StatusCode::kNotFound);
  options.create_if_missing = true;
  options.read_only = true;
  EXPECT_EQ(TryOpen(options).code(), StatusCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(root_));
}

TEST_F(OpenTest, RefusesOtherVersion) {
  Open();
  engine_.reset();
  WriteText(root_ + "/hbase.version", std::string("PBUF\x0a\x01") + "7");
  Status status = TryOpen();
  EXPECT_EQ(status.code(), StatusCode::kNotSupported);
  EXPECT_THAT(status.message(), HasSubstr("'7'"));
  WriteText(root_ + "/hbase.version", "nonsense");
  EXPECT_EQ(TryOpen().code(), StatusCode::kCorruption);
}

TEST_F(OpenTest, RefusesUnwritable) {
  root_ = "/proc/bennu_can_not_be_here";
  const Status status = TryOpen();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr(root_));
}

TEST_F(OpenTest, RefusesHeldDirectory) {
  Open();
  const auto second = OpenEngine(root_);
  EXPECT_EQ(second.status().code(), StatusCode::kHeld);
  EXPECT_THAT(second.status().message(), HasSubstr("directory " + root_ + " is in use by process " +
                                                   std::to_string(::getpid())));
}

// Beside the holder everything acknowledged is seen, nothing is written and nothing may be.
TEST_F(OpenTest, ReadOnlyBesideAHolder) {
  Open();
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "flushed").ok());
  ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
  ASSERT_TRUE(Put(table.get(), "logged").ok());
  const auto before = Find("");
  EngineOptions options;
  options.read_only = true;
  auto reader = OpenEngine(root_, options);
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  auto seen = (*reader)->OpenTable({"default", "t"});
  ASSERT_TRUE(seen.ok());
  EXPECT_THAT(Rows(seen->get()), ElementsAre("flushed", "logged"));
  const Status refused = Put(seen->get(), "no");
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr("read-only"));
  EXPECT_EQ((*reader)->admin()->DropTable({"default", "t"}).code(),
            StatusCode::kFailedPrecondition);
  ASSERT_TRUE((*reader)->Close().ok());
  EXPECT_EQ(Find(""), before);
}

// After a clean end there is nothing to replay; without a flush the log has it all.
TEST_F(OpenTest, CloseAndReplay) {
  EngineOptions options;
  for (const bool flush : {true, false}) {
    options.flush_on_close = flush;
    Open(options);
    auto table = flush ? CreateTable() : OpenTable();
    ASSERT_TRUE(Put(table.get(), flush ? "a" : "b").ok());
    ASSERT_TRUE(engine_->Close().ok());
    table.reset();
    Open(options);
    EXPECT_EQ(engine_->GetStatus().replayed_edits > 0, !flush);
    table = OpenTable();
    EXPECT_EQ(Rows(table.get()).size(), flush ? 1u : 2u);
  }
}

// A thread that had a write refused keeps nothing of the store: it may write to another one when
// the first is long gone (its files would look for their block cache).
TEST_F(OpenTest, RefusedWritesHoldNothing) {
  const auto refused = [](Table* table) {
    MutationBatch batch;
    batch.StartRow("a");
    batch.Put("no_family", "q", "v");
    return table->Write(&batch);
  };
  for (int round = 0; round < 2; ++round) {
    Open();
    auto table = round == 0 ? CreateTable() : OpenTable();
    ASSERT_TRUE(Put(table.get(), "a").ok());
    ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
    EXPECT_EQ(refused(table.get()).code(), StatusCode::kInvalidArgument);
    table.reset();
    engine_.reset();
  }
}

// What a compaction left nothing of stays gone, though the log still has a part of it: the marker
// that hid it was not in this log.
TEST_F(OpenTest, ReplayBringsNothingBackThatWasCompactedAway) {
  EngineOptions options;
  options.background_compaction = false;
  Open(options);
  auto table = CreateTable();
  MutationBatch marker;
  marker.StartRow("a");
  marker.DeleteColumn("f", "q", 100);
  ASSERT_TRUE(table->Write(&marker).ok());
  table.reset();
  options.flush_on_close = false;
  ASSERT_TRUE(engine_->Close().ok());
  Open(options);
  table = OpenTable();
  MutationBatch hidden;
  hidden.StartRow("a");
  hidden.Put("f", "q", "old", 50);
  ASSERT_TRUE(table->Write(&hidden).ok());
  ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
  ASSERT_TRUE(engine_->admin()->Compact(table->name(), /*major=*/true).ok());
  EXPECT_THAT(Rows(table.get()), ElementsAre());
  table.reset();
  Open(options);
  table = OpenTable();
  EXPECT_THAT(Rows(table.get()), ElementsAre());
  // The file that says so is merged away like any other.
  ASSERT_TRUE(Put(table.get(), "b").ok());
  ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
  ASSERT_TRUE(engine_->admin()->Compact(table->name(), /*major=*/true).ok());
  EXPECT_THAT(Rows(table.get()), ElementsAre("b"));
  const auto regions = engine_->admin()->ListRegions(table->name());
  ASSERT_TRUE(regions.ok() && regions->size() == 1);
  EXPECT_EQ(regions->front().store_files, 1u);
}

// A namespace whose directory holds what no catalog knows is no empty one.
TEST_F(OpenTest, DropsNoNamespaceThatHoldsUnknownData) {
  Open();
  ASSERT_TRUE(engine_->admin()->CreateNamespace("n").ok());
  const std::string family = root_ + "/data/n/lost/abc/f";
  std::filesystem::create_directories(family);
  WriteText(family + "/0123456789abcdef0123456789abcdef", "cells");
  const Status refused = engine_->admin()->DropNamespace("n");
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(refused.message(), HasSubstr(root_ + "/data/n/lost"));
  EXPECT_TRUE(std::filesystem::exists(family + "/0123456789abcdef0123456789abcdef"));
  std::filesystem::remove_all(root_ + "/data/n/lost");
  EXPECT_TRUE(engine_->admin()->DropNamespace("n").ok());
  EXPECT_FALSE(std::filesystem::exists(root_ + "/data/n"));
}

// Neither sequence ids nor the clock go back over a restart.
TEST_F(OpenTest, NothingGoesBack) {
  uint64_t read_point = 0;
  int64_t now = 0;
  for (int i = 0; i < 4; ++i) {
    EngineOptions options;
    options.flush_on_close = i % 2 == 0;
    Open(options);
    EXPECT_GE(engine_->GetStatus().read_point, read_point);
    EXPECT_GE(engine_->NowMillis(), now);
    auto table = i == 0 ? CreateTable() : OpenTable();
    ASSERT_TRUE(Put(table.get(), "r" + std::to_string(i)).ok());
    read_point = engine_->GetStatus().read_point;
    now = engine_->NowMillis();
  }
}

// A clock that is set back while a store is dead: what was written without the log and flushed is
// older than what comes next, though no entry of the log has its time.
TEST_F(OpenTest, TheClockIsSetBackOverAnUnloggedWrite) {
  ClockEnv env(Env::Default());
  EngineOptions options;
  options.env = &env;
  Open(options);
  auto table = CreateTable();
  const int64_t start = env.NowMillis();
  env.SetMillis(start + 600'000);
  ASSERT_TRUE(Put(table.get(), "r", "old", Durability::kSkipWal).ok());
  ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
  Die(&table);
  env.SetMillis(start);
  Open(options);
  table = OpenTable();
  ASSERT_TRUE(Put(table.get(), "r", "new").ok());
  Get get;
  get.row = "r";
  const auto row = table->GetRow(get);
  ASSERT_TRUE(row.ok());
  EXPECT_EQ(row->Find("f", "q")->value_view(), "new");
  table.reset();
  engine_.reset();
}

// Of two puts of a column in one batch the later one counts, also when the clock gives the first
// one the other's time; and after a crash.
TEST_F(OpenTest, TheLaterOfTwoPutsAtTheClocksTime) {
  ClockEnv env(Env::Default());
  EngineOptions options;
  options.env = &env;
  Open(options);
  auto table = CreateTable();
  env.SetMillis(env.NowMillis() + 600'000);
  const auto read = [&]() -> Bytes {
    Get get;
    get.row = "r";
    const auto row = table->GetRow(get);
    EXPECT_TRUE(row.ok());
    return row.ok() ? Bytes(row->Find("f", "q")->value_view()) : Bytes();
  };
  MutationBatch batch;
  batch.StartRow("r");
  batch.Put("f", "q", "first");
  batch.Put("f", "q", "second", env.NowMillis());
  ASSERT_TRUE(table->Write(&batch).ok());
  EXPECT_EQ(read(), "second");
  Die(&table);
  Open(options);
  table = OpenTable();
  EXPECT_EQ(read(), "second");
  table.reset();
  engine_.reset();
}

// Nor does it stand still until the clock has caught up, which may be a day: a marker would hide
// what is written after it. It goes on at half the pace, so that the two meet again.
TEST_F(OpenTest, TheClockIsSetBackAndTimesStayApart) {
  ClockEnv env(Env::Default());
  EngineOptions options;
  options.env = &env;
  Open(options);
  auto table = CreateTable();
  const int64_t start = env.NowMillis();
  ASSERT_TRUE(Put(table.get(), "r", "old").ok());
  const int64_t before = engine_->NowMillis();
  env.SetMillis(start - 86'400'000);
  const auto wait = [&] {
    const int64_t now = engine_->NowMillis();
    EXPECT_TRUE(Eventually([&] { return engine_->NowMillis() > now; }));
  };
  const uint64_t begin = env.MonotonicNanos();
  wait();
  MutationBatch batch;
  batch.DeleteRow("r");
  ASSERT_TRUE(table->Write(&batch).ok());
  wait();
  ASSERT_TRUE(Put(table.get(), "r", "new").ok());
  EXPECT_THAT(Rows(table.get()), ElementsAre("r"));
  env.SleepMicros(50'000);
  const int64_t after = engine_->NowMillis();
  const int64_t real = static_cast<int64_t>((env.MonotonicNanos() - begin) / 1'000'000);
  EXPECT_GT(after, before + 10);
  EXPECT_LE(after - before, real / 2 + 1);
  // Once the system's clock is ahead it counts again.
  env.SetMillis(after + 5'000);
  EXPECT_EQ(engine_->NowMillis(), after + 5'000);
  table.reset();
  engine_.reset();
}

// As in HBase, which looks at the clock once for all mutations of a row.
TEST_F(OpenTest, ACounterAndAPutOfOneMutationAreOneVersion) {
  ClockEnv env(Env::Default());
  EngineOptions options;
  options.env = &env;
  Open(options);
  auto table = CreateTable();
  env.SetStep(5);
  MutationBatch batch;
  batch.StartIncrement("r");
  batch.Increment("f", "q", 1);
  batch.StartRow("r");
  batch.Put("f", "q", "put");
  ASSERT_TRUE(table->MutateAtomically(&batch, nullptr).ok());
  Scan scan;
  scan.raw = true;
  scan.max_versions = 10;
  auto scanner = table->OpenScanner(scan);
  ASSERT_TRUE(scanner.ok());
  CellBatch rows;
  ASSERT_TRUE((*scanner)->Next(10, &rows).ok());
  ASSERT_EQ(rows.cells.size(), 1u);
  EXPECT_EQ(rows.cells[0].value_view(), "put");
  scanner->reset();
  table.reset();
  engine_.reset();
}

// What HBase leaves below recovered.edits when it splits a dead server's logs is replayed, and ids
// go on above the greatest that is noted there.
TEST_F(OpenTest, ReplaysRecoveredEdits) {
  Open();
  auto table = CreateTable();
  const std::string encoded = table->regions()[0].EncodedName();
  engine_.reset();
  table.reset();
  const std::string directory = root_ + "/data/default/t/" + encoded + "/recovered.edits";
  std::filesystem::create_directories(directory);
  WriteText(directory + "/77777.seqid", "");
  MutationBatch batch;
  batch.StartRow("recovered");
  batch.Put("f", "q", "v", 5);
  wal::WalKeyFields key;
  key.encoded_region = encoded;
  key.table = "t";
  key.sequence_id = 60000;
  key.write_time_ms = 5;
  Bytes entry;
  wal::AppendWalEntry(&entry, key, batch.buffer(), 1);
  const std::string edits = directory + "/0000000000000060000";
  auto writer = wal::WalFileWriter::Create(Env::Default(), edits);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->Append(entry).ok());
  ASSERT_TRUE((*writer)->Close().ok());
  Open();
  table = OpenTable();
  EXPECT_THAT(Rows(table.get()), ElementsAre("recovered"));
  EXPECT_GE(engine_->GetStatus().read_point, 77777u);
  EXPECT_FALSE(std::filesystem::exists(edits));
}

// What compactions replaced is kept for a while, and not for ever.
TEST_F(OpenTest, CleansTheArchive) {
  EngineOptions options;
  options.archive_keep_millis = 100;
  Open(options);
  auto table = CreateTable();
  for (const char* row : {"a", "b"}) {
    ASSERT_TRUE(Put(table.get(), row).ok());
    ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
  }
  ASSERT_TRUE(engine_->admin()->Compact(table->name(), true).ok());
  for (int i = 0; i < 100 && !Find("/archive/").empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_THAT(Find("/archive/"), ::testing::IsEmpty());
  EXPECT_THAT(Rows(table.get()), ElementsAre("a", "b"));
}

TEST_F(OpenTest, NamesACorruptFile) {
  Open();
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "a").ok());
  ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
  engine_.reset();
  table.reset();
  std::string victim;
  for (const std::string& path : Find("/data/default/t/")) {
    if (std::regex_search(path, std::regex("/f/[0-9a-f]{32}$"))) victim = path;
  }
  ASSERT_FALSE(victim.empty());
  std::filesystem::resize_file(victim, std::filesystem::file_size(victim) - 10);
  const Status status = TryOpen();
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr(victim));
}

// A store file that was deleted while the store was closed.
TEST_F(OpenTest, NamesAMissingFile) {
  Open();
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "a").ok());
  ASSERT_TRUE(engine_->admin()->Flush(table->name()).ok());
  const std::string region = table->regions().front().EncodedName();
  engine_.reset();
  table.reset();
  std::string victim;
  for (const std::string& path : Find("/data/default/t/")) {
    if (std::regex_search(path, std::regex("/f/[0-9a-f]{32}$"))) victim = path;
  }
  ASSERT_FALSE(victim.empty());
  std::filesystem::remove(victim);
  const Status status = TryOpen();
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr("region " + region + " of table t, family f"));
  EXPECT_THAT(status.message(), HasSubstr(victim + " (1 row, 1 cell, "));
}

// A log with a hole has lost acknowledged writes: the store does not open as if nothing were.
TEST_F(OpenTest, NamesADamagedLog) {
  EngineOptions options;
  options.flush_on_close = false;
  Open(options);
  auto table = CreateTable();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(Put(table.get(), "r" + std::to_string(i)).ok());
  engine_.reset();
  table.reset();
  const auto logs = Find("/WALs/");
  ASSERT_EQ(logs.size(), 1u);
  std::string text = ReadText(logs[0]);
  text.replace(text.size() / 2, 40, std::string(40, '\xff'));
  WriteText(logs[0], text);
  const Status status = TryOpen(options);
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr(logs[0]));
  EXPECT_THAT(status.message(), HasSubstr("skip-damage"));
}

TEST_F(OpenTest, DamagedLogNamesTheRepair) {
  Open();
  engine_.reset();
  const std::string log = root_ + "/WALs/server,1,2/server.3";
  WriteText(log, "no log");
  const Status status = TryOpen(EngineOptions());
  EXPECT_EQ(status.code(), StatusCode::kCorruption);
  EXPECT_THAT(status.message(), HasSubstr(log));
  EXPECT_THAT(status.message(), HasSubstr("bennu check --repair"));
}

// Neither read nor removed: what has no log's name and does not begin as a log is no log.
TEST_F(OpenTest, FilesThatAreNoLogsStayAmongTheLogs) {
  EngineOptions options;
  options.flush_on_close = false;
  Open(options);
  auto table = CreateTable();
  ASSERT_TRUE(Put(table.get(), "r").ok());
  Die(&table);
  const std::string log = Find("/WALs/").back();
  const std::string beside = std::filesystem::path(log).parent_path().string() + "/notes.txt";
  const std::string apart = root_ + "/WALs/mydir/notes.txt";
  for (const std::string& path : {beside, apart}) WriteText(path, "mine");
  // A log is one under any name.
  std::filesystem::rename(log, std::filesystem::path(apart).parent_path() / "saved-log");
  for (int i = 0; i < 2; ++i) {
    Open(options);
    auto opened = engine_->OpenTable({"default", "t"});
    ASSERT_TRUE(opened.ok());
    Get get;
    get.row = "r";
    EXPECT_FALSE((*opened)->GetRow(get)->empty());
    opened->reset();
    engine_.reset();
    for (const std::string& path : {beside, apart}) EXPECT_EQ(ReadText(path), "mine") << path;
  }
  EXPECT_FALSE(std::filesystem::exists(root_ + "/WALs/mydir/saved-log"));
}

// A creation that died at any point is completed; leftovers of a table's creation go.
TEST_F(OpenTest, CleansWhatAnInterruptedCreationLeft) {
  Open();
  const std::string encoded_name = CreateTable()->regions()[0].EncodedName();
  engine_.reset();
  std::filesystem::create_directories(root_ + "/data/default/orphan/abc/f");
  std::filesystem::create_directories(root_ + "/.tmp/data/default/other");
  const std::string region = root_ + "/data/default/t/" + encoded_name;
  const std::string half_written[] = {region + "/.bulkload.tmp-123-4",
                                      region + "/f/.store-files.tmp-123-5"};
  for (const std::string& path : half_written) WriteText(path, "half");
  Open();
  EXPECT_THAT(Rows(OpenTable().get()), ElementsAre());
  for (const std::string& path : half_written) EXPECT_FALSE(std::filesystem::exists(path)) << path;
  EXPECT_FALSE(std::filesystem::exists(root_ + "/data/default/orphan"));
  EXPECT_FALSE(std::filesystem::exists(root_ + "/.tmp/data"));
  EXPECT_TRUE(std::filesystem::exists(root_ + "/data/default/t"));
}

// An opening removes what only the store can have put there, and nothing that a user keeps in it.
TEST_F(OpenTest, LeavesFilesThatAreNotTheStores) {
  Open();
  CreateTable();
  engine_.reset();
  const std::string region = "/" + std::string(32, 'a');
  const std::string kept[] = {
      "/notes.tmp-march.txt",
      "/data/default/plain.txt",
      "/data/default/onlyfile/c.jpg",
      "/data/default/mixed/.tabledesc/c.jpg",
      "/data/default/mixed" + region + "/readme.txt",
      "/data/default/mixed" + region + "/f/.cover",
      "/data/default/t" + region + "/.cover",
      "/data/photos/2021/b.jpg",
      "/data/photos/2022/.thumbnails/b.jpg",
      "/data/photos/2023/a/b/c/d/e/f/g/h/i/b.jpg",
  };
  for (const std::string& path : kept) WriteText(root_ + path, "mine");
  std::filesystem::create_directories(root_ + "/data/photos/links");
  std::filesystem::create_symlink("/nowhere", root_ + "/data/photos/links/away");
  const std::string orphan = root_ + "/data/default/orphan";
  for (const std::string& path :
       {std::string("/.tabledesc/.tableinfo.0000000001.7"), std::string("/.altering.tmp-7-1"),
        region + "/.regioninfo", region + "/..regioninfo.crc", region + "/f/.store-files",
        region + "/.tmp/f/" + std::string(32, 'b')}) {
    WriteText(orphan + path, "ours");
  }
  for (int i = 0; i < 2; ++i) {
    Open();
    engine_.reset();
  }
  for (const std::string& path : kept) EXPECT_TRUE(std::filesystem::exists(root_ + path)) << path;
  EXPECT_TRUE(std::filesystem::is_symlink(root_ + "/data/photos/links/away"));
  EXPECT_FALSE(std::filesystem::exists(orphan));
  Open();
  TableDescriptor taken;
  taken.name.qualifier = "onlyfile";
  taken.families.emplace_back().name = "f";
  EXPECT_EQ(engine_->admin()->CreateTable(taken, {}).code(), StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace bennu::engine
