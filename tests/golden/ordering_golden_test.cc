// ordering.tsv: runs of values in order, whose encodings must be in byte order.
#include <gtest/gtest.h>

#include "tests/golden/golden_tsv.h"
#include "tests/golden/ordered_values.h"

namespace bennu::golden {
namespace {

TEST(Golden, Ordering) {
  std::string sequence;
  Bytes previous;
  for (const auto& row : ReadTsv("ordering.tsv", 6)) {
    SCOPED_TRACE(row[0] + " " + row[1] + " " + row[2] + " " + row[3]);
    const Result<Bytes> encoded = EncodeRecorded(row[1], row[2], row[3]);
    ASSERT_TRUE(encoded.ok()) << encoded.status().ToString();
    EXPECT_EQ(row[4], HexEncode(*encoded));
    const char* relation = row[0] != sequence     ? "-"
                           : previous < *encoded  ? "<"
                           : previous == *encoded ? "="
                                                  : ">";
    EXPECT_EQ(row[5], relation);
    sequence = row[0];
    previous = *encoded;
  }
}

}  // namespace
}  // namespace bennu::golden
