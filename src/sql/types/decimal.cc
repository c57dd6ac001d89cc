#include "src/sql/types/decimal.h"

#include "src/base/ascii.h"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <charconv>
#include <cmath>
#include <limits>

namespace bennu::sql {
namespace {

// Wide enough for a 38-digit dividend with 78 zeros behind it; no allocation.
using Wide = boost::multiprecision::int512_t;

// Of base 100, in the first byte; beyond them it would be 00, ff or that of zero.
constexpr int32_t kMaxExponent = 61;
constexpr int32_t kMinExponent = -64;

constexpr int kMaxWideShift = 100;  // 38 digits and as many zeros still fit Wide

constexpr std::array<Int128, 39> MakePowers() {
  std::array<Int128, 39> powers{};
  powers[0] = 1;
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}
constexpr std::array<Int128, 39> kPowers = MakePowers();

Int128 AbsOf(Int128 v) { return v < 0 ? -v : v; }

int DigitsOf(Int128 magnitude) {
  int digits = 1;
  while (digits < 39 && magnitude >= kPowers[digits]) ++digits;
  return digits;
}

Wide WidePower(int exponent) {
  Wide power = 1;
  while (exponent > 38) {
    power *= Wide(kPowers[38]);
    exponent -= 38;
  }
  return power * Wide(kPowers[exponent]);
}

int WideDigits(const Wide& magnitude) {
  if (magnitude == 0) return 1;
  // log10(2) = 0.30103 gives the count or one less.
  const int bits = static_cast<int>(boost::multiprecision::msb(magnitude)) + 1;
  int digits = static_cast<int>(bits * 30103LL / 100000);
  if (digits < 1) digits = 1;
  while (magnitude >= WidePower(digits)) ++digits;
  return digits;
}

// Should the quotient's magnitude grow by one? 'twice' compares twice the remainder with the
// divisor.
bool RoundsUp(Rounding rounding, bool negative, bool inexact, int twice, bool odd) {
  if (!inexact) return false;
  switch (rounding) {
    case Rounding::kDown: return false;
    case Rounding::kUp: return true;
    case Rounding::kFloor: return negative;
    case Rounding::kCeiling: return !negative;
    case Rounding::kHalfUp: return twice >= 0;
    case Rounding::kHalfEven: return twice > 0 || (twice == 0 && odd);
  }
  return false;
}

// value / divisor, both magnitudes, rounded.
template <typename T>
T DivideRounded(const T& value, const T& divisor, Rounding rounding, bool negative) {
  const T quotient = value / divisor;
  const T remainder = value - quotient * divisor;
  const T rest = divisor - remainder;  // compare without doubling, which could overflow
  const int twice = remainder < rest ? -1 : (remainder > rest ? 1 : 0);
  const bool odd = (quotient & 1) != 0;
  return RoundsUp(rounding, negative, remainder != 0, twice, odd) ? T(quotient + 1) : quotient;
}

// Brings a wide result down to 38 digits.
Decimal Narrow(const Wide& value, int64_t scale) {
  const bool negative = value < 0;
  Wide magnitude = negative ? Wide(-value) : value;
  int digits = WideDigits(magnitude);
  while (digits > kMaxDecimalDigits) {
    const int drop = digits - kMaxDecimalDigits;
    magnitude = DivideRounded<Wide>(magnitude, WidePower(drop), Rounding::kHalfUp, negative);
    scale -= drop;
    digits = WideDigits(magnitude);  // 99…9 may have become 100…0
  }
  const Int128 unscaled = static_cast<Int128>(magnitude);
  return Decimal(negative ? -unscaled : unscaled, static_cast<int32_t>(scale));
}

std::string DigitsToString(Int128 magnitude) {
  char buffer[40];
  char* p = buffer + sizeof(buffer);
  do {
    *--p = static_cast<char>('0' + static_cast<int>(magnitude % 10));
    magnitude /= 10;
  } while (magnitude != 0);
  return std::string(p, buffer + sizeof(buffer) - p);
}

struct Exponent {
  bool valid = false;
  int32_t value = 0;
};

Exponent ParseExponent(std::string_view text) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  constexpr int32_t kFar = 1'000'000;  // no exponent that matters is near it
  if (value > kFar || value < -kFar) return {};
  return {true, value};
}

}  // namespace

