// LineEditor: lines from the terminal, with history and completion, by libedit.
#ifndef BENNU_SRC_CLI_LINE_EDITOR_H_
#define BENNU_SRC_CLI_LINE_EDITOR_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

// libedit's own names, so that its header stays out of this one.
struct editline;
struct history;

namespace bennu::cli {

// A file below the home directory; empty when there is no such directory.
std::string HomeFile(std::string_view name);

// Lines are UTF-8, whatever the user's locale: the process's LC_CTYPE becomes C.UTF-8. One at a
// time in a process; one thread.
class LineEditor {
 public:
  // What the Tab key offers for a word that was begun. 'before' and 'after': the line around it.
  using Candidates = std::function<std::vector<std::string>(
      std::string_view before, std::string_view word, std::string_view after)>;

  // 'history_file' is a name below the home directory; words end at 'separators'.
  LineEditor(std::string_view history_file, std::string_view separators, Candidates candidates);
  ~LineEditor();  // keeps the history
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  enum class Outcome { kLine, kInterrupted, kEnd };
  // Sets *line, without its end, for kLine. A line with bytes that are not UTF-8 is told on
  // standard error and counts as interrupted: nothing of it may run changed.
  Outcome Read(const std::string& prompt, std::string* line);
  void Remember(const std::string& statement);

 private:
  static char* Prompt(editline* edit);
  static unsigned char Complete(editline* edit, int key);

  const std::string separators_;
  const Candidates candidates_;
  editline* edit_;
  struct history* history_;  // histedit.h has a function of that name, too
  std::string history_file_;
  std::string prompt_;
};

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_LINE_EDITOR_H_
