// The address of a query server.
#ifndef BENNU_SRC_THIN_CLIENT_URL_H_
#define BENNU_SRC_THIN_CLIENT_URL_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "bennu/status.h"

namespace bennu::thin_client {

struct Url {
  std::string user;      // of "user@host" and "user:password@host", %XX resolved; empty: none
  std::string password;  // empty: none
  bool tls = false;
  std::string host;  // a name, or an address without brackets
  uint16_t port = 8765;
  std::string path = "/";

  // "host:8765", as requests name it.
  std::string Authority() const;
};

// Whether the text is a URL of HTTP.
bool IsUrl(std::string_view text);
// "http://host:8765", "https://[::1]:8765/", "http://user@host:8765". InvalidArgument: it is none,
// with an example.
Result<Url> ParseUrl(std::string_view text);

}  // namespace bennu::thin_client

#endif  // BENNU_SRC_THIN_CLIENT_URL_H_
