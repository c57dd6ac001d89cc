// Numbers of variable length in OrderedBytes.
//
//   value = 0.M × 100^E, M in digits of base 100
//   E > 10       0x22, E as varint, M           negative: 0x08, ~E, ~M
//   E in 1..10   0x17 + E, M                              0x13 - E, ~M
//   |value| < 1  0x16, ~(-E), M                           0x14, -E, ~M
// A digit X of M is the byte 2X + 1, the last one 2X.
#include <algorithm>
#include <cmath>

#include "src/encoding/ordered_bytes_internal.h"

#include "src/base/status_macros.h"

namespace bennu::ordered_bytes {

using namespace internal;  // NOLINT(google-build-using-namespace): this folder's own constants
using boost::multiprecision::cpp_int;
using encoding::BigDecimal;

namespace {

// Appends M for the decimal digits of 0.digits; 'digits' has no trailing zeros.
void AppendMantissa(Bytes* out, const std::string& digits, uint8_t flip) {
  for (size_t i = 0; i < digits.size(); i += 2) {
    const int tens = digits[i] - '0';
    const int ones = i + 1 < digits.size() ? digits[i + 1] - '0' : 0;
    const int last = i + 2 >= digits.size() ? 0 : 1;
    out->push_back(static_cast<char>((2 * (10 * tens + ones) + last) ^ flip));
  }
}

// Takes bytes up to the one that ends M. Returns the number that its digits make, and their count.
bool ConsumeMantissa(ByteView* in, uint8_t flip, cpp_int* number, int64_t* count) {
  *number = 0;
  *count = 0;
  uint64_t part = 0;  // digits not yet in *number, so that few big multiplications are needed
  uint64_t power = 1;
  for (size_t i = 0; i < in->size(); ++i) {
    const auto byte = static_cast<uint8_t>(static_cast<uint8_t>((*in)[i]) ^ flip);
    part = part * 100 + byte / 2;
    power *= 100;
    ++*count;
    const bool last = (byte & 1) == 0;
    if (last || power == 10000000000000000ull) {
      *number = *number * power + part;
      part = 0;
      power = 1;
    }
    if (last) {
      in->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

// What a header of a finite number other than zero says about the bytes behind it.
struct Shape {
  bool negative = false;
  bool has_exponent = false;      // a varint follows
  bool exponent_flipped = false;  // relative to the order's own inversion
  bool exponent_negative = false;
  int64_t exponent = 0;  // when there is no varint
};

bool ShapeOf(uint8_t header, Shape* shape) {
  if (header == kNegativeLarge) {
    *shape = {true, true, true, false, 0};
  } else if (header >= kNegativeMediumMin && header <= kNegativeMediumMax) {
    *shape = {true, false, false, false, kNegativeMediumMax - header};
  } else if (header == kNegativeSmall) {
    *shape = {true, true, false, true, 0};
  } else if (header == kPositiveSmall) {
    *shape = {false, true, true, true, 0};
  } else if (header >= kPositiveMediumMin && header <= kPositiveMediumMax) {
    *shape = {false, false, false, false, header - kPositiveMediumMin};
  } else if (header == kPositiveLarge) {
    *shape = {false, true, false, false, 0};
  } else {
    return false;
  }
  return true;
}

// 'in' stands behind the header.
Result<BigDecimal> DecodeFinite(const Shape& shape, uint8_t flip, ByteView* in) {
  int64_t exponent = shape.exponent;
  if (shape.has_exponent) {
    uint64_t raw;
    const uint8_t exponent_flip = shape.exponent_flipped ? static_cast<uint8_t>(~flip) : flip;
    if (!ConsumeVaruint(in, exponent_flip, &raw)) return CutShort("number's exponent");
    // The class keeps the low 32 bits. A number that was below 1 until it was rounded up has -1
    // here.
    exponent = static_cast<int32_t>(static_cast<uint32_t>(raw));
    if (shape.exponent_negative) exponent = -exponent;
  }
  cpp_int number;
  int64_t count;
  const uint8_t mantissa_flip = shape.negative ? static_cast<uint8_t>(~flip) : flip;
  if (!ConsumeMantissa(in, mantissa_flip, &number, &count)) return CutShort("number");
  const int64_t scale = 2 * (count - exponent);
  if (std::abs(scale) > 2000000000) {
    return Corruption(
        fmt::format("OrderedBytes: a number's exponent {} is out of range", exponent));
  }
  BigDecimal value{std::move(number), static_cast<int32_t>(scale)};
  if (shape.negative) value.unscaled = -value.unscaled;
  return value.Stripped();
}

struct Numeric {
  enum Class { kNullValue, kFinite, kMinusInfinity, kPlusInfinity, kNotANumber } number_class;
  BigDecimal value;
};

Result<Numeric> DecodeNumeric(ByteView* in) {
  if (in->empty()) return CutShort("number");
  const uint8_t flip = FlipOf(OrderOf(in->front()));
  const auto header = static_cast<uint8_t>(static_cast<uint8_t>(in->front()) ^ flip);
  ByteView rest = in->substr(1);
  Numeric result{Numeric::kFinite, {}};
  Shape shape;
  if (ShapeOf(header, &shape)) {
    ASSIGN_OR_RETURN(result.value, DecodeFinite(shape, flip, &rest));
  } else if (header == kNull) {
    result.number_class = Numeric::kNullValue;
  } else if (header == kNegativeInfinity) {
    result.number_class = Numeric::kMinusInfinity;
  } else if (header == kPositiveInfinity) {
    result.number_class = Numeric::kPlusInfinity;
  } else if (header == kNaN) {
    result.number_class = Numeric::kNotANumber;
  } else if (header != kZero) {
    return UnexpectedHeader(header, "number");
  }
  *in = rest;
  return result;
}

// Refuses what only a double can be.
Status RequireFinite(const Numeric& number) {
  if (number.number_class == Numeric::kFinite || number.number_class == Numeric::kNullValue) {
    return Status::Ok();
  }
  return Corruption("OrderedBytes: NaN and infinities can only be decoded as a double");
}

}  // namespace

void EncodeNumeric(Bytes* out, int64_t value, Order order) {
  EncodeNumeric(out, BigDecimal::FromInt64(value), order);
}

void EncodeNumeric(Bytes* out, double value, Order order) {
  if (std::isfinite(value)) {
    EncodeNumeric(out, BigDecimal::FromDouble(value), order);
    return;
  }
  const uint8_t header = std::isnan(value) ? kNaN
                         : value < 0       ? kNegativeInfinity
                                           : kPositiveInfinity;
  out->push_back(static_cast<char>(header ^ FlipOf(order)));
}

void EncodeNumeric(Bytes* out, const BigDecimal& value, Order order) {
  const uint8_t flip = FlipOf(order);
  if (value.Sign() == 0) {
    out->push_back(static_cast<char>(kZero ^ flip));
    return;
  }
  const bool negative = value.Sign() < 0;
  const bool below_one = int64_t{value.Precision()} - value.scale <= 0;
  const BigDecimal rounded = value.Stripped().Rounded(kNumericDigitsMax).Stripped();
  std::string digits = (negative ? cpp_int(-rounded.unscaled) : rounded.unscaled).str();
  // Decimal digits before the point, made even by a leading zero: two of them are one step of E.
  const int64_t integer_digits = static_cast<int64_t>(digits.size()) - rounded.scale;
  const bool odd = (integer_digits & 1) != 0;
  if (odd) digits.insert(0, 1, '0');
  const int64_t exponent = (integer_digits + (odd ? 1 : 0)) / 2;

  const size_t begin = out->size();
  if (below_one) {
    out->push_back(static_cast<char>(negative ? kNegativeSmall : kPositiveSmall));
    AppendVaruint(out, static_cast<uint64_t>(-exponent), negative ? 0 : 0xff);
  } else if (exponent > 10) {
    out->push_back(static_cast<char>(negative ? kNegativeLarge : kPositiveLarge));
    AppendVaruint(out, static_cast<uint64_t>(exponent), negative ? 0xff : 0);
  } else {
    out->push_back(static_cast<char>(negative ? kNegativeMediumMax - exponent
                                              : kPositiveMediumMin + exponent));
  }
  AppendMantissa(out, digits, negative ? 0xff : 0);
  FlipFrom(out, begin, flip);
}

Result<std::optional<BigDecimal>> DecodeNumericAsBigDecimal(ByteView* in) {
  ByteView rest = *in;
  ASSIGN_OR_RETURN(Numeric number, DecodeNumeric(&rest));
  RETURN_IF_ERROR(RequireFinite(number));
  *in = rest;
  if (number.number_class == Numeric::kNullValue) return std::optional<BigDecimal>();
  return std::optional<BigDecimal>(std::move(number.value));
}

Status EncodeDecimal(Bytes* out, std::string_view digits, Order order) {
  ASSIGN_OR_RETURN(const BigDecimal value, BigDecimal::Parse(digits));
  EncodeNumeric(out, value, order);
  return Status::Ok();
}

Result<std::optional<std::string>> DecodeDecimal(ByteView* in) {
  ASSIGN_OR_RETURN(const std::optional<BigDecimal> value, DecodeNumericAsBigDecimal(in));
  if (!value.has_value()) return std::optional<std::string>();
  return std::optional<std::string>(value->ToString());
}

Result<double> DecodeNumericAsDouble(ByteView* in) {
  ByteView rest = *in;
  ASSIGN_OR_RETURN(const Numeric number, DecodeNumeric(&rest));
  double value = 0;
  switch (number.number_class) {
    case Numeric::kNullValue:
      return InvalidArgument("OrderedBytes: a null cannot be decoded as a double");
    case Numeric::kFinite: value = number.value.ToDouble(); break;
    case Numeric::kMinusInfinity: value = -HUGE_VAL; break;
    case Numeric::kPlusInfinity: value = HUGE_VAL; break;
    case Numeric::kNotANumber: value = std::nan(""); break;
  }
  *in = rest;
  return value;
}

Result<int64_t> DecodeNumericAsInt64(ByteView* in) {
  ByteView rest = *in;
  ASSIGN_OR_RETURN(const Numeric number, DecodeNumeric(&rest));
  RETURN_IF_ERROR(RequireFinite(number));
  if (number.number_class == Numeric::kNullValue) {
    return InvalidArgument("OrderedBytes: a null cannot be decoded as an integer");
  }
  *in = rest;
  return number.value.ToInt64Narrowed();
}

}  // namespace bennu::ordered_bytes
