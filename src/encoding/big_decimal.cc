#include "src/encoding/big_decimal.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "src/base/check.h"
#include "src/base/coding.h"
#include "src/encoding/java_double.h"

namespace bennu::encoding {

using boost::multiprecision::cpp_int;

namespace {

cpp_int PowerOfTen(uint32_t exponent) { return boost::multiprecision::pow(cpp_int(10), exponent); }

// Digits of |value|.
std::string Digits(const cpp_int& value) {
  return value.sign() < 0 ? cpp_int(-value).str() : value.str();
}

// Reads digits without the octal reading that a leading 0 would get from cpp_int's own parser.
cpp_int IntegerFromDigits(std::string_view digits) {
  cpp_int value = 0;
  while (!digits.empty()) {
    const size_t length = std::min<size_t>(digits.size(), 18);
    uint64_t part = 0;
    uint64_t power = 1;
    for (const char digit : digits.substr(0, length)) {
      part = part * 10 + static_cast<uint64_t>(digit - '0');
      power *= 10;
    }
    value = value * power + part;
    digits.remove_prefix(length);
  }
  return value;
}

bool TakeDigits(std::string_view* text, std::string* digits) {
  size_t length = 0;
  while (length < text->size() && (*text)[length] >= '0' && (*text)[length] <= '9') ++length;
  digits->append(text->substr(0, length));
  text->remove_prefix(length);
  return length != 0;
}

bool TakeSign(std::string_view* text) {
  if (text->empty() || (text->front() != '-' && text->front() != '+')) return false;
  const bool negative = text->front() == '-';
  text->remove_prefix(1);
  return negative;
}

}  // namespace

BigDecimal BigDecimal::FromDouble(double value) {
  BENNU_CHECK(std::isfinite(value));
  Result<BigDecimal> parsed = Parse(JavaDoubleToString(value));
  return std::move(parsed).value();
}

Result<BigDecimal> BigDecimal::Parse(std::string_view text) {
  const std::string_view whole = text;
  const auto refuse = [whole](std::string_view why) {
    return InvalidArgument(fmt::format("'{}' is not a decimal number: {}", whole, why));
  };
  const bool negative = TakeSign(&text);
  std::string digits;
  bool any = TakeDigits(&text, &digits);
  int64_t scale = 0;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    const size_t before = digits.size();
    any = TakeDigits(&text, &digits) || any;
    scale = static_cast<int64_t>(digits.size() - before);
  }
  if (!any) return refuse("no digits");
  if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
    text.remove_prefix(1);
    const bool negative_exponent = TakeSign(&text);
    std::string exponent;
    if (!TakeDigits(&text, &exponent)) return refuse("an exponent without digits");
    int64_t amount = 0;
    const auto [end, error] =
        std::from_chars(exponent.data(), exponent.data() + exponent.size(), amount);
    if (error != std::errc() || amount > std::numeric_limits<int32_t>::max()) {
      return refuse("its exponent is beyond 32 bits");
    }
    scale += negative_exponent ? amount : -amount;
  }
  if (!text.empty()) return refuse("something follows the number");
  if (scale > std::numeric_limits<int32_t>::max() || scale < std::numeric_limits<int32_t>::min()) {
    return refuse("its scale is beyond 32 bits");
  }
  BigDecimal result{IntegerFromDigits(digits), static_cast<int32_t>(scale)};
  if (negative) result.unscaled = -result.unscaled;
  return result;
}

std::string BigDecimal::ToString() const {
  std::string digits = Digits(unscaled);
  const std::string sign = Sign() < 0 ? "-" : "";
  if (scale == 0) return sign + digits;
  const int64_t exponent = -int64_t{scale} + static_cast<int64_t>(digits.size()) - 1;
  if (scale > 0 && exponent >= -6) {
    const size_t fraction = static_cast<size_t>(scale);
    if (digits.size() <= fraction) digits.insert(0, fraction - digits.size() + 1, '0');
    digits.insert(digits.size() - fraction, 1, '.');
    return sign + digits;
  }
  if (digits.size() > 1) digits.insert(1, 1, '.');
  if (exponent == 0) return sign + digits;
  return fmt::format("{}{}E{:+}", sign, digits, exponent);
}

int32_t BigDecimal::Precision() const { return static_cast<int32_t>(Digits(unscaled).size()); }

BigDecimal BigDecimal::Stripped() const {
  if (Sign() == 0) return BigDecimal{};
  const std::string digits = Digits(unscaled);
  const size_t zeros = digits.size() - 1 - digits.find_last_not_of('0');
  if (zeros == 0) return *this;
  return BigDecimal{unscaled / PowerOfTen(static_cast<uint32_t>(zeros)),
                    scale - static_cast<int32_t>(zeros)};
}

BigDecimal BigDecimal::Rounded(int32_t digits) const {
  BigDecimal result = *this;
  // Rounding up may add a digit (999 to 1000), which the second pass takes off again.
  for (int32_t excess = result.Precision() - digits; excess > 0;
       excess = result.Precision() - digits) {
    const cpp_int divisor = PowerOfTen(static_cast<uint32_t>(excess));
    const cpp_int half = divisor / 2;
    result.unscaled = (result.unscaled + (result.Sign() < 0 ? cpp_int(-half) : half)) / divisor;
    result.scale -= excess;
  }
  return result;
}

