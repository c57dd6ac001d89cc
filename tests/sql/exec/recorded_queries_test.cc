// Recorded questions and answers: every record of a .test file is run against a session over the
// model store. What Phoenix answered must come out, values, labels, types and codes.
//
// BENNU_SQL names the folder of the recordings when it is not the one copied into the tests.
// BENNU_SQL_FILE runs one more file, BENNU_SQL_VERBOSE=1 prints each difference.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "gtest/gtest.h"
#include "src/sql/exec/query.h"
#include "src/sql/session/session.h"
#include "src/sql/types/coerce.h"
#include "src/sql/types/text.h"
#include "tests/support/memory_store.h"
#include "tests/support/sqltest_file.h"

namespace bennu::sql {
namespace {

using session::Session;
using session::SqlStore;
using testing::MemoryStore;
using testing::RecordKind;
using testing::TestRecord;

std::string Folder() {
  const char* folder = std::getenv("BENNU_SQL");
  return folder != nullptr ? folder : BENNU_SQL_RECORDINGS;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream content;
  content << in.rdbuf();
  return content.str();
}

struct Answer {
  Status status;
  std::string columns;
  std::vector<std::string> rows;
};

Answer Ask(Session* session, const std::string& sql) {
  Answer answer;
  auto run = [&]() -> Status {
    ASSIGN_OR_RETURN(session::StatementResult result, session->Execute(sql));
    for (const exec::ResultColumn& column : result.columns) {
      if (!answer.columns.empty()) answer.columns += "\t";
      answer.columns += (column.label.empty() ? "(empty)" : EscapeText(column.label)) + "=" +
                        std::string(TypeName(column.type.id));
    }
    if (result.rows == nullptr) return Status::Ok();
    DataChunk chunk;
    for (;;) {
      RETURN_IF_ERROR(result.rows->Next(&chunk));
      if (chunk.size == 0) return Status::Ok();
      for (size_t row = 0; row < chunk.size; ++row) {
        std::string line;
        for (size_t c = 0; c < chunk.columns.size(); ++c) {
          if (c > 0) line += "\t";
          AppendText(chunk.columns[c], row, TextStyle{}, &line);
        }
        answer.rows.push_back(std::move(line));
      }
    }
  };
  answer.status = run();
  return answer;
}

struct Score {
  int passed = 0;
  int failed = 0;
  int skipped = 0;
  std::string differences;
};

std::string Join(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += "    " + line + "\n";
  return all;
}

void Differ(const TestRecord& record, const std::string& wanted, const std::string& got,
            Score* score) {
  ++score->failed;
  score->differences += std::to_string(record.line) + ": " + record.sql + "\n  wanted:\n" + wanted +
                        "  got:\n" + got + "\n";
}

void RunQuery(const TestRecord& record, Session* session, Score* score) {
  Answer answer = Ask(session, record.sql);
  if (!record.expected_error.empty()) {
    const std::string got = answer.status.ToString();
    const bool fits = AcceptsAnyFailure(record) || got.rfind(record.expected_error, 0) == 0;
    if (fits) {
      ++score->passed;
    } else {
      Differ(record, "    " + record.expected_error + "\n", "    " + got + "\n", score);
    }
    return;
  }
  if (!answer.status.ok()) {
    Differ(record, Join(record.rows), "    " + answer.status.ToString() + "\n", score);
    return;
  }
  std::vector<std::string> wanted = record.rows;
  if (record.sort_rows) {
    std::sort(wanted.begin(), wanted.end());
    std::sort(answer.rows.begin(), answer.rows.end());
  }
  const bool columns = !record.columns.has_value() || *record.columns == answer.columns;
  if (wanted == answer.rows && columns) {
    ++score->passed;
  } else {
    Differ(record, "    " + record.columns.value_or("") + "\n" + Join(wanted),
           "    " + answer.columns + "\n" + Join(answer.rows), score);
  }
}

Score RunFile(const std::filesystem::path& path) {
  Score score;
  MemoryStore memory;
  auto store = SqlStore::Open(&memory, exec::PrepareQuery);
  EXPECT_TRUE(store.ok());
  auto session = Session::Open(store->get(), {});
  EXPECT_TRUE(session.ok());
  auto records = testing::ParseTestFile(ReadFile(path));
  EXPECT_TRUE(records.ok()) << path << ": " << records.status().ToString();
  if (!records.ok()) return score;
  for (const TestRecord& record : *records) {
    const bool select = record.sql.rfind("SELECT", 0) == 0;
    if (record.kind == RecordKind::kQuery || (record.kind == RecordKind::kStatement && select)) {
      if (record.sql.rfind("EXPLAIN", 0) == 0 || !record.binds.empty()) {
        ++score.skipped;
      } else {
        RunQuery(record, session->get(), &score);
      }
    } else if (record.kind == RecordKind::kStatement && record.binds.empty()) {
      // What is being asked about: whether it succeeds is another test's business.
      (void)(*session)->Execute(record.sql);
    } else {
      ++score.skipped;
    }
  }
  return score;
}

// Recordings that ask for what is not there yet, and how many of their records fail for it.
struct Expectation {
  const char* file;
  int failures;
};

void PrintTo(const Expectation& expectation, std::ostream* os) { *os << expectation.file; }

class RecordedQueries : public ::testing::TestWithParam<Expectation> {};

TEST_P(RecordedQueries, AnswerAsRecorded) {
  const std::filesystem::path path = std::filesystem::path(Folder()) / GetParam().file;
  ASSERT_TRUE(std::filesystem::exists(path)) << path;
  const Score score = RunFile(path);
  std::printf("%s: %d passed, %d failed, %d skipped\n", GetParam().file, score.passed, score.failed,
              score.skipped);
  EXPECT_GT(score.passed, 0);
  EXPECT_LE(score.failed, GetParam().failures) << score.differences;
  if (std::getenv("BENNU_SQL_VERBOSE") != nullptr) std::printf("%s", score.differences.c_str());
}

INSTANTIATE_TEST_SUITE_P(Files, RecordedQueries,
                         ::testing::Values(Expectation{"select/where_order_limit.test", 4},
                                           Expectation{"select/group_having.test", 0},
                                           Expectation{"select/joins.test", 0},
                                           Expectation{"select/subqueries.test", 32},
                                           Expectation{"aggregates/all.test", 21}));

// Any file by name, for those who work on one.
TEST(RecordedFile, Named) {
  const char* file = std::getenv("BENNU_SQL_FILE");
  if (file == nullptr) GTEST_SKIP() << "BENNU_SQL_FILE is not set";
  std::stringstream files(file);
  std::string name;
  while (std::getline(files, name, ',')) {
    const Score score = RunFile(std::filesystem::path(Folder()) / name);
    std::printf("%s: %d passed, %d failed, %d skipped\n", name.c_str(), score.passed, score.failed,
                score.skipped);
    if (std::getenv("BENNU_SQL_VERBOSE") != nullptr) std::printf("%s", score.differences.c_str());
  }
}

}  // namespace
}  // namespace bennu::sql
