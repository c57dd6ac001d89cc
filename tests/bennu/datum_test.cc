// What becomes a Datum, and what does not compile as one.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

#include "bennu/database.h"

namespace bennu {
namespace {

template <typename T>
T Held(const Datum& datum) {
  const T* const value = std::get_if<T>(&datum.variant());
  EXPECT_NE(value, nullptr) << "the Datum holds alternative " << datum.variant().index();
  return value == nullptr ? T() : *value;
}

template <typename Integer>
void ExpectBothEnds() {
  EXPECT_EQ(Held<int64_t>(Datum(std::numeric_limits<Integer>::max())),
            int64_t{std::numeric_limits<Integer>::max()});
  EXPECT_EQ(Held<int64_t>(Datum(std::numeric_limits<Integer>::min())),
            int64_t{std::numeric_limits<Integer>::min()});
}

// long and long long are two types even where both have 64 bits, and int64_t is only one of them.
TEST(DatumTest, EveryIntegerTypeIsANumber) {
  ExpectBothEnds<signed char>();
  ExpectBothEnds<unsigned char>();
  ExpectBothEnds<short>();
  ExpectBothEnds<unsigned short>();
  ExpectBothEnds<int>();
  ExpectBothEnds<unsigned int>();
  ExpectBothEnds<long>();
  ExpectBothEnds<long long>();
  EXPECT_EQ(Held<int64_t>(Datum(7UL)), 7);
  EXPECT_EQ(Held<int64_t>(Datum(7ULL)), 7);
  EXPECT_EQ(Held<int64_t>(Datum(sizeof(int))), 4);
}

TEST(DatumTest, UnsignedNumbersBeyondInt64KeepTheirValue) {
  EXPECT_EQ(Held<Datum::Number>(Datum(UINT64_MAX)).digits, "18446744073709551615");
  EXPECT_EQ(Held<Datum::Number>(Datum(uint64_t{INT64_MAX} + 1)).digits, "9223372036854775808");
  EXPECT_EQ(Held<int64_t>(Datum(uint64_t{INT64_MAX})), INT64_MAX);
}

TEST(DatumTest, FloatsAndBooleansStayWhatTheyAre) {
  EXPECT_EQ(Held<double>(Datum(0.25F)), 0.25);
  EXPECT_EQ(Held<double>(Datum(0.1)), 0.1);
  EXPECT_EQ(Held<bool>(Datum(true)), true);
  EXPECT_EQ(Held<bool>(Datum(false)), false);
}

TEST(DatumTest, NullPointersAreNull) {
  const char* const none = nullptr;
  EXPECT_TRUE(Datum(none).is_null());
  EXPECT_TRUE(Datum(nullptr).is_null());
  EXPECT_EQ(Held<std::string>(Datum("")), "");
  EXPECT_EQ(Held<std::string>(Datum("text")), "text");
}

// A pointer would become true, a character its number, and an enumerator whatever it is numbered.
enum Color { kRed };
enum class Shade { kDark };
static_assert(!std::is_constructible_v<Datum, const int*>);
static_assert(!std::is_constructible_v<Datum, void*>);
static_assert(!std::is_constructible_v<Datum, const unsigned char*>);
static_assert(!std::is_constructible_v<Datum, const std::string*>);
static_assert(!std::is_constructible_v<Datum, std::unique_ptr<int>>);
static_assert(!std::is_constructible_v<Datum, char>);
static_assert(!std::is_constructible_v<Datum, char16_t>);
static_assert(!std::is_constructible_v<Datum, Color>);
static_assert(!std::is_constructible_v<Datum, Shade>);
static_assert(!std::is_constructible_v<Datum, long double>);
static_assert(std::is_convertible_v<char*, Datum>);
static_assert(std::is_convertible_v<std::string_view, Datum>);

}  // namespace
}  // namespace bennu
