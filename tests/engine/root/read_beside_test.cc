// Opening a store to read while another process changes it. What the other does is done here at
// each call in turn by which the opening looks at files, so that nothing is left to chance:
// whatever comes between two looks, the reader has one moment of the whole store.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/forwarding_env.h"
#include "src/base/memory_env.h"
#include "tests/engine/root/bulk_load_fixture.h"
#include "tests/support/mirror_observer.h"

namespace bennu::engine {
namespace {

// Runs something once, before the n-th call that looks at files, counted from 0.
class MeddlingEnv final : public ForwardingEnv {
 public:
  MeddlingEnv(Env* env, int at, std::function<void()> meddle)
      : ForwardingEnv(env), at_(at), meddle_(std::move(meddle)) {}

  Result<std::unique_ptr<RandomAccessFile>> OpenForRead(const std::string& path) override {
    Count();
    return ForwardingEnv::OpenForRead(path);
  }
  Result<bool> Exists(const std::string& path) override {
    Count();
    return ForwardingEnv::Exists(path);
  }
  Result<std::vector<std::string>> ListDirectory(const std::string& path) override {
    Count();
    return ForwardingEnv::ListDirectory(path);
  }
  void SleepMicros(uint64_t /*micros*/) override {}

  bool has_meddled() const { return calls_.load() > at_; }

 private:
  void Count() {
    if (calls_.fetch_add(1) == at_) meddle_();
  }

  const int at_;
  const std::function<void()> meddle_;
  std::atomic<int> calls_{0};
};

class ReadBesideTest : public BulkLoadFixture {
 protected:
  void TearDown() override {
    if (engine_ != nullptr) {
      EXPECT_TRUE(engine_->SetWriteObservers(nullptr).ok());
    }
    for (auto* table : {&table_, &first_, &second_}) table->reset();
    BulkLoadFixture::TearDown();
    env_.reset();
  }

  // In memory, since the store is opened so often.
  void SetUp() override {
    BulkLoadFixture::SetUp();
    env_ = std::make_unique<MemoryEnv>(Env::Default(), root_);
    options_.env = env_.get();
  }

  // A table of two regions and its mirror, and two that are written one after the other.
  void OpenWriter() {
    Open(options_);
    ASSERT_TRUE(engine_->SetWriteObservers(&source_).ok());
    Create("t", {"m"});
    Create("mirror", {"3"});
    Create("first", {});
    Create("second", {});
    table_ = OpenTable("t");
    first_ = OpenTable("first");
    second_ = OpenTable("second");
    // From here on only these tables' writes keep a log.
    WriteAll();
    for (const TableName& name : {TableName{"hbase", "meta"}, TableName{"hbase", "namespace"}}) {
      ASSERT_TRUE(admin()->Flush(name).ok());
    }
    FlushAll();
    ASSERT_TRUE(engine_->RollLog().ok());
  }
  void Create(const std::string& name, const std::vector<Bytes>& splits) {
    TableDescriptor descriptor;
    descriptor.name.qualifier = name;
    descriptor.families.resize(2);
    descriptor.families[0].name = "f";
    descriptor.families[1].name = "g";
    ASSERT_TRUE(admin()->CreateTable(descriptor, splits).ok());
  }

  // Every row's place in the mirror changes.
  void WriteAll() {
    const std::string value = std::to_string(++count_);
    MutationBatch batch;
    for (const char* row : {"a", "n", "z"}) {
      batch.StartRow(row);
      batch.Put("f", "q", value);
      batch.Put("g", "q", value);
    }
    ASSERT_TRUE(table_->Write(&batch).ok());
    ASSERT_TRUE(Put(first_.get(), "row", value).ok());
    ASSERT_TRUE(Put(second_.get(), "row", value).ok());
  }
  void FlushAll() {
    for (const char* name : {"t", "mirror", "first", "second"}) {
      ASSERT_TRUE(admin()->Flush({"default", name}).ok());
    }
  }

  void CompactAll() {
    for (const char* name : {"t", "mirror", "first", "second"}) {
      ASSERT_TRUE(admin()->Compact({"default", name}, true).ok());
    }
  }
  size_t ArchivedLogs() { return env_->ListDirectory(root_ + "/oldWALs").value().size(); }

  static int Number(Table* table) {
    Get get;
    get.row = "row";
    const auto found = table->GetRow(get);
    EXPECT_TRUE(found.ok()) << found.status().ToString();
    if (!found.ok() || found->cells.empty()) return 0;
    return std::stoi(std::string(found->cells[0].value_view()));
  }

