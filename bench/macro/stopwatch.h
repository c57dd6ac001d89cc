// How long work took: on the clock, and on the processor over all threads of the process. The
// second is what can be compared on a machine that others use too.
#ifndef BENNU_BENCH_MACRO_STOPWATCH_H_
#define BENNU_BENCH_MACRO_STOPWATCH_H_

#include <sys/resource.h>

#include <chrono>

namespace bennu::bench {

struct Spent {
  double seconds = 0;
  double cpu_seconds = 0;  // user and system, background threads included
};

class Stopwatch {
 public:
  Spent Read() const {
    return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(),
            CpuSeconds() - start_cpu_};
  }

 private:
  static double CpuSeconds() {
    rusage usage;
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const double start_cpu_ = CpuSeconds();
};

}  // namespace bennu::bench

#endif  // BENNU_BENCH_MACRO_STOPWATCH_H_
