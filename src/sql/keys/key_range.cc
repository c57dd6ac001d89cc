#include "src/sql/keys/key_range.h"

#include <algorithm>
#include <utility>

#include "src/base/hex.h"
#include "src/base/status_macros.h"
#include "src/sql/types/codec.h"
#include "src/sql/types/text.h"

namespace bennu::sql {
namespace {

// Lower bounds in order: unbounded first, inclusive before exclusive.
int CompareLower(const KeyRange& a, const KeyRange& b) {
  if (!a.lower_bounded || !b.lower_bounded) {
    return static_cast<int>(a.lower_bounded) - static_cast<int>(b.lower_bounded);
  }
  const int order = a.lower.compare(b.lower);
  if (order != 0) return order;
  return static_cast<int>(b.lower_inclusive) - static_cast<int>(a.lower_inclusive);
}

// Upper bounds in order: exclusive before inclusive, unbounded last.
int CompareUpper(const KeyRange& a, const KeyRange& b) {
  if (!a.upper_bounded || !b.upper_bounded) {
    return static_cast<int>(b.upper_bounded) - static_cast<int>(a.upper_bounded);
  }
  const int order = a.upper.compare(b.upper);
  if (order != 0) return order;
  return static_cast<int>(a.upper_inclusive) - static_cast<int>(b.upper_inclusive);
}

void TakeLower(const KeyRange& from, KeyRange* to) {
  to->lower = from.lower;
  to->lower_bounded = from.lower_bounded;
  to->lower_inclusive = from.lower_inclusive;
}

void TakeUpper(const KeyRange& from, KeyRange* to) {
  to->upper = from.upper;
  to->upper_bounded = from.upper_bounded;
  to->upper_inclusive = from.upper_inclusive;
}

// Is there no value between the end of 'a' and the start of 'b', which starts no earlier?
bool Touches(const KeyRange& a, const KeyRange& b) {
  if (!a.upper_bounded || !b.lower_bounded) return true;
  const int order = a.upper.compare(b.lower);
  if (order != 0) return order > 0;
  return a.upper_inclusive || b.lower_inclusive;
}

// In order, none of them empty, and a gap between any two.
bool AreCoalesced(const std::vector<KeyRange>& ranges) {
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].IsEmpty()) return false;
    if (i > 0 && Touches(ranges[i - 1], ranges[i])) return false;
  }
  return true;
}

// What follows a descending value of variable width in a key.
ByteView DescTerminator(const DataType& type) {
  return type.id == TypeId::kVarbinaryEncoded ? ByteView("\xff\xfe") : ByteView("\xff");
}

bool IsVariable(const DataType& type) { return !FixedWidth(type).has_value(); }

// Leaves out NULL, which only columns of variable width can hold.
void ExcludeNull(const DataType& type, KeyRange* range) {
  if (!IsVariable(type)) return;
  range->lower.clear();
  range->lower_bounded = true;
  range->lower_inclusive = false;
}

// Text or binary that is longer than the column: what of it a stored value can equal. Returns
// whether anything was cut.
bool CutToLength(const DataType& type, Value* value) {
  const bool sized =
      IsString(type.id) || type.id == TypeId::kBinary || type.id == TypeId::kVarbinary;
  if (!sized || !type.max_length.has_value()) return false;
  ByteView bytes = value->bytes();
  if (type.id == TypeId::kChar) bytes = StripCharPadding(bytes);
  const size_t limit = static_cast<size_t>(*type.max_length);
  if (bytes.size() <= limit) return false;
  if (type.id != TypeId::kVarchar) {
    *value = Value::String(type, Bytes(bytes.substr(0, limit)));
    return true;
  }
  size_t end = 0;  // characters count, not bytes
  for (size_t characters = 0; end < bytes.size(); ++end) {
    const bool starts = (bytes[end] & 0xC0) != 0x80;
    if (starts && ++characters > limit) break;
  }
  if (end == bytes.size()) return false;
  *value = Value::String(type, Bytes(bytes.substr(0, end)));
  return true;
}

// 'column op (cut + more)' in terms of the cut value, which sorts before it.
CompareOp OperatorForCut(CompareOp op) {
  switch (op) {
    case CompareOp::kLess:
    case CompareOp::kLessOrEqual: return CompareOp::kLessOrEqual;
    default: return CompareOp::kGreater;
  }
}

KeyRange LessThan(const Bytes& bound, bool inclusive, const DataType& type) {
  KeyRange range = KeyRange::AtMost(bound, inclusive);
  ExcludeNull(type, &range);
  return range;
}

KeyRange GreaterThan(const Bytes& bound, bool inclusive, const DataType& type) {
  if (inclusive || IsVariable(type)) return KeyRange::AtLeast(bound, inclusive);
  std::optional<Bytes> next = NextKey(bound);
  return next.has_value() ? KeyRange::AtLeast(std::move(*next), true) : KeyRange::Empty();
}

}  // namespace

