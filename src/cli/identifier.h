// Names of tables and columns as they are typed on a command line.
#ifndef BENNU_SRC_CLI_IDENTIFIER_H_
#define BENNU_SRC_CLI_IDENTIFIER_H_

#include <string>
#include <string_view>

namespace bennu::cli {

// As SQL reads a name: unquoted in upper case, in double quotes as it is.
std::string Identifier(std::string_view text);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_IDENTIFIER_H_
