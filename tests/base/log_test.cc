#include "src/base/log.h"

#include <gtest/gtest.h>

#include <regex>
#include <vector>

namespace bennu {
namespace {

class LogTest : public testing::Test {
 protected:
  ~LogTest() override {
    SetLogSink(nullptr);
    SetLogLevel(level_before_);
  }
  const LogLevel level_before_ = GetLogLevel();
};

TEST_F(LogTest, SinkGetsLinesFromTheLevelUp) {
  std::vector<std::string> lines;
  SetLogSink([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  SetLogLevel(LogLevel::kWarning);
  LogInfo("dropped {}", 1);
  LogWarning("kept {}", 2);
  SetLogLevel(LogLevel::kOff);
  LogError("dropped {}", 3);
  EXPECT_EQ(lines, std::vector<std::string>{"kept 2"});
}

// What a client sent must not look like a line of the log's own.
TEST_F(LogTest, ControlCharactersAreWrittenOut) {
  std::vector<std::string> lines;
  SetLogSink([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  SetLogLevel(LogLevel::kWarning);
  LogWarning("it asks for '{}'", "a\n2026-01-01 ERROR \x1b[31mé\x7f");
  EXPECT_EQ(lines,
            std::vector<std::string>{R"(it asks for 'a\x0a2026-01-01 ERROR \x1b[31mé\x7f')"});
}

// A terminal takes U+009B for ESC [ and turns lines at U+202E; a byte alone may be a C1 control.
TEST_F(LogTest, WhatIsNoCharacterToShowIsWrittenOut) {
  std::vector<std::string> lines;
  SetLogSink([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
  SetLogLevel(LogLevel::kWarning);
  LogWarning("{}",
             "\x9b"
             "31m|\xc2\x9b"
             "31m|\xe2\x80\xae|\xe2\x80\xa8|\xe2\x81\xa6|\xe6\x97|\xed\xa0\x80");
  LogWarning("{}", "\xc2\xa0é日本\xf0\x9f\x90\xb3");
  EXPECT_EQ(
      lines,
      (std::vector<std::string>{
          R"(\x9b31m|\xc2\x9b31m|\xe2\x80\xae|\xe2\x80\xa8|\xe2\x81\xa6|\xe6\x97|\xed\xa0\x80)",
          "\xc2\xa0é日本\xf0\x9f\x90\xb3"}));
}

TEST_F(LogTest, StandardErrorLineHasTimeAndLevel) {
  SetLogLevel(LogLevel::kInfo);
  testing::internal::CaptureStderr();
  LogInfo("replayed {} edits", 7);
  const std::string line = testing::internal::GetCapturedStderr();
  const std::regex expected(R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} INFO replayed 7 edits\n)");
  EXPECT_TRUE(std::regex_match(line, expected)) << line;
}

}  // namespace
}  // namespace bennu
