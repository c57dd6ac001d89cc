// Expected texts are those of Java 17's Double.toString and Float.toString.
#include "src/encoding/java_double.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace bennu::encoding {
namespace {

TEST(JavaDoubleTest, Forms) {
  EXPECT_EQ("0.0", JavaDoubleToString(0.0));
  EXPECT_EQ("-0.0", JavaDoubleToString(-0.0));
  EXPECT_EQ("1.0", JavaDoubleToString(1.0));
  EXPECT_EQ("100.0", JavaDoubleToString(100.0));
  EXPECT_EQ("0.001", JavaDoubleToString(0.001));
  EXPECT_EQ("9.999E-4", JavaDoubleToString(0.0009999));
  EXPECT_EQ("9999999.0", JavaDoubleToString(9999999.0));
  EXPECT_EQ("1.0E7", JavaDoubleToString(1e7));
  EXPECT_EQ("1.7976931348623157E308", JavaDoubleToString(std::numeric_limits<double>::max()));
  EXPECT_EQ("4.9E-324", JavaDoubleToString(std::numeric_limits<double>::denorm_min()));
  EXPECT_EQ("NaN", JavaDoubleToString(std::nan("")));
  EXPECT_EQ("-Infinity", JavaDoubleToString(-HUGE_VAL));
}

// Where Java before 19 does not print the shortest text.
TEST(JavaDoubleTest, JavasOwnDigits) {
  EXPECT_EQ("9.999999999999999E22", JavaDoubleToString(1e23));
  EXPECT_EQ("5.6843418860808015E-14", JavaDoubleToString(std::ldexp(1.0, -44)));
}

// A float whose last digit shows an overflow within Java's algorithm (shortest would end in 3).
TEST(JavaDoubleTest, Floats) {
  EXPECT_EQ("0.1", JavaFloatToString(0.1f));
  EXPECT_EQ("3.4028235E38", JavaFloatToString(std::numeric_limits<float>::max()));
  EXPECT_EQ("1.4E-45", JavaFloatToString(std::numeric_limits<float>::denorm_min()));
  EXPECT_EQ("-5.0934932E25", JavaFloatToString(std::bit_cast<float>(0xea288791u)));
}

}  // namespace
}  // namespace bennu::encoding
