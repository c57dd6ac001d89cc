// Bulk load: what is loaded, what wins over what, what is refused, and that a region has all of its
// files or none, whatever happens.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include "src/base/fault_env.h"
#include "src/wal/markers.h"
#include "src/wal/wal_reader.h"
#include "tests/engine/root/bulk_load_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class BulkLoadTest : public BulkLoadFixture {
 protected:
  // Both families of every row, in files that cross the borders between regions.
  void WriteFolder() {
    WriteFile({.family = "f", .first = 0, .last = 44});
    WriteFile({.family = "f", .first = 45, .last = kRows - 1});
    WriteFile({.family = "g", .first = 0, .last = kRows - 1});
  }
  // Rows of the region that has both families, one, or none of the loaded cells.
  struct Presence {
    int both = 0;
    int one = 0;
    int none = 0;
  };
  static Presence Count(Table* table, int region) {
    Presence presence;
    for (int i = 30 * region; i < 30 * (region + 1); ++i) {
      const bool f = Value(table, Key(i), "f") == "loaded";
      const bool g = Value(table, Key(i), "g") == "loaded";
      ++(f && g ? presence.both : f || g ? presence.one : presence.none);
    }
    return presence;
  }
  std::string MarkerTexts() {
    std::string texts;
    for (const std::string& path : Find("/WALs/")) {
      auto reader = wal::WalReader::Open(Env::Default(), path);
      EXPECT_TRUE(reader.ok());
      wal::WalEntry entry;
      while ((*reader)->Next(&entry).value()) {
        if (entry.cell_count != 1) continue;
        Cell cell;
        CellAt(entry.cells, 0, &cell);
        const std::string text = wal::MarkerText(cell);
        if (text.starts_with("BulkLoad")) texts += text + "\n";
      }
    }
    return texts;
  }
};

TEST_F(BulkLoadTest, FilesAreCutAtRegionBorders) {
  auto table = OpenWithTable();
  WriteFolder();
  const auto loaded = Load();
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(loaded->files, 3u);
  EXPECT_EQ(loaded->cells, 2u * kRows);
  EXPECT_EQ(loaded->regions, 3u);
  EXPECT_EQ(loaded->split_files, 3u);
  EXPECT_THAT(Read(table.get()), SizeIs(2 * kRows));
  EXPECT_THAT(FolderFiles(), SizeIs(3)) << "copied";
  // Named as HBase names them; nothing is left of the load itself.
  EXPECT_THAT(Find("_SeqId_"), SizeIs(4 + 3));
  EXPECT_THAT(Find("bulkload"), IsEmpty());
  EXPECT_THAT(MarkerTexts(), AllOf(HasSubstr("qualifier: \"t\""), HasSubstr("_SeqId_"),
                                   HasSubstr("bulkload_seq_num"), HasSubstr("replicate: true")));

  Open(options_);
  table = OpenTable();
  EXPECT_THAT(Read(table.get()), SizeIs(2 * kRows));
  ASSERT_TRUE(admin()->Compact(table->name(), true).ok());
  EXPECT_THAT(Read(table.get()), SizeIs(2 * kRows));
  Open(options_);
  EXPECT_THAT(Read(OpenTable().get()), SizeIs(2 * kRows));
}

// A load is a write of its moment: it wins over what was there with the same key, in memory or
// files, and loses to what comes later. Also after a restart, and when all is merged.
TEST_F(BulkLoadTest, OrderAmongEqualCells) {
  auto table = OpenWithTable();
  const auto put = [&](int row, const std::string& value) {
    MutationBatch batch;
    batch.StartRow(Key(row));
    batch.AddCell("f", "q", 1000, CellType::kPut, value);
    ASSERT_TRUE(table->Write(&batch).ok());
  };
  put(1, "flushed");
  ASSERT_TRUE(admin()->Flush(table->name()).ok());
  put(2, "in memory");
  // The ids that the cells bring along from elsewhere mean nothing.
  WriteFile({.first = 0, .last = 5, .sequence_id = 1'000'000});
  MustLoad();
  put(3, "later");
  const auto check = [&] {
    EXPECT_EQ(Value(table.get(), Key(1)), "loaded");
    EXPECT_EQ(Value(table.get(), Key(2)), "loaded");
    EXPECT_EQ(Value(table.get(), Key(3)), "later");
    EXPECT_EQ(Value(table.get(), Key(5)), "loaded");
  };
  check();
  WriteFile({.first = 4, .last = 5, .value = "second"});
  std::filesystem::remove(folder_ + "/f/file0");
  MustLoad();
  EXPECT_EQ(Value(table.get(), Key(5)), "second");
  put(5, "loaded");
  put(4, "loaded");
  check();
  options_.flush_on_close = false;
  Open(options_);
  table = OpenTable();
  check();
  for (const bool major : {false, true}) {
    ASSERT_TRUE(admin()->Flush(table->name()).ok());
    ASSERT_TRUE(admin()->Compact(table->name(), major).ok());
    check();
  }
}

