// Queries whose answers must go together, made up from a seed:
//
//   sql_metamorphic [--seed N] [--cases N | --seconds N] [--keep-going] [--failures]
//
// Each case makes two sets of rows, stores each in tables of several layouts, and tries every
// relation of relations.h a few times; case i of seed N is case 0 of seed N + i. The first relation
// that does not hold ends the run with status 1, and the statements that show it are printed as a
// script for `bennu sql`. --keep-going looks for more of them. --failures lists queries that the
// generator meant to work and that failed.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "src/base/env.h"
#include "src/base/status_macros.h"
#include "tests/sql/generator/choices.h"
#include "tests/sql/generator/expressions.h"
#include "tests/sql/generator/model.h"
#include "tests/sql/metamorphic/lab.h"
#include "tests/sql/metamorphic/relations.h"

namespace bennu::sql::testing {
namespace {

constexpr size_t kRowsMax = 40;
constexpr size_t kRoundsPerCase = 4;

struct Arguments {
  uint64_t seed = 1;
  uint64_t cases = 40;
  int64_t seconds = 0;  // not 0: for so long, whatever 'cases' says
  bool keep_going = false;
  bool failures = false;
};

// Runs a statement with each table of the subject in place of @.
Status RunOverEach(Lab* lab, const Subject& subject, const std::string& statement) {
  for (const std::string& table : subject.tables) {
    std::string sql = statement;
    sql.replace(sql.find('@'), 1, table);
    RETURN_IF_ERROR(lab->Run(sql));
  }
  return Status::Ok();
}

// Values of all columns; empty ones for those that are not to be set.
std::vector<std::string> MakeRow(const TableModel& model, Choices* choices) {
  std::vector<std::string> values;
  for (const Column& column : model.columns) {
    const bool set = column.key || column.name == "Z" || choices->Percent(80);
    values.push_back(set ? ValueFor(column, choices) : "");
  }
  return values;
}

std::string UpsertText(const TableModel& model, const std::vector<std::string>& row) {
  std::string names;
  std::string values;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i].empty()) continue;
    names += (names.empty() ? "" : ", ") + model.columns[i].name;
    values += (values.empty() ? "" : ", ") + row[i];
  }
  return "UPSERT INTO @ (" + names + ") VALUES (" + values + ")";
}

// Rows come, and some go.
Status Fill(Lab* lab, const Subject& subject, Choices* choices) {
  const TableModel& model = subject.model;
  ExpressionMaker make(choices, &model);
  std::set<std::vector<std::string>> keys;
  for (size_t i = 0, rows = choices->Below(kRowsMax); i < rows; ++i) {
    const std::vector<std::string> row = MakeRow(model, choices);
    const bool is_new =
        keys.emplace(row.begin(), row.begin() + static_cast<ptrdiff_t>(model.key_count)).second;
    if (model.written_once && !is_new) continue;
    RETURN_IF_ERROR(RunOverEach(lab, subject, UpsertText(model, row)));
    if (choices->Percent(5)) {
      RETURN_IF_ERROR(RunOverEach(lab, subject, "DELETE FROM @ WHERE " + make.KeyPredicate(1)));
    }
    if (choices->Percent(10)) RETURN_IF_ERROR(lab->Disturb(choices->Pick(subject.tables), choices));
  }
  return Status::Ok();
}

// Tables whose names begin with 'prefix', and rows in them.
Result<Subject> MakeSubject(Lab* lab, Choices* choices, const std::string& prefix) {
  Subject subject;
  subject.model = MakeTable(choices);
  const size_t count = 2 + choices->Below(2);
  for (size_t i = 0; i < count; ++i) {
    const std::string name = prefix + std::to_string(i);
    RETURN_IF_ERROR(lab->Run("DROP TABLE IF EXISTS " + name));
    const Layout layout = i == 0 ? PlainLayout(subject.model) : MakeLayout(subject.model, choices);
    RETURN_IF_ERROR(lab->Run(CreateTable(name, subject.model, layout)));
    subject.tables.push_back(name);
  }
  RETURN_IF_ERROR(Fill(lab, subject, choices));
  return subject;
}

