#include "src/sql/types/decimal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "src/base/hex.h"
#include "src/sql/types/decimal_sum.h"

namespace bennu::sql {
namespace {

Decimal D(std::string_view text) {
  const std::optional<Decimal> value = Decimal::Parse(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value.value_or(Decimal());
}

std::string HexOf(const Decimal& value) {
  Bytes bytes;
  EXPECT_TRUE(value.EncodeTo(&bytes));
  return HexEncode(bytes);
}

std::string DivideText(std::string_view a, std::string_view b) {
  return Decimal::Divide(D(a), D(b))->ToString();
}

TEST(Decimal, GoldenBytes) {
  const std::string nines(38, '9');
  std::string nines_hex = "c10a";
  for (int i = 0; i < 17; ++i) nines_hex += "64";
  const struct {
    std::string value;
    std::string hex;
  } cases[] = {
      {"0", "80"},
      {"0.000", "80"},
      {"1", "c102"},
      {"1.00", "c102"},
      {"10", "c10b"},
      {"99", "c164"},
      {"100", "c202"},
      {"0.1", "c00b"},
      {"0.01", "c002"},
      {"0.001", "bf0b"},
      {"-1", "3e6466"},
      {"-99", "3e0266"},
      {"-100", "3d6466"},
      {"12.345", "c10d2333"},
      {"-12.345", "3e59433366"},
      {"-0.00001234", "41594366"},
      {"12345.67891", "c302182e445a0b"},
      // 38 nines, a point after the first: 20 base-100 digits.
      {"9." + std::string(37, '9'), nines_hex + "645b"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(HexOf(D(c.value)), c.hex) << c.value;
    const Result<Decimal> back = Decimal::Decode(*HexDecode(c.hex));
    ASSERT_TRUE(back.ok()) << c.value;
    EXPECT_EQ(*back, D(c.value)) << c.value;
  }
  const std::string negative = HexOf(D("-9." + std::string(37, '9')));
  EXPECT_EQ(negative.size(), 42u);  // no terminator
  EXPECT_EQ(negative.substr(0, 6), "3e5c02");
  EXPECT_EQ(negative.substr(38), "020b");
}

TEST(Decimal, DecodedValuesHaveNoTrailingZeros) {
  const Decimal ten = *Decimal::Decode(*HexDecode("c10b"));
  EXPECT_TRUE(ten.unscaled() == 1);
  EXPECT_EQ(ten.scale(), -1);
  EXPECT_EQ(ten.ToString(), "10");
  EXPECT_EQ(ten.ToJavaString(), "1E+1");
  EXPECT_EQ(D("102500").StripTrailingZeros().ToJavaString(), "1.025E+5");
}

TEST(Decimal, RefusesBytesThatNoEncoderMakes) {
  for (const char* hex :
       {"", "c1", "c100", "c165ff", "3e", "3e66", "3e00", "8002", "ff02", "00650266", "7f6466"}) {
    EXPECT_FALSE(Decimal::Decode(*HexDecode(hex)).ok()) << hex;
  }
  // 40 digits of which the last is not the filler.
  EXPECT_FALSE(Decimal::Decode(*HexDecode("c164" + std::string(38, '6'))).ok());
}

// Ascending bytes that are read as descending ones. Source: types/decimal_p.test and
// types/decimal_p_s.test of the corpus.
TEST(Decimal, ReadsBytesOfTheWrongOrderAsTheReferenceDoes) {
  EXPECT_EQ(Decimal::Decode(*HexDecode("c3a3fdfd99"))->ToString(), "-940405.04");
  EXPECT_EQ(Decimal::Decode(*HexDecode("c2fdfdfdf499"))->ToString(), "-404.041404");
  EXPECT_EQ(Decimal::Decode(*HexDecode("c19bcc99"))->ToString(), "-102.5404");
}

TEST(Decimal, ParseRoundsTo38DigitsHalfUp) {
  const Decimal value = D("123456789012345678901234567890123456789");
  EXPECT_EQ(value.ToString(), "123456789012345678901234567890123456790");
  EXPECT_EQ(D("1e3").ToString(), "1000");
  EXPECT_EQ(D("-1.50").ToString(), "-1.50");
  EXPECT_EQ(D("+.5").ToString(), "0.5");
  EXPECT_EQ(D("1.5E-7").ToJavaString(), "1.5E-7");
  EXPECT_EQ(D(std::string(200, '9') + "e-200").ToString(), "1." + std::string(37, '0'));
  for (const char* bad : {"", "-", ".", "1.2.3", "e5", "1e", "1e99999999", "12x", " 1", "0x10"}) {
    EXPECT_FALSE(Decimal::Parse(bad).has_value()) << bad;
  }
}

TEST(Decimal, RecordedArithmetic) {
  EXPECT_EQ(DivideText("1.0", "3"), "0." + std::string(38, '3'));
  EXPECT_EQ(DivideText("10.25", "3.00000"), "3.4166666666666666666666666666666666667");
  EXPECT_EQ(DivideText("100", "1234.5678"), "0.081000006642000544644044660811662186556");
  EXPECT_EQ(DivideText("2000000000", "1234.5678"), "1620000.1328400108928808932162332437311");
  EXPECT_EQ(DivideText("-7", "-0.5"), "14");
  EXPECT_EQ(Decimal::Multiply(D("10.25"), D("1.125")).ToString(), "11.53125");
  EXPECT_EQ(Decimal::Add(D("2000000000"), D("1234.5678")).ToString(), "2000001234.5678");
  EXPECT_EQ(Decimal::Subtract(D("9000000000000000000"), D("999.99")).ToString(),
            "8999999999999999000.01");
  EXPECT_FALSE(Decimal::Divide(D("1"), D("0.00")).has_value());
}

TEST(DecimalSum, IsTheSameInEveryOrderAndRoundedOnce) {
  // The digits below the 38 that are kept add up to one of them.
  const std::vector<Decimal> values = {D("12345678901234567890123456789012345679e1"),
                                       D("0.4"),
                                       D("123.45"),
                                       D("-0.00001"),
                                       D("-" + std::string(38, '9')),
                                       D("9e-120"),
                                       D("7e100"),
                                       D("-7e100"),
                                       D("0.00e5")};
  std::vector<size_t> order = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  // 123456789012345678901234567890123456790 - 99999999999999999999999999999999999999 + 123.85 - …
  const Decimal expected = D("23456789012345678901234567890123456914.84999");
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    DecimalSum whole;
    DecimalSum first;
    DecimalSum second;
    for (size_t i = 0; i < order.size(); ++i) {
      whole.Add(values[order[i]]);
      (i * 31 % 9 < static_cast<size_t>(round % 9) ? first : second).Add(values[order[i]]);
    }
    first.Add(second);
    EXPECT_EQ(whole.Rounded(), expected) << whole.Rounded().ToString();
    EXPECT_EQ(first.Rounded(), expected) << first.Rounded().ToString();
  }
}

TEST(DecimalSum, BoundsItsMemory) {
  DecimalSum sum;
  sum.Add(D("1e-900000"));
  sum.Add(D("3e900000"));
  sum.Add(D("1e-900000"));
  EXPECT_EQ(sum.Rounded(), D("3e900000"));
  DecimalSum other;
  other.Add(D("1e200"));
  other.Add(D("1"));
  other.Add(sum);
  EXPECT_EQ(other.Rounded(), D("3e900000"));
}

TEST(Decimal, ResultTypes) {
  const DataType d102 = {TypeId::kDecimal, 10, 2};
  const DataType d53 = {TypeId::kDecimal, 5, 3};
  const DataType integer = {TypeId::kInteger};
  const DataType literal = {TypeId::kDecimal};
  const auto divide = [](std::string_view a, std::string_view b, const DataType& x,
                         const DataType& y) {
    return FitDecimal(*Decimal::Divide(D(a), D(b)), DecimalDivideType(x, y))
        ->StripTrailingZeros()
        .ToString();
  };
  EXPECT_EQ(divide("10.25", "3", d102, integer), "3.41");
  EXPECT_EQ(divide("10.25", "1.125", d102, d53), "9");
  EXPECT_EQ(divide("10.25", "3.00000", d102, literal), "3.4166666666666666666666666666666666667");
  EXPECT_EQ(DecimalMultiplyType(d102, d53), (DataType{TypeId::kDecimal, 15, 5}));
  EXPECT_EQ(DecimalAddType(d102, d53), (DataType{TypeId::kDecimal, 12, 3}));
  EXPECT_EQ(DecimalAddType(d102, literal), (DataType{TypeId::kDecimal, 38, std::nullopt}));
  // v + 1 of 38 nines is refused although a column would take it.
  const Decimal sum = Decimal::Add(D(std::string(38, '9')), D("1"));
  EXPECT_FALSE(FitDecimal(sum, DecimalAddType(literal, integer)).has_value());
  EXPECT_TRUE(FitDecimal(sum, literal).has_value());
}

TEST(Decimal, FitTruncatesAndRefuses) {
  EXPECT_EQ(FitDecimal(D("123.9"), {TypeId::kDecimal, 5, 0})->ToString(), "123");
  EXPECT_EQ(FitDecimal(D("-9999.9999"), {TypeId::kDecimal, 7, 3})->ToString(), "-9999.999");
  EXPECT_FALSE(FitDecimal(D("10000"), {TypeId::kDecimal, 7, 3}).has_value());
  EXPECT_FALSE(FitDecimal(D("1e5"), {TypeId::kDecimal, 5, 0}).has_value());
  EXPECT_EQ(FitDecimal(D("0.00001"), {TypeId::kDecimal, 2, 2})->ToString(), "0.00");
}

TEST(Decimal, Rounding) {
  const auto rounded = [](std::string_view text, int scale, Rounding rounding) {
    return D(text).SetScale(scale, rounding)->ToString();
  };
  EXPECT_EQ(rounded("2.5", 0, Rounding::kHalfEven), "2");
  EXPECT_EQ(rounded("3.5", 0, Rounding::kHalfEven), "4");
  EXPECT_EQ(rounded("2.5", 0, Rounding::kHalfUp), "3");
  EXPECT_EQ(rounded("-2.5", 0, Rounding::kHalfUp), "-3");
  EXPECT_EQ(rounded("-2.1", 0, Rounding::kFloor), "-3");
  EXPECT_EQ(rounded("-2.9", 0, Rounding::kCeiling), "-2");
  EXPECT_EQ(rounded("2.1", 0, Rounding::kUp), "3");
  EXPECT_EQ(rounded("1250", -2, Rounding::kHalfEven), "1200");
  EXPECT_EQ(D("-1.5").ToInt64(Rounding::kHalfUp), -2);
  EXPECT_EQ(D("9223372036854775808").ToInt64(), std::nullopt);
  EXPECT_EQ(D("-9223372036854775808").ToInt64(), std::numeric_limits<int64_t>::min());
}

TEST(Decimal, Doubles) {
  EXPECT_EQ(Decimal::FromDouble(0.1)->ToString(), "0.1");
  EXPECT_EQ(Decimal::FromDouble(1.0)->ToString(), "1.0");
  EXPECT_EQ(Decimal::FromDouble(-2.75)->ToString(), "-2.75");
  EXPECT_EQ(Decimal::FromDouble(1e22)->ToString(), "10000000000000000000000");
  EXPECT_FALSE(Decimal::FromDouble(std::numeric_limits<double>::quiet_NaN()).has_value());
  EXPECT_FALSE(Decimal::FromDouble(std::numeric_limits<double>::infinity()).has_value());
  EXPECT_EQ(D("12345.67891").ToDouble(), 12345.67891);
  EXPECT_EQ(D("0.1").ToDouble(), 0.1);
}

Decimal RandomDecimal(std::mt19937_64* random) {
  const int digits = 1 + static_cast<int>((*random)() % 38);
  Int128 unscaled = 0;
  for (int i = 0; i < digits; ++i) unscaled = unscaled * 10 + static_cast<int>((*random)() % 10);
  if ((*random)() % 4 == 0) unscaled = unscaled % 1000;
  const int scale = static_cast<int>((*random)() % 50) - 10;
  return Decimal((*random)() % 2 == 0 ? unscaled : -unscaled, scale);
}

boost::multiprecision::cpp_int Scaled(const Decimal& value, int scale) {
  boost::multiprecision::cpp_int n(value.unscaled());
  for (int i = value.scale(); i < scale; ++i) n *= 10;
  return n;
}

TEST(Decimal, BytesKeepTheOrder) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const Decimal a = RandomDecimal(&random);
    const Decimal b =
        i % 3 == 0 ? Decimal(a.unscaled() / 10, a.scale() - 1) : RandomDecimal(&random);
    Bytes x;
    Bytes y;
    ASSERT_TRUE(a.EncodeTo(&x));
    ASSERT_TRUE(b.EncodeTo(&y));
    const int by_value = Decimal::Compare(a, b);
    const int by_bytes = x.compare(y);
    ASSERT_EQ(by_value < 0, by_bytes < 0) << a.ToString() << " " << b.ToString();
    ASSERT_EQ(by_value > 0, by_bytes > 0) << a.ToString() << " " << b.ToString();
    const auto exact_a = Scaled(a, 60);
    const auto exact_b = Scaled(b, 60);
    ASSERT_EQ(by_value < 0, exact_a < exact_b);
    ASSERT_EQ(by_value == 0, exact_a == exact_b);
    if (by_value == 0) {
      ASSERT_EQ(a.Hash(), b.Hash());
    }
    const Result<Decimal> back = Decimal::Decode(x);
    ASSERT_TRUE(back.ok()) << HexEncode(x);
    ASSERT_EQ(*back, a) << HexEncode(x);
    ASSERT_LE(x.size(), static_cast<size_t>(kMaxDecimalBytes));
    ASSERT_EQ(x.find('\0'), Bytes::npos);
    ASSERT_EQ(x.find('\xff'), Bytes::npos);
  }
}

TEST(Decimal, ArithmeticMatchesExactIntegers) {
  using boost::multiprecision::cpp_int;
  std::mt19937_64 random(11);
  const cpp_int limit = boost::multiprecision::pow(cpp_int(10), 38);
  int exact = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Decimal a = RandomDecimal(&random);
    const Decimal b = RandomDecimal(&random);
    const cpp_int sum = Scaled(a, 60) + Scaled(b, 60);
    const Decimal added = Decimal::Add(a, b);
    // 38 digits of the exact sum: within half a unit of the last place that is kept.
    const cpp_int error = abs(Scaled(added, 60) - sum) * 2;
    cpp_int unit = 1;
    for (int s = added.scale(); s < 60; ++s) unit *= 10;
    ASSERT_LE(error, unit) << a.ToString() << " + " << b.ToString();
    if (abs(cpp_int(added.unscaled())) < limit / 10) {
      ASSERT_EQ(error, 0);
    }
    const cpp_int product = cpp_int(a.unscaled()) * cpp_int(b.unscaled());
    if (abs(product) < limit) {
      ++exact;
      const Decimal multiplied = Decimal::Multiply(a, b);
      ASSERT_EQ(cpp_int(multiplied.unscaled()), product);
      ASSERT_EQ(multiplied.scale(), a.scale() + b.scale());
    }
    if (b.IsZero()) continue;
    // a = b * (a / b) but for the last place.
    const Decimal quotient = *Decimal::Divide(a, b);
    const Decimal back = Decimal::Multiply(quotient, b);
    const Decimal difference = Decimal::Subtract(a, back).Abs();
    const Decimal tolerance = Decimal(a.Abs().unscaled(), a.scale() + 36);
    ASSERT_LE(Decimal::Compare(difference, tolerance), 0)
        << a.ToString() << " / " << b.ToString() << " = " << quotient.ToString();
  }
  EXPECT_GT(exact, 1000);
}

}  // namespace
}  // namespace bennu::sql
