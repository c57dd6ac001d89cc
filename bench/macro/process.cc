#include "bench/macro/process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>

namespace bennu::bench {

ProcessRun RunProcess(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = vfork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  struct rusage usage = {};
  ProcessRun run;
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return run;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  run.millis = took.count();
  run.resident_mb = static_cast<double>(usage.ru_maxrss) / 1024.0;
  run.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return run;
}

}  // namespace bennu::bench
