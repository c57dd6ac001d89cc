#include "src/sql/expr/row_value.h"

namespace bennu::sql {

double RealAt(const Vector& vector, size_t row) {
  switch (vector.physical_type()) {
    case PhysicalType::kInt64: return static_cast<double>(vector.At<int64_t>(row));
    case PhysicalType::kDouble: return vector.At<double>(row);
    case PhysicalType::kDecimal: return vector.At<Decimal>(row).ToDouble();
    default: return 0;
  }
}

Decimal DecimalAt(const Vector& vector, size_t row) {
  switch (vector.physical_type()) {
    case PhysicalType::kInt64: return Decimal::FromInt64(vector.At<int64_t>(row));
    case PhysicalType::kDouble:
      return Decimal::FromDouble(vector.At<double>(row)).value_or(Decimal());
    case PhysicalType::kDecimal: return vector.At<Decimal>(row);
    default: return Decimal();
  }
}

int64_t MillisAt(const Vector& vector, size_t row) {
  if (vector.physical_type() == PhysicalType::kTimestamp) return vector.At<Timestamp>(row).millis;
  return vector.At<int64_t>(row);
}

}  // namespace bennu::sql
