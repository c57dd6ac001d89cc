// DECIMAL: up to 38 digits and a scale, exact, with Phoenix's rounding and its bytes.
//
// A Decimal keeps the scale that it was given, as Java's BigDecimal does: 1.50 and 1.5 compare
// equal and print differently. Thread rule: a plain value. Source: phoenix-types spec section 4.
#ifndef BENNU_SRC_SQL_TYPES_DECIMAL_H_
#define BENNU_SRC_SQL_TYPES_DECIMAL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/sql/types/type.h"

namespace bennu::sql {

using Int128 = __int128;

inline constexpr int kMaxDecimalDigits = 38;
inline constexpr int kMaxDecimalBytes = 21;

enum class Rounding : uint8_t {
  kDown,      // towards zero
  kUp,        // away from zero
  kFloor,     // towards minus infinity
  kCeiling,   // towards plus infinity
  kHalfUp,    // nearest, halves away from zero
  kHalfEven,  // nearest, halves to the even digit
};

class Decimal {
 public:
  Decimal() = default;  // 0
  // value = unscaled * 10^-scale; |unscaled| < 10^38. A scale below zero is allowed.
  Decimal(Int128 unscaled, int32_t scale) : unscaled_(unscaled), scale_(scale) {}
  static Decimal FromInt64(int64_t value) { return Decimal(value, 0); }
  // The shortest decimal that reads back to the same double, as Java's BigDecimal.valueOf does
  // ("1.0" has scale 1). Nothing for NaN and infinities.
  static std::optional<Decimal> FromDouble(double value);
  // Digits with optional sign, point and exponent; more than 38 digits are rounded HALF_UP.
  // Nothing when the text is not a number.
  static std::optional<Decimal> Parse(std::string_view text);

  Int128 unscaled() const { return unscaled_; }
  int32_t scale() const { return scale_; }
  // Digits of the unscaled value; 1 for zero.
  int32_t precision() const;
  bool IsZero() const { return unscaled_ == 0; }
  int sign() const { return unscaled_ == 0 ? 0 : (unscaled_ < 0 ? -1 : 1); }
  // Digits before the point: precision - scale (may be negative).
  int32_t IntegerDigits() const { return precision() - scale_; }

  // Plain digits, never an exponent, with all places of the scale: "1.50", "100".
  std::string ToString() const;
  // As Java's BigDecimal.toString: with an exponent when the scale is negative or far ("1E+1").
  std::string ToJavaString() const;
  double ToDouble() const;  // correctly rounded
  // Rounded to an integer by 'rounding'; nothing when it does not fit.
  std::optional<int64_t> ToInt64(Rounding rounding = Rounding::kDown) const;
  bool IsInteger() const;

  Decimal Negate() const { return Decimal(-unscaled_, scale_); }
  Decimal Abs() const { return Decimal(unscaled_ < 0 ? -unscaled_ : unscaled_, scale_); }
  Decimal StripTrailingZeros() const;  // zero becomes scale 0
  // Same value with this many places, rounded if places are lost. Nothing when the result would
  // need more than 38 digits.
  std::optional<Decimal> SetScale(int32_t scale, Rounding rounding) const;
  // At most 'digits' significant digits.
  Decimal RoundToPrecision(int32_t digits, Rounding rounding) const;

  // The sum, when it has at most 38 digits at the finer scale; else false, and 'sum' is as it was.
  // 'sum' may be one of the operands.
  [[nodiscard]] static bool AddExactly(const Decimal& a, const Decimal& b, Decimal* sum);
  // Exact, then rounded to 38 digits HALF_UP (Phoenix's math context).
  static Decimal Add(const Decimal& a, const Decimal& b);
  static Decimal Subtract(const Decimal& a, const Decimal& b);
  static Decimal Multiply(const Decimal& a, const Decimal& b);
  // Preferred scale a.scale - b.scale when the quotient is exact, as BigDecimal.divide with a math
  // context. Nothing when b is zero.
  static std::optional<Decimal> Divide(const Decimal& a, const Decimal& b);

  // By value: 1.0 and 1 are equal. <0, 0, >0.
  static int Compare(const Decimal& a, const Decimal& b);
  friend bool operator==(const Decimal& a, const Decimal& b) { return Compare(a, b) == 0; }
  friend bool operator<(const Decimal& a, const Decimal& b) { return Compare(a, b) < 0; }
  // Equal values (whatever their scales) have equal hashes.
  uint64_t Hash() const;

  // Appends Phoenix's bytes, ascending, at most kMaxDecimalBytes. Equal values give equal bytes.
  // False, and nothing appended, when the exponent is too far from zero for the format
  // (magnitudes from 10^124 on; below 10^-128 they become zero).
  [[nodiscard]] bool EncodeTo(Bytes* out) const;
  // Whether its bytes, if it has at most 38 digits, are those of no other value: zero, or a
  // magnitude that the format reaches.
  bool FitsBytes() const;
  // Ascending bytes to the value without trailing zeros. Corruption for bytes that no encoder
  // makes, but for those whose digits have the top bit: they come from a key that was stored in the
  // wrong order and are read as Phoenix reads them, as a digit below zero.
  static Result<Decimal> Decode(ByteView bytes);

 private:
  Int128 unscaled_ = 0;
  int32_t scale_ = 0;
};

// Fits 'value' into a DECIMAL of this precision and scale: truncated to the scale (ROUND_DOWN).
// Nothing when its integer digits do not fit (error 206 is the caller's to say). Without a scale
// only the integer digits are checked, without a precision nothing is.
std::optional<Decimal> FitDecimal(const Decimal& value, const DataType& type);

// Precision and scale of a result; both operands numeric, integers count as scale 0. DECIMAL(38)
// without a scale when either operand has none. A computed result must go through FitDecimal with
// this type, then StripTrailingZeros: results pass through bytes in Phoenix, so 1.50 is 1.5 there.
DataType DecimalAddType(const DataType& a, const DataType& b);  // subtraction too
DataType DecimalMultiplyType(const DataType& a, const DataType& b);
DataType DecimalDivideType(const DataType& a, const DataType& b);

}  // namespace bennu::sql

#endif  // BENNU_SRC_SQL_TYPES_DECIMAL_H_
