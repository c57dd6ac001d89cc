// Writes that carry others: a mirror that an observer keeps is at every moment what the mirrored
// table says, whatever is written and whatever happens to the regions of both.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "src/base/no_wait.h"
#include "src/engine/async_writes.h"
#include "src/engine/served_table.h"
#include "tests/engine/root/engine_fixture.h"
#include "tests/support/mirror_observer.h"

namespace bennu::engine {
namespace {

const TableName kTable{"default", "t"};
const TableName kMirror{"default", "m"};

// Mutations of all kinds of few rows, so that they meet.
class RandomWrites {
 public:
  explicit RandomWrites(uint32_t seed) : random_(seed) {}

  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }
  Bytes Row() { return std::string(1, static_cast<char>('a' + Below(12))); }

  void AddRow(Engine* engine, MutationBatch* batch) {
    now_ = engine->NowMillis();
    switch (Below(10)) {
      case 0: batch->DeleteRow(Row(), Below(2) == 0 ? kLatestTimestamp : Timestamp()); break;
      case 1: AddCounters(batch); break;
      case 2: AddAppends(batch); break;
      default: {
        batch->StartRow(Row());
        AddOptions(batch);
        for (uint32_t i = 1 + Below(4); i > 0; --i) AddCell(batch);
      }
    }
  }
  // Not plain: options take a batch another way.
  void AddOptions(MutationBatch* batch) {
    if (Below(12) == 0) batch->SetDurability(Durability::kSkipWal);
    if (Below(12) == 0) batch->SetTtlMillis(int64_t{3'600'000} * 24);
  }

  void AddCell(MutationBatch* batch) {
    const Bytes family = Family();
    const Bytes qualifier = Qualifier();
    switch (Below(12)) {
      case 0: batch->DeleteColumn(family, qualifier, Timestamp()); break;
      case 1: batch->DeleteVersion(family, qualifier, Timestamp()); break;
      case 2: batch->DeleteFamily(family, Timestamp()); break;
      case 3: batch->DeleteFamilyVersion(family, 1 + Below(6)); break;
      case 4: batch->DeleteColumn(family, qualifier); break;
      default: batch->Put(family, qualifier, std::to_string(Below(5)), Timestamp());
    }
  }

  Table::Condition Condition(const Bytes& row) {
    Table::Condition condition;
    condition.row = row;
    condition.family = Family();
    condition.qualifier = Qualifier();
    condition.expect_absent = Below(2) == 0;
    condition.value = std::to_string(Below(5));
    return condition;
  }

 private:
  void AddCounters(MutationBatch* batch) {
    batch->StartIncrement(Row());
    batch->Increment(Family(), "count", static_cast<int64_t>(Below(3)));
  }
  void AddAppends(MutationBatch* batch) {
    batch->StartAppend(Row());
    batch->Append("f", "text", std::string(1, static_cast<char>('a' + Below(3))));
  }
  Bytes Family() {
    constexpr const char* kFamilies[] = {"f", "g", "n"};
    return kFamilies[Below(3)];
  }
  Bytes Qualifier() {
    constexpr const char* kQualifiers[] = {"", "p", "q", "r"};
    return kQualifiers[Below(4)];
  }
  // Mostly the store's; also old ones, and some that are ahead by a little, or by far.
  int64_t Timestamp() {
    switch (Below(24)) {
      case 0: return now_ + static_cast<int64_t>(Below(3));
      case 1: return now_ + 3'600'000 + static_cast<int64_t>(Below(3));
      case 2:
      case 3:
      case 4: return 1 + Below(6);
      default: return kLatestTimestamp;
    }
  }

  std::mt19937 random_;
  int64_t now_ = 0;
};

class WriteObserverTest : public EngineFixture {
 protected:
  void TearDown() override {
    // The source goes before the engine does.
    if (engine_ != nullptr) {
      EXPECT_TRUE(engine_->SetWriteObservers(nullptr).ok());
    }
    table_.reset();
    mirror_.reset();
    EngineFixture::TearDown();
  }