// Edits that only the log holds are not lost behind the load's id.
TEST_F(BulkLoadTest, WritesBeforeALoadSurviveACrash) {
  auto table = OpenWithTable();
  ASSERT_TRUE(Put(table.get(), "r00", "before").ok());
  WriteFile({.family = "g"});
  MustLoad();
  ASSERT_TRUE(Put(table.get(), "r01", "after").ok());
  options_.flush_on_close = false;
  Open(options_);
  table = OpenTable();
  EXPECT_EQ(Value(table.get(), "r00"), "before");
  EXPECT_EQ(Value(table.get(), "r01"), "after");
  EXPECT_EQ(Value(table.get(), "r00", "g"), "loaded");
}

TEST_F(BulkLoadTest, EarlierMomentsDoNotSeeIt) {
  auto table = OpenWithTable();
  ASSERT_TRUE(Put(table.get(), "r10", "old").ok());
  Scan then;
  then.snapshot = engine_->TakeSnapshot();
  WriteFolder();
  MustLoad();
  EXPECT_THAT(Read(table.get(), then), SizeIs(1));
  EXPECT_EQ(Read(table.get(), then).begin()->second, "old");
  EXPECT_THAT(Read(table.get()), SizeIs(2 * kRows)) << "the newer put hides one";
  // The files that take their place keep to it.
  ASSERT_TRUE(admin()->Compact(table->name(), true).ok());
  EXPECT_THAT(Read(table.get(), then), SizeIs(1));
  then.reversed = true;
  EXPECT_THAT(Read(table.get(), then), SizeIs(1));
}

TEST_F(BulkLoadTest, MovedOrCopied) {
  auto table = OpenWithTable();
  WriteFile({.first = 0, .last = 10});
  WriteFile({.first = 20, .last = 40});
  MustLoad(/*copy=*/false);
  // One fits into a region and is moved; the one that had to be cut stays.
  EXPECT_THAT(FolderFiles(), ::testing::ElementsAre("file1"));
  EXPECT_THAT(Read(table.get()), SizeIs(11 + 21));
  Open(options_);
  EXPECT_THAT(Read(OpenTable().get()), SizeIs(11 + 21));
}

// A link is read, and copied: neither it nor what it leads to is taken, and the store has a file of
// its own.
TEST_F(BulkLoadTest, LinksAreCopied) {
  for (const bool copy : {true, false}) {
    SCOPED_TRACE(copy ? "copied" : "moved");
    engine_.reset();
    std::filesystem::remove_all(root_);
    std::filesystem::remove_all(folder_);
    auto table = OpenWithTable({});
    const std::string file = WriteFile({.first = 0, .last = 9});
    const std::string elsewhere = base_ + "/elsewhere";
    std::filesystem::rename(file, elsewhere);
    std::filesystem::create_symlink("../../elsewhere", file);
    // The file and a link to it: the same cells twice.
    const std::string other = WriteFile({.first = 20, .last = 29});
    std::filesystem::create_symlink(other, other + "link");
    MustLoad(copy);
    EXPECT_TRUE(std::filesystem::is_symlink(file));
    EXPECT_TRUE(std::filesystem::exists(elsewhere));
    EXPECT_EQ(std::filesystem::exists(other), copy);
    EXPECT_TRUE(std::filesystem::is_symlink(other + "link"));
    EXPECT_THAT(Find("_SeqId_"), SizeIs(3));
    for (const std::string& path : Find("_SeqId_")) {
      EXPECT_FALSE(std::filesystem::is_symlink(path)) << path;
    }
    std::filesystem::remove(elsewhere);
    Open(options_);
    EXPECT_THAT(Read(OpenTable().get()), SizeIs(20));
  }
}

