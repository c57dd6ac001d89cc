// Writers and readers on a cluster that is being hurt, with a record of what was acknowledged kept
// here, outside of it.
//
//   cluster_load TARGET SECONDS SEED
//
// Rows: what is acknowledged is there afterwards, with its value, and each scan, forward or
// backwards, gives it once and in order. Counters: an Increment that is acknowledged is counted
// once, however often it had to be sent. A chain of CheckAndMutate goes up by one with each
// success. Regions are moved, split and merged meanwhile. An operation that fails may have been
// done or not; it is told, and more than a few are a fault, for the time that operations have is
// longer than what the cluster is hurt at a time. Exit status 1 after a fault, which is told.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bennu/admin.h"
#include "src/client/cluster_config.h"
#include "src/client/connect.h"

namespace bennu::peers {
namespace {

constexpr int kWriters = 3;
constexpr int kCounters = 5;
constexpr int kBatchRows = 20;
constexpr uint64_t kFailuresMax = 5;
const TableName kTable{"default", "faults"};

[[noreturn]] void Fault(const std::string& what) {
  fmt::print("FAULT {}\n", what);
  std::fflush(stdout);
  std::_Exit(1);
}

template <typename T>
T Must(Result<T> result, const char* what) {
  if (!result.ok()) Fault(fmt::format("{}: {}", what, result.status().ToString()));
  return std::move(result).value();
}

// Row 'number' of a writer. The digits in front spread the rows of each over all regions.
Bytes KeyOf(int writer, int number) {
  return fmt::format("{:03d}-{}-{:08d}", (number * 7919) % 1000, writer, number);
}
Bytes ValueOf(int writer, int number) {
  return fmt::format("value {} of {} {}", number, writer, std::string(200, 'x'));
}

// Its own time is short, so that a pause is seen.
class Pauses {
 public:
  void Note(std::chrono::steady_clock::time_point begin) {
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - begin)
                            .count();
    int64_t longest = longest_.load();
    while (millis > longest && !longest_.compare_exchange_weak(longest, millis)) {
    }
  }
  int64_t longest() const { return longest_.load(); }

 private:
  std::atomic<int64_t> longest_{0};
};

class Load {
 public:
  Load(client::ClusterConnection* connection, uint64_t seed)
      : connection_(connection),
        seed_(seed),
        table_(Must(connection->OpenTable(kTable), "the table")) {}

  void Run(std::chrono::seconds time) {
    std::vector<std::thread> threads;
    for (int writer = 0; writer < kWriters; ++writer) {
      threads.emplace_back([this, writer] { Write(writer); });
    }
    threads.emplace_back([this] { Count(); });
    threads.emplace_back([this] { Chain(); });
    threads.emplace_back([this] { Get(); });
    threads.emplace_back([this] { Scan(); });
    threads.emplace_back([this] { Change(); });
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      fmt::print("rows {} scans {} changes {} failures {}\n", rows_.load(), scans_.load(),
                 changes_.load(), failures_.load());
      std::fflush(stdout);
    }
    done_ = true;
    for (std::thread& thread : threads) thread.join();
    ScanOnce(false);
    ScanOnce(true);
    CheckCounters();
    if (failures_ > kFailuresMax) Fault(fmt::format("{} operations failed", failures_.load()));
    fmt::print(
        "well: {} rows, {} increments, {} steps, {} gets, {} scans, {} changes of regions; "
        "{} operations failed, the longest took {} ms\n",
        rows_.load(), increments_.load(), steps_.load(), gets_.load(), scans_.load(),
        changes_.load(), failures_.load(), pauses_.longest());
  }

 private:
  // Of an operation that may have been done or not.
  void Failed(const char* what, const Status& status) {
    ++failures_;
    fmt::print("failed: {}: {}\n", what, status.ToString());
  }

