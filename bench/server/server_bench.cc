// The benchmark of `bennu serve`: calls of HBase's RPC over loopback, and beside each of them the
// same bytes with a server that only echoes. See docs/benchmarks.md for what each line means.
//
//   server_bench BENNU SCRATCH-DIRECTORY RESULTS.json [--quick] [--seconds S] [--only NAME,…]
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/macro/must.h"
#include "bench/macro/report.h"
#include "bench/server/child.h"
#include "bench/server/echo.h"
#include "bench/server/load.h"
#include "bench/server/requests.h"
#include "bennu/admin.h"
#include "bennu/table.h"
#include "src/client/connect.h"
#include "src/rpc/greeting.h"

namespace bennu::bench {

namespace {

constexpr double kMicros = 1e6;

struct Options {
  std::string bennu;
  std::string scratch;
  std::string results;
  int rounds = 3;
  double seconds = 1.5;  // of one measurement at most
  std::string only;      // names, with commas around each; empty: all
  size_t idle_connections = 10'000;
  std::string self;
};

// What is measured in one line.
struct Workload {
  std::string name;
  size_t connections = 1;
  size_t depth = 1;
  double rows = 1;         // of a call; times are of one row
  double goal_micros = 0;  // of processor time above the echo; 0: none
  size_t answer_min = 0;   // bytes of an answer, so that one that found nothing is noticed
  NextFrame next;
};

struct Line {
  std::string name;
  double per_second = 0, p50 = 0, p99 = 0;            // rows; microseconds of a call
  double cpu = 0, echo_per_second = 0, echo_cpu = 0;  // microseconds of a row
  double goal = 0;
};

uint16_t PortOf(const std::string& ready) {
  const std::string name = "regionserver=127.0.0.1:";
  const size_t found = ready.find(name);
  return found == std::string::npos
             ? uint16_t{0}
             : static_cast<uint16_t>(std::stoi(ready.substr(found + name.size())));
}

class ServerBench {
 public:
  ServerBench(const Options& options, Report* report) : options_(options), report_(report) {
    std::filesystem::remove_all(options_.scratch);
    std::filesystem::create_directories(options_.scratch);
    std::ofstream(options_.scratch + "/os.xml")
        << "<configuration><property><name>hbase.wal.hsync</name><value>false</value></property>"
           "</configuration>\n";
  }

  void Run() {
    Start({});
    Load();
    Stop();
    MeasureStart();
    Start({});
    const double idle_mb = server_->ResidentMb();
    MeasureReads();
    MeasureWrites("");
    Memory("resident_idle", idle_mb);
    Memory("resident_after_load", server_->ResidentMb());
    Memory("resident_peak", server_->ResidentPeakMb());
    Stop();
    // As HBase by default: a write is acknowledged when the operating system has it.
    Start({"--config", options_.scratch + "/os.xml"});
    MeasureWrites(".os");
    Stop();
    MeasureIdle();
    PrintTable();
    std::filesystem::remove_all(options_.scratch);
  }

 private:
  void Start(const std::vector<std::string>& more) {
    std::vector<std::string> command = {options_.bennu,
                                        "serve",
                                        options_.scratch + "/store",
                                        "--zk-port",
                                        "none",
                                        "--master-port",
                                        "0",
                                        "--rs-port",
                                        "0",
                                        "--http-port",
                                        "none"};
    command.insert(command.end(), more.begin(), more.end());
    server_ = std::make_unique<Child>(command);
    port_ = PortOf(server_->first_line());
  }
  void Stop() { server_.reset(); }

  std::unique_ptr<Connection> ConnectClient() const {
    client::ClientOptions client;
    client.registry = {{"localhost", port_}};
    client.user = "bench";
    return Take(client::Connect(client));
  }

  // The rows, in one file, and the region's name.
  void Load() {
    const auto client = ConnectClient();
    TableDescriptor descriptor;
    descriptor.name = Take(TableName::Parse("bench"));
    ColumnFamilyDescriptor family;
    family.name = Requests::kFamily;
    descriptor.families.push_back(family);
    Check(client->admin()->CreateTable(descriptor, {}));
    const auto table = Take(client->OpenTable(descriptor.name));
    MutationBatch batch;
    for (uint64_t row = 0; row < Requests::kRows; ++row) {
      batch.StartRow(Requests::RowKey("row", row));
      batch.Put(Requests::kFamily, Requests::kQualifier, Requests::Value(row));
      constexpr size_t kRowsPerWrite = 1000;
      if (batch.row_count() < kRowsPerWrite && row + 1 < Requests::kRows) continue;
      Check(table->Write(&batch));
      batch.Clear();
    }
    Check(client->admin()->Flush(descriptor.name));
    Check(client->admin()->Compact(descriptor.name, /*major=*/true));
    requests_ = std::make_unique<Requests>(table->regions().front().RegionName());
  }

