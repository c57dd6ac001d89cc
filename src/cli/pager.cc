#include "src/cli/pager.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

namespace bennu::cli {

namespace {

bool IsProgram(std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    return access(std::string(name).c_str(), X_OK) == 0;
  }
  const char* const path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "" : path;
  while (!folders.empty()) {
    const size_t end = std::min(folders.find(':'), folders.size());
    const std::string file = std::string(folders.substr(0, end)) + "/" + std::string(name);
    if (access(file.c_str(), X_OK) == 0) return true;
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return false;
}

}  // namespace

std::string PagerCommand() {
  const char* command = std::getenv("BENNU_PAGER");
  if (command == nullptr) command = std::getenv("PAGER");
  if (command == nullptr) command = "less";
  const std::string_view text = command;
  return IsProgram(text.substr(0, text.find(' '))) ? std::string(text) : std::string();
}

Pager::Pager(const std::string& command)
    : previous_(std::signal(SIGPIPE, SIG_IGN)), input_([&command] {
        // Colours pass, long lines are not wrapped but moved sideways, the screen stays at the end.
        setenv("LESS", "RSX", /*overwrite=*/0);
        return popen(command.c_str(), "w");
      }()) {}

Pager::~Pager() {
  if (input_ != nullptr) pclose(input_);
  std::signal(SIGPIPE, previous_);
}

}  // namespace bennu::cli
