// Options of compaction that change one thing each: what it is, with and without them.
#include <ctime>
#include <vector>

#include "src/engine/store/compaction_policy.h"
#include "src/engine/store/compaction_throttle.h"
#include "src/engine/store/date_tiered_policy.h"
#include "tests/engine/store/clock_env.h"
#include "tests/engine/store/compaction_fixture.h"

namespace bennu::engine {
namespace {

using ::testing::SizeIs;

// A moment of this hour by the machine's clock, long ago.
int64_t AtHour(int hour) {
  std::tm local = {};
  local.tm_year = 120;
  local.tm_mon = 5;
  local.tm_mday = 15;
  local.tm_hour = hour;
  local.tm_min = 30;
  local.tm_isdst = -1;
  return static_cast<int64_t>(std::mktime(&local)) * 1000;
}

class CompactionEffectsTest : public CompactionTest {
 protected:
  // Files of these sizes, the oldest first.
  void MakeFiles(const std::vector<size_t>& sizes) {
    char row = 'a';
    for (const size_t size : sizes) {
      Add(Bytes(1, row++), 1, CellType::kPut, size);
      Flush();
    }
  }
  size_t SelectedAt(int hour) {
    clock_.SetMillis(AtHour(hour));
    return store_->SelectCompaction(false).inputs.size();
  }
  void Set(const std::string& key, const std::string& value) {
    family_.attributes[key] = value;
    if (store_ != nullptr) store_->SetFamily(family_);
  }
  std::string RawTypes() {
    Scan raw;
    raw.raw = true;
    raw.max_versions = 100;
    auto scanner = store_->OpenScanner(raw, kNewest, now_);
    EXPECT_TRUE(scanner.ok());
    std::string types;
    bool done = false;
    while (scanner.ok() && !done) {
      CellBatch batch;
      EXPECT_TRUE((*scanner)->NextRows(100, &batch, &done).ok());
      for (const Cell& cell : batch.cells) {
        types += Bytes(cell.row()) + (cell.type() == CellType::kPut ? "+" : "-");
      }
    }
    return types;
  }

