// What each compaction engine and policy picks and writes, on real files of one store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <thread>

#include "src/base/env.h"
#include "src/cell/flat_key.h"
#include "src/engine/store/compaction_policy.h"
#include "src/engine/store/date_tiered_policy.h"
#include "src/engine/store/store.h"
#include "src/engine/store/stripes.h"
#include "tests/engine/store/compaction_fixture.h"

namespace bennu::engine {
namespace {

// ---- the default engine

// HBase merges small files whatever their proportions; above the minimum size the ratio counts.
TEST_F(CompactionTest, ExploringMinimumSizeAndRatio) {
  Open();
  AddRows('a', 'z', 1, 4000);
  Flush();
  for (int i = 0; i < 2; ++i) {
    AddRows('a', 'b', 2 + i);
    Flush();
  }
  EXPECT_EQ(store_->SelectCompaction(false).inputs.size(), 3u);
  family_.attributes["hbase.hstore.compaction.min.size"] = "1";
  store_->SetFamily(family_);
  EXPECT_TRUE(store_->SelectCompaction(false).inputs.empty());  // the big file is out of proportion
  family_.attributes["hbase.hstore.compaction.min"] = "2";
  store_->SetFamily(family_);
  const CompactionRequest small = store_->SelectCompaction(false);
  EXPECT_EQ(small.inputs.size(), 2u);
  EXPECT_FALSE(small.all_files);
}

TEST_F(CompactionTest, FilesMaxBoundsARun) {
  family_.attributes["hbase.hstore.compaction.max"] = "4";
  Open();
  for (int i = 0; i < 7; ++i) {
    Add("r", i);
    Flush();
  }
  EXPECT_EQ(store_->SelectCompaction(false).inputs.size(), 4u);
  EXPECT_EQ(store_->SelectCompaction(true).inputs.size(), 7u);  // asked for: all
  family_.attributes["hbase.hstore.defaultengine.compactionpolicy.class"] =
      "org.apache.hadoop.hbase.regionserver.compactions.RatioBasedCompactionPolicy";
  store_->SetFamily(family_);
  const auto files = store_->view()->files;
  const CompactionRequest oldest = store_->SelectCompaction(false);
  ASSERT_EQ(oldest.inputs.size(), 4u);
  EXPECT_EQ(oldest.inputs.back(), files.back());  // by ratio: from the oldest on
}

TEST_F(CompactionTest, FifoDropsExpiredFilesOnly) {
  family_.attributes["hbase.hstore.defaultengine.compactionpolicy.class"] = "FIFOCompactionPolicy";
  family_.attributes["TTL"] = "3600";
  Open();
  Add("old", now_ - 2 * kHour);
  now_ -= 2 * kHour;
  Flush();
  now_ += 2 * kHour;
  Add("new", now_);
  Flush();
  const CompactionRequest request = store_->SelectCompaction(false);
  ASSERT_EQ(request.inputs.size(), 1u);
  Run(request);
  EXPECT_EQ(file_count(), 1u);
  EXPECT_EQ(Rows(), "new");
  EXPECT_TRUE(store_->SelectCompaction(false).inputs.empty());
}

// Nobody gets them merged, and their number keeps no flush waiting.
TEST_F(CompactionTest, FifoMergesNothingForAnyone) {
  family_.attributes["hbase.hstore.defaultengine.compactionpolicy.class"] = "FIFOCompactionPolicy";
  family_.attributes["hbase.hstore.blockingStoreFiles"] = "2";
  family_.attributes["TTL"] = "3600";
  Open();
  for (const char* row : {"a", "b", "c"}) {
    Add(row, now_);
    Flush();
  }
  EXPECT_TRUE(store_->SelectCompaction(true).inputs.empty());
  EXPECT_FALSE(store_->has_too_many_files());
  family_.attributes["hbase.hstore.defaultengine.compactionpolicy.class"] =
      "ExploringCompactionPolicy";
  store_->SetFamily(family_);
  EXPECT_TRUE(store_->has_too_many_files());
  EXPECT_EQ(store_->SelectCompaction(true).inputs.size(), 3u);
}

// Flushes of what has expired already leave files without cells; only the newest of these is worth
// anything, and that only while no newer file tells the same.
TEST_F(CompactionTest, FifoDropsFilesWithoutCells) {
  family_.attributes["hbase.hstore.defaultengine.compactionpolicy.class"] = "FIFOCompactionPolicy";
  family_.attributes["TTL"] = "3600";
  Open();
  for (const char* row : {"a", "b", "c"}) {
    Add(row, now_ - 2 * kHour);
    Flush();
  }
  EXPECT_EQ(file_count(), 3u);
  const uint64_t flushed = store_->max_flushed_sequence_id();
  Run(store_->SelectCompaction(false));
  EXPECT_EQ(file_count(), 1u);
  EXPECT_EQ(store_->max_flushed_sequence_id(), flushed);
  EXPECT_TRUE(store_->SelectCompaction(true).inputs.empty());
  Add("new", now_);
  Flush();
  Run(store_->SelectCompaction(true));
  EXPECT_EQ(file_count(), 1u);
  EXPECT_EQ(Rows(), "new");
}

// The period counts from when files were written. What is one major result already is left alone.
TEST_F(CompactionTest, PeriodicMajor) {
  family_.attributes["hbase.hregion.majorcompaction"] = "1";
  family_.attributes["hbase.hregion.majorcompaction.jitter"] = "0";
  Open();
  Add("r", 1);
  Flush();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const CompactionRequest due = store_->SelectCompaction(false);
  ASSERT_EQ(due.inputs.size(), 1u);
  EXPECT_TRUE(due.all_files);
  Run(due);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(store_->SelectCompaction(false).inputs.empty());
  family_.attributes["hbase.hregion.majorcompaction"] = "0";
  store_->SetFamily(family_);
  Add("s", 1);
  Flush();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(store_->SelectCompaction(false).inputs.empty());
}

// Two hours as the off-peak hours, the first so many hours from now.
void SetOffPeak(int hours_from_now, ColumnFamilyDescriptor* family) {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ASSERT_NE(localtime_r(&now, &local), nullptr);
  const int first = local.tm_hour + 24 + hours_from_now;
  family->attributes["hbase.offpeak.start.hour"] = std::to_string(first % 24);
  family->attributes["hbase.offpeak.end.hour"] = std::to_string((first + 2) % 24);
}

TEST_F(CompactionTest, PeriodicMajorMayWaitForOffPeakHours) {
  family_.attributes["hbase.hregion.majorcompaction"] = "1";
  family_.attributes["hbase.hregion.majorcompaction.jitter"] = "0";
  family_.attributes["bennu.compaction.major.offpeak.only"] = "true";
  SetOffPeak(3, &family_);
  Open();
  Add("r", 1);
  Flush();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(store_->SelectCompaction(false).inputs.empty());
  EXPECT_FALSE(store_->SelectCompaction(true).inputs.empty());  // asked for
  SetOffPeak(0, &family_);
  store_->SetFamily(family_);
  EXPECT_TRUE(store_->SelectCompaction(false).all_files);
  SetOffPeak(3, &family_);
  family_.attributes["bennu.compaction.major.offpeak.only"] = "false";
  store_->SetFamily(family_);
  EXPECT_TRUE(store_->SelectCompaction(false).all_files);
}

TEST(OffPeakHoursTest, MayGoOverMidnight) {
  EXPECT_FALSE(OffPeakHours().Contains(3));
  const OffPeakHours night{22, 6};
  EXPECT_TRUE(night.Contains(23));
  EXPECT_TRUE(night.Contains(5));
  EXPECT_FALSE(night.Contains(6));
  const OffPeakHours noon{12, 14};
  EXPECT_TRUE(noon.Contains(12));
  EXPECT_FALSE(noon.Contains(14));
}

// ---- date-tiered

TEST(TimeWindowTest, WindowsGrowByTier) {
  DateTieredConfig config;
  config.base_window_millis = 10;
  config.windows_per_tier = 2;
  TimeWindow window = TimeWindow::Incoming(config, 75);  // [70, 80)
  EXPECT_EQ(window.start_millis(), 70);
  EXPECT_EQ(window.Compare(70), 0);
  EXPECT_GT(window.Compare(69), 0);
  EXPECT_LT(window.Compare(80), 0);
  std::vector<int64_t> starts;
  for (int i = 0; i < 3; ++i) {
    window = window.Earlier();
    starts.push_back(window.start_millis());
  }
  // 70 is the second of its pair; [40, 60) and [0, 40) are of wider tiers.
  EXPECT_EQ(starts, (std::vector<int64_t>{60, 40, 0}));
}

TEST_F(CompactionTest, DateTieredCutsAtWindows) {
  DateTiered();
  family_.attributes["hbase.hstore.compaction.date.tiered.base.window.millis"] =
      std::to_string(kHour);
  Open();
  for (int hours : {0, 1, 2, 30, 300}) {
    AddRows('a', 'e', now_ - hours * kHour);
    Flush();
  }
  Run(store_->SelectCompaction(true));
  EXPECT_GE(file_count(), 4u);
  EXPECT_EQ(Rows(), "abcde");
  const auto view = store_->view();
  const auto borders = WindowBorders(
      view->files, CompactionConfig::Of({nullptr, nullptr, &family_.attributes}, 1).date_tiered,
      now_);
  for (const auto& file : view->files) {
    const auto range = file->reader()->time_range();
    ASSERT_TRUE(range.has_value());
    for (const int64_t border : borders) EXPECT_TRUE(range->max < border || range->min >= border);
  }
  // A read of the last half hour opens the file of its window, or of two.
  Scan recent;
  recent.time_range.min = now_ - kHour / 2;
  Scanner::Metrics metrics;
  EXPECT_EQ(Rows(&metrics, recent), "abcde");
  EXPECT_LE(metrics.files_opened, 2u);
  EXPECT_GE(metrics.files_skipped_by_time, 2u);
  Open();
  EXPECT_EQ(Rows(), "abcde");
}

// Only files of one window are merged, once there are enough: six of the incoming one, else three.
TEST_F(CompactionTest, DateTieredMergesWithinAWindow) {
  DateTiered();
  Open();
  const int64_t old = now_ - 24 * 300 * kHour;
  for (int i = 0; i < 3; ++i) {
    Add("old", old + i);
    Flush();
  }
  for (int i = 0; i < 5; ++i) {
    Add("new", now_ + i);
    Flush();
  }
  const CompactionRequest first = store_->SelectCompaction(false);
  ASSERT_EQ(first.inputs.size(), 3u);
  for (const auto& file : first.inputs) EXPECT_LT(file->reader()->time_range()->max, now_);
  Run(first);
  EXPECT_TRUE(store_->SelectCompaction(false).inputs.empty());
  Add("new", now_ + 10);
  Flush();
  EXPECT_EQ(store_->SelectCompaction(false).inputs.size(), 6u);
  family_.attributes["hbase.hstore.compaction.date.tiered.max.storefile.age.millis"] = "1";
  store_->SetFamily(family_);
  Run(store_->SelectCompaction(false));  // the incoming window is never too old
  EXPECT_TRUE(store_->SelectCompaction(false).inputs.empty());
}

// ---- stripes

TEST_F(CompactionTest, StripesFromTheFirstFlushOn) {
  Striped();
  family_.attributes["hbase.store.stripe.initialStripeCount"] = "3";
  Open();
  AddRows('a', 'i', 1);
  Flush();
  EXPECT_EQ(StripeBorders(), "[,d)1[d,g)1[g,)1");
  AddRows('e', 'f', 2);
  Add("z", 2);
  Flush();  // nothing for the first stripe
  EXPECT_EQ(StripeBorders(), "[,d)1[d,g)2[g,)2");
  Scanner::Metrics metrics;
  Scan one;
  one.range.start = one.range.stop = "e";
  one.range.stop_inclusive = true;
  EXPECT_EQ(Rows(&metrics, one), "e");
  EXPECT_EQ(metrics.files_opened, 2u);
  EXPECT_EQ(metrics.files_skipped_by_key, 3u);
  Open();
  EXPECT_EQ(StripeBorders(), "[,d)1[d,g)2[g,)2");
  EXPECT_EQ(Rows(), "abcdefghiz");
}

// Many stripes are many files, of which a row is in one: no flush waits for what nothing merges.
TEST_F(CompactionTest, AFileOfEachStripeIsNotTooMany) {
  Striped();
  family_.attributes["hbase.store.stripe.initialStripeCount"] = "6";
  family_.attributes["hbase.hstore.blockingStoreFiles"] = "2";
  Open();
  AddRows('a', 'l', 1);
  Flush();
  ASSERT_EQ(file_count(), 6u);
  EXPECT_TRUE(store_->SelectCompaction(false).inputs.empty());
  EXPECT_FALSE(store_->has_too_many_files());
  Add("a", 2);
  Flush();
  EXPECT_FALSE(store_->has_too_many_files());
  Add("a", 3);
  Flush();
  EXPECT_TRUE(store_->has_too_many_files());
}

// One stripe is compacted by itself; its markers go, as no other file can hold what they hide.
TEST_F(CompactionTest, OneStripeDropsItsMarkers) {
  Striped();
  family_.attributes["hbase.store.stripe.initialStripeCount"] = "2";
  family_.attributes["hbase.store.stripe.compaction.minFiles"] = "2";
  Open();
  AddRows('a', 'd', 1);
  Flush();
  for (char c : {'c', 'd'}) Add(Bytes(1, c), 1, CellType::kDeleteColumn);
  Flush();
  ASSERT_EQ(StripeBorders(), "[,c)1[c,)2");
  const CompactionRequest request = store_->SelectCompaction(false);
  ASSERT_EQ(request.inputs.size(), 2u);
  Run(request);
  // All of it went, but the stripe keeps its place by a file without cells.
  EXPECT_EQ(StripeBorders(), "[,c)1[c,)1");
  EXPECT_EQ(Rows(), "ab");
  Scan raw;
  raw.raw = true;
  EXPECT_EQ(Rows(nullptr, raw), "ab");
  Open();
  EXPECT_EQ(Rows(), "ab");
  Run(store_->SelectCompaction(true));
  EXPECT_EQ(Rows(), "ab");
}

TEST_F(CompactionTest, ABigStripeIsSplit) {
  Striped();
  family_.attributes["hbase.store.stripe.compaction.minFiles"] = "2";
  family_.attributes["hbase.store.stripe.sizeToSplit"] = "20000";
  Open();
  for (int i = 0; i < 2; ++i) {
    AddRows('a', 'h', i, 2000);
    Flush();
  }
  ASSERT_EQ(StripeBorders(), "[,)2");
  Run(store_->SelectCompaction(false));
  const Stripes stripes = Stripes::Of(store_->view()->files);
  EXPECT_GE(stripes.stripes.size(), 2u);
  EXPECT_TRUE(stripes.level0.empty());
  EXPECT_EQ(Rows(), "abcdefgh");
  const auto split = store_->SplitPoint();
  ASSERT_TRUE(split.ok());
  ASSERT_TRUE(split->has_value());
  std::set<Bytes> borders;
  for (const auto& stripe : stripes.stripes) borders.insert(stripe.end);
  EXPECT_TRUE(borders.contains(**split));  // a region is split between stripes
}

TEST_F(CompactionTest, LevelZeroBecomesStripes) {
  Striped();
  family_.attributes["hbase.store.stripe.compaction.flushToL0"] = "true";
  family_.attributes["hbase.store.stripe.initialStripeCount"] = "2";
  Open();
  for (int i = 0; i < 3; ++i) {
    AddRows('a', 'h', i);
    Flush();
  }
  EXPECT_EQ(StripeBorders(), "");
  EXPECT_TRUE(store_->SelectCompaction(false).inputs.empty());
  AddRows('a', 'h', 3);
  Flush();
  Run(store_->SelectCompaction(false));  // the fourth file of level 0
  EXPECT_EQ(StripeBorders(), "[,e)1[e,)1");
  for (int i = 4; i < 8; ++i) {
    AddRows('a', 'b', i);
    Flush();
  }
  Run(store_->SelectCompaction(false));
  EXPECT_EQ(Stripes::Of(store_->view()->files).level0.size(), 0u);
  EXPECT_EQ(StripeBorders(), "[,e)2[e,)1");
  EXPECT_EQ(Rows(), "abcdefgh");
}

// A file of a stripe is lost from the chain: all count as level 0, and stripes are made again.
TEST_F(CompactionTest, ABrokenChainIsLevelZero) {
  Striped();
  family_.attributes["hbase.store.stripe.initialStripeCount"] = "3";
  Open();
  AddRows('a', 'i', 1);
  Flush();
  StoreFiles files = store_->view()->files;
  files.pop_back();
  EXPECT_TRUE(Stripes::Of(files).stripes.empty());
  EXPECT_EQ(Stripes::Of(files).level0.size(), 2u);
}

// A death between the files of one flush: what the first of them holds is no claim that the log is
// not needed any more.
TEST_F(CompactionTest, APartOfAFlushClaimsNothing) {
  Striped();
  family_.attributes["hbase.store.stripe.initialStripeCount"] = "3";
  Open();
  AddRows('a', 'i', 1);
  Flush();
  const uint64_t flushed = store_->max_flushed_sequence_id();
  EXPECT_EQ(flushed, sequence_);
  AddRows('a', 'i', 2);
  ASSERT_TRUE(store_->PrepareFlush(++sequence_));
  auto files = store_->WriteFlush(kNewest, now_);
  ASSERT_TRUE(files.ok());
  ASSERT_EQ(files->size(), 3u);
  files->pop_back();
  ASSERT_TRUE(store_->CommitFlush(*files).ok());
  Open();
  EXPECT_EQ(store_->max_flushed_sequence_id(), flushed);
  EXPECT_EQ(file_count(), 5u);
}

// ---- look-back, throttle, leftovers

// Within the max look-back a read as of any moment sees what it saw, after flush and compaction.
TEST_F(CompactionTest, MaxLookBackKeepsThePast) {
  family_.attributes["VERSIONS"] = "1";
  family_.attributes["phoenix.max.lookback.age.seconds"] = "3600";
  Open();
  Add("r", now_ - 5 * kHour);
  Add("r", now_ - 2 * kHour);  // what a read as of an hour ago sees
  Add("r", now_ - 1000);
  Add("r", now_ - 500, CellType::kDeleteColumn);
  Add("r", now_ - 100);
  Flush();
  Run(store_->SelectCompaction(true));
  const auto as_of = [&](int64_t moment) {
    Scan scan;
    scan.time_range = {0, moment};
    scan.time_range.markers_max = moment;
    auto scanner = store_->OpenScanner(scan, kNewest, now_);
    CellBatch batch;
    bool done = false;
    EXPECT_TRUE((*scanner)->NextRows(10, &batch, &done).ok());
    return batch.cells.empty() ? int64_t{-1} : now_ - batch.cells[0].timestamp();
  };
  EXPECT_EQ(as_of(now_ + 1), 100);
  EXPECT_EQ(as_of(now_ - 400), -1);
  EXPECT_EQ(as_of(now_ - 600), 1000);
  EXPECT_EQ(as_of(now_ - kHour / 2), 2 * kHour);
  EXPECT_EQ(as_of(now_ - 3 * kHour), -1);  // beyond it
  family_.attributes.erase("phoenix.max.lookback.age.seconds");
  store_->SetFamily(family_);
  Run(store_->SelectCompaction(true));
  EXPECT_EQ(as_of(now_ - 600), -1);
  EXPECT_EQ(as_of(now_ + 1), 100);
}

TEST(CompactionThrottleTest, LimitFollowsPressure) {
  ThrottleConfig config;
  config.lower_bytes_per_second = 1 << 20;
  config.higher_bytes_per_second = 3 << 20;
  CompactionThrottle throttle(Env::Default(), config);
  EXPECT_EQ(throttle.BytesPerSecond(), 1u << 20);
  throttle.SetPressure(0.5);
  EXPECT_EQ(throttle.BytesPerSecond(), 2u << 20);
  throttle.SetPressure(1.5);
  EXPECT_EQ(throttle.BytesPerSecond(), 0u);  // no limit
  throttle.Spend(1 << 30, nullptr);
  throttle.SetPressure(0);
  const auto begin = std::chrono::steady_clock::now();
  throttle.Spend(100 << 10, nullptr);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(80));
  const std::atomic<bool> cancelled{true};
  throttle.Spend(1 << 30, &cancelled);  // returns
}

TEST_F(CompactionTest, ACancelledCompactionLeavesNothing) {
  Striped();
  family_.attributes["hbase.store.stripe.initialStripeCount"] = "2";
  Open();
  AddRows('a', 'h', 1);
  Flush();
  const std::atomic<bool> cancelled{true};
  const auto files =
      store_->WriteCompaction(store_->SelectCompaction(true), kNewest, now_, &cancelled);
  EXPECT_EQ(files.status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(std::filesystem::is_empty(root_ + "/tmp"));
}

// What stands in the archive's way is told, not taken for a file that somebody has removed.
TEST_F(CompactionTest, AnArchiveThatCanNotBeMade) {
  Open();
  AddRows('a', 'c', 1);
  Flush();
  AddRows('d', 'f', 1);
  Flush();
  std::filesystem::remove_all(root_ + "/archive");
  std::ofstream(root_ + "/archive") << "in the way";
  const CompactionRequest request = store_->SelectCompaction(true);
  const auto files = store_->WriteCompaction(request, kNewest, now_, nullptr);
  ASSERT_TRUE(files.ok()) << files.status().ToString();
  const Status refused = store_->CommitCompaction(request, *files);
  EXPECT_EQ(refused.code(), StatusCode::kIoError) << refused.ToString();
  EXPECT_THAT(refused.message(), ::testing::HasSubstr(root_ + "/archive"));
  std::filesystem::remove(root_ + "/archive");
  store_->RemoveStrays();
  EXPECT_EQ(file_count(), 1u);
  Open();
  EXPECT_EQ(file_count(), 1u);
  EXPECT_EQ(Rows(), "abcdef");
}

// ---- options of a family that concern the cache

TEST_F(CompactionTest, CacheOnWriteAndPrefetch) {
  Open();
  AddRows('a', 'z', 1, 500);
  Flush();
  const size_t before = cache_->used_bytes();
  family_.attributes["CACHE_DATA_ON_WRITE"] = "true";
  store_->SetFamily(family_);
  AddRows('a', 'z', 2, 500);
  Flush();
  const size_t written = cache_->used_bytes();
  EXPECT_GT(written, before + 26 * 500);
  family_.attributes["PREFETCH_BLOCKS_ON_OPEN"] = "true";
  family_.attributes["IN_MEMORY"] = "true";
  Open();
  EXPECT_GT(cache_->used_bytes(), 2 * 26 * 500u);
  store_.reset();
  EXPECT_EQ(cache_->used_bytes(), 0u);  // EVICT_BLOCKS_ON_CLOSE, always
}

// What one flush of many blocks puts into the cache.
TEST_F(CompactionTest, IndexAndBloomsOnWrite) {
  family_.attributes["BLOCKSIZE"] = "16";  // a block for each row, so that the index has levels
  Open();
  const auto flushed = [&](const char* option) {
    ColumnFamilyDescriptor family = family_;
    if (option != nullptr) family.attributes[option] = "true";
    store_->SetFamily(family);
    for (int i = 0; i < 6000; ++i) Add(std::string(40, 'r') + std::to_string(10000 + i), 1);
    const size_t before = cache_->used_bytes();
    Flush();
    return cache_->used_bytes() - before;
  };
  const size_t plain = flushed(nullptr);
  // 6,000 rows: at 1 % error some 7 KB of filters, and 6,000 keys of 45 bytes in the index.
  const size_t blooms = flushed("CACHE_BLOOMS_ON_WRITE");
  EXPECT_GT(blooms, plain + 6000);
  EXPECT_LT(blooms, plain + 60000);
  EXPECT_GT(flushed("CACHE_INDEX_ON_WRITE"), plain + 200000);
}

// COMPRESS_TAGS: a dictionary for tags, where the encoding has a place for it.
TEST_F(CompactionTest, CompressedTags) {
  const auto flushed = [&](const char* encoding, const char* compress) {
    store_.reset();
    std::filesystem::remove_all(root_);
    family_.attributes["DATA_BLOCK_ENCODING"] = encoding;
    family_.attributes["COMPRESS_TAGS"] = compress;
    Open();
    const Bytes tags = Bytes("\0\x29\x40", 3) + std::string(40, 't');  // length 41, type, value
    for (int i = 0; i < 500; ++i) {
      Bytes key;
      cell::AppendFlatKey(&key, std::to_string(1000 + i), "f", "q", 1, CellType::kPut);
      Cell cell;
      cell.key = key.data();
      cell.key_length = static_cast<uint32_t>(key.size());
      cell.tags = tags.data();
      cell.tags_length = static_cast<uint32_t>(tags.size());
      MemStore::InsertHint hint;
      store_->Add(cell, ++sequence_, &hint);
    }
    Flush();
    return store_->size_bytes();
  };
  EXPECT_LT(flushed("FAST_DIFF", "true") + 10000, flushed("FAST_DIFF", "false"));
  EXPECT_GT(flushed("NONE", "true") + 1000, flushed("NONE", "false"));
}

}  // namespace
}  // namespace bennu::engine
