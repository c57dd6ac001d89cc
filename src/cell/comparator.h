// HBase's order of cells: row, family, qualifier ascending; timestamp, type, sequence id
// descending.
//
// Steps of a comparison (hbase-cell spec section 3):
//   1. rows, unsigned bytes, a prefix first (in hbase:meta part by part, see CompareMetaRows);
//   2. a key of type Minimum with empty family and qualifier sorts after every key of its row;
//   3. family, qualifier; 4. newer timestamp first; 5. greater type first, so deletes before puts;
//   6. greater sequence id first (cells only: it is not part of a flat key).
//
// The ...InStore forms leave the family out: all keys of one store have the same one, and search
// keys made by flat_key.h have that one or none. All functions return < 0, 0 or > 0, take no lock
// and do not allocate. Keys must be well formed (CheckFlatKey).
#ifndef BENNU_SRC_CELL_COMPARATOR_H_
#define BENNU_SRC_CELL_COMPARATOR_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "bennu/bytes.h"
#include "bennu/cell.h"

namespace bennu::cell {

namespace internal {

template <typename Word>
inline Word LoadWord(const char* bytes) {
  Word word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

// Both words as big-endian numbers; they differ.
template <typename Word>
inline int OrderOfWords(Word left, Word right) {
  if constexpr (sizeof(Word) == 8) {
    return __builtin_bswap64(left) < __builtin_bswap64(right) ? -1 : 1;
  } else {
    return __builtin_bswap32(left) < __builtin_bswap32(right) ? -1 : 1;
  }
}

// memcmp for the short strings that keys are made of: a word at a time, the last one overlapping
// the one before, without a call. Returns 0 when equal.
inline int CompareEqualLength(const char* left, const char* right, size_t length) {
  if (length >= 8) {
    if (length > 64) return std::memcmp(left, right, length);
    for (size_t i = 0; i + 8 < length; i += 8) {
      const auto a = LoadWord<uint64_t>(left + i);
      const auto b = LoadWord<uint64_t>(right + i);
      if (a != b) return OrderOfWords(a, b);
    }
    const auto a = LoadWord<uint64_t>(left + length - 8);
    const auto b = LoadWord<uint64_t>(right + length - 8);
    return a == b ? 0 : OrderOfWords(a, b);
  }
  if (length >= 4) {
    auto a = LoadWord<uint32_t>(left);
    auto b = LoadWord<uint32_t>(right);
    if (a != b) return OrderOfWords(a, b);
    a = LoadWord<uint32_t>(left + length - 4);
    b = LoadWord<uint32_t>(right + length - 4);
    return a == b ? 0 : OrderOfWords(a, b);
  }
  for (size_t i = 0; i < length; ++i) {
    const int order = static_cast<uint8_t>(left[i]) - static_cast<uint8_t>(right[i]);
    if (order != 0) return order;
  }
  return 0;
}

}  // namespace internal

// Unsigned bytes, a proper prefix first.
inline int CompareBytes(const char* left, size_t left_length, const char* right,
                        size_t right_length) {
  const int order = internal::CompareEqualLength(left, right, std::min(left_length, right_length));
  if (order != 0) return order;
  return left_length < right_length ? -1 : static_cast<int>(left_length > right_length);
}

inline int CompareRows(ByteView left, ByteView right) {
  return CompareBytes(left.data(), left.size(), right.data(), right.size());
}

// The order of rows in hbase:meta, whose rows are "table,start key,region id…": by table, by start
// key (which may itself hold commas: it ends at the last one), by the rest.
int CompareMetaRows(ByteView left, ByteView right);

namespace internal {

// Where the parts of a flat key stand; found once per comparison.
struct KeyParts {
  const char* row;
  const char* family;
  const char* qualifier;
  const char* timestamp;  // 8 bytes, then the type
  uint32_t row_length;
  uint32_t family_length;
  uint32_t qualifier_length;

