#include "src/cell/comparator.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "src/base/hex.h"
#include "src/cell/flat_key.h"

namespace bennu::cell {
namespace {

Bytes Key(ByteView row, ByteView family, ByteView qualifier, int64_t timestamp, CellType type) {
  Bytes key;
  AppendFlatKey(&key, row, family, qualifier, timestamp, type);
  return key;
}

int Sign(int order) { return order < 0 ? -1 : static_cast<int>(order > 0); }

Cell CellOf(const Bytes& key, uint64_t sequence_id) {
  Cell cell;
  cell.key = key.data();
  cell.key_length = static_cast<uint32_t>(key.size());
  cell.sequence_id = sequence_id;
  return cell;
}

// The vectors of section 13 of the cell specification, byte by byte.
TEST(FlatKeyTest, BytesAreKeyValueKeys) {
  EXPECT_EQ(
      "0001720166710000000000000001"
      "04",
      HexEncode(Key("r", "f", "q", 1, CellType::kPut)));
  Bytes first;
  AppendFirstOnRow(&first, "r");
  EXPECT_EQ("000172007fffffffffffffffff", HexEncode(first));
}

// All pairs of a list in scan order, so that the order is total and antisymmetric; the list holds
// each rule of section 3 once.
TEST(ComparatorTest, ScanOrder) {
  std::vector<Bytes> keys;
  Bytes search;
  AppendFirstOnRow(&search, "r");
  keys.push_back(search);
  keys.push_back(Key("r", "f", "", 5, CellType::kDeleteFamily));
  keys.push_back(Key("r", "f", "", 5, CellType::kDeleteFamilyVersion));
  keys.push_back(Key("r", "f", "", 5, CellType::kPut));
  search.clear();
  AppendFirstOnColumn(&search, "r", "f", "q");
  keys.push_back(search);
  keys.push_back(Key("r", "f", "q", 9, CellType::kDeleteColumn));
  keys.push_back(Key("r", "f", "q", 9, CellType::kDelete));
  keys.push_back(Key("r", "f", "q", 9, CellType::kPut));
  keys.push_back(Key("r", "f", "q", 8, CellType::kPut));
  search.clear();
  AppendLastOnColumn(&search, "r", "f", "q");
  keys.push_back(search);
  keys.push_back(Key("r", "f", "qq", 9, CellType::kPut));
  keys.push_back(Key("r", "f", "\xff", 9, CellType::kPut));
  search.clear();
  AppendLastOnRow(&search, "r");
  keys.push_back(search);
  keys.push_back(Key(ByteView("r\0", 2), "f", "q", 9, CellType::kPut));
  keys.push_back(Key("r\x80", "f", "q", 9, CellType::kPut));

  for (size_t i = 0; i < keys.size(); ++i) {
    for (size_t j = 0; j < keys.size(); ++j) {
      const int expected = i < j ? -1 : static_cast<int>(i > j);
      EXPECT_EQ(expected, Sign(CompareFlatKeys(keys[i], keys[j]))) << i << " " << j;
      EXPECT_EQ(expected, Sign(CompareFlatKeysInStore(keys[i], keys[j]))) << i << " " << j;
      EXPECT_EQ(expected, Sign(CompareMetaFlatKeys(keys[i], keys[j]))) << i << " " << j;
    }
  }
}

// Families order before qualifiers, and a family with an empty search key of the row before all.
TEST(ComparatorTest, FamilyBeforeQualifier) {
  EXPECT_LT(
      CompareFlatKeys(Key("r", "a", "z", 1, CellType::kPut), Key("r", "b", "a", 1, CellType::kPut)),
      0);
  EXPECT_LT(CompareFlatKeys(Key("r", "a", "z", 1, CellType::kPut),
                            Key("r", "ab", "a", 1, CellType::kPut)),
            0);
}

// Timestamps are signed, and greater sequence ids come first at equal keys.
TEST(ComparatorTest, TimestampsAndSequenceIds) {
  const Bytes newer = Key("r", "f", "q", kLatestTimestamp, CellType::kPut);
  const Bytes older = Key("r", "f", "q", -1, CellType::kPut);
  EXPECT_LT(CompareFlatKeys(newer, older), 0);
  EXPECT_LT(CompareCells(CellOf(newer, 7), CellOf(newer, 6)), 0);
  EXPECT_GT(CompareCellsInStore(CellOf(newer, 6), CellOf(newer, 7)), 0);
  EXPECT_EQ(CompareMetaCells(CellOf(newer, 6), CellOf(newer, 6)), 0);
}

// Start keys may hold commas and any byte: plain byte order would put them wrong.
TEST(ComparatorTest, MetaRowsGoPartByPart) {
  const std::vector<std::string> rows = {"a",         "a,,1",    "a,,2",   "a,k,1",
                                         "a,k\x01,1", "a,k,b,1", "a-b,,1", "b,,1"};
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = 0; j < rows.size(); ++j) {
      const int expected = i < j ? -1 : static_cast<int>(i > j);
      EXPECT_EQ(expected, Sign(CompareMetaRows(rows[i], rows[j]))) << rows[i] << " " << rows[j];
    }
  }
}

// The word-wise comparison against the standard one: all lengths around the words' sizes, a
// difference at every place, bytes above 0x7f included.
TEST(ComparatorTest, BytesAsMemcmp) {
  for (size_t length = 0; length < 80; ++length) {
    Bytes left(length, 'm');
    for (size_t i = 0; i < length; ++i) left[i] = static_cast<char>(i * 37 + 11);
    for (size_t other = 0; other < 80; other += 3) {
      Bytes right(other, 'm');
      for (size_t i = 0; i < other; ++i) right[i] = static_cast<char>(i * 37 + 11);
      EXPECT_EQ(Sign(left.compare(right)), Sign(CompareRows(left, right)));
    }
    for (size_t at = 0; at < length; ++at) {
      for (const char change : {'\x01', '\x80', '\xff'}) {
        Bytes right = left;
        right[at] = static_cast<char>(right[at] ^ change);
        if (at + 1 < length) right[at + 1] = static_cast<char>(~right[at + 1]);
        EXPECT_EQ(Sign(left.compare(right)), Sign(CompareRows(left, right))) << length << " " << at;
      }
    }
  }
}

TEST(FlatKeyTest, CheckRefusesWhatNoCellHas) {
  EXPECT_TRUE(CheckFlatKey(Key("r", "f", "q", 1, CellType::kPut)).ok());
  EXPECT_TRUE(CheckFlatKey(Key("r", "", "", 0, CellType::kDeleteFamily)).ok());
  EXPECT_FALSE(CheckFlatKey("").ok());
  EXPECT_FALSE(CheckFlatKey(Key("", "f", "q", 1, CellType::kPut)).ok());
  EXPECT_FALSE(CheckFlatKey(Key("r", "f", "q", -1, CellType::kPut)).ok());
  EXPECT_FALSE(CheckFlatKey(Key("r", "f", "q", 1, CellType::kMaximum)).ok());
  Bytes key = Key("r", "f", "q", 1, CellType::kPut);
  key[1] = 9;  // row longer than the key
  EXPECT_FALSE(CheckFlatKey(key).ok());
}

}  // namespace
}  // namespace bennu::cell
