// The macro benchmark of embedded SQL: load, look-ups and questions, beside SQLite on the same rows
// in the same run. See docs/benchmarks.md for what each line means.
//
//   sql_bench PATH-OF-BENNU SCRATCH-DIRECTORY RESULTS.json
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "bench/macro/compare.h"
#include "bench/macro/process.h"
#include "bench/macro/report.h"
#include "bench/macro/system_under_test.h"

namespace bennu::bench {

namespace {

constexpr int kRunsPerQuery = 7;

void CompareQuery(const Systems& systems, const std::string& name, const std::string& sql,
                  Report* report) {
  int64_t own_sum = 0;
  int64_t peer_sum = 0;
  const int64_t own_rows = systems.bennu->Query(sql, &own_sum);  // warms up, too
  const int64_t peer_rows = systems.sqlite->Query(sql, &peer_sum);
  if (own_rows != peer_rows || own_sum != peer_sum) {
    std::cerr << name << ": the answers differ: " << own_rows << " rows, sum " << own_sum
              << " against " << peer_rows << " rows, sum " << peer_sum << "\n";
    std::exit(1);
  }
  int64_t sum = 0;
  Compare(
      systems, name, kRunsPerQuery, [&](SystemUnderTest* system) { system->Query(sql, &sum); }, 0,
      report);
}

void Questions(const Systems& systems, const std::string& state, Report* report) {
  const auto ask = [&](const std::string& name, const std::string& sql) {
    CompareQuery(systems, name + state, sql, report);
  };
  ask("count_star", "SELECT COUNT(*) FROM T");
  ask("filtered_sum_avg_group_by_8", "SELECT G, SUM(V), AVG(W) FROM T WHERE V > 5000 GROUP BY G");
  ask("group_by_50000", "SELECT V, COUNT(*), SUM(W) FROM T GROUP BY V");
  ask("order_by_limit_10", "SELECT V FROM T ORDER BY V DESC LIMIT 10");
  ask("key_range_1000", "SELECT V FROM T WHERE A = 42 AND B >= 10 AND B < 20");
}

void SeriesRange(const Systems& systems, Report* report) {
  // The same twentieth of the time, in each system's own words for a time.
  const int64_t begin = kFirstMillis + kRows / 2 * 1000;
  const int64_t end = begin + kRows / 20 * 1000;
  const auto sql = [&](const SystemUnderTest& system) {
    const bool own = system.name() == "bennu";
    const auto moment = [own](int64_t millis) {
      return own ? "CAST(" + std::to_string(millis) + " AS DATE)" : std::to_string(millis);
    };
    return "SELECT SUM(V), COUNT(*) FROM S WHERE AT >= " + moment(begin) + " AND AT < " +
           moment(end);
  };
  int64_t own_sum = 0;
  int64_t peer_sum = 0;
  systems.bennu->Query(sql(*systems.bennu), &own_sum);
  systems.sqlite->Query(sql(*systems.sqlite), &peer_sum);
  if (own_sum != peer_sum) {
    std::cerr << "row_timestamp_range: the answers differ\n";
    std::exit(1);
  }
  int64_t sum = 0;
  Compare(
      systems, "row_timestamp_range_5_percent", kRunsPerQuery,
      [&](SystemUnderTest* system) { system->Query(sql(*system), &sum); }, 0, report);
}

void StartUp(const std::string& bennu, const std::string& scratch, Report* report) {
  std::vector<double> own;
  std::vector<double> peer;
  double own_mb = 0;
  double peer_mb = 0;
  for (int run = 0; run < 9; ++run) {
    const ProcessRun ours = RunProcess({bennu, "sql", scratch + "/bennu", "-c", "SELECT 1"});
    const ProcessRun theirs = RunProcess({"sqlite3", scratch + "/sqlite/bench.db", "SELECT 1"});
    if (ours.exit_status != 0) {
      std::cerr << "bennu sql did not start\n";
      std::exit(1);
    }
    own.push_back(ours.millis);
    peer.push_back(theirs.exit_status == 0 ? theirs.millis : 0);
    own_mb = ours.resident_mb;
    peer_mb = theirs.resident_mb;
  }
  report->Add({"start_select_1", Median(own), "ms", "sqlite", Median(peer)});
  report->Add({"start_resident", own_mb, "MB", "sqlite", peer_mb});
}

void LoadCsv(const std::string& bennu, const std::string& scratch, Report* report) {
  const std::string csv = scratch + "/rows.csv";
  std::FILE* file = std::fopen(csv.c_str(), "w");
  std::fputs("A,B,C,D,G,V,W\n", file);
  for (int64_t i = 0; i < kRows; ++i) {
    const BenchRow row = MakeRow(i);
    std::fprintf(file, "%ld,%ld,%s,%ld,%ld,%ld,%.10g\n", row.a, row.b, row.c, row.d, row.g, row.v,
                 row.w);
  }
  std::fclose(file);
  const std::string store = scratch + "/csv";
  RunProcess({bennu, "sql", store, "-c",
              "CREATE TABLE T (A INTEGER NOT NULL, B INTEGER NOT NULL, C VARCHAR NOT NULL, "
              "D BIGINT NOT NULL, G INTEGER, V BIGINT, W DOUBLE "
              "CONSTRAINT PK PRIMARY KEY (A, B, C, D))"});
  const ProcessRun own = RunProcess({bennu, "load", store, "T", csv});
  const std::string db = scratch + "/csv.db";
  RunProcess({"sqlite3", db,
              "PRAGMA journal_mode=WAL; CREATE TABLE T (A INTEGER, B INTEGER, C TEXT, D INTEGER, "
              "G INTEGER, V INTEGER, W REAL, PRIMARY KEY (A, B, C, D)) WITHOUT ROWID"});
  const ProcessRun peer = RunProcess({"sqlite3", db, "-cmd", ".mode csv", "-cmd",
                                      "PRAGMA synchronous=FULL", ".import --skip 1 " + csv + " T"});
  if (own.exit_status != 0) {
    std::cerr << "bennu load failed\n";
    std::exit(1);
  }
  report->Add({"load_csv", kRows / own.millis * 1000, "/s", peer.exit_status == 0 ? "sqlite" : "",
               kRows / peer.millis * 1000});
}

int Run(const std::string& bennu, const std::string& scratch, const std::string& results) {
  std::filesystem::remove_all(scratch);
  std::filesystem::create_directories(scratch);
  Report report;
  {
    const auto own = MakeBennu(scratch + "/bennu");
    const auto peer = MakeSqlite(scratch + "/sqlite");
    const Systems systems{own.get(), peer.get()};
    own->CreateTables();
    peer->CreateTables();
    Compare(
        systems, "load_prepared_durable", 1,
        [](SystemUnderTest* system) { system->LoadRows(0, kRows); }, kRows, &report);
    Compare(
        systems, "load_series_durable", 1, [](SystemUnderTest* system) { system->LoadSeries(); },
        kRows, &report);
    own->Settle();
    peer->Settle();
    Questions(systems, "", &report);
    SeriesRange(systems, &report);
    constexpr int64_t kLookUps = 200'000;
    own->LookUp(kLookUps);
    peer->LookUp(kLookUps);
    Compare(
        systems, "point_look_up", 3, [](SystemUnderTest* system) { system->LookUp(kLookUps); },
        kLookUps, &report);
    own->Disturb();
    peer->Disturb();
    Questions(systems, ".after_changes", &report);
  }
  StartUp(bennu, scratch, &report);
  LoadCsv(bennu, scratch, &report);
  std::filesystem::remove_all(scratch);
  return report.WriteJson(results) ? 0 : 1;
}

}  // namespace
}  // namespace bennu::bench

int main(int argc, char** argv) {
  if (argc > 2 && std::string(argv[1]) == bennu::bench::kMeasureFlag) {
    return bennu::bench::MeasureMain(argc, argv);
  }
  if (argc != 4) {
    std::cerr << "usage: sql_bench PATH-OF-BENNU SCRATCH-DIRECTORY RESULTS.json\n";
    return 2;
  }
  return bennu::bench::Run(argv[1], argv[2], argv[3]);
}
