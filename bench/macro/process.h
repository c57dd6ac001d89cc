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

// Standard output goes nowhere. The command is started by a small process of its own (this program
// again, with kMeasureFlag): the memory that the kernel reports would else be that of the
// benchmark.
ProcessRun RunProcess(const std::vector<std::string>& command);

inline constexpr const char* kMeasureFlag = "--measure";
// main() of that process: argv[2] and on are the command.
int MeasureMain(int argc, char** argv);

}  // namespace bennu::bench

#endif  // BENNU_BENCH_MACRO_PROCESS_H_
