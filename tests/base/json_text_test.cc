// What must hold is RFC 8259, section 7, and the Unicode standard's table of well-formed UTF-8.
#include "src/base/json_text.h"

#include <gtest/gtest.h>

namespace bennu {
namespace {

std::string Quoted(std::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

TEST(JsonText, EscapesWhatMustBe) {
  EXPECT_EQ(Quoted("plain"), R"("plain")");
  EXPECT_EQ(Quoted("a\"b\\c\nd\te"), R"("a\"b\\c\nd\u0009e")");
  EXPECT_EQ(Quoted(std::string_view("\0\x1f", 2)), R"("\u0000\u001f")");
  EXPECT_EQ(Quoted("\x7f"), "\"\x7f\"");
}

TEST(JsonText, KeepsUtf8) {
  const std::string text = "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80";
  EXPECT_EQ(Quoted(text), "\"" + text + "\"");
}

TEST(JsonText, ReplacesBytesThatAreNone) {
  const std::string one = "\xef\xbf\xbd";
  EXPECT_EQ(Quoted("\xff"), "\"" + one + "\"");
  EXPECT_EQ(Quoted("\xc3"), "\"" + one + "\"");
  EXPECT_EQ(Quoted("\xc0\x80"), "\"" + one + one + "\"");                      // overlong
  EXPECT_EQ(Quoted("\xed\xa0\x80"), "\"" + one + one + one + "\"");            // a surrogate
  EXPECT_EQ(Quoted("\xf4\x90\x80\x80"), "\"" + one + one + one + one + "\"");  // past the end
}

}  // namespace
}  // namespace bennu