std::optional<Decimal> Decimal::FromDouble(double value) {
  if (!std::isfinite(value)) return std::nullopt;
  char buffer[40];
  const auto [end, error] =
      std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::scientific);
  if (error != std::errc()) return std::nullopt;
  std::optional<Decimal> parsed = Parse(std::string_view(buffer, end - buffer));
  if (!parsed.has_value()) return std::nullopt;
  // Java writes at least one digit after the point: 1.0, 1.0E22.
  const double magnitude = std::fabs(value);
  const bool plain = magnitude == 0 || (magnitude >= 1e-3 && magnitude < 1e7);
  if (plain) return parsed->scale() < 1 ? parsed->SetScale(1, Rounding::kDown) : parsed;
  const int32_t digits = parsed->precision();
  return digits == 1 ? parsed->SetScale(parsed->scale() + 1, Rounding::kDown) : parsed;
}

std::optional<Decimal> Decimal::Parse(std::string_view text) {
  bool negative = false;
  size_t i = 0;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) negative = text[i++] == '-';
  Wide magnitude = 0;
  int64_t scale = 0;
  int kept = 0;  // digits in 'magnitude'
  bool sticky = false;
  bool any_digit = false;
  bool after_point = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!IsDigit(c)) break;
    any_digit = true;
    if (kept >= 100) {  // further digits cannot change the rounding but as "not zero"
      sticky |= c != '0';
      if (!after_point) --scale;
      continue;
    }
    magnitude = magnitude * 10 + (c - '0');
    if (magnitude != 0) ++kept;
    if (after_point) ++scale;
  }
  if (!any_digit) return std::nullopt;
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
    const Exponent exponent = ParseExponent(text.substr(i + 1));
    if (!exponent.valid) return std::nullopt;
    scale -= exponent.value;
  }
  if (sticky) {
    magnitude = magnitude * 10 + 1;
    ++scale;
  }
  return Narrow(negative ? Wide(-magnitude) : magnitude, scale);
}

int32_t Decimal::precision() const { return DigitsOf(AbsOf(unscaled_)); }

std::string Decimal::ToString() const {
  std::string digits = DigitsToString(AbsOf(unscaled_));
  if (scale_ > 0) {
    const size_t places = static_cast<size_t>(scale_);
    if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
    digits.insert(digits.size() - places, 1, '.');
  } else if (unscaled_ != 0) {
    digits.append(static_cast<size_t>(-int64_t{scale_}), '0');
  }
  return unscaled_ < 0 ? "-" + digits : digits;
}

std::string Decimal::ToJavaString() const {
  std::string digits = DigitsToString(AbsOf(unscaled_));
  const int64_t exponent = -int64_t{scale_} + static_cast<int64_t>(digits.size()) - 1;
  if (scale_ >= 0 && exponent >= -6) return ToString();
  if (digits.size() > 1) digits.insert(1, 1, '.');
  if (exponent != 0) {
    digits += exponent < 0 ? "E-" : "E+";
    digits += std::to_string(exponent < 0 ? -exponent : exponent);
  }
  return unscaled_ < 0 ? "-" + digits : digits;
}

double Decimal::ToDouble() const {
  const std::string text =
      DigitsToString(AbsOf(unscaled_)) + "e" + std::to_string(-int64_t{scale_});
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec == std::errc::result_out_of_range) {
    value = scale_ > 0 ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return unscaled_ < 0 ? -value : value;
}

std::optional<int64_t> Decimal::ToInt64(Rounding rounding) const {
  if (IntegerDigits() > 20) return std::nullopt;
  const std::optional<Decimal> integer = SetScale(0, rounding);
  if (!integer.has_value()) return std::nullopt;
  const Int128 value = integer->unscaled_;
  if (value > std::numeric_limits<int64_t>::max() || value < std::numeric_limits<int64_t>::min()) {
    return std::nullopt;
  }
  return static_cast<int64_t>(value);
}

bool Decimal::IsInteger() const { return StripTrailingZeros().scale_ <= 0; }

Decimal Decimal::StripTrailingZeros() const {
  if (unscaled_ == 0) return Decimal();
  Int128 unscaled = unscaled_;
  int32_t scale = scale_;
  while (unscaled % 10 == 0) {
    unscaled /= 10;
    --scale;
  }
  return Decimal(unscaled, scale);
}

