// Steps, for value = fraction × 2^exponent with 'precision' significant bits:
//   1. integers below 2^63 are printed as integers, their digits beyond the precision rounded off;
//   2. else exact integers B, S, M are found with value = B/S × 10^e, 1 <= B/S < 10 (about; e is
//      estimated and may be one too high), and M/S × 10^e half the distance to the next number;
//   3. digits are taken off B/S until what is left is less than M from the digit or the next one.
// The special case: Java tests 'strictly greater' where its numbers fit 64 bits and 'greater or
// equal' where they do not, lets sums overflow in the former case, and always makes two digits for
// exponents below -3 and from 8 on. All of it shows in the output, so it is kept.
#include "src/encoding/java_double.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdint>

namespace bennu::encoding {

namespace {

using boost::multiprecision::cpp_int;

constexpr int kFractionBits = 52;

struct Decimal {
  std::string digits;
  int exponent = 0;  // the value is 0.digits × 10^exponent
};

cpp_int PowerOfFive(int exponent) {
  return boost::multiprecision::pow(cpp_int(5), static_cast<unsigned>(exponent));
}

// Bits of 5^exponent as Java counts them: exact below 27, at most too many above; 0 for 5^0.
int BitsOfPowerOfFive(int exponent) {
  if (exponent == 0) return 0;
  if (exponent >= 27) return exponent * 3;
  return static_cast<int>(boost::multiprecision::msb(PowerOfFive(exponent))) + 1;
}

void RoundUp(Decimal* decimal) {
  std::string& digits = decimal->digits;
  size_t i = digits.size() - 1;
  while (digits[i] == '9' && i > 0) digits[i--] = '0';
  if (digits[i] == '9') {
    digits[i] = '1';
    ++decimal->exponent;
  } else {
    ++digits[i];
  }
}

Decimal DigitsOfInteger(uint64_t value, int insignificant) {
  uint64_t power = 1;
  for (int i = 0; i < insignificant; ++i) power *= 10;
  if (insignificant != 0) value = value / power + (value % power >= power / 2 ? 1 : 0);
  Decimal result;
  result.digits = fmt::format("{}", value);
  result.exponent = static_cast<int>(result.digits.size()) + insignificant;
  return result;
}

// A number as Java's int (narrow) or long holds it: higher bits are lost.
int64_t Wrap(const cpp_int& value, bool narrow) {
  const auto low = static_cast<uint64_t>(value & ~uint64_t{0});
  return narrow ? static_cast<int32_t>(static_cast<uint32_t>(low)) : static_cast<int64_t>(low);
}

// 'fraction' has its top bit at kFractionBits.
Decimal DigitsOf(int exponent, uint64_t fraction, int precision) {
  const int tail_zeros = std::countr_zero(fraction);
  const int bits = kFractionBits + 1 - tail_zeros;
  const int bits_below_point = std::max(0, bits - exponent - 1);
  if (exponent <= 62 && exponent >= -21 && bits_below_point == 0 && bits < 64) {
    // 10^floor(log10(2^p)) is the first power of ten that the p bits beyond the precision hide.
    const int hidden = exponent > precision ? exponent - precision - 1 : 0;
    const int insignificant =
        hidden > 1 ? static_cast<int>(std::floor(hidden * 0.301029995663981195)) : 0;
    const uint64_t integer = exponent >= kFractionBits ? fraction << (exponent - kFractionBits)
                                                       : fraction >> (kFractionBits - exponent);
    return DigitsOfInteger(integer, insignificant);
  }

  const double mantissa =
      std::bit_cast<double>((fraction & ((uint64_t{1} << kFractionBits) - 1)) | 0x3ff0000000000000);
  int decimal_exponent = static_cast<int>(
      std::floor((mantissa - 1.5) * 0.289529654 + 0.176091259 + exponent * 0.301029995663981));
  const int b5 = std::max(0, -decimal_exponent);
  const int s5 = std::max(0, decimal_exponent);
  int b2 = b5 + bits_below_point + exponent;
  int s2 = s5 + bits_below_point;
  int m2 = b2 - precision;
  b2 -= bits - 1;
  const int common = std::min(b2, s2);
  b2 -= common;
  s2 -= common;
  m2 -= common;
  if (bits == 1) m2 -= 1;  // below a power of two the next number is half as far
  if (m2 < 0) {
    b2 -= m2;
    s2 -= m2;
    m2 = 0;
  }
  const int b_bits = bits + b2 + BitsOfPowerOfFive(b5);
  const int ten_s_bits = s2 + 1 + BitsOfPowerOfFive(s5 + 1);
  const bool fits_32_bits = b_bits < 32 && ten_s_bits < 32;
  const bool fits_64_bits = b_bits < 64 && ten_s_bits < 64;

  cpp_int b = (cpp_int(fraction >> tail_zeros) * PowerOfFive(b5)) << b2;
  const cpp_int s = PowerOfFive(s5) << s2;
  cpp_int m = PowerOfFive(b5) << m2;
  const cpp_int ten_s = s * 10;
  bool low = false;
  bool high = false;
  const auto next_digit = [&] {
    cpp_int quotient;
    cpp_int remainder;
    boost::multiprecision::divide_qr(b, s, quotient, remainder);
    b = remainder * 10;
    m *= 10;
    low = b < m;
    if (!fits_64_bits) {
      high = b + m >= ten_s;
    } else if (Wrap(m, fits_32_bits) <= 0) {
      low = high = true;
    } else {
      high = Wrap(b + m, fits_32_bits) > Wrap(ten_s, fits_32_bits);
    }
    return static_cast<char>('0' + static_cast<int>(quotient));
  };

  Decimal result;
  const char first = next_digit();
  if (first == '0' && !high) {
    --decimal_exponent;
  } else {
    result.digits.push_back(first);
  }
  if (decimal_exponent < -3 || decimal_exponent >= 8) low = high = false;
  while (!low && !high) result.digits.push_back(next_digit());
  result.exponent = decimal_exponent + 1;
  if (high) {
    const cpp_int difference = b * 2 - ten_s;
    const int64_t wrapped = Wrap(b * 2 + (cpp_int(1) << 128) - ten_s, fits_32_bits);
    const int order = fits_64_bits ? (wrapped > 0) - (wrapped < 0) : difference.sign();
    const bool odd = ((result.digits.back() - '0') & 1) != 0;
    if (!low || order > 0 || (order == 0 && odd)) RoundUp(&result);
  }
  return result;
}

std::string Layout(bool negative, Decimal decimal) {
  std::string& digits = decimal.digits;
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  const char* sign = negative ? "-" : "";
  const int exponent = decimal.exponent;
  if (exponent > 0 && exponent < 8) {
    const auto point = static_cast<size_t>(exponent);
    if (digits.size() < point) digits.append(point - digits.size(), '0');
    const std::string fraction = digits.size() == point ? "0" : digits.substr(point);
    return fmt::format("{}{}.{}", sign, digits.substr(0, point), fraction);
  }
  if (exponent <= 0 && exponent > -3) {
    return fmt::format("{}0.{}{}", sign, std::string(static_cast<size_t>(-exponent), '0'), digits);
  }
  const std::string fraction = digits.size() == 1 ? "0" : digits.substr(1);
  return fmt::format("{}{}.{}E{}", sign, digits[0], fraction, exponent - 1);
}

// 'bits' without sign; widths of the two parts, in bits.
std::string Print(bool negative, uint64_t bits, int exponent_width, int fraction_width) {
  const uint64_t fraction_mask = (uint64_t{1} << fraction_width) - 1;
  const int exponent_max = (1 << exponent_width) - 1;
  int exponent = static_cast<int>(bits >> fraction_width);
  uint64_t fraction = bits & fraction_mask;
  if (exponent == exponent_max) {
    return fraction != 0 ? "NaN" : negative ? "-Infinity" : "Infinity";
  }
  int precision = fraction_width + 1;
  if (exponent == 0) {
    if (fraction == 0) return negative ? "-0.0" : "0.0";
    precision = std::bit_width(fraction);
    const int shift = fraction_width + 1 - precision;
    fraction <<= shift;
    exponent = 1 - shift;
  } else {
    fraction |= fraction_mask + 1;
  }
  const int bias = exponent_max >> 1;
  return Layout(negative,
                DigitsOf(exponent - bias, fraction << (kFractionBits - fraction_width), precision));
}

}  // namespace

std::string JavaDoubleToString(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  return Print(bits >> 63 != 0, bits & 0x7fffffffffffffff, 11, 52);
}

std::string JavaFloatToString(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return Print(bits >> 31 != 0, bits & 0x7fffffff, 8, 23);
}

}  // namespace bennu::encoding
