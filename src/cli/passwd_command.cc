#include "src/cli/passwd_command.h"

#include <unistd.h>

#include "src/base/env.h"
#include "src/base/password_file.h"
#include "src/base/status_macros.h"
#include "src/cli/error_report.h"
#include "src/cli/exit_code.h"
#include "src/cli/password_prompt.h"
#include "src/cli/terminal.h"

namespace bennu::cli {

namespace {

Result<std::string> NewPassword(const std::string& user) {
  if (!IsTerminal(STDIN_FILENO)) return ReadPasswordLine();
  ASSIGN_OR_RETURN(std::string password, AskPassword("New password for " + user + ": "));
  ASSIGN_OR_RETURN(const std::string again, AskPassword("The same once more: "));
  if (password != again) return InvalidArgument("the two are not the same; nothing was changed");
  return password;
}

Status Change(const PasswdOptions& options) {
  if (options.remove) return RemoveUser(Env::Default(), options.file, options.user);
  ASSIGN_OR_RETURN(const std::string password, NewPassword(options.user));
  return SetPassword(Env::Default(), options.file, options.user, password);
}

}  // namespace

int RunPasswd(const PasswdOptions& options) {
  const Status changed = Change(options);
  if (changed.ok()) return kExitOk;
  const bool storage =
      changed.code() == StatusCode::kIoError || changed.code() == StatusCode::kNoSpace;
  return ReportError(changed, storage ? kExitStore : kExitUsage);
}

}  // namespace bennu::cli