std::optional<Decimal> Decimal::SetScale(int32_t scale, Rounding rounding) const {
  if (scale == scale_) return *this;
  if (unscaled_ == 0) return Decimal(0, scale);
  const bool negative = unscaled_ < 0;
  const Int128 magnitude = AbsOf(unscaled_);
  const int64_t change = int64_t{scale} - scale_;
  if (change > 0) {
    if (change > kMaxDecimalDigits || DigitsOf(magnitude) + change > kMaxDecimalDigits) {
      return std::nullopt;
    }
    return Decimal(unscaled_ * kPowers[change], scale);
  }
  Int128 rounded = 0;
  if (-change <= 38) {
    rounded = DivideRounded<Int128>(magnitude, kPowers[-change], rounding, negative);
  } else if (RoundsUp(rounding, negative, true, -1, false)) {
    rounded = 1;  // far below one half of the last place
  }
  if (rounded >= kPowers[38]) return std::nullopt;
  return Decimal(negative ? -rounded : rounded, scale);
}

Decimal Decimal::RoundToPrecision(int32_t digits, Rounding rounding) const {
  Decimal value = *this;
  while (value.precision() > digits) {
    const int32_t drop = value.precision() - digits;
    value = *value.SetScale(value.scale_ - drop, rounding);
  }
  return value;
}

bool Decimal::AddExactly(const Decimal& a, const Decimal& b, Decimal* sum) {
  if (a.scale_ == b.scale_) {
    const Int128 unscaled = a.unscaled_ + b.unscaled_;  // below 2 * 10^38, which fits
    if (AbsOf(unscaled) >= kPowers[38]) return false;
    *sum = Decimal(unscaled, a.scale_);
    return true;
  }
  const Decimal& fine = a.scale_ > b.scale_ ? a : b;
  const Decimal& coarse = a.scale_ > b.scale_ ? b : a;
  if (coarse.unscaled_ == 0) {
    *sum = fine;
    return true;
  }
  const int64_t shift = int64_t{fine.scale_} - coarse.scale_;
  if (shift > kMaxDecimalDigits) return false;
  Int128 aligned;
  Int128 unscaled;
  if (__builtin_mul_overflow(coarse.unscaled_, kPowers[shift], &aligned) ||
      __builtin_add_overflow(aligned, fine.unscaled_, &unscaled) ||
      AbsOf(unscaled) >= kPowers[38]) {
    return false;
  }
  *sum = Decimal(unscaled, fine.scale_);
  return true;
}

Decimal Decimal::Add(const Decimal& a, const Decimal& b) {
  Decimal exact;
  if (AddExactly(a, b, &exact)) return exact;
  const Decimal& fine = a.scale_ > b.scale_ ? a : b;
  const Decimal& coarse = a.scale_ > b.scale_ ? b : a;
  const int64_t shift = int64_t{fine.scale_} - coarse.scale_;
  if (shift > kMaxWideShift) {
    // The finer one lies below every digit that is kept.
    const int32_t zeros = kMaxDecimalDigits - coarse.precision();
    return *coarse.SetScale(coarse.scale_ + zeros, Rounding::kDown);
  }
  const Wide sum = Wide(coarse.unscaled_) * WidePower(static_cast<int>(shift)) + fine.unscaled_;
  return Narrow(sum, fine.scale_);
}

Decimal Decimal::Subtract(const Decimal& a, const Decimal& b) { return Add(a, b.Negate()); }

Decimal Decimal::Multiply(const Decimal& a, const Decimal& b) {
  const int64_t scale = int64_t{a.scale_} + b.scale_;
  Int128 product;
  if (!__builtin_mul_overflow(a.unscaled_, b.unscaled_, &product) && AbsOf(product) < kPowers[38]) {
    return Decimal(product, static_cast<int32_t>(scale));
  }
  return Narrow(Wide(a.unscaled_) * Wide(b.unscaled_), scale);
}

std::optional<Decimal> Decimal::Divide(const Decimal& a, const Decimal& b) {
  if (b.unscaled_ == 0) return std::nullopt;
  const int64_t preferred_scale = int64_t{a.scale_} - b.scale_;
  if (a.unscaled_ == 0) return Decimal(0, static_cast<int32_t>(preferred_scale));
  const bool negative = (a.unscaled_ < 0) != (b.unscaled_ < 0);
  // Enough zeros behind the dividend that the quotient has more than 38 digits.
  const int zeros = std::max(0, kMaxDecimalDigits + b.precision() - a.precision() + 2);
  const Wide dividend = Wide(AbsOf(a.unscaled_)) * WidePower(zeros);
  const Wide divisor = Wide(AbsOf(b.unscaled_));
  const Wide quotient = dividend / divisor;
  const bool exact = dividend - quotient * divisor == 0;
  Decimal result = Narrow(quotient, preferred_scale + zeros);
  if (exact) {
    while (result.scale_ > preferred_scale && result.unscaled_ % 10 == 0) {
      result = Decimal(result.unscaled_ / 10, result.scale_ - 1);
    }
  }
  return negative ? result.Negate() : result;
}

