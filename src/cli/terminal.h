// What the commands ask of the terminal: is there one, how wide, a progress line.
#ifndef BENNU_SRC_CLI_TERMINAL_H_
#define BENNU_SRC_CLI_TERMINAL_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "src/base/mutex.h"

namespace bennu::cli {

bool IsTerminal(int file_descriptor);

// Columns of the terminal on standard output: as it says itself, or as COLUMNS does, or else 80.
size_t TerminalWidth();
// Lines, likewise, with LINES, or else 24.
size_t TerminalHeight();

// Draws one line on standard error, again and again, while something takes long; wipes it when
// destroyed. Draws nothing when standard error is no terminal or the work is done within a second.
class ProgressLine {
 public:
  // 'text' is called on a thread of its own; it gets the seconds since the start.
  explicit ProgressLine(std::function<std::string(double seconds)> text);
  ~ProgressLine();
  // Wipes the line and draws no more, to make room for what is printed from now on.
  void End();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  void Draw();

  const std::function<std::string(double)> text_;
  const std::chrono::steady_clock::time_point start_;
  Mutex mu_;
  CondVar stopped_;
  bool stop_ GUARDED_BY(mu_) = false;
  std::thread thread_;
};

// While it lives, Ctrl-C calls 'action' (on a thread of its own) instead of ending the process.
// One at a time in a process.
class InterruptGuard {
 public:
  explicit InterruptGuard(std::function<void()> action);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  std::function<void()> action_;
  int pipe_[2];
  std::thread watcher_;
  void (*previous_)(int);
};

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_TERMINAL_H_