// Names of families may begin with '_'; what Hadoop puts beside them is no family. As
// BulkLoadHFilesTool of HBase 2.5 goes through the folder.
TEST_F(BulkLoadTest, NamesThatBeginWithAnUnderscore) {
  auto table = OpenWithTable();
  TableDescriptor descriptor = table->descriptor();
  descriptor.families.emplace_back().name = "_u";
  ASSERT_TRUE(admin()->AlterTable(descriptor).ok());
  WriteFile({.family = "_u", .first = 0, .last = 3});
  std::filesystem::create_directories(folder_ + "/_u/_deeper");
  std::filesystem::create_directories(folder_ + "/_logs/history");
  std::filesystem::create_directories(folder_ + "/.staging");
  for (const char* name :
       {"_SUCCESS", "_u/_SUCCESS", "_u/.crc", "_logs/history/job", ".staging/file"}) {
    std::ofstream(folder_ + "/" + name) << "x";
  }
  const auto loaded = Load();
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(loaded->files, 1u);
  EXPECT_EQ(Value(table.get(), Key(3), "_u"), "loaded");

  // What else lies there is of a family that the table lacks.
  const std::string path = WriteFile({.family = "_logs"});
  const auto refused = Load();
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.status().ToString(), AllOf(HasSubstr(path), HasSubstr("no family '_logs'")));
}

// ---- what is refused changes nothing

TEST_F(BulkLoadTest, Refused) {
  auto table = OpenWithTable();
  const auto refused = [&](StatusCode code, const std::vector<std::string>& words) {
    const auto loaded = Load(/*copy=*/false);
    ASSERT_FALSE(loaded.ok());
    EXPECT_EQ(loaded.status().code(), code) << loaded.status().ToString();
    for (const std::string& word : words) {
      EXPECT_THAT(loaded.status().ToString(), HasSubstr(word));
    }
    EXPECT_THAT(Find("_SeqId_"), IsEmpty());
    EXPECT_THAT(Read(table.get()), IsEmpty());
    std::filesystem::remove_all(folder_);
  };
  const auto with_good_one = [&] { WriteFile({.first = 0, .last = 3}); };

  refused(StatusCode::kNotFound, {folder_});
  std::filesystem::create_directories(folder_ + "/f");
  refused(StatusCode::kNotFound, {"no HFiles"});

  with_good_one();
  std::string path = WriteFile({.family = "x"});
  refused(StatusCode::kInvalidArgument, {path, "no family 'x'", "f, g"});

  with_good_one();
  path = WriteFile({.family = "g", .cell_family = "f"});
  refused(StatusCode::kInvalidArgument, {path, "family 'f'", "offset 0", "'g'"});

  with_good_one();
  path = WriteFile({.info = {{"SKIP_RESET_SEQ_ID", "\xff"}}});
  refused(StatusCode::kNotSupported, {path, "SKIP_RESET_SEQ_ID"});

  with_good_one();
  path = folder_ + "/stray";
  std::ofstream(path) << "x";
  refused(StatusCode::kInvalidArgument, {path});

  with_good_one();
  path = folder_ + "/f/0123456789abcdef0123456789abcdef.fedcba9876543210fedcba9876543210";
  std::ofstream(path) << "x";
  refused(StatusCode::kInvalidArgument, {path, "reference"});

  with_good_one();
  path = folder_ + "/f/short";
  std::ofstream(path) << "no HFile";
  refused(StatusCode::kCorruption, {path});

  with_good_one();
  std::filesystem::create_directories(folder_ + "/g/deeper");
  refused(StatusCode::kInvalidArgument, {"/g/deeper"});

  with_good_one();
  path = folder_ + "/f/fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  refused(StatusCode::kInvalidArgument, {path, "is a FIFO", "move it out"});

  with_good_one();
  std::filesystem::create_symlink("/dev/null", folder_ + "/f/device");
  refused(StatusCode::kInvalidArgument, {"/f/device", "a symbolic link to a device"});

  with_good_one();
  std::filesystem::create_symlink("nowhere", folder_ + "/f/dangling");
  refused(StatusCode::kInvalidArgument, {"/f/dangling", "a symbolic link that leads nowhere"});

  with_good_one();
  std::filesystem::create_symlink("circle", folder_ + "/f/circle");
  refused(StatusCode::kInvalidArgument, {"/f/circle", "a symbolic link that leads nowhere"});

  with_good_one();
  std::filesystem::create_symlink("nowhere", folder_ + "/g");
  refused(StatusCode::kInvalidArgument, {"/g", "a symbolic link that leads nowhere, not a folder"});
}