  void Write(int writer) {
    MutationBatch batch;
    for (int number = 0; !done_;) {
      batch.Clear();
      for (int i = 0; i < kBatchRows; ++i) {
        batch.StartRow(KeyOf(writer, number + i));
        batch.Put("f", "v", ValueOf(writer, number + i));
      }
      const auto begin = std::chrono::steady_clock::now();
      const Status status = table_->Write(&batch);
      pauses_.Note(begin);
      // The same rows once more: they are the same whether they were written or not.
      if (!status.ok()) {
        Failed("Write", status);
        continue;
      }
      number += kBatchRows;
      rows_ += kBatchRows;
      acknowledged_[writer].store(number, std::memory_order_release);
    }
  }

  void Count() {
    std::mt19937_64 random(seed_);
    while (!done_) {
      const auto counter = static_cast<int>(random() % kCounters);
      const auto begin = std::chrono::steady_clock::now();
      const auto sum = table_->Increment(fmt::format("{}00-counter", counter), "f", "n", 1);
      pauses_.Note(begin);
      if (!sum.ok()) {
        Failed("Increment", sum.status());
        ++uncertain_[counter];
        continue;
      }
      ++increments_;
      ++counted_[counter];
      CheckCounter(counter, *sum);
    }
  }
  void CheckCounter(int counter, int64_t sum) const {
    if (sum < counted_[counter] || sum > counted_[counter] + uncertain_[counter]) {
      Fault(fmt::format("counter {} is {} after {} increments and {} that failed", counter, sum,
                        counted_[counter], uncertain_[counter]));
    }
  }
  void CheckCounters() {
    for (int counter = 0; counter < kCounters; ++counter) {
      const auto sum =
          Must(table_->Increment(fmt::format("{}00-counter", counter), "f", "n", 0), "a counter");
      CheckCounter(counter, sum);
    }
  }

  // Each step is taken on what the one before has left.
  void Chain() {
    const Bytes row = "555-chain";
    int64_t at = 0;
    bool is_certain = true;
    while (!done_) {
      if (!is_certain) {
        const auto value = table_->ReadValue(row, "f", "c");
        if (!value.ok()) {
          Failed("Get", value.status());
          continue;
        }
        const int64_t found = value->has_value() ? std::stoll(**value) : 0;
        if (found != at && found != at + 1)
          Fault(fmt::format("the chain is at {} after {}", found, at));
        at = found;
        is_certain = true;
      }
      Table::Condition condition;
      condition.row = row;
      condition.family = "f";
      condition.qualifier = "c";
      if (at == 0) {
        condition.expect_absent = true;
      } else {
        condition.value = std::to_string(at);
      }
      MutationBatch batch;
      batch.StartRow(row);
      batch.Put("f", "c", std::to_string(at + 1));
      const auto begin = std::chrono::steady_clock::now();
      const auto changed = table_->CheckAndWrite(condition, &batch);
      pauses_.Note(begin);
      if (!changed.ok()) {
        Failed("CheckAndMutate", changed.status());
        is_certain = false;
        continue;
      }
      if (*changed) {
        ++at;
        ++steps_;
        continue;
      }
      // Sent twice, since the first answer was lost: the condition does not hold any more then.
      is_certain = false;
    }
  }

  void Get() {
    std::mt19937_64 random(seed_ + 1);
    while (!done_) {
      const auto writer = static_cast<int>(random() % kWriters);
      const int count = acknowledged_[writer].load(std::memory_order_acquire);
      if (count == 0) continue;
      const auto number = static_cast<int>(random() % static_cast<uint64_t>(count));
      const auto begin = std::chrono::steady_clock::now();
      const auto value = table_->ReadValue(KeyOf(writer, number), "f", "v");
      pauses_.Note(begin);
      if (!value.ok()) {
        Failed("Get", value.status());
        continue;
      }
      if (!value->has_value()) Fault("lost: " + KeyOf(writer, number));
      if (**value != ValueOf(writer, number)) Fault("another value: " + KeyOf(writer, number));
      ++gets_;
    }
  }

