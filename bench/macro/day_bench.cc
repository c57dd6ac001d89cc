// One day of a table of visits, asked for in all the ways that there are: who visited any site on
// the 28th of June 2014? The keys begin with the user, at a fixed width, so that the day's rows lie
// all over the table.
//
//   fuzzy_filter   HBase's FuzzyRowFilter, by the data API: jumps from user to user
//   regex_scan     HBase's RowFilter with a regular expression, by the data API: looks at all keys
//   index          SQL by an index on the day
//   sql_scan       SQL without it
//
// Of each: the time of the first run after the store was opened, the bytes that it read from files
// (which the system may have had in memory), and the time of further runs. Beside them SQLite with
// the same index, and without. See docs/benchmarks.md.
//
//   day_bench SCRATCH-DIRECTORY RESULTS.json [USERS]     1,000 users are 10,950,000 rows
#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "bench/macro/must.h"
#include "bench/macro/report.h"
#include "bench/macro/stopwatch.h"
#include "bench/macro/visits.h"
#include "bennu/admin.h"
#include "bennu/database.h"
#include "bennu/filter.h"
#include "bennu/table.h"

namespace bennu::bench {

namespace {

constexpr int kDefaultUsers = 100;
constexpr int kRowsPerCommit = 10'000;
constexpr int kRuns = 5;

// Of this process, whether they were on the disk or in the system's memory.
uint64_t BytesReadSoFar() {
  std::ifstream file("/proc/self/io");
  std::string name;
  uint64_t value = 0;
  while (file >> name >> value) {
    if (name == "rchar:") return value;
  }
  std::cerr << "/proc/self/io does not say what was read\n";
  std::exit(1);
}

double MegabytesBelow(const std::filesystem::path& path) {
  uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return static_cast<double>(bytes) / 1e6;
}

// What one way of asking took.
struct Cost {
  double first_millis = 0;
  double first_megabytes = 0;
  double millis = 0;  // of further runs, median
};

// 'ask' returns the number of rows.
Cost MeasureAsking(int64_t rows_expected, const std::function<int64_t()>& ask) {
  Cost cost;
  std::vector<double> millis;
  for (int run = 0; run <= kRuns; ++run) {
    const uint64_t read_before = BytesReadSoFar();
    const Stopwatch stopwatch;
    const int64_t rows = ask();
    const double took = stopwatch.Read().seconds * 1e3;
    if (rows != rows_expected) {
      std::cerr << rows << " rows instead of " << rows_expected << "\n";
      std::exit(1);
    }
    if (run > 0) {
      millis.push_back(took);
      continue;
    }
    cost.first_millis = took;
    cost.first_megabytes = static_cast<double>(BytesReadSoFar() - read_before) / 1e6;
  }
  cost.millis = Median(millis);
  return cost;
}

class BennuVisits {
 public:
  explicit BennuVisits(std::string directory) : directory_(std::move(directory)) { Open(); }

  // As a process does that has just begun.
  void Open() {
    sql_.reset();
    database_.reset();
    DatabaseOptions options;
    options.write_sync = WriteSync::kOs;
    options.block_cache_bytes = uint64_t{2} << 30;
    database_ = Take(Database::Open(directory_, options));
    sql_ = Take(database_->Connect());
  }

  void Load(int users) {
    Take(
        sql_->Execute("CREATE TABLE VISITS (VISITOR CHAR(10) NOT NULL, DAY CHAR(8) NOT NULL, "
                      "DOMAIN CHAR(20) NOT NULL, VISITS INTEGER "
                      "CONSTRAINT PK PRIMARY KEY (VISITOR, DAY, DOMAIN))"));
    Check(sql_->SetAutocommit(false));
    auto upsert = Take(sql_->Prepare("UPSERT INTO VISITS VALUES (?, ?, ?, ?)"));
    int64_t rows = 0;
    ForEachVisit(users, [&](const Visit& visit) {
      Check(upsert->Bind(0, visit.user));
      Check(upsert->Bind(1, visit.day));
      Check(upsert->Bind(2, visit.domain));
      Check(upsert->Bind(3, int64_t{1}));
      Take(upsert->Execute());
      if (++rows % kRowsPerCommit == 0) Check(sql_->Commit());
    });
    Check(sql_->Commit());
    Check(sql_->SetAutocommit(true));
    Settle("VISITS");
  }
  void CreateIndex() {
    Take(sql_->Execute("CREATE INDEX VISITS_BY_DAY ON VISITS (DAY)"));
    Settle("VISITS_BY_DAY");
  }

