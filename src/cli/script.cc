#include "src/cli/script.h"

#include <optional>
#include <string>
#include <string_view>

#include "src/cli/utf8_input.h"
#include "src/sql/parse/splitter.h"

namespace bennu::cli {

using sql::parse::ScriptStatement;
using sql::parse::StatementSplitter;

ScriptEnd RunScript(std::istream& input, const ScriptOptions& options, StatementRunner* runner,
                    ShellCommands* commands) {
  StatementSplitter splitter;
  const auto run = [&](const ScriptStatement& statement) {
    const Status status = runner->Run(statement.text, options.line_numbers ? statement.line : 0);
    // On a full disk readers go on, and writers once there is space again.
    const bool store_lost =
        ExitCodeOf(status) == kExitStore && status.code() != StatusCode::kNoSpace;
    return status.ok() || (options.keep_going && !store_lost);
  };
  std::string read;
  while (std::getline(input, read)) {
    std::string_view line = read;
    if (splitter.line() == 0) DropByteOrderMark(&line);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (splitter.at_start() && ShellCommands::IsCommand(line)) {
      splitter.PassLine();
      const ShellCommands::Outcome outcome = commands->Run(line);
      if (outcome == ShellCommands::Outcome::kQuit) return ScriptEnd::kQuit;
      if (outcome == ShellCommands::Outcome::kFailed && !options.keep_going) {
        return ScriptEnd::kStopped;
      }
      continue;
    }
    for (const ScriptStatement& statement : splitter.AddLine(line)) {
      if (!run(statement)) return ScriptEnd::kStopped;
    }
  }
  const std::optional<ScriptStatement> last = splitter.Finish();
  return !last.has_value() || run(*last) ? ScriptEnd::kDone : ScriptEnd::kStopped;
}

}  // namespace bennu::cli
