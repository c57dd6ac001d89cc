#include "src/cli/password_prompt.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

namespace bennu::cli {

namespace {

// A line from the descriptor, byte by byte, so that what follows it stays for others.
bool ReadLine(int file, std::string* line) {
  char c = 0;
  bool any = false;
  while (::read(file, &c, 1) == 1) {
    any = true;
    if (c == '\n') break;
    line->push_back(c);
  }
  if (!line->empty() && line->back() == '\r') line->pop_back();
  return any;
}

// The terminal, without an echo as long as this lives.
class QuietTerminal {
 public:
  QuietTerminal() : file_(::open("/dev/tty", O_RDWR | O_CLOEXEC)) {
    if (file_ < 0 || tcgetattr(file_, &before_) != 0) return;
    termios quiet = before_;
    quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    quiet_ = tcsetattr(file_, TCSAFLUSH, &quiet) == 0;
  }
  ~QuietTerminal() {
    if (quiet_) tcsetattr(file_, TCSAFLUSH, &before_);
    if (file_ >= 0) ::close(file_);
  }
  QuietTerminal(const QuietTerminal&) = delete;
  QuietTerminal& operator=(const QuietTerminal&) = delete;

  bool ok() const { return quiet_; }
  int file() const { return file_; }
  void Write(std::string_view text) const {
    if (::write(file_, text.data(), text.size()) < 0) return;  // nobody sees it, then
  }

 private:
  const int file_;
  termios before_ = {};
  bool quiet_ = false;
};

}  // namespace

Result<std::string> AskPassword(const std::string& prompt) {
  const QuietTerminal terminal;
  if (!terminal.ok()) return FailedPrecondition("there is no terminal to ask for a password on");
  terminal.Write(prompt);
  std::string password;
  const bool read = ReadLine(terminal.file(), &password);
  terminal.Write("\n");
  if (!read) return InvalidArgument("no password was given");
  return password;
}

Result<std::string> ReadPasswordLine() {
  std::string password;
  if (!ReadLine(STDIN_FILENO, &password)) {
    return InvalidArgument("standard input is empty; its first line is to be the password");
  }
  return password;
}

}  // namespace bennu::cli
