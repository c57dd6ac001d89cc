// Kills a writing process again and again, at every named point and at random moments, and checks
// after each death that what it was promised holds:
//   - the store opens;
//   - every acknowledged batch is there, every acknowledged deletion too;
//   - no row is there by half, and a batch's rows of one region are there all or none;
//   - the counter has lost nothing and counted nothing twice;
//   - a table is there or it is not, as acknowledged, and works if it is;
//   - its regions follow each other without holes, whatever was being split or merged;
//   - a snapshot is there or it is not, as acknowledged, and a clone of it has its rows, whatever
//     became of the table; a restored table is as it was or as it is to be;
//   - a truncated table is empty and enabled, one that was to be is as it was, and disabled;
//   - a bulk load is whole in each region or not there, and leaves nothing behind in the store;
//   - a backup that died is no store, one that did not has all that was acknowledged before it.
// BENNU_CRASH_KILLS=N adds N deaths at random moments (default 25).
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "bennu/admin.h"
#include "src/base/coding.h"
#include "src/base/env.h"
#include "src/base/hex.h"
#include "src/check/checker.h"
#include "src/engine/open.h"
#include "tests/crash/journal.h"

namespace bennu::testing {
namespace {

// Every point of the engine and the log at which the death of the process means something.
constexpr const char* kPoints[] = {"root.create.after_lock",
                                   "root.create.after_directories",
                                   "root.create.after_id",
                                   "root.create.after_meta",
                                   "root.create.after_version",
                                   "region.write.before_append",
                                   "region.write.after_append",
                                   "region.write.after_memstore",
                                   "wal.append",
                                   "wal.before_sync",
                                   "wal.after_sync",
                                   "wal.roll",
                                   "region.flush.after_prepare",
                                   "region.flush.before_commit",
                                   "region.flush.between_stores",
                                   "region.flush.before_release",
                                   "hfile.finish",
                                   "store.flush.before_rename",
                                   "store.flush.after_rename",
                                   "region.compaction.before_marker",
                                   "region.compaction.after_marker",
                                   "store.between_renames",
                                   "store.compaction.before_rename",
                                   "store.compaction.after_rename",
                                   "store.compaction.after_list",
                                   "store.compaction.during_archive",
                                   "maintenance.before_archive_log",
                                   "recovery.after_region_flush",
                                   "recovery.before_retire",
                                   "recovery.during_retire",
                                   "root.tableinfo.before_remove",
                                   "admin.create.between_regions",
                                   "admin.create.before_rename",
                                   "admin.create.after_dir",
                                   "admin.create.before_meta",
                                   "admin.create.after_meta",
                                   "admin.alter.before_descriptor",
                                   "admin.alter.after_descriptor",
                                   "admin.alter.between_regions",
                                   "admin.alter.between_removals",
                                   "admin.truncate.between_regions",
                                   "admin.truncate.before_meta",
                                   "admin.truncate.after_meta",
                                   "admin.truncate.between_archives",
                                   "admin.drop.after_mark",
                                   "admin.drop.after_meta",
                                   "admin.drop.before_remove",
                                   "region.change.settled",
                                   "region.change.between_references",
                                   "region.change.frozen",
                                   "region.change.flushed",
                                   "region.change.before_rename",
                                   "region.change.between_renames",
                                   "region.change.before_meta",
                                   "region.change.after_meta",
                                   "region.change.after_swap",
                                   "archive.between_files",
                                   "janitor.before_meta",
                                   "janitor.after_meta",
                                   "snapshot.after_info",
                                   "snapshot.before_rename",
                                   "snapshot.after_rename",
                                   "snapshot.delete.after_rename",
                                   "snapshot.clone.back_references",
                                   "snapshot.clone.between_links",
                                   "restore.after_failsafe",
                                   "restore.between_regions",
                                   "restore.before_meta",
                                   "restore.after_meta",
                                   "restore.after_descriptor",
                                   "restore.between_archives",
                                   "archive.before_remove",
                                   "admin.namespace.before_row",
                                   "admin.namespace.after_row"};

// The same for bulk loads and backups.
constexpr const char* kLoadPoints[] = {"bulkload.copied",         "file_series.between_files",
                                       "bulkload.staged",         "bulkload.flushed",
                                       "bulkload.before_journal", "bulkload.after_journal",
                                       "bulkload.between_moves",  "bulkload.before_journal_removal",
                                       "bulkload.before_marker",  "bulkload.after_marker",
                                       "bulkload.after_lists",    "backup.after_note",
                                       "backup.between_files",    "backup.between_logs",
                                       "backup.before_version"};

// What a writer does before it gives up coming to its point; measured by what it has done and not
// by the clock, so that a slow machine comes to no fewer of them. Some steps belong to every third.
constexpr int kRounds = 9;

class KillTest : public ::testing::Test {
 protected:
  void SetUp() override {
    seed_ = Env::Default()->RandomU64() % 1000000;
    if (const char* text = std::getenv("BENNU_CRASH_SEED"))
      seed_ = std::strtoull(text, nullptr, 10);
    std::printf("seed %llu (BENNU_CRASH_SEED repeats it)\n",
                static_cast<unsigned long long>(seed_));
    random_.seed(seed_);
    base_ = std::filesystem::temp_directory_path() /
            ("bennu_crash_" + std::to_string(Env::Default()->RandomU64()));
    std::filesystem::create_directories(base_);
    NewDirectory();
  }
  void TearDown() override {
    if (!HasFailure()) std::filesystem::remove_all(base_);
  }