TEST_F(BulkLoadTest, DamageAndDisorderAreFoundFirst) {
  auto table = OpenWithTable();
  const auto patch = [](const std::string& path, const std::string& from, const std::string& to) {
    std::string bytes = *Env::Default()->ReadFile(path);
    const size_t at = bytes.find(from);
    ASSERT_NE(at, std::string::npos);
    bytes.replace(at, to.size(), to);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  };
  WriteFile({.first = 0, .last = 3});
  std::string path = WriteFile({.family = "g"});
  patch(path, "r07", "r0\x07");
  auto loaded = Load();
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().code(), StatusCode::kCorruption);
  EXPECT_THAT(loaded.status().ToString(), AllOf(HasSubstr(path), HasSubstr("offset")));

  // Without checksums the order itself tells.
  std::filesystem::remove(path);
  FileSpec spec;
  spec.family = "g";
  spec.writer.checksum = hfile::ChecksumType::kNull;
  path = WriteFile(spec);
  patch(path, "r07", "r02");
  loaded = Load();
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(loaded.status().ToString(), AllOf(HasSubstr(path), HasSubstr("not sorted"),
                                                HasSubstr("offset 0"), HasSubstr("r02")));
  EXPECT_THAT(Read(table.get()), IsEmpty());
}

TEST_F(BulkLoadTest, TablesThatTakeNone) {
  auto table = OpenWithTable();
  WriteFolder();
  ASSERT_TRUE(admin()->DisableTable(table->name()).ok());
  EXPECT_EQ(Load().status().code(), StatusCode::kFailedPrecondition);
  ASSERT_TRUE(admin()->EnableTable(table->name()).ok());
  EXPECT_EQ(admin()->BulkLoad({"default", "none"}, folder_, {}).status().code(),
            StatusCode::kNotFound);
  EXPECT_EQ(admin()->BulkLoad({"hbase", "meta"}, folder_, {}).status().code(),
            StatusCode::kInvalidArgument);
  options_.read_only = true;
  Open(options_);
  EXPECT_EQ(Load().status().code(), StatusCode::kFailedPrecondition);
}

// ---- faults

constexpr const char* kErrorPoints[] = {
    "file_series.between_files", "bulkload.copied",
    "bulkload.staged",           "bulkload.flushed",
    "bulkload.before_journal",   "bulkload.after_journal",
    "bulkload.between_moves",    "bulkload.before_journal_removal"};
constexpr const char* kKillPoints[] = {"bulkload.before_marker", "bulkload.after_marker",
                                       "bulkload.after_lists"};

// One region, so that a load is one step: after an error at any place nothing has happened.
TEST_F(BulkLoadTest, AnErrorAtAnyPointUndoesIt) {
  for (const char* point : kErrorPoints) {
    for (const bool copy : {true, false}) {
      SCOPED_TRACE(std::string(point) + (copy ? ", copied" : ", moved"));
      const bool cuts = std::string_view(point) == "file_series.between_files";
      if (!copy && std::string_view(point) == "bulkload.copied") continue;
      engine_.reset();
      std::filesystem::remove_all(root_);
      std::filesystem::remove_all(folder_);
      auto table = OpenWithTable(cuts ? std::vector<Bytes>{"r30"} : std::vector<Bytes>{});
      WriteFolder();
      const auto before = FolderFiles();
      ASSERT_TRUE(ArmFailpoints(std::string(point) + "=error@1").ok());
      EXPECT_FALSE(Load(copy).ok());
      ASSERT_TRUE(ArmFailpoints("").ok());
      EXPECT_THAT(Read(table.get()), IsEmpty());
      EXPECT_EQ(FolderFiles(), before);
      EXPECT_THAT(Find("bulkload"), IsEmpty());
      ASSERT_TRUE(Put(table.get(), "r00").ok()) << "writers go on";
      MustLoad(copy);
      EXPECT_THAT(Read(table.get()), SizeIs(2 * kRows));
      Open(options_);
      EXPECT_THAT(Read(OpenTable().get()), SizeIs(2 * kRows));
    }
  }
}

