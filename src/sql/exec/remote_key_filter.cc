#include "src/sql/exec/remote_key_filter.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "src/sql/types/codec.h"

namespace bennu::sql::exec {
namespace {

// Each is tried on each row.
constexpr size_t kAlternativesMax = 50;

// What a key has before the column where all that stands there is of fixed width.
std::optional<size_t> FixedOffset(const KeySchema& schema, size_t column) {
  size_t offset = schema.prefix_size();
  for (size_t i = 0; i < column; ++i) {
    if (!schema.IsFixed(i)) return std::nullopt;
    offset += schema.FixedWidthOf(i);
  }
  return offset;
}

FilterPtr MakeFuzzy(size_t offset, const std::vector<Bytes>& prefixes) {
  std::vector<FuzzyKey> keys;
  for (const Bytes& prefix : prefixes) {
    FuzzyKey key;
    key.key = Bytes(offset, '\0') + prefix;
    key.mask = Bytes(offset, '\1') + Bytes(prefix.size(), '\0');
    keys.push_back(std::move(key));
  }
  auto filter = NewFuzzyRowFilter(keys);
  return filter.ok() ? std::move(filter).value() : nullptr;
}

// The pattern of what stands before the column, a byte as a character. Nothing: it cannot be told.
std::optional<std::string> PatternBefore(const KeySchema& schema, size_t column) {
  std::string pattern = "\\A";
  size_t fixed = schema.prefix_size();
  for (size_t i = 0; i < column; ++i) {
    if (schema.IsFixed(i)) {
      fixed += schema.FixedWidthOf(i);
      continue;
    }
    // Its separators are two bytes, the first of which may be in values.
    const KeyColumn& before = schema.columns()[i];
    if (before.type.id == TypeId::kVarbinaryEncoded) return std::nullopt;
    if (fixed > 0) pattern += fmt::format(".{{{}}}", std::exchange(fixed, 0));
    // The NULL of a descending column ends as that of others does.
    pattern += before.order == SortOrder::kAsc ? "[^\\x00]*+\\x00" : "(?:\\x00|[^\\xff]++\\xff)";
  }
  if (fixed > 0) pattern += fmt::format(".{{{}}}", fixed);
  return pattern;
}

FilterPtr MakeRegex(const std::string& before, const std::vector<Bytes>& prefixes) {
  std::string pattern = before + "(?:";
  for (const Bytes& prefix : prefixes) {
    if (!pattern.ends_with(':')) pattern += '|';
    for (const char byte : prefix) {
      pattern += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  RegexOptions options;
  options.charset = "ISO-8859-1";
  auto comparator = NewRegexComparator(pattern + ")", options);
  if (!comparator.ok()) return nullptr;
  return NewRowFilter(::bennu::CompareOp::kEqual, std::move(comparator).value());
}

}  // namespace

FilterPtr MakeKeyPrefixFilter(const KeySchema& schema, size_t column,
                              const std::vector<Bytes>& prefixes) {
  // Conditions on the first column are ranges.
  if (column == 0 || prefixes.empty() || prefixes.size() > kAlternativesMax) return nullptr;
  for (const Bytes& prefix : prefixes) {
    if (prefix.empty()) return nullptr;
  }
  if (const auto offset = FixedOffset(schema, column); offset.has_value()) {
    return MakeFuzzy(*offset, prefixes);
  }
  const auto before = PatternBefore(schema, column);
  return before.has_value() ? MakeRegex(*before, prefixes) : nullptr;
}

std::optional<Bytes> KeyBytesOf(const Value& value, const KeyColumn& column) {
  const TypeId type = column.type.id;
  // Of BINARY and VARBINARY_ENCODED it is not the bytes alone that count; DOUBLE has two zeros.
  if (IsFloatingPoint(type) || type == TypeId::kBinary || type == TypeId::kVarbinaryEncoded) {
    return std::nullopt;
  }
  Bytes bytes;
  if (!Encode(value, column.type, column.order, &bytes).ok() || bytes.empty()) return std::nullopt;
  return bytes;
}

}  // namespace bennu::sql::exec
