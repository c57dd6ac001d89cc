// `bennu passwd`: the file of users that `bennu serve` lets in.
#ifndef BENNU_SRC_CLI_PASSWD_COMMAND_H_
#define BENNU_SRC_CLI_PASSWD_COMMAND_H_

#include <string>

namespace bennu::cli {

struct PasswdOptions {
  std::string file;
  std::string user;
  bool remove = false;
};

// Returns the exit code.
int RunPasswd(const PasswdOptions& options);

}  // namespace bennu::cli

#endif  // BENNU_SRC_CLI_PASSWD_COMMAND_H_
