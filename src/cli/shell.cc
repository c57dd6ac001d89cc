#include "src/cli/shell.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "src/cli/completion.h"
#include "src/cli/line_editor.h"
#include "src/cli/script.h"
#include "src/cli/terminal.h"
#include "src/sql/parse/one_line.h"
#include "src/sql/parse/splitter.h"

namespace bennu::cli {

namespace {

bool IsDefinition(std::string_view statement) {
  const size_t start = statement.find_first_not_of(" \t\n(");
  if (start == std::string_view::npos) return false;
  const char first = static_cast<char>(std::toupper(static_cast<unsigned char>(statement[start])));
  return first == 'C' || first == 'D' || first == 'A';  // CREATE, DROP, ALTER
}

// The entered line once more, in colours, over the plain one. Lines that wrapped are left alone,
// and entries of several lines.
void Recolour(const std::string& prompt, const std::string& line) {
  if (line.find('\n') != std::string::npos) return;
  if (DisplayWidth(prompt) + DisplayWidth(line) >= TerminalWidth()) return;
  fmt::print("\x1b[1A\r{}{}\x1b[K\n", prompt, ColourSql(line));
}

class Shell {
 public:
  Shell(SqlConnection* connection, ShellCommands* commands, StatementRunner* runner)
      : connection_(connection),
        runner_(runner),
        commands_(commands),
        completion_(connection),
        editor_(".bennu_history", " \t,()=<>+-*/|;",
                [this](std::string_view before, std::string_view word, std::string_view after) {
                  return completion_.Candidates(entered_ + std::string(before), word, after);
                }) {}

  void Loop() {
    const bool colours = std::getenv("NO_COLOR") == nullptr;
    bool go_on = RunRcFile();
    while (go_on || !MayLeave()) {
      const std::string prompt = splitter_.at_start() ? "bennu> " : "  ...> ";
      std::string line;
      switch (editor_.Read(prompt, &line)) {
        case LineEditor::Outcome::kEnd:
          std::fputc('\n', stdout);
          go_on = false;
          break;
        case LineEditor::Outcome::kInterrupted:
          std::fputc('\n', stdout);
          Remember();
          splitter_.Clear();
          go_on = true;
          break;
        case LineEditor::Outcome::kLine:
          if (colours && !ShellCommands::IsCommand(line)) Recolour(prompt, line);
          go_on = Take(line);
      }
    }
  }

 private:
  // False: the shell is to end.
  bool Take(const std::string& line) {
    if (splitter_.at_start() && ShellCommands::IsCommand(line)) {
      editor_.Remember(line);
      return commands_->Run(line) != ShellCommands::Outcome::kQuit;
    }
    entered_ += line + "\n";
    const auto statements = Split(line);
    if (splitter_.at_start()) Remember();
    for (const auto& statement : statements) {
      (void)runner_->Run(statement.text, 0);
      if (IsDefinition(statement.text)) completion_.Invalidate();
    }
    return true;
  }

  // An entry of the history may hold the line ends of its texts.
  std::vector<sql::parse::ScriptStatement> Split(std::string_view entry) {
    std::vector<sql::parse::ScriptStatement> statements;
    for (size_t start = 0; start <= entry.size();) {
      const size_t end = std::min(entry.find('\n', start), entry.size());
      for (auto& statement : splitter_.AddLine(entry.substr(start, end - start))) {
        statements.push_back(std::move(statement));
      }
      start = end + 1;
    }
    return statements;
  }

  // What was entered is one entry of the history, so that it comes back as a whole.
  void Remember() {
    const std::string entry = sql::parse::OneLine(std::exchange(entered_, {}));
    if (!entry.empty()) editor_.Remember(entry);
  }

  // Asks when there are changes that the end would give up.
  bool MayLeave() {
    if (!connection_->HasUncommitted()) return true;
    std::string answer;
    const auto outcome =
        editor_.Read("There are uncommitted changes. Discard them and leave? (y/N) ", &answer);
    if (outcome == LineEditor::Outcome::kEnd) {
      std::fputs("\nwarning: uncommitted changes are discarded\n", stderr);
      return true;
    }
    const bool leave = !answer.empty() && (answer[0] == 'y' || answer[0] == 'Y');
    if (!leave) std::fputs("!commit writes them, !rollback discards them\n", stdout);
    return leave;
  }

  // False: it ends the shell.
  bool RunRcFile() {
    const std::string path = HomeFile(".bennurc");
    if (path.empty()) return true;
    std::ifstream file(path);
    const ScriptOptions options = {/*line_numbers=*/false, /*keep_going=*/true};
    return RunScript(file, options, runner_, commands_) != ScriptEnd::kQuit;
  }

  SqlConnection* const connection_;
  StatementRunner* const runner_;
  ShellCommands* const commands_;
  sql::parse::StatementSplitter splitter_;
  std::string entered_;  // of the statement that is not complete
  Completion completion_;
  LineEditor editor_;
};

}  // namespace

ExitCode RunShell(const std::string& directory, SqlConnection* connection, ShellCommands* commands,
                  StatementRunner* runner) {
  fmt::print("Bennu on {}. !help for help, !quit to leave.\n", directory);
  std::fflush(stdout);
  Shell shell(connection, commands, runner);
  shell.Loop();
  return kExitOk;
}

}  // namespace bennu::cli
