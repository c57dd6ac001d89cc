// The macro benchmark of the storage engine: fill, read, scan and compact, beside RocksDB on the
// same keys and values in the same run. See docs/benchmarks.md for what each line means.
//
//   store_bench SCRATCH-DIRECTORY RESULTS.json [ROWS]
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iostream>
#include <thread>
#include <vector>

#include "bench/macro/data.h"
#include "bench/macro/key_value_system.h"
#include "bench/macro/report.h"

namespace bennu::bench {

namespace {

constexpr uint64_t kDefaultRows = 5'000'000;
constexpr uint64_t kReads = 200'000;
constexpr uint64_t kSyncedWrites = 4'000;
constexpr int kRuns = 3;
constexpr uint64_t kWritesPerSecondBeside = 20'000;  // of the writer beside the readers

// Keys of 16 bytes: the number, scattered for random order and as it is for sequential order.
std::string Key(uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(number));
  return std::string(text, 16);
}
std::string ScatteredKey(uint64_t number) { return Key(Mix(number)); }

// Values that do not compress; a different stretch of one random text for each number.
class Values {
 public:
  explicit Values(size_t size) : size_(size), text_(1 << 20, '\0') {
    for (size_t i = 0; i + 8 <= text_.size(); i += 8) {
      const uint64_t random = Mix(i);
      std::memcpy(text_.data() + i, &random, 8);
    }
  }
  std::string_view Of(uint64_t number) const {
    return std::string_view(text_).substr(Mix(number) % (text_.size() - size_), size_);
  }

