// One row of a vector as a number, a moment or bytes, whichever of the types with such values the
// vector has. The row must not be NULL.
#ifndef BENNU_SRC_SQL_EXPR_ROW_VALUE_H_
#define BENNU_SRC_SQL_EXPR_ROW_VALUE_H_

#include <cstdint>
#include <string_view>

#include "bennu/bytes.h"
#include "src/sql/types/vector.h"

namespace bennu::sql {

inline ByteView BytesAt(const Vector& vector, size_t row) {
  return vector.At<std::string_view>(row);
}
inline int64_t IntAt(const Vector& vector, size_t row) { return vector.At<int64_t>(row); }
// Of any numeric type.
double RealAt(const Vector& vector, size_t row);
Decimal DecimalAt(const Vector& vector, size_t row);
// Of any date type.
int64_t MillisAt(const Vector& vector, size_t row);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_EXPR_ROW_VALUE_H_