  void OpenStore(const EngineOptions& given = {}) {
    table_.reset();
    mirror_.reset();
    EngineOptions options = given;
    options.wal_sync = WalSync::kOs;
    Open(options);
    ASSERT_TRUE(engine_->SetWriteObservers(&source_).ok());
  }
  void OpenTables() {
    table_ = OpenTable("t");
    mirror_ = OpenTable("m");
  }
  // Of few versions: flushes and compactions drop what a deletion of a newer one would show again,
  // and markers with what is written under them at that moment.
  void CreateTables() {
    TableDescriptor descriptor;
    descriptor.name = kTable;
    descriptor.families.resize(3);
    descriptor.families[0].name = "f";
    descriptor.families[0].attributes["VERSIONS"] = "1";
    descriptor.families[1].name = "g";
    descriptor.families[1].attributes["VERSIONS"] = "3";
    descriptor.families[2].name = "n";
    descriptor.families[2].attributes["NEW_VERSION_BEHAVIOR"] = "true";
    ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, {"e"}).ok());
    descriptor = {};
    descriptor.name = kMirror;
    descriptor.families.resize(1);
    descriptor.families[0].name = "f";
    ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, {"2", "3|c"}).ok());
    OpenTables();
  }

  Bytes FirstValue(const Bytes& row) {
    Get get;
    get.row = row;
    const auto found = table_->GetRow(get);
    return found.ok() && !found->cells.empty() ? Bytes(found->cells[0].value_view()) : Bytes();
  }

  std::string Difference() {
    const auto text = MirrorDifference(table_.get(), mirror_.get(), engine_->TakeSnapshot());
    return text.ok() ? *text : text.status().ToString();
  }

  // One write of some kind. An increment of what is no counter is refused, and so is an atomic
  // batch of several regions.
  void WriteSomething(RandomWrites* random) {
    MutationBatch batch;
    constexpr Durability kDurabilities[] = {Durability::kUseDefault, Durability::kUseDefault,
                                            Durability::kAsyncWal, Durability::kSkipWal};
    batch.durability = kDurabilities[random->Below(4)];
    const uint32_t kind = random->Below(6);
    Status status;
    if (kind == 0) {
      const Bytes row = random->Row();
      batch.StartRow(row);
      for (uint32_t i = 1 + random->Below(3); i > 0; --i) random->AddCell(&batch);
      status = table_->CheckAndWrite(random->Condition(row), &batch).status();
    } else {
      for (uint32_t i = 1 + random->Below(4); i > 0; --i) random->AddRow(engine_.get(), &batch);
      status = kind == 1 ? table_->MutateAtomically(&batch, nullptr) : table_->Write(&batch);
    }
    if (status.code() == StatusCode::kInvalidArgument) return;
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  void ChangeRegions(uint32_t step, RandomWrites* random) {
    Admin* const admin = engine_->admin();
    const TableName& name = random->Below(2) == 0 ? kTable : kMirror;
    Table* const table = name == kTable ? table_.get() : mirror_.get();
    switch (step % 5) {
      case 0: ASSERT_TRUE(admin->Flush(name).ok()); break;
      case 1: ASSERT_TRUE(admin->Compact(name, random->Below(2) == 0).ok()); break;
      case 2: {
        // Not where a border is already.
        const Bytes row =
            name == kTable ? random->Row() : std::to_string(random->Below(5)) + "|" + random->Row();
        static_cast<void>(admin->SplitTable(name, row).ok());
        break;
      }
      case 3: {
        const auto regions = table->regions();
        if (regions.size() < 3) break;
        const size_t first = random->Below(static_cast<uint32_t>(regions.size() - 1));
        // Not while one of them has references of a split.
        static_cast<void>(
            admin->MergeRegions({regions[first].EncodedName(), regions[first + 1].EncodedName()})
                .ok());
        break;
      }
      default: break;
    }
  }

  MirrorSource source_{kTable, kMirror};
  std::shared_ptr<Table> table_;
  std::shared_ptr<Table> mirror_;
};