CompareOp Mirror(CompareOp op) {
  switch (op) {
    case CompareOp::kLess: return CompareOp::kGreater;
    case CompareOp::kLessOrEqual: return CompareOp::kGreaterOrEqual;
    case CompareOp::kGreater: return CompareOp::kLess;
    case CompareOp::kGreaterOrEqual: return CompareOp::kLessOrEqual;
    default: return op;
  }
}

KeyRange KeyRange::Empty() { return Make("\1", false, "\1", false); }

KeyRange KeyRange::Point(Bytes key) {
  KeyRange range;
  range.lower = key;
  range.upper = std::move(key);
  range.lower_bounded = range.upper_bounded = true;
  range.lower_inclusive = range.upper_inclusive = true;
  return range;
}

KeyRange KeyRange::Make(Bytes lower, bool lower_inclusive, Bytes upper, bool upper_inclusive) {
  KeyRange range;
  range.lower = std::move(lower);
  range.lower_bounded = true;
  range.lower_inclusive = lower_inclusive;
  range.upper = std::move(upper);
  range.upper_bounded = true;
  range.upper_inclusive = upper_inclusive;
  return range;
}

KeyRange KeyRange::AtLeast(Bytes lower, bool inclusive) {
  KeyRange range;
  range.lower = std::move(lower);
  range.lower_bounded = true;
  range.lower_inclusive = inclusive;
  return range;
}

KeyRange KeyRange::AtMost(Bytes upper, bool inclusive) {
  KeyRange range;
  range.upper = std::move(upper);
  range.upper_bounded = true;
  range.upper_inclusive = inclusive;
  return range;
}

KeyRange KeyRange::IsNull() { return Point(""); }

KeyRange KeyRange::IsNotNull() { return AtLeast("", false); }

bool KeyRange::IsEmpty() const {
  if (!upper_bounded) return false;
  if (upper.empty() && !upper_inclusive) return true;  // nothing is lower than NULL
  if (!lower_bounded) return false;
  const int order = lower.compare(upper);
  return order > 0 || (order == 0 && !(lower_inclusive && upper_inclusive));
}

bool KeyRange::IsSingle() const {
  return lower_bounded && upper_bounded && lower_inclusive && upper_inclusive && lower == upper;
}

bool KeyRange::IsNullOnly() const {
  return upper_bounded && upper_inclusive && upper.empty() &&
         (!lower_bounded || (lower_inclusive && lower.empty()));
}

bool KeyRange::Contains(ByteView value) const {
  if (lower_bounded) {
    const int order = value.compare(lower);
    if (order < 0 || (order == 0 && !lower_inclusive)) return false;
  }
  if (upper_bounded) {
    const int order = value.compare(upper);
    if (order > 0 || (order == 0 && !upper_inclusive)) return false;
  }
  return true;
}

KeyRange Intersect(const KeyRange& a, const KeyRange& b) {
  KeyRange result;
  TakeLower(CompareLower(a, b) >= 0 ? a : b, &result);
  TakeUpper(CompareUpper(a, b) <= 0 ? a : b, &result);
  return result.IsEmpty() ? KeyRange::Empty() : result;
}

std::vector<KeyRange> Coalesce(std::vector<KeyRange> ranges) {
  if (AreCoalesced(ranges)) return ranges;
  std::erase_if(ranges, [](const KeyRange& range) { return range.IsEmpty(); });
  std::sort(ranges.begin(), ranges.end(), [](const KeyRange& a, const KeyRange& b) {
    const int order = CompareLower(a, b);
    return order != 0 ? order < 0 : CompareUpper(a, b) < 0;
  });
  std::vector<KeyRange> result;
  for (KeyRange& range : ranges) {
    if (result.empty() || !Touches(result.back(), range)) {
      result.push_back(std::move(range));
    } else if (CompareUpper(range, result.back()) > 0) {
      TakeUpper(range, &result.back());
    }
  }
  return result;
}

std::vector<KeyRange> IntersectAll(const std::vector<KeyRange>& a, const std::vector<KeyRange>& b) {
  std::vector<KeyRange> result;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const KeyRange both = Intersect(a[i], b[j]);
    if (!both.IsEmpty()) result.push_back(both);
    if (CompareUpper(a[i], b[j]) < 0) {
      ++i;
    } else {
      ++j;
    }
  }
  return result;
}

std::vector<KeyRange> UnionAll(std::vector<KeyRange> a, const std::vector<KeyRange>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return Coalesce(std::move(a));
}

std::optional<Bytes> NextKey(ByteView key) {
  Bytes next(key);
  for (size_t i = next.size(); i-- > 0;) {
    if (next[i] != '\xff') {
      ++next[i];
      return next;
    }
    next[i] = '\0';
  }
  return std::nullopt;
}

