// Dialogues recorded from HBase's own shell (tests/golden/shell), held with ours: each statement
// must be answered as it was there. Those that may differ stand in the file 'deviations', with the
// reason.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "src/base/env.h"
#include "src/engine/open.h"
#include "src/shell/session.h"

namespace bennu::shell {
namespace {

namespace fs = std::filesystem;

// What was typed, and what was answered before the next prompt.
struct Exchange {
  size_t line = 0;  // in the file, of the first line typed
  std::vector<std::string> typed;
  std::string answer;
};

std::vector<Exchange> ReadDialogue(const fs::path& path) {
  static const std::regex kPrompt("hbase:[0-9]{3}:[0-9]+([>*'\"]) (.*)");
  std::vector<Exchange> exchanges;
  std::ifstream file(path);
  std::string line;
  for (size_t number = 1; std::getline(file, line); ++number) {
    std::smatch prompt;
    if (std::regex_match(line, prompt, kPrompt)) {
      if (prompt[1] == ">") exchanges.push_back({number, {}, ""});
      exchanges.back().typed.push_back(prompt[2]);
    } else if (!exchanges.empty()) {
      exchanges.back().answer += line + "\n";
    }
  }
  return exchanges;
}

// "FILE:LINE error" (both fail, each with its own words) or "FILE:LINE differs: reason".
std::map<std::string, std::string> ReadDeviations() {
  std::map<std::string, std::string> deviations;
  std::ifstream file(fs::path(BENNU_RECORDED_DIR) / "deviations");
  std::string line;
  while (std::getline(file, line)) {
    const size_t blank = line.find(' ');
    if (!line.empty() && line[0] != '#') deviations[line.substr(0, blank)] = line.substr(blank + 1);
  }
  return deviations;
}

std::string WithoutTimes(const std::string& text) {
  static const std::regex kTook("Took [0-9]+\\.[0-9]{4} seconds");
  static const std::regex kCreated("\\([0-9]{4}-[0-9-]{5} [0-9:]{8} \\+0000\\)");
  const std::string took = std::regex_replace(text, kTook, "Took T seconds");
  return std::regex_replace(took, kCreated, "(TIME)");
}

bool Failed(const std::string& answer) {
  return answer.find("ERROR: ") != std::string::npos || answer.find("Error (") != std::string::npos;
}

class RecordedTest : public testing::TestWithParam<std::string> {
 protected:
  RecordedTest() {
    std::string pattern = (fs::temp_directory_path() / "bennu-shell-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    auto engine = engine::OpenEngine(directory_ + "/db");
    EXPECT_TRUE(engine.ok()) << engine.status().ToString();
    engine_ = std::move(*engine);
    environment_.connection = engine_.get();
    environment_.printer = &printer_;
    environment_.read_line = [] { return std::nullopt; };
    environment_.monotonic_nanos = [] { return Env::Default()->MonotonicNanos(); };
    environment_.cancelled = [] { return false; };
    environment_.program = "hbase";
  }
  ~RecordedTest() override {
    engine_.reset();
    fs::remove_all(directory_);
  }

  std::string directory_;
  std::unique_ptr<engine::Engine> engine_;
  std::string printed_;
  Printer printer_{[this](std::string_view text) { printed_ += text; }, [] { return size_t{0}; }};
  Environment environment_;
};

TEST_P(RecordedTest, AnswersAlike) {
  const auto exchanges = ReadDialogue(fs::path(BENNU_RECORDED_DIR) / (GetParam() + ".dialogue"));
  ASSERT_FALSE(exchanges.empty());
  const auto deviations = ReadDeviations();
  Session session(environment_, false);
  for (const Exchange& exchange : exchanges) {
    printed_.clear();
    for (const std::string& line : exchange.typed) session.Take(line);
    const std::string ours = WithoutTimes(printed_);
    const std::string place = GetParam() + ":" + std::to_string(exchange.line);
    const auto deviation = deviations.find(place);
    if (deviation == deviations.end()) {
      EXPECT_EQ(ours, exchange.answer) << place << ": " << exchange.typed[0];
    } else if (deviation->second == "error") {
      EXPECT_TRUE(Failed(ours) && Failed(exchange.answer)) << place << ": " << ours;
    } else {
      EXPECT_NE(ours, exchange.answer) << place << " is like HBase's: it need not be listed";
    }
    EXPECT_FALSE(session.wants_more()) << place;
    session.Clear();
  }
}

std::vector<std::string> DialogueNames() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(BENNU_RECORDED_DIR)) {
    if (entry.path().extension() == ".dialogue") names.push_back(entry.path().stem().string());
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Shell, RecordedTest, testing::ValuesIn(DialogueNames()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace bennu::shell
