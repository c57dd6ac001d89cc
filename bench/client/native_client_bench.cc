// The native client against a cluster; native_bench.py runs it beside HBase's Java client, whose
// program (JavaClient.java) does the same.
//
//   native_client_bench HOST:PORT ROWS ROUNDS THREADS
//
// One answer a line: workload, rows a second, microseconds of this process for a row; medians of
// ROUNDS rounds after one that warms both sides up. Then the most memory that the process had.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bennu/admin.h"
#include "src/client/connect.h"

namespace {

using bennu::Bytes;

constexpr int kColumns = 5;
constexpr size_t kValueBytes = 100;
constexpr int kBatchRows = 1000;

template <typename T>
T Must(bennu::Result<T> result) {
  if (result.ok()) return std::move(result).value();
  std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
  std::exit(1);
}
void Must(const bennu::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

rusage Usage() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage;
}

double ProcessorSeconds() {
  const rusage usage = Usage();
  return Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
}

Bytes KeyOf(int row) { return fmt::format("{:08}", row); }

class Bench {
 public:
  Bench(bennu::Table* table, int rows, int rounds, int threads)
      : table_(table), rows_(rows), rounds_(rounds), threads_(threads) {}

  void Run(const char* name, const std::function<void(int thread)>& work) {
    std::vector<double> per_second;
    std::vector<double> micros;
    for (int round = 0; round <= rounds_; ++round) {
      const double processor = ProcessorSeconds();
      const auto begin = std::chrono::steady_clock::now();
      std::vector<std::thread> threads;
      for (int thread = 0; thread < threads_; ++thread) threads.emplace_back(work, thread);
      for (std::thread& thread : threads) thread.join();
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
      if (round == 0) continue;
      per_second.push_back(rows_ / time.count());
      micros.push_back((ProcessorSeconds() - processor) / rows_ * 1e6);
    }
    std::sort(per_second.begin(), per_second.end());
    std::sort(micros.begin(), micros.end());
    fmt::print("workload {} {:.0f} {:.2f}\n", name, per_second[per_second.size() / 2],
               micros[micros.size() / 2]);
    std::fflush(stdout);
  }

  int first(int thread) const { return rows_ / threads_ * thread; }
  int last(int thread) const { return thread + 1 == threads_ ? rows_ : first(thread + 1); }

  void Put(int thread) {
    std::mt19937_64 random(static_cast<uint64_t>(thread));
    bennu::MutationBatch batch;
    Bytes value(kValueBytes, '\0');
    for (int row = first(thread); row < last(thread);) {
      batch.Clear();
      for (int i = 0; i < kBatchRows && row < last(thread); ++i, ++row) {
        batch.StartRow(KeyOf(row));
        for (int column = 0; column < kColumns; ++column) {
          for (char& byte : value) byte = static_cast<char>(random());
          batch.Put("f", std::string(1, static_cast<char>('a' + column)), value);
        }
      }
      Must(table_->Write(&batch));
    }
  }
  void Get(int thread) {
    std::mt19937_64 random(static_cast<uint64_t>(thread));
    for (int i = first(thread); i < last(thread); ++i) {
      bennu::Get get;
      get.row = KeyOf(static_cast<int>(random() % static_cast<uint64_t>(rows_)));
      if (Must(table_->GetRow(get)).cells.size() != kColumns) Must(bennu::Internal("a row"));
    }
  }
  // Each thread a part of the table, row by row.
  void Scan(int thread) {
    bennu::Scan scan;
    scan.range.start = KeyOf(first(thread));
    scan.range.stop = KeyOf(last(thread));
    const auto scanner = Must(table_->OpenScanner(scan));
    bennu::CellBatch batch;
    int rows = 0;
    size_t bytes = 0;
    while (true) {
      Must(scanner->Next(1000, &batch));
      if (batch.row_count() == 0) break;
      rows += static_cast<int>(batch.row_count());
      for (const bennu::Cell& cell : batch.cells) bytes += cell.value_view().size();
    }
    const bool all = rows == last(thread) - first(thread) &&
                     bytes == static_cast<size_t>(rows) * kColumns * kValueBytes;
    if (!all) Must(bennu::Internal(fmt::format("{} rows, {} bytes", rows, bytes)));
  }

 private:
  bennu::Table* const table_;
  const int rows_;
  const int rounds_;
  const int threads_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "native_client_bench HOST:PORT ROWS ROUNDS THREADS\n");
    return 2;
  }
  const int rows = std::atoi(argv[2]);
  bennu::client::ClientOptions options;
  options.registry = Must(bennu::client::ParseAddresses(argv[1]));
  options.user = "bench";
  const auto connection = Must(bennu::client::Connect(options));
  bennu::TableDescriptor descriptor;
  descriptor.name = {"default", "bench_native"};
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  Must(connection->admin()->CreateTable(descriptor,
                                        {KeyOf(rows / 4), KeyOf(rows / 2), KeyOf(rows / 4 * 3)}));
  const auto table = Must(connection->OpenTable(descriptor.name));
  Bench bench(table.get(), rows, std::atoi(argv[3]), std::atoi(argv[4]));
  bench.Run("put", [&](int thread) { bench.Put(thread); });
  bench.Run("get", [&](int thread) { bench.Get(thread); });
  bench.Run("scan", [&](int thread) { bench.Scan(thread); });
  fmt::print("peak {:.1f}\n", static_cast<double>(Usage().ru_maxrss) / 1024);
  return 0;
}
