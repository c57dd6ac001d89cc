#include "src/cli/query_server.h"

#include <cstdlib>
#include <utility>

#include "src/base/status_macros.h"
#include "src/cli/password_prompt.h"
#include "src/cli/server_target.h"
#include "src/thin_client/url.h"

namespace bennu::cli {

namespace {

// Moves the property's value out of the properties, if it is there. The names are Avatica's.
void TakeProperty(const char* name, SqlClientOptions* options, std::string* value) {
  const auto found = options->properties.find(name);
  if (found == options->properties.end()) return;
  *value = found->second;
  options->properties.erase(found);
}

}  // namespace

Status ReadQueryServerOptions(const std::string& url, const StoreArguments& arguments,
                              SqlClientOptions* options) {
  RETURN_IF_ERROR(CheckServerArguments(arguments));
  for (const std::string& text : arguments.conf) {
    if (AddAssignment(text, &options->properties)) continue;
    return InvalidArgument("--conf wants NAME=VALUE, not " + text);
  }
  ASSIGN_OR_RETURN(const thin_client::Url parsed, thin_client::ParseUrl(url));
  options->user = parsed.user;
  options->password = parsed.password;
  TakeProperty("avatica_user", options, &options->user);
  TakeProperty("avatica_password", options, &options->password);
  TakeProperty("truststore", options, &options->truststore);
  TakeProperty("truststore_password", options, &options->truststore_password);
  if (options->user.empty() || !options->password.empty()) return Status();
  if (const char* const given = std::getenv("BENNU_PASSWORD"); given != nullptr) {
    options->password = given;
    return Status();
  }
  auto asked = AskPassword("Password for " + options->user + ": ");
  if (!asked.ok()) {
    return InvalidArgument("the user " + options->user +
                           " needs a password: set the variable BENNU_PASSWORD");
  }
  options->password = std::move(asked).value();
  return Status();
}

ExitCode ExitCodeOfConnecting(const Status& status) {
  return status.code() == StatusCode::kInvalidArgument ? kExitUsage : kExitStore;
}

}  // namespace bennu::cli
