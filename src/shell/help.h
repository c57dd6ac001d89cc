// What `help` shows.
#ifndef BENNU_SRC_SHELL_HELP_H_
#define BENNU_SRC_SHELL_HELP_H_

#include <string>
#include <string_view>

#include "src/shell/command.h"

namespace bennu::shell {

// Of a command or of a group; all groups for an empty name, and after an error for an unknown one.
void ShowHelp(const Environment& environment, std::string_view name);

// The text about one command; empty for an unknown one.
std::string_view HelpOf(std::string_view command);

// Of a command of HBase's shell that this one does not have: why. Else empty.
std::string WhyMissing(std::string_view name);

}  // namespace bennu::shell

#endif  // BENNU_SRC_SHELL_HELP_H_