  KeyParts(const char* key, uint32_t key_length) {
    row_length =
        (static_cast<uint32_t>(static_cast<uint8_t>(key[0])) << 8) | static_cast<uint8_t>(key[1]);
    row = key + 2;
    family_length = static_cast<uint8_t>(row[row_length]);
    family = row + row_length + 1;
    qualifier = family + family_length;
    timestamp = key + key_length - 9;
    qualifier_length = static_cast<uint32_t>(timestamp - qualifier);
  }
  int64_t TimestampValue() const {
    uint64_t big_endian;
    std::memcpy(&big_endian, timestamp, sizeof(big_endian));
    return static_cast<int64_t>(__builtin_bswap64(big_endian));
  }
  uint8_t Type() const { return static_cast<uint8_t>(timestamp[8]); }
  bool IsLastOnRow() const {
    return Type() == static_cast<uint8_t>(CellType::kMinimum) && family_length == 0 &&
           qualifier_length == 0;
  }
};

template <bool kWithFamily>
inline int CompareAfterRow(const KeyParts& left, const KeyParts& right) {
  const bool left_last = left.IsLastOnRow();
  const bool right_last = right.IsLastOnRow();
  if (left_last != right_last) return left_last ? 1 : -1;
  int order;
  if constexpr (kWithFamily) {
    order = CompareBytes(left.family, left.family_length, right.family, right.family_length);
    if (order != 0) return order;
  }
  order =
      CompareBytes(left.qualifier, left.qualifier_length, right.qualifier, right.qualifier_length);
  if (order != 0) return order;
  const int64_t left_time = left.TimestampValue();
  const int64_t right_time = right.TimestampValue();
  if (left_time != right_time) return left_time > right_time ? -1 : 1;
  return static_cast<int>(right.Type()) - static_cast<int>(left.Type());
}

template <bool kWithFamily>
inline int CompareKeys(const char* left, uint32_t left_length, const char* right,
                       uint32_t right_length) {
  const KeyParts left_parts(left, left_length);
  const KeyParts right_parts(right, right_length);
  const int order =
      CompareBytes(left_parts.row, left_parts.row_length, right_parts.row, right_parts.row_length);
  if (order != 0) return order;
  return CompareAfterRow<kWithFamily>(left_parts, right_parts);
}

inline int CompareSequence(uint64_t left, uint64_t right) {
  return left > right ? -1 : static_cast<int>(left < right);
}

}  // namespace internal

inline int CompareFlatKeys(ByteView left, ByteView right) {
  return internal::CompareKeys<true>(left.data(), static_cast<uint32_t>(left.size()), right.data(),
                                     static_cast<uint32_t>(right.size()));
}

inline int CompareFlatKeysInStore(ByteView left, ByteView right) {
  return internal::CompareKeys<false>(left.data(), static_cast<uint32_t>(left.size()), right.data(),
                                      static_cast<uint32_t>(right.size()));
}

inline int CompareCells(const Cell& left, const Cell& right) {
  const int order =
      internal::CompareKeys<true>(left.key, left.key_length, right.key, right.key_length);
  return order != 0 ? order : internal::CompareSequence(left.sequence_id, right.sequence_id);
}

inline int CompareCellsInStore(const Cell& left, const Cell& right) {
  const int order =
      internal::CompareKeys<false>(left.key, left.key_length, right.key, right.key_length);
  return order != 0 ? order : internal::CompareSequence(left.sequence_id, right.sequence_id);
}

// What follows the rows only: for callers that know the rows to be equal.
inline int CompareFlatKeysWithinRow(ByteView left, ByteView right) {
  return internal::CompareAfterRow<true>(
      internal::KeyParts(left.data(), static_cast<uint32_t>(left.size())),
      internal::KeyParts(right.data(), static_cast<uint32_t>(right.size())));
}

// The same as the functions above for hbase:meta.
int CompareMetaFlatKeys(ByteView left, ByteView right);
int CompareMetaCells(const Cell& left, const Cell& right);

}  // namespace bennu::cell

#endif  // BENNU_SRC_CELL_COMPARATOR_H_
