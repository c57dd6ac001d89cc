// Who asks: BASIC authentication. Source: RFC 7617.
#ifndef BENNU_SRC_SERVER_HTTP_AUTHENTICATION_H_
#define BENNU_SRC_SERVER_HTTP_AUTHENTICATION_H_

#include <string>

#include "bennu/status.h"
#include "src/base/password_file.h"
#include "src/server/http/message.h"

namespace bennu::server::http {

// The user whom the value of Authorization names, with a right password. PermissionDenied: it is
// not there (nullptr), cannot be read, or user or password are wrong; that one is not told which.
// It takes the time of a hash, unless the same user was here before.
Result<std::string> Authenticate(const std::string* authorization, PasswordFile* users);

// The answer that asks for a user and a password.
Response Challenge(const Status& why);

}  // namespace bennu::server::http

#endif  // BENNU_SRC_SERVER_HTTP_AUTHENTICATION_H_
