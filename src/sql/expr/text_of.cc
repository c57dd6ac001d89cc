// Values as '||' writes them: Java's toString of the value.
#include <fmt/format.h>

#include "src/sql/expr/kernels.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

// java.sql.Timestamp: at least one digit of fraction.
std::string TimestampText(Timestamp value) {
  std::string text = DateTimeToText(value);
  if (text.find('.') == std::string::npos) text += ".0";
  return text;
}

std::string DateTimeText(TypeId id, int64_t millis) {
  const std::string text = FormatDefaultDate(millis);
  const bool time = id == TypeId::kTime || id == TypeId::kUnsignedTime;
  // yyyy-MM-dd HH:mm:ss.SSS: a time shows its clock, a date its day.
  return time ? text.substr(text.size() - 12, 8) : text.substr(0, text.size() - 13);
}

}  // namespace

void AppendConcatText(const Vector& vector, size_t row, std::string* out) {
  const TypeId id = vector.type().id;
  switch (vector.physical_type()) {
    case PhysicalType::kBytes: *out += vector.data<std::string_view>()[row]; return;
    case PhysicalType::kBool: *out += vector.data<uint8_t>()[row] != 0 ? "true" : "false"; return;
    case PhysicalType::kInt64: {
      const int64_t value = vector.data<int64_t>()[row];
      *out += IsDateTime(id) ? DateTimeText(id, value) : std::to_string(value);
      return;
    }
    case PhysicalType::kDouble: {
      const double value = vector.data<double>()[row];
      const bool single = id == TypeId::kFloat || id == TypeId::kUnsignedFloat;
      *out += single ? FloatToText(static_cast<float>(value)) : DoubleToText(value);
      return;
    }
    case PhysicalType::kDecimal:
      *out += vector.data<Decimal>()[row].StripTrailingZeros().ToJavaString();
      return;
    case PhysicalType::kTimestamp: *out += TimestampText(vector.data<Timestamp>()[row]); return;
  }
}

}  // namespace bennu::sql
