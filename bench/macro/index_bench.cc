// The macro benchmark of secondary indexes: what they cost on writing, how long making one takes,
// and look-ups by them, beside SQLite on the same rows in the same run. See docs/benchmarks.md for
// what each line means.
//
//   index_bench SCRATCH-DIRECTORY RESULTS.json [PART]     write, create or look_up; all without it
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "bench/macro/compare.h"
#include "bench/macro/report.h"
#include "bench/macro/stopwatch.h"
#include "bench/macro/system_under_test.h"

namespace bennu::bench {

namespace {

using IndexKind = SystemUnderTest::IndexKind;
using OneRowBy = SystemUnderTest::OneRowBy;

constexpr int64_t kIndexedRows = kRows / 4;
constexpr int64_t kUniqueRows = kRows / 4;
constexpr int kRuns = 3;

class IndexBench {
 public:
  IndexBench(const Systems& systems, Report* report) : systems_(systems), report_(report) {}

  void Run(const std::string& part) {
    const auto wants = [&part](const char* name) { return part.empty() || part == name; };
    if (wants("write") || wants("create")) Load();
    if (wants("write")) LoadIndexed();
    if (wants("create")) CreateAll();
    if (wants("look_up")) LookUpOneRow();
  }

 private:
  void Load() {
    systems_.bennu->CreateTables();
    systems_.sqlite->CreateTables();
    load_ = PerRow(kRows, [&] { systems_.bennu->LoadRows(0, kRows); });
    const Spent peer = PerRow(kRows, [&] { systems_.sqlite->LoadRows(0, kRows); });
    Tell("load_durable", load_, "sqlite", peer);
    systems_.bennu->Settle();
    systems_.sqlite->Settle();
  }

  void LoadIndexed() {
    const Spent own = PerRow(kIndexedRows, [&] { systems_.bennu->LoadIndexed(kIndexedRows); });
    const Spent peer = PerRow(kIndexedRows, [&] { systems_.sqlite->LoadIndexed(kIndexedRows); });
    Tell("load_indexed_durable", own, "sqlite", peer);
    Tell("load_indexed_durable", own, "load_durable", load_);
  }

  void CreateAll() {
    Create(IndexKind::kUncovered, ".uncovered");
    Create(IndexKind::kLocal, ".local");
    Create(IndexKind::kCovered, "");
    systems_.bennu->CreateIndex(IndexKind::kCovered);
    systems_.sqlite->CreateIndex(IndexKind::kCovered);
    LookUpByValue();
  }

  template <typename Work>
  static Spent PerRow(int64_t rows, const Work& work) {
    const Stopwatch stopwatch;
    work();
    const Spent spent = stopwatch.Read();
    return {spent.seconds / static_cast<double>(rows),
            spent.cpu_seconds / static_cast<double>(rows)};
  }
  void Tell(const std::string& name, const Spent& own, const std::string& peer,
            const Spent& of_peer) {
    report_->Add({name, 1 / own.seconds, "/s", peer, 1 / of_peer.seconds, own.cpu_seconds * 1e6,
                  of_peer.cpu_seconds * 1e6});
  }

  // Makes the index some times, and takes it away again.
  void Create(IndexKind kind, const std::string& suffix) {
    const std::string name = "create_index" + suffix;
    std::vector<double> own;
    std::vector<double> peer;
    for (int run = 0; run < kRuns; ++run) {
      own.push_back(MillisOf([&] { systems_.bennu->CreateIndex(kind); }));
      systems_.bennu->DropIndex();
      if (!systems_.sqlite->HasKind(kind)) continue;
      peer.push_back(MillisOf([&] { systems_.sqlite->CreateIndex(kind); }));
      systems_.sqlite->DropIndex();
    }
    const double rate = kRows / Median(own) * 1000;
    if (!peer.empty()) {
      report_->Add({name, rate, "/s", "sqlite", kRows / Median(peer) * 1000});
    }
    report_->Add({name, rate, "/s", "load_durable", 1 / load_.seconds});
  }

  void LookUpByValue() {
    constexpr int64_t kLookUps = 20'000;
    const int64_t own_sum = systems_.bennu->LookUpByIndex(kLookUps);
    if (own_sum != systems_.sqlite->LookUpByIndex(kLookUps)) {
      std::cerr << "look_up_by_index: the answers differ\n";
      std::exit(1);
    }
    Compare(
        systems_, "look_up_by_index", kRuns,
        [](SystemUnderTest* system) { system->LookUpByIndex(kLookUps); }, kLookUps, report_);
  }

  // One row each, by turns.
  void LookUpOneRow() {
    constexpr int64_t kLookUps = 100'000;
    systems_.bennu->LoadUnique(kUniqueRows);
    systems_.sqlite->LoadUnique(kUniqueRows);
    const std::pair<const char*, OneRowBy> kWays[] = {
        {"look_up_one.by_key", OneRowBy::kKey},
        {"look_up_one.by_covered_index", OneRowBy::kCoveredIndex},
        {"look_up_one.by_uncovered_index", OneRowBy::kUncoveredIndex}};
    std::vector<double> own[3];
    std::vector<double> peer[3];
    for (int run = 0; run <= kRuns; ++run) {
      for (size_t way = 0; way < std::size(kWays); ++way) {
        const auto look_up = [&](SystemUnderTest* system) {
          return MillisOf([&] { system->LookUpOne(kWays[way].second, kUniqueRows, kLookUps); });
        };
        const double own_millis = look_up(systems_.bennu);
        const double peer_millis = look_up(systems_.sqlite);
        if (run == 0) continue;  // warms up
        own[way].push_back(own_millis);
        peer[way].push_back(peer_millis);
      }
    }
    const auto rate = [](const std::vector<double>& millis) {
      return kLookUps / Median(millis) * 1000;
    };
    for (size_t way = 0; way < std::size(kWays); ++way) {
      report_->Add({kWays[way].first, rate(own[way]), "/s", "sqlite", rate(peer[way])});
      if (way == 0) continue;
      report_->Add({kWays[way].first, rate(own[way]), "/s", "look_up_one.by_key", rate(own[0])});
    }
  }

  const Systems systems_;
  Report* const report_;
  Spent load_;  // of a row
};

}  // namespace
}  // namespace bennu::bench

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::cerr << "usage: index_bench SCRATCH-DIRECTORY RESULTS.json [write|create|look_up]\n";
    return 2;
  }
  const std::string scratch = argv[1];
  std::filesystem::remove_all(scratch);
  std::filesystem::create_directories(scratch);
  bennu::bench::Report report;
  {
    const auto own = bennu::bench::MakeBennu(scratch + "/bennu");
    const auto peer = bennu::bench::MakeSqlite(scratch + "/sqlite");
    bennu::bench::IndexBench({own.get(), peer.get()}, &report).Run(argc > 3 ? argv[3] : "");
  }
  std::filesystem::remove_all(scratch);
  return report.WriteJson(argv[2]) ? 0 : 1;
}
