#include "src/thin_client/server_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

namespace bennu::thin_client {

namespace {

namespace pb = avatica::pb;

constexpr std::string_view kNoSuchConnection = "Connection not found";
// Avatica's MISSING_CONNECTION_ERROR_CODE.
constexpr uint32_t kMissingConnectionCode = 1;

// "… ERROR 1012 (42M03): Table undefined. … -> …": Phoenix's server has code and state here alone.
Status FromText(const std::string& text) {
  constexpr std::string_view kError = "ERROR ";
  constexpr size_t kStateSize = 5;
  const size_t at = text.find(kError);
  if (at != std::string::npos) {
    const char* const begin = text.data() + at + kError.size();
    const char* const end = text.data() + text.size();
    SqlError error;
    const auto [stop, failed] = std::from_chars(begin, end, error.code);
    const std::string_view rest(stop, static_cast<size_t>(end - stop));
    if (failed == std::errc() && rest.size() > kStateSize + 4 && rest.starts_with(" (") &&
        rest.substr(2 + kStateSize, 3) == "): ") {
      error.sqlstate = rest.substr(2, kStateSize);
      std::string_view message = rest.substr(2 + kStateSize + 3);
      message = message.substr(0, message.find(" -> "));
      return Status::Sql(std::move(error), std::string(message));
    }
  }
  return Status::Sql({}, text);
}

}  // namespace

Status ErrorOf(const pb::ErrorResponse& error) {
  if (error.error_code() == kMissingConnectionCode && !error.has_detail()) {
    return FailedPrecondition(std::string(kNoSuchConnection));
  }
  if (!error.has_detail()) return FromText(error.error_message());
  const pb::ErrorDetail& detail = error.detail();
  if (detail.status() == 0 || detail.status() > static_cast<uint32_t>(StatusCode::kInternal)) {
    return FromText(error.error_message());
  }
  const auto code = static_cast<StatusCode>(detail.status());
  if (code == StatusCode::kSql) {
    SqlError sql;
    const auto vendor = static_cast<int32_t>(error.error_code());
    if (vendor > 0) {
      sql.code = vendor;
      sql.sqlstate = error.sql_state();
    }
    sql.position = detail.position();
    sql.hint = detail.hint();
    return Status::Sql(std::move(sql), detail.message());
  }
  return Status(code, detail.message());
}

bool IsNoSuchConnection(const Status& status) {
  return status.code() == StatusCode::kFailedPrecondition &&
         std::string_view(status.message()) == kNoSuchConnection;
}

Status NoMessage(const HttpAnswer& answer) {
  constexpr unsigned kUnauthorized = 401;
  constexpr size_t kShown = 200;
  if (answer.status == kUnauthorized) {
    return FailedPrecondition(
        "the server does not let this client in: it wants a user and the right password "
        "(http://USER@HOST:PORT; the password from the variable BENNU_PASSWORD)");
  }
  std::string body = answer.body.substr(0, kShown);
  std::replace_if(
      body.begin(), body.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return Corruption(
      fmt::format("what answers is no query server of Phoenix (HTTP {}): {}", answer.status, body));
}

}  // namespace bennu::thin_client
