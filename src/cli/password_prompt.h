// Passwords, from a person or a pipe.
#ifndef BENNU_SRC_CLI_PASSWORD_PROMPT_H_
#define BENNU_SRC_CLI_PASSWORD_PROMPT_H_

#include <string>

#include "bennu/status.h"

namespace bennu::cli {

// Asks on the terminal, where what is typed is not shown. FailedPrecondition: there is no terminal.
Result<std::string> AskPassword(const std::string& prompt);
// The first line of standard input, without its end. InvalidArgument: there is none.
Result<std::string> ReadPasswordLine();

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_PASSWORD_PROMPT_H_
