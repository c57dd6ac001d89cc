// Encodes the inputs of the recorded OrderedBytes files.
#ifndef BENNU_TESTS_GOLDEN_ORDERED_VALUES_H_
#define BENNU_TESTS_GOLDEN_ORDERED_VALUES_H_

#include <cstdlib>
#include <string>

#include "src/base/status_macros.h"
#include "src/encoding/ordered_bytes.h"
#include "tests/golden/golden_tsv.h"

namespace bennu::golden {

inline double ParseJavaDouble(const std::string& text) {
  if (text == "+Infinity") return HUGE_VAL;
  return std::strtod(text.c_str(), nullptr);  // takes NaN, -Infinity and plain numbers
}
inline float ParseJavaFloat(const std::string& text) {
  if (text == "+Infinity") return HUGE_VALF;
  return std::strtof(text.c_str(), nullptr);
}

// Returns the encoding of 'input' as the recorder names types and writes values.
inline Result<Bytes> EncodeRecorded(const std::string& type, const std::string& order_name,
                                    const std::string& input) {
  namespace ordered = encoding::ordered;
  const auto order = order_name == "ASC" ? ordered::Order::kAscending : ordered::Order::kDescending;
  Bytes out;
  if (input == "null") {
    if (type == "blob_copy") {
      ordered::EncodeNullBlobCopy(&out, order);
    } else {
      ordered::EncodeNull(&out, order);
    }
    return out;
  }
  const auto integer = [&input] { return std::strtoll(input.c_str(), nullptr, 10); };
  if (type == "numeric_long") {
    ordered::EncodeNumeric(&out, static_cast<int64_t>(integer()), order);
  } else if (type == "numeric_double") {
    ordered::EncodeNumeric(&out, ParseJavaDouble(input), order);
  } else if (type == "numeric_bigdecimal") {
    ASSIGN_OR_RETURN(const auto value, encoding::BigDecimal::Parse(input));
    ordered::EncodeNumeric(&out, value, order);
  } else if (type == "int8") {
    ordered::EncodeInt8(&out, static_cast<int8_t>(integer()), order);
  } else if (type == "int16") {
    ordered::EncodeInt16(&out, static_cast<int16_t>(integer()), order);
  } else if (type == "int32") {
    ordered::EncodeInt32(&out, static_cast<int32_t>(integer()), order);
  } else if (type == "int64") {
    ordered::EncodeInt64(&out, integer(), order);
  } else if (type == "float32") {
    ordered::EncodeFloat32(&out, ParseJavaFloat(input), order);
  } else if (type == "float64") {
    ordered::EncodeFloat64(&out, ParseJavaDouble(input), order);
  } else if (type == "string") {
    RETURN_IF_ERROR(ordered::EncodeText(&out, FromHexField(input), order));
  } else if (type == "blob_var") {
    ordered::EncodeBlobVar(&out, FromHexField(input), order);
  } else if (type == "blob_copy") {
    RETURN_IF_ERROR(ordered::EncodeBlobCopy(&out, FromHexField(input), order));
  } else {
    return Internal("a type that this test does not know: " + type);
  }
  return out;
}

}  // namespace bennu::golden

#endif  // BENNU_TESTS_GOLDEN_ORDERED_VALUES_H_