  bool Wanted(const std::string& name) const {
    return options_.only.empty() || options_.only.find("," + name + ",") != std::string::npos;
  }

  void MeasureStart() {
    if (!Wanted("start")) return;
    std::vector<double> millis;
    constexpr int kStarts = 9;
    for (int i = 0; i < kStarts; ++i) {
      Start({});
      millis.push_back(server_->millis_to_first_line());
      Stop();
    }
    report_->Add({"start_to_ready", Median(millis), "ms", "", 0});
  }

  void Memory(const std::string& name, double mb) { report_->Add({name, mb, "MB", "", 0}); }

  void MeasureReads() {
    const size_t one = Requests::kValueBytes;
    Measure({"get", 1, 1, 1, 8, one, requests_->Gets()});
    Measure({"get", 4, 1, 1, 8, one, requests_->Gets()});
    Measure({"get", 32, 8, 1, 8, one, requests_->Gets()});
    Measure({"multi_get_100", 1, 1, 100, 3, 100 * one, requests_->MultiGets(100)});
    Measure({"multi_get_100", 4, 1, 100, 3, 100 * one, requests_->MultiGets(100)});
    Measure({"scan_100", 1, 1, 100, 0.9, 100 * one, requests_->Scans(100)});
    Measure({"scan_1000", 1, 1, 1000, 0.9, 1000 * one, requests_->Scans(1000)});
  }

  void MeasureWrites(const std::string& mode) {
    const size_t value = Requests::kValueBytes;
    constexpr size_t kShort = 100;
    Measure({"put" + mode, 1, 1, 1, 12, 0, requests_->Puts(value)});
    Measure({"put" + mode, 4, 1, 1, 12, 0, requests_->Puts(value)});
    Measure({"put" + mode, 32, 32, 1, 12, 0, requests_->Puts(value)});
    Measure({"put_short" + mode, 32, 32, 1, 12, 0, requests_->Puts(kShort)});
    Measure({"increment" + mode, 1, 1, 1, 12, 0, requests_->Increments()});
    Measure({"increment" + mode, 16, 1, 1, 12, 0, requests_->Increments()});
    Measure({"check_and_put" + mode, 1, 1, 1, 15, 0, requests_->ChecksAndPuts()});
    Measure({"check_and_put" + mode, 16, 1, 1, 15, 0, requests_->ChecksAndPuts()});
    Measure({"bulk_put_100" + mode, 2, 1, 100, 6, 0, requests_->BulkPuts(100)});
  }

  // Flushes and compactions that earlier lines have caused are not part of the next one.
  void AwaitQuiet() const {
    constexpr int kStepsMax = 300;
    constexpr double kQuietSeconds =
        0.011;  // of processor time in a step: the clock ticks by 10 ms
    double before = server_->CpuSeconds();
    for (int step = 0; step < kStepsMax; ++step) {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      const double now = server_->CpuSeconds();
      if (now - before < kQuietSeconds) return;
      before = now;
    }
  }

