#include "src/server/phoenix/avatica_port.h"

#include <new>
#include <string>
#include <utility>

#include "src/avatica/messages.h"
#include "src/avatica/running_statement.h"
#include "src/sql/exec/run_control.h"
#include "src/sql/session/statements.h"

namespace bennu::server::phoenix {

namespace {

constexpr unsigned kBadRequest = 400;
constexpr unsigned kNotFound = 404;
constexpr const char* kProtobufType = "application/octet-stream;charset=utf-8";
constexpr const char* kJsonType = "application/json;charset=utf-8";

}  // namespace

size_t MessageSize(const http::Request& request) { return avatica::ParsedSize(request.body); }

std::optional<http::Response> AnswerRunning(const AvaticaService& service,
                                            const http::Request& request) {
  if (request.method != "GET" || request.path != avatica::kRunningPath) return std::nullopt;
  const std::string* const id = request.Header(avatica::kConnectionHeader);
  const auto running = service.Running({request.user, id == nullptr ? "" : *id});
  if (!running.ok()) {
    return http::Response{kNotFound, std::string(http::kTextType),
                          running.status().message() + "\n"};
  }
  std::optional<avatica::RunningStatement> told;
  if (running->has_value()) {
    const sql::session::RunningStatement& statement = **running;
    const sql::exec::RunControl::Progress& progress = statement.progress;
    told = {statement.id,          statement.text,         statement.start_millis,
            progress.rows_read,    progress.rows_returned, progress.morsels,
            progress.morsels_done, progress.memory_bytes};
  }
  return http::Response{200, kJsonType, avatica::WriteRunning(told)};
}

http::Response AnswerMessage(AvaticaService* service, http::Request&& request) {
  // A client of JSON may have its request in a header.
  const std::string* const told = request.Header("request");
  if (told != nullptr && request.body.empty()) request.body = *told;
  if (request.method != "POST" && told == nullptr) {
    return http::Refused(kBadRequest, "This server expects only POST calls.");
  }
  const avatica::Form form = avatica::FormOf(request.body);
  Answer answer;
  try {
    answer = service->Handle(request.body, request.user, request.caller);
  } catch (const std::bad_alloc&) {
    answer = service->Refuse(ResourceExhausted("there is no memory for the request"), form);
  }
  return {answer.http_status,
          form == avatica::Form::kJson ? kJsonType : kProtobufType,
          std::move(answer.body),
          {},
          std::move(answer.refusal)};
}

}  // namespace bennu::server::phoenix
