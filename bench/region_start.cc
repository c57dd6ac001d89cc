// How long a store of many regions takes to open, and what it holds in memory while idle.
//
//   region_start make DIRECTORY COUNT   makes a table of COUNT regions with some rows in each
//   region_start open DIRECTORY [RESULTS.json]
//                                       opens it, prints the time and the resident memory, then
//                                       reads every region and prints both again
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "bench/macro/report.h"
#include "bennu/admin.h"
#include "src/base/env.h"
#include "src/engine/open.h"

namespace bennu {
namespace {

void Must(const Status& status) {
  if (status.ok()) return;
  fmt::print(stderr, "{}\n", status.ToString());
  std::exit(1);
}

uint64_t ResidentKilobytes() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("VmRSS:")) return std::strtoull(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}

std::string Key(size_t region, int row) { return fmt::format("{:06}-{}", region, row); }

void Make(const std::string& directory, size_t count) {
  auto engine = engine::OpenEngine(directory);
  Must(engine.status());
  TableDescriptor descriptor;
  descriptor.name.qualifier = "t";
  descriptor.families.resize(1);
  descriptor.families[0].name = "f";
  std::vector<Bytes> borders;
  for (size_t i = 1; i < count; ++i) borders.push_back(Key(i, 0));
  Must((*engine)->admin()->CreateTable(descriptor, borders));
  auto table = (*engine)->OpenTable(descriptor.name);
  Must(table.status());
  MutationBatch batch;
  for (size_t i = 0; i < count; ++i) {
    for (int row = 0; row < 10; ++row) {
      batch.StartRow(Key(i, row));
      batch.Put("f", "q", std::string(100, 'v'));
    }
  }
  Must((*table)->Write(&batch));
  Must((*engine)->Close());
}

void Open(const std::string& directory, bench::Report* report) {
  Env* const env = Env::Default();
  const uint64_t start = env->MonotonicNanos();
  const auto tell = [&](const std::string& what, engine::Engine* engine) {
    const engine::EngineStatus status = engine->GetStatus();
    const double millis = static_cast<double>(env->MonotonicNanos() - start) / 1e6;
    const std::string name = "many_regions_" + what;
    report->Add({name, millis, "ms", "", 0, 0, 0});
    const double kilobytes = static_cast<double>(ResidentKilobytes());
    report->Add({name + "_resident", kilobytes / 1024, "MB", "", 0, 0, 0});
    fmt::print("  {} of {} regions open\n", status.open_regions, status.regions);
  };
  auto engine = engine::OpenEngine(directory);
  Must(engine.status());
  tell("opened", engine->get());
  auto table = (*engine)->OpenTable({"default", "t"});
  Must(table.status());
  auto scanner = (*table)->OpenScanner({});
  Must(scanner.status());
  CellBatch batch;
  size_t rows = 0;
  do {
    Must((*scanner)->Next(1000, &batch));
    rows += batch.row_count();
  } while (batch.row_count() > 0);
  if (rows != 10 * (*table)->regions().size()) Must(Internal(fmt::format("{} rows", rows)));
  tell("read", engine->get());
  scanner->reset();
  Must((*engine)->Close());
}

}  // namespace
}  // namespace bennu

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "make" && argc == 4) {
    bennu::Make(argv[2], std::strtoull(argv[3], nullptr, 10));
  } else if (mode == "open" && (argc == 3 || argc == 4)) {
    bennu::bench::Report report;
    bennu::Open(argv[2], &report);
    if (argc == 4 && !report.WriteJson(argv[3])) return 1;
  } else {
    fmt::print(stderr,
               "usage: region_start make DIRECTORY COUNT | open DIRECTORY [RESULTS.json]\n");
    return 2;
  }
  return 0;
}