BigDecimal BigDecimal::WithScale(int32_t wanted) const {
  if (wanted >= scale) {
    return {unscaled * PowerOfTen(static_cast<uint32_t>(int64_t{wanted} - scale)), wanted};
  }
  const cpp_int divisor = PowerOfTen(static_cast<uint32_t>(int64_t{scale} - wanted));
  cpp_int quotient, rest;
  boost::multiprecision::divide_qr(cpp_int(abs(unscaled)), divisor, quotient, rest);
  const int order = cpp_int(rest * 2).compare(divisor);
  if (order > 0 || (order == 0 && bit_test(quotient, 0))) ++quotient;
  return {Sign() < 0 ? cpp_int(-quotient) : quotient, wanted};
}

double BigDecimal::ToDouble() const {
  const std::string text = fmt::format("{}E{}", unscaled.str(), -int64_t{scale});
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc::result_out_of_range) return value;
  const bool large = int64_t{Precision()} - scale > 0;
  return std::copysign(large ? std::numeric_limits<double>::infinity() : 0.0, Sign());
}

int64_t BigDecimal::ToInt64Narrowed() const {
  // 10^64 and all above are multiples of 2^64.
  if (Sign() == 0 || scale <= -64) return 0;
  cpp_int integer = unscaled;
  if (scale < 0) {
    integer *= PowerOfTen(static_cast<uint32_t>(-scale));
  } else if (scale > 0) {
    if (scale >= Precision()) return 0;
    integer /= PowerOfTen(static_cast<uint32_t>(scale));
  }
  const cpp_int magnitude = integer.sign() < 0 ? cpp_int(-integer) : integer;
  const auto low = static_cast<uint64_t>(magnitude & std::numeric_limits<uint64_t>::max());
  return static_cast<int64_t>(integer.sign() < 0 ? 0 - low : low);
}

int CompareNumbers(const BigDecimal& left, const BigDecimal& right) {
  if (left.Sign() != right.Sign()) return left.Sign() < right.Sign() ? -1 : 1;
  if (left.Sign() == 0) return 0;
  // Magnitudes first, so that scales far apart do not make huge powers of ten.
  const int64_t left_size = int64_t{left.Precision()} - left.scale;
  const int64_t right_size = int64_t{right.Precision()} - right.scale;
  if (left_size != right_size) return (left_size < right_size) == (left.Sign() > 0) ? -1 : 1;
  cpp_int a = left.unscaled;
  cpp_int b = right.unscaled;
  if (left.scale < right.scale) {
    a *= PowerOfTen(static_cast<uint32_t>(int64_t{right.scale} - left.scale));
  } else {
    b *= PowerOfTen(static_cast<uint32_t>(int64_t{left.scale} - right.scale));
  }
  return a < b ? -1 : static_cast<int>(a > b);
}

void AppendTwosComplement(Bytes* out, const cpp_int& value) {
  // A negative number is the complement of (its magnitude - 1).
  const bool negative = value.sign() < 0;
  const cpp_int magnitude = negative ? cpp_int(-value - 1) : value;
  std::vector<uint8_t> bytes;
  if (magnitude != 0) boost::multiprecision::export_bits(magnitude, std::back_inserter(bytes), 8);
  const uint8_t flip = negative ? 0xff : 0;
  // Room for the sign bit.
  if (bytes.empty() || (bytes.front() & 0x80) != 0) out->push_back(static_cast<char>(flip));
  for (const uint8_t byte : bytes) out->push_back(static_cast<char>(byte ^ flip));
}

cpp_int DecodeTwosComplement(ByteView bytes) {
  if (bytes.empty()) return 0;
  const bool negative = (static_cast<uint8_t>(bytes.front()) & 0x80) != 0;
  std::vector<uint8_t> magnitude;
  magnitude.reserve(bytes.size());
  for (const char byte : bytes) {
    magnitude.push_back(static_cast<uint8_t>(static_cast<uint8_t>(byte) ^ (negative ? 0xff : 0)));
  }
  cpp_int value;
  boost::multiprecision::import_bits(value, magnitude.begin(), magnitude.end(), 8);
  return negative ? cpp_int(-value - 1) : value;
}

void AppendBigDecimal(Bytes* out, const BigDecimal& value) {
  AppendBE32(out, static_cast<uint32_t>(value.scale));
  AppendTwosComplement(out, value.unscaled);
}

Result<BigDecimal> DecodeBigDecimal(ByteView bytes) {
  if (bytes.size() < 5) {
    return Corruption(fmt::format("a BigDecimal needs 5 bytes or more, found {}", bytes.size()));
  }
  return BigDecimal{DecodeTwosComplement(bytes.substr(4)),
                    static_cast<int32_t>(LoadBE32(bytes.data()))};
}

}  // namespace bennu::encoding
