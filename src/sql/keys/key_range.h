// Ranges of encoded key bytes: what a condition on a key column allows.
//
// Bounds are bytes as they stand in a key, so that bytes compare as keys do: descending columns
// inverted (which exchanges lower and upper), a descending column of variable width with its
// terminator (ff, or ff fe), ascending ones without their separator. NULL is the empty string and
// lower than every value. In a range over several columns (a row value constructor) the parts are
// joined as in a key, without trailing NULLs. Thread rule: plain values. Source: phoenix-keys spec
// section 5, but for the terminator, which spares us a comparator of our own.
#ifndef BENNU_SRC_SQL_KEYS_KEY_RANGE_H_
#define BENNU_SRC_SQL_KEYS_KEY_RANGE_H_

#include <optional>
#include <string_view>
#include <vector>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/types/type.h"
#include "src/sql/types/value.h"

namespace bennu::sql {

enum class CompareOp : uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual
};

// The operator with its sides exchanged: a < b is b > a.
CompareOp Mirror(CompareOp op);

struct KeyRange {
  Bytes lower;
  bool lower_bounded = false;
  bool lower_inclusive = false;
  Bytes upper;
  bool upper_bounded = false;
  bool upper_inclusive = false;

  static KeyRange Everything() { return {}; }
  static KeyRange Empty();
  static KeyRange Point(Bytes key);  // a single value; the empty string is IS NULL
  static KeyRange Make(Bytes lower, bool lower_inclusive, Bytes upper, bool upper_inclusive);
  static KeyRange AtLeast(Bytes lower, bool inclusive);
  static KeyRange AtMost(Bytes upper, bool inclusive);
  static KeyRange IsNull();
  static KeyRange IsNotNull();

  bool IsEverything() const { return !lower_bounded && !upper_bounded; }
  bool IsEmpty() const;     // contains nothing
  bool IsSingle() const;    // one value: lower = upper, inclusive; IS NULL too
  bool IsNullOnly() const;  // exactly IS NULL
  bool Contains(ByteView value) const;
  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

// Both conditions hold.
KeyRange Intersect(const KeyRange& a, const KeyRange& b);
// Sorted by lower bound, empty ones dropped, overlapping ones joined: what OR allows.
std::vector<KeyRange> Coalesce(std::vector<KeyRange> ranges);
// What both lists (each coalesced) allow.
std::vector<KeyRange> IntersectAll(const std::vector<KeyRange>& a, const std::vector<KeyRange>& b);
std::vector<KeyRange> UnionAll(std::vector<KeyRange> a, const std::vector<KeyRange>& b);

// The next byte string of the same length after 'key' (increment with carry); nothing when all
// bytes are ff: unbounded.
std::optional<Bytes> NextKey(ByteView key);

// The bytes of one value as a bound (see above). Errors as Encode.
Result<Bytes> EncodeBound(const Value& value, const DataType& type, SortOrder order);

// Whether a FLOAT or DOUBLE is 0.0 or -0.0: equal values whose bytes differ.
bool IsSignedZero(const Value& value, const DataType& type);

// What 'column op value' allows; NULL never. The value is of the column's type (Coerce) or text or
// binary that is too long for it; a NULL or empty value allows nothing. For kNotEqual two ranges.
// An exclusive bound on the lower side of a fixed-width type becomes inclusive, as in Phoenix.
Result<std::vector<KeyRange>> RangesFor(CompareOp op, const Value& value, const DataType& type,
                                        SortOrder order);
// What "column LIKE 'prefix%'" allows; VARCHAR and CHAR. An empty prefix: everything not NULL.
KeyRange LikePrefixRange(ByteView prefix, const DataType& type, SortOrder order);

// Printed form for EXPLAIN and messages: "[lower - upper)" in escaped bytes.
std::string ToString(const KeyRange& range);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_KEYS_KEY_RANGE_H_
