// The macro benchmark of the storage engine: fill, read, scan and compact, beside RocksDB on the
// same keys and values in the same run. See docs/benchmarks.md for what each line means.
//
//   store_bench SCRATCH-DIRECTORY RESULTS.json [--quick] [--rows N] [--values BYTES,…]
//               [--systems NAME,…] [--only TEXT,…] [--keep] [--reuse]
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <sstream>
#include <thread>
#include <vector>

#include "bench/macro/key_value_data.h"
#include "bench/macro/key_value_system.h"
#include "bench/macro/report.h"
#include "bench/macro/stopwatch.h"

namespace bennu::bench {

namespace {

constexpr uint64_t kReads = 200'000;
constexpr double kRunSecondsMax = 2;  // a run of reads or synced writes that is slow ends early
constexpr uint64_t kSyncedWrites = 4'000;
constexpr uint64_t kSeekRows = 10;
constexpr uint64_t kRowsShare2Threads =
    5;  // the fill by two threads is of so many times fewer rows
constexpr int kRuns = 3;
constexpr uint64_t kWritesPerSecondBeside = 20'000;  // of the writer beside the readers

struct BenchOptions {
  std::string scratch;
  std::string results;
  uint64_t rows = 5'000'000;
  std::vector<size_t> value_bytes = {100, 1000};
  std::vector<std::string> systems = {"bennu", "rocksdb", "rocksdb-64k"};
  std::vector<std::string> only;  // parts of names of measurements; empty: all
  bool keep = false;              // leave the stores there
  bool reuse = false;             // they are there already: leave out filling and compacting
};

std::unique_ptr<KeyValueSystem> Make(const std::string& name, const KeyValueOptions& options) {
  if (name == "bennu") return MakeBennuKeyValue(options, /*mapped=*/false);
  if (name == "bennu-mmap") return MakeBennuKeyValue(options, /*mapped=*/true);
  if (name == "rocksdb") return MakeRocksDb(options, 0);
  if (name == "rocksdb-64k") return MakeRocksDb(options, 64 << 10);
  std::cerr << "store_bench: no system is called " << name << "\n";
  std::exit(2);
}

// Runs 'work' on so many threads at once, each with its own number.
void OnThreads(int threads, const std::function<void(int)>& work) {
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
  work(0);
  for (std::thread& other : others) other.join();
}

[[noreturn]] void Wrong(const KeyValueSystem& system, const std::string& what) {
  std::cerr << system.name() << ": " << what << "\n";
  std::exit(1);
}

class StoreBench {
 public:
  StoreBench(const BenchOptions& options, size_t value_bytes, Report* report)
      : options_(options),
        scratch_(options.scratch + "/" + std::to_string(value_bytes)),
        values_(value_bytes),
        data_bytes_(options.rows * (value_bytes + 16)),
        suffix_("." + std::to_string(value_bytes) + "_bytes"),
        report_(report) {}

  void Run() {
    if (!options_.reuse) {
      Fill("fill_sequential", SequentialKey, options_.rows, 1);
      Fill("fill_sequential_2_threads", SequentialKey, options_.rows / kRowsShare2Threads, 2);
      Fill("fill_random_2_threads", ScatteredKey, options_.rows / kRowsShare2Threads, 2);
      Fill("fill_random", ScatteredKey, options_.rows, 1);  // the stores of what follows
    }
    OpenAll(data_bytes_ * 4);
    if (!options_.reuse) {
      Measure("compact", 1, [&](KeyValueSystem* system) {
        system->Compact();
        return options_.rows;
      });
    }
    Reads("");
    for (const int threads : {1, 2, 16}) SyncedWrites(threads);
    OpenAll(data_bytes_ / 8);
    Reads(".small_cache");
    systems_.clear();
    if (!options_.keep && !options_.reuse) std::filesystem::remove_all(scratch_);
  }

 private:
  // One operation, the n-th of a thread.
  using Operation = std::function<void(KeyValueSystem*, int thread, uint64_t n)>;

  std::string Directory(const std::string& system) const { return scratch_ + "/" + system; }

  bool Wanted(const std::string& name) const {
    const std::string whole = name + suffix_;
    return options_.only.empty() ||
           std::any_of(options_.only.begin(), options_.only.end(), [&](const std::string& part) {
             return whole.find(part) != std::string::npos;
           });
  }

  void OpenAll(uint64_t cache_bytes) {
    systems_.clear();
    for (const std::string& name : options_.systems) {
      systems_.push_back(Make(name, {Directory(name), cache_bytes}));
    }
  }

