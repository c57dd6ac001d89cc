// Java's patterns, and what they find, as java.util.regex has it.
#include <gtest/gtest.h>

#include <string>

#include "bennu/filter.h"

namespace bennu {
namespace {

bool Finds(const char* pattern, ByteView text, int32_t flags = 0, const char* charset = "UTF-8") {
  RegexOptions options;
  options.flags = flags;
  options.charset = charset;
  auto comparator = NewRegexComparator(pattern, options);
  EXPECT_TRUE(comparator.ok()) << comparator.status().ToString();
  if (!comparator.ok()) return false;
  Status error;
  const int order = (*comparator)->Compare(text, &error);
  EXPECT_TRUE(error.ok()) << error.ToString();
  return order == 0;
}

TEST(RegexTest, FindsAnywhere) {
  EXPECT_TRUE(Finds("b+", "abbbc"));
  EXPECT_FALSE(Finds("^b+$", "abbbc"));
  EXPECT_TRUE(Finds("", ""));
}

TEST(RegexTest, Flags) {
  EXPECT_FALSE(Finds("a.b", "a\nb"));
  EXPECT_TRUE(Finds("a.b", "a\nb", kRegexDotAll));
  EXPECT_TRUE(Finds("ABC", "xabcx", kRegexCaseInsensitive));
  EXPECT_TRUE(Finds("^b$", "a\nb\nc", kRegexMultiline));
  EXPECT_FALSE(Finds("^b$", "a\nb\nc"));
  EXPECT_TRUE(Finds("a b # note", "ab", 4));  // COMMENTS
  EXPECT_TRUE(Finds("a.b", "xa.by", 16));     // LITERAL
  EXPECT_FALSE(Finds("a.b", "xacby", 16));
  EXPECT_TRUE(Finds("(?i)abc(?-i)D", "ABCD"));
  EXPECT_FALSE(Finds("(?i)abc(?-i)D", "ABCd"));
}

TEST(RegexTest, ClassesOfClasses) {
  EXPECT_TRUE(Finds("^[a-z&&[^aeiou]]+$", "xyz"));
  EXPECT_FALSE(Finds("^[a-z&&[^aeiou]]+$", "xayz"));
  EXPECT_TRUE(Finds("^[a-c[x-z]]+$", "abxyz"));
  EXPECT_FALSE(Finds("^[a-c[x-z]]+$", "abd"));
  EXPECT_FALSE(Finds("^[^a-c[x-z]]$", "y"));
  EXPECT_TRUE(Finds("^[^a-c[x-z]]$", "d"));
  EXPECT_TRUE(Finds("^[\\[\\]]+$", "[]"));
}

TEST(RegexTest, EscapesOfJava) {
  EXPECT_TRUE(Finds("^\\u00e9$", "\xc3\xa9"));
  EXPECT_TRUE(Finds("^\\x41\\0102$", "AB"));
  EXPECT_TRUE(Finds("^\\p{Alpha}\\p{Digit}\\p{Punct}$", "a1!"));
  EXPECT_FALSE(Finds("^\\p{Lower}$", "\xc3\xa9"));  // ASCII only
  EXPECT_TRUE(Finds("^\\p{L}\\p{IsL}$", "\xc3\xa9\xc3\xa9"));
  EXPECT_TRUE(Finds("^\\P{Alpha}$", "1"));
  EXPECT_TRUE(Finds("^\\Qa.b\\E.$", "a.bx"));
  EXPECT_TRUE(Finds("(?<year>\\d+)-\\k<year>", "12-12"));
  EXPECT_TRUE(Finds("a++b", "aaab"));
  EXPECT_FALSE(Finds("^\\w$", "\xc3\xa9"));
}

TEST(RegexTest, TextIsDecoded) {
  EXPECT_TRUE(Finds("^\\u00ff$", "\xff", 0, "ISO-8859-1"));
  EXPECT_TRUE(Finds("^a.b$",
                    "a\xff"
                    "b"));  // one character in the place of the broken one
  EXPECT_TRUE(Finds("^a\\ufffdb$",
                    "a\xff"
                    "b"));
}

TEST(RegexTest, PatternsThatAreNone) {
  for (const char* pattern : {"(", "[a", "\\", "\\p{NoSuch}", "*"}) {
    const auto comparator = NewRegexComparator(pattern);
    ASSERT_FALSE(comparator.ok()) << pattern;
    EXPECT_EQ(comparator.status().code(), StatusCode::kInvalidArgument);
  }
  RegexOptions options;
  options.charset = "KLINGON";
  EXPECT_FALSE(NewRegexComparator("a", options).ok());
}

// A pattern that would take for ever is given up.
TEST(RegexTest, CatastrophesEnd) {
  auto comparator = NewRegexComparator("^(a|a|aa)+$");
  ASSERT_TRUE(comparator.ok());
  Status error;
  (*comparator)->Compare(std::string(64, 'a') + "!", &error);
  EXPECT_EQ(error.code(), StatusCode::kResourceExhausted) << error.ToString();
}

}  // namespace
}  // namespace bennu