int Decimal::Compare(const Decimal& a, const Decimal& b) {
  if (a.scale_ == b.scale_) {
    return a.unscaled_ < b.unscaled_ ? -1 : (a.unscaled_ > b.unscaled_ ? 1 : 0);
  }
  if (a.sign() != b.sign()) return a.sign() < b.sign() ? -1 : 1;
  if (a.unscaled_ == 0) return 0;
  const int sign = a.sign();
  const int64_t a_digits = int64_t{a.precision()} - a.scale_;
  const int64_t b_digits = int64_t{b.precision()} - b.scale_;
  if (a_digits != b_digits) return a_digits < b_digits ? -sign : sign;
  // As many digits before the point, so aligning them needs no more than the longer one has.
  Int128 x = AbsOf(a.unscaled_);
  Int128 y = AbsOf(b.unscaled_);
  if (a.scale_ < b.scale_) x *= kPowers[b.scale_ - a.scale_];
  if (b.scale_ < a.scale_) y *= kPowers[a.scale_ - b.scale_];
  return x == y ? 0 : (x < y ? -sign : sign);
}

uint64_t Decimal::Hash() const {
  const Decimal stripped = StripTrailingZeros();
  uint64_t h = static_cast<uint64_t>(stripped.unscaled_) * 0x9E3779B97F4A7C15ULL;
  h ^= static_cast<uint64_t>(static_cast<unsigned __int128>(stripped.unscaled_) >> 64) + (h >> 29);
  h = (h ^ static_cast<uint32_t>(stripped.scale_)) * 0xBF58476D1CE4E5B9ULL;
  return h ^ (h >> 32);
}

// Base-100 digits behind one byte of sign and exponent; negative values complemented and ended by a
// byte above every digit, so that longer means lower.
bool Decimal::EncodeTo(Bytes* out) const {
  Decimal value = RoundToPrecision(kMaxDecimalDigits, Rounding::kHalfUp).StripTrailingZeros();
  if (value.unscaled_ == 0) {
    out->push_back(static_cast<char>(0x80));
    return true;
  }
  const bool negative = value.unscaled_ < 0;
  Int128 magnitude = AbsOf(value.unscaled_);
  int64_t scale = value.scale_;
  char digits[20];
  int count = 0;
  if ((scale & 1) != 0) {  // an odd scale takes a zero behind, which may be the 39th digit
    digits[count++] = static_cast<char>(magnitude % 10 * 10);
    magnitude /= 10;
    ++scale;
  }
  while (magnitude != 0) {
    digits[count++] = static_cast<char>(magnitude % 100);
    magnitude /= 100;
  }
  const int64_t exponent = count - 1 - scale / 2;
  if (exponent > kMaxExponent) return false;
  if (exponent < kMinExponent) {
    out->push_back(static_cast<char>(0x80));
    return true;
  }
  out->push_back(static_cast<char>(negative ? 0x3e - exponent : 0xc1 + exponent));
  for (int i = count - 1; i >= 0; --i) {
    out->push_back(static_cast<char>(negative ? 101 - digits[i] : digits[i] + 1));
  }
  if (negative && count < 20) out->push_back(0x66);
  return true;
}

bool Decimal::FitsBytes() const {
  if (unscaled_ == 0) return true;
  const int32_t first_place = IntegerDigits() - 1;  // power of ten of the first digit
  const int32_t exponent = first_place >= 0 ? first_place / 2 : (first_place - 1) / 2;
  return exponent >= kMinExponent && exponent <= kMaxExponent;
}