// After each single write, and after what happens to regions between.
TEST_F(WriteObserverTest, TheMirrorIsRightAfterEveryWrite) {
  OpenStore();
  CreateTables();
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    RandomWrites random(seed);
    for (uint32_t i = 0; i < 400; ++i) {
      ASSERT_NO_FATAL_FAILURE(WriteSomething(&random));
      if (i % 20 == 19) {
        ASSERT_NO_FATAL_FAILURE(ChangeRegions(random.Below(5), &random));
      }
      ASSERT_EQ("", Difference()) << "seed " << seed << ", write " << i;
    }
    OpenStore();
    OpenTables();
    ASSERT_EQ("", Difference()) << "seed " << seed << ", opened again";
  }
  EXPECT_GT(source_.observer()->seen.load(), 1000u);
}

// The same of every moment while several write, and the regions of both tables change.
TEST_F(WriteObserverTest, TheMirrorIsRightAtEveryMoment) {
  EngineOptions options;
  options.memstore_flush_bytes = 64 << 10;
  OpenStore(options);
  CreateTables();
  constexpr uint32_t kWriters = 3;
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (uint32_t t = 0; t < kWriters; ++t) {
    threads.emplace_back([&, t] {
      RandomWrites random(100 + t);
      while (!stop.load()) {
        WriteSomething(&random);
        if (HasFatalFailure()) stop.store(true);
      }
    });
  }
  std::thread changer([&] {
    RandomWrites random(200);
    for (uint32_t i = 0; !stop.load(); ++i) {
      ChangeRegions(i, &random);
      if (HasFatalFailure()) stop.store(true);
    }
  });
  const int64_t end = Env::Default()->NowMillis() + 6'000;
  uint64_t looks = 0;
  for (; Env::Default()->NowMillis() < end && !stop.load(); ++looks) {
    const std::string difference = Difference();
    EXPECT_EQ("", difference);
    if (!difference.empty()) break;
  }
  stop.store(true);
  for (std::thread& thread : threads) thread.join();
  changer.join();
  EXPECT_GT(looks, 10u);
  EXPECT_EQ("", Difference());
  OpenStore();
  OpenTables();
  EXPECT_EQ("", Difference());
}

TEST_F(WriteObserverTest, AnErrorRefusesTheBatch) {
  OpenStore();
  CreateTables();
  ASSERT_TRUE(Put(table_.get(), "a", "1").ok());
  source_.observer()->refuses.store(true);
  MutationBatch batch;
  batch.StartRow("a");
  batch.Put("f", "q", "2");
  const Status refused = table_->Write(&batch);
  EXPECT_EQ(StatusCode::kInvalidArgument, refused.code());
  EXPECT_NE(std::string::npos, refused.message().find("refused by the mirror"));
  EXPECT_FALSE(table_->Increment("a", "f", "count", 1).ok());
  EXPECT_EQ("1", FirstValue("a"));
  EXPECT_EQ("", Difference());
  // No lock is left, and the very batch may be written later.
  source_.observer()->refuses.store(false);
  ASSERT_TRUE(table_->Write(&batch).ok());
  EXPECT_EQ("2", FirstValue("a"));
  EXPECT_EQ("", Difference());
}

// A table without which the observer's writes have no place.
TEST_F(WriteObserverTest, WithoutTheDerivedTableNothingIsWritten) {
  OpenStore();
  CreateTables();
  ASSERT_TRUE(engine_->admin()->DisableTable(kMirror).ok());
  EXPECT_EQ(StatusCode::kFailedPrecondition, Put(table_.get(), "a").code());
  ASSERT_TRUE(engine_->admin()->EnableTable(kMirror).ok());
  EXPECT_TRUE(Put(table_.get(), "a").ok());
  mirror_ = OpenTable("m");
  EXPECT_EQ("", Difference());
  ASSERT_TRUE(engine_->admin()->DisableTable(kMirror).ok());
  ASSERT_TRUE(engine_->admin()->DropTable(kMirror).ok());
  EXPECT_EQ(StatusCode::kNotFound, Put(table_.get(), "b").code());
  EXPECT_EQ((std::vector<std::string>{"a"}), Rows(table_.get()));
}

