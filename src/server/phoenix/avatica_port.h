// The messages of Phoenix's clients as requests of HTTP: each POST is a message, and so is each
// answer.
#ifndef BENNU_SRC_SERVER_PHOENIX_AVATICA_PORT_H_
#define BENNU_SRC_SERVER_PHOENIX_AVATICA_PORT_H_

#include <cstddef>
#include <optional>

#include "src/server/http/message.h"
#include "src/server/phoenix/avatica_service.h"

namespace bennu::server::phoenix {

// What the message takes at most while it is answered, but for the answer: for
// http::Port::work_size.
size_t MessageSize(const http::Request& request);

// Answers how far a connection's statement is; nothing: the request is a message. Does not wait.
std::optional<http::Response> AnswerRunning(const AvaticaService& service,
                                            const http::Request& request);

// For threads that may wait.
http::Response AnswerMessage(AvaticaService* service, http::Request&& request);

}  // namespace bennu::server::phoenix

#endif  // BENNU_SRC_SERVER_PHOENIX_AVATICA_PORT_H_
