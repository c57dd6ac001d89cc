#include "bench/macro/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace bennu::bench {

namespace {

std::string Rounded(double value, const std::string& unit) {
  return value >= 100 ? fmt::format("{:.0f}{}", value, unit) : fmt::format("{:.3g}{}", value, unit);
}

}  // namespace

void Report::Add(Measurement measurement) {
  if (measurements_.empty()) {
    fmt::print("{:<44} {:>14} {:>6}  {:<11} {:>14} {:>8}\n", "benchmark", "bennu", "", "peer", "",
               "ratio");
  }
  fmt::print("{:<44} {:>14.3f} {:>6}", measurement.name, measurement.value, measurement.unit);
  if (!measurement.peer.empty()) {
    fmt::print("  {:<11} {:>14.3f} {:>7.2f}x", measurement.peer, measurement.peer_value,
               Ratio(measurement));
  }
  if (measurement.cpu_micros > 0) {
    fmt::print("  cpu {:>9.3f} us", measurement.cpu_micros);
    if (measurement.peer_cpu_micros > 0) {
      fmt::print(" {:>9.3f} us {:>7.2f}x", measurement.peer_cpu_micros,
                 measurement.peer_cpu_micros / measurement.cpu_micros);
    }
  }
  fmt::print("\n");
  std::fflush(stdout);
  measurements_.push_back(std::move(measurement));
}

double Report::Ratio(const Measurement& measurement) {
  if (measurement.peer.empty() || measurement.value == 0 || measurement.peer_value == 0) return 0;
  const bool more_is_better = measurement.unit.ends_with("/s");
  return more_is_better ? measurement.value / measurement.peer_value
                        : measurement.peer_value / measurement.value;
}

void Report::PrintTable() const {
  std::vector<std::string> peers;
  for (const Measurement& m : measurements_) {
    if (!m.peer.empty() && std::find(peers.begin(), peers.end(), m.peer) == peers.end()) {
      peers.push_back(m.peer);
    }
  }
  fmt::print("\n| name | Bennu |");
  for (const std::string& peer : peers) fmt::print(" {} | ratio | ratio of processor time |", peer);
  fmt::print("\n|---|--:|");
  for (size_t i = 0; i < peers.size(); ++i) fmt::print("--:|--:|--:|");
  // The peers of one benchmark stand one after the other, in the same order.
  const std::string* name = nullptr;
  for (const Measurement& m : measurements_) {
    if (name == nullptr || *name != m.name) {
      fmt::print("\n| `{}` | {} |", m.name, Rounded(m.value, m.unit));
    }
    name = &m.name;
    if (m.peer.empty()) continue;
    fmt::print(" {} | {:.2f} |", Rounded(m.peer_value, m.unit), Ratio(m));
    if (m.cpu_micros > 0 && m.peer_cpu_micros > 0) {
      fmt::print(" {:.2f} |", m.peer_cpu_micros / m.cpu_micros);
    } else {
      fmt::print(" |");
    }
  }
  fmt::print("\n");
}

bool Report::WriteJson(const std::string& path) const {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  fmt::print(file, "[");
  for (size_t i = 0; i < measurements_.size(); ++i) {
    const Measurement& m = measurements_[i];
    fmt::print(file,
               "{}\n  {{\"name\": \"{}\", \"value\": {:.6g}, \"unit\": \"{}\", \"peer\": \"{}\", "
               "\"peer_value\": {:.6g}, \"ratio\": {:.4g}",
               i == 0 ? "" : ",", m.name, m.value, m.unit, m.peer, m.peer_value, Ratio(m));
    if (m.cpu_micros > 0) {
      fmt::print(file, ", \"cpu_micros\": {:.4g}, \"peer_cpu_micros\": {:.4g}", m.cpu_micros,
                 m.peer_cpu_micros);
    }
    fmt::print(file, "}}");
  }
  fmt::print(file, "\n]\n");
  return std::fclose(file) == 0;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace bennu::bench
