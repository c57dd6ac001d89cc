// Finds and reads the recorded files: $BENNU_GOLDEN, or this folder.
#ifndef BENNU_TESTS_GOLDEN_GOLDEN_TSV_H_
#define BENNU_TESTS_GOLDEN_GOLDEN_TSV_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "bennu/bytes.h"
#include "src/base/hex.h"

namespace bennu::golden {

inline std::filesystem::path Directory() {
  const char* named = std::getenv("BENNU_GOLDEN");
  return named != nullptr ? named : BENNU_GOLDEN_SOURCE_DIR;
}

inline std::string ReadWhole(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << "cannot read " << path;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

inline std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

// The lines of a tab-separated file but for those that begin with '#'. Fails the test when there
// are none, or when one has another count of columns.
inline std::vector<std::vector<std::string>> ReadTsv(const std::string& name, size_t columns) {
  std::vector<std::vector<std::string>> rows;
  size_t number = 0;
  for (const std::string& line : Split(ReadWhole(Directory() / name), '\n')) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    rows.push_back(Split(line, '\t'));
    EXPECT_EQ(columns, rows.back().size()) << name << " line " << number;
    if (rows.back().size() != columns) rows.pop_back();
  }
  EXPECT_FALSE(rows.empty()) << name << " has no lines";
  return rows;
}

// The files of a sub-folder with that extension (".wal"), sorted. Fails the test when there are
// none.
inline std::vector<std::filesystem::path> ListFiles(const std::string& folder,
                                                    const std::string& extension) {
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(Directory() / folder, error)) {
    if (entry.path().extension() == extension) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  EXPECT_FALSE(paths.empty()) << "no *" << extension << " in " << Directory() / folder;
  return paths;
}

// Takes "hex:…" apart.
inline Bytes FromHexField(std::string_view field) {
  EXPECT_TRUE(field.starts_with("hex:")) << field;
  Result<Bytes> bytes = HexDecode(field.substr(field.starts_with("hex:") ? 4 : 0));
  EXPECT_TRUE(bytes.ok()) << field;
  return bytes.ok() ? std::move(bytes).value() : Bytes();
}

}  // namespace bennu::golden

#endif  // BENNU_TESTS_GOLDEN_GOLDEN_TSV_H_
