#include "src/server/console/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "src/base/env.h"
#include "src/base/hex.h"
#include "src/base/percent.h"
#include "src/base/status_macros.h"
#include "src/server/console/page.h"
#include "src/server/console/row_key.h"
#include "src/server/console/statements.h"
#include "src/sql/session/sql_store.h"

namespace bennu::server::console {

namespace {

constexpr std::string_view kApi = "/api/v1/";
constexpr std::string_view kFiles = "/console/";
constexpr std::string_view kTables = "tables/";
constexpr std::string_view kTokenHeader = "X-Bennu-Token";
constexpr unsigned kNotModified = 304;
constexpr unsigned kBadRequest = 400;
constexpr unsigned kForbidden = 403;
constexpr unsigned kNotFound = 404;
constexpr unsigned kWrongMethod = 405;
constexpr unsigned kConflict = 409;
constexpr unsigned kFull = 429;
constexpr unsigned kServerFault = 500;

constexpr std::string_view kReads[] = {"maintenance", "metrics",    "overview",
                                       "slow",        "statements", "tables"};
constexpr std::string_view kActions[] = {
    "rowkey", "sql", "sql/cancel", "sql/close", "sql/complete", "sql/next", "statements/cancel"};

std::string RandomText() {
  Env* const env = Env::Default();
  return fmt::format("{:016x}{:016x}", env->RandomU64(), env->RandomU64());
}

bool IsOneOf(std::string_view name, const auto& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Which status of HTTP says the same.
unsigned HttpStatusOf(const Status& status) {
  switch (status.code()) {
    case StatusCode::kInvalidArgument:
    case StatusCode::kSql: return kBadRequest;
    case StatusCode::kNotFound: return kNotFound;
    case StatusCode::kFailedPrecondition: return kConflict;
    case StatusCode::kResourceExhausted: return kFull;
    default: return kServerFault;
  }
}

// Whoever compares takes as long for a wrong token as for the right one.
bool IsSame(std::string_view given, std::string_view token) {
  if (given.size() != token.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < token.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i] ^ token[i]);
  }
  return difference == 0;
}

// The request is none of the console's, which the log is to tell.
http::Response NotTaken(unsigned http_status, const Status& status) {
  http::Response refused = Refuse(http_status, status);
  refused.refusal = status.message();
  return refused;
}

void Replace(std::string* text, std::string_view mark, std::string_view by) {
  for (size_t at = 0; (at = text->find(mark, at)) != std::string::npos; at += by.size()) {
    text->replace(at, mark.size(), by);
  }
}

// Counts that pages make rates of never go back.
uint64_t Raise(std::atomic<uint64_t>* shown, uint64_t count) {
  uint64_t before = shown->load();
  while (before < count && !shown->compare_exchange_weak(before, count)) {
  }
  return std::max(before, count);
}

// "values" of the body; nothing: they are not given.
Result<std::optional<std::vector<std::optional<std::string>>>> ValuesOf(const Json& body) {
  const auto given = body.find("values");
  std::optional<std::vector<std::optional<std::string>>> values;
  if (given == body.end()) return values;
  if (!given->is_array()) return InvalidArgument("'values' must be an array");
  values.emplace();
  for (const Json& value : *given) {
    if (!value.is_null() && !value.is_string()) {
      return InvalidArgument("each of 'values' must be a string, or null");
    }
    values->push_back(value.is_null() ? std::nullopt
                                      : std::optional<std::string>(value.get<std::string>()));
  }
  return values;
}

Result<Bytes> KeyOfHex(const std::string& hex) {
  ASSIGN_OR_RETURN(Bytes key, HexDecode(hex));
  if (key.size() <= sql::kMaxRowKeyBytes) return key;
  return InvalidArgument(fmt::format("the key has {} bytes, and a row's may have {}", key.size(),
                                     sql::kMaxRowKeyBytes));
}

}  // namespace

Console::Console(front::SqlHost* sql, std::unique_ptr<View> view, const WorkbenchBounds& bounds)
    : sql_(sql), view_(std::move(view)), token_(RandomText()), workbench_(sql, bounds) {
  sql_->ObserveStatements(&statements_);
}

Console::~Console() {
  Stop();
  sql_->ObserveStatements(nullptr);
}

void Console::Stop() { workbench_.Stop(); }

bool Console::IsPageAsked(const http::Request& request) {
  const std::string* const accepted = request.Header("Accept");
  return request.path == "/" && (request.method == "GET" || request.method == "HEAD") &&
         accepted != nullptr && accepted->find("text/html") != std::string::npos;
}

http::Response Console::Handle(const http::Request& request) {
  if (request.path.starts_with(kFiles)) return ShowFile(request);
  if (request.path == "/") return ShowIndex();
  if (request.path.starts_with("/api/")) return CallApi(request);
  return http::Refused(kNotFound, "no such page; / tells what there is");
}

http::Response Console::ShowIndex() const {
  const PageFile* const index = FindPageFile("index.html");
  if (index == nullptr) return Refuse(kNotFound, NotFound("the program has no console"));
  http::Response response;
  response.type = index->type;
  response.body = index->bytes;
  // Styles that the editor makes while it runs carry the nonce; scripts come from files alone.
  const std::string nonce = RandomText();
  Replace(&response.body, "{{token}}", token_);
  Replace(&response.body, "{{nonce}}", nonce);
  response.headers = {
      {"Cache-Control", "no-store"},
      {"Content-Security-Policy",
       fmt::format("default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{}'; "
                   "img-src 'self' data:; connect-src 'self'; base-uri 'none'; "
                   "form-action 'none'; frame-ancestors 'none'",
                   nonce)},
      {"Referrer-Policy", "no-referrer"},
      {"X-Content-Type-Options", "nosniff"}};
  return response;
}

