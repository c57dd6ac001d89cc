// Values to Phoenix's bytes and back: what cells and row keys hold.
//
// NULL is the empty byte string for every type. Bytes compare as the values do (descending columns:
// the other way round). Two deviations from Phoenix, both towards what was written: a descending
// BOOLEAN is read rightly (fe true, ff false), and bytes of a wrong length are an error.
// Source: phoenix-types spec sections 2 to 6.
#ifndef BENNU_SRC_SQL_TYPES_CODEC_H_
#define BENNU_SRC_SQL_TYPES_CODEC_H_

#include <bit>
#include <cstdint>
#include <cstring>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"
#include "src/sql/types/vector.h"

namespace bennu::sql {

// How an integer type, or a date type that is one integer, is stored in ascending order.
struct IntegerLayout {
  int width = 0;         // bytes; 0: the type is another
  uint64_t flipped = 0;  // the bits that are stored the other way round
  IntegerRange range{0, 0};
};
const IntegerLayout& LayoutOf(TypeId id);

// Appends the bytes of 'value', which must be NULL or of type.id's physical type; CHAR and BINARY
// are padded to max_length. Does not coerce (coerce.h does). Errors: 201 for a negative value of an
// unsigned type, one out of the type's range or a CHAR that is not single-byte; 206 for text,
// binary or DECIMAL longer than the type says.
Status Encode(const Value& value, const DataType& type, SortOrder order, Bytes* out);

// The value of 'bytes', which it copies. CHAR loses its trailing blanks. Error 201 for bytes of a
// wrong length or that no encoder makes.
Result<Value> Decode(ByteView bytes, const DataType& type, SortOrder order);

// Appends the bytes of a vector's row, as Encode does.
Status EncodeRow(const Vector& vector, size_t row, const DataType& type, SortOrder order,
                 Bytes* out);

inline ByteView StripCharPadding(ByteView bytes) {
  size_t size = bytes.size();
  while (size > 0 && bytes[size - 1] == ' ') --size;
  return bytes.substr(0, size);
}

// VARBINARY_ENCODED: 'bytes' to its stored form (each 00 to 00 ff, all inverted when descending).
void EncodeVarbinary(ByteView bytes, SortOrder order, Bytes* out);
// Back; false for bytes that no encoder makes (a 00 without ff).
bool DecodeVarbinary(ByteView bytes, SortOrder order, Bytes* out);

// Inverts every byte, which turns ascending bytes to descending ones and back.
void InvertBytes(char* bytes, size_t size);

// Big-endian primitives for kernels and the fast paths below.
inline uint64_t LoadBig64(const char* p) {
  uint64_t v;
  std::memcpy(&v, p, 8);
  return __builtin_bswap64(v);
}
inline uint32_t LoadBig32(const char* p) {
  uint32_t v;
  std::memcpy(&v, p, 4);
  return __builtin_bswap32(v);
}
inline void StoreBig64(char* p, uint64_t v) {
  v = __builtin_bswap64(v);
  std::memcpy(p, &v, 8);
}
inline void StoreBig32(char* p, uint32_t v) {
  v = __builtin_bswap32(v);
  std::memcpy(p, &v, 4);
}
// Ascending BIGINT (DATE, TIME) and INTEGER; 8 and 4 bytes at 'p'.
inline int64_t DecodeBigint(const char* p) {
  return static_cast<int64_t>(LoadBig64(p) ^ (uint64_t{1} << 63));
}
inline int32_t DecodeInteger(const char* p) {
  return static_cast<int32_t>(LoadBig32(p) ^ (uint32_t{1} << 31));
}
// Ascending DOUBLE and FLOAT.
inline double DecodeDouble(const char* p) {
  int64_t v = static_cast<int64_t>(LoadBig64(p) - 1);
  v ^= (~v >> 63) | INT64_MIN;
  return std::bit_cast<double>(v);
}
inline float DecodeFloat(const char* p) {
  int32_t v = static_cast<int32_t>(LoadBig32(p) - 1);
  v ^= (~v >> 31) | INT32_MIN;
  return std::bit_cast<float>(v);
}

namespace internal {
Status DecodeSlow(ByteView bytes, const DataType& type, SortOrder order, Vector* vector,
                  size_t row);
}  // namespace internal

// Puts the value of 'bytes' into row 'row' of a flat vector of this type; NULL for empty bytes.
// The row must be as Vector::Reset leaves it (valid).
// Ascending text and binary become views of 'bytes' (Vector::OwnBytes if they must live longer); a
// descending or VARBINARY_ENCODED value is copied when it must be changed. CHAR keeps its padding,
// which expressions see (LENGTH, ||); comparisons and output take it off (StripCharPadding).
inline Status DecodeInto(ByteView bytes, const DataType& type, SortOrder order, Vector* vector,
                         size_t row) {
  if (bytes.empty()) {
    vector->SetNull(row);
    return Status::Ok();
  }
  if (order == SortOrder::kAsc) {
    switch (type.id) {
      case TypeId::kBigint:
      case TypeId::kDate:
      case TypeId::kTime:
        if (bytes.size() != 8) break;
        vector->Set<int64_t>(row, DecodeBigint(bytes.data()));
        return Status::Ok();
      case TypeId::kInteger:
        if (bytes.size() != 4) break;
        vector->Set<int64_t>(row, DecodeInteger(bytes.data()));
        return Status::Ok();
      case TypeId::kDouble:
        if (bytes.size() != 8) break;
        vector->Set<double>(row, DecodeDouble(bytes.data()));
        return Status::Ok();
      case TypeId::kVarchar:
      case TypeId::kChar:
      case TypeId::kVarbinary:
      case TypeId::kBinary: vector->SetView(row, bytes); return Status::Ok();
      default: break;
    }
  }
  return internal::DecodeSlow(bytes, type, order, vector, row);
}

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_TYPES_CODEC_H_