 private:
  const size_t size_;
  std::string text_;
};

double SecondsOf(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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
  StoreBench(std::string scratch, uint64_t rows, size_t value_bytes, Report* report)
      : scratch_(std::move(scratch)),
        rows_(rows),
        values_(value_bytes),
        suffix_("." + std::to_string(value_bytes) + "_bytes"),
        report_(report) {}

  void Run() {
    const uint64_t data_bytes = rows_ * (values_.Of(0).size() + 16);
    Fill("fill_sequential", Key, 1, data_bytes);
    Fill("fill_random_2_threads", ScatteredKey, 2, data_bytes);
    Fill("fill_random", ScatteredKey, 1, data_bytes);  // the store of what follows
    OpenAll(data_bytes * 4);
    Measure("compact", 1, rows_, [](KeyValueSystem* system) { system->Compact(); });
    Reads("");
    for (const int threads : {1, 2, 16}) SyncedWrites(threads);
    OpenAll(data_bytes / 8);
    Reads(".small_cache");
    systems_.clear();
    std::filesystem::remove_all(scratch_);
  }

 private:
  static constexpr int kSystems = 3;
  static std::unique_ptr<KeyValueSystem> Make(int which, const KeyValueOptions& options) {
    return which == 0 ? MakeBennuKeyValue(options)
                      : MakeRocksDb(options, which == 1 ? 0 : 64 << 10);
  }

  void OpenAll(uint64_t cache_bytes) {
    systems_.clear();
    for (int which = 0; which < kSystems; ++which) {
      systems_.push_back(Make(which, {Directory(which), cache_bytes}));
    }
  }
  std::string Directory(int which) const { return scratch_ + "/" + std::to_string(which); }

  // Each system fills a fresh store; what was there before is removed.
  void Fill(const std::string& name, std::string (*key)(uint64_t), int threads,
            uint64_t cache_bytes) {
    std::vector<double> seconds;
    std::vector<std::string> names;
    for (int which = 0; which < kSystems; ++which) {
      std::filesystem::remove_all(Directory(which));
      std::filesystem::create_directories(scratch_);
      const auto system = Make(which, {Directory(which), cache_bytes});
      names.push_back(system->name());
      seconds.push_back(SecondsOf([&] {
        OnThreads(threads, [&](int thread) {
          for (uint64_t i = static_cast<uint64_t>(thread); i < rows_; i += threads) {
            system->Put(key(i), values_.Of(i), /*sync=*/false);
          }
        });
      }));
      system->Flush();
    }
    Tell(name, static_cast<double>(rows_), seconds, names);
  }

  // 'work' by turns on each system; 'count' is what one run of it handles.
  void Measure(const std::string& name, int runs, uint64_t count,
               const std::function<void(KeyValueSystem*)>& work) {
    std::vector<std::vector<double>> seconds(kSystems);
    for (int run = 0; run < runs; ++run) {
      for (int which = 0; which < kSystems; ++which) {
        seconds[which].push_back(SecondsOf([&] { work(systems_[which].get()); }));
      }
    }
    std::vector<double> medians;
    std::vector<std::string> names;
    for (int which = 0; which < kSystems; ++which) {
      medians.push_back(Median(seconds[which]));
      names.push_back(systems_[which]->name());
    }
    Tell(name, static_cast<double>(count), medians, names);
  }

  void Tell(const std::string& name, double count, const std::vector<double>& seconds,
            const std::vector<std::string>& names) {
    for (int peer = 1; peer < kSystems; ++peer) {
      report_->Add({name + suffix_, count / seconds[0], "/s", names[peer], count / seconds[peer]});
    }
  }

  void Gets(KeyValueSystem* system, int thread, bool hit) const {
    std::string value;
    for (uint64_t n = 0; n < kReads; ++n) {
      const uint64_t number = Mix(n * 31 + static_cast<uint64_t>(thread)) % rows_;
      const bool found = system->Get(ScatteredKey(hit ? number : number + rows_), &value);
      if (found != hit) Wrong(*system, "a key is not as it should be");
      if (hit && value != values_.Of(number)) Wrong(*system, "a value is wrong");
    }
  }

  void Reads(const std::string& state) {
    for (const auto& system : systems_) Gets(system.get(), 0, true);  // warms up
    for (const int threads : {1, 2}) {
      const std::string with = threads == 1 ? state : "_2_threads" + state;
      for (const bool hit : {true, false}) {
        Measure((hit ? "get_hit" : "get_miss") + with, kRuns, kReads * threads,
                [&](KeyValueSystem* system) {
                  OnThreads(threads, [&](int thread) { Gets(system, thread, hit); });
                });
      }
    }
    Measure("seek_and_next_10" + state, kRuns, kReads / 4, [&](KeyValueSystem* system) {
      uint64_t bytes = 0;
      for (uint64_t n = 0; n < kReads / 4; ++n) {
        bytes += system->Seek(ScatteredKey(Mix(n) % rows_), 10);
      }
      if (bytes == 0) Wrong(*system, "nothing was found");
    });
    Measure("scan" + state, kRuns, rows_, [&](KeyValueSystem* system) {
      if (system->ScanAll() < rows_) Wrong(*system, "rows are missing");
    });
    ReadWhileWriting(state);
  }

  // One reader, and a writer that overwrites rows at a fixed rate.
  void ReadWhileWriting(const std::string& state) {
    Measure("get_hit_while_writing" + state, kRuns, kReads, [&](KeyValueSystem* system) {
      std::atomic<bool> stop = false;
      std::thread writer([&] {
        const auto start = std::chrono::steady_clock::now();
        for (uint64_t n = 0; !stop; ++n) {
          const uint64_t number = Mix(n) % rows_;
          system->Put(ScatteredKey(number), values_.Of(number), /*sync=*/false);
          if (n % 100 == 99) {
            std::this_thread::sleep_until(
                start + std::chrono::microseconds(n * 1'000'000 / kWritesPerSecondBeside));
          }
        }
      });
      Gets(system, 0, true);
      stop = true;
      writer.join();
    });
  }

  void SyncedWrites(int threads) {
    Measure("write_synced_" + std::to_string(threads) + "_threads", kRuns, kSyncedWrites,
            [&](KeyValueSystem* system) {
              OnThreads(threads, [&](int thread) {
                for (uint64_t i = static_cast<uint64_t>(thread); i < kSyncedWrites; i += threads) {
                  system->Put(ScatteredKey(i), values_.Of(i), /*sync=*/true);
                }
              });
            });
  }

  const std::string scratch_;
  const uint64_t rows_;
  const Values values_;
  const std::string suffix_;
  Report* const report_;
  std::vector<std::unique_ptr<KeyValueSystem>> systems_;
};

}  // namespace
}  // namespace bennu::bench

int main(int argc, char** argv) {
  using bennu::bench::StoreBench;
  if (argc != 3 && argc != 4) {
    std::cerr << "usage: store_bench SCRATCH-DIRECTORY RESULTS.json [ROWS]\n";
    return 2;
  }
  const std::string scratch = argv[1];
  const uint64_t rows =
      argc == 4 ? std::strtoull(argv[3], nullptr, 10) : bennu::bench::kDefaultRows;
  bennu::bench::Report report;
  for (const size_t value_bytes : {100, 1000}) {
    StoreBench(scratch, rows, value_bytes, &report).Run();
  }
  return report.WriteJson(argv[2]) ? 0 : 1;
}
