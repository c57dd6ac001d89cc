#include "src/cli/shell.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "src/cli/completion.h"
#include "src/cli/line_editor.h"
#include "src/cli/result_printer.h"
#include "src/cli/shell_commands.h"
#include "src/cli/terminal.h"
#include "src/sql/parse/splitter.h"

namespace bennu::cli {

namespace {

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
        editor_(".bennu_history", " \t,()=<>+-*/|;",
                [this](std::string_view word, char /*before*/) {
                  return completion_.Candidates(word);
                }) {}

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
