// SQL over a cluster by the library; cluster_sql_bench.py runs it beside Java Phoenix, whose
// program (JavaPhoenix.java) does the same.
//
//   cluster_sql_bench TARGET RUNS LOOK-UPS < QUERIES
//
// A query a line: "NAME SELECT …". One answer a line: the name, the median of RUNS runs after one
// that warms up and the median of this process's processor time for one, both in milliseconds, and
// the rows with a digest of them that does not depend on their order. Statements with a "?" are
// run LOOK-UPS times with random keys from 0 up to 999,999 in its place; their times are
// microseconds for one. "look_up" is prepared, and the others are parsed each time.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "bench/macro/must.h"
#include "bennu/database.h"

namespace {

using bennu::ResultSet;
using bennu::SqlConnection;
using bennu::bench::Take;

constexpr int64_t kKeys = 1'000'000;

double ProcessorMillis() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto millis = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return millis(usage.ru_utime) + millis(usage.ru_stime);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Answer {
  int64_t rows = 0;
  int64_t digest = 0;  // of the whole numbers of all rows
};

Answer ReadAll(ResultSet* result) {
  Answer answer;
  while (Take(result->Next())) {
    ++answer.rows;
    for (size_t i = 0; i < result->columns().size(); ++i) {
      answer.digest += std::atoll(result->GetText(i).c_str());
    }
  }
  return answer;
}

void RunQuery(SqlConnection* sql, const std::string& name, const std::string& query, int runs) {
  std::vector<double> times;
  std::vector<double> processor;
  Answer answer;
  for (int run = 0; run <= runs; ++run) {
    const double processor_before = ProcessorMillis();
    const auto begin = std::chrono::steady_clock::now();
    answer = ReadAll(Take(sql->Execute(query)).get());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (run == 0) continue;
    times.push_back(took.count());
    processor.push_back(ProcessorMillis() - processor_before);
  }
  fmt::print("{} {:.3f} {:.3f} {} {}\n", name, Median(times), Median(processor), answer.rows,
             answer.digest);
  std::fflush(stdout);
}

// 'run' runs the statement with a key and returns the number of rows.
void Repeat(const std::string& name, int count, const std::function<int64_t(int64_t)>& run) {
  std::mt19937_64 random(1);
  int64_t rows = 0;
  double processor = 0;
  std::chrono::steady_clock::time_point begin;
  // The first tenth warms up.
  for (int i = -count / 10; i < count; ++i) {
    if (i == 0) {
      processor = ProcessorMillis();
      begin = std::chrono::steady_clock::now();
      rows = 0;
    }
    rows += run(static_cast<int64_t>(random() % static_cast<uint64_t>(kKeys)));
  }
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  fmt::print("{} {:.3f} {:.3f} {} 0\n", name, took.count() / count,
             (ProcessorMillis() - processor) * 1e3 / count, rows);
  std::fflush(stdout);
}

void RepeatPrepared(SqlConnection* sql, const std::string& name, const std::string& query,
                    int count) {
  auto statement = Take(sql->Prepare(query));
  Repeat(name, count, [&](int64_t key) {
    bennu::bench::Check(statement->Bind(0, key));
    return ReadAll(Take(statement->Execute()).get()).rows;
  });
}

void RepeatText(SqlConnection* sql, const std::string& name, const std::string& query, int count) {
  const size_t place = query.find('?');
  Repeat(name, count, [&](int64_t key) {
    std::string text = query;
    text.replace(place, 1, std::to_string(key));
    return ReadAll(Take(sql->Execute(text)).get()).rows;
  });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: cluster_sql_bench TARGET RUNS LOOK-UPS < QUERIES\n");
    return 2;
  }
  auto database = Take(bennu::Database::Open(argv[1]));
  auto sql = Take(database->Connect());
  for (std::string line; std::getline(std::cin, line);) {
    const size_t blank = line.find(' ');
    const std::string name = line.substr(0, blank);
    const std::string query = line.substr(blank + 1);
    if (name == "look_up") {
      RepeatPrepared(sql.get(), name, query, std::atoi(argv[3]));
    } else if (query.find('?') != std::string::npos) {
      RepeatText(sql.get(), name, query, std::atoi(argv[3]));
    } else {
      RunQuery(sql.get(), name, query, std::atoi(argv[2]));
    }
  }
  return 0;
}
