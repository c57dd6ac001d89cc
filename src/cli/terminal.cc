#include "src/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace bennu::cli {

namespace {

// A signal handler may do next to nothing: it writes a byte that the watcher thread reads.
std::atomic<int> g_interrupt_pipe{-1};

void OnInterrupt(int) {
  const int fd = g_interrupt_pipe.load();
  const char byte = 'i';
  if (fd >= 0 && write(fd, &byte, 1) < 0) {
    // The pipe is full: an interrupt is under way already.
  }
}

size_t FromEnvironment(const char* name, size_t missing) {
  const char* const text = std::getenv(name);
  const int value = text == nullptr ? 0 : std::atoi(text);
  return value > 0 ? static_cast<size_t>(value) : missing;
}

}  // namespace

bool IsTerminal(int file_descriptor) { return isatty(file_descriptor) == 1; }

size_t TerminalWidth() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return FromEnvironment("COLUMNS", 80);
}

size_t TerminalHeight() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0) return size.ws_row;
  return FromEnvironment("LINES", 24);
}

ProgressLine::ProgressLine(std::function<std::string(double seconds)> text)
    : text_(std::move(text)), start_(std::chrono::steady_clock::now()) {
  if (IsTerminal(STDERR_FILENO)) thread_ = std::thread([this] { Draw(); });
}

ProgressLine::~ProgressLine() { End(); }

void ProgressLine::End() {
  if (!thread_.joinable()) return;
  {
    MutexLock lock(&mu_);
    stop_ = true;
  }
  stopped_.SignalAll();
  thread_.join();
}

void ProgressLine::Draw() {
  static constexpr auto kFirst = std::chrono::milliseconds(1000);
  static constexpr auto kThen = std::chrono::milliseconds(200);
  const auto next_due = [](bool drawn) {
    return std::chrono::steady_clock::now() + (drawn ? kThen : kFirst);
  };
  bool drawn = false;
  auto due = next_due(drawn);
  MutexLock lock(&mu_);
  while (!stop_) {
    const auto now = std::chrono::steady_clock::now();
    if (now < due) {
      stopped_.WaitFor(&mu_, std::chrono::duration_cast<std::chrono::microseconds>(due - now));
      continue;
    }
    const double seconds = std::chrono::duration<double>(now - start_).count();
    // A line that wraps could not be wiped.
    const std::string text = text_(seconds).substr(0, TerminalWidth() - 1);
    std::fprintf(stderr, "\r%s\x1b[K", text.c_str());
    std::fflush(stderr);
    drawn = true;
    due = next_due(drawn);
  }
  if (drawn) std::fputs("\r\x1b[K", stderr);
}

InterruptGuard::InterruptGuard(std::function<void()> action) : action_(std::move(action)) {
  if (pipe(pipe_) != 0) {
    pipe_[0] = pipe_[1] = -1;  // Ctrl-C then ends the process, as without a guard
    previous_ = SIG_DFL;
    return;
  }
  g_interrupt_pipe = pipe_[1];
  previous_ = std::signal(SIGINT, OnInterrupt);
  watcher_ = std::thread([this] {
    char byte;
    while (read(pipe_[0], &byte, 1) == 1 && byte == 'i') action_();
  });
}

InterruptGuard::~InterruptGuard() {
  if (!watcher_.joinable()) return;
  std::signal(SIGINT, previous_);
  g_interrupt_pipe = -1;
  const char byte = 'q';
  if (write(pipe_[1], &byte, 1) == 1) watcher_.join();
  close(pipe_[0]);
  close(pipe_[1]);
}

}  // namespace bennu::cli
