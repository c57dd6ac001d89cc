// What a jumper leaves of slices: all rows that are wanted, few others where jumps are long, and
// few questions where they are short.
#include "src/sql/exec/slice_jumper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "src/base/coding.h"
#include "src/sql/keys/key_range.h"
#include "src/sql/types/type.h"

namespace bennu::sql::exec {
namespace {

// Two bytes, big endian, in front of two others.
Bytes KeyOf(uint32_t first, uint32_t second) {
  Bytes key(4, '\0');
  StoreBE16(key.data(), static_cast<uint16_t>(first));
  StoreBE16(key.data() + 2, static_cast<uint16_t>(second));
  return key;
}

// Wants rows whose second half is in [low, high), whatever the first is.
class SecondHalf : public RowNavigator {
 public:
  SecondHalf(uint32_t low, uint32_t high, size_t* questions)
      : low_(low), high_(high), questions_(questions) {}

  Decision Navigate(ByteView row, Bytes* seek_row) override {
    ++*questions_;
    end_.clear();
    const uint32_t first = LoadBE16(row.data());
    const uint32_t second = LoadBE16(row.data() + 2);
    if (second >= low_ && second < high_) {
      end_ = KeyOf(first, high_);
      return Decision::kInclude;
    }
    if (second >= high_ && first == 0xffff) return Decision::kDone;
    *seek_row = KeyOf(second < low_ ? first : first + 1, low_);
    return Decision::kSeek;
  }
  ByteView IncludedUpTo() const override { return end_; }
  std::unique_ptr<RowNavigator> Clone() const override {
    return std::make_unique<SecondHalf>(low_, high_, questions_);
  }

 private:
  const uint32_t low_;
  const uint32_t high_;
  size_t* const questions_;
  Bytes end_;
};

struct Chosen {
  std::vector<Bytes> keys;
  size_t slices_left_out = 0;
  bool done = false;
};

class SliceJumperTest : public ::testing::Test {
 protected:
  // 'firsts' times 'seconds' rows in slices of 'slice_rows'. A scanner that is told of a target
  // goes to its slice.
  Chosen Choose(uint32_t firsts, uint32_t seconds, uint32_t slice_rows, uint32_t low,
                uint32_t high) {
    Bytes keys;
    for (uint32_t i = 0; i < firsts * seconds; ++i) keys += KeyOf(i / seconds, i % seconds);
    SliceJumper jumper(SecondHalf(low, high, &questions_), matcher_);
    jumper.Begin();
    Chosen chosen;
    std::vector<SliceJumper::Run> runs;
    for (uint32_t begin = 0; begin < firsts * seconds && !jumper.done(); begin += slice_rows) {
      const uint32_t count = std::min(slice_rows, firsts * seconds - begin);
      const ByteView last(keys.data() + size_t{begin + count - 1} * 4, 4);
      if (last < jumper.target()) {
        ++chosen.slices_left_out;
        continue;
      }
      std::vector<uint32_t> ends(count + 1);
      for (uint32_t i = 0; i <= count; ++i) ends[i] = i * 4;
      auto rows = std::make_shared<ColumnRows>();
      rows->row_count = count;
      rows->keys = keys.data() + size_t{begin} * 4;
      rows->key_ends = ends.data();
      jumper.Choose({rows, 0, count}, &runs);
      for (size_t i = 0; i < runs.size(); ++i) {
        EXPECT_LT(runs[i].begin, runs[i].end);
        EXPECT_TRUE(i == 0 || runs[i - 1].end < runs[i].begin);
        for (uint32_t row = runs[i].begin; row < runs[i].end; ++row) {
          chosen.keys.emplace_back(rows->KeyAt(row));
        }
      }
    }
    chosen.done = jumper.done();
    EXPECT_TRUE(std::is_sorted(chosen.keys.begin(), chosen.keys.end()));
    std::vector<Bytes> wanted;
    for (uint32_t first = 0; first < firsts; ++first) {
      for (uint32_t second = low; second < std::min(high, seconds); ++second) {
        wanted.push_back(KeyOf(first, second));
      }
    }
    EXPECT_TRUE(
        std::includes(chosen.keys.begin(), chosen.keys.end(), wanted.begin(), wanted.end()));
    return chosen;
  }