  void NewDirectory() {
    ++generation_;
    directory_ = base_ + "/store" + std::to_string(generation_);
    journal_ = base_ + "/journal" + std::to_string(generation_);
  }

  // A death at no point: so long after the writer began, or after it was told that a write of it is
  // done. The latter leaves something to recover, on a slow machine as well.
  struct Kill {
    bool after_acknowledgement = false;
    int64_t milliseconds = 0;
  };

  // Runs a writer until it dies. Returns the name of the point where it did, "random" after a kill
  // by us, "" when it lived to its end.
  std::string RunWriter(const std::string& points, const std::optional<Kill>& kill,
                        const char* work = "") {
    const std::string log = base_ + "/points.log";
    std::filesystem::remove(log);
    const std::string seed = std::to_string(random_());
    const std::string rounds = std::to_string(kill ? std::numeric_limits<int>::max() : kRounds);
    const uintmax_t journal_bytes = JournalBytes();
    const std::string errors = base_ + "/errors.log";
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::setenv("BENNU_FAILPOINTS", points.c_str(), 1);
      ::setenv("BENNU_FAILPOINT_LOG", log.c_str(), 1);
      ::setenv("BENNU_LOG", "error", 1);
      if (std::freopen(errors.c_str(), "w", stderr) == nullptr) ::_exit(3);
      ::execl(BENNU_CRASH_WRITER, BENNU_CRASH_WRITER, directory_.c_str(), journal_.c_str(),
              seed.c_str(), rounds.c_str(), work, nullptr);
      ::_exit(3);
    }
    int status = 0;
    bool has_ended = false;
    if (kill) {
      while (kill->after_acknowledgement && !has_ended && !AcknowledgedSince(journal_bytes)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        has_ended = ::waitpid(pid, &status, WNOHANG) == pid;  // it could not even begin
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(kill->milliseconds));
      if (!has_ended) ::kill(pid, SIGKILL);
    }
    if (!has_ended) ::waitpid(pid, &status, 0);
    if (WIFEXITED(status)) {
      std::ifstream in(errors);
      const std::string text((std::istreambuf_iterator<char>(in)), {});
      EXPECT_EQ(WEXITSTATUS(status), 0) << text;
      return "";
    }
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
    std::ifstream in(log);
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("killed ")) return line.substr(7);
    }
    return "random";
  }

  uintmax_t JournalBytes() const {
    std::error_code none_yet;
    const uintmax_t bytes = std::filesystem::file_size(journal_, none_yet);
    return none_yet ? 0 : bytes;
  }

  // A batch was, after the journal was so long.
  bool AcknowledgedSince(uintmax_t journal_bytes) const {
    std::ifstream in(journal_);
    in.seekg(static_cast<std::streamoff>(journal_bytes));
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("b ")) return true;
    }
    return false;
  }

  // What an opening completes or undoes is no fault.
  void VerifyHasNoFault() {
    if (!std::filesystem::exists(directory_ + "/hbase.version")) return;
    check::CheckOptions options;
    options.sql_catalog = false;
    const auto report = check::CheckStore(Env::Default(), directory_, options);
    ASSERT_TRUE(report.ok()) << report.status().ToString();
    for (const check::Finding& finding : report->findings) {
      ASSERT_EQ(finding.level, check::Level::kWarning) << check::FormatFinding(finding);
    }
  }

  void Verify(bool read_only) {
    ASSERT_NO_FATAL_FAILURE(VerifyHasNoFault());
    const JournalState state = JournalState::Read(journal_);
    engine::EngineOptions options;
    options.read_only = read_only;
    options.wal_sync = engine::WalSync::kOs;
    auto engine = engine::OpenEngine(directory_, options);
    if (read_only && engine.status().code() == StatusCode::kNotFound && state.next == 1) {
      return;  // died while it made the store
    }
    ASSERT_TRUE(engine.ok()) << engine.status().ToString();
    ASSERT_NO_FATAL_FAILURE(VerifyTables(engine->get(), state, read_only));
    ASSERT_NO_FATAL_FAILURE(VerifySnapshots(engine->get(), state, read_only));
    if ((*engine)->admin()->TableExists({"default", "t"}).value()) {
      ASSERT_NO_FATAL_FAILURE(VerifyBatches(engine->get(), state));
    } else {
      ASSERT_TRUE(state.batches.empty());
    }
    ASSERT_TRUE((*engine)->Close().ok());
    ASSERT_NO_FATAL_FAILURE(VerifyBackups(state));
    if (read_only) return;
    ASSERT_NO_FATAL_FAILURE(VerifyNothingIsLeft());
  }

  // All regions were opened, and so have completed what was decided.
  void VerifyNothingIsLeft() {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_)) {
      const std::string path = entry.path();
      if (!entry.is_regular_file()) continue;
      ASSERT_EQ(path.find("bulkload"), std::string::npos) << path;
    }
    VerifyHasNoFault();
  }

  void VerifyBackups(const JournalState& state) {
    for (const auto& [number, backup] : state.backups) {
      const std::string directory = BackupDirectory(directory_, number);
      if (!std::filesystem::exists(directory)) {
        ASSERT_FALSE(backup.done && !verified_.contains(directory)) << directory;
        continue;
      }
      engine::EngineOptions options;
      options.read_only = true;
      auto engine = engine::OpenEngine(directory, options);
      ASSERT_TRUE(engine.ok() || !backup.done) << engine.status().ToString();
      if (engine.ok()) {
        ASSERT_NO_FATAL_FAILURE(VerifyBackup(engine->get(), backup, state)) << directory;
        ASSERT_TRUE((*engine)->Close().ok());
      }
      verified_.insert(directory);
      std::filesystem::remove_all(directory);
    }
  }

  static void VerifyBackup(Connection* connection, const JournalState::Backup& backup,
                           const JournalState& state) {
    auto table = connection->OpenTable({"default", "t"});
    ASSERT_TRUE(table.ok()) << table.status().ToString();
    std::map<int64_t, int> rows;  // of each batch
    auto scanner = (*table)->OpenScanner({});
    ASSERT_TRUE(scanner.ok()) << scanner.status().ToString();
    CellBatch batch;
    do {
      const Status status = (*scanner)->Next(100, &batch);
      ASSERT_TRUE(status.ok()) << status.ToString();
      for (const uint32_t start : batch.row_starts) {
        const std::string row(batch.cells[start].row());
        if (row != "counter") ++rows[std::stoll(row.substr(1, 10))];
      }
    } while (batch.row_count() > 0);
    for (const int64_t number : backup.batches) {
      if (state.batches.at(number).removal_begun) continue;  // perhaps before the backup
      ASSERT_EQ(rows[number], RowsPerRegion(number) * static_cast<int>(std::size(kPrefixes)))
          << "batch " << number;
    }
  }

  void VerifyBatches(Connection* connection, const JournalState& state) {
    auto table = connection->OpenTable({"default", "t"});
    ASSERT_TRUE(table.ok());
    ASSERT_NO_FATAL_FAILURE(VerifyChain(**table));
    std::map<std::pair<char, int64_t>, std::set<int>> found;
    int64_t counter = 0;
    auto scanner = (*table)->OpenScanner({});
    ASSERT_TRUE(scanner.ok());
    CellBatch rows;
    for (;;) {
      const Status status = (*scanner)->Next(100, &rows);
      ASSERT_TRUE(status.ok()) << status.ToString();
      if (rows.row_count() == 0) break;
      for (size_t i = 0; i < rows.row_count(); ++i) {
        const Cell* const cells = &rows.cells[rows.row_starts[i]];
        const std::string row(cells[0].row());
        if (row == "counter") {
          counter = static_cast<int64_t>(LoadBE64(cells[0].value));
          continue;
        }
        const int64_t number = std::stoll(row.substr(1, 10));
        const int index = std::stoi(row.substr(12));
        ASSERT_EQ(rows.row_end(i) - rows.row_starts[i], 3u) << "half a row: " << row;
        for (int c = 0; c < 3; ++c) ASSERT_EQ(cells[c].value_view(), CellValue(number)) << row;
        found[{row[0], number}].insert(index);
      }
    }
    for (const auto& [key, indexes] : found) {
      ASSERT_TRUE(state.batches.contains(key.second)) << "never written: " << key.second;
      ASSERT_EQ(static_cast<int>(indexes.size()), RowsPerRegion(key.second))
          << "a part of batch " << key.second << " in region " << key.first;
    }
    for (const auto& [number, batch] : state.batches) {
      for (const char prefix : kPrefixes) {
        const bool there = found.contains({prefix, number});
        if (batch.removed) {
          ASSERT_FALSE(there) << "batch " << number << " was deleted, region " << prefix;
        } else if (batch.done && !batch.removal_begun) {
          ASSERT_TRUE(there) << "batch " << number << " was acknowledged, region " << prefix;
        }
      }
    }
    ASSERT_GE(counter, state.counter_acknowledged);
    ASSERT_LE(counter, state.counter_begun);
  }

  // Splits and merges that died have left regions without holes.
  static void VerifyChain(const Table& table) {
    Bytes end;
    for (const RegionInfo& region : table.regions()) {
      ASSERT_EQ(region.start_key, end);
      end = region.end_key;
    }
    ASSERT_EQ(end, "");
  }

  // A table or snapshot that was made, or removed, is or is not there.
  static void VerifyThere(const std::string& name, const JournalState::Thing& thing, bool there) {
    if (thing.removed) {
      ASSERT_FALSE(there) << name << " was removed";
    } else if (thing.done && !thing.removal_begun) {
      ASSERT_TRUE(there) << name << " was made";
    }
  }

  static std::set<std::string> ReadRows(Connection* connection, const TableName& name) {
    std::set<std::string> rows;
    auto table = connection->OpenTable(name);
    EXPECT_TRUE(table.ok()) << table.status().ToString();
    if (!table.ok()) return rows;
    EXPECT_EQ((*table)->regions().size(), 2u) << name.ToString();
    auto scanner = (*table)->OpenScanner({});
    EXPECT_TRUE(scanner.ok()) << name.ToString() << ": " << scanner.status().ToString();
    if (!scanner.ok()) return rows;
    CellBatch cells;
    do {
      const Status status = (*scanner)->Next(10, &cells);
      EXPECT_TRUE(status.ok()) << name.ToString() << ": " << status.ToString();
      if (!status.ok()) break;
      for (const uint32_t start : cells.row_starts) rows.emplace(cells.cells[start].row());
    } while (cells.row_count() > 0);
    return rows;
  }

  void VerifyTables(Connection* connection, const JournalState& state, bool read_only) {
    Admin* const admin = connection->admin();
    for (const auto& [number, table] : state.tables) {
      const TableName name = {"default", "ddl_" + std::to_string(number)};
      const bool there = admin->TableExists(name).value();
      ASSERT_NO_FATAL_FAILURE(VerifyThere(name.ToString(), table, there));
      if (!there) continue;
      if (!admin->IsTableEnabled(name).value()) {
        if (read_only) continue;  // died before it was enabled again
        ASSERT_TRUE(admin->EnableTable(name).ok());
      }
      const auto rows = ReadRows(connection, name);
      const auto change = state.changes.find(number);
      if (change == state.changes.end()) continue;
      ASSERT_TRUE(rows.contains("a") && rows.contains("z"))
          << name.ToString() << ": " << ::testing::PrintToString(rows);
      ASSERT_NO_FATAL_FAILURE(
          VerifyThere(name.ToString() + "'s row", change->second, rows.contains("extra")));
    }
  }

  void VerifySnapshots(Connection* connection, const JournalState& state, bool read_only) {
    Admin* const admin = connection->admin();
    const auto rows_must_be = [&](const TableName& name) {
      ASSERT_EQ(ReadRows(connection, name), (std::set<std::string>{"a", "z"})) << name.ToString();
    };
    for (const auto& [number, clone] : state.clones) {
      const TableName name = {"default", "clone_" + std::to_string(number)};
      const bool there = admin->TableExists(name).value();
      ASSERT_NO_FATAL_FAILURE(VerifyThere(name.ToString(), clone, there));
      if (!there) continue;
      const auto truncation = state.truncations.find(number);
      if (!admin->IsTableEnabled(name).value()) {
        // Died before the step that truncates and enables it.
        ASSERT_TRUE(truncation == state.truncations.end() || !truncation->second.done) << number;
        if (read_only) continue;
        ASSERT_TRUE(admin->EnableTable(name).ok());
      } else if (truncation != state.truncations.end() &&
                 (truncation->second.done || ReadRows(connection, name).empty())) {
        ASSERT_EQ(ReadRows(connection, name), std::set<std::string>()) << name.ToString();
        continue;
      }
      ASSERT_NO_FATAL_FAILURE(rows_must_be(name));
    }
    const auto list = admin->ListSnapshots();
    ASSERT_TRUE(list.ok()) << list.status().ToString();
    std::set<std::string> names;
    for (const auto& snapshot : *list) names.insert(snapshot.name);
    for (const auto& [number, snapshot] : state.snapshots) {
      const std::string name = "snap_" + std::to_string(number);
      ASSERT_NO_FATAL_FAILURE(VerifyThere(name, snapshot, names.contains(name)));
    }
    if (read_only) return;
    const TableName probe = {"default", "probe"};
    for (const std::string& name : names) {
      const Status cloned = admin->CloneSnapshot(name, probe);
      ASSERT_TRUE(cloned.ok()) << name << ": " << cloned.ToString();
      if (name.starts_with("snap_")) {
        ASSERT_NO_FATAL_FAILURE(rows_must_be(probe));
      } else {
        ASSERT_TRUE(admin->DeleteSnapshot(name).ok());  // left by a restore that died
      }
      ASSERT_TRUE(admin->DropTable(probe).ok());
    }
  }

  uint64_t seed_ = 0;
  std::mt19937_64 random_;
  std::string base_;
  std::string directory_;
  std::string journal_;
  int generation_ = 0;
  std::set<std::string> verified_;  // backups, which are removed then
};

