// The benchmark of filters with hints: who visited any site on one day, in a table of visits keyed
// by user, day and domain at fixed widths. A FuzzyRowFilter jumps from user to user; beside it the
// same question by reading every row. See docs/benchmarks.md for what each line means.
//
//   filter_bench SCRATCH-DIRECTORY RESULTS.json [USERS]
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "bench/macro/report.h"
#include "bench/macro/stopwatch.h"
#include "bennu/admin.h"
#include "bennu/filter.h"
#include "bennu/table.h"
#include "src/engine/open.h"

namespace bennu::bench {

namespace {

constexpr int kDefaultUsers = 1000;
constexpr int kDomains = 30;
constexpr int kDays = 365;
constexpr int kDaysPerFlush = 92;  // at least; a full memstore is flushed before
constexpr int kDayAsked = 178;     // the 28th of June
constexpr int kRuns = 9;
constexpr int kBuckets = 8;
constexpr size_t kUserWidth = 10;
constexpr size_t kDayWidth = 8;
constexpr size_t kDomainWidth = 20;
constexpr int64_t kFirstDayMillis = 1388534400000;  // 2014-01-01
constexpr int64_t kDayMillis = 86'400'000;

void Must(const Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

std::string Padded(std::string text, size_t width) {
  text.resize(width, '*');
  return text;
}

std::string User(int number) {
  char text[16];
  std::snprintf(text, sizeof(text), "user%05d", number);
  return Padded(text, kUserWidth);
}

std::string Salt(int bucket) { return std::string(1, static_cast<char>(bucket)); }

std::string Day(int day) {
  static constexpr int kMonths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  int month = 0;
  while (day >= kMonths[month]) day -= kMonths[month++];
  char text[40];
  std::snprintf(text, sizeof(text), "2014%02d%02d", month + 1, day + 1);
  return text;
}

std::string Domain(int number) {
  return Padded("domain" + std::to_string(number) + ".example.com", kDomainWidth);
}

TimeRange RangeOfDay(int day) {
  return {kFirstDayMillis + day * kDayMillis, kFirstDayMillis + (day + 1) * kDayMillis};
}

class FilterBench {
 public:
  FilterBench(const std::string& scratch, int users, Report* report)
      : users_(users), report_(report) {
    std::filesystem::remove_all(scratch);
    engine::EngineOptions options;
    options.wal_sync = engine::WalSync::kOs;
    options.background_compaction = false;
    options.block_cache_bytes = uint64_t{2} << 30;
    auto engine = engine::OpenEngine(scratch, options);
    Must(engine.status());
    engine_ = std::move(engine).value();
  }

  void Run() {
    Load("visits", users_, /*salted=*/false);
    Ask(".many_files", users_, FuzzyScan(/*salted=*/false));
    AskInKeyRange(".many_files");
    Must(engine_->admin()->Compact(table_->name(), /*major=*/true));
    Ask(".1_file", users_, FuzzyScan(/*salted=*/false));
    AskInKeyRange(".1_file");
    Load("visits_salted", users_ / 4, /*salted=*/true);
    Ask(".salted", users_ / 4, FuzzyScan(/*salted=*/true));
  }

 private:
  // With all days, and with the times of the day alone.
  void Ask(const std::string& state, int users, const Scan& fuzzy) {
    const Spent all = Measure(Scan(), static_cast<uint64_t>(users) * kDays * kDomains, 1);
    const uint64_t wanted = static_cast<uint64_t>(users) * kDomains;
    Tell("fuzzy_rows" + state, Measure(fuzzy, wanted, kRuns), all);
    Scan in_time = fuzzy;
    in_time.time_range = RangeOfDay(kDayAsked);
    Tell("fuzzy_rows_in_time_range" + state, Measure(in_time, wanted, kRuns), all);
  }

  // A quarter of the users.
  void AskInKeyRange(const std::string& state) {
    const auto users = static_cast<uint64_t>(users_ / 2 - users_ / 4);
    Scan all;
    all.range = {User(users_ / 4), true, User(users_ / 2), false};
    Scan fuzzy = FuzzyScan(/*salted=*/false);
    fuzzy.range = all.range;
    Tell("fuzzy_rows_in_key_range" + state, Measure(fuzzy, users * kDomains, kRuns),
         Measure(all, users * kDays * kDomains, 1));
  }

  // Makes the table and goes on with it. Salted: a byte by the user in front of the key, a region
  // for each.
  void Load(const std::string& name, int users, bool salted) {
    TableDescriptor descriptor;
    descriptor.name = *TableName::Parse(name);
    descriptor.families.resize(1);
    descriptor.families[0].name = "f";
    descriptor.families[0].attributes["DATA_BLOCK_ENCODING"] = "FAST_DIFF";
    std::vector<Bytes> borders;
    for (int salt = 1; salted && salt < kBuckets; ++salt) borders.push_back(Salt(salt));
    Must(engine_->admin()->CreateTable(descriptor, borders));
    auto table = engine_->OpenTable(descriptor.name);
    Must(table.status());
    table_ = *table;
    MutationBatch batch;
    for (int first = 0; first < kDays; first += kDaysPerFlush) {
      for (int user = 0; user < users; ++user) {
        const std::string prefix = (salted ? Salt(user % kBuckets) : "") + User(user);
        for (int day = first; day < std::min(kDays, first + kDaysPerFlush); ++day) {
          for (int domain = 0; domain < kDomains; ++domain) {
            batch.StartRow(prefix + Day(day) + Domain(domain));
            batch.Put("f", "visits", "1", RangeOfDay(day).min + domain);
          }
        }
        Must(table_->Write(&batch));
        batch.Clear();
      }
      Must(engine_->admin()->Flush(descriptor.name));
    }
  }

  // Every user's rows of one day.
  static Scan FuzzyScan(bool salted) {
    const size_t before_day = kUserWidth + (salted ? 1 : 0);
    FuzzyKey key;
    key.key = Padded("", before_day) + Day(kDayAsked) + Padded("", kDomainWidth);
    key.mask = std::string(before_day, '\1') + std::string(kDayWidth, '\0') +
               std::string(kDomainWidth, '\1');
    auto filter = NewFuzzyRowFilter({key});
    Must(filter.status());
    Scan scan;
    scan.filter = std::shared_ptr<const Filter>(std::move(filter).value());
    return scan;
  }

  // The scan's time, medians; one run before warms the cache.
  Spent Measure(const Scan& scan, uint64_t rows_expected, int runs) {
    std::vector<double> seconds;
    std::vector<double> cpu_seconds;
    for (int run = 0; run <= runs; ++run) {
      const Stopwatch stopwatch;
      auto scanner = table_->OpenScanner(scan);
      Must(scanner.status());
      CellBatch batch;
      uint64_t rows = 0;
      do {
        Must((*scanner)->Next(2048, &batch));
        rows += batch.row_count();
      } while (batch.row_count() > 0);
      const Spent spent = stopwatch.Read();
      if (run > 0) {
        seconds.push_back(spent.seconds);
        cpu_seconds.push_back(spent.cpu_seconds);
      }
      metrics_ = (*scanner)->metrics();
      if (rows != rows_expected) {
        std::cerr << rows << " rows instead of " << rows_expected << "\n";
        std::exit(1);
      }
    }
    return {Median(seconds), Median(cpu_seconds)};
  }

  // Also how little was looked at.
  void Tell(const std::string& name, const Spent& spent, const Spent& all_rows) {
    report_->Add({name, spent.seconds * 1e3, "ms", "all rows read", all_rows.seconds * 1e3,
                  spent.cpu_seconds * 1e6, all_rows.cpu_seconds * 1e6});
    std::cout << "  " << metrics_.rows_touched << " rows touched, " << metrics_.seeks << " jumps, "
              << metrics_.files_skipped_by_time << " files left out by time\n";
  }

  const int users_;
  Report* const report_;
  std::unique_ptr<engine::Engine> engine_;
  std::shared_ptr<Table> table_;
  Scanner::Metrics metrics_;
};

}  // namespace

}  // namespace bennu::bench

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::cerr << "usage: " << argv[0] << " SCRATCH-DIRECTORY RESULTS.json [USERS]\n";
    return 2;
  }
  bennu::bench::Report report;
  {
    bennu::bench::FilterBench bench(
        argv[1], argc > 3 ? std::atoi(argv[3]) : bennu::bench::kDefaultUsers, &report);
    bench.Run();
  }
  std::filesystem::remove_all(argv[1]);
  return report.WriteJson(argv[2]) ? 0 : 1;
}