  // Opens the store beside its holder, who does 'meddle' in the middle. False: the opening was over
  // before it came to that.
  bool ReadAround(int at, const std::function<void()>& meddle,
                  const std::function<void(Engine*)>& look) {
    MeddlingEnv env(env_.get(), at, meddle);
    EngineOptions reading;
    reading.read_only = true;
    reading.env = &env;
    reading.query_threads = 1;
    const auto reader = OpenEngine(root_, reading);
    EXPECT_TRUE(reader.ok()) << reader.status().ToString();
    const bool has_meddled = env.has_meddled();
    if (reader.ok()) look(reader->get());
    return has_meddled && !HasFailure();
  }

  void CheckOneMoment(Engine* reader, int acknowledged) {
    const auto open = [&](const char* name) { return *reader->OpenTable({"default", name}); };
    const auto difference =
        MirrorDifference(open("t").get(), open("mirror").get(), reader->TakeSnapshot());
    ASSERT_TRUE(difference.ok()) << difference.status().ToString();
    EXPECT_EQ("", *difference);
    const int first = Number(open("first").get());
    const int second = Number(open("second").get());
    EXPECT_LE(acknowledged, second);
    // The one is written before the other.
    EXPECT_LE(second, first);
    EXPECT_LE(first, second + 1);
  }

  // At each step of an opening: all is right, with what is in logs and what is in files.
  void Sweep(const std::function<void(int)>& meddle, int stride = 1) {
    int at = 0;
    for (bool goes_on = true; goes_on; at += stride) {
      SCOPED_TRACE("meddled before call " + std::to_string(at));
      WriteAll();
      if (at % 3 == 0) {
        ASSERT_TRUE(admin()->Flush({"default", at % 2 == 0 ? "t" : "mirror"}).ok());
      }
      if (at % 6 == 0) CompactAll();  // so that there are few files to open
      WriteAll();
      const int acknowledged = count_;
      goes_on = ReadAround(
          at, [&] { meddle(at); }, [&](Engine* reader) { CheckOneMoment(reader, acknowledged); });
    }
    EXPECT_GT(at, 50);  // there was something to meddle with
  }

