#include "src/encoding/big_decimal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/base/hex.h"

namespace bennu::encoding {
namespace {

BigDecimal D(std::string_view text) { return BigDecimal::Parse(text).value(); }

// The forms that Java's documentation of BigDecimal.toString gives.
TEST(BigDecimalTest, TextForms) {
  EXPECT_EQ("123", D("123").ToString());
  EXPECT_EQ("-123", D("-123").ToString());
  EXPECT_EQ("1.23E+3", D("123e1").ToString());
  EXPECT_EQ("12.3", D("123e-1").ToString());
  EXPECT_EQ("0.00123", D("123E-5").ToString());
  EXPECT_EQ("1.23E-8", D("123E-10").ToString());
  EXPECT_EQ("-1.23E-10", D("-123E-12").ToString());
  EXPECT_EQ("0E+3", D("0e3").ToString());
  EXPECT_EQ("0.00", D("0.00").ToString());
  EXPECT_EQ("0E-7", D("0.0000000").ToString());
  EXPECT_EQ("10", D("0010").ToString());
  EXPECT_EQ("0.5", D("+.5").ToString());
  EXPECT_EQ("5", D("5.").ToString());
}

TEST(BigDecimalTest, RefusesOtherText) {
  for (const char* text :
       {"", "-", ".", "1e", "1e+", "1x", "0x10", "1.2.3", "--1", "1e99999999999"}) {
    EXPECT_EQ(StatusCode::kInvalidArgument, BigDecimal::Parse(text).status().code()) << text;
  }
}

// Halves go away from zero, and a carry does not leave a digit too many.
TEST(BigDecimalTest, Rounding) {
  EXPECT_EQ("1.3", D("1.25").Rounded(2).ToString());
  EXPECT_EQ("-1.3", D("-1.25").Rounded(2).ToString());
  EXPECT_EQ("1.2", D("1.249").Rounded(2).ToString());
  EXPECT_EQ("10", D("9.96").Rounded(2).ToString());
  EXPECT_EQ("9.96", D("9.96").Rounded(3).ToString());
}

// The table in the documentation of Java's RoundingMode; scales that grow.
TEST(BigDecimalTest, ScalesAreSetHalfToEven) {
  const struct {
    const char* number;
    const char* rounded;
  } tests[] = {{"5.5", "6"},   {"2.5", "2"},   {"1.6", "2"},   {"1.1", "1"},   {"1.0", "1"},
               {"-1.0", "-1"}, {"-1.1", "-1"}, {"-1.6", "-2"}, {"-2.5", "-2"}, {"-5.5", "-6"},
               {"0.5", "0"},   {"-0.5", "0"},  {"3E+2", "300"}};
  for (const auto& test : tests) {
    EXPECT_EQ(test.rounded, D(test.number).WithScale(0).ToString()) << test.number;
  }
  EXPECT_EQ("1.00", D("1.005").WithScale(2).ToString());
  EXPECT_EQ("1.500", D("1.5").WithScale(3).ToString());
  EXPECT_EQ("0E+1", D("5").WithScale(-1).ToString());
  EXPECT_EQ("2E+1", D("15").WithScale(-1).ToString());
}

TEST(BigDecimalTest, StrippedAndPrecision) {
  EXPECT_EQ("1E+2", D("100.00").Stripped().ToString());
  EXPECT_EQ("0", D("0.000").Stripped().ToString());
  EXPECT_EQ(5, D("100.00").Precision());
  EXPECT_EQ(1, D("0.000").Precision());
}

TEST(BigDecimalTest, ComparesNumbersNotForms) {
  EXPECT_EQ(0, CompareNumbers(D("1.0"), D("1.000")));
  EXPECT_EQ(-1, CompareNumbers(D("-1e1000000000"), D("1e-1000000000")));
  EXPECT_EQ(1, CompareNumbers(D("1e1000000000"), D("9")));
  EXPECT_EQ(-1, CompareNumbers(D("-2"), D("-1.9")));
  EXPECT_EQ(0, CompareNumbers(D("0"), D("0e5")));
  EXPECT_FALSE(D("1.0") == D("1.00"));
}

TEST(BigDecimalTest, Narrowing) {
  EXPECT_EQ(-1, D("-1.9").ToInt64Narrowed());
  EXPECT_EQ(0, D("0.9").ToInt64Narrowed());
  EXPECT_EQ(std::numeric_limits<int64_t>::min(), D("9223372036854775808").ToInt64Narrowed());
  EXPECT_EQ(0, D("1e2000000000").ToInt64Narrowed());
  EXPECT_EQ(0, D("1e-2000000000").ToInt64Narrowed());
  EXPECT_EQ(0.1, D("0.1").ToDouble());
  EXPECT_TRUE(std::isinf(D("1e400").ToDouble()));
  EXPECT_EQ(-HUGE_VAL, D("-1e400").ToDouble());
  EXPECT_EQ(0.0, D("1e-400").ToDouble());
}

// BigInteger.toByteArray: as few bytes as hold the sign bit.
TEST(BigDecimalTest, TwosComplement) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"0", "00"},      {"1", "01"},        {"127", "7f"},
      {"128", "0080"},  {"255", "00ff"},    {"256", "0100"},
      {"-1", "ff"},     {"-128", "80"},     {"-129", "ff7f"},
      {"-256", "ff00"}, {"-32768", "8000"}, {"18446744073709551616", "010000000000000000"}};
  for (const auto& [number, hex] : cases) {
    Bytes bytes;
    AppendTwosComplement(&bytes, D(number).unscaled);
    EXPECT_EQ(hex, HexEncode(bytes)) << number;
    EXPECT_EQ(D(number).unscaled, DecodeTwosComplement(bytes)) << number;
  }
  EXPECT_EQ(StatusCode::kCorruption, DecodeBigDecimal("1234").status().code());
}

}  // namespace
}  // namespace bennu::encoding
