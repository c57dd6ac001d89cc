// Avatica's messages in JSON. For messages.cc.
// Source: phoenix-avatica spec section 5.
#ifndef BENNU_SRC_AVATICA_JSON_MESSAGES_H_
#define BENNU_SRC_AVATICA_JSON_MESSAGES_H_

#include <string>

#include "bennu/bytes.h"
#include "bennu/status.h"
#include "src/avatica/messages.h"

namespace bennu::avatica {

// InvalidArgument: no JSON, no request, or a field of another kind than it must be.
Result<Request> ParseJsonRequest(ByteView body);
// Ends with a newline.
std::string WriteJsonResponse(const Response& response);

// "BYTE_STRING" and kin, by number.
std::string_view RepName(pb::Rep rep);

}  // namespace bennu::avatica

#endif  // BENNU_SRC_AVATICA_JSON_MESSAGES_H_
