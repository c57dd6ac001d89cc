// Runs a command and tells how long it took and how much memory it had.
#ifndef BENNU_BENCH_MACRO_PROCESS_H_
#define BENNU_BENCH_MACRO_PROCESS_H_

#include <string>
#include <vector>

namespace bennu::bench {

struct ProcessRun {
  double millis = 0;
  double resident_mb = 0;  // at most
  int exit_status = -1;
};

// Standard output goes nowhere.
ProcessRun RunProcess(const std::vector<std::string>& command);

}  // namespace bennu::bench

#endif  // BENNU_BENCH_MACRO_PROCESS_H_
