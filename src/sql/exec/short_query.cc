#include "src/sql/exec/short_query.h"

#include <optional>

#include "src/sql/keys/key_range.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/coerce.h"

namespace bennu::sql::exec {

bool EncodeOperand(const Value& value, const KeyColumn& column, Bytes* encoded) {
  encoded->clear();
  if (IsSignedZero(value, column.type)) return false;
  // DECIMAL may lose digits to the column's scale. Blanks at the end of text do not count where
  // the column is padded with them.
  const bool same = value.type().id == column.type.id && value.type().id != TypeId::kDecimal;
  const bool text = column.type.id == TypeId::kChar && value.type().id == TypeId::kVarchar;
  if (same || text) return Encode(value, column.type, column.order, encoded).ok();
  if (const std::optional<int64_t> millis = SameMillis(value, column.type)) {
    return Encode(Value::Int(column.type, *millis), column.type, column.order, encoded).ok();
  }
  const Result<Value> coerced = Coerce(value, column.type);
  if (!coerced.ok()) return false;
  const Result<int> order = CompareValues(*coerced, value);
  if (!order.ok() || *order != 0 || IsSignedZero(*coerced, column.type)) return false;
  return Encode(*coerced, column.type, column.order, encoded).ok();
}

}  // namespace bennu::sql::exec
