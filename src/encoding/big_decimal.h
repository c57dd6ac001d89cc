// BigDecimal: unscaled × 10^-scale with an unscaled integer of any size, as java.math.BigDecimal.
//
// Scale is part of the value's form (1.0 and 1.00 differ by it) but not of its order. Immutable in
// practice: a plain value. Used where bytes of HBase's Bytes and OrderedBytes hold decimals.
#ifndef BENNU_SRC_ENCODING_BIG_DECIMAL_H_
#define BENNU_SRC_ENCODING_BIG_DECIMAL_H_

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "bennu/bytes.h"
#include "bennu/status.h"

namespace bennu::encoding {

struct BigDecimal {
  boost::multiprecision::cpp_int unscaled = 0;
  int32_t scale = 0;

  static BigDecimal FromInt64(int64_t value) { return BigDecimal{value, 0}; }
  // The decimal that java.lang.Double.toString prints, as BigDecimal.valueOf(double) does.
  // 'value' must be finite.
  static BigDecimal FromDouble(double value);
  // Takes what Java's constructor from text takes: [+-]digits[.digits][E[+-]digits].
  // InvalidArgument: anything else, or a scale beyond 32 bits.
  static Result<BigDecimal> Parse(std::string_view text);

  // BigDecimal.toString: plain when the exponent is in -6..0, else with E and a sign.
  std::string ToString() const;
  // Digits of the unscaled value; 1 for zero.
  int32_t Precision() const;
  // -1, 0, 1.
  int Sign() const { return unscaled.sign(); }

  // The same number without trailing zeros; zero gets scale 0. (stripTrailingZeros)
  BigDecimal Stripped() const;
  // At most 'digits' digits, halves away from zero (MathContext HALF_UP). The scale shrinks as
  // needed.
  BigDecimal Rounded(int32_t digits) const;

  // The same number with that scale, rounded half to even where it has more digits. (setScale with
  // HALF_EVEN) Takes memory and time for the digits that come or go.
  BigDecimal WithScale(int32_t wanted) const;

  // The nearest double; infinite when too large. (doubleValue)
  double ToDouble() const;
  // The integer part's lowest 64 bits, as Java narrows. (longValue)
  int64_t ToInt64Narrowed() const;

  // The form, not the number: 1.0 and 1.00 are different.
  friend bool operator==(const BigDecimal&, const BigDecimal&) = default;
};

// Order of the numbers: -1, 0, 1.
int CompareNumbers(const BigDecimal& left, const BigDecimal& right);

// Bytes.toBytes(BigDecimal): int32 scale (big-endian), then the unscaled value as two's complement
// in as few bytes as possible, big-endian.
void AppendBigDecimal(Bytes* out, const BigDecimal& value);
// Takes all of 'bytes'. Corruption: fewer than 5 bytes.
Result<BigDecimal> DecodeBigDecimal(ByteView bytes);

// Two's complement, big-endian, as few bytes as possible (BigInteger.toByteArray), and back.
void AppendTwosComplement(Bytes* out, const boost::multiprecision::cpp_int& value);
boost::multiprecision::cpp_int DecodeTwosComplement(ByteView bytes);

}  // namespace bennu::encoding

#endif  // BENNU_SRC_ENCODING_BIG_DECIMAL_H_
