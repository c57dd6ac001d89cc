#include "src/avatica/messages.h"

#include <fmt/format.h>

#include <string_view>
#include <type_traits>
#include <utility>

#include "src/avatica/json_messages.h"
#include "src/avatica/json_value.h"
#include "src/base/message_size.h"

namespace bennu::avatica {

namespace {

constexpr std::string_view kRequests = "org.apache.calcite.avatica.proto.Requests$";
constexpr std::string_view kResponses = "org.apache.calcite.avatica.proto.Responses$";

// "FetchRequest": a message's name without its package.
template <typename Message>
std::string ShortName(const Message& message) {
  const std::string name = message.GetTypeName();
  return name.substr(name.rfind('.') + 1);
}

// Tries the alternatives of Request from the Index-th on.
template <size_t Index>
Result<Request> ParseNamed(std::string_view name, const std::string& message) {
  if constexpr (Index == std::variant_size_v<Request>) {
    return InvalidArgument(fmt::format("there is no request '{}'", name));
  } else {
    using Message = std::variant_alternative_t<Index, Request>;
    if (ShortName(Message::default_instance()) != name) return ParseNamed<Index + 1>(name, message);
    Request request{std::in_place_index<Index>};
    if (!std::get<Index>(request).ParseFromString(message)) {
      return InvalidArgument(fmt::format("the body of {} is damaged", name));
    }
    return request;
  }
}

Result<Request> ParseProtobuf(ByteView body) {
  pb::WireMessage wire;
  if (!wire.ParseFromArray(body.data(), static_cast<int>(body.size())) || wire.name().empty()) {
    return InvalidArgument(
        "the body is no message of Avatica; clients of Phoenix's query server are answered here");
  }
  std::string_view name = wire.name();
  if (name.starts_with(kRequests)) name.remove_prefix(kRequests.size());
  return ParseNamed<0>(name, wire.wrapped_message());
}

}  // namespace

size_t ParsedSize(ByteView body) {
  // A message of protobuf lies within another one, out of which it is copied.
  return FormOf(body) == Form::kJson ? ParsedJsonSize(body) : body.size() + bennu::ParsedSize(body);
}

Result<Request> ParseRequest(ByteView body, Form form) {
  return form == Form::kJson ? ParseJsonRequest(body) : ParseProtobuf(body);
}

std::string WriteResponse(const Response& response, Form form) {
  if (form == Form::kJson) return WriteJsonResponse(response);
  return std::visit(
      [](const auto& message) {
        pb::WireMessage wire;
        wire.set_name(std::string(kResponses) + ShortName(message));
        message.SerializeToString(wire.mutable_wrapped_message());
        return wire.SerializeAsString();
      },
      response);
}

}  // namespace bennu::avatica
