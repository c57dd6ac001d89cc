// Arrays. In memory a value is the bytes that an ascending column stores; elements are taken out of
// them when asked for. The empty array is NULL.
//
//   fixed width:     the elements' bytes one after the other; there is no NULL among them
//   variable width:  elements, each with a separator, and where each begins; see array.cc
//
// The length and the scale of an array's DataType are those of its elements; CHAR and BINARY
// without a length are as wide as the longest element. Source: phoenix-types spec section 7.
#ifndef BENNU_SRC_SQL_TYPES_ARRAY_H_
#define BENNU_SRC_SQL_TYPES_ARRAY_H_

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/types/text.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"

namespace bennu::sql {

DataType ElementType(const DataType& array);
// What an element must be to be stored: VARCHARs may be longer than the column says, and DECIMALs
// have more digits, as in Phoenix.
DataType StoredElementType(const DataType& array);
// The array type of such elements; nothing where there is none (JSON, VARBINARY_ENCODED, arrays).
std::optional<TypeId> ArrayOf(TypeId element);
// The same for arrays that an expression makes. Errors: 519 for VARBINARY, whose elements that
// begin with 00 or ff would read as NULL; else 201.
Result<TypeId> MadeArrayOf(TypeId element, int32_t position = -1);

// An array of these elements, which are of the element type's physical type or NULL; of type
// 'type', with the length of the longest element where CHAR or BINARY has none. A NULL of fixed
// width becomes zero, false, the epoch or blanks; callers leave it out where it would be seen.
// Errors: those of Encode.
Result<Value> MakeArray(const DataType& type, std::span<const Value> elements);

// Looks into an array's bytes without copying them; 'array' must outlive it.
class ArrayView {
 public:
  // Error 201 for bytes that no encoder makes.
  static Result<ArrayView> Open(ByteView array, const DataType& type);

  size_t size() const { return count_; }
  // The bytes of element i < size(), as they stand there; empty: NULL. Error 201.
  Result<ByteView> At(size_t i) const;

 private:
  int64_t OffsetAt(size_t i) const;

  ByteView array_;
  TypeId type_ = TypeId::kNull;
  size_t count_ = 0;
  size_t width_ = 0;     // of fixed elements, else 0
  size_t position_ = 0;  // of the offsets
  bool short_offsets_ = false;
};

// Appends the array of elements whose bytes are given as an ascending column has them; empty: NULL.
// Those of fixed width have the width of the element type.
void JoinArray(std::span<const ByteView> elements, const DataType& type, Bytes* out);

// The elements of an array's bytes. CHAR elements lose their padding. Error 201 for bytes that no
// encoder makes.
Result<std::vector<Value>> ArrayElements(ByteView array, const DataType& type);

// Appends the stored form of 'array', which is of type 'from', in a column of type 'to' (the same
// element type, perhaps other lengths or another scale).
Status EncodeArray(ByteView array, const DataType& from, const DataType& to, SortOrder order,
                   Bytes* out);
// Back from the bytes of a descending column.
Result<Bytes> AscendingArray(ByteView stored, const DataType& type);

// "[1,'a',NULL]". CHAR elements are as long as the longest, which is how a client of Phoenix gets
// them.
void AppendArrayText(ByteView array, const DataType& type, const TextStyle& style,
                     std::string* out);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_TYPES_ARRAY_H_