http::Response Console::ShowFile(const http::Request& request) {
  const std::string_view name = std::string_view(request.path).substr(kFiles.size());
  const PageFile* const file = name == "index.html" ? nullptr : FindPageFile(name);
  if (file == nullptr) {
    return NotTaken(kNotFound, NotFound(fmt::format("there is no file {}", request.path)));
  }
  http::Response response;
  response.type = file->type;
  // Browsers keep the file and ask whether it is still the same.
  response.headers = {{"Cache-Control", "no-cache"},
                      {"ETag", std::string(file->etag)},
                      {"X-Content-Type-Options", "nosniff"}};
  if (const std::string* const known = request.Header("If-None-Match");
      known != nullptr && *known == file->etag) {
    response.status = kNotModified;
  } else {
    response.body = file->bytes;
  }
  return response;
}

http::Response Console::CallApi(const http::Request& request) {
  const std::string_view path = request.path;
  const std::string_view call = path.starts_with(kApi) ? path.substr(kApi.size()) : "";
  const bool reads = IsOneOf(call, kReads) || call.starts_with(kTables);
  const bool acts = IsOneOf(call, kActions);
  if (!reads && !acts) {
    return NotTaken(kNotFound, NotFound(fmt::format("there is no call {}", path)));
  }
  const bool is_post = request.method == "POST";
  if (acts != is_post || (reads && request.method != "GET" && request.method != "HEAD")) {
    http::Response refusal =
        NotTaken(kWrongMethod,
                 InvalidArgument(fmt::format("{} is a call of {}", path, acts ? "POST" : "GET")));
    refusal.headers.emplace_back("Allow", acts ? "POST" : "GET, HEAD");
    return refusal;
  }
  const std::string* const token = request.Header(kTokenHeader);
  if (acts && (token == nullptr || !IsSame(*token, token_))) {
    return NotTaken(kForbidden, FailedPrecondition(fmt::format(
                                    "the call wants the header {} with the token of the page /",
                                    kTokenHeader)));
  }
  Result<Json> answer = Internal("not answered");
  if (reads) {
    answer = Read(call);
  } else if (Result<Json> body = ParseBody(request.body); body.ok()) {
    answer = Do(call, request, *body);
  } else {
    return NotTaken(kBadRequest, body.status());
  }
  if (!answer.ok()) return Refuse(HttpStatusOf(answer.status()), answer.status());
  return Answer(*answer);
}

Result<Json> Console::Read(std::string_view call) {
  if (call == "overview") return view_->Overview(workbench_.size());
  if (call == "metrics") {
    ASSIGN_OR_RETURN(Json metrics, view_->Metrics());
    metrics["statements"] = ToJson(statements_.micros());
    ASSIGN_OR_RETURN(const RowCounts rows, CountRows(sql_, statements_));
    metrics["sql_rows_read"] = Raise(&rows_read_, rows.read);
    metrics["sql_rows_returned"] = Raise(&rows_returned_, rows.returned);
    return metrics;
  }
  if (call == "tables") return view_->Tables();
  if (call == "maintenance") return view_->Maintenance();
  if (call == "statements") return StatementsJson(sql_);
  if (call == "slow") return SlowJson(statements_, view_->SlowCalls());
  return view_->Describe(PercentDecoded(call.substr(kTables.size())));
}

Result<Json> Console::Do(std::string_view call, const http::Request& request, const Json& body) {
  const std::string& user = request.user;
  if (call == "sql") return workbench_.Run(user, body, request.caller);
  if (call == "sql/next") return workbench_.Next(user, body, request.caller);
  if (call == "sql/cancel") return workbench_.Cancel(user, body);
  if (call == "sql/close") return workbench_.Close(user, body);
  if (call == "sql/complete") return workbench_.Complete(body);
  if (call == "rowkey") return DescribeRowKey(body);
  return CancelStatement(body);
}

Result<Json> Console::DescribeRowKey(const Json& body) {
  ASSIGN_OR_RETURN(const std::string name, TextOf(body, "table"));
  ASSIGN_OR_RETURN(const std::string hex, OptionalTextOf(body, "hex"));
  ASSIGN_OR_RETURN(const auto values, ValuesOf(body));
  ASSIGN_OR_RETURN(sql::session::SqlStore* const sql, sql_->Sql());
  // From here on the request is right, and what it asks for may be half written.
  const auto table = FindTable(sql->catalog(), name);
  if (!table.ok()) return ErrorJson(table.status());
  Json answer = DescribeKey(**table);
  if (!values.has_value() && hex.empty()) return answer;
  const Result<Bytes> key = values.has_value() ? MakeKey(**table, *values) : KeyOfHex(hex);
  if (key.ok()) {
    answer["key"] = ExplainKey(**table, *key);
  } else {
    answer.update(ErrorJson(key.status()));
  }
  return answer;
}

Result<Json> Console::CancelStatement(const Json& body) {
  if (!body.contains("id")) return InvalidArgument("'id' is missing");
  ASSIGN_OR_RETURN(const int64_t id, NumberOf(body, "id", 0, 1, INT64_MAX));
  ASSIGN_OR_RETURN(sql::session::SqlStore* const sql, sql_->Sql());
  return Json{{"cancelled", sql->statements()->Cancel(id, "")}};
}

const PageFile* FindPageFile(std::string_view name) {
  const auto files = PageFiles();
  const auto found = std::find_if(files.begin(), files.end(),
                                  [name](const PageFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

}  // namespace bennu::server::console
