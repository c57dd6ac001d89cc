#include "src/server/phoenix/avatica_port.h"

#include <new>
#include <string>
#include <utility>

#include "src/avatica/messages.h"

namespace bennu::server::phoenix {

namespace {

constexpr unsigned kBadRequest = 400;
constexpr const char* kProtobufType = "application/octet-stream;charset=utf-8";
constexpr const char* kJsonType = "application/json;charset=utf-8";

}  // namespace

size_t MessageSize(const http::Request& request) { return avatica::ParsedSize(request.body); }

http::Response AnswerMessage(AvaticaService* service, http::Request&& request) {
  // A client of JSON may have its request in a header.
  const std::string* const told = request.Header("request");
  if (told != nullptr && request.body.empty()) request.body = *told;
  if (request.method != "POST" && told == nullptr) {
    return {kBadRequest, std::string(http::kTextType), "This server expects only POST calls.\n"};
  }
  const avatica::Form form = avatica::FormOf(request.body);
  Answer answer;
  try {
    answer = service->Handle(request.body, request.user, request.caller);
  } catch (const std::bad_alloc&) {
    answer = service->Refuse(ResourceExhausted("there is no memory for the request"), form);
  }
  return {answer.http_status, form == avatica::Form::kJson ? kJsonType : kProtobufType,
          std::move(answer.body)};
}

}  // namespace bennu::server::phoenix