void Report(const char* relation, const Finding& finding, const Lab& lab, uint64_t seed) {
  fmt::print("-- seed {}, {}: {}\n", seed, relation, [&] {
    std::string text = finding.what;
    for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
      text.replace(at, 1, "\n-- ");
    }
    return text;
  }());
  fmt::print("{}", lab.script());
  for (const std::string& query : finding.queries) fmt::print("{};\n", query);
}

// True when all relations held.
bool RunCase(Lab* lab, uint64_t seed, bool keep_going) {
  lab->Forget();
  Choices choices(seed);
  const auto first = MakeSubject(lab, &choices, "A");
  const auto second = MakeSubject(lab, &choices, "B");
  for (const Status& status : {first.status(), second.status()}) {
    if (status.ok()) continue;
    fmt::print("-- seed {}: the tables are refused: {}\n{}", seed, status.ToString(),
               lab->script());
    return false;
  }
  bool held = true;
  const Trial trial{lab, &choices, &*first, &*second};
  for (size_t round = 0; round < kRoundsPerCase; ++round) {
    for (const Relation& relation : Relations()) {
      const std::optional<Finding> finding = relation.check(trial);
      if (!finding.has_value()) continue;
      Report(relation.name, *finding, *lab, seed);
      held = false;
      if (!keep_going) return false;
    }
  }
  return held;
}

int Run(const Arguments& arguments) {
  const std::string directory = std::filesystem::temp_directory_path() /
                                fmt::format("bennu-sql-{:x}", Env::Default()->RandomU64());
  auto lab = Lab::Open(directory);
  if (!lab.ok()) {
    fmt::print(stderr, "{}\n", lab.status().ToString());
    return 2;
  }
  const uint64_t end_nanos =
      Env::Default()->MonotonicNanos() + static_cast<uint64_t>(arguments.seconds) * 1'000'000'000;
  size_t broken = 0;
  uint64_t cases = 0;
  const auto more = [&] {
    if (broken > 0 && !arguments.keep_going) return false;
    if (arguments.seconds == 0) return cases < arguments.cases;
    return static_cast<uint64_t>(Env::Default()->MonotonicNanos()) < end_nanos;
  };
  for (; more(); ++cases) {
    broken += !RunCase(lab->get(), arguments.seed + cases, arguments.keep_going);
  }
  lab->reset();
  std::filesystem::remove_all(directory);
  const Failures& failures = Failures::Seen();
  fmt::print("-- {} cases from seed {}: {} with a relation that does not hold; {} queries failed\n",
             cases, arguments.seed, broken, failures.count());
  if (arguments.failures) {
    for (const auto& [message, sql] : failures.examples()) {
      fmt::print("-- {}\n{};\n", message, sql);
    }
  }
  return broken > 0 ? 1 : 0;
}

bool Parse(int count, char** words, Arguments* arguments) {
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--keep-going") {
      arguments->keep_going = true;
    } else if (word == "--failures") {
      arguments->failures = true;
    } else if (i + 1 < count && word == "--seed") {
      arguments->seed = std::strtoull(words[++i], nullptr, 10);
    } else if (i + 1 < count && word == "--cases") {
      arguments->cases = std::strtoull(words[++i], nullptr, 10);
    } else if (i + 1 < count && word == "--seconds") {
      arguments->seconds = std::strtoll(words[++i], nullptr, 10);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace bennu::sql::testing

int main(int count, char** words) {
  bennu::sql::testing::Arguments arguments;
  if (!bennu::sql::testing::Parse(count, words, &arguments)) {
    fmt::print(stderr,
               "usage: sql_metamorphic [--seed N] [--cases N | --seconds N] [--keep-going] "
               "[--failures]\n");
    return 2;
  }
  return bennu::sql::testing::Run(arguments);
}