  double MegabytesOf(const std::string& table) const {
    return MegabytesBelow(directory_ + "/data/default/" + table);
  }

  int64_t AskSql(const std::string& hint) {
    auto result =
        Take(sql_->Execute("SELECT " + hint + " VISITOR, DOMAIN FROM VISITS WHERE DAY = '" +
                           std::string(kDayAsked) + "'"));
    int64_t rows = 0;
    while (const ResultChunk* chunk = Take(result->NextChunk())) {
      rows += static_cast<int64_t>(chunk->row_count);
    }
    return rows;
  }

  int64_t AskFuzzyFilter() {
    FuzzyKey key;
    key.key = std::string(kUserWidth, ' ') + kDayAsked + std::string(kDomainWidth, ' ');
    key.mask = std::string(kUserWidth, '\1') + std::string(kDayWidth, '\0') +
               std::string(kDomainWidth, '\1');
    return AskFilter(Take(NewFuzzyRowFilter({key})));
  }
  int64_t AskRegex() {
    auto pattern =
        NewRegexComparator("^.{" + std::to_string(kUserWidth) + "}" + std::string(kDayAsked));
    return AskFilter(NewRowFilter(CompareOp::kEqual, Take(std::move(pattern))));
  }

 private:
  void Settle(const char* table) {
    Admin* const admin = database_->store()->admin();
    const TableName name = Take(TableName::Parse(table));
    Check(admin->Flush(name));
    Check(admin->Compact(name, /*major=*/true));
  }

  int64_t AskFilter(FilterPtr filter) {
    const auto table = Take(database_->store()->OpenTable(Take(TableName::Parse("VISITS"))));
    Scan scan;
    scan.filter = std::move(filter);
    const auto scanner = Take(table->OpenScanner(scan));
    CellBatch batch;
    int64_t rows = 0;
    do {
      Check(scanner->Next(2048, &batch));
      rows += static_cast<int64_t>(batch.row_count());
    } while (batch.row_count() > 0);
    return rows;
  }

  const std::string directory_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<SqlConnection> sql_;
};

class SqliteVisits {
 public:
  explicit SqliteVisits(std::string file) : file_(std::move(file)) { Open(); }
  ~SqliteVisits() { sqlite3_close(db_); }
  SqliteVisits(const SqliteVisits&) = delete;
  SqliteVisits& operator=(const SqliteVisits&) = delete;

