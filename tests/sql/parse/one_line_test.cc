#include "src/sql/parse/one_line.h"

#include <gtest/gtest.h>

#include "src/sql/parse/token.h"

namespace bennu::sql::parse {
namespace {

TEST(OneLine, LineEndsBecomeBlanks) {
  EXPECT_EQ("SELECT a FROM t;", OneLine("SELECT a\nFROM t;\n"));
  EXPECT_EQ("SELECT /* a b */ 1", OneLine("SELECT /* a\nb */\n1"));
  EXPECT_EQ("", OneLine("\n\n"));
}

// What a user typed comes back with the value that it had.
TEST(OneLine, TextsAndNamesStay) {
  for (const char* text :
       {"VALUES ('line1\nline2')", "VALUES ('it''s\n-- no comment')", "VALUES ('a\\'\n--b')",
        "SELECT \"a\nb\"", "VALUES ('http://x')", "VALUES ('/*\n')", "VALUES ('open\ntext"}) {
    EXPECT_EQ(text, OneLine(text));
  }
  EXPECT_EQ("VALUES ('http://x', 1)", OneLine("VALUES ('http://x',\n1)"));
}

TEST(OneLine, LineCommentsEndBeforeWhatFollows) {
  EXPECT_EQ("SELECT 1 /* one */ + 2", OneLine("SELECT 1 -- one\n+ 2"));
  EXPECT_EQ("SELECT 1 /* one */ + 2", OneLine("SELECT 1 //one\n+ 2"));
  EXPECT_EQ("SELECT /* + no hint */ 1", OneLine("SELECT --+ no hint\n1"));
  EXPECT_EQ("SELECT  1", OneLine("SELECT -- a */ b\n1"));
  EXPECT_EQ("SELECT 1; /* the end */", OneLine("SELECT 1; -- the end\n"));
}

// The words and signs are the same, so that the statement is.
TEST(OneLine, TokensStay) {
  const std::string text = "SELECT 'a\nb', -- it's\n \"c\nd\" // \"\nFROM t /* ' */\nWHERE 1 = 1";
  const auto before = Tokenize(text);
  const auto after = Tokenize(OneLine(text));
  ASSERT_TRUE(before.ok() && after.ok());
  ASSERT_EQ(before->size(), after->size());
  for (size_t i = 0; i < before->size(); ++i) {
    EXPECT_EQ((*before)[i].type, (*after)[i].type);
    EXPECT_EQ((*before)[i].text, (*after)[i].text);
  }
}

}  // namespace
}  // namespace bennu::sql::parse