Result<Decimal> Decimal::Decode(ByteView bytes) {
  if (bytes.empty() || bytes.size() > kMaxDecimalBytes) {
    return Corruption("a DECIMAL has 1 to 21 bytes, not " + std::to_string(bytes.size()));
  }
  const int head = static_cast<uint8_t>(bytes[0]);
  if (head == 0x80 && bytes.size() == 1) return Decimal();
  const bool negative = head < 0x80;
  const int32_t exponent = negative ? 0x3e - head : head - 0xc1;
  if (exponent < kMinExponent || exponent > kMaxExponent) {
    return Corruption("a DECIMAL with the exponent " + std::to_string(exponent));
  }
  ByteView digits = bytes.substr(1);
  if (negative && !digits.empty() && digits.back() == 0x66) digits.remove_suffix(1);
  if (digits.empty()) return Corruption("a DECIMAL without digits");
  Int128 magnitude = 0;
  int32_t odd = 0;  // 1 when the zero that an odd scale adds is left out
  for (size_t i = 0; i < digits.size(); ++i) {
    const int byte = static_cast<int8_t>(digits[i]);
    const int digit = negative ? 101 - byte : byte - 1;
    const bool foreign = byte < 0 && magnitude < kPowers[35] && magnitude > -kPowers[35];
    if ((digit < 0 || digit > 99) && !foreign) {
      return Corruption("a DECIMAL's digit out of range");
    }
    if (magnitude < kPowers[36] && magnitude > -kPowers[36]) {
      magnitude = magnitude * 100 + digit;
      continue;
    }
    // Two more would make 39 digits: the last must be the zero that an odd scale adds.
    if (magnitude < 0 || magnitude >= kPowers[37] || digit % 10 != 0 || i + 1 != digits.size()) {
      return Corruption("a DECIMAL of more than 38 digits");
    }
    magnitude = magnitude * 10 + digit / 10;
    odd = 1;
  }
  const int32_t scale = 2 * (static_cast<int32_t>(digits.size()) - 1 - exponent) - odd;
  return Decimal(negative ? -magnitude : magnitude, scale).StripTrailingZeros();
}

std::optional<Decimal> FitDecimal(const Decimal& value, const DataType& type) {
  if (!type.max_length.has_value()) return value;
  if (!type.scale.has_value()) {
    if (!value.IsZero() && value.IntegerDigits() > *type.max_length) return std::nullopt;
    return value;
  }
  if (!value.IsZero() && value.IntegerDigits() > *type.max_length - *type.scale) {
    return std::nullopt;
  }
  if (value.scale() <= *type.scale) return value;
  return value.SetScale(*type.scale, Rounding::kDown);
}

namespace {

struct PrecisionAndScale {
  bool known = false;
  int32_t precision = 0;
  int32_t scale = 0;
};

PrecisionAndScale PrecisionOf(const DataType& type) {
  if (IsIntegral(type.id)) return {true, IntegerPrecision(type.id), 0};
  if (type.id == TypeId::kDecimal && type.max_length.has_value() && type.scale.has_value()) {
    return {true, *type.max_length, *type.scale};
  }
  return {};
}

DataType UnscaledDecimal() { return {TypeId::kDecimal, kMaxDecimalDigits, std::nullopt}; }

}  // namespace

DataType DecimalAddType(const DataType& a, const DataType& b) {
  const PrecisionAndScale x = PrecisionOf(a);
  const PrecisionAndScale y = PrecisionOf(b);
  if (!x.known || !y.known) return UnscaledDecimal();
  const int32_t scale = std::max(x.scale, y.scale);
  const int32_t integer_digits = std::max(x.precision - x.scale, y.precision - y.scale);
  return {TypeId::kDecimal, std::min(kMaxDecimalDigits, scale + integer_digits + 1), scale};
}

DataType DecimalMultiplyType(const DataType& a, const DataType& b) {
  const PrecisionAndScale x = PrecisionOf(a);
  const PrecisionAndScale y = PrecisionOf(b);
  if (!x.known || !y.known) return UnscaledDecimal();
  return {TypeId::kDecimal, std::min(kMaxDecimalDigits, x.precision + y.precision),
          std::min(kMaxDecimalDigits, x.scale + y.scale)};
}

DataType DecimalDivideType(const DataType& a, const DataType& b) {
  const PrecisionAndScale x = PrecisionOf(a);
  const PrecisionAndScale y = PrecisionOf(b);
  if (!x.known || !y.known) return UnscaledDecimal();
  const int32_t max = kMaxDecimalDigits;
  const int32_t quotient = std::min(max, std::max(max - x.precision + x.scale - y.scale, 0));
  const int32_t precision = std::min(max, quotient + x.precision - x.scale + y.precision);
  return {TypeId::kDecimal, precision,
          std::min(max, std::max(max - precision + x.scale - y.scale, 0))};
}

}  // namespace bennu::sql
