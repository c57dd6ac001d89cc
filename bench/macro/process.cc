#include "bench/macro/process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace bennu::bench {

namespace {

ProcessRun RunHere(const std::vector<char*>& arguments) {
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

}  // namespace

int MeasureMain(int argc, char** argv) {
  std::vector<char*> arguments(argv + 2, argv + argc);
  arguments.push_back(nullptr);
  const ProcessRun run = RunHere(arguments);
  std::printf("%.3f %.3f %d\n", run.millis, run.resident_mb, run.exit_status);
  return 0;
}

ProcessRun RunProcess(const std::vector<std::string>& command) {
  std::string line = "/proc/self/exe";
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
  if (length > 0) line.assign(self, static_cast<size_t>(length));
  line += " " + std::string(kMeasureFlag);
  for (const std::string& word : command) {
    line += " '";
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += "'";
  }
  ProcessRun run;
  std::FILE* const output = popen(line.c_str(), "r");
  if (output == nullptr) return run;
  if (std::fscanf(output, "%lf %lf %d", &run.millis, &run.resident_mb, &run.exit_status) != 3) {
    run.exit_status = -1;
  }
  pclose(output);
  return run;
}

}  // namespace bennu::bench
