#include "src/cli/query_server.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "src/avatica/connection_properties.h"
#include "src/base/status_macros.h"
#include "src/cli/password_prompt.h"
#include "src/cli/server_target.h"
#include "src/thin_client/url.h"

namespace bennu::cli {

namespace {

struct Taken {
  std::string_view name;
  std::string SqlClientOptions::*place;
  bool of_tls = false;
};
// What is no property of the connection: Avatica's names, and those by which HBase's clients are
// told the same. Of two for one thing the later one counts.
constexpr Taken kTaken[] = {
    {"avatica_user", &SqlClientOptions::user},
    {"avatica_password", &SqlClientOptions::password},
    {"hbase.rpc.tls.truststore.location", &SqlClientOptions::truststore, true},
    {"hbase.rpc.tls.truststore.password", &SqlClientOptions::truststore_password, true},
    {"hbase.rpc.tls.truststore.type", &SqlClientOptions::truststore_type, true},
    {"truststore", &SqlClientOptions::truststore, true},
    {"truststore_password", &SqlClientOptions::truststore_password, true},
};

// Moves values to where they belong, and refuses what would be passed over without a word.
Status SortProperties(bool tls, SqlClientOptions* options) {
  for (const Taken& taken : kTaken) {
    const auto found = options->properties.find(std::string(taken.name));
    if (found == options->properties.end()) continue;
    if (taken.of_tls && !tls) {
      return InvalidArgument(
          fmt::format("-D {}: http:// goes without TLS; https:// trusts by it", taken.name));
    }
    options->*(taken.place) = found->second;
    options->properties.erase(found);
  }
  for (const auto& [name, value] : options->properties) {
    if (avatica::IsConnectionProperty(name)) continue;
    return InvalidArgument(
        fmt::format("-D {}: this means nothing to a connection to a query server", name));
  }
  return Status::Ok();
}

}  // namespace

Status ReadQueryServerOptions(const std::string& url, const StoreArguments& arguments,
                              SqlClientOptions* options) {
  RETURN_IF_ERROR(CheckServerArguments(arguments));
  for (const std::string& text : arguments.conf) {
    if (AddAssignment(text, &options->properties)) continue;
    return InvalidArgument("--conf wants NAME=VALUE, not " + text);
  }
  if (!arguments.config_file.empty()) {
    return InvalidArgument("--config applies to a cluster only; a query server has its own");
  }
  ASSIGN_OR_RETURN(const thin_client::Url parsed, thin_client::ParseUrl(url));
  options->user = parsed.user;
  options->password = parsed.password;
  RETURN_IF_ERROR(SortProperties(parsed.tls, options));
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