TEST_F(KillTest, EveryPointAndRandomMoments) {
  std::map<std::string, int> deaths;
  int kills = 0;
  const auto one = [&](const std::string& points, const std::optional<Kill>& kill) {
    const std::string place = RunWriter(points, kill);
    if (place.empty()) return;
    ++kills;
    ++deaths[place];
    // Mostly without changing anything, so that recovery is the next writer's, and dies as well.
    Verify(kills % 4 != 0);
  };
  // Something to start from, so that every point is passed soon.
  one("", Kill{true, 200});
  for (const char* point : kPoints) {
    const bool creation = std::string_view(point).starts_with("root.create.");
    const bool recovery = std::string_view(point).starts_with("recovery.");
    for (int attempt = 0; attempt < 4 && deaths[point] == 0; ++attempt) {
      if (creation) NewDirectory();
      // Whoever died last may have left nothing to recover.
      if (recovery && attempt > 0) one("", Kill{true, 100});
      ASSERT_FALSE(HasFailure()) << "before a death at " << point << " in " << directory_;
      // The first retries come early; a rare point may be passed once only.
      const uint64_t passage = creation || attempt > 0 ? 1 : 1 + random_() % 2;
      one(std::string(point) + "=kill@" + std::to_string(passage), std::nullopt);
      ASSERT_FALSE(HasFailure()) << "after a death at " << point << " in " << directory_;
    }
    EXPECT_GT(deaths[point], 0) << "nobody died at " << point;
  }
  const char* text = std::getenv("BENNU_CRASH_KILLS");
  const int random_kills = text != nullptr ? std::atoi(text) : 25;
  for (int i = 0; i < random_kills; ++i) {
    if (i % 20 == 19) NewDirectory();
    const bool after_acknowledgement = i % 2 == 1;
    one("", Kill{after_acknowledgement, 20 + static_cast<int64_t>(random_() % 300)});
    ASSERT_FALSE(HasFailure()) << "after a death at a random moment in " << directory_;
  }
  Verify(false);
  for (const auto& [place, count] : deaths) std::printf("%4d  %s\n", count, place.c_str());
  std::printf("%d deaths\n", kills);
  EXPECT_GE(kills, 50);
}

