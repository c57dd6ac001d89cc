#include "src/cli/shell.h"

#include <fmt/format.h>
#include <histedit.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "src/cli/completion.h"
#include "src/cli/result_printer.h"
#include "src/cli/shell_commands.h"
#include "src/cli/terminal.h"
#include "src/sql/parse/splitter.h"

namespace bennu::cli {

namespace {

constexpr int kHistoryEntries = 5000;

std::string HomeFile(const char* name) {
  const char* home = std::getenv("HOME");
  return home == nullptr ? std::string() : std::string(home) + "/" + name;
}

void IgnoreInterrupt(int) {}  // only wakes the read

// Lines from the terminal, with history and completion, by libedit.
class LineEditor {
 public:
  explicit LineEditor(Completion* completion) : completion_(completion) {
    edit_ = el_init("bennu", stdin, stdout, stderr);
    history_ = history_init();
    HistEvent event;
    history(history_, &event, H_SETSIZE, kHistoryEntries);
    history(history_, &event, H_SETUNIQUE, 1);
    history_file_ = HomeFile(".bennu_history");
    if (!history_file_.empty()) history(history_, &event, H_LOAD, history_file_.c_str());
    el_set(edit_, EL_CLIENTDATA, this);
    el_set(edit_, EL_PROMPT, &LineEditor::Prompt);
    el_set(edit_, EL_EDITOR, "emacs");
    el_set(edit_, EL_HIST, history, history_);
    el_set(edit_, EL_ADDFN, "bennu-complete", "complete a word", &LineEditor::Complete);
    el_set(edit_, EL_BIND, "^I", "bennu-complete", nullptr);
    el_set(edit_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_source(edit_, nullptr);  // ~/.editrc
  }
  ~LineEditor() {
    HistEvent event;
    if (!history_file_.empty()) history(history_, &event, H_SAVE, history_file_.c_str());
    history_end(history_);
    el_end(edit_);
  }
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  enum class Outcome { kLine, kInterrupted, kEnd };
  Outcome Read(const std::string& prompt, std::string* line) {
    prompt_ = prompt;
    struct sigaction wake = {};
    struct sigaction previous = {};
    wake.sa_handler = IgnoreInterrupt;  // without SA_RESTART, so that the read returns
    sigaction(SIGINT, &wake, &previous);
    int length = 0;
    errno = 0;
    const char* text = el_gets(edit_, &length);
    const int error = errno;
    sigaction(SIGINT, &previous, nullptr);
    if (text == nullptr) {
      if (error == EINTR) {
        el_reset(edit_);
        return Outcome::kInterrupted;
      }
      return Outcome::kEnd;
    }
    line->assign(text, static_cast<size_t>(length));
    while (!line->empty() && (line->back() == '\n' || line->back() == '\r')) line->pop_back();
    return Outcome::kLine;
  }

  void Remember(const std::string& statement) {
    HistEvent event;
    history(history_, &event, H_ENTER, statement.c_str());
  }

 private:
  static char* Prompt(EditLine* edit) {
    LineEditor* self = nullptr;
    el_get(edit, EL_CLIENTDATA, &self);
    return self->prompt_.data();
  }

  static unsigned char Complete(EditLine* edit, int) {
    LineEditor* self = nullptr;
    el_get(edit, EL_CLIENTDATA, &self);
    const LineInfo* info = el_line(edit);
    const std::string_view before(info->buffer, static_cast<size_t>(info->cursor - info->buffer));
    const size_t start = before.find_last_of(" \t,()=<>+-*/|;") + 1;
    const std::string_view word = before.substr(start);
    const std::vector<std::string> candidates = self->completion_->Candidates(word);
    if (candidates.empty()) return CC_ERROR;
    std::string common = Completion::CommonPrefix(candidates);
    if (candidates.size() == 1) common += " ";
    if (common.size() > word.size()) {
      el_deletestr(edit, static_cast<int>(word.size()));
      el_insertstr(edit, common.c_str());
      return CC_REFRESH;
    }
    constexpr size_t kShown = 60;
    std::fputc('\n', stdout);
    for (size_t i = 0; i < candidates.size() && i < kShown; ++i) {
      fmt::print("{}  ", candidates[i]);
    }
    if (candidates.size() > kShown) fmt::print("… {} more", candidates.size() - kShown);
    std::fputc('\n', stdout);
    return CC_REDISPLAY;
  }

  Completion* const completion_;
  EditLine* edit_;
  History* history_;
  std::string history_file_;
  std::string prompt_;
};

bool IsDefinition(std::string_view statement) {
  const size_t start = statement.find_first_not_of(" \t\n(");
  if (start == std::string_view::npos) return false;
  const char first = static_cast<char>(std::toupper(static_cast<unsigned char>(statement[start])));
  return first == 'C' || first == 'D' || first == 'A';  // CREATE, DROP, ALTER
}

// The entered line once more, in colours, over the plain one. Lines that wrapped are left alone.
void Recolour(const std::string& prompt, const std::string& line) {
  if (DisplayWidth(prompt) + DisplayWidth(line) >= TerminalWidth()) return;
  fmt::print("\x1b[1A\r{}{}\x1b[K\n", prompt, ColourSql(line));
}

class Shell {
 public:
  Shell(SqlConnection* connection, ResultPrinter* printer, StatementRunner* runner)
      : runner_(runner),
        commands_(connection, printer, runner),
        completion_(connection),
        editor_(&completion_) {}

  void Loop() {
    const bool colours = std::getenv("NO_COLOR") == nullptr;
    bool go_on = RunRcFile();
    while (go_on) {
      const std::string prompt = splitter_.at_start() ? "bennu> " : "  ...> ";
      std::string line;
      switch (editor_.Read(prompt, &line)) {
        case LineEditor::Outcome::kEnd: std::fputc('\n', stdout); return;
        case LineEditor::Outcome::kInterrupted:
          std::fputc('\n', stdout);
          splitter_.Clear();
          break;
        case LineEditor::Outcome::kLine:
          if (colours && !ShellCommands::IsCommand(line)) Recolour(prompt, line);
          if (!line.empty()) editor_.Remember(line);
          go_on = Take(line);
      }
    }
  }

 private:
  bool Take(const std::string& line) {
    if (splitter_.at_start() && ShellCommands::IsCommand(line)) return commands_.Run(line);
    for (const auto& statement : splitter_.AddLine(line)) {
      (void)runner_->Run(statement.text, 0);
      if (IsDefinition(statement.text)) completion_.Invalidate();
    }
    return true;
  }

  bool RunRcFile() {
    const std::string path = HomeFile(".bennurc");
    std::ifstream file(path);
    std::string line;
    while (!path.empty() && std::getline(file, line)) {
      if (!Take(line)) return false;
    }
    splitter_.Clear();
    return true;
  }

  StatementRunner* const runner_;
  sql::parse::StatementSplitter splitter_;
  ShellCommands commands_;
  Completion completion_;
  LineEditor editor_;
};

}  // namespace

ExitCode RunShell(const std::string& directory, SqlConnection* connection, ResultPrinter* printer,
                  StatementRunner* runner) {
  fmt::print("Bennu on {}. !help for help, !quit to leave.\n", directory);
  std::fflush(stdout);
  Shell shell(connection, printer, runner);
  shell.Loop();
  return kExitOk;
}

}  // namespace bennu::cli
