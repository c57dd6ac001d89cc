// Cell: a view of one version of one column, in HBase's KeyValue key layout.
//
//   flat key:  OFFSET  SIZE
//                   0     2  row length R (big-endian, 1..32767; 0 only in search keys)
//                   2     R  row
//                 2+R     1  family length F
//                 3+R     F  family
//               3+R+F     Q  qualifier (length follows from the key's length)
//             3+R+F+Q     8  timestamp, milliseconds, signed, big-endian
//            11+R+F+Q     1  type (CellType)
//
// A Cell owns nothing: it points into a cached block, a memstore arena, a mutation batch or a
// received frame, and is valid as long as whoever handed it out pins that memory. Copying a Cell
// copies pointers only. Source: HBase 2.5 KeyValue, hbase-cell spec section 1.
#ifndef BENNU_CELL_H_
#define BENNU_CELL_H_

#include <cstdint>
#include <cstring>
#include <limits>

#include "bennu/bytes.h"

namespace bennu {

// HBase's KeyValue.Type. Only the values named here are legal.
enum class CellType : uint8_t {
  kMinimum = 0,  // search keys only: sorts after every real cell
  kPut = 4,
  kDelete = 8,                // hides the version with exactly this timestamp
  kDeleteFamilyVersion = 10,  // hides every cell of the family with exactly this timestamp
  kDeleteColumn = 12,         // hides all versions of the column up to this timestamp
  kDeleteFamily = 14,         // hides every cell of the family up to this timestamp
  kMaximum = 255,             // search keys only: sorts before every real cell
};

// HConstants.LATEST_TIMESTAMP: "now, chosen by the store" in a mutation, "newest" in a search key.
inline constexpr int64_t kLatestTimestamp = std::numeric_limits<int64_t>::max();

inline constexpr uint32_t kMaxRowLength = 32767;
inline constexpr uint32_t kMaxFamilyLength = 127;
// Bytes of a flat key that are neither row, family nor qualifier.
inline constexpr uint32_t kFlatKeyOverhead = 12;

inline constexpr bool IsDelete(CellType type) {
  return static_cast<uint8_t>(type) >= 8 && static_cast<uint8_t>(type) <= 14;
}

// A view of one version of one column, or of a delete marker. It owns nothing; the comment at the
// top of this file says for how long it is valid.
struct Cell {
  const char* key = nullptr;    // flat key, key_length bytes
  const char* value = nullptr;  // value_length bytes
  const char* tags = nullptr;   // serialized tag area without its length, tags_length bytes
  uint64_t sequence_id = 0;     // MVCC write number; 0 when older than every reader
  uint32_t key_length = 0;
  uint32_t value_length = 0;
  uint32_t tags_length = 0;  // 0..65535

  uint32_t row_length() const {
    return (static_cast<uint32_t>(static_cast<uint8_t>(key[0])) << 8) |
           static_cast<uint8_t>(key[1]);
  }
  ByteView row() const { return ByteView(key + 2, row_length()); }
  uint32_t family_length() const { return static_cast<uint8_t>(key[2 + row_length()]); }
  ByteView family() const { return ByteView(key + 3 + row_length(), family_length()); }
  ByteView qualifier() const {
    const uint32_t before = 3 + row_length() + family_length();
    return ByteView(key + before, key_length - before - 9);
  }
  int64_t timestamp() const {
    uint64_t big_endian;
    std::memcpy(&big_endian, key + key_length - 9, sizeof(big_endian));
    return static_cast<int64_t>(__builtin_bswap64(big_endian));
  }
  CellType type() const { return static_cast<CellType>(static_cast<uint8_t>(key[key_length - 1])); }
  ByteView flat_key() const { return ByteView(key, key_length); }
  ByteView value_view() const { return ByteView(value, value_length); }
  ByteView tags_view() const { return ByteView(tags, tags_length); }
};

}  // namespace bennu

#endif  // BENNU_CELL_H_