  // Of what SecondHalf wants.
  static std::shared_ptr<const KeyMatcher> Matcher(uint32_t low, uint32_t high) {
    const KeySchema schema({{"A", {TypeId::kUnsignedSmallint}, SortOrder::kAsc, false},
                            {"B", {TypeId::kUnsignedSmallint}, SortOrder::kAsc, false}});
    const KeyRange range =
        KeyRange::Make(KeyOf(0, low).substr(2), true, KeyOf(0, high).substr(2), false);
    return KeyMatcher::Make(schema, {KeySlot::Everything(), KeySlot{{range}, 0}});
  }

  size_t questions_ = 0;
  std::shared_ptr<const KeyMatcher> matcher_;
};

TEST_F(SliceJumperTest, LongJumpsLeaveWhatIsWanted) {
  EXPECT_EQ(Choose(60, 1000, 700, 500, 501).keys.size(), 60u);
  EXPECT_EQ(Choose(60, 1000, 2000, 500, 520).keys.size(), 60u * 20);
  EXPECT_EQ(Choose(60, 1000, 90, 0, 100).keys.size(), 60u * 100);
}

TEST_F(SliceJumperTest, TellsOfTargetsBeyondSlices) {
  const Chosen chosen = Choose(20, 3000, 100, 1000, 1100);
  EXPECT_EQ(chosen.keys.size(), 20u * 100);
  // Of 30 slices one has the wanted rows; two or three are looked at before the target is told.
  EXPECT_GE(chosen.slices_left_out, 20u * 23);
  EXPECT_LE(questions_, 20u * 6);
}

TEST_F(SliceJumperTest, ShortJumpsAreGivenUp) {
  Choose(30'000, 2, 1000, 1, 2);
  EXPECT_LT(questions_, 60'000u / 20);
}

TEST_F(SliceJumperTest, WhereJumpsAreShortTheMatcherLooksAtRows) {
  matcher_ = Matcher(20, 21);
  const size_t rows = Choose(1600, 40, 1000, 20, 21).keys.size();
  EXPECT_GE(rows, 1600u);
  EXPECT_LT(rows, 1700u);
  EXPECT_LT(questions_, 600u);
  questions_ = 0;
  matcher_ = Matcher(500, 502);
  EXPECT_EQ(Choose(60, 1000, 700, 500, 502).keys.size(), 120u);
}

TEST_F(SliceJumperTest, RowsThatAreAllWantedAreNotAskedFor) {
  EXPECT_EQ(Choose(30'000, 2, 1000, 0, 2).keys.size(), 60'000u);
  EXPECT_LT(questions_, 60'000u / 20);
}

TEST_F(SliceJumperTest, EndsWithTheLastWantedRow) {
  size_t questions = 0;
  SliceJumper jumper(SecondHalf(1, 2, &questions), /*matcher=*/nullptr);
  const Bytes keys = KeyOf(0xffff, 0) + KeyOf(0xffff, 1) + KeyOf(0xffff, 2) + KeyOf(0xffff, 3);
  const std::vector<uint32_t> ends = {0, 4, 8, 12, 16};
  auto rows = std::make_shared<ColumnRows>();
  rows->row_count = 4;
  rows->keys = keys.data();
  rows->key_ends = ends.data();
  std::vector<SliceJumper::Run> runs;
  jumper.Begin();
  jumper.Choose({rows, 0, 4}, &runs);
  EXPECT_TRUE(jumper.done());
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].end, 2u);
  // Another range, before it.
  jumper.Begin();
  EXPECT_FALSE(jumper.done());
  EXPECT_TRUE(jumper.target().empty());
}

}  // namespace
}  // namespace bennu::sql::exec
