// Results of the macro benchmarks: a table for people, JSON for programs.
#ifndef BENNU_BENCH_MACRO_REPORT_H_
#define BENNU_BENCH_MACRO_REPORT_H_

#include <string>
#include <vector>

namespace bennu::bench {

struct Measurement {
  std::string name;
  double value = 0;
  std::string unit;  // "ms": less is better; "/s": more is better
  std::string peer;  // what it is compared with, empty for nothing
  double peer_value = 0;
  // Processor time of one operation on all threads; 0: not measured.
  double cpu_micros = 0;
  double peer_cpu_micros = 0;
};

class Report {
 public:
  void Add(Measurement measurement);
  // How many times better than the peer: above 1 is better, whatever the unit.
  static double Ratio(const Measurement& measurement);
  // Prints all again as a table of Markdown, one line for each benchmark and columns for its peers.
  void PrintTable() const;
  // [{"name","value","unit","peer","peer_value","ratio"}, …], and "cpu_micros" and
  // "peer_cpu_micros" where they were measured; replaces the file.
  bool WriteJson(const std::string& path) const;

 private:
  std::vector<Measurement> measurements_;
};

// The median; the vector must not be empty.
double Median(std::vector<double> values);

}  // namespace bennu::bench

#endif  // BENNU_BENCH_MACRO_REPORT_H_