// Who observes is asked once for each region, and again when it is told.
TEST_F(WriteObserverTest, TheSourceIsAskedAgainAfterAChange) {
  source_.on.store(false);
  OpenStore();
  CreateTables();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Put(table_.get(), "a", std::to_string(i)).ok());
  const uint64_t asked = source_.asked.load();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Put(table_.get(), "a", std::to_string(i)).ok());
  EXPECT_EQ(asked, source_.asked.load());
  EXPECT_TRUE(Rows(mirror_.get()).empty());
  source_.on.store(true);
  ASSERT_TRUE(engine_->ObserverChanged(kTable).ok());
  ASSERT_TRUE(Put(table_.get(), "a", "3").ok());
  ASSERT_TRUE(Put(table_.get(), "b", "4").ok());
  EXPECT_EQ((std::vector<std::string>{"3|a|f:q", "4|b|f:q"}), Rows(mirror_.get()));
  source_.on.store(false);
  ASSERT_TRUE(engine_->ObserverChanged(kTable).ok());
  ASSERT_TRUE(Put(table_.get(), "b", "5").ok());
  EXPECT_EQ((std::vector<std::string>{"3|a|f:q", "4|b|f:q"}), Rows(mirror_.get()));
}

// Writers of the table wait for flushes of the mirror.
TEST_F(WriteObserverTest, AFullMirrorIsWaitedFor) {
  OpenStore();
  TableDescriptor descriptor;
  descriptor.name = kMirror;
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  descriptor.attributes = {{"MEMSTORE_FLUSHSIZE", "1048576"},
                           {"hbase.hregion.memstore.block.multiplier", "1"}};
  ASSERT_TRUE(engine_->admin()->CreateTable(descriptor, {}).ok());
  CreateTable("t");
  OpenTables();
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const std::string number = std::to_string(t) + "." + std::to_string(i);
        ASSERT_TRUE(Put(table_.get(), number, number + std::string(20000, 'v')).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ("", Difference());
  EXPECT_GT(engine_->admin()->ListRegions(kMirror)->front().store_files, 0u);
}

// Who must not wait is refused whatever would have to be read or asked for, and nothing is done.
TEST_F(WriteObserverTest, NobodyWaitsWhoMustNot) {
  OpenStore();
  CreateTables();
  ASSERT_TRUE(Put(mirror_.get(), "9", "v").ok());  // opens its last region alone
  const auto writes = engine_->OpenServedTable(kTable).value();
  const auto write = [&](const std::string& value, bool* refused) {
    MutationBatch batch;
    batch.StartRow("a");
    batch.Put("f", "q", value);
    Status outcome;
    {
      NoWaitScope scope;
      writes->MutateAsync(&batch, nullptr, [&](const Status& status) { outcome = status; });
      writes->LeadLog();
      *refused = scope.refused();
    }
    return outcome;
  };
  bool refused = false;
  EXPECT_FALSE(write("1", &refused).ok());
  EXPECT_TRUE(refused);  // the source is asked, which may take long
  EXPECT_TRUE(Rows(table_.get()).empty());
  ASSERT_TRUE(Put(table_.get(), "a", "2").ok());
  EXPECT_TRUE(write("3", &refused).ok());
  EXPECT_FALSE(refused);
  EXPECT_EQ("3", FirstValue("a"));
}

// What a snapshot that is taken after ObserverChanged does not show was observed.
TEST_F(WriteObserverTest, EveryWriteIsObservedOrInTheSnapshot) {
  OpenStore();
  CreateTables();
  for (int round = 0; round < 20; ++round) {
    source_.on.store(false);
    ASSERT_TRUE(engine_->ObserverChanged(kTable).ok());
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; !stop.load() || i < 20; ++i) {
          const std::string row =
              std::to_string(round) + "." + std::to_string(t) + "." + std::to_string(i);
          ASSERT_TRUE(Put(table_.get(), row, row).ok());
        }
      });
    }
    Env::Default()->SleepMicros(3000);
    source_.on.store(true);
    ASSERT_TRUE(engine_->ObserverChanged(kTable).ok());
    const auto snapshot = engine_->TakeSnapshot();
    Env::Default()->SleepMicros(3000);
    stop.store(true);
    for (std::thread& thread : threads) thread.join();
    std::set<Bytes> known = *RowsOf(table_.get(), snapshot, true);
    const auto observed = RowsOf(mirror_.get(), engine_->TakeSnapshot(), false);
    known.insert(observed->begin(), observed->end());
    ASSERT_EQ(*RowsOf(table_.get(), engine_->TakeSnapshot(), true), known);
  }
}

