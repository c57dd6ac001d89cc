#include "src/sql/exec/key_range_text.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include "src/sql/expr/expr.h"
#include "src/sql/types/codec.h"

namespace bennu::sql::exec {
namespace {

constexpr char kDescendingEnd = '\xff';

bool IsText(const KeyColumn& column) { return IsString(column.type.id); }

// A CHAR as long as its column, as it would be stored.
Value Padded(const Value& value, const KeyColumn& column) {
  if (column.type.id != TypeId::kChar) return value;
  std::string text(value.bytes());
  while (!text.empty() && text.back() == '\0') text.pop_back();
  const auto width = static_cast<size_t>(FixedWidth(column.type).value_or(0));
  if (text.size() < width) text.resize(width, ' ');
  return Value::String(column.type, std::move(text));
}

std::string ValueText(const Bytes& bytes, const KeyColumn& column) {
  const bool descending = column.order == SortOrder::kDesc;
  Bytes value_bytes = bytes;
  const bool has_end = IsText(column) || column.type.id == TypeId::kDecimal;
  if (descending && has_end && value_bytes.back() == kDescendingEnd) value_bytes.pop_back();
  const Result<Value> value = Decode(value_bytes, column.type, column.order);
  if (!value.ok()) return LiteralText(Value::Varbinary(bytes));
  return (descending ? "~" : "") + UntypedLiteralText(Padded(*value, column));
}

// What a row value says of its first column: the original decodes the bytes of the whole row as a
// value of that column, of which text takes all and numbers take as many as they have.
std::string RowText(const Bytes& bytes, const KeyColumn& column) {
  const std::optional<int32_t> width = FixedWidth(column.type);
  if (width.has_value() && !IsText(column) && column.type.id != TypeId::kBinary) {
    return ValueText(bytes.substr(0, static_cast<size_t>(*width)), column);
  }
  if (!IsText(column)) return LiteralText(Value::Varbinary(bytes));
  Bytes text = bytes;
  const bool descending = column.order == SortOrder::kDesc;
  if (descending && !width.has_value()) {
    if (text.back() == kDescendingEnd) text.pop_back();
    for (char& c : text) {
      if (c != kDescendingEnd) InvertBytes(&c, 1);
    }
  } else if (descending) {
    InvertBytes(text.data(), text.size());
  }
  return (descending ? "~" : "") + UntypedLiteralText(Value::Varchar(std::move(text)));
}

// The texts that begin with a prefix, in a descending column: ['n' - 'm'] for 'm%'. 'lower' has the
// prefix, at whose end the values behind it begin.
std::string PrefixText(const Bytes& lower, bool upper, const KeyColumn& column) {
  Bytes prefix = lower;
  while (!prefix.empty() && prefix.back() == '\0') prefix.pop_back();
  InvertBytes(prefix.data(), prefix.size());
  const Bytes text = upper ? prefix : NextKey(prefix).value_or(prefix);
  return "~" + UntypedLiteralText(Padded(Value::String(column.type, text), column));
}

bool IsDescendingPrefix(const KeyRange& range, const KeyColumn& column) {
  return column.order == SortOrder::kDesc && IsText(column) && range.lower_bounded &&
         range.upper_bounded && range.lower_inclusive && !range.upper_inclusive &&
         !range.lower.empty() && range.lower.back() != kDescendingEnd;
}

// One bound of one column. Descending values carry a ~.
std::string BoundText(const KeyRange& range, bool upper, const KeyColumn& column) {
  if (range == KeyRange::IsNotNull()) return "not null";
  if (range.IsNullOnly()) return "null";
  const bool bounded = upper ? range.upper_bounded : range.lower_bounded;
  const Bytes& bytes = upper ? range.upper : range.lower;
  // What is above NULL is not bounded to the reader.
  if (!bounded || bytes.empty()) return "*";
  if (IsDescendingPrefix(range, column)) return PrefixText(range.lower, upper, column);
  return ValueText(bytes, column);
}

std::string SpanText(const KeyRange& range, bool upper, const KeyColumn& column) {
  const bool bounded = upper ? range.upper_bounded : range.lower_bounded;
  const Bytes& bytes = upper ? range.upper : range.lower;
  // Behind the separator of a NULL stands every value.
  const bool all =
      !upper && bytes.size() == 1 && bytes[0] == '\x01' && !IsFixedWidth(column.type.id);
  if (!bounded || bytes.empty() || all) return "*";
  return RowText(bytes, column);
}

std::string SaltText(int bucket) {
  return LiteralText(Value::Varbinary(Bytes(1, static_cast<char>(bucket))));
}

std::string SideText(const KeySchema& schema, const std::vector<KeySlot>& slots, bool upper,
                     const std::string& first) {
  std::vector<std::string> parts;
  if (!first.empty()) parts.push_back(first);
  if (schema.salted()) parts.push_back(SaltText(upper ? schema.salt_buckets() - 1 : 0));
  size_t column = 0;
  for (const KeySlot& slot : slots) {
    const KeyRange& range = upper ? slot.ranges.back() : slot.ranges.front();
    const KeyColumn& key = schema.columns()[column];
    parts.push_back(slot.span > 0 ? SpanText(range, upper, key) : BoundText(range, upper, key));
    column += 1 + slot.span;
  }
  return fmt::format("[{}]", fmt::join(parts, ","));
}

bool IsOpen(const KeyRange& range) { return !range.lower_bounded || !range.upper_bounded; }

}  // namespace

std::string RangeText(const KeySchema& schema, const std::vector<KeySlot>& slots,
                      const std::string& first) {
  if (slots.empty() && !schema.salted() && first.empty()) return "";
  const std::string lower = SideText(schema, slots, false, first);
  const std::string upper = SideText(schema, slots, true, first);
  return lower == upper ? " " + lower : fmt::format(" {} - {}", lower, upper);
}

std::string SkipText(const KeySchema& schema, const std::vector<KeySlot>& slots) {
  size_t count = schema.salted() ? static_cast<size_t>(schema.salt_buckets()) : 1;
  bool single = true;
  for (const KeySlot& slot : slots) {
    const bool everything = std::any_of(slot.ranges.begin(), slot.ranges.end(),
                                        [](const KeyRange& range) { return range.IsEverything(); });
    if (everything) break;
    count *= slot.ranges.size();
    for (const KeyRange& range : slot.ranges) single &= range.IsSingle();
    if (std::any_of(slot.ranges.begin(), slot.ranges.end(), IsOpen)) break;
  }
  return fmt::format("SKIP SCAN ON {} {}{}", count, single ? "KEY" : "RANGE",
                     count == 1 ? "" : "S");
}

}  // namespace bennu::sql::exec
