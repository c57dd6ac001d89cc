// Values put into columns: Phoenix's rules for what UPSERT may assign.
#ifndef BENNU_SRC_SQL_BIND_ASSIGN_H_
#define BENNU_SRC_SQL_BIND_ASSIGN_H_

#include <cstdint>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/catalog/table.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"
#include "src/sql/types/vector.h"

namespace bennu::sql::bind {

// Appends 'value' as the column stores it; nothing for NULL and for empty text. Errors: 203 the
// types do not go together or the value does not fit; 206 too long; 201 bytes that cannot be
// stored.
Status EncodeAssigned(const Value& value, const catalog::ColumnMeta& column, Bytes* out);

// The same for one row of a query's result. A number that does not fit is 201, as in Phoenix;
// BIGINT and UNSIGNED_LONG are milliseconds where the other is a moment.
Status EncodeAssigned(const Vector& vector, size_t row, const catalog::ColumnMeta& column,
                      Bytes* out);

// EncodeAssigned of single values for one column, without delay for the whole numbers and moments
// that it holds as they are. Immutable.
class ColumnEncoder {
 public:
  // 'column' must outlive this.
  explicit ColumnEncoder(const catalog::ColumnMeta* column);

  Status Append(const Value& value, Bytes* out) const {
    if (value.is_null()) return Status::Ok();
    const auto type = static_cast<uint32_t>(value.type().id);
    if (type < kTypeCount && (whole_types_ >> type & 1) != 0) {
      const int64_t number = value.int64();
      if (number >= layout_.range.min && number <= layout_.range.max) {
        char bytes[sizeof(uint64_t)];
        const uint64_t stored = static_cast<uint64_t>(number) ^ layout_.flipped;
        StoreBig64(bytes, stored << (64 - 8 * layout_.width));
        out->append(bytes, static_cast<size_t>(layout_.width));
        return Status::Ok();
      }
    }
    return EncodeAssigned(value, *column_, out);
  }

 private:
  const catalog::ColumnMeta* column_;
  uint64_t whole_types_ = 0;  // a bit for each type whose numbers are the column's
  IntegerLayout layout_;      // in the column's order
};

// May values of this type be assigned at all? 203 otherwise.
Status CheckAssignable(const DataType& from, const catalog::ColumnMeta& column);
// The same for a column of a query's result.
Status CheckQueryAssignable(const DataType& from, const catalog::ColumnMeta& column);

}  // namespace bennu::sql::bind

#endif  // BENNU_SRC_SQL_BIND_ASSIGN_H_
