#include "src/sql/exec/key_range_text.h"

#include <fmt/format.h>
#include "src/sql/functions/expr.h"
#include "src/sql/types/codec.h"

namespace bennu::sql::exec {
namespace {

// One bound of one column. Descending values carry a ~.
std::string BoundText(const Bytes& bytes, bool bounded, const KeyColumn& column) {
  if (!bounded) return "*";
  if (bytes.empty()) return "null";
  const Result<Value> value = Decode(bytes, column.type, column.order);
  if (!value.ok()) return LiteralText(Value::Varbinary(bytes));
  return (column.order == SortOrder::kDesc ? "~" : "") + UntypedLiteralText(*value);
}

std::string SaltText(int bucket) {
  return LiteralText(Value::Varbinary(Bytes(1, static_cast<char>(bucket))));
}

std::string SideText(const KeySchema& schema, const std::vector<KeySlot>& slots, bool upper) {
  std::vector<std::string> parts;
  if (schema.salted()) parts.push_back(SaltText(upper ? schema.salt_buckets() - 1 : 0));
  size_t column = 0;
  for (const KeySlot& slot : slots) {
    const KeyRange& range = upper ? slot.ranges.back() : slot.ranges.front();
    if (slot.span > 0) {
      const bool bounded = upper ? range.upper_bounded : range.lower_bounded;
      const Bytes& bytes = upper ? range.upper : range.lower;
      parts.push_back(bounded ? LiteralText(Value::Varbinary(bytes)) : "*");
    } else {
      parts.push_back(upper
                          ? BoundText(range.upper, range.upper_bounded, schema.columns()[column])
                          : BoundText(range.lower, range.lower_bounded, schema.columns()[column]));
    }
    column += 1 + slot.span;
  }
  return fmt::format("[{}]", fmt::join(parts, ","));
}

}  // namespace

std::string RangeText(const KeySchema& schema, const std::vector<KeySlot>& slots) {
  if (slots.empty()) return "";
  const std::string lower = SideText(schema, slots, false);
  const std::string upper = SideText(schema, slots, true);
  return lower == upper ? " " + lower : fmt::format(" {} - {}", lower, upper);
}

}  // namespace bennu::sql::exec
