// ordered_bytes_decode.tsv: what HBase's OrderedBytes reads from bytes, and where values end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "src/base/status_macros.h"
#include "src/encoding/java_double.h"
#include "tests/golden/golden_tsv.h"
#include "tests/golden/ordered_values.h"

namespace bennu::golden {
namespace {

namespace ordered = encoding::ordered;

Result<std::string> Decode(const std::string& method, ByteView* in) {
  if (method == "decodeNumericAsBigDecimal") {
    ASSIGN_OR_RETURN(const auto value, ordered::DecodeNumericAsBigDecimal(in));
    return value.has_value() ? value->ToString() : std::string("null");
  }
  if (method == "decodeNumericAsDouble") {
    ASSIGN_OR_RETURN(const double value, ordered::DecodeNumericAsDouble(in));
    // The recorder writes the sign of both infinities.
    return value == HUGE_VAL ? std::string("+Infinity") : encoding::JavaDoubleToString(value);
  }
  if (method == "decodeNumericAsLong") {
    ASSIGN_OR_RETURN(const int64_t value, ordered::DecodeNumericAsInt64(in));
    return std::to_string(value);
  }
  if (method == "componentEnds") {
    std::string ends;
    const size_t whole = in->size();
    while (!in->empty()) {
      ASSIGN_OR_RETURN([[maybe_unused]] const size_t size, ordered::Skip(in));
      ends += fmt::format("{}{}", ends.empty() ? "" : ",", whole - in->size());
    }
    return ends;
  }
  return Internal("a method that this test does not know: " + method);
}

// A null pointer in Java is our InvalidArgument; bytes that are no number are Corruption.
StatusCode CodeOf(const std::string& error) {
  return error.find("NullPointerException") != std::string::npos ? StatusCode::kInvalidArgument
                                                                 : StatusCode::kCorruption;
}

TEST(Golden, OrderedBytesDecode) {
  for (const auto& row : ReadTsv("ordered_bytes_decode.tsv", 4)) {
    SCOPED_TRACE(row[0] + " " + row[1]);
    const Bytes encoded = HexDecode(row[1]).value();
    ByteView in = encoded;
    const Result<std::string> result = Decode(row[0], &in);
    if (row[2].starts_with("ERROR:")) {
      // How far Java's position moved before it threw is not promised; ours does not move.
      EXPECT_EQ(CodeOf(row[2]), result.status().code());
      EXPECT_EQ(encoded.size(), in.size());
      continue;
    }
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    EXPECT_EQ(row[2], *result);
    EXPECT_EQ(row[3], std::to_string(encoded.size() - in.size()));
    if (row[0] == "componentEnds") {
      EXPECT_EQ(Split(row[2], ',').size(), ordered::CountValues(encoded).value());
    }
  }
}

}  // namespace
}  // namespace bennu::golden
