#include "src/server/hbase/histogram.h"

#include <gtest/gtest.h>

#include <limits>

namespace bennu::server::hbase {
namespace {

TEST(Histogram, BucketsCoverAllValuesWithoutGaps) {
  uint64_t begin = 0;
  for (size_t i = 0; i < HistogramCounts::kBuckets; ++i) {
    ASSERT_EQ(HistogramCounts::BucketOf(begin), i);
    const uint64_t end = HistogramCounts::BucketEnd(i);
    ASSERT_GT(end, begin);
    ASSERT_EQ(HistogramCounts::BucketOf(end - 1), i);
    ASSERT_LE(end - begin, begin / 4 + 1) << begin;
    begin = end;
  }
  EXPECT_EQ(begin, std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(HistogramCounts::BucketOf(begin), HistogramCounts::kBuckets - 1);
}

TEST(Histogram, TellsHowValuesSpread) {
  Histogram histogram;
  EXPECT_EQ(histogram.Read().count, 0u);
  EXPECT_EQ(histogram.Read().Quantile(0.5), 0u);
  for (uint64_t value = 1; value <= 1000; ++value) histogram.Add(value);
  const HistogramCounts counts = histogram.Read();
  EXPECT_EQ(counts.count, 1000u);
  EXPECT_EQ(counts.sum, 500'500u);
  EXPECT_EQ(counts.max, 1000u);
  EXPECT_EQ(counts.Min(), 1u);
  EXPECT_DOUBLE_EQ(counts.Mean(), 500.5);
  EXPECT_NEAR(static_cast<double>(counts.Quantile(0.5)), 500, 125);
  EXPECT_NEAR(static_cast<double>(counts.Quantile(0.99)), 990, 248);
  EXPECT_EQ(counts.Quantile(1), 1000u);
  EXPECT_EQ(counts.CountBelow(512), 511u);
}

}  // namespace
}  // namespace bennu::server::hbase
