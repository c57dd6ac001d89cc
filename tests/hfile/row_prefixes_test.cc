#include "src/hfile/row_prefixes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace bennu::hfile {

namespace {

RowPrefixes BuildOf(const std::vector<Bytes>& rows) {
  RowPrefixes prefixes;
  prefixes.Build(static_cast<uint32_t>(rows.size()), [&](uint32_t i) { return ByteView(rows[i]); });
  return prefixes;
}

// Rows from few letters, zero bytes among them, so that many share prefixes, are prefixes of each
// other, or differ only in trailing zeros.
Bytes RandomRow(std::mt19937_64* random, const Bytes& start, size_t length_max) {
  Bytes row = start;
  const size_t length = 1 + (*random)() % length_max;
  for (size_t i = 0; i < length; ++i) row.push_back("\0\x01z\xff"[(*random)() % 4]);
  return row;
}

}  // namespace

// What is promised, for rows that are there and others, against comparing every row: all before the
// span are less, all from its end on greater, and EndBefore says nothing that is not so.
TEST(RowPrefixesTest, SpanHoldsWhereARowBelongs) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const Bytes start(random() % 12, 'p');
    const size_t length_max = 1 + random() % 20;
    std::vector<Bytes> rows(1 + random() % 200);
    for (Bytes& row : rows) row = RandomRow(&random, start, length_max);
    std::sort(rows.begin(), rows.end());
    if (round % 2 == 0) rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    const RowPrefixes prefixes = BuildOf(rows);
    for (int search = 0; search < 200; ++search) {
      Bytes wanted = RandomRow(&random, start.substr(0, random() % (start.size() + 1)), length_max);
      if (search % 2 == 0) wanted = rows[random() % rows.size()];
      const RowPrefixes::Span span = prefixes.Narrow(wanted);
      ASSERT_LE(span.low, span.high);
      ASSERT_LE(span.high, rows.size());
      const auto low = std::lower_bound(rows.begin(), rows.end(), wanted) - rows.begin();
      const auto high = std::upper_bound(rows.begin(), rows.end(), wanted) - rows.begin();
      ASSERT_LE(span.low, low);
      ASSERT_GE(span.high, high);
      if (prefixes.EndBefore(wanted)) {
        ASSERT_LT(rows.back(), wanted);
      }
    }
  }
}

// Where eight bytes behind the common ones tell all rows apart, nothing is left to compare.
TEST(RowPrefixesTest, SpanIsOneRowWhereEightBytesTellThemApart) {
  std::vector<Bytes> rows;
  for (int i = 0; i < 1000; ++i) rows.push_back("the same start " + std::to_string(10000 + i));
  const RowPrefixes prefixes = BuildOf(rows);
  for (uint32_t i = 0; i < rows.size(); ++i) {
    const RowPrefixes::Span span = prefixes.Narrow(rows[i]);
    EXPECT_EQ(span.low, i);
    EXPECT_EQ(span.high, i + 1);
  }
  EXPECT_EQ(prefixes.Narrow("the same").high, 0u);
  EXPECT_EQ(prefixes.Narrow("the same tart").low, 1000u);
  EXPECT_TRUE(prefixes.EndBefore("the same tart"));
  EXPECT_TRUE(prefixes.EndBefore("the same start 11000"));
  EXPECT_FALSE(prefixes.EndBefore("the same start 10999"));
}

}  // namespace bennu::hfile
