#include "src/shell/ordered_formatters.h"

#include <fmt/format.h>

#include <array>

#include "bennu/types.h"
#include "src/base/hex.h"
#include "src/shell/value.h"

namespace bennu::shell {

namespace {

using types::DataTypePtr;
using types::Order;

// Of all values that follow one another, as in a key of several fields.
constexpr std::string_view kAll = "toOrdered";

struct OrderedFormatter {
  std::string_view name;
  DataTypePtr (*type)(Order);
  bool is_text = false;  // shown as it is
};

constexpr std::array<OrderedFormatter, 10> kOrderedFormatters = {{
    {"toOrderedInt8", types::OrderedInt8},
    {"toOrderedInt16", types::OrderedInt16},
    {"toOrderedInt32", types::OrderedInt32},
    {"toOrderedInt64", types::OrderedInt64},
    {"toOrderedFloat32", types::OrderedFloat32},
    {"toOrderedFloat64", types::OrderedFloat64},
    {"toOrderedNumeric", types::OrderedNumeric},
    {"toOrderedString", types::OrderedString, true},
    {"toOrderedBlob", types::OrderedBlob},
    {"toOrderedBlobVar", types::OrderedBlobVar},
}};

DataTypePtr TypeOfKind(ordered_bytes::Kind kind) {
  using ordered_bytes::Kind;
  switch (kind) {
    case Kind::kInt8: return types::OrderedInt8(Order::kAscending);
    case Kind::kInt16: return types::OrderedInt16(Order::kAscending);
    case Kind::kInt32: return types::OrderedInt32(Order::kAscending);
    case Kind::kInt64: return types::OrderedInt64(Order::kAscending);
    case Kind::kFloat32: return types::OrderedFloat32(Order::kAscending);
    case Kind::kFloat64: return types::OrderedFloat64(Order::kAscending);
    case Kind::kBlobVar: return types::OrderedBlobVar(Order::kAscending);
    case Kind::kBlobCopy: return types::OrderedBlob(Order::kAscending);
    case Kind::kText: return types::OrderedString(Order::kAscending);
    default: return types::OrderedNumeric(Order::kAscending);  // nulls too
  }
}

Status NotSuch(std::string_view formatter, ByteView bytes, const std::string& why) {
  return InvalidArgument(fmt::format("{}: {}: {}", formatter, why, ToStringBinary(bytes)));
}

// 'quoted': texts and blobs stand between quotes.
std::string OrderedText(const types::Value& value, bool is_text, bool quoted) {
  if (value.real() != nullptr) return Value(Value::Variant(*value.real())).Inspect();
  if (value.bytes() == nullptr || quoted) return value.ToString();
  return is_text ? *value.bytes() : ToStringBinary(*value.bytes());
}

Result<std::string> FormatAll(ByteView bytes) {
  std::string text;
  for (ByteView rest = bytes; !rest.empty();) {
    const auto header = ordered_bytes::Inspect(rest);
    if (!header.has_value()) {
      return NotSuch(kAll, bytes,
                     fmt::format("no value begins at byte {}", bytes.size() - rest.size()));
    }
    // A null of a BlobCopy in descending order has a second byte, and is the last value.
    if (header->kind == ordered_bytes::Kind::kNull && rest == "\xfa\xff") rest.remove_suffix(1);
    const auto value = TypeOfKind(header->kind)->Decode(&rest);
    if (!value.ok()) return NotSuch(kAll, bytes, value.status().message());
    text += (text.empty() ? "" : ", ") + OrderedText(*value, false, /*quoted=*/true);
  }
  return text;
}

Result<std::string> FormatOne(const OrderedFormatter& formatter, ByteView bytes) {
  // The first byte tells in which order a value is.
  ByteView rest = bytes;
  const auto value = formatter.type(Order::kAscending)->Decode(&rest);
  if (!value.ok()) return NotSuch(formatter.name, bytes, value.status().message());
  // As above.
  const bool is_null_blob = value->is_null() && bytes == "\xfa\xff";
  if (!rest.empty() && !is_null_blob) {
    return NotSuch(formatter.name, bytes, fmt::format("{} bytes are left behind it", rest.size()));
  }
  return OrderedText(*value, formatter.is_text, /*quoted=*/false);
}

}  // namespace

std::optional<Result<std::string>> FormatOrdered(ByteView bytes, std::string_view formatter) {
  if (formatter == kAll) return FormatAll(bytes);
  for (const OrderedFormatter& candidate : kOrderedFormatters) {
    if (candidate.name == formatter) return FormatOne(candidate, bytes);
  }
  return std::nullopt;
}

std::vector<std::string> OrderedFormatterNames() {
  std::vector<std::string> names = {std::string(kAll)};
  for (const OrderedFormatter& formatter : kOrderedFormatters) names.emplace_back(formatter.name);
  return names;
}

}  // namespace bennu::shell