  std::unique_ptr<MemoryEnv> env_;
  MirrorSource source_{{"default", "t"}, {"default", "mirror"}};
  std::shared_ptr<Table> table_;
  std::shared_ptr<Table> first_;
  std::shared_ptr<Table> second_;
  int count_ = 0;
};

TEST_F(ReadBesideTest, Writes) {
  OpenWriter();
  Sweep([&](int) { WriteAll(); }, 3);
}

TEST_F(ReadBesideTest, Flushes) {
  OpenWriter();
  Sweep([&](int) {
    WriteAll();
    FlushAll();
    WriteAll();
  });
}

// One table's part of a write is in a file then, and the other's in the log.
TEST_F(ReadBesideTest, FlushesOfOneTable) {
  OpenWriter();
  Sweep([&](int at) {
    WriteAll();
    ASSERT_TRUE(admin()->Flush({"default", at % 2 == 0 ? "mirror" : "t"}).ok());
  });
}

TEST_F(ReadBesideTest, Compactions) {
  OpenWriter();
  Sweep(
      [&](int at) {
        WriteAll();
        FlushAll();
        for (const char* name : {"t", "mirror", "first", "second"}) {
          ASSERT_TRUE(admin()->Compact({"default", name}, at % 2 == 0).ok());
        }
        WriteAll();
      },
      3);
}

// The log that had what the files lacked is elsewhere before it is read.
TEST_F(ReadBesideTest, ArchivedLogs) {
  options_.old_wal_files_max = 10'000;
  OpenWriter();
  const size_t before = ArchivedLogs();
  Sweep(
      [&](int at) {
        WriteAll();
        FlushAll();
        ASSERT_TRUE(engine_->RollLog().ok());
        WriteAll();
        if (at % 2 == 0) return;
        FlushAll();
        ASSERT_TRUE(engine_->RollLog().ok());
        WriteAll();
      },
      3);
  EXPECT_GT(ArchivedLogs(), before + 50);
}

TEST_F(ReadBesideTest, RemovedLogs) {
  options_.old_wal_keep_millis = 0;
  OpenWriter();
  Sweep(
      [&](int) {
        for (int i = 0; i < 2; ++i) {
          WriteAll();
          FlushAll();
          ASSERT_TRUE(engine_->RollLog().ok());
          ASSERT_TRUE(engine_->CleanUp().ok());
          WriteAll();
        }
      },
      3);
}

TEST_F(ReadBesideTest, SplitsAndMerges) {
  OpenWriter();
  bool is_split = false;
  int steps = 0;
  Sweep(
      [&](int) {
        const TableName name = {"default", steps++ / 2 % 2 == 0 ? "t" : "mirror"};
        WriteAll();
        if (!is_split) {
          ASSERT_TRUE(admin()->SplitTable(name, "b").ok());
        } else {
          // The janitor removes the parent once the halves are rewritten.
          ASSERT_TRUE(admin()->Compact(name, true).ok());
          const auto regions = admin()->ListRegions(name);
          ASSERT_TRUE(regions.ok());
          std::vector<std::string> all;
          for (const auto& region : *regions) all.push_back(region.info.EncodedName());
          static_cast<void>(admin()->MergeRegions(all).ok());
        }
        is_split = !is_split;
        WriteAll();
      },
      4);
}

TEST_F(ReadBesideTest, TablesComeAndGo) {
  OpenWriter();
  Create("other", {});
  Sweep(
      [&](int) {
        WriteAll();
        ASSERT_TRUE(admin()->DropTable({"default", "other"}).ok());
        Create("other", {"5"});
        FlushAll();
        WriteAll();
      },
      4);
}

// With a family that comes the writes of it come as well.
TEST_F(ReadBesideTest, Alterations) {
  OpenWriter();
  TableDescriptor descriptor = OpenTable("first")->descriptor();
  Sweep(
      [&](int at) {
        WriteAll();
        if (descriptor.families.size() == 2) {
          descriptor.families.push_back({});
          descriptor.families.back().name = "h";
        } else {
          descriptor.families.pop_back();
        }
        ASSERT_TRUE(admin()->AlterTable(descriptor).ok());
        if (descriptor.families.size() == 3) {
          ASSERT_TRUE(first_->Put("row of h", "h", "q", std::to_string(at)).ok());
        }
        WriteAll();
      },
      2);
}

// Files of two families are one; and what was written after they were loaded is seen with them.
TEST_F(ReadBesideTest, BulkLoads) {
  OpenWriter();
  for (int at = 0, goes_on = 1; goes_on != 0; ++at) {
    SCOPED_TRACE("loaded before call " + std::to_string(at));
    if (at % 6 == 0) CompactAll();
    std::filesystem::remove_all(folder_);
    const std::string value = std::to_string(at + 1);
    for (const char* family : {"f", "g"}) {
      WriteFile({.family = family, .first = 1, .last = 1, .timestamp = 1000 + at, .value = value});
    }
    const auto meddle = [&] {
      ASSERT_TRUE(admin()->BulkLoad({"default", "first"}, folder_, {}).ok());
      ASSERT_TRUE(second_->Put("row", "f", "loaded", value).ok());
    };
    goes_on = ReadAround(at, meddle, [&](Engine* reader) {
      const auto first = *reader->OpenTable({"default", "first"});
      const std::string loaded = Value(first.get(), Key(1));
      EXPECT_EQ(loaded, Value(first.get(), Key(1), "g"));
      Get get;
      get.row = "row";
      get.columns["f"] = {"loaded"};
      const auto second = (*reader->OpenTable({"default", "second"}))->GetRow(get);
      ASSERT_TRUE(second.ok());
      const bool is_told = !second->cells.empty() && second->cells[0].value_view() == value;
      if (is_told) {
        EXPECT_EQ(value, loaded);
      }
    });
  }
}

// A holder that changes its tables all the time is told of, with what to do.
TEST_F(ReadBesideTest, TellsOfOneThatNeverHoldsStill) {
  OpenWriter();
  class RestlessEnv final : public ForwardingEnv {
   public:
    RestlessEnv(Env* env, std::function<void()> meddle)
        : ForwardingEnv(env), meddle_(std::move(meddle)) {}
    // The descriptors are read between the two looks at the logs.
    Result<std::vector<std::string>> ListDirectory(const std::string& path) override {
      if (path.ends_with("/first/.tabledesc")) meddle_();
      return ForwardingEnv::ListDirectory(path);
    }
    void SleepMicros(uint64_t /*micros*/) override {}

   private:
    const std::function<void()> meddle_;
  } env(env_.get(), [&] {
    TableDescriptor descriptor = first_->descriptor();
    descriptor.attributes["N"] = std::to_string(++count_);
    ASSERT_TRUE(admin()->AlterTable(descriptor).ok());
  });
  EngineOptions reading;
  reading.read_only = true;
  reading.env = &env;
  const auto reader = OpenEngine(root_, reading);
  EXPECT_EQ(StatusCode::kFailedPrecondition, reader.status().code());
  EXPECT_THAT(reader.status().message(), ::testing::HasSubstr(root_));
  EXPECT_THAT(reader.status().message(), ::testing::HasSubstr("/first was altered"));
  EXPECT_THAT(reader.status().message(), ::testing::HasSubstr("try again"));
}

}  // namespace
}  // namespace bennu::engine
