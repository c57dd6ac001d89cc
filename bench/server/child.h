// A program started by the benchmark: how long it takes to be ready, its processor time and memory.
#ifndef BENNU_BENCH_SERVER_CHILD_H_
#define BENNU_BENCH_SERVER_CHILD_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace bennu::bench {

class Child {
 public:
  // Starts the command and waits for the first line that it prints. Ends the benchmark when there
  // is none.
  explicit Child(const std::vector<std::string>& command);
  ~Child();  // SIGTERM, and waits
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  const std::string& first_line() const { return first_line_; }
  double millis_to_first_line() const { return millis_to_first_line_; }
  // User and system, all threads, since the start; in steps of the kernel's 10 ms.
  double CpuSeconds() const;
  double ResidentMb() const;
  double ResidentPeakMb() const;

 private:
  double StatusMb(const std::string& name) const;

  pid_t pid_ = -1;
  int output_ = -1;  // stays open, so that the program may go on printing
  std::string first_line_;
  double millis_to_first_line_ = 0;
};

}  // namespace bennu::bench

#endif  // BENNU_BENCH_SERVER_CHILD_H_