  // Server and echo take turns.
  void Measure(Workload workload) {
    if (!Wanted(workload.name)) return;
    LoadOptions load;
    load.connections = workload.connections;
    load.depth = workload.depth;
    load.calls = 2'000'000;
    load.seconds_max = options_.seconds;
    std::vector<double> per_second, p50, p99, cpu, echo_per_second, echo_cpu;
    std::optional<Child> echo;
    for (int round = 0; round <= options_.rounds; ++round) {
      load.port = port_;
      load.greeting = rpc::Greeting("bench", "ClientService");
      AwaitQuiet();
      const double before = server_->CpuSeconds();
      const LoadResult result = RunLoad(load, workload.next);
      const double used = server_->CpuSeconds() - before;
      const double rows = static_cast<double>(result.calls) * workload.rows;
      const size_t answer = result.response_bytes / std::max<uint64_t>(result.calls, 1);
      if (answer < workload.answer_min) {
        fmt::print(stderr, "{}: answers of {} bytes hold too little\n", workload.name, answer);
        std::exit(1);
      }
      if (!echo) {
        echo.emplace(std::vector<std::string>{options_.self, kEchoFlag, std::to_string(answer)});
        continue;  // the first round warms up
      }
      per_second.push_back(rows / result.seconds);
      p50.push_back(result.p50_micros);
      p99.push_back(result.p99_micros);
      cpu.push_back(used / rows * kMicros);
      load.port = static_cast<uint16_t>(std::stoi(echo->first_line()));
      load.greeting.clear();
      const double echo_before = echo->CpuSeconds();
      const LoadResult echoed = RunLoad(load, workload.next);
      const double echo_rows = static_cast<double>(echoed.calls) * workload.rows;
      echo_per_second.push_back(echo_rows / echoed.seconds);
      echo_cpu.push_back((echo->CpuSeconds() - echo_before) / echo_rows * kMicros);
    }
    Line line;
    line.name = fmt::format("{}.{}x{}", workload.name, workload.connections, workload.depth);
    line.per_second = Median(per_second);
    line.p50 = Median(p50);
    line.p99 = Median(p99);
    line.cpu = Median(cpu);
    line.echo_per_second = Median(echo_per_second);
    line.echo_cpu = Median(echo_cpu);
    line.goal = workload.goal_micros;
    report_->Add(
        {line.name, line.per_second, "/s", "echo", line.echo_per_second, line.cpu, line.echo_cpu});
    lines_.push_back(std::move(line));
  }

  // On a server of its own: what idle connections cost, each of which has had an answer.
  void MeasureIdle() {
    if (!Wanted("idle_connections")) return;
    Start({});
    LoadOptions load;
    load.port = port_;
    load.greeting = rpc::Greeting("bench", "ClientService");
    load.connections = 1;
    const NextFrame gets = requests_->Gets();
    { const IdleConnections warm(load, gets); }
    const double before = server_->ResidentMb();
    load.connections = options_.idle_connections;
    const IdleConnections idle(load, gets);
    report_->Add({fmt::format("idle_connections_{}", load.connections),
                  server_->ResidentMb() - before, "MB", "", 0});
    Stop();
  }

  void PrintTable() const {
    fmt::print(
        "\n| name | rows/s | p50 of a call | p99 | server's processor time | echo's | above the "
        "echo "
        "| goal |\n|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for (const Line& line : lines_) {
      fmt::print(
          "| `{}` | {:.0f} | {:.0f} µs | {:.0f} µs | {:.2f} µs | {:.2f} µs | {:.2f} µs | {} |\n",
          line.name, line.per_second, line.p50, line.p99, line.cpu, line.echo_cpu,
          line.cpu - line.echo_cpu, line.goal);
    }
  }

  const Options options_;
  Report* const report_;
  std::unique_ptr<Child> server_;
  uint16_t port_ = 0;
  std::unique_ptr<Requests> requests_;
  std::vector<Line> lines_;
};

// Thousands of connections are thousands of files, here and in the server.
void AllowFiles(Options* options) {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  constexpr rlim_t kOthers = 200;
  if (limit.rlim_cur < options->idle_connections + kOthers) {
    options->idle_connections = limit.rlim_cur - kOthers;
  }
}

int Main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 2 && arguments[0] == kEchoFlag) {
    return EchoMain(std::stoul(arguments[1]));
  }
  if (arguments.size() < 3) {
    fmt::print(stderr,
               "usage: server_bench BENNU SCRATCH-DIRECTORY RESULTS.json [--quick] [--seconds S] "
               "[--only NAME,…]\n");
    return 2;
  }
  Options options;
  options.bennu = std::filesystem::absolute(arguments[0]);
  options.scratch = arguments[1];
  options.results = arguments[2];
  options.self = std::filesystem::read_symlink("/proc/self/exe");
  for (size_t i = 3; i < arguments.size(); ++i) {
    if (arguments[i] == "--quick") {
      options.rounds = 1;
      options.seconds = 0.3;
    } else if (arguments[i] == "--seconds" && i + 1 < arguments.size()) {
      options.seconds = std::stod(arguments[++i]);
    } else if (arguments[i] == "--only" && i + 1 < arguments.size()) {
      options.only = "," + arguments[++i] + ",";
    } else {
      fmt::print(stderr, "unknown argument {}\n", arguments[i]);
      return 2;
    }
  }
  AllowFiles(&options);
  Report report;
  ServerBench(options, &report).Run();
  return report.WriteJson(options.results) ? 0 : 1;
}

}  // namespace

}  // namespace bennu::bench

int main(int argc, char** argv) { return bennu::bench::Main(argc, argv); }
