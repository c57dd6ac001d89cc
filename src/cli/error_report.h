// Tells a person what went wrong with a statement: the error, the line with a caret under the
// place, and a hint where there is one.
#ifndef BENNU_SRC_CLI_ERROR_REPORT_H_
#define BENNU_SRC_CLI_ERROR_REPORT_H_

#include <string>
#include <string_view>

#include "bennu/status.h"
#include "src/cli/exit_code.h"

namespace bennu::cli {

// Returns the lines to print, each ended by '\n'. 'statement' is the text that positions refer to;
// 'first_line' its line in the script (0: not from a script, no line number is told).
std::string FormatError(const Status& status, std::string_view statement, int first_line);

// Tells standard error of what ends a command, and returns 'code'.
ExitCode ReportError(const Status& status, ExitCode code);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_ERROR_REPORT_H_
