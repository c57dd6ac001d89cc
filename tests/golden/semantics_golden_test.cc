// semantics/: what HBase answered to sequences of writes, flushes, compactions and reads, for eight
// kinds of tables. Bennu must answer the same, and the model of the tests too.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/engine/open.h"
#include "tests/golden/semantics_player.h"
#include "tests/support/memory_store.h"
#include "tests/support/served_store.h"

namespace bennu::golden {
namespace {

// An engine in a directory of its own.
class Store {
 public:
  explicit Store(engine::EngineOptions options) : options_(std::move(options)) {
    options_.wal_sync = engine::WalSync::kOs;  // this is not about the machine's death
    options_.background_compaction = false;
    path_ = std::filesystem::temp_directory_path() /
            ("bennu_semantics_" + std::to_string(Env::Default()->RandomU64()));
    Open();
  }
  ~Store() {
    engine_.reset();
    std::filesystem::remove_all(path_);
  }
  void Open() {
    engine_.reset();
    auto engine = engine::OpenEngine(path_, options_);
    ASSERT_TRUE(engine.ok()) << engine.status().ToString();
    engine_ = std::move(engine).value();
  }
  Connection* connection() { return engine_.get(); }

 private:
  engine::EngineOptions options_;
  std::string path_;
  std::unique_ptr<engine::Engine> engine_;
};

bool Writes(const Json& line) {
  const std::string op = line.at("op").get<std::string>();
  return op != "get" && op != "scan" && op != "exists" && op != "create";
}

void Expect(const std::string& differs) { EXPECT_TRUE(differs.empty()) << differs; }

bool KeepsDeleted(const Script& script) {
  return script.lines[0].dump().find(R"("keepDeletedCells":"T)") != std::string::npos;
}

TEST(Semantics, AsRecorded) {
  for (const Script& script : ReadScripts()) {
    SCOPED_TRACE(script.name);
    Store store({});
    SemanticsPlayer player(store.connection(), {});
    for (const Json& line : script.lines) Expect(player.Play(line));
  }
}

// By a client of a server, whose table has as many regions.
TEST(Semantics, Served) {
  for (const std::vector<Bytes>& splits : {std::vector<Bytes>(), {"a3", "c", "k1", "r2", "x1"}}) {
    for (const Script& script : ReadScripts()) {
      SCOPED_TRACE(script.name);
      engine::EngineOptions options;
      options.wal_sync = engine::WalSync::kOs;
      options.background_compaction = false;
      bennu::testing::ServedStore store(options);
      SemanticsPlayer player(store.connection(), splits);
      for (const Json& line : script.lines) {
        const std::string differs = player.Play(line);
        if (splits.empty() || !KeepsDeleted(script) || !line.value("raw", false)) Expect(differs);
      }
    }
  }
}

// Several regions. When a compaction drops markers of a family that keeps deleted cells depends on
// the oldest put of the region's files, so raw scans of such tables may lack some.
TEST(Semantics, Split) {
  for (const Script& script : ReadScripts()) {
    SCOPED_TRACE(script.name);
    Store store({});
    SemanticsPlayer player(store.connection(), {"a3", "c", "k1", "r2", "r3", "x1"});
    for (const Json& line : script.lines) {
      const std::string differs = player.Play(line);
      if (!KeepsDeleted(script) || !line.value("raw", false)) Expect(differs);
    }
  }
}

// Writers keep the store busy: its log, its sequence ids, its flushes.
TEST(Semantics, AmongWriters) {
  for (const Script& script : ReadScripts()) {
    SCOPED_TRACE(script.name);
    Store store({});
    TableDescriptor descriptor;
    descriptor.name.qualifier = "busy";
    descriptor.families.resize(1);
    descriptor.families[0].name = "f";
    ASSERT_TRUE(store.connection()->admin()->CreateTable(descriptor, {"m"}).ok());
    std::atomic<bool> stop{false};
    std::vector<std::thread> writers;
    for (int t = 0; t < 2; ++t) {
      writers.emplace_back([&, t] {
        auto table = store.connection()->OpenTable(descriptor.name);
        ASSERT_TRUE(table.ok());
        MutationBatch batch;
        for (int i = 0; !stop.load(); ++i) {
          batch.Clear();
          batch.StartRow(std::string(1, static_cast<char>('a' + i % 26)));
          batch.Put("f", std::to_string(t), std::to_string(i));
          ASSERT_TRUE((*table)->Write(&batch).ok());
          if (i % 200 != 0) continue;
          ASSERT_TRUE(store.connection()->admin()->Flush(descriptor.name).ok());
        }
      });
    }
    SemanticsPlayer player(store.connection(), {});
    for (const Json& line : script.lines) {
      const std::string differs = player.Play(line);
      EXPECT_TRUE(differs.empty()) << differs;
    }
    stop.store(true);
    for (auto& writer : writers) writer.join();
  }
}

// Writers of the same rows and families, whose cells have expired when they are written: no reader
// may see one, none counts as a version, and no answer changes. Compactions and flushes, and
// conditions, increments and deletes, meet them under way.
TEST(Semantics, AmongWritersOfTheSameRows) {
  for (const Script& script : ReadScripts()) {
    SCOPED_TRACE(script.name);
    Store store({});
    SemanticsPlayer player(store.connection(), {});
    Expect(player.Play(script.lines[0]));
    std::set<Bytes> rows;
    for (const Json& line : script.lines) rows.insert(line.value("row", ""));
    rows.erase("");
    auto table = store.connection()->OpenTable(player.table_name());
    ASSERT_TRUE(table.ok());
    const TableDescriptor descriptor = (*table)->descriptor();
    std::atomic<bool> stop{false};
    std::atomic<int> rounds{0};
    std::vector<std::thread> writers;
    for (int t = 0; t < 2; ++t) {
      writers.emplace_back([&, t] {
        MutationBatch batch;
        while (!stop.load()) {
          batch.Clear();
          for (const Bytes& row : rows) {
            batch.StartRow(row);
            batch.SetTtlMillis(1);
            for (const auto& family : descriptor.families) {
              for (const char* column : {"a", "b", "cnt", "q", ""}) {
                batch.Put(family.name, column, "expired", 15 + 10 * t);
              }
            }
          }
          EXPECT_TRUE((*table)->Write(&batch).ok());
          ++rounds;
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
      });
    }
    while (rounds.load() < 2) std::this_thread::yield();
    for (const Json& line : script.lines) {
      if (line.at("op") != "create") Expect(player.Play(line));
    }
    stop.store(true);
    for (auto& writer : writers) writer.join();
  }
}

// What a flush or compaction that HBase did not do at that place can change, as it would in HBase:
//   - raw scans and reads of a time range, which see more than the newest versions;
//   - rows of which single versions were deleted: an older one comes out, unless it was dropped;
//   - if all files were merged: rows with any delete marker, which hides no later put any more.
class EarlyDrops {
 public:
  explicit EarlyDrops(bool merges) : merges_(merges) {}
  // Plays the line and compares what can be compared.
  void Play(const Json& line, SemanticsPlayer* player) {
    const std::string kind = line.value("kind", "");
    const std::string text = line.dump();
    const bool single = kind.find("ersion") != std::string::npos || kind == "mixed" ||
                        text.find("delete version") != std::string::npos;
    const bool marks = !kind.empty() || text.find("delete") != std::string::npos;
    if (single || (marks && merges_)) unsure_.insert(line.value("row", ""));
    const std::string differs = player->Play(line, unsure_);
    const bool looks_back =
        line.value("raw", false) || (line.contains("timeRange") && !line.at("timeRange").is_null());
    if (!looks_back) Expect(differs);
  }

 private:
  const bool merges_;
  std::set<std::string> unsure_;
};

// Nothing is flushed at the end, so that each opening replays the log.
TEST(Semantics, Recovered) {
  for (const Script& script : ReadScripts()) {
    SCOPED_TRACE(script.name);
    engine::EngineOptions options;
    options.flush_on_close = false;
    Store store(options);
    SemanticsPlayer player(store.connection(), {"r3"});
    EarlyDrops drops(false);
    size_t count = 0;
    for (const Json& line : script.lines) {
      drops.Play(line, &player);
      if (++count % 7 != 0) continue;
      store.Open();
      player.Reconnect(store.connection());
    }
  }
}

std::map<std::string, std::string> DateTiered() {
  return {{"hbase.hstore.engine.class", "DateTieredStoreEngine"},
          {"hbase.hstore.compaction.date.tiered.incoming.window.min", "2"},
          {"hbase.hstore.compaction.date.tiered.base.window.millis", "1000"}};
}
// Each write sets the memstore aside.
std::map<std::string, std::string> InMemory(const std::string& policy) {
  return {{"hbase.hregion.compacting.memstore.type", policy},
          {"hbase.memstore.inmemoryflush.threshold.factor", "0.00000001"}};
}

std::map<std::string, std::string> Striped() {
  return {{"hbase.hstore.engine.class", "StripeStoreEngine"},
          {"hbase.store.stripe.initialStripeCount", "3"},
          {"hbase.store.stripe.compaction.minFiles", "2"},
          {"hbase.store.stripe.sizeToSplit", "4000"}};
}

void PlayAsRecorded(const std::map<std::string, std::string>& configuration) {
  for (const Script& script : ReadScripts()) {
    SCOPED_TRACE(script.name);
    engine::EngineOptions options;
    options.configuration = configuration;
    Store store(options);
    SemanticsPlayer player(store.connection(), {});
    for (const Json& line : script.lines) Expect(player.Play(line));
  }
}

TEST(Semantics, AsRecordedDateTiered) { PlayAsRecorded(DateTiered()); }
TEST(Semantics, AsRecordedStriped) { PlayAsRecorded(Striped()); }
TEST(Semantics, AsRecordedBasicInMemory) { PlayAsRecorded(InMemory("BASIC")); }

// A flush after each write, and now and then a minor compaction.
void PlayFlushed(size_t compact_every, const std::map<std::string, std::string>& configuration = {},
                 const std::map<std::string, std::string>& attributes = {}) {
  for (const Script& script : ReadScripts()) {
    SCOPED_TRACE(script.name);
    engine::EngineOptions options;
    options.configuration = configuration;
    Store store(options);
    Admin* const admin = store.connection()->admin();
    SemanticsPlayer player(store.connection(), {}, attributes);
    EarlyDrops drops(compact_every > 0);
    size_t count = 0;
    for (const Json& line : script.lines) {
      drops.Play(line, &player);
      if (!Writes(line)) continue;
      ASSERT_TRUE(admin->Flush(player.table_name()).ok());
      if (compact_every == 0 || ++count % compact_every != 0) continue;
      ASSERT_TRUE(admin->Compact(player.table_name(), false).ok());
    }
  }
}

TEST(Semantics, FlushedAfterEachWrite) { PlayFlushed(0); }
TEST(Semantics, FlushedAfterEachWriteWithRowColBlooms) {
  PlayFlushed(0, {}, {{"BLOOMFILTER", "ROWCOL"}});
}
TEST(Semantics, FlushedAfterEachWriteWithPrefixBlooms) {
  PlayFlushed(
      0, {},
      {{"BLOOMFILTER", "ROWPREFIX_FIXED_LENGTH"}, {"RowPrefixBloomFilter.prefix_length", "1"}});
}
TEST(Semantics, CompactedNowAndThen) { PlayFlushed(5); }
TEST(Semantics, CompactedNowAndThenDateTiered) { PlayFlushed(5, DateTiered()); }
TEST(Semantics, CompactedNowAndThenStriped) { PlayFlushed(5, Striped()); }
TEST(Semantics, CompactedNowAndThenEagerInMemory) { PlayFlushed(5, InMemory("EAGER")); }

// The model of the tests drops nothing in a flush, and has no filters and no
// NEW_VERSION_BEHAVIOR.
TEST(Semantics, Model) {
  size_t played = 0;
  for (const Script& script : ReadScripts()) {
    SCOPED_TRACE(script.name);
    if (script.lines[0].dump().find(R"("newVersionBehavior":true)") != std::string::npos) continue;
    ++played;
    bennu::testing::MemoryStore store;
    SemanticsPlayer player(&store, {});
    EarlyDrops drops(true);
    for (const Json& line : script.lines) {
      if (line.value("condition", "").starts_with("filter")) continue;
      drops.Play(line, &player);
    }
  }
  EXPECT_GT(played, 0u);
}

}  // namespace
}  // namespace bennu::golden
