#include "src/server/http/authentication.h"

#include <openssl/evp.h>

#include <cstddef>
#include <optional>
#include <string_view>

#include "src/base/ascii.h"
#include "src/base/json_text.h"

namespace bennu::server::http {

namespace {

std::optional<std::string> DecodeBase64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return std::nullopt;
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  size_t padding = 0;
  while (padding < 2 && text[text.size() - 1 - padding] == '=') ++padding;
  bytes.resize(static_cast<size_t>(size) - padding);
  return bytes;
}

}  // namespace

Result<std::string> Authenticate(const std::string* authorization, PasswordFile* users) {
  if (authorization == nullptr) return InvalidArgument("no user was named");
  const std::string_view value = *authorization;
  const size_t space = value.find(' ');
  if (space == std::string_view::npos || Lower(value.substr(0, space)) != "basic") {
    return InvalidArgument("this server takes BASIC authentication alone");
  }
  const auto decoded = DecodeBase64(value.substr(value.find_last_of(' ') + 1));
  const size_t colon = decoded.has_value() ? decoded->find(':') : std::string::npos;
  if (colon == std::string::npos) {
    return InvalidArgument("the credentials are not USER:PASSWORD in Base64");
  }
  std::string user = decoded->substr(0, colon);
  if (!users->Check(user, decoded->substr(colon + 1))) {
    std::string shown;
    AppendJsonString(user, &shown);
    return InvalidArgument("wrong user or password: " + shown);
  }
  return user;
}

Response Challenge(const Status& why) {
  return {401,
          std::string(kTextType),
          why.message() + "\n",
          {{"WWW-Authenticate", R"(Basic realm="Bennu", charset="UTF-8")"}}};
}

}  // namespace bennu::server::http
