// What statements leave behind: the recorded cells, descriptors, update counts and error codes of
// Phoenix 5.3.2, statement by statement, over the model store. Answers of queries are judged by the
// tests of the whole corpus; here only those over the catalog are.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "tests/sql/session/record_runner.h"

namespace bennu::sql::session {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream content;
  content << in.rdbuf();
  return content.str();
}

fs::path CorpusFolder() {
  const char* const given = std::getenv("BENNU_SQL");
  return given != nullptr ? fs::path(given)
                          : fs::path(BENNU_SOURCE_DIR) / "tests" / "golden" / "sql";
}

// "folder/file.test:line reason": records that may fail, because what they need is not there yet.
std::set<std::string> ReadPending() {
  std::set<std::string> pending;
  std::stringstream content(
      ReadAll(fs::path(BENNU_SOURCE_DIR) / "tests" / "sql" / "session" / "pending.txt"));
  for (std::string line; std::getline(content, line);) {
    if (!line.empty() && line[0] != '#') pending.insert(line.substr(0, line.find(' ')));
  }
  return pending;
}

bool IsJudged(const testing::TestRecord& record) {
  if (record.sql.find("SYSTEM.") != std::string::npos) return true;
  return !record.sql.starts_with("SELECT") && !record.sql.starts_with("EXPLAIN");
}

class RecordedTest : public ::testing::TestWithParam<const char*> {};

TEST_P(RecordedTest, Folder) {
  const fs::path folder = CorpusFolder() / GetParam();
  const std::set<std::string> pending = ReadPending();
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".test") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  ASSERT_FALSE(files.empty());
  int passed = 0;
  int skipped = 0;
  for (const fs::path& file : files) {
    const auto records = testing::ParseTestFile(ReadAll(file));
    ASSERT_TRUE(records.ok()) << file << ": " << records.status().ToString();
    RecordRunner runner(exec::PrepareQuery);
    for (const testing::TestRecord& record : *records) {
      const RecordResult result = runner.Run(record);
      const std::string place = std::string(GetParam()) + "/" + file.filename().string() + ":" +
                                std::to_string(record.line);
      if (result.outcome == Outcome::kSkipped) ++skipped;
      if (result.outcome == Outcome::kPassed) ++passed;
      if (result.outcome == Outcome::kFailed && IsJudged(record) && !pending.contains(place)) {
        ADD_FAILURE() << place << ": " << record.sql << "\n  " << result.difference;
      }
    }
  }
  std::cout << GetParam() << ": " << passed << " passed, " << skipped << " skipped\n";
  EXPECT_GT(passed, skipped / 10);
}

INSTANTIATE_TEST_SUITE_P(Sql, RecordedTest,
                         ::testing::Values("ddl", "dml", "keys", "types", "salting",
                                           "row_timestamp"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace bennu::sql::session
