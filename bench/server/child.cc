#include "bench/server/child.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace bennu::bench {

Child::Child(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const auto start = std::chrono::steady_clock::now();
  pid_ = vfork();
  if (pid_ == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(ends[1]);
  output_ = ends[0];
  char byte;
  while (read(output_, &byte, 1) == 1 && byte != '\n') first_line_.push_back(byte);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  millis_to_first_line_ = took.count();
  if (first_line_.empty()) {
    fmt::print(stderr, "{} did not start\n", command[0]);
    std::exit(1);
  }
}

Child::~Child() {
  kill(pid_, SIGTERM);
  int status = 0;
  waitpid(pid_, &status, 0);
  close(output_);
}

double Child::CpuSeconds() const {
  std::ifstream file(fmt::format("/proc/{}/stat", pid_));
  std::string line;
  std::getline(file, line);
  // Behind the name, which stands in parentheses, user and system time are the 12th and 13th.
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  constexpr int kBefore = 11;
  std::string skipped;
  for (int i = 0; i < kBefore; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double Child::StatusMb(const std::string& name) const {
  std::ifstream file(fmt::format("/proc/{}/status", pid_));
  for (std::string line; std::getline(file, line);) {
    constexpr double kKbPerMb = 1024;
    if (line.starts_with(name + ":")) return std::stod(line.substr(name.size() + 1)) / kKbPerMb;
  }
  return 0;
}

double Child::ResidentMb() const { return StatusMb("VmRSS"); }
double Child::ResidentPeakMb() const { return StatusMb("VmHWM"); }

}  // namespace bennu::bench