  void Open() {
    sqlite3_close(db_);
    MustBeOk(sqlite3_open(file_.c_str(), &db_));
    Execute("PRAGMA journal_mode=WAL");
    Execute("PRAGMA synchronous=NORMAL");
    Execute("PRAGMA cache_size=-2097152");
  }
  void Load(int users) {
    Execute(
        "CREATE TABLE VISITS (VISITOR TEXT NOT NULL, DAY TEXT NOT NULL, DOMAIN TEXT NOT NULL, "
        "VISITS INTEGER, PRIMARY KEY (VISITOR, DAY, DOMAIN)) WITHOUT ROWID");
    sqlite3_stmt* insert = Prepare("INSERT INTO VISITS VALUES (?, ?, ?, 1)");
    Execute("BEGIN");
    ForEachVisit(users, [&](const Visit& visit) {
      sqlite3_bind_text(insert, 1, visit.user.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_bind_text(insert, 2, visit.day.c_str(), -1, SQLITE_TRANSIENT);
      sqlite3_bind_text(insert, 3, visit.domain.c_str(), -1, SQLITE_TRANSIENT);
      if (sqlite3_step(insert) != SQLITE_DONE) MustBeOk(sqlite3_errcode(db_));
      sqlite3_reset(insert);
    });
    Execute("COMMIT");
    sqlite3_finalize(insert);
    Execute("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  void CreateIndex() {
    Execute("CREATE INDEX VISITS_BY_DAY ON VISITS (DAY)");
    Execute("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  double Megabytes() const { return static_cast<double>(std::filesystem::file_size(file_)) / 1e6; }
  // An index is not used for what is not a bare column.
  int64_t Ask(bool by_index) {
    sqlite3_stmt* select =
        Prepare("SELECT VISITOR, DOMAIN FROM VISITS WHERE " +
                std::string(by_index ? "DAY" : "+DAY") + " = '" + kDayAsked + "'");
    int64_t rows = 0;
    while (sqlite3_step(select) == SQLITE_ROW) ++rows;
    sqlite3_finalize(select);
    return rows;
  }

 private:
  void MustBeOk(int code) {
    if (code == SQLITE_OK) return;
    std::cerr << "sqlite: " << sqlite3_errmsg(db_) << "\n";
    std::exit(1);
  }
  void Execute(const char* sql) { MustBeOk(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr)); }
  sqlite3_stmt* Prepare(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    MustBeOk(sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr));
    return statement;
  }

  const std::string file_;
  sqlite3* db_ = nullptr;
};

class DayBench {
 public:
  DayBench(const std::string& scratch, int users, Report* report)
      : users_(users),
        rows_expected_(int64_t{users} * kDomains),
        report_(report),
        bennu_(scratch + "/bennu"),
        sqlite_(scratch + "/visits.db") {}

  void Run() {
    bennu_.Load(users_);
    sqlite_.Load(users_);
    const double table = sqlite_.Megabytes();
    bennu_.CreateIndex();
    sqlite_.CreateIndex();
    report_->Add(
        {"one_day.table_on_disk", bennu_.MegabytesOf("VISITS"), "MB", "sqlite", table, 0, 0});
    report_->Add({"one_day.index_on_disk", bennu_.MegabytesOf("VISITS_BY_DAY"), "MB", "sqlite",
                  sqlite_.Megabytes() - table, 0, 0});

    const Cost by_index = OfSqlite(/*by_index=*/true);
    const Cost by_scan = OfSqlite(/*by_index=*/false);
    Tell("index", OfBennu([&] { return bennu_.AskSql(""); }), by_index);
    Tell("fuzzy_filter", OfBennu([&] { return bennu_.AskFuzzyFilter(); }), by_scan);
    Tell("sql_scan", OfBennu([&] { return bennu_.AskSql("/*+ NO_INDEX */"); }), by_scan);
    Tell("regex_scan", OfBennu([&] { return bennu_.AskRegex(); }), by_scan);
  }

 private:
  Cost OfBennu(const std::function<int64_t()>& ask) {
    bennu_.Open();
    return MeasureAsking(rows_expected_, ask);
  }
  Cost OfSqlite(bool by_index) {
    sqlite_.Open();
    return MeasureAsking(rows_expected_, [&] { return sqlite_.Ask(by_index); });
  }
  void Tell(const std::string& way, const Cost& own, const Cost& peer) {
    const std::string name = "one_day." + way;
    report_->Add({name + ".first", own.first_millis, "ms", "sqlite", peer.first_millis, 0, 0});
    report_->Add({name + ".read", own.first_megabytes, "MB", "sqlite", peer.first_megabytes, 0, 0});
    report_->Add({name, own.millis, "ms", "sqlite", peer.millis, 0, 0});
  }

  const int users_;
  const int64_t rows_expected_;
  Report* const report_;
  BennuVisits bennu_;
  SqliteVisits sqlite_;
};

}  // namespace

}  // namespace bennu::bench

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::cerr << "usage: " << argv[0] << " SCRATCH-DIRECTORY RESULTS.json [USERS]\n";
    return 2;
  }
  const std::string scratch = argv[1];
  std::filesystem::remove_all(scratch);
  std::filesystem::create_directories(scratch);
  bennu::bench::Report report;
  {
    const int users = argc > 3 ? std::atoi(argv[3]) : bennu::bench::kDefaultUsers;
    bennu::bench::DayBench bench(scratch, users, &report);
    bench.Run();
  }
  std::filesystem::remove_all(scratch);
  return report.WriteJson(argv[2]) ? 0 : 1;
}