// An observer that does what a test wants.
class FunctionObserver final : public api::WriteObserver {
 public:
  using Changes = std::span<const api::RowChange>;

  const std::map<Bytes, std::set<Bytes>>& columns() const override { return wanted; }
  Status Observe(const RegionInfo& /*region*/, Changes changes,
                 api::DerivedWrites* derived) override {
    what(changes, derived);
    return Status::Ok();
  }
  std::map<Bytes, std::set<Bytes>> wanted;
  std::function<void(Changes, api::DerivedWrites*)> what;
};

class FunctionSource final : public api::WriteObserverSource {
 public:
  Result<std::shared_ptr<api::WriteObserver>> ObserverOf(const TableName& table) override {
    return std::shared_ptr<api::WriteObserver>(table == kTable ? observer : nullptr);
  }
  const std::shared_ptr<FunctionObserver> observer = std::make_shared<FunctionObserver>();
};

TEST_F(WriteObserverTest, DerivedWritesMustBePlain) {
  FunctionSource source;
  OpenStore();
  CreateTables();
  ASSERT_TRUE(engine_->SetWriteObservers(&source).ok());
  const std::vector<std::function<void(MutationBatch*)>> wrongs = {
      [](MutationBatch* batch) { batch->StartRow("a"); },
      [](MutationBatch* batch) {
        batch->StartRow("a");
        batch->Put("f", "q", "v", 7);
      },
      [](MutationBatch* batch) {
        batch->StartRow("a");
        batch->DeleteVersion("f", "q");
      },
      [](MutationBatch* batch) { batch->DeleteRow("a"); },
      [](MutationBatch* batch) {
        batch->StartRow("a");
        batch->Put("other", "q", "v");
      },
  };
  for (const auto& wrong : wrongs) {
    source.observer->what = [&](FunctionObserver::Changes, api::DerivedWrites* derived) {
      wrong(derived->Of(kMirror));
    };
    EXPECT_EQ(StatusCode::kInvalidArgument, Put(table_.get(), "a").code());
  }
  EXPECT_TRUE(Rows(table_.get()).empty());
  EXPECT_TRUE(Rows(mirror_.get()).empty());
  ASSERT_TRUE(engine_->SetWriteObservers(nullptr).ok());
}

// As a local index has it. What is added is not observed again, and replayed as part of the unit.
TEST_F(WriteObserverTest, RowsOfTheSameRegion) {
  FunctionSource source;
  source.observer->what = [](FunctionObserver::Changes changes, api::DerivedWrites* derived) {
    for (const api::RowChange& change : changes) {
      MutationBatch* const batch = derived->Of(kTable);
      for (const Cell& cell : change.before) {
        batch->StartRow("a|" + Bytes(cell.value_view()) + "|" + Bytes(change.row));
        batch->DeleteFamily("f");
      }
      for (const Cell& cell : change.after) {
        batch->StartRow("a|" + Bytes(cell.value_view()) + "|" + Bytes(change.row));
        batch->Put("f", "", "");
      }
    }
  };
  EngineOptions options;
  options.flush_on_close = false;
  OpenStore(options);
  CreateTables();
  ASSERT_TRUE(engine_->SetWriteObservers(&source).ok());
  ASSERT_TRUE(Put(table_.get(), "b", "1").ok());
  ASSERT_TRUE(Put(table_.get(), "b", "2").ok());
  ASSERT_TRUE(Put(table_.get(), "c", "2", Durability::kSkipWal).ok());
  const std::vector<std::string> rows = {"a|2|b", "a|2|c", "b", "c"};
  EXPECT_EQ(rows, Rows(table_.get()));
  ASSERT_TRUE(Put(table_.get(), "c", "3").ok());
  ASSERT_TRUE(engine_->SetWriteObservers(nullptr).ok());
  OpenStore(options);
  OpenTables();
  EXPECT_EQ((std::vector<std::string>{"a|2|b", "a|3|c", "b", "c"}), Rows(table_.get()));
}