// A process that dies at any place of a load leaves each region with all of its files or none, and
// the files that it did not take where they were.
TEST_F(BulkLoadTest, AKillAtAnyPointLeavesAllOrNothing) {
  std::vector<std::string> points(std::begin(kErrorPoints), std::end(kErrorPoints));
  points.insert(points.end(), std::begin(kKillPoints), std::end(kKillPoints));
  std::map<std::string, int> outcomes;
  for (const std::string& point : points) {
    const bool decided = point.find("journal") != std::string::npos || point.ends_with("_moves");
    for (const int passage : {1, 2}) {
      for (const bool copy : {true, false}) {
        if (!decided && copy != (passage == 1)) continue;  // it makes no difference there
        SCOPED_TRACE(point + "@" + std::to_string(passage) + (copy ? ", copied" : ", moved"));
        engine_.reset();
        std::filesystem::remove_all(root_);
        std::filesystem::remove_all(folder_);
        OpenWithTable();
        engine_.reset();
        // Two that fit, one that is cut, and for the middle region both families.
        WriteFile({.family = "f", .first = 0, .last = 29});
        WriteFile({.family = "f", .first = 30, .last = 59});
        WriteFile({.family = "g", .first = 0, .last = 59});
        const pid_t child = ::fork();
        if (child == 0) {
          const std::string spec = point + "=kill@" + std::to_string(passage);
          if (!ArmFailpoints(spec).ok() || !TryOpen(options_).ok()) ::_exit(2);
          ::_exit(Load(copy).ok() ? 0 : 3);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        if (!killed) {
          ASSERT_TRUE(WIFEXITED(status));
          ASSERT_EQ(WEXITSTATUS(status), 0) << "the point was not passed, the load went well";
        }
        outcomes[point] += killed ? 1 : 0;

        Open(options_);
        auto table = OpenTable();
        for (const int region : {0, 1}) {
          const Presence presence = Count(table.get(), region);
          EXPECT_EQ(presence.one, 0);
          EXPECT_TRUE(presence.both == 0 || presence.none == 0);
          EXPECT_TRUE(killed || presence.none == 0);
          // What is not loaded can be loaded still.
          if (presence.none == 0) continue;
          const auto files = FolderFiles();
          EXPECT_TRUE(std::find(files.begin(), files.end(),
                                "file" + std::to_string(next_file_ - 3 + region)) != files.end());
        }
        EXPECT_THAT(Find("bulkload"), IsEmpty());
        if (!FolderFiles().empty()) MustLoad();
        EXPECT_EQ(Count(table.get(), 0).both, 30);
        EXPECT_EQ(Count(table.get(), 1).both, 30);
        Open(options_);
        EXPECT_THAT(Read(OpenTable().get()), SizeIs(120));
        if (HasFailure()) return;
      }
    }
  }
  for (const std::string& point : points) EXPECT_GT(outcomes[point], 0) << "no death at " << point;
}

// A reader beside a process that is in the middle of a load, or that died there, sees nothing of
// it.
TEST_F(BulkLoadTest, AReaderBesideItSeesNoHalf) {
  OpenWithTable({});
  engine_.reset();
  WriteFolder();
  const pid_t child = ::fork();
  if (child == 0) {
    if (!ArmFailpoints("bulkload.between_moves=kill@2").ok() || !TryOpen(options_).ok()) ::_exit(2);
    ::_exit(Load().ok() ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_THAT(Find("_SeqId_"), SizeIs(2));
  EngineOptions reading = options_;
  reading.read_only = true;
  Open(reading);
  EXPECT_THAT(Read(OpenTable().get()), IsEmpty());
  Open(options_);
  EXPECT_THAT(Read(OpenTable().get()), SizeIs(2 * kRows)) << "it was decided";
}

// A file of a decided load that is gone is told of, with what to do.
TEST_F(BulkLoadTest, AMissingFileOfADecidedLoad) {
  OpenWithTable({});
  engine_.reset();
  const std::string path = WriteFile({});
  const pid_t child = ::fork();
  if (child == 0) {
    if (!ArmFailpoints("bulkload.after_journal=kill@1").ok() || !TryOpen(options_).ok()) ::_exit(2);
    ::_exit(Load(false).ok() ? 0 : 3);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  std::filesystem::rename(path, path + ".away");
  EXPECT_THAT(TryOpen(options_).ToString(), AllOf(HasSubstr(path), HasSubstr(".bulkload")));
  std::filesystem::rename(path + ".away", path);
  Open(options_);
  EXPECT_THAT(Read(OpenTable().get()), SizeIs(kRows));
}

// ---- beside others

// Loads, writers, splits, merges, flushes and scans at once. Every scan sees, in each row, both
// families of a load or none; in the end nothing is missing.
TEST_F(BulkLoadTest, BesideWritersScansAndSplits) {
  options_.memstore_flush_bytes = 16 << 10;
  options_.background_compaction = true;
  auto table = OpenWithTable();
  WriteFolder();
  constexpr int kLoads = 12;
  std::atomic<bool> stop{false};
  std::atomic<int> counted{0};
  std::thread writer([&] {
    for (int i = 0; !stop; ++i) {
      MutationBatch batch;
      batch.StartRow(Key(i % kRows));
      batch.Put("f", "w", std::string(100, 'w'));
      batch.Put("g", "w", std::string(100, 'w'));
      EXPECT_TRUE(table->Write(&batch).ok());
    }
  });
  std::thread counter([&] {
    while (!stop) {
      const auto value = table->Increment("r45", "f", "n", 1);
      EXPECT_TRUE(value.ok()) << value.status().ToString();
      EXPECT_EQ(*value, counted + 1);
      ++counted;
    }
  });
  std::thread changer([&] {
    for (int i = 0; !stop; ++i) {
      (void)admin()->SplitTable(table->name(), Bytes(Key(7 + 13 * (i % 6)))).ok();
      const auto regions = table->regions();
      if (regions.size() > 4) {
        (void)admin()->MergeRegions({regions[1].EncodedName(), regions[2].EncodedName()}).ok();
      }
    }
  });
  std::thread reader([&] {
    while (!stop) {
      std::map<std::string, std::set<std::string>> families;
      for (const auto& [name, value] : Read(table.get())) {
        if (value == "loaded") families[std::get<0>(name)].insert(std::get<1>(name));
      }
      for (const auto& [row, columns] : families) EXPECT_EQ(columns.size(), 2u) << row;
    }
  });
  for (int i = 0; i < kLoads; ++i) {
    const auto loaded = Load();
    EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
  }
  stop = true;
  for (std::thread* thread : {&writer, &counter, &changer, &reader}) thread->join();
  EXPECT_EQ(*table->Increment("r45", "f", "n", 0), counted.load());
  const Cells cells = Read(table.get());
  int loaded = 0;
  for (const auto& [name, value] : cells) loaded += value == "loaded" ? 1 : 0;
  EXPECT_EQ(loaded, 2 * kRows);
  ASSERT_TRUE(admin()->Compact(table->name(), true).ok());
  Open(options_);
  EXPECT_EQ(Read(OpenTable().get()), cells);
}

// Whoever wrote the files may not have synced them: what is acknowledged survives the power all the
// same, though a move leaves nothing behind to load again.
TEST_F(BulkLoadTest, MovedFilesAreSynced) {
  FaultInjectionEnv env(Env::Default(), base_ + "/aside");
  options_.env = &env;
  OpenWithTable();
  const std::string written = WriteFile({.family = "f"});
  const Bytes content = Env::Default()->ReadFile(written).value();
  ASSERT_TRUE(Env::Default()->RemoveFile(written).ok());
  {
    auto file = env.CreateFile(written).value();
    ASSERT_TRUE(file->Append(content).ok());
    ASSERT_TRUE(file->Close().ok());
  }
  MustLoad(/*copy=*/false);
  engine_.reset();
  ASSERT_TRUE(env.DropUnsynced().ok());
  Open(options_);
  EXPECT_EQ(Value(OpenTable().get(), Key(7)), "loaded");
  engine_.reset();
}

// The files of a table are not to be loaded into another one: moved, the first would lose them.
TEST_F(BulkLoadTest, FilesOfTheStoreItselfAreRefused) {
  auto table = OpenWithTable();
  WriteFolder();
  MustLoad();
  const std::vector<std::string> stored = Find("/data/default/t/");
  std::string region = *std::find_if(stored.begin(), stored.end(), [](const std::string& path) {
    return path.find("/f/") != std::string::npos;
  });
  region.resize(region.find("/f/"));
  for (const bool copy : {true, false}) {
    BulkLoadOptions load;
    load.copy = copy;
    for (const std::string& folder :
         {region, region + "/../" + region.substr(region.rfind('/') + 1)}) {
      const auto loaded = admin()->BulkLoad({"default", "t"}, folder, load);
      EXPECT_EQ(loaded.status().code(), StatusCode::kInvalidArgument);
      EXPECT_THAT(loaded.status().message(), HasSubstr("part of the store"));
    }
  }
  EXPECT_EQ(Find("/data/default/t/"), stored);
  EXPECT_EQ(Value(table.get(), Key(7)), "loaded");
}

}  // namespace
}  // namespace bennu::engine
