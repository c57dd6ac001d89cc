// How far a statement is, as Bennu's server tells its own clients.
#include "src/avatica/running_statement.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace bennu::avatica {
namespace {

TEST(RunningStatementTest, WhatIsWrittenIsRead) {
  const RunningStatement written = {12, "SELECT \"a\"\nFROM T", 1795633601000, 18432, 3, 13, 4, -1};
  std::optional<RunningStatement> read;
  ASSERT_TRUE(ParseRunning(WriteRunning(written), &read));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->id, 12);
  EXPECT_EQ(read->text, "SELECT \"a\"\nFROM T");
  EXPECT_EQ(read->start_millis, 1795633601000);
  EXPECT_EQ(read->rows_read, 18432u);
  EXPECT_EQ(read->rows_returned, 3u);
  EXPECT_EQ(read->parts, 13u);
  EXPECT_EQ(read->parts_done, 4u);
  EXPECT_EQ(read->memory_bytes, -1);
  ASSERT_TRUE(ParseRunning(WriteRunning(std::nullopt), &read));
  EXPECT_FALSE(read.has_value());
}

TEST(RunningStatementTest, ALongTextIsCut) {
  RunningStatement written;
  written.id = 1;
  written.text = std::string(kRunningTextMax - 1, 'a') + "\u00e4" + std::string(10'000, 'b');
  std::optional<RunningStatement> read;
  ASSERT_TRUE(ParseRunning(WriteRunning(written), &read));
  // Half a character would be no JSON: its place has the sign for that.
  EXPECT_EQ(read->text, std::string(kRunningTextMax - 1, 'a') + "\ufffd");
}

// Other servers answer what they like.
TEST(RunningStatementTest, OtherAnswersAreTold) {
  std::optional<RunningStatement> read;
  for (const char* text : {"", "<html>", "[]", "12", R"({"a": 1})", R"({"id": "x"})",
                           R"({"id": -5})", R"({"id": 1)"}) {
    EXPECT_FALSE(ParseRunning(text, &read)) << text;
    EXPECT_FALSE(read.has_value());
  }
  ASSERT_TRUE(ParseRunning(R"({"id": 1, "rows_read": -7, "parts": "many"})", &read));
  EXPECT_EQ(read->rows_read, 0u);
  EXPECT_EQ(read->parts, 0u);
}

}  // namespace
}  // namespace bennu::avatica
