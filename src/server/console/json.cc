#include "src/server/console/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/base/status_macros.h"

namespace bennu::server::console {

namespace {

// Where a byte of a text is, as editors count: lines and characters from 1.
Json PlaceOf(std::string_view text, size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const size_t line_end = before.rfind('\n');
  const std::string_view line = before.substr(line_end == before.npos ? 0 : line_end + 1);
  const auto is_begin = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  return {{"offset", offset},
          {"line", std::count(before.begin(), before.end(), '\n') + 1},
          {"column", std::count_if(line.begin(), line.end(), is_begin) + 1}};
}

}  // namespace

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json ToJson(const hbase::HistogramCounts& counts) {
  Json buckets = Json::array();
  for (size_t i = 0; i < counts.buckets.size(); ++i) {
    if (counts.buckets[i] == 0) continue;
    buckets.push_back({hbase::HistogramCounts::BucketEnd(i), counts.buckets[i]});
  }
  return {{"count", counts.count},
          {"sum", counts.sum},
          {"max", counts.max},
          {"buckets", std::move(buckets)}};
}

Json ErrorJson(const Status& status, std::string_view text) {
  Json error = {{"status", StatusCodeName(status.code())}, {"message", status.message()}};
  if (const SqlError* const sql = status.sql_error(); sql != nullptr) {
    if (sql->code != 0) {
      error["code"] = sql->code;
      error["sqlstate"] = sql->sqlstate;
    }
    if (!sql->hint.empty()) error["hint"] = sql->hint;
    if (sql->position >= 0) error["position"] = PlaceOf(text, static_cast<size_t>(sql->position));
  }
  return {{"error", std::move(error)}};
}

http::Response Answer(const Json& json, unsigned status) {
  http::Response response;
  response.status = status;
  response.type = "application/json; charset=utf-8";
  response.body = Dump(json);
  response.headers = {{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}};
  return response;
}

http::Response Refuse(unsigned http_status, const Status& status) {
  return Answer(ErrorJson(status), http_status);
}

Result<Json> ParseBody(std::string_view body) {
  try {
    Json json = Json::parse(body);
    if (!json.is_object()) return InvalidArgument("the body must be a JSON object");
    return json;
  } catch (const Json::parse_error& error) {
    return InvalidArgument(
        fmt::format("the body is no JSON: what is at byte {} cannot stand there", error.byte));
  }
}

Result<std::string> TextOf(const Json& body, const char* name) {
  const auto found = body.find(name);
  if (found == body.end()) return InvalidArgument(fmt::format("'{}' is missing", name));
  return OptionalTextOf(body, name);
}

Result<std::string> OptionalTextOf(const Json& body, const char* name) {
  const auto found = body.find(name);
  if (found == body.end() || found->is_null()) return std::string();
  if (!found->is_string()) return InvalidArgument(fmt::format("'{}' must be a string", name));
  return found->get<std::string>();
}

Result<int64_t> NumberOf(const Json& body, const char* name, int64_t otherwise, int64_t min,
                         int64_t max) {
  const auto found = body.find(name);
  if (found == body.end()) return otherwise;
  const bool fits =
      found->is_number_integer() &&
      (!found->is_number_unsigned() || found->get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX));
  const int64_t number = fits ? found->get<int64_t>() : 0;
  if (!fits || number < min || number > max) {
    return InvalidArgument(fmt::format("'{}' must be a number from {} to {}", name, min, max));
  }
  return number;
}

}  // namespace bennu::server::console
