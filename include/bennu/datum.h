// Datum: one value of SQL, as programs bind and read it.
#ifndef BENNU_DATUM_H_
#define BENNU_DATUM_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bennu/bytes.h"

namespace bennu {

// The integer types that a Datum takes: numbers, and neither truth values nor characters.
template <typename T>
concept DatumInteger =
    std::integral<T> && sizeof(T) <= sizeof(int64_t) && !std::same_as<T, bool> &&
    !std::same_as<T, char> && !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
    !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

// One SQL value for binding and reading: NULL, or a value of one of a few kinds. Every Phoenix type
// maps to one of the kinds; JSON and BSON map to their text. A Datum owns its bytes.
class Datum {
 public:
  // A DATE, TIME or TIMESTAMP, in UTC.
  struct Moment {
    int64_t millis = 0;  // since 1970
    int32_t nanos = 0;   // inside the millisecond
    friend bool operator==(const Moment&, const Moment&) = default;
  };
  // A DECIMAL.
  struct Number {
    std::string digits;  // plain ones, such as "-12.50"
    friend bool operator==(const Number&, const Number&) = default;
  };
  // A BINARY or VARBINARY.
  struct Binary {
    Bytes bytes;
    friend bool operator==(const Binary&, const Binary&) = default;
  };
  // An array of any type.
  struct Array {
    std::string type;  // of the elements, such as "VARCHAR"
    std::vector<Datum> elements;
    friend bool operator==(const Array& a, const Array& b);
  };
  using Variant = std::variant<std::monostate, bool, int64_t, double, Number, Moment, std::string,
                               Binary, Array>;

  Datum() = default;        // NULL
  Datum(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  // A template, so that a pointer does not silently become true.
  template <std::same_as<bool> Bool>
  Datum(Bool value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  // Every integer type of up to 64 bits. An unsigned number above the largest int64_t becomes a
  // Number, which keeps its value.
  template <DatumInteger Integer>
  Datum(Integer value)  // NOLINT(google-explicit-constructor)
      : value_(std::in_range<int64_t>(value) ? Variant(static_cast<int64_t>(value))
                                             : Variant(Number{std::to_string(value)})) {}
  Datum(float value) : value_(static_cast<double>(value)) {}  // NOLINT
  Datum(double value) : value_(value) {}                      // NOLINT
  Datum(const char* text) {                                   // NOLINT; a null pointer is NULL
    if (text != nullptr) value_ = std::string(text);
  }
  Datum(std::string_view text) : value_(std::string(text)) {}  // NOLINT
  Datum(std::string text) : value_(std::move(text)) {}         // NOLINT
  Datum(Number value) : value_(std::move(value)) {}            // NOLINT
  Datum(Moment value) : value_(value) {}                       // NOLINT
  Datum(Binary value) : value_(std::move(value)) {}            // NOLINT
  Datum(Array value) : value_(std::move(value)) {}             // NOLINT

  bool is_null() const { return value_.index() == 0; }
  const Variant& variant() const { return value_; }

  friend bool operator==(const Datum&, const Datum&) = default;

 private:
  Variant value_;
};

inline bool operator==(const Datum::Array& a, const Datum::Array& b) {
  return a.type == b.type && a.elements == b.elements;
}

}  // namespace bennu

#endif  // BENNU_DATUM_H_
