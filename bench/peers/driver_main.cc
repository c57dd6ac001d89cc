// Bennu or SQLite, driven by lines on standard input; each is answered by one line.
//
//   peer_driver bennu|sqlite DIRECTORY
//
// The commands are those of peers_bench.py, "Driver".
#include <algorithm>
#include <fstream>
#include <iostream>

#include "bench/macro/stopwatch.h"
#include "bench/peers/driver.h"

namespace bennu::bench {

namespace {

TextRow Split(const std::string& line) {
  TextRow fields(1);
  for (const char c : line) {
    if (c == '\t') {
      fields.emplace_back();
    } else {
      fields.back().push_back(c);
    }
  }
  return fields;
}

// The next 'count' rows of a file, fewer at its end.
std::vector<TextRow> ReadRows(std::ifstream* file, size_t count) {
  std::vector<TextRow> rows;
  std::string line;
  while (rows.size() < count && std::getline(*file, line)) rows.push_back(Split(line));
  return rows;
}

std::ifstream OpenFile(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    std::cerr << "peer_driver: cannot read " << path << "\n";
    std::exit(1);
  }
  return file;
}

// load SQL TYPES FILE ROWS-A-COMMIT: rows, seconds, seconds of the processor. Reading the file is
// not part of the time.
void Load(Driver* driver, const TextRow& command) {
  const auto statement = driver->Prepare(command[1], command[2]);
  std::ifstream file = OpenFile(command[3]);
  const size_t batch = std::stoul(command[4]);
  Spent spent;
  size_t count = 0;
  driver->Begin();
  while (true) {
    const std::vector<TextRow> rows = ReadRows(&file, batch);
    if (rows.empty()) break;
    statement->Prepare(rows);
    const Stopwatch watch;
    int64_t sum = 0;
    for (size_t i = 0; i < rows.size(); ++i) statement->Execute(i, &sum);
    driver->Commit();
    const Spent of_batch = watch.Read();
    spent.seconds += of_batch.seconds;
    spent.cpu_seconds += of_batch.cpu_seconds;
    count += rows.size();
  }
  driver->End();
  std::cout << "ok\t" << count << "\t" << spent.seconds << "\t" << spent.cpu_seconds << "\n";
}

// each SQL TYPES FILE COUNT: rows, sum, microseconds of the median, of the 99th percentile, of the
// processor on average. A quarter of the statements is run before, to warm up.
void Each(Driver* driver, const TextRow& command) {
  const auto statement = driver->Prepare(command[1], command[2]);
  std::ifstream file = OpenFile(command[3]);
  const std::vector<TextRow> keys = ReadRows(&file, std::stoul(command[4]));
  statement->Prepare(keys);
  int64_t sum = 0;
  for (size_t i = 0; i < keys.size() / 4; ++i) statement->Execute(i, &sum);
  sum = 0;
  int64_t rows = 0;
  std::vector<double> micros;
  micros.reserve(keys.size());
  const Stopwatch all;
  auto before = std::chrono::steady_clock::now();
  for (size_t i = 0; i < keys.size(); ++i) {
    rows += statement->Execute(i, &sum);
    const auto after = std::chrono::steady_clock::now();
    micros.push_back(std::chrono::duration<double, std::micro>(after - before).count());
    before = after;
  }
  const double cpu = all.Read().cpu_seconds / static_cast<double>(keys.size()) * 1e6;
  std::sort(micros.begin(), micros.end());
  std::cout << "ok\t" << rows << "\t" << sum << "\t" << micros[micros.size() / 2] << "\t"
            << micros[micros.size() * 99 / 100] << "\t" << cpu << "\n";
}

// answer SQL FILE: the rows into the file.
void Answer(Driver* driver, const TextRow& command) {
  std::ofstream file(command[2]);
  const int64_t rows = driver->Query(command[1], [&](const TextRow& row) {
    for (size_t i = 0; i < row.size(); ++i) file << (i > 0 ? "\t" : "") << row[i];
    file << "\n";
  });
  std::cout << "ok\t" << rows << "\n";
}

void Obey(Driver* driver, const TextRow& command) {
  if (command[0] == "load") {
    Load(driver, command);
  } else if (command[0] == "each") {
    Each(driver, command);
  } else if (command[0] == "answer") {
    Answer(driver, command);
  } else if (command[0] == "run") {
    const Stopwatch watch;
    const int64_t rows = driver->Query(command[1], nullptr);
    const Spent spent = watch.Read();
    std::cout << "ok\t" << rows << "\t" << spent.seconds << "\t" << spent.cpu_seconds << "\n";
  } else if (command[0] == "execute") {
    driver->Execute(command[1]);
    std::cout << "ok\n";
  } else if (command[0] == "settle") {
    driver->Settle();
    std::cout << "ok\n";
  } else {
    std::cout << "error\tno such command: " << command[0] << "\n";
  }
  std::cout.flush();
}

}  // namespace
}  // namespace bennu::bench

int main(int argc, char** argv) {
  const std::string system = argc == 3 ? argv[1] : "";
  if (system != "bennu" && system != "sqlite") {
    std::cerr << "usage: peer_driver bennu|sqlite DIRECTORY\n";
    return 2;
  }
  const auto driver =
      system == "bennu" ? bennu::bench::DriveBennu(argv[2]) : bennu::bench::DriveSqlite(argv[2]);
  std::string line;
  while (std::getline(std::cin, line)) {
    bennu::bench::Obey(driver.get(), bennu::bench::Split(line));
  }
  return 0;
}