  void Scan() {
    for (bool reversed = false; !done_; reversed = !reversed) ScanOnce(reversed);
  }
  void ScanOnce(bool reversed) {
    std::vector<int> counts;
    for (const auto& count : acknowledged_) counts.push_back(count.load(std::memory_order_acquire));
    std::vector<std::vector<bool>> seen;
    for (const int count : counts) seen.emplace_back(static_cast<size_t>(count), false);
    struct Scan scan;
    scan.reversed = reversed;
    scan.max_result_bytes = 64 << 10;  // many calls, so that some are hit
    auto scanner = table_->OpenScanner(scan);
    if (!scanner.ok()) return Failed("Scan", scanner.status());
    Bytes last;
    CellBatch batch;
    while (true) {
      const Status status = (*scanner)->Next(1000, &batch);
      if (!status.ok()) return Failed("Scan", status);
      if (batch.row_count() == 0) break;
      for (size_t i = 0; i < batch.row_count(); ++i) {
        const Bytes row(batch.cells[batch.row_starts[i]].row());
        if (!last.empty() && (reversed ? row >= last : row <= last)) {
          Fault(fmt::format("a scan gives {} after {}", row, last));
        }
        last = row;
        int writer = 0;
        int number = 0;
        if (std::sscanf(row.c_str(), "%*d-%d-%d", &writer, &number) != 2) continue;
        if (number < counts[writer]) seen[writer][number] = true;
      }
    }
    for (int writer = 0; writer < kWriters; ++writer) {
      const auto missing = std::find(seen[writer].begin(), seen[writer].end(), false);
      if (missing != seen[writer].end()) {
        const auto number = static_cast<int>(missing - seen[writer].begin());
        Fault(fmt::format("a scan {} does not give {}", reversed ? "backwards" : "forward",
                          KeyOf(writer, number)));
      }
    }
    ++scans_;
  }

  // A change that the master refuses, because another one goes on, is no matter.
  void Change() {
    std::mt19937_64 random(seed_ + 2);
    Admin* const admin = connection_->admin();
    while (!done_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      const std::vector<RegionInfo> regions = table_->regions();
      if (regions.empty()) continue;
      const size_t at = random() % regions.size();
      Status status;
      switch (random() % 4) {
        case 0: status = admin->SplitTable(kTable, fmt::format("{:03d}", random() % 1000)); break;
        case 1:
          if (at + 1 < regions.size()) {
            status =
                admin->MergeRegions({regions[at].EncodedName(), regions[at + 1].EncodedName()});
          }
          break;
        default:
          status = connection_->control()->MoveRegion(regions[at].EncodedName(), std::nullopt);
      }
      if (status.ok()) {
        ++changes_;
      } else {
        fmt::print("refused: {}\n", status.ToString());
      }
    }
  }

  client::ClusterConnection* const connection_;
  const uint64_t seed_;
  const std::shared_ptr<Table> table_;
  std::atomic<bool> done_{false};
  std::atomic<int> acknowledged_[kWriters] = {};  // rows of a writer: all below
  int64_t counted_[kCounters] = {};               // the thread's that counts
  int64_t uncertain_[kCounters] = {};
  std::atomic<uint64_t> rows_{0}, increments_{0}, steps_{0}, gets_{0}, scans_{0}, changes_{0};
  std::atomic<uint64_t> failures_{0};
  Pauses pauses_;
};

int Main(const std::string& target, int seconds, uint64_t seed) {
  std::map<std::string, std::string> properties = {{"hbase.rpc.timeout", "10000"},
                                                   {"hbase.client.operation.timeout", "120000"},
                                                   {"hbase.client.retries.number", "100"}};
  client::ClientOptions options =
      Must(client::ReadClusterOptions({target, "", properties}), "the target");
  options.user = "load";
  auto connection = Must(client::Connect(options), "the cluster");
  TableDescriptor table;
  table.name = kTable;
  table.families.emplace_back().name = "f";
  const Status made = connection->admin()->CreateTable(table, {"250", "500", "750"});
  if (!made.ok()) Fault("CreateTable: " + made.ToString());
  Load(connection.get(), seed).Run(std::chrono::seconds(seconds));
  return 0;
}

}  // namespace
}  // namespace bennu::peers

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: cluster_load TARGET SECONDS SEED\n");
    return 2;
  }
  return bennu::peers::Main(argv[1], std::atoi(argv[2]), std::strtoull(argv[3], nullptr, 10));
}
