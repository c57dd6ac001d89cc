#include "tests/support/sqltest_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace bennu::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<TestRecord> Parse(std::string_view content) {
  auto records = ParseTestFile(content);
  EXPECT_TRUE(records.ok()) << records.status().ToString();
  return records.ok() ? *records : std::vector<TestRecord>();
}

// Outcome, text and place of a statement; comments carry nothing but what is named.
TEST(SqltestFile, Statements) {
  const auto records = Parse(
      "# a comment\n"
      "statement ok\nCREATE TABLE T (\n  k INTEGER)\n\n"
      "statement count 3\nDELETE FROM T\n\n"
      "statement error ERROR 504 (42703)\nSELECT x\n# message: Undefined\n\n"
      "statement error UNCODED\nSELECT y\n");
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].sql, "CREATE TABLE T (\n  k INTEGER)");
  EXPECT_EQ(records[0].line, 2);
  EXPECT_EQ(records[1].expected_count, 3);
  EXPECT_EQ(records[2].expected_error, "ERROR 504 (42703)");
  EXPECT_FALSE(AcceptsAnyFailure(records[2]));
  EXPECT_TRUE(AcceptsAnyFailure(records[3]));
}

// Rows are kept as they stand, even those that look like comments.
TEST(SqltestFile, Queries) {
  const auto records = Parse(
      "query TI rowsort\nSELECT a, b\nFROM T\n# columns: A=VARCHAR\tB=INTEGER\n"
      "# update count: 2\n----\nx\t1\n# y\t2\n\n"
      "query I nosort\nSELECT 1\n----\n");
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].sql, "SELECT a, b\nFROM T");
  EXPECT_EQ(records[0].type_letters, "TI");
  EXPECT_TRUE(records[0].sort_rows);
  EXPECT_EQ(records[0].columns, "A=VARCHAR\tB=INTEGER");
  EXPECT_EQ(records[0].expected_count, 2);
  EXPECT_THAT(records[0].rows, ElementsAre("x\t1", "# y\t2"));
  EXPECT_FALSE(records[1].columns.has_value());
  EXPECT_TRUE(records[1].rows.empty());
}

TEST(SqltestFile, Binds) {
  const auto records = Parse(
      "bind VARCHAR 'it''s \\u0041, b', INTEGER NULL, VARBINARY x'00ff', "
      "DATE 2021-03-04T05:06:07Z, VARCHAR[] ['p',NULL]\nstatement ok\nSELECT ?\n");
  ASSERT_EQ(records.size(), 1u);
  const auto& binds = records[0].binds;
  ASSERT_EQ(binds.size(), 5u);
  EXPECT_EQ(binds[0].text, "it's A, b");
  EXPECT_TRUE(binds[1].is_null);
  EXPECT_EQ(binds[2].text, std::string("\0\xff", 2));
  EXPECT_EQ(binds[3].text, "2021-03-04T05:06:07Z");
  ASSERT_TRUE(binds[4].is_array);
  ASSERT_EQ(binds[4].elements.size(), 2u);
  EXPECT_EQ(binds[4].elements[0].text, "p");
  EXPECT_TRUE(binds[4].elements[1].is_null);
}

TEST(SqltestFile, Others) {
  const auto records = Parse(
      "connection w1 CurrentSCN=1000,readonly=true\n\nautocommit off\n\ncommit error ERROR 1 "
      "(X)\n\n"
      "rollback ok\n\ncells T\n61 30:31 * Put -\n\ndescriptor T\n# no such table\n\n"
      "# deviation: better so\nstatement ok\nSELECT 1\n");
  ASSERT_EQ(records.size(), 7u);
  EXPECT_EQ(records[0].properties.at("CurrentSCN"), "1000");
  EXPECT_EQ(records[0].properties.at("readonly"), "true");
  EXPECT_FALSE(records[1].on);
  EXPECT_EQ(records[2].expected_error, "ERROR 1 (X)");
  EXPECT_EQ(records[3].kind, RecordKind::kRollback);
  EXPECT_THAT(records[4].lines, ElementsAre("61 30:31 * Put -"));
  EXPECT_TRUE(records[5].no_such_table);
  EXPECT_EQ(records[6].deviation, "better so");
}

// Mistakes are told with their line, none is passed over.
TEST(SqltestFile, Mistakes) {
  for (const char* content :
       {"statment ok\nSELECT 1\n", "statement ok\n\n", "statement perhaps\nSELECT 1\n",
        "query T nosort\nSELECT 1\n", "query T sorted\nSELECT 1\n----\n", "bind VARCHAR 'x'\n",
        "bind VARCHAR 'x\nstatement ok\nSELECT ?\n", "autocommit maybe\n", "connection a b\n"}) {
    const auto records = ParseTestFile(content);
    ASSERT_FALSE(records.ok()) << content;
    EXPECT_THAT(records.status().message(), HasSubstr("line 1"));
  }
}

// Every recorded file reads, and has as many records as lines that begin one.
TEST(SqltestFile, RecordedFiles) {
  const char* const given = std::getenv("BENNU_SQL");
  const std::string folder =
      given != nullptr ? given : std::string(BENNU_SOURCE_DIR) + "/tests/golden/sql";
  size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".test") continue;
    ++files;
    std::ifstream in(entry.path(), std::ios::binary);
    std::stringstream content;
    content << in.rdbuf();
    const auto records = ParseTestFile(content.str());
    ASSERT_TRUE(records.ok()) << entry.path() << ": " << records.status().ToString();
    EXPECT_FALSE(records->empty()) << entry.path();
  }
  EXPECT_GT(files, 0u);
}

}  // namespace
}  // namespace bennu::testing
