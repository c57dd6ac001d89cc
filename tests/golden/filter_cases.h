// Reads the recorded filter cases: JSON lines, hex and HBase's way to write bytes.
#ifndef BENNU_TESTS_GOLDEN_FILTER_CASES_H_
#define BENNU_TESTS_GOLDEN_FILTER_CASES_H_

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/hex.h"
#include "tests/golden/golden_tsv.h"

namespace bennu::golden {

// Fails the test when there are no lines.
inline std::vector<nlohmann::json> ReadJsonLines(const std::string& name) {
  std::vector<nlohmann::json> lines;
  for (const std::string& line : Split(ReadWhole(Directory() / name), '\n')) {
    if (line.empty()) continue;
    lines.push_back(nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false));
    EXPECT_FALSE(lines.back().is_discarded()) << name << ": " << line.substr(0, 80);
  }
  EXPECT_FALSE(lines.empty()) << name << " has no lines";
  return lines;
}

inline Bytes FromHex(std::string_view hex) {
  Result<Bytes> bytes = HexDecode(hex);
  EXPECT_TRUE(bytes.ok()) << hex;
  return bytes.ok() ? std::move(bytes).value() : Bytes();
}

// Bytes.toBytesBinary.
inline Bytes FromStringBinary(const std::string& text) {
  Bytes bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\\x") == 0 && i + 3 < text.size()) {
      bytes += FromHex(text.substr(i + 2, 2));
      i += 3;
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

}  // namespace bennu::golden

#endif  // BENNU_TESTS_GOLDEN_FILTER_CASES_H_
