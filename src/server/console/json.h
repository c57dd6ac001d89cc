// How the console's API writes JSON: objects keep the order in which they are made, so that a
// person who reads an answer finds the important part first.
#ifndef BENNU_SRC_SERVER_CONSOLE_JSON_H_
#define BENNU_SRC_SERVER_CONSOLE_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "bennu/status.h"
#include "src/server/hbase/histogram.h"
#include "src/server/http/message.h"

namespace bennu::server::console {

using Json = nlohmann::ordered_json;

// Times are told in milliseconds.
inline constexpr double kNanosPerMilli = 1e6;

// Bytes that are no UTF-8 become U+FFFD.
std::string Dump(const Json& json);

// {"count", "sum", "max", "buckets": [[first value past the bucket, count], …]}, without buckets
// that are empty. Counts go up as long as the server runs: who polls takes the difference.
Json ToJson(const hbase::HistogramCounts& counts);

// {"error": {"status", "message", "code", "sqlstate", "hint", "position"}}; what is not known is
// left out. 'text': the statement that the error's place is in; "": there is none.
Json ErrorJson(const Status& status, std::string_view text = "");

http::Response Answer(const Json& json, unsigned status = 200);
// The answer to a request that is wrong by itself. 'http_status': of HTTP.
http::Response Refuse(unsigned http_status, const Status& status);

// ---- a request's body; InvalidArgument says what is wrong with it, and where
Result<Json> ParseBody(std::string_view body);
Result<std::string> TextOf(const Json& body, const char* name);
// "" when it is not given.
Result<std::string> OptionalTextOf(const Json& body, const char* name);
// 'otherwise' when it is not given.
Result<int64_t> NumberOf(const Json& body, const char* name, int64_t otherwise, int64_t min,
                         int64_t max);

}  // namespace bennu::server::console

#endif  // BENNU_SRC_SERVER_CONSOLE_JSON_H_