  // Each system fills a fresh store; what was there before is removed.
  void Fill(const std::string& name, std::string (*key)(uint64_t), uint64_t rows, int threads) {
    if (!Wanted(name) && name != "fill_random") return;
    std::vector<Spent> spent;
    for (const std::string& system_name : options_.systems) {
      std::filesystem::remove_all(Directory(system_name));
      std::filesystem::create_directories(scratch_);
      const auto system = Make(system_name, {Directory(system_name), data_bytes_});
      const Stopwatch stopwatch;
      OnThreads(threads, [&](int thread) {
        for (uint64_t i = static_cast<uint64_t>(thread); i < rows; i += threads) {
          system->Put(key(i), values_.Of(i), /*sync=*/false);
        }
      });
      Spent fill = stopwatch.Read();
      system->Flush();
      fill.cpu_seconds = stopwatch.Read().cpu_seconds;  // with what the fill has left to do
      spent.push_back(fill);
    }
    const std::vector<double> counts(spent.size(), static_cast<double>(rows));
    Tell(name, counts, spent);
  }

  // 'work' by turns on each system, which returns how much it has done.
  void Measure(const std::string& name, int runs,
               const std::function<uint64_t(KeyValueSystem*)>& work) {
    if (!Wanted(name)) return;
    std::vector<std::vector<double>> seconds(systems_.size());  // per thing done
    std::vector<std::vector<double>> cpu_seconds(systems_.size());
    for (int run = 0; run < runs; ++run) {
      for (size_t i = 0; i < systems_.size(); ++i) {
        const Stopwatch stopwatch;
        const auto count = static_cast<double>(work(systems_[i].get()));
        const Spent spent = stopwatch.Read();
        seconds[i].push_back(spent.seconds / count);
        cpu_seconds[i].push_back(spent.cpu_seconds / count);
      }
    }
    std::vector<Spent> medians;
    for (size_t i = 0; i < systems_.size(); ++i) {
      medians.push_back({Median(seconds[i]), Median(cpu_seconds[i])});
    }
    Tell(name, std::vector<double>(systems_.size(), 1), medians);
  }

  // Up to 'count' operations on each thread.
  void MeasureOperations(const std::string& name, int threads, uint64_t count,
                         const Operation& operation) {
    Measure(name, kRuns, [&](KeyValueSystem* system) {
      std::atomic<uint64_t> done = 0;
      OnThreads(threads, [&](int thread) { done += Repeat(system, thread, count, operation); });
      return done.load();
    });
  }

  static uint64_t Repeat(KeyValueSystem* system, int thread, uint64_t count,
                         const Operation& operation) {
    constexpr uint64_t kBetweenLooks = 64;
    const auto end =
        std::chrono::steady_clock::now() + std::chrono::duration<double>(kRunSecondsMax);
    for (uint64_t n = 0; n < count; ++n) {
      if (n % kBetweenLooks == 0 && std::chrono::steady_clock::now() > end) return n;
      operation(system, thread, n);
    }
    return count;
  }

  void Tell(const std::string& name, const std::vector<double>& counts,
            const std::vector<Spent>& spent) {
    Measurement measurement;
    measurement.name = name + suffix_;
    measurement.unit = "/s";
    measurement.value = counts[0] / spent[0].seconds;
    measurement.cpu_micros = spent[0].cpu_seconds / counts[0] * 1e6;
    if (spent.size() == 1) report_->Add(measurement);
    for (size_t peer = 1; peer < spent.size(); ++peer) {
      measurement.peer = options_.systems[peer];
      measurement.peer_value = counts[peer] / spent[peer].seconds;
      measurement.peer_cpu_micros = spent[peer].cpu_seconds / counts[peer] * 1e6;
      report_->Add(measurement);
    }
  }

  void GetOne(KeyValueSystem* system, int thread, uint64_t n, bool hit) const {
    thread_local std::string value;
    const uint64_t number = Mix(n * 31 + static_cast<uint64_t>(thread)) % options_.rows;
    const bool found = system->Get(ScatteredKey(hit ? number : number + options_.rows), &value);
    if (found != hit) Wrong(*system, "a key is not as it should be");
    if (hit && value != values_.Of(number)) Wrong(*system, "a value is wrong");
  }

  void Reads(const std::string& state) {
    if (Wanted("get_hit" + state) || Wanted("get_miss" + state) ||
        Wanted("seek_and_next_10" + state)) {
      for (const auto& system : systems_) system->ScanAll();  // warms up
    }
    for (const int threads : {1, 2}) {
      const std::string with = (threads == 1 ? "" : "_2_threads") + state;
      for (const bool hit : {true, false}) {
        MeasureOperations((hit ? "get_hit" : "get_miss") + with, threads, kReads,
                          [&](KeyValueSystem* system, int thread, uint64_t n) {
                            GetOne(system, thread, n, hit);
                          });
      }
      MeasureOperations("seek_and_next_10" + with, threads, kReads / 4,
                        [&](KeyValueSystem* system, int thread, uint64_t n) {
                          const uint64_t number = Mix(n * 37 + static_cast<uint64_t>(thread));
                          system->Seek(ScatteredKey(number % options_.rows), kSeekRows);
                        });
      Measure("scan" + with, kRuns, [&](KeyValueSystem* system) {
        OnThreads(threads, [&](int) {
          if (system->ScanAll() < options_.rows) Wrong(*system, "rows are missing");
        });
        return options_.rows * static_cast<uint64_t>(threads);
      });
    }
    for (const int threads : {1, 2}) ReadWhileWriting(threads, state);
  }

