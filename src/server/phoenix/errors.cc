#include "src/server/phoenix/errors.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace bennu::server::phoenix {

namespace {

namespace pb = avatica::pb;

// ErrorResponse.UNKNOWN_ERROR_CODE and UNKNOWN_SQL_STATE of Avatica.
constexpr uint32_t kUnknownCode = 0xffffffff;
constexpr std::string_view kUnknownState = "00000";
// ErrorResponse.MISSING_CONNECTION_ERROR_CODE.
constexpr uint32_t kMissingConnectionCode = 1;

// "ERROR 1012 (42M03): Table undefined. …"
std::string Describe(const Status& status) {
  const SqlError* const error = status.sql_error();
  if (error == nullptr) return std::string(status.message());
  if (error->code == 0) return std::string(status.message());
  return fmt::format("ERROR {} ({}): {}", error->code, error->sqlstate, status.message());
}

pb::ErrorResponse Make(const std::string& text, uint32_t code, std::string_view state,
                       const std::string& server_address) {
  pb::ErrorResponse response;
  response.set_error_message(text);
  response.set_error_code(code);
  response.set_sql_state(std::string(state));
  response.set_has_exceptions(true);
  response.add_exceptions(text);
  response.mutable_metadata()->set_server_address(server_address);
  return response;
}

}  // namespace

pb::ErrorResponse ErrorOf(const Status& status, const std::string& server_address) {
  const std::string text = Describe(status);
  const SqlError* const error = status.sql_error();
  const bool coded = error != nullptr && error->code != 0;
  pb::ErrorResponse response = Make(
      fmt::format("RuntimeException: java.sql.SQLException: {} -> SQLException: {}", text, text),
      coded ? static_cast<uint32_t>(error->code) : kUnknownCode,
      coded ? std::string_view(error->sqlstate) : kUnknownState, server_address);
  pb::ErrorDetail* const detail = response.mutable_detail();
  detail->set_status(static_cast<uint32_t>(status.code()));
  detail->set_message(std::string(status.message()));
  detail->set_position(error != nullptr ? error->position : -1);
  if (error != nullptr && !error->hint.empty()) {
    detail->set_hint(error->hint);
    // Where Phoenix's server has the places in its code, which clients show on request.
    response.add_exceptions("hint: " + error->hint);
  }
  return response;
}

pb::ErrorResponse NoSuchConnection(const std::string& connection_id,
                                   const std::string& server_address) {
  pb::ErrorResponse response =
      Make("Connection not found: invalid id, closed, or expired: " + connection_id,
           kMissingConnectionCode, kUnknownState, server_address);
  response.set_severity(pb::ERROR_SEVERITY);  // that of SQL's errors is unknown, as in Avatica
  return response;
}

}  // namespace bennu::server::phoenix
