// Keys against those of java.text.Collator (java_collation.txt: language, strength, text in UTF-16
// units, key).
#include "src/sql/functions/collation.h"

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include "src/base/hex.h"

namespace bennu::sql {
namespace {

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out->push_back(static_cast<char>(0xc0 | code >> 6));
    out->push_back(static_cast<char>(0x80 | (code & 0x3f)));
  } else if (code < 0x10000) {
    out->push_back(static_cast<char>(0xe0 | code >> 12));
    out->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3f)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3f)));
  } else {
    out->push_back(static_cast<char>(0xf0 | code >> 18));
    out->push_back(static_cast<char>(0x80 | (code >> 12 & 0x3f)));
    out->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3f)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3f)));
  }
}

std::string TextOf(const std::string& units) {
  std::string text;
  for (size_t i = 0; i + 4 <= units.size(); i += 4) {
    auto code = static_cast<uint32_t>(std::stoul(units.substr(i, 4), nullptr, 16));
    if (code >= 0xd800 && code < 0xdc00) {
      i += 4;
      const auto low = static_cast<uint32_t>(std::stoul(units.substr(i, 4), nullptr, 16));
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    AppendUtf8(code, &text);
  }
  return text;
}

TEST(CollationTest, KeysAreThoseOfJava) {
  std::ifstream file(std::string(BENNU_SOURCE_DIR) + "/tests/sql/functions/java_collation.txt");
  std::string line;
  size_t count = 0;
  while (std::getline(file, line)) {
    // The text may be empty: fields are split at single blanks.
    std::vector<std::string> fields;
    std::stringstream parts(line);
    for (std::string field; std::getline(parts, field, ' ');) fields.push_back(field);
    ASSERT_EQ(fields.size(), 4U) << line;
    std::optional<Collation> collation = Collation::OfLanguage(fields[0]);
    ASSERT_TRUE(collation.has_value()) << line;
    collation->strength = static_cast<CollationStrength>(std::stoi(fields[1]));
    EXPECT_EQ(HexEncode(collation->Key(TextOf(fields[2]))), fields[3]) << line;
    ++count;
  }
  EXPECT_GT(count, 300U);
}

TEST(CollationTest, LanguagesWithOtherRulesAreNotKnown) {
  EXPECT_FALSE(Collation::OfLanguage("sv").has_value());
  EXPECT_FALSE(Collation::OfLanguage("zh_TW").has_value());
  EXPECT_TRUE(Collation::OfLanguage("fr_CA")->french);
  EXPECT_FALSE(Collation::OfLanguage("en-US")->french);
}

TEST(CollationTest, DamagedTextHasAKey) {
  EXPECT_FALSE((Collation{}.Key(std::string("a\xff\xc3", 3))).empty());
}

}  // namespace
}  // namespace bennu::sql