Result<Bytes> EncodeBound(const Value& value, const DataType& type, SortOrder order) {
  Bytes bound;
  RETURN_IF_ERROR(Encode(value, type, order, &bound));
  if (order == SortOrder::kDesc && IsVariable(type) && !bound.empty()) {
    bound += DescTerminator(type);
  }
  return bound;
}

bool IsSignedZero(const Value& value, const DataType& type) {
  const bool has_sign = type.id == TypeId::kDouble || type.id == TypeId::kFloat;
  if (!has_sign || value.is_null()) return false;
  return PhysicalTypeOf(value.type().id) == PhysicalType::kDouble && value.real() == 0;
}

namespace {

// What 'op' allows beside the values whose bytes are 'first' to 'last', which are equal.
std::vector<KeyRange> RangesOfBytes(CompareOp op, const Bytes& first, const Bytes& last,
                                    const DataType& type) {
  std::vector<KeyRange> ranges;
  switch (op) {
    case CompareOp::kEqual:
      ranges = {first == last ? KeyRange::Point(first) : KeyRange::Make(first, true, last, true)};
      break;
    case CompareOp::kNotEqual:
      ranges = {LessThan(first, false, type), GreaterThan(last, false, type)};
      break;
    case CompareOp::kLess: ranges = {LessThan(first, false, type)}; break;
    case CompareOp::kLessOrEqual: ranges = {LessThan(last, true, type)}; break;
    case CompareOp::kGreater: ranges = {GreaterThan(last, false, type)}; break;
    case CompareOp::kGreaterOrEqual: ranges = {GreaterThan(first, true, type)}; break;
  }
  std::erase_if(ranges, [](const KeyRange& range) { return range.IsEmpty(); });
  return ranges;
}

// 0.0 and -0.0 are equal, and have bytes of their own.
Result<std::vector<KeyRange>> ZeroRangesFor(CompareOp op, const DataType& type, SortOrder order) {
  ASSIGN_OR_RETURN(Bytes first, EncodeBound(Value::Real(type, -0.0), type, order));
  ASSIGN_OR_RETURN(Bytes last, EncodeBound(Value::Real(type, 0.0), type, order));
  if (order == SortOrder::kDesc) {
    op = Mirror(op);
    std::swap(first, last);
  }
  return RangesOfBytes(op, first, last, type);
}

}  // namespace

Result<std::vector<KeyRange>> RangesFor(CompareOp op, const Value& value, const DataType& type,
                                        SortOrder order) {
  std::vector<KeyRange> none;
  if (value.is_null()) return none;
  Value comparand = value;
  if (CutToLength(type, &comparand)) {
    if (op == CompareOp::kEqual) return none;
    if (op == CompareOp::kNotEqual) {
      KeyRange any = KeyRange::Everything();
      ExcludeNull(type, &any);
      return std::vector<KeyRange>{any};
    }
    op = OperatorForCut(op);
  }
  if (IsSignedZero(comparand, type)) return ZeroRangesFor(op, type, order);
  ASSIGN_OR_RETURN(Bytes bound, EncodeBound(comparand, type, order));
  if (bound.empty()) return none;
  if (order == SortOrder::kDesc) op = Mirror(op);
  return RangesOfBytes(op, bound, bound, type);
}

KeyRange LikePrefixRange(ByteView prefix, const DataType& type, SortOrder order) {
  const std::optional<int32_t> width = FixedWidth(type);
  if (width.has_value() && prefix.size() > static_cast<size_t>(*width)) return KeyRange::Empty();
  if (prefix.empty()) {
    return width.has_value() ? KeyRange::Everything() : KeyRange::IsNotNull();
  }
  Bytes lower(prefix);
  if (order == SortOrder::kDesc) InvertBytes(lower.data(), lower.size());
  std::optional<Bytes> upper = NextKey(lower);
  // A bound of a fixed-width column has its width, so that further columns can be put behind it.
  if (width.has_value()) lower.resize(static_cast<size_t>(*width), '\0');
  KeyRange range = KeyRange::AtLeast(std::move(lower), true);
  if (upper.has_value()) TakeUpper(KeyRange::AtMost(std::move(*upper), false), &range);
  return range;
}

std::string ToString(const KeyRange& range) {
  std::string text = range.lower_bounded && range.lower_inclusive ? "[" : "(";
  text += range.lower_bounded ? "'" + ToStringBinary(range.lower) + "'" : "*";
  text += " - ";
  text += range.upper_bounded ? "'" + ToStringBinary(range.upper) + "'" : "*";
  text += range.upper_bounded && range.upper_inclusive ? "]" : ")";
  return text;
}

}  // namespace bennu::sql