// Columns that the observer does not look at are not shown to it.
TEST_F(WriteObserverTest, TheColumnsThatAreLookedAt) {
  FunctionSource source;
  source.observer->wanted = {{"f", {"q"}}, {"g", {}}};
  std::string seen;
  source.observer->what = [&](FunctionObserver::Changes changes, api::DerivedWrites*) {
    seen.clear();
    for (const api::RowChange& change : changes) {
      seen.append(change.row);
      for (const auto& cells : {change.before, change.after}) {
        seen.append("|");
        for (const Cell& cell : cells) {
          seen.append(" ").append(cell.family()).append(":").append(cell.qualifier());
        }
      }
    }
  };
  OpenStore();
  CreateTables();
  ASSERT_TRUE(engine_->SetWriteObservers(&source).ok());
  const auto write = [&](int64_t timestamp) {
    MutationBatch batch;
    batch.StartRow("a");
    for (const char* family : {"f", "g", "n"}) {
      for (const char* qualifier : {"p", "q"}) batch.Put(family, qualifier, "v", timestamp);
    }
    EXPECT_TRUE(table_->Write(&batch).ok());
  };
  write(kLatestTimestamp);
  EXPECT_EQ("a|| f:q g:p g:q", seen);
  write(1);  // an old one, which changes nothing
  EXPECT_EQ("a| f:q g:p g:q| f:q g:p g:q", seen);
  ASSERT_TRUE(table_->DeleteColumn("a", "g", "p").ok());
  EXPECT_EQ("a| f:q g:p g:q| f:q g:q", seen);
  ASSERT_TRUE(table_->DeleteRow("a").ok());
  EXPECT_EQ("a| f:q g:q|", seen);
  seen.clear();
  ASSERT_TRUE(table_->Put("b", "f", "p", "v").ok());
  EXPECT_EQ("", seen);
  ASSERT_TRUE(engine_->SetWriteObservers(nullptr).ok());
}

// The log ends within a unit, at each of its bytes: both tables have it, or neither.
TEST_F(WriteObserverTest, AUnitIsReplayedWholeOrNotAtAll) {
  EngineOptions options;
  options.flush_on_close = false;
  OpenStore(options);
  CreateTables();
  ASSERT_TRUE(Put(table_.get(), "a", "1").ok());
  const auto log_size = [&] { return std::filesystem::file_size(Find("/WALs/").back()); };
  const auto before = log_size();
  ASSERT_TRUE(Put(table_.get(), "a", "2").ok());
  const auto after = log_size();
  const std::string copy = base_ + "/copy";
  std::filesystem::copy(root_, copy, std::filesystem::copy_options::recursive);
  ASSERT_TRUE(engine_->SetWriteObservers(nullptr).ok());
  engine_.reset();
  ASSERT_LT(before, after);
  // The log's own tests look at each byte.
  for (auto size = before; size <= after; size += size + 16 < after ? 7 : 1) {
    std::filesystem::remove_all(root_);
    std::filesystem::copy(copy, root_, std::filesystem::copy_options::recursive);
    std::filesystem::resize_file(Find("/WALs/").back(), size);
    for (const bool read_only : {true, false}) {
      EngineOptions reopened;
      reopened.read_only = read_only;
      OpenStore(reopened);
      OpenTables();
      ASSERT_EQ("", Difference()) << size;
      ASSERT_EQ(size == after ? "2" : "1", FirstValue("a"));
    }
    ASSERT_TRUE(engine_->SetWriteObservers(nullptr).ok());
    engine_.reset();
  }
}

}  // namespace
}  // namespace bennu::engine