  ClockEnv clock_{Env::Default()};
};

// ---- off-peak hours, by a clock of the test's

TEST_F(CompactionEffectsTest, OffPeakRatio) {
  env_ = &clock_;
  Set("hbase.offpeak.start.hour", "22");
  Set("hbase.offpeak.end.hour", "6");
  Set("hbase.hstore.compaction.min.size", "1");
  Set("hbase.hstore.compaction.ratio", "1.2");
  Set("hbase.hstore.compaction.ratio.offpeak", "5");
  Open();
  // The first is three times as big as the others together.
  MakeFiles({300'000, 50'000, 50'000});
  EXPECT_EQ(SelectedAt(12), 0);
  EXPECT_EQ(SelectedAt(23), 3);
  EXPECT_EQ(SelectedAt(5), 3);
  EXPECT_EQ(SelectedAt(6), 0);
  Set("hbase.hstore.compaction.ratio.offpeak", "2");
  EXPECT_EQ(SelectedAt(23), 0);
}

TEST_F(CompactionEffectsTest, OffPeakMaxSize) {
  env_ = &clock_;
  Set("hbase.offpeak.start.hour", "1");
  Set("hbase.offpeak.end.hour", "4");
  Set("hbase.hstore.compaction.max.size", "100000");
  Set("hbase.hstore.compaction.max.size.offpeak", "10000000");
  Open();
  MakeFiles({80'000, 80'000, 80'000});
  EXPECT_EQ(SelectedAt(12), 0);
  EXPECT_EQ(SelectedAt(2), 3);
  Set("hbase.hstore.compaction.max.size.offpeak", "100000");
  EXPECT_EQ(SelectedAt(2), 0);
}

TEST_F(CompactionEffectsTest, OffPeakThroughput) {
  const api::Attributes properties = {{"hbase.offpeak.start.hour", "22"},
                                      {"hbase.offpeak.end.hour", "6"},
                                      {"hbase.hstore.compaction.throughput.lower.bound", "1000"},
                                      {"hbase.hstore.compaction.throughput.higher.bound", "3000"},
                                      {"hbase.hstore.compaction.throughput.offpeak", "7000"}};
  CompactionThrottle throttle(&clock_, ThrottleConfig::Of({&properties, nullptr, nullptr}));
  clock_.SetMillis(AtHour(12));
  EXPECT_EQ(throttle.BytesPerSecond(), 1000);
  clock_.SetMillis(AtHour(23));
  EXPECT_EQ(throttle.BytesPerSecond(), 7000);
  clock_.SetMillis(AtHour(6));
  EXPECT_EQ(throttle.BytesPerSecond(), 1000);
}

// ---- date-tiered

// Windows stop growing at the age that the property names.
TEST_F(CompactionEffectsTest, MaxTierAge) {
  DateTiered();
  Set("hbase.hstore.compaction.date.tiered.base.window.millis", std::to_string(kHour));
  Set("hbase.hstore.compaction.date.tiered.windows.per.tier", "2");
  Open();
  Add("old", now_ - 100 * kHour);
  Add("new", now_);
  Flush();
  const auto borders = [&] {
    return WindowBorders(
        store_->view()->files,
        CompactionConfig::Of({nullptr, nullptr, &family_.attributes}, 1).date_tiered, now_);
  };
  const size_t growing = borders().size();
  EXPECT_LT(growing, 20);
  Set("hbase.hstore.compaction.date.tiered.max.tier.age.millis", std::to_string(kHour));
  EXPECT_GT(borders().size(), 90);  // one for each hour
  Run(store_->SelectCompaction(true));
  EXPECT_THAT(store_->file_names(), SizeIs(2));
}

// By the ratio the oldest file of a window is left out when it is too big for the newer ones; what
// exploring takes then is another run.
TEST_F(CompactionEffectsTest, WindowPolicy) {
  DateTiered();
  Set("hbase.hstore.compaction.date.tiered.incoming.window.min", "2");
  Set("hbase.hstore.compaction.min.size", "1");
  Set("hbase.hstore.compaction.max", "3");
  const std::string key = "hbase.hstore.compaction.date.tiered.window.policy.class";
  const std::string package = "org.apache.hadoop.hbase.regionserver.compactions.";
  Open();
  // Exploring: the smallest of the longest runs. Ratio: the oldest ones.
  for (const size_t size : {90'000, 90'000, 90'000, 20'000, 20'000, 20'000}) {
    Add("r", now_, CellType::kPut, size);
    Flush();
  }
  const auto oldest_size = [&] {
    const CompactionRequest request = store_->SelectCompaction(false);
    EXPECT_THAT(request.inputs, SizeIs(3));
    return request.inputs.empty() ? 0 : request.inputs.back()->size_bytes();
  };
  Set(key, package + "ExploringCompactionPolicy");
  EXPECT_LT(oldest_size(), 50'000);
  Set(key, package + "RatioBasedCompactionPolicy");
  EXPECT_GT(oldest_size(), 50'000);
}

// A minor compaction of a whole window leaves older cells in a file of their own when told so.
TEST_F(CompactionEffectsTest, SingleOutputForMinor) {
  DateTiered();
  Set("hbase.hstore.compaction.date.tiered.incoming.window.min", "2");
  for (const char* single : {"true", "false"}) {
    SCOPED_TRACE(single);
    Set("hbase.hstore.compaction.date.tiered.single.output.for.minor.compaction", single);
    Open();
    for (int i = 0; i < 2; ++i) {
      Add("old", now_ - 24 * 300 * kHour + i);
      Add("new", now_ + i);
      Flush();
    }
    Run(store_->SelectCompaction(false));
    EXPECT_EQ(file_count(), std::string(single) == "true" ? 1 : 2);
    EXPECT_EQ(Rows(), "newold");
    store_.reset();
    std::filesystem::remove_all(root_);
  }
}

// ---- stripes

TEST_F(CompactionEffectsTest, StripeSplitPartCount) {
  Striped();
  Set("hbase.store.stripe.compaction.minFiles", "2");
  for (const char* parts : {"2", "4"}) {
    SCOPED_TRACE(parts);
    Set("hbase.store.stripe.splitPartCount", parts);
    Set("hbase.store.stripe.sizeToSplit", "1000000");
    Open();
    for (int i = 0; i < 2; ++i) {
      AddRows('a', 'h', i, 1400);
      Flush();
    }
    Set("hbase.store.stripe.sizeToSplit", std::to_string(store_->size_bytes()));
    Run(store_->SelectCompaction(false));
    EXPECT_THAT(Stripes::Of(store_->view()->files).stripes, SizeIs(std::stoul(parts)));
    EXPECT_EQ(Rows(), "abcdefgh");
    store_.reset();
    std::filesystem::remove_all(root_);
  }
}

TEST_F(CompactionEffectsTest, StripeMaxFiles) {
  Striped();
  Set("hbase.store.stripe.compaction.minFiles", "2");
  Open();
  for (int i = 0; i < 6; ++i) {
    AddRows('a', 'd', i);
    Flush();
  }
  EXPECT_THAT(store_->SelectCompaction(false).inputs, SizeIs(6));
  Set("hbase.store.stripe.compaction.maxFiles", "3");
  EXPECT_THAT(store_->SelectCompaction(false).inputs, SizeIs(3));
}

// ---- in memory

TEST_F(CompactionEffectsTest, PipelineSegmentsLimit) {
  Set("IN_MEMORY_COMPACTION", "BASIC");
  Set("hbase.memstore.inmemoryflush.threshold.factor", "0.000001");  // each cell is due
  for (const size_t limit : {1, 3}) {
    SCOPED_TRACE(limit);
    Set("hbase.hregion.compacting.pipeline.segments.limit", std::to_string(limit));
    Open();
    size_t most = 0;
    for (int i = 0; i < 8; ++i) {
      AddRows('a', 'e', i, 1000);
      ASSERT_TRUE(store_->PrepareInMemoryFlush());
      ASSERT_TRUE(store_->CompactInMemory(kNewest, now_).ok());
      most = std::max(most, store_->view()->memstores.size() - 1);  // without the active one
    }
    EXPECT_EQ(most, limit);
    EXPECT_EQ(Rows(), "abcde");
    store_.reset();
    std::filesystem::remove_all(root_);
  }
}

// ---- markers

// HBase's answer: a marker younger than the time to purge outlives a major compaction, what it
// hides does not; it goes on hiding what is written later with an older time.
TEST_F(CompactionEffectsTest, TimeToPurgeDeletes) {
  for (const char* keep : {"FALSE", "TRUE", "TTL"}) {
    SCOPED_TRACE(keep);
    Set("KEEP_DELETED_CELLS", keep);
    Set("hbase.hstore.time.to.purge.deletes", std::to_string(kHour));
    Open();
    const auto add = [&](ByteView row, int64_t timestamp, CellType type) {
      Add(row, timestamp, type);
    };
    add("n", now_ - 2 * kHour, CellType::kPut);
    add("n", now_ - kHour / 2, CellType::kDeleteColumn);
    add("o", now_ - 3 * kHour, CellType::kPut);
    add("o", now_ - 2 * kHour, CellType::kDeleteColumn);
    Flush();
    Run(store_->SelectCompaction(true));
    const bool keeps = std::string(keep) != "FALSE";
    EXPECT_EQ(RawTypes(), keeps ? "n-n+o-o+" : "n-");
    Add("n", now_ - kHour);
    EXPECT_EQ(Rows(), "");
    Set("hbase.hstore.time.to.purge.deletes", "0");
    Flush();
    Run(store_->SelectCompaction(true));
    EXPECT_EQ(RawTypes(), keeps ? "n-n+n+o-o+" : "");
    store_.reset();
    std::filesystem::remove_all(root_);
  }
}

}  // namespace
}  // namespace bennu::engine