  // So many readers, and a writer that overwrites rows at a fixed rate.
  void ReadWhileWriting(int threads, const std::string& state) {
    const std::string with = (threads == 1 ? "" : "_2_threads") + state;
    Measure("get_hit_while_writing" + with, kRuns, [&](KeyValueSystem* system) {
      std::atomic<bool> stop = false;
      std::thread writer([&] {
        const auto start = std::chrono::steady_clock::now();
        for (uint64_t n = 0; !stop; ++n) {
          const uint64_t number = Mix(n) % options_.rows;
          system->Put(ScatteredKey(number), values_.Of(number), /*sync=*/false);
          if (n % 100 == 99) {
            std::this_thread::sleep_until(
                start + std::chrono::microseconds(n * 1'000'000 / kWritesPerSecondBeside));
          }
        }
      });
      std::atomic<uint64_t> done = 0;
      OnThreads(threads, [&](int thread) {
        done += Repeat(system, thread, kReads, [&](KeyValueSystem* each, int on, uint64_t n) {
          GetOne(each, on, n, /*hit=*/true);
        });
      });
      stop = true;
      writer.join();
      return done.load();
    });
  }

  void SyncedWrites(int threads) {
    MeasureOperations("write_synced_" + std::to_string(threads) + "_threads", threads,
                      kSyncedWrites / static_cast<uint64_t>(threads),
                      [&](KeyValueSystem* system, int thread, uint64_t n) {
                        const uint64_t number =
                            n * static_cast<uint64_t>(threads) + static_cast<uint64_t>(thread);
                        system->Put(ScatteredKey(number), values_.Of(number), /*sync=*/true);
                      });
  }

  const BenchOptions& options_;
  const std::string scratch_;
  const Values values_;
  const uint64_t data_bytes_;
  const std::string suffix_;
  Report* const report_;
  std::vector<std::unique_ptr<KeyValueSystem>> systems_;
};

std::vector<std::string> Split(const std::string& list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

[[noreturn]] void Usage() {
  std::cerr
      << "usage: store_bench SCRATCH-DIRECTORY RESULTS.json [options]\n"
         "  --quick            200,000 rows: a first look, in about a minute\n"
         "  --rows N           how many rows (5,000,000)\n"
         "  --values BYTES,…   sizes of values (100,1000)\n"
         "  --systems NAME,…   of bennu, bennu-mmap, rocksdb, rocksdb-64k; the first is compared "
         "with the others\n"
         "  --only TEXT,…      measurements whose names have one of these parts\n"
         "  --keep             leave the stores in the scratch directory\n"
         "  --reuse            read the stores that such a run left there with --keep\n";
  std::exit(2);
}

BenchOptions ParseOptions(int argc, char** argv) {
  BenchOptions options;
  std::vector<std::string> places;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) Usage();
      return argv[++i];
    };
    if (argument == "--quick") {
      options.rows = 200'000;
    } else if (argument == "--rows") {
      options.rows = std::strtoull(value().c_str(), nullptr, 10);
    } else if (argument == "--values") {
      options.value_bytes.clear();
      for (const std::string& size : Split(value())) {
        options.value_bytes.push_back(std::strtoull(size.c_str(), nullptr, 10));
      }
    } else if (argument == "--systems") {
      options.systems = Split(value());
    } else if (argument == "--only") {
      options.only = Split(value());
    } else if (argument == "--keep") {
      options.keep = true;
    } else if (argument == "--reuse") {
      options.reuse = true;
    } else if (argument.starts_with("-")) {
      Usage();
    } else {
      places.push_back(argument);
    }
  }
  if (places.size() != 2 || options.rows == 0 || options.systems.empty()) Usage();
  options.scratch = places[0];
  options.results = places[1];
  return options;
}

}  // namespace
}  // namespace bennu::bench

int main(int argc, char** argv) {
  const bennu::bench::BenchOptions options = bennu::bench::ParseOptions(argc, argv);
  bennu::bench::Report report;
  for (const size_t value_bytes : options.value_bytes) {
    bennu::bench::StoreBench(options, value_bytes, &report).Run();
  }
  report.PrintTable();
  return report.WriteJson(options.results) ? 0 : 1;
}