TEST_F(KillTest, EveryPointOfLoadsAndBackups) {
  std::map<std::string, int> deaths;
  int kills = 0;
  const auto one = [&](const std::string& points, const std::optional<Kill>& kill) {
    const std::string place = RunWriter(points, kill, "loads");
    if (place.empty()) return;
    ++deaths[place];
    // Every other time the next writer, which may die of the same, has to recover.
    Verify(++kills % 2 == 0);
  };
  for (const char* point : kLoadPoints) {
    for (int attempt = 0; attempt < 4 && deaths[point] == 0; ++attempt) {
      const uint64_t passage = attempt > 0 ? 1 : 1 + random_() % 3;
      one(std::string(point) + "=kill@" + std::to_string(passage), std::nullopt);
      ASSERT_FALSE(HasFailure()) << "after a death at " << point << " in " << directory_;
    }
    EXPECT_GT(deaths[point], 0) << "nobody died at " << point;
  }
  for (int i = 0; i < 5; ++i) {
    one("", Kill{true, 50 + static_cast<int64_t>(random_() % 300)});
    ASSERT_FALSE(HasFailure()) << "after a death at a random moment in " << directory_;
  }
  Verify(false);
  for (const auto& [place, count] : deaths) std::printf("%4d  %s\n", count, place.c_str());
}

}  // namespace
}  // namespace bennu::testing
