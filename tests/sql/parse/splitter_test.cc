#include "src/sql/parse/splitter.h"

#include <gtest/gtest.h>

#include <string>

namespace bennu::sql::parse {
namespace {

std::string Split(const std::vector<std::string>& lines) {
  StatementSplitter splitter;
  std::string result;
  const auto add = [&](const ScriptStatement& s) {
    result += std::to_string(s.line) + ":[" + s.text + "]";
  };
  for (const std::string& line : lines) {
    for (const ScriptStatement& statement : splitter.AddLine(line)) add(statement);
  }
  const std::optional<ScriptStatement> last = splitter.Finish();
  if (last.has_value()) add(*last);
  return result;
}

TEST(StatementSplitter, EndsStatementsAtSemicolons) {
  EXPECT_EQ(Split({"SELECT 1;", "", "SELECT", " 2; SELECT 3"}),
            "1:[SELECT 1]3:[SELECT\n 2]4:[SELECT 3]");
}

TEST(StatementSplitter, LooksIntoNoQuotesAndComments) {
  EXPECT_EQ(Split({"SELECT ';', 'it''s;', \"a;b\" -- c;d", "/* e;", "f */ FROM t;"}),
            "1:[SELECT ';', 'it''s;', \"a;b\" -- c;d\n/* e;\nf */ FROM t]");
  EXPECT_EQ(Split({"SELECT 'a\\';b';"}), "1:[SELECT 'a\\';b']");
}

TEST(StatementSplitter, DropsWhatIsNoStatement) {
  EXPECT_EQ(Split({"-- only; a comment", ";;", "  ", "/* x; */", "SELECT 1;"}), "5:[SELECT 1]");
}

TEST(StatementSplitter, KnowsWhetherOneHasBegun) {
  StatementSplitter splitter;
  EXPECT_TRUE(splitter.at_start());
  EXPECT_TRUE(splitter.AddLine("SELECT").empty());
  EXPECT_FALSE(splitter.at_start());
  splitter.Clear();
  EXPECT_FALSE(splitter.Finish().has_value());
  EXPECT_EQ(splitter.line(), 1);
}

}  // namespace
}  // namespace bennu::sql::parse
